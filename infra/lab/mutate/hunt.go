package main

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

// hunt looks for the test that each mutant dies of.
type hunt struct {
	*lab
	knowledge
	remember func() error // keeps the killers, whenever one is found

	mu       sync.Mutex
	killed   int
	survived []Mutant
	alike    int
}

// hunt has the mutants meet the tests, and prints what became of them. It fails when the
// result does not count.
func (h *hunt) hunt(mutants []Mutant) (survived int, err error) {
	if err := h.all(mutants); err != nil {
		return 0, err
	}
	h.report()
	if n := h.complaints.Load(); n > 0 {
		err = fmt.Errorf("%d complaints: a mutant counts only against tests that are green without it", n)
	}
	return len(h.survived), errors.Join(err, h.remember())
}

// all tries the remembered tests first, package by package, then all others on the
// mutants that are left.
func (h *hunt) all(mutants []Mutant) error {
	groups := map[string][]Mutant{}
	var pkgs []string
	for _, m := range mutants {
		if h.same[m.ID] != "" {
			h.alike++
			continue
		}
		pkg := h.killers[m.ID].pkg
		if groups[pkg] == nil {
			pkgs = append(pkgs, pkg)
		}
		groups[pkg] = append(groups[pkg], m)
	}
	left := groups[""]
	for _, pkg := range pkgs {
		if pkg == "" {
			continue
		}
		lived, err := h.remembered(pkg, groups[pkg])
		if err != nil {
			return err
		}
		left = append(left, lived...)
	}
	return h.search(left)
}

// each does something with mutants, a few at once.
func (h *hunt) each(mutants []Mutant, do func(Mutant) error) error {
	return each(h.jobs, len(mutants), func(i int) error { return do(mutants[i]) })
}

// limitKnown is how long a test may take that is known to kill, and limitGreen all such
// tests of a package.
const (
	limitKnown = time.Minute
	limitGreen = 5 * time.Minute
)

// remembered runs on each mutant the test that it died of, all of one package. The tests
// must be green without a mutant, before and after: only then are the deaths its doing.
func (h *hunt) remembered(pkg string, mutants []Mutant) (left []Mutant, err error) {
	if _, ok := h.graph[pkg]; !ok {
		return mutants, nil
	}
	var tests []string
	for _, m := range mutants {
		tests = append(tests, h.killers[m.ID].test)
	}
	slices.Sort(tests)
	tests = slices.Compact(tests)
	if err := h.freshServer(); err != nil {
		return nil, err
	}
	if green, err := h.green(pkg, tests); err != nil || !green {
		return mutants, err
	}
	var dead []Mutant
	var mu sync.Mutex
	err = h.each(mutants, func(m Mutant) error {
		o, err := h.run(pkg, m.ID, limitKnown, []string{h.killers[m.ID].test})
		if err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		if o.failed == "" {
			left = append(left, m)
			return nil
		}
		dead = append(dead, m)
		h.tell(m, pkg, o)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if green, err := h.green(pkg, tests); err != nil || !green {
		return mutants, err
	}
	h.killed += len(dead)
	return left, nil
}

// green reports whether tests pass without a mutant.
func (h *hunt) green(pkg string, tests []string) (bool, error) {
	all := make([]reach, len(tests))
	for i, name := range tests {
		all[i].name = name
	}
	for _, some := range together(all) {
		o, err := h.run(pkg, "", limitGreen, namesOf(some))
		if err != nil {
			return false, err
		}
		if o.failed != "" {
			h.complain("red without a mutant: %s %s\n%s", pkg, o.failed, o.output)
			return false, nil
		}
	}
	return true, nil
}

// batch is how many tests meet a mutant at once while its killer is looked for.
const batch = 8

// search has mutants meet the tests that come by their places: first those of their own
// packages, then those of the packages one step further, until nobody is left.
func (h *hunt) search(left []Mutant) error {
	met := map[string]int{}
	for step := 0; len(left) > 0; step++ {
		var lived []Mutant
		for some := range slices.Chunk(left, perServer) {
			err := errors.Join(h.freshServer(), h.each(some, func(m Mutant) error {
				testers := h.graph.testers(m.Pkg)
				if step == len(testers) {
					h.survives(m, met[m.ID])
					return nil
				}
				died, n, err := h.meets(m, testers[step])
				h.mu.Lock()
				defer h.mu.Unlock()
				if met[m.ID] += n; !died {
					lived = append(lived, m)
				}
				return err
			}))
			if err != nil {
				return err
			}
		}
		left = lived
	}
	return nil
}

// perServer is how many mutants share a DynamoDB Local, which keeps all in memory.
const perServer = 40

// meets runs the tests of a package that come by a mutant's place, quick ones first,
// until one fails. n is how many there are.
func (h *hunt) meets(m Mutant, pkg string) (died bool, n int, err error) {
	tests, err := h.reaches(pkg)
	if err != nil {
		return false, 0, err
	}
	tests = slices.DeleteFunc(slices.Clone(tests), func(r reach) bool { return !r.sites[m.site()] })
	for _, group := range together(tests) {
		for some := range slices.Chunk(group, batch) {
			o, err := h.killer(m, pkg, some)
			if err != nil {
				return false, 0, err
			}
			if o.failed == "" {
				continue
			}
			h.mu.Lock()
			defer h.mu.Unlock()
			h.killers[m.ID] = killer{pkg, o.failed}
			h.killed++
			h.tell(m, pkg, o)
			return true, len(tests), h.remember()
		}
	}
	return false, len(tests), nil
}

func (h *hunt) survives(m Mutant, met int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.survived = append(h.survived, m)
	fmt.Fprintf(h.out, "SURVIVED\t%s\tof %d tests that come by\n", m, met)
}

// killer finds the test that a mutant dies of, among some: one that fails with it, by
// itself too, and not without it.
func (h *hunt) killer(m Mutant, pkg string, some []reach) (outcome, error) {
	names := namesOf(some)
	limit := limitKnown / 4
	for _, r := range some {
		limit = min(limit+3*r.took, 2*limitKnown)
	}
	o, err := h.run(pkg, m.ID, limit, names)
	if err != nil || o.failed == "" {
		return o, err
	}
	if i := slices.Index(names, o.failed); i > 0 {
		names[0], names[i] = names[i], names[0]
	}
	for _, name := range names {
		with, err := h.run(pkg, m.ID, limit, []string{name})
		if err != nil {
			return outcome{}, err
		}
		if with.failed == "" {
			continue
		}
		without, err := h.run(pkg, "", limit, []string{name})
		if err != nil || without.failed == "" {
			return with, err
		}
	}
	return outcome{}, nil
}

func namesOf(tests []reach) []string {
	names := make([]string, len(tests))
	for i, r := range tests {
		names[i] = r.name
	}
	return names
}

func (h *hunt) tell(m Mutant, pkg string, o outcome) {
	fmt.Fprintf(h.out, "killed\t%s\t%s %s\t%.1f s\n", m, pkg, o.failed, o.took.Seconds())
}

// report prints the sum.
func (h *hunt) report() {
	for _, m := range h.survived {
		fmt.Fprintf(h.out, "survived: %s\n", m)
	}
	fmt.Fprintf(h.out, "killed %d of %d", h.killed, h.killed+len(h.survived))
	if h.alike > 0 {
		fmt.Fprintf(h.out, "; %d more change nothing", h.alike)
	}
	fmt.Fprintln(h.out)
}
