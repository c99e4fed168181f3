package notify

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/matter/report"
	"merve/internal/spine/thread"
	"merve/internal/words/wording"
)

// reportResolved is the kind of the notice that staff have resolved a report.
const reportResolved = "report_resolved"

// TellReport tells a report's owner what staff did with it, on their own thread, by a turn
// of it. What the owner did needs no telling.
func (n *Notifier) TellReport(ctx context.Context, e report.Event) error {
	if e.Type != report.ResolvedEvent || !e.Staff || e.Thread == "" {
		return nil
	}
	r, err := n.Reports.Get(ctx, report.By{Actor: actor.OfKey(e.Owner)}, e.Report)
	if fault.Is(err, fault.NotFound) {
		return nil // its owner has deleted it
	}
	if err != nil {
		return fmt.Errorf("notify report %s: %w", e.Report, err)
	}
	head, err := n.Threads.Head(ctx, e.Thread)
	if errors.Is(err, thread.ErrNoThread) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("notify report %s: %w", e.Report, err)
	}
	return n.Threads.Tell(ctx, e.Thread, strings.Join([]string{e.Report, e.ID, reportResolved}, "."), thread.Notice{
		Kind: reportResolved, Ref: e.Report, ByPerson: true,
		Text: wording.Say(head.Language, wording.ReportResolved, wording.Vars{"address": wording.Quote(head.Language, r.Address)}),
	})
}
