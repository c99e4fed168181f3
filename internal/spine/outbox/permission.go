package outbox

import (
	"merve/internal/cloud/dynamo"
	"merve/internal/spine/thread"
	"merve/internal/tenant/channel"
)

// The kinds of messages. Other kinds name the event that a notice reports.
const (
	Reply      = "reply"    // what a turn answers
	Notice     = "notice"   // what the backend says by itself
	ToBusiness = "merchant" // tells a business
	ToDriver   = "driver"   // tells a driver
	ToVendor   = "vendor"   // asks or tells a vendor
)

// Threads knows who may be written to. [thread.Store] is one.
type Threads interface {
	MayWrite(id string, r thread.Reach, refused func(thread.Why) error) dynamo.Write
	Doubt(id, pending string) dynamo.Write
}

// People knows the owner of a number. [person.Book] is one.
type People interface {
	StillHas(ch channel.Channel, number, id string) dynamo.Write
}

// mayGoOut are the conditions that m may go out now. They hold in the transaction that claims m, so
// nothing can change between the look and the send. This is the one place that decides it:
//
//   - the recipient has not opted out, unless m is the answer to that;
//   - no person has the thread, unless m is theirs, tells of an event, or goes to a business, a driver or a vendor;
//   - free text goes out within the channel's window only;
//   - a question goes out only while it is the one that waits, and nothing else goes out below
//     one that waits before that is in doubt;
//   - the number has not become somebody else's.
func (s *Sender) mayGoOut(m Message) []dynamo.Write {
	r := thread.Reach{
		Essential: m.Essential,
		Beside:    m.ByPerson || m.News || m.Kind == ToBusiness || m.Kind == ToDriver || m.Kind == ToVendor,
		Asks:      m.Pending,
		Apart:     m.Kind != Reply, // a turn knows what waits
	}
	if m.Template == nil {
		r.Window = m.Channel.Window(m.ByPerson)
	}
	ws := []dynamo.Write{s.Threads.MayWrite(m.Thread, r, func(why thread.Why) error { return &refusal{reason: string(why), why: why} })}
	if m.Person != "" {
		ws = append(ws, s.People.StillHas(m.Channel, m.To, m.Person).Else(&refusal{reason: "the number has become somebody else's"}))
	}
	return ws
}

// refusal says why a message may not go out now.
type refusal struct {
	reason string
	why    thread.Why // "" where the thread has nothing against it
}

func (r *refusal) Error() string { return r.reason }
