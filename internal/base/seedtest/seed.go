// Package seedtest gives tests that try at random their seed and their length: SEED
// repeats a run, and TIMES makes it longer. A failure prints the seed that repeats it.
package seedtest

import (
	"flag"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// Of returns the seed of a test: SEED (1 when it is not set), mixed with the test's name.
// A test that fails prints how to repeat it, and one that has a seed has it as its attribute.
func Of(t testing.TB) uint64 {
	t.Helper()
	base := number(t, "SEED", 1)
	t.Attr("seed", strconv.FormatUint(base, 10))
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("repeat with SEED=%d go test -run '^%s$'", base, t.Name())
		}
	})
	h := fnv.New64a()
	h.Write([]byte(t.Name())) // never fails
	return h.Sum64() ^ base*0x9e3779b97f4a7c15
}

// Chosen reports whether somebody chose the seed. Without, a test tries the same each time.
func Chosen() bool { return os.Getenv("SEED") != "" }

// InTurn chooses one of n, each in turn with consecutive values of SEED.
func InTurn(t testing.TB, n int) int {
	t.Helper()
	Of(t)
	return int(number(t, "SEED", 1) % uint64(n))
}

// Rand returns a test's source of chance.
func Rand(t testing.TB) *rand.Rand {
	t.Helper()
	seed := Of(t)
	return rand.New(rand.NewPCG(seed, seed))
}

// Times is n, as many times over as TIMES says.
func Times(t testing.TB, n int) int {
	t.Helper()
	return n * int(number(t, "TIMES", 1))
}

// Tries is short while TIMES is 1, and then long, as many times over as TIMES says.
func Tries(t testing.TB, short, long int) int {
	t.Helper()
	if Times(t, 1) == 1 {
		return short
	}
	return Times(t, long)
}

// Bounded is few while nobody has chosen SEED or TIMES, and then n, as many times over as TIMES says: make test is
// short, make prove is not.
func Bounded(t testing.TB, few, n int) int {
	t.Helper()
	if times := Times(t, n); times > n || Chosen() {
		return times
	}
	return few
}

func number(t testing.TB, name string, otherwise uint64) uint64 {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("%s=%q: want a whole number", name, text)
	}
	return n
}

var rapidFlags sync.Once

// rapidChecks is how many times rapid tries a property when nothing is said.
// https://pkg.go.dev/pgregory.net/rapid#section-readme
const rapidChecks = 100

// Check is [rapid.Check] with the seed of SEED (1 when it is not set), so that what lands is
// tested the same each time, and with as many checks as TIMES says.
func Check(t *testing.T, prop func(t *rapid.T)) {
	t.Helper()
	rapidFlags.Do(func() {
		set := map[string]string{"rapid.seed": strconv.FormatUint(number(t, "SEED", 1), 10)}
		if times := Times(t, 1); times > 1 {
			set["rapid.checks"] = strconv.Itoa(rapidChecks * times)
		}
		for name, value := range set {
			if err := flag.Set(name, value); err != nil {
				t.Fatal(err)
			}
		}
	})
	Of(t) // says how to repeat a failure
	rapid.Check(t, prop)
}
