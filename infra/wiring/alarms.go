package wiring

// Watched is the metric that an alarm watches.
type Watched string

const (
	FailedMessages Watched = "failed messages" // waiting in a queue that has no dead letter of its own, each such queue
	FunctionErrors Watched = "function errors" // invocations that ended in an error or a time-out, each function
	ServerErrors   Watched = "server errors"   // answers of the API with a status of 500 or above
	Throttles      Watched = "throttles"       // invocations refused for lack of concurrency, each function
	StreamAge      Watched = "stream age"      // seconds that the oldest undelivered change has waited, each stream trigger
	OldestMessage  Watched = "oldest message"  // seconds that the oldest message of Queue has waited
	Alerts         Watched = "alerts"          // Metric in Namespace, which has no dimensions
	FailedItems    Watched = "failed items"    // Metric, of each function that takes batches: no error of an invocation
	ProviderCalls  Watched = "provider calls"  // Metric, of each provider, with Outcome
	Counted        Watched = "counted"         // the sum of Metric
	Most           Watched = "most"            // the highest of Metric
	Heartbeats     Watched = "heartbeats"      // invocations of each function with a schedule; too few are the alarm
)

// Providers returns the providers whose calls are counted, by the names in the metrics.
func Providers() []string {
	return []string{"openai", "twilio", "meta", "stripe", "mapbox", "typesense", "openmeteo", "gemini", "googleplaces"}
}

// Alarm tells a person when a number exceeds a limit. Its meaning, its effect on customers and the remedy
// are in runbook/<Name>.md.
type Alarm struct {
	Name  string
	Doc   string // its meaning, and where to look first
	Of    Watched
	Above float64
	Over  Seconds // the number is looked at over this span

	Queue             string // of OldestMessage
	Namespace, Metric string // of metrics that the functions count themselves
	Outcome           string // of ProviderCalls
}

// Alarms lists every alarm.
func Alarms() []Alarm {
	return []Alarm{
		{Name: "failed-messages", Of: FailedMessages, Above: 0, Over: 300,
			Doc: "Something was given up after its retries. Read the message, mend the cause, send it again."},
		{Name: "errors", Of: FunctionErrors, Above: 0, Over: 300,
			Doc: "Invocations failed. Look for level ERROR in the function's log."},
		{Name: "server-errors", Of: ServerErrors, Above: 0, Over: 300,
			Doc: "Requests failed on our side, which no function counts as an error. Look for \"request failed\" in the functions' logs."},
		{Name: "throttles", Of: Throttles, Above: 0, Over: 300,
			Doc: "The account's concurrency is used up."},
		{Name: "stream-age", Of: StreamAge, Above: 300, Over: 300,
			Doc: "A change keeps failing and holds up those behind it."},
		{Name: "turns-late", Of: OldestMessage, Queue: "turns", Above: 120, Over: 300,
			Doc: "Customers wait for answers: the model is slow or a turn keeps failing."},
		{Name: "live-late", Of: OldestMessage, Queue: "live", Above: 30, Over: 60,
			Doc: "Callers hear nothing: too few workers, or the model is slow to begin."},
		{Name: "alerts", Of: Alerts, Namespace: "Merve", Metric: "Alerts", Above: 0, Over: 300,
			Doc: "A checker found something that must never be. Read the alerts in the admin API."},
		{Name: "failed-items", Of: FailedItems, Namespace: "Merve", Metric: "FailedItems", Above: 5, Over: 300,
			Doc: "Items of batches fail and come again, which is no error of a function. Look for \"record failed\" and \"message failed\" in its log."},
		{Name: "turns-unanswered", Of: Counted, Namespace: "Merve", Metric: "TurnsUnanswered", Above: 2, Over: 300,
			Doc: "Customers are told that nobody can answer: the model fails, or a budget is used up. See which by TurnsStopped."},
		{Name: "provider-refused", Of: ProviderCalls, Namespace: "Merve", Metric: "ProviderCalls", Outcome: "refused", Above: 0, Over: 300,
			Doc: "A provider does not take our key."},
		{Name: "provider-failed", Of: ProviderCalls, Namespace: "Merve", Metric: "ProviderCalls", Outcome: "failed", Above: 5, Over: 300,
			Doc: "A provider is away or answers with errors of its own."},
		{Name: "outbox-age", Of: Most, Namespace: "Merve", Metric: "OutboxAge", Above: 900, Over: 300,
			Doc: "A message has waited for a quarter of an hour to be sent, retries and all."},
		{Name: "outbox-depth", Of: Most, Namespace: "Merve", Metric: "OutboxDepth", Above: 200, Over: 300,
			Doc: "Many messages wait to be sent that are overdue."},
		{Name: "heartbeat", Of: Heartbeats, Above: 0, Over: 300,
			Doc: "A schedule has not run its function for five minutes, or for three of its turns when they are further apart."},
	}
}
