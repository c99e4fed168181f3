package wording

// What the plan engine says without a model.
const (
	PlanPartMissing Key = "plan_part_missing" // part: what was asked and not found out
	PlanLate        Key = "plan_late"
	PlanOff         Key = "plan_off"
)
