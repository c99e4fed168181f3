package tool

import (
	"encoding/json"
	"slices"

	"merve/internal/base/fault"
	"merve/internal/tenant/market"
)

// bounded are the arguments that a market may bound, by the setting that does.
var bounded = map[string][]string{
	"categories":      {"category"},
	"maxPriceMinor":   {"minPrice", "maxPrice"},
	"maxRadiusMeters": {"radiusMeters"},
	"maxPeople":       {"partySize", "passengers"},
}

// Bounds names the settings that a market may bound the tool with. They follow from the tool's arguments, and from
// whether it touches listings.
func (t Tool) Bounds() []string {
	var all []string
	for _, setting := range []string{"categories", "maxPriceMinor", "maxRadiusMeters", "maxPeople"} {
		if t.Listings && setting != "maxPeople" || slices.ContainsFunc(bounded[setting], t.takes) {
			all = append(all, setting)
		}
	}
	return all
}

// takes reports whether the tool has an argument.
func (t Tool) takes(argument string) bool {
	var s struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	return json.Unmarshal(t.Schema, &s) == nil && s.Properties[argument] != nil
}

// Within holds canonical arguments to the bounds that a market sets for the tool. What listings are is held
// to them where they are read; a tool without listings has to be told what is bounded.
func (t Tool) Within(m *market.Market, args json.RawMessage) error {
	if m == nil || m.Tools[t.Name].Bounds == nil {
		return nil
	}
	var given map[string]any
	if err := json.Unmarshal(args, &given); err != nil {
		return fault.Field("arguments", "%v", err)
	}
	b := m.Tools[t.Name].Bounds
	if category, ok := given["category"]; ok && len(b.Categories) > 0 {
		if name, said := category.(string); said && !b.HasCategory(name) || !said && !t.Listings {
			return fault.Field("category", "want one of %v here", b.Categories)
		}
	}
	for setting, most := range map[string]int64{"maxPriceMinor": b.MaxPriceMinor, "maxRadiusMeters": int64(b.MaxRadiusMeters), "maxPeople": int64(b.MaxPeople)} {
		for _, argument := range bounded[setting] {
			value, ok := given[argument]
			n, said := value.(float64)
			if most > 0 && ok && (said && n > float64(most) || !said && setting == "maxRadiusMeters") {
				return fault.Field(argument, "want at most %d here", most)
			}
		}
	}
	return nil
}

// CheckPolicies refuses a market that sets tags or bounds for a tool that they cannot apply to.
func (r *Registry) CheckPolicies(m *market.Market) error {
	for name, p := range m.Tools {
		if len(p.AllowedTags) == 0 && p.Bounds == nil {
			continue
		}
		t, _ := r.Get(name)
		if len(p.AllowedTags) > 0 && !t.Listings {
			return fault.Field("tools."+name+".allowedTags", "has nothing to do with listings, which are what has tags")
		}
		if p.Bounds == nil {
			continue
		}
		for setting, set := range map[string]bool{
			"categories": len(p.Bounds.Categories) > 0, "maxPriceMinor": p.Bounds.MaxPriceMinor > 0,
			"maxRadiusMeters": p.Bounds.MaxRadiusMeters > 0, "maxPeople": p.Bounds.MaxPeople > 0,
		} {
			if set && !slices.Contains(t.Bounds(), setting) {
				return fault.Field("tools."+name+".bounds."+setting, "is no bound of this tool: want some of %v", t.Bounds())
			}
		}
	}
	return nil
}
