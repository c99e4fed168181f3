// Package mutant is what mutated code calls. Command mutate writes these calls around
// every check of the product, in a copy that only its own builds see, so that one build
// holds all mutants; [Env] says which one a process lives with. Without it every call
// gives back what it is given.
package mutant

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Env names the variable with the mutant to live with: the id of a site, and after "#"
// the number of a part of its condition.
const Env = "MERVE_MUTANT"

// ReachedEnv names the variable with a file to which the ids of the sites that were
// reached are appended, one a line.
const ReachedEnv = "MERVE_MUTANT_REACHED"

// Always is a condition that every item meets, and every missing one.
const Always = "attribute_not_exists(mutation)"

// What the process was started with, and what it has done since.
var (
	active    = os.Getenv(Env)
	reachedIn = os.Getenv(ReachedEnv)
	reached   sync.Map
	count     atomic.Int64
)

func on(id string) bool {
	if reachedIn != "" {
		reach(id)
	}
	return active == id
}

func reach(id string) {
	if _, before := reached.LoadOrStore(id, true); before {
		return
	}
	f, err := os.OpenFile(reachedIn, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		panic(err) // a site that is not reported would count as never reached
	}
	defer f.Close()
	if _, err := f.WriteString(id + "\n"); err != nil {
		panic(err)
	}
}

// Cond is a write's condition, mutated: gone, or with one of its parts gone.
func Cond(id, cond string) string {
	if on(id) {
		return Always
	}
	part, found := strings.CutPrefix(active, id+"#")
	if !found {
		return cond
	}
	parts := Parts(cond)
	if n, err := strconv.Atoi(part); err == nil && n <= len(parts) {
		parts[n-1] = Always
	}
	return strings.Join(parts, " AND ")
}

// Parts splits a condition into what must hold together, or returns it whole.
func Parts(cond string) []string {
	const and, or = " AND ", " OR "
	var parts []string
	depth, start := 0, 0
	for i := 0; i < len(cond); i++ {
		switch {
		case cond[i] == '(':
			depth++
		case cond[i] == ')':
			depth--
		case depth == 0 && strings.HasPrefix(cond[i:], or):
			return []string{cond}
		case depth == 0 && strings.HasPrefix(cond[i:], and):
			parts, start = append(parts, cond[start:i]), i+len(and)
		}
	}
	return append(parts, cond[start:])
}

// Used leaves out the values that no expression uses any more: DynamoDB refuses them.
func Used[M ~map[string]V, V any](values M, exprs ...string) M {
	if active == "" || len(values) == 0 {
		return values
	}
	used := M{}
	for _, name := range regexp.MustCompile(`:\w+`).FindAllString(strings.Join(exprs, " "), -1) {
		if v, ok := values[name]; ok {
			used[name] = v
		}
	}
	if len(used) == 0 {
		return nil
	}
	return used
}

// Unique is a key that names an effect, mutated: another one each time.
func Unique(id, key string) string {
	if on(id) {
		return key + "-" + strconv.Itoa(os.Getpid()) + "-" + strconv.FormatInt(count.Add(1), 10)
	}
	return key
}

// Zero is a field of a key or hash, mutated: it is left out.
func Zero[T any](id string, field T) T {
	if on(id) {
		var nothing T
		return nothing
	}
	return field
}

// False is a check, mutated: it never fires.
func False(id string, b bool) bool { return !on(id) && b }

// True is a check, mutated: it always holds.
func True(id string, b bool) bool { return on(id) || b }

// Writes are writes, mutated: without the one whose id is lived with.
func Writes[W any](ids []string, ws ...W) []W {
	for i, id := range ids {
		if id != "" && on(id) {
			return append(ws[:i:i], ws[i+1:]...)
		}
	}
	return ws
}

// None are writes, mutated: none.
func None[W any](id string, ws []W) []W {
	if on(id) {
		return nil
	}
	return ws
}

// Past is how long something is remembered, mutated: it is forgotten as long before.
func Past(id string, d time.Duration) time.Duration {
	if on(id) {
		return -d
	}
	return d
}

// One is a comparison that gives 1 for equal, mutated: all are equal.
func One(id string, n int) int {
	if on(id) {
		return 1
	}
	return n
}

// Nil is a check, mutated: it has nothing against anything.
func Nil(id string, err error) error {
	if on(id) {
		return nil
	}
	return err
}

// Option is a functional option, mutated: it does nothing.
func Option[F ~func(P), P any](id string, option F) F {
	if on(id) {
		return func(P) {}
	}
	return option
}

// AtVersion is a write on condition of the version that was read, mutated: without it.
func AtVersion[W interface{ AtVersion(read int) W }](id string, w W, read int) W {
	if on(id) {
		return w
	}
	return w.AtVersion(read)
}

// AtVersionOrGone is [AtVersion] for a write that also holds when the item is gone.
func AtVersionOrGone[W interface{ AtVersionOrGone(read int) W }](id string, w W, read int) W {
	if on(id) {
		return w
	}
	return w.AtVersionOrGone(read)
}
