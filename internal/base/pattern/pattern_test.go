package pattern_test

import (
	"sync"
	"testing"

	"merve/internal/base/pattern"
)

func TestMatch(t *testing.T) {
	t.Parallel()
	p := pattern.New(`^[a-z]+$`)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if !p.MatchString("abc") || p.MatchString("a1") {
				t.Error("not the expression")
			}
		})
	}
	all.Wait()
	if got := p.Regexp().ReplaceAllString("abc", "x"); got != "x" {
		t.Errorf("%q", got)
	}
}

// What is wrong costs nothing until it is used, and then it is loud.
func TestCompiledAtFirstUse(t *testing.T) {
	t.Parallel()
	p := pattern.New(`(`)
	defer func() {
		if recover() == nil {
			t.Error("an expression that is none")
		}
	}()
	p.MatchString("")
}
