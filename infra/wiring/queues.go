package wiring

import "merve/internal/plan/worker/kind"

// Queue is a message queue. One without a DeadLetter is where others leave what
// failed; nothing reads it but a person.
type Queue struct {
	Name       string
	Env        string  // variable with its URL, for functions that read it or send to it; "" if none does
	FIFO       bool    // in order within a group, each deduplication id once in five minutes
	Delay      Seconds // a message is not given out before
	Visibility Seconds
	Receives   int // a message received this often without success goes to DeadLetter
	DeadLetter string
	Keep       Seconds // unread messages are deleted after this
}

const fourteenDays Seconds = 14 * 24 * 3600 // the longest that a queue keeps a message

// Queues lists every queue.
func Queues() []Queue {
	return append([]Queue{
		{
			// The group is the thread, so turns of one thread run one at a time.
			Name: "turns", Env: "TURN_QUEUE_URL", FIFO: true,
			// Most of the quiet time of a burst passes here, where nobody is paid to wait.
			Delay: 1,
			// The function's time-out and a margin, and no more: while the message of a turn
			// that was killed is hidden, its whole thread waits.
			Visibility: 150, Receives: 5, DeadLetter: "turns-failed", Keep: 4 * 24 * 3600,
		},
		{Name: "turns-failed", FIFO: true, Keep: fourteenDays},
		// The inbox and the lease of a thread keep the order of its turns, so live callers need not wait for an ordered queue.
		{Name: "live", Env: "LIVE_QUEUE_URL", Visibility: 150, Receives: 5, DeadLetter: "live-failed", Keep: 3600},
		{Name: "live-failed", Keep: fourteenDays},
		// A worker that reads a picture claims it for 5 minutes at most; meanwhile another worker leaves it alone.
		{Name: "ocr", Env: "OCR_QUEUE_URL", Visibility: 330, Receives: 5, DeadLetter: "ocr-failed", Keep: 4 * 24 * 3600},
		{Name: "ocr-failed", Keep: fourteenDays},
		{Name: "notify-failed", Keep: fourteenDays},
		{Name: "sender-failed", Keep: fourteenDays},
		{Name: "index-failed", Keep: fourteenDays},
		{Name: "schedules-failed", Keep: fourteenDays},
	}, planQueues()...)
}

// planQueues returns the queues of the plan engine. Its events reach them by rules (see [Rules]).
// user-commands keeps the order of one conversation, which is its group; the others need
// no order, since a delivered event is only a hint to read the plan's log. plan-events also carries
// the timers of steps, as delayed messages.
//
// Failed messages end in one of two dead letters: AWS requires an ordered one for an ordered
// queue. A handler itself puts an event there that belongs to no plan.
func planQueues() []Queue {
	const fourDays Seconds = 4 * 24 * 3600
	// A function takes one message at a time, so that a message is hidden for the function's
	// time-out (at most 45 s; 60 s for user-commands) and a margin: what a killed function
	// held comes again soon.
	work := func(name, env string) Queue {
		return Queue{Name: name, Env: env, Visibility: 60, Receives: 5, DeadLetter: "dead-letter-queue", Keep: fourDays}
	}
	queues := []Queue{
		{
			Name: "user-commands", Env: "USER_COMMANDS_QUEUE_URL", FIFO: true,
			Visibility: 75, Receives: 5, DeadLetter: "dead-letter-queue-fifo", Keep: fourDays,
		},
		work("plan-events", "PLAN_EVENTS_QUEUE_URL"),
		work("plan-answers", "PLAN_ANSWERS_QUEUE_URL"),
		{Name: "dead-letter-queue", Env: "DEAD_LETTER_QUEUE_URL", Keep: fourteenDays},
		{Name: "dead-letter-queue-fifo", FIFO: true, Keep: fourteenDays},
	}
	for _, k := range kind.All() {
		queues = append(queues, work(k.Name(), k.Env()))
	}
	return queues
}
