package app_test

import (
	"testing"

	"merve/infra/local/demo"
	"merve/internal/matter/taxi"
	"merve/internal/tenant/roster"
)

// A driver is one by their number, for as long as it is theirs.
func TestRosterFollowsDrivers(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	ctx, drivers := t.Context(), s.base.Drivers()
	book := &roster.Book{Table: drivers.Table, Now: s.base.Now}
	const first, second = "+15551237001", "+15551237002"
	drives := func(step string, want map[string]bool) {
		t.Helper()
		for number, wanted := range want {
			roles, err := book.Read(ctx, demo.Market, number)
			id, ok := roles.Drives()
			if err != nil || ok != wanted || ok && id != "dogan" {
				t.Errorf("%s: %s drives %v as %q, %v; want %v", step, number, ok, id, err, wanted)
			}
		}
	}
	d := taxi.Driver{ID: "dogan", Market: demo.Market, Name: "Dogan", Phone: first, Districts: []string{"kyrenia"}, Seats: 4, Enabled: true}
	for _, step := range []struct {
		name  string
		do    func() error
		drive map[string]bool
	}{
		{"employed", func() (err error) { d, err = drivers.Put(ctx, d); return err }, map[string]bool{first: true, second: false}},
		{"the same again", func() (err error) { d, err = drivers.Put(ctx, d); return err }, map[string]bool{first: true, second: false}},
		{"another number", func() (err error) { d.Phone = second; d, err = drivers.Put(ctx, d); return err }, map[string]bool{first: false, second: true}},
		{"let go", func() error { return drivers.Delete(ctx, demo.Market, d.ID) }, map[string]bool{first: false, second: false}},
	} {
		if err := step.do(); err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		drives(step.name, step.drive)
	}
}
