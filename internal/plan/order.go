package plan

import (
	"cmp"
	"encoding/json"
	"slices"
)

// inOrder sorts events by time. Events of the same time are sorted by cause: one question after the other, and within
// a question a step after the steps that it depends on.
func inOrder(all []Event) []Event {
	depths := map[string][]int{} // of the steps, by correlation
	for _, e := range all {
		var p Generated
		if e.Type == PlanGenerated && json.Unmarshal(e.Payload, &p) == nil {
			depths[e.Correlation] = depthsOf(p.Plan.Steps)
		}
	}
	level := make(map[string]int, len(all))
	for _, e := range all {
		level[e.ID] = levelOf(e, depths[e.Correlation])
	}
	slices.SortFunc(all, func(a, b Event) int {
		return cmp.Or(
			a.At.Compare(b.At), cmp.Compare(a.Correlation, b.Correlation), // whose UUIDs sort by time
			level[a.ID]-level[b.ID], rank(a.Type)-rank(b.Type), cmp.Compare(a.ID, b.ID),
		)
	})
	return all
}

// levelOf is how far from its question an event is. Steps lie between the plan and its end, by their depth.
func levelOf(e Event, depths []int) int {
	if rank(e.Type) >= rank(PlanCompleted) {
		return maxSteps + 1
	}
	step, err := stepOf(e.Type, e.Payload)
	switch {
	case err != nil || step == noStep:
		return 0
	case step < len(depths):
		return 1 + depths[step]
	}
	return 1 // the plan is not told any more
}

// depthsOf returns, for each step, the length of the longest path to it through its dependencies.
func depthsOf(steps []Step) []int {
	depths := make([]int, len(steps))
	for i, step := range steps {
		for _, d := range step.DependsOn {
			if d >= 0 && d < i {
				depths[i] = max(depths[i], depths[d]+1)
			}
		}
	}
	return depths
}
