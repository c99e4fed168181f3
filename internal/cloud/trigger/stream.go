package trigger

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"merve/internal/base/fault"
)

// Kind is what happened to an item.
type Kind string

const (
	Insert Kind = "INSERT"
	Modify Kind = "MODIFY"
	Remove Kind = "REMOVE"
)

// Item is an item of a table, or the part of one that is its key.
type Item = map[string]types.AttributeValue

// Record is one change of an item.
type Record struct {
	EventID   string // the same however often the change is delivered
	Kind      Kind
	Keys      Item
	New       Item   // as it is now; nil after Remove
	Old       Item   // as it was; nil before Insert
	Sequence  string // place in the stream
	TableName string
}

// itemTrace is the attribute in which items keep the trace id that wrote them.
const itemTrace = "trace"

// Stream gives the changes of a batch to f in their order and stops at the first that
// fails: AWS then starts again with that one, so those before it are done once. One that
// keeps failing holds up those behind it until it is too old, and goes to the trigger's failure
// destination then; with [GiveUp], one that can never be right does not.
//
// A failed record without a sequence number cannot be named; the whole batch fails then.
func Stream(f func(context.Context, Record) error, opts ...Option) Handler {
	o := with(opts)
	return handlerFunc(func(ctx context.Context, payload []byte) ([]byte, error) {
		var e streamEvent
		if err := json.Unmarshal(payload, &e); err != nil {
			return nil, fmt.Errorf("trigger: stream event: %w", err)
		}
		for i := range e.Records {
			r, err := e.Records[i].record()
			ctx := o.trace(ctx, r.trace())
			if err = fault.Wrap(err, fault.Invalid, "a change that cannot be read"); err == nil {
				err = o.change(ctx, r, f)
			}
			if o.giveUp != nil && hopeless(err) {
				err = o.guard(ctx, func() error { return o.giveUp(ctx, r, err) })
			}
			if err == nil {
				continue
			}
			if !isSequence(r.Sequence) {
				return nil, fmt.Errorf("trigger: a record without sequence number failed: %w", err)
			}
			o.log.ErrorContext(ctx, "record failed", slog.String("eventId", r.EventID),
				slog.String("sequence", r.Sequence), slog.Any("error", err))
			return encodeFailures([]string{r.Sequence})
		}
		return encodeFailures(nil)
	})
}

func (o *options) change(ctx context.Context, r Record, f func(context.Context, Record) error) error {
	if err := ctx.Err(); err != nil {
		return err // out of time: the rest is delivered again
	}
	return o.guard(ctx, func() error { return f(ctx, r) })
}

// hopeless reports whether all that is wrong with a change is so for good. A conflict is with what
// happens meanwhile, and may be over the next time.
func hopeless(err error) bool {
	switch e := err.(type) {
	case *fault.Error:
		return e.Permanent() && e.Kind != fault.Conflict
	case interface{ Unwrap() []error }:
		return !slices.ContainsFunc(e.Unwrap(), func(err error) bool { return !hopeless(err) })
	case interface{ Unwrap() error }:
		return hopeless(e.Unwrap())
	}
	return false
}

func (r Record) trace() string {
	for _, item := range []Item{r.New, r.Old} {
		if id, ok := item[itemTrace].(*types.AttributeValueMemberS); ok {
			return id.Value
		}
	}
	return ""
}

func isSequence(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// streamEvent is a batch of a DynamoDB stream.
// https://docs.aws.amazon.com/lambda/latest/dg/with-ddb.html
type streamEvent struct {
	Records []streamRecord `json:"Records"`
}

type streamRecord struct {
	EventID        string `json:"eventID"`
	EventName      Kind   `json:"eventName"`
	EventSource    string `json:"eventSource"`
	EventSourceARN string `json:"eventSourceARN"`
	Change         struct {
		Keys           map[string]attribute `json:"Keys"`
		NewImage       map[string]attribute `json:"NewImage,omitempty"`
		OldImage       map[string]attribute `json:"OldImage,omitempty"`
		SequenceNumber string               `json:"SequenceNumber"`
		StreamViewType string               `json:"StreamViewType"`
	} `json:"dynamodb"`
}

func (s *streamRecord) record() (Record, error) {
	r := Record{
		EventID: s.EventID, Kind: s.EventName,
		Sequence: s.Change.SequenceNumber, TableName: tableName(s.EventSourceARN),
	}
	var err error
	if r.Keys, err = values(s.Change.Keys); err != nil {
		return r, fmt.Errorf("trigger: Keys of record %s: %w", r.EventID, err)
	}
	if r.New, err = values(s.Change.NewImage); err != nil {
		return r, fmt.Errorf("trigger: NewImage of record %s: %w", r.EventID, err)
	}
	if r.Old, err = values(s.Change.OldImage); err != nil {
		return r, fmt.Errorf("trigger: OldImage of record %s: %w", r.EventID, err)
	}
	return r, nil
}

// tableName takes the table out of arn:aws:dynamodb:region:account:table/NAME/stream/label.
func tableName(arn string) string {
	_, after, _ := strings.Cut(arn, ":table/")
	name, _, _ := strings.Cut(after, "/")
	return name
}

// StreamEvent builds the event that AWS would make of changes. The local runner delivers changes with it.
func StreamEvent(records []Record) ([]byte, error) {
	e := streamEvent{Records: make([]streamRecord, len(records))}
	for i, r := range records {
		s := &e.Records[i]
		s.EventID, s.EventName, s.EventSource = r.EventID, r.Kind, "aws:dynamodb"
		s.EventSourceARN = "arn:aws:dynamodb:us-east-1:000000000000:table/" + r.TableName + "/stream/2026-01-01T00:00:00.000"
		s.Change.SequenceNumber, s.Change.StreamViewType = r.Sequence, string(types.StreamViewTypeNewAndOldImages)
		var err error
		if s.Change.Keys, err = attributes(r.Keys); err != nil {
			return nil, fmt.Errorf("trigger: Keys of record %s: %w", r.EventID, err)
		}
		if s.Change.NewImage, err = attributes(r.New); err != nil {
			return nil, fmt.Errorf("trigger: New of record %s: %w", r.EventID, err)
		}
		if s.Change.OldImage, err = attributes(r.Old); err != nil {
			return nil, fmt.Errorf("trigger: Old of record %s: %w", r.EventID, err)
		}
	}
	return encodeJSON(e)
}
