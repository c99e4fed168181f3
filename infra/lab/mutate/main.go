// Command mutate tests the tests: it takes each condition of a write, each key that makes
// an effect happen once, each check of time, ownership and consent, and each rule ("if …
// refuse") out of the product in turn, has each record with a ttl forgotten too soon, leaves
// each write out, and each field out of a key or a hash, and wants some test to fail each time.
//
// All mutants are built at once, into copies of the files that only the builds of this
// command see (go build -overlay); which one a test meets is said by its environment. So a
// mutant costs the run of one test: the one that it died of the last time, which
// testdata/killers.txt remembers. A mutant without such a test, or that outlives it, meets
// every test that comes by its place, of its own package first.
//
//	go run ./infra/lab/mutate            all; exit code 1 when one survives
//	go run ./infra/lab/mutate -share 3/8 an eighth
//	go run ./infra/lab/mutate -update    remembers the tests that it found
//	go run ./infra/lab/mutate -unknown   only mutants that no test is remembered for
//
// make prove wants what is known of mutants to be true still: the tests that they die of, and the reasons in
// testdata/equivalent.txt why some change nothing. It counts those that nothing is known of.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

type options struct {
	list     bool
	update   bool
	unknown  bool
	only     string
	packages string
	share    string
	jobs     int
	patience time.Duration
}

func main() {
	var o options
	flag.BoolVar(&o.list, "list", false, "list the mutants, run nothing")
	flag.BoolVar(&o.update, "update", false, "remember the tests that mutants died of")
	flag.BoolVar(&o.unknown, "unknown", false, "only mutants of which neither a test is remembered nor a reason why it changes nothing")
	flag.StringVar(&o.only, "only", "", "a regular expression that a mutant's line in the list has to match")
	flag.StringVar(&o.packages, "packages", everything, "the packages to mutate, with spaces between")
	flag.StringVar(&o.share, "share", "1/1", "the k-th of n parts: k/n")
	flag.IntVar(&o.jobs, "j", 1, "how many mutants at once")
	flag.DurationVar(&o.patience, "patience", time.Minute, "tests that take longer are not tried on a mutant that no test is known for")
	flag.Parse()
	survived, err := run(o, os.Stdout)
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(2)
	case survived > 0:
		os.Exit(1)
	}
}

const (
	tool       = "infra/lab/mutate"
	everything = "./internal/..."
)

func run(o options, out io.Writer) (survived int, err error) {
	module, err := os.Getwd()
	if err != nil {
		return 0, err
	}
	if _, err := os.Stat(filepath.Join(module, "go.mod")); err != nil {
		return 0, errors.New("run it in the folder of go.mod")
	}
	sites, err := Find(productTables(), module, filepath.Join(module, "internal"), strings.Fields(o.packages)...)
	if err != nil {
		return 0, err
	}
	if stale := sites.Stale(); len(stale) > 0 && o.packages == everything {
		return 0, fmt.Errorf("guards.go names what is no longer there: %s", strings.Join(stale, ", "))
	}
	if o.update && o.packages != everything {
		return 0, errors.New("-update: want it without -packages, or what is not looked at would be forgotten")
	}
	k, err := readKnowledge(filepath.Join(module, tool, "testdata"))
	if err != nil {
		return 0, err
	}
	chosen, err := choose(sites.Mutants, o, k)
	if err != nil {
		return 0, err
	}
	if o.list {
		for _, m := range chosen {
			fmt.Fprintln(out, m)
		}
		return 0, nil
	}
	l, err := newLab(module, sites, o, out)
	if err != nil {
		return 0, err
	}
	defer l.close()
	h := &hunt{lab: l, knowledge: k, remember: func() error { return nil }}
	if o.update {
		h.remember = func() error { return k.write(sites.Mutants) }
	}
	return h.hunt(chosen)
}

func (m Mutant) String() string { return m.ID + " | " + m.How }

// choose takes the mutants that are wanted, those that die in the same package together.
func choose(all []Mutant, o options, k knowledge) ([]Mutant, error) {
	only, err := regexp.Compile(o.only)
	if err != nil {
		return nil, fmt.Errorf("-only: %w", err)
	}
	var part, n int
	if _, err := fmt.Sscanf(o.share, "%d/%d", &part, &n); err != nil || part < 1 || part > n {
		return nil, fmt.Errorf("-share %q: want k/n with k from 1 to n", o.share)
	}
	chosen := slices.DeleteFunc(slices.Clone(all), func(m Mutant) bool {
		return !only.MatchString(m.String()) || o.unknown && k.knows(m)
	})
	order := func(m Mutant) string { return k.killers[m.ID].pkg + " " + k.killers[m.ID].test + " " + m.ID }
	slices.SortFunc(chosen, func(a, b Mutant) int { return strings.Compare(order(a), order(b)) })
	return chosen[len(chosen)*(part-1)/n : len(chosen)*part/n], nil
}
