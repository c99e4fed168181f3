package bus

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/eventbridge"
	"github.com/aws/aws-sdk-go-v2/service/eventbridge/types"
	"github.com/aws/smithy-go/middleware"

	"merve/internal/base/fault"
	"merve/internal/base/pause"
	"merve/internal/base/telemetry"
)

// tries bounds how often an entry is put that the bus turned away, and how often a request
// is made that got no answer.
const tries = 5

// EventBridge is one bus of Amazon EventBridge. Safe for concurrent use.
type EventBridge struct {
	client *eventbridge.Client
	name   string

	Backoff pause.Backoff
}

// NewEventBridge returns the bus called name. The endpoint is cfg's, which the SDK reads from
// its own environment variables (AWS_ENDPOINT_URL_EVENTBRIDGE). It makes no request.
func NewEventBridge(cfg aws.Config, name string) *EventBridge {
	b := &EventBridge{name: name, Backoff: pause.Exponential(100*time.Millisecond, time.Second)}
	b.client = eventbridge.NewFromConfig(cfg, func(o *eventbridge.Options) {
		o.APIOptions = append(o.APIOptions, countRequests)
		o.RetryMaxAttempts = cmp.Or(cfg.RetryMaxAttempts, tries)
		o.Retryer = retry.NewStandard(func(o *retry.StandardOptions) {
			o.Backoff = retry.BackoffDelayerFunc(func(n int, _ error) (time.Duration, error) { return b.Backoff(n), nil })
		})
	})
	return b
}

// countRequests counts every request that goes out, retries too.
func countRequests(stack *middleware.Stack) error {
	count := func(ctx context.Context, in middleware.FinalizeInput, next middleware.FinalizeHandler) (
		middleware.FinalizeOutput, middleware.Metadata, error,
	) {
		telemetry.CountPut(ctx)
		return next.HandleFinalize(ctx, in)
	}
	return stack.Finalize.Insert(middleware.FinalizeMiddlewareFunc("CountRequests", count), "Retry", middleware.After)
}

// PutError says which events are not on the bus.
type PutError struct {
	Failed []Failure // in the order in which the events were given
}

// Failure is one event that is not on the bus.
type Failure struct {
	Index int    // of the event, as it was given
	Type  string // of the event
	Err   error  // with a kind: what is wrong with the event for good is not retryable
}

// Error implements error.
func (e *PutError) Error() string {
	all := make([]string, len(e.Failed))
	for i, f := range e.Failed {
		all[i] = fmt.Sprintf("event %d (%s): %v", f.Index, f.Type, f.Err)
	}
	return fmt.Sprintf("bus: %d events were not put: %s", len(e.Failed), strings.Join(all, "; "))
}

// Unwrap returns a failure that another try may mend, if there is one: the error is
// retryable then.
func (e *PutError) Unwrap() error {
	for _, f := range e.Failed {
		if fault.Retryable(f.Err) {
			return f.Err
		}
	}
	return e.Failed[0].Err
}

// entry is an event on its way.
type entry struct {
	types.PutEventsRequestEntry
	index int
	size  int
	err   error // why it is not on the bus yet
}

// Put puts events on the bus, in as many requests as they need. An event that the bus turns
// away is put again; one that can never be right does not keep the others from the bus.
func (b *EventBridge) Put(ctx context.Context, events ...Event) error {
	start := time.Now()
	defer func() { telemetry.CountTime(ctx, "bus", time.Since(start)) }()
	good, failed := b.entries(ctx, events)
	for _, request := range requests(good) {
		failed = append(failed, b.put(ctx, request)...)
	}
	if len(failed) == 0 {
		return nil
	}
	e := &PutError{}
	slices.SortFunc(failed, func(x, y *entry) int { return x.index - y.index })
	for _, f := range failed {
		e.Failed = append(e.Failed, Failure{f.index, events[f.index].Type, f.err})
	}
	return e
}

// entries returns events as they go out, those with something wrong apart.
func (b *EventBridge) entries(ctx context.Context, events []Event) (good, wrong []*entry) {
	for i, e := range events {
		e.Trace = cmp.Or(e.Trace, telemetry.TraceID(ctx))
		one := &entry{index: i, size: e.size(), err: e.check()}
		if one.err != nil {
			wrong = append(wrong, one)
			continue
		}
		one.PutEventsRequestEntry = types.PutEventsRequestEntry{
			EventBusName: &b.name, Source: &e.Source, DetailType: &e.Type, Detail: aws.String(string(e.Detail)),
		}
		if !e.At.IsZero() {
			one.Time = &e.At
		}
		if e.Trace != "" {
			one.Resources = []string{tracePrefix + e.Trace}
		}
		good = append(good, one)
	}
	return good, wrong
}

// requests splits entries into what one request may hold.
func requests(all []*entry) (split [][]*entry) {
	size := 0
	for _, e := range all {
		last := len(split) - 1
		if last < 0 || len(split[last]) == maxEntries || size+e.size > maxBytes {
			split, size = append(split, nil), 0
			last++
		}
		split[last] = append(split[last], e)
		size += e.size
	}
	return split
}

// put makes a request, and again with what was turned away. It returns what is not on the bus.
func (b *EventBridge) put(ctx context.Context, left []*entry) (failed []*entry) {
	for n := 1; ; n++ {
		answers, err := b.request(ctx, left)
		var again []*entry
		for i, e := range left {
			switch {
			case err != nil:
				e.err = fault.Wrap(err, fault.Unavailable, "the bus is away, try again")
				failed = append(failed, e)
			case answers[i].ErrorCode == nil:
			case forGood[*answers[i].ErrorCode] != "":
				e.err = refusal(answers[i], forGood[*answers[i].ErrorCode])
				failed = append(failed, e)
			default:
				e.err = refusal(answers[i], fault.Unavailable)
				again = append(again, e)
			}
		}
		if left = again; len(left) == 0 || n == tries || pause.For(ctx, b.Backoff(n)) != nil {
			return append(failed, left...)
		}
	}
}

// request puts entries once. Its answers are in their order.
func (b *EventBridge) request(ctx context.Context, entries []*entry) ([]types.PutEventsResultEntry, error) {
	in := &eventbridge.PutEventsInput{}
	for _, e := range entries {
		in.Entries = append(in.Entries, e.PutEventsRequestEntry)
	}
	out, err := b.client.PutEvents(ctx, in)
	if err != nil {
		return nil, err
	}
	if len(out.Entries) != len(entries) {
		return nil, fmt.Errorf("bus %s: %d answers to %d entries", b.name, len(out.Entries), len(entries))
	}
	return out.Entries, nil
}

// forGood are the codes of entries that are no better when they are put again. What is not the
// event's own fault may be when somebody has mended it.
// https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutEventsResultEntry.html
var forGood = map[string]fault.Kind{
	"InvalidArgument":                     fault.Invalid,
	"MalformedDetail":                     fault.Invalid,
	"RedactionFailure":                    fault.Invalid,
	"AccessDeniedException":               fault.Internal,
	"InvalidAccountIdException":           fault.Internal,
	"NotAuthorizedForDetailTypeException": fault.Internal,
	"NotAuthorizedForSourceException":     fault.Internal,
	"ResourceNotFoundException":           fault.Internal,
}

func refusal(answer types.PutEventsResultEntry, k fault.Kind) error {
	return fault.New(k, "the bus did not take it: %s: %s", aws.ToString(answer.ErrorCode), aws.ToString(answer.ErrorMessage))
}
