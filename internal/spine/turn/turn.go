// Package turn handles one inbound message to its end, for every channel: gate, model
// rounds, tool calls, reply. It knows no assistant and no tool by name.
//
// [Intake] stores a message and queues its turn. [Runner.Work] runs the turns that the queue delivers, and [Runner.Converse]
// runs one for a client that waits for the answer. A turn reads top to bottom in run.go, decide.go and commit.go: take the
// lease, open the thread, decide, commit. Deciding asks a fixed list of steps for the reply, the customer's YES or NO before
// the model, and returns a decision, which is a value. Package agent runs the model's rounds.
//
// Each subject of a turn is a type of its own. All of them read the scene: the thread, its market and the messages that are
// answered. They know each other only where their field lists say so.
//
//	access, matters, album                   what the turn knows
//	budget, voice, briefing, reviewer        what the model is told and may say, and where it is heard
//	dialogue                                 the conversation with the model and its tools
//	offers, recheck, consent, handover       what waits for YES or NO, and what ends it
//	notices, optOuts, workCommands           what is answered without a model
//	composer, sending                        how the reply is put together and sent
//
// Promises:
//
//   - The turns of a thread run one at a time, in the order in which their messages came in. A turn answers everything that
//     waits, and up to twice also what arrives while it runs.
//   - Everything that a turn decides is committed in one transaction: the reply on the thread and on the outbox, the new
//     state, the pending action made or settled, what a YES does in the ledger, and the record of the tool calls. A turn that
//     has lost its lease writes nothing.
//   - When a process dies, another one takes its turn over. The journal has what the model decided to propose, and the YES to
//     a call that was begun. Idempotency keys keep both from being done twice.
//   - When one transaction is too small for a turn, only proposals that nobody was asked about are let go of before it.
//   - A model that fails, a bound that is reached and a budget that is used up each end in a clear reply.
//
// The package keeps two kinds of records, see [Audit] and [Figures]:
//
//	audit#{thread}   {turn}   the tool calls of a turn
//	spend#{market}   {day}    the turns of a day and their cost; spend#{market}#{address} has those of an address
package turn

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"merve/internal/agent"
	"merve/internal/agent/tool"
	"merve/internal/base/fault"
	"merve/internal/cloud/dynamo"
	"merve/internal/model/llm"
	"merve/internal/spine/assistant"
	"merve/internal/spine/gate"
	"merve/internal/spine/live"
	"merve/internal/spine/outbox"
	"merve/internal/spine/thread"
	"merve/internal/tenant/channel"
	"merve/internal/tenant/market"
)

// Runner runs turns. Looks, Commands with Works, Refusals, Guard, Photos, Desk, Live and Site may be left out.
type Runner struct {
	Intake
	Markets     *market.Store
	Assistants  *assistant.Set
	Tools       *tool.Registry
	Commitments map[string]gate.Commitment // by kind of pending action
	Looks       map[string]gate.Look       // by the same; a kind without one rests on market and tool alone
	Commands    map[channel.ThreadType]Command
	Refusals    Refusals          // obeys customers who do not want to be called; nil does nothing
	Works       Works             // whose matters are named by their codes
	Matters     map[string]Matter // by kind of thing that may stand
	Model       llm.Model
	Guard       *agent.Guard // judges what the model says; nil knows only patterns
	Outbox      *outbox.Box
	Audit       Audit
	Figures     *Figures
	Photos      Photos
	Desk        Handovers   // takes threads that are handed over to people
	Live        *live.Stage // where turns of live conversations speak; nil has none
	Site        string      // with which our own addresses begin; "" when there are none

	Now  func() time.Time
	Wait func(ctx context.Context, d time.Duration) error
	Log  *slog.Logger
}

