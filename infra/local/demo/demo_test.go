package demo

import "testing"

func TestListingsAreSound(t *testing.T) {
	t.Parallel()
	all, err := Listings()
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 40 {
		t.Errorf("%d listings, want at least 40", len(all))
	}
	domains, capacities := map[string]bool{}, map[int]bool{}
	for _, l := range all {
		if err := l.Check(); err != nil {
			t.Errorf("%s: %v", l.ID, err)
		}
		if l.Names["en"] == "" || l.Names["tr"] == "" || l.Descriptions["en"] == "" || l.Descriptions["tr"] == "" {
			t.Errorf("%s: not in both languages", l.ID)
		}
		domains[l.Domain] = true
		for _, o := range l.Offerings {
			capacities[o.Capacity] = true
		}
	}
	if len(domains) < 5 || len(capacities) < 8 {
		t.Errorf("%d domains, %d capacities: too much alike", len(domains), len(capacities))
	}
}
