package wiring

// Route is a method and path that a function answers over HTTP.
type Route struct {
	Method string // "ANY" is every method
	Path   string // {name} is one segment, {name+} the rest of the path, or Default

	// Undocumented is a page, or a file of one, which the OpenAPI document leaves out.
	Undocumented bool
}

// Default is the path of the route, for ANY method, that gets requests no other route matches. Without it the
// gateway would answer by itself, in a form our clients do not expect.
const Default = "$default"

// Key is the gateway's name for the route.
func (r Route) Key() string {
	if r.Path == Default {
		return Default
	}
	return r.Method + " " + r.Path
}

// Elsewhere gives the methods of each documented path that a function without the default route
// answers. A request with any other method arrives at the default route.
func Elsewhere() map[string][]string {
	methods := map[string][]string{}
	for _, f := range Functions() {
		if f.hasDefault() {
			continue
		}
		for _, r := range f.Routes {
			if r.Method != "ANY" && !r.Undocumented {
				methods[r.Path] = append(methods[r.Path], r.Method)
			}
		}
	}
	return methods
}

func (f Function) hasDefault() bool {
	for _, r := range f.Routes {
		if r.Path == Default {
			return true
		}
	}
	return false
}

// QueueTrigger starts a function with messages of a queue.
type QueueTrigger struct {
	Queue           string
	Batch           int  // most messages in one invocation
	Parallel        int  // most invocations at a time, 2 to 1000; 0 leaves it to where it runs
	PartialFailures bool // the function answers which messages failed; the others are done
}

// StreamTrigger starts a function with the changes of a table, those of one partition
// key in their order.
type StreamTrigger struct {
	Table           string
	Filters         []Filter // a change that none of them takes is not delivered
	Batch           int      // most changes in one invocation
	Parallel        int      // batches of one shard at a time
	PartialFailures bool     // the function answers the first change that failed; those before it are done
	Bisect          bool     // a batch that failed is tried again in halves
	MaxAge          Seconds  // a change that fails is tried again until it is older than this
	OnFailure       string   // queue that gets the changes given up
}

// Filter selects changes by their type, by the beginning of the sort key, and by an attribute.
type Filter struct {
	Events   []string // INSERT, MODIFY, REMOVE
	SKPrefix string
	Has      string // a string that the item has after the change; "" asks for none
}

// Takes reports whether f delivers an event on an item with sort key sk. after reports which strings the item has
// after it.
func (f Filter) Takes(event, sk string, after func(attribute string) bool) bool {
	n := len(f.SKPrefix)
	return len(sk) >= n && sk[:n] == f.SKPrefix && has(f.Events, event) && (f.Has == "" || after(f.Has))
}

// stream delivers new items of a table whose sort key begins with prefix.
func stream(table, prefix, onFailure string) *StreamTrigger {
	return &StreamTrigger{
		Table: table, Filters: []Filter{{Events: []string{"INSERT"}, SKPrefix: prefix}},
		Batch: 10, Parallel: 10,
		PartialFailures: true, Bisect: true,
		// A bounded number of tries would run out in an outage of a minute, and messages or refunds would be lost
		// with it. A shard waits behind a change that fails: hence no longer.
		MaxAge:    3600,
		OnFailure: onFailure,
	}
}

// events delivers the events of a table. It also delivers events that are sent again because nobody heard of them:
// those are still due.
func events(table, onFailure string) *StreamTrigger {
	t := stream(table, "event#", onFailure)
	t.Filters = append(t.Filters, Filter{Events: []string{"MODIFY"}, SKPrefix: "event#", Has: "dueShard"})
	return t
}

// changes delivers every change of a table's items whose sort key begins with prefix.
func changes(table, prefix, onFailure string) *StreamTrigger {
	t := stream(table, prefix, onFailure)
	t.Filters[0].Events = []string{"INSERT", "MODIFY", "REMOVE"}
	return t
}

// Schedule starts a function again and again.
type Schedule struct {
	Every     Seconds // whole minutes
	Retries   int     // tries of one tick after the first
	MaxAge    Seconds // a tick older than this is not tried again
	OnFailure string  // queue that gets the ticks given up
}

// every returns a schedule whose ticks may be lost: the next one does the same work.
func every(s Seconds) *Schedule {
	return &Schedule{Every: s, Retries: 1, MaxAge: 300, OnFailure: "schedules-failed"}
}