// Refusals takes back what customers have agreed to, when their words say so.
type Refusals interface {
	// Refuse takes back what the customer has agreed to, and reports whether there was anything. It leaves alone what the pending
	// action of ref asks for, which the turn lets go of. It may be called again for the same message.
	Refuse(ctx context.Context, tc tool.Context, m thread.Message, ref string) (bool, error)

	// Asks is the kind of pending action that asks for what is refused.
	Asks() string
}

// Handovers takes threads that are handed over to people.
type Handovers interface {
	// Wait returns the writes that make a thread wait for a person. LetGo is what was let go of for that, or "".
	Wait(h thread.Head, turn int, language, reason, letGo, trace string) []dynamo.Write
	// LetGo notes what was let go of on a thread that a person has already. The write fails if nobody has it.
	LetGo(h thread.Head, what string) dynamo.Write
}

// Answer is the result for a client that waits.
type Answer struct {
	Thread  string
	Message string
	Turn    thread.Turn
	State   thread.State
	Pending *thread.Pending // set when this turn made it, or left it waiting
	Later   bool            // the reply takes longer than the client waits
	After   string          // cursor from which the reply will be listed
	From    int             // turns that were finished before the call session began
}

// Converse stores a message of a client that waits for the answer. It runs the turn in this invocation if the thread's lease
// is free, and otherwise waits for the holder. When ctx ends first, the turn goes to the queue and the answer comes later.
func (r *Runner) Converse(ctx context.Context, in channel.Inbound) (Answer, error) {
	a, err := r.takeLease(ctx, in)
	if err != nil {
		return Answer{}, err
	}
	return r.Answered(ctx, a)
}

// Answered waits for the answer to a message that was stored, as [Runner.Converse] does.
func (r *Runner) Answered(ctx context.Context, a thread.Appended) (Answer, error) {
	lease, err := a.Lease, error(nil)
	for {
		if lease != nil {
			done, err := r.run(ctx, lease)
			switch {
			case err == nil && answered(done.Turn, a.Message):
				return r.answer(a, done), nil
			case err != nil && ctx.Err() != nil:
				return r.later(ctx, a)
			case err != nil && !errors.Is(err, thread.ErrLeaseLost):
				return Answer{}, err
			}
		}
		lease, err = r.await(ctx, a)
		var found *foundAnswer
		switch {
		case errors.As(err, &found):
			return found.answer, nil
		case err != nil && ctx.Err() != nil:
			return r.later(ctx, a)
		case err != nil:
			return Answer{}, err
		}
	}
}

// foundAnswer ends a wait: another process has answered.
type foundAnswer struct{ answer Answer }

func (*foundAnswer) Error() string { return "answered" }

// await waits until another process has answered the message ([foundAnswer]) or the lease is free. A message that came
// again after its turn was erased is [fault.Gone].
func (r *Runner) await(ctx context.Context, a thread.Appended) (*thread.Lease, error) {
	for waits := true; ; {
		t, head, ok, err := r.Threads.Answer(ctx, a.Thread, a.Message)
		if err != nil {
			return nil, err
		}
		if ok {
			return nil, &foundAnswer{r.answer(a, Done{Turn: t, Head: head})}
		}
		if !waits {
			return nil, errErased
		}
		lease, _, err := r.Threads.Take(ctx, a.Thread)
		switch {
		case err == nil:
			return lease, nil
		case errors.Is(err, thread.ErrNothing): // it was answered, before the next look or long ago
			waits = false
			continue
		case !errors.Is(err, thread.ErrBusy):
			return nil, err
		}
		if err := r.Wait(ctx, pollEvery); err != nil {
			return nil, err
		}
	}
}

var errErased = fault.New(fault.Gone, "the message was answered, and both have been deleted")

const (
	pollEvery = 300 * time.Millisecond // between looks at a turn that another process runs
	handOver  = 5 * time.Second        // for store and queue, when a client's time is up
)

