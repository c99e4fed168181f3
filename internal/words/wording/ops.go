package wording

// Businesses that write to us: the actions that a YES is asked for, and their day.
const (
	OpsSoldOut      Key = "ops_sold_out"       // item, listing
	OpsBack         Key = "ops_back"           // item, listing
	OpsLeft         Key = "ops_left"           // item, listing, left
	OpsUncounted    Key = "ops_uncounted"      // item, listing
	OpsClosed       Key = "ops_closed"         // listing, date
	OpsOpenAfterAll Key = "ops_open_after_all" // listing, date
	OpsHours        Key = "ops_hours"          // listing, weekday, hours; empty hours are closed
	OpsNoShow       Key = "ops_no_show"        // summary
	OpsCame         Key = "ops_came"           // summary
	OpsToday        Key = "ops_today"          // lines
	OpsNothing      Key = "ops_nothing"        // nothing today
	OpsMore         Key = "ops_more"           // not all was looked through

	DeskWanted Key = "desk_wanted" // to staff: a customer asks for a person: customer, reason, summary (of what was let go of), link
)
