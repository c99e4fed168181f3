package fieldtest

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

type spot struct{ Lat, Lng *float64 }

type line struct {
	Name  string
	Count int
}

type order struct {
	ID    string
	At    time.Time
	Lines []line
	To    *spot
	Stock map[string]int
	Open  bool
	owner string
}

func TestFields(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		function       any
		named, ignored []string
	}{
		"all":       {func(l line, o spot) string { return fmt.Sprint(l, *o.Lat, *o.Lng) }, []string{"line.Name", "line.Count", "spot.Lat", "spot.Lng"}, nil},
		"none":      {func(order) string { return "" }, nil, []string{"ID", "At", "Lines (more)", "Lines.Name", "Lines.Count", "To.Lat", "To.Lng", "Stock (key)", "Stock", "Open", "owner"}},
		"some":      {func(o order) string { return fmt.Sprint(o.Lines, o.Stock, o.Open, o.owner) }, []string{"Lines (more)", "Lines.Name", "Lines.Count", "Stock (key)", "Stock", "Open", "owner"}, []string{"ID", "At", "To.Lat", "To.Lng"}},
		"a date":    {func(at time.Time) string { return at.Format(time.DateOnly) }, []string{"argument 1"}, nil},
		"of two":    {func(a, b string) (string, error) { return b, nil }, []string{"argument 2"}, []string{"argument 1"}},
		"a mixture": {func(l line, n int) string { return l.Name }, []string{"line.Name"}, []string{"line.Count", "argument 2"}},
	} {
		named, ignored := sorted(c.function)
		if diff := cmp.Diff(c.named, named); diff != "" {
			t.Errorf("%s: named (-want +got):\n%s", name, diff)
		}
		if diff := cmp.Diff(c.ignored, ignored); diff != "" {
			t.Errorf("%s: ignored (-want +got):\n%s", name, diff)
		}
	}
}