// later hands the turn to the queue, unless it is answered by now.
func (r *Runner) later(ctx context.Context, a thread.Appended) (Answer, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), handOver)
	defer cancel()
	if err := r.queue(ctx, a, a.Message+".later"); err != nil {
		return Answer{}, err
	}
	t, head, ok, err := r.Threads.Answer(ctx, a.Thread, a.Message)
	switch {
	case err != nil:
		return Answer{}, err
	case ok: // just now: a client that lists what follows the latest turn would miss it
		return r.answer(a, Done{Turn: t, Head: head}), nil
	}
	return Answer{Thread: a.Thread, Message: a.Message, State: thread.Executing, Later: true, After: thread.Cursor(head.Turns + 1)}, nil
}

func answered(t thread.Turn, messageID string) bool {
	return slices.ContainsFunc(t.In, func(m thread.Message) bool { return m.ID == messageID })
}

func (r *Runner) answer(a thread.Appended, d Done) Answer {
	out := Answer{Thread: a.Thread, Message: a.Message, Turn: d.Turn, State: thread.Idle, After: thread.Cursor(d.Turn.N)}
	if s := d.Head.Session; s != nil {
		out.From = s.From
	}
	if p := d.Head.Pending; p != nil {
		out.State, out.Pending = thread.AwaitingConfirmation, p
	}
	return out
}

// Work runs the turns of a thread until nothing on it waits for an answer. If there is no time for another turn, the
// remaining messages are queued again. The queue's consumer calls it, and delivers again on an error.
func (r *Runner) Work(ctx context.Context, threadID string) error {
	for {
		lease, head, err := r.Threads.Take(ctx, threadID)
		switch {
		case errors.Is(err, thread.ErrNothing):
			return nil
		case errors.Is(err, thread.ErrNoThread):
			r.Log.WarnContext(ctx, "turn for a thread that does not exist", "thread", threadID)
			return nil
		case errors.Is(err, thread.ErrBusy) && !fits(ctx):
			return err
		case errors.Is(err, thread.ErrBusy):
			if err := r.Wait(ctx, pollEvery); err != nil {
				return fault.Wrap(err, fault.Unavailable, "wait for thread %s", threadID)
			}
			continue
		case err != nil:
			return err
		}
		if err := r.quiet(ctx, head); err != nil {
			return errors.Join(err, r.giveBack(ctx, lease))
		}
		done, err := r.run(ctx, lease)
		switch {
		case errors.Is(err, thread.ErrLeaseLost) && fits(ctx):
		case err != nil:
			return err
		case len(done.Head.Inbox) == 0: // as the commit found it; what came in later is queued by itself
			return nil
		case !fits(ctx): // a turn that is stopped halfway is paid for, and begins again much later
			return r.Queue.Queue(ctx, threadID, done.Turn.In[len(done.Turn.In)-1].ID+".rest")
		}
	}
}

// fits reports whether the longest turn is over before ctx ends.
func fits(ctx context.Context) bool {
	const stores = 10 * time.Second // for what is stored before and after
	end, ok := ctx.Deadline()
	return !ok || time.Until(end) >= market.MaxTurnSeconds*time.Second+stores
}

// quiet waits until a burst of messages on a webhook channel seems to be over.
func (r *Runner) quiet(ctx context.Context, head thread.Head) error {
	if !head.Channel.Pushes() {
		return nil
	}
	m, err := r.Markets.Get(ctx, head.Market)
	if err != nil {
		return err
	}
	until := head.LastIn.Add(time.Duration(m.QuietMS) * time.Millisecond)
	if wait := until.Sub(r.Now()); wait > 0 {
		return r.Wait(ctx, wait)
	}
	return nil
}

func (r *Runner) giveBack(ctx context.Context, l *thread.Lease) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), handOver)
	defer cancel()
	if err := r.Threads.Release(ctx, l); err != nil && !errors.Is(err, thread.ErrLeaseLost) {
		return fmt.Errorf("give back the lease: %w", err)
	}
	return nil
}
