package wiring

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
	return []Queue{
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
		{Name: "notify-failed", Keep: fourteenDays},
		{Name: "sender-failed", Keep: fourteenDays},
		{Name: "index-failed", Keep: fourteenDays},
		{Name: "schedules-failed", Keep: fourteenDays},
	}
}
