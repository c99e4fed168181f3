package trigger

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"merve/internal/base/fault"
	"merve/internal/base/telemetry"
)

var sameItem = cmpopts.IgnoreUnexported(
	types.AttributeValueMemberS{}, types.AttributeValueMemberN{}, types.AttributeValueMemberB{},
	types.AttributeValueMemberBOOL{}, types.AttributeValueMemberNULL{}, types.AttributeValueMemberSS{},
	types.AttributeValueMemberNS{}, types.AttributeValueMemberBS{}, types.AttributeValueMemberL{}, types.AttributeValueMemberM{},
)

func s(v string) types.AttributeValue { return &types.AttributeValueMemberS{Value: v} }
func n(v string) types.AttributeValue { return &types.AttributeValueMemberN{Value: v} }

func records(t testing.TB, payload []byte) []Record {
	t.Helper()
	var got []Record
	out, err := Stream(func(_ context.Context, r Record) error { got = append(got, r); return nil }).
		Invoke(context.Background(), payload)
	if err != nil {
		t.Fatal(err)
	}
	if ids := failures(t, out); ids != "" {
		t.Fatalf("failed: %s", ids)
	}
	return got
}

func TestStreamRecord(t *testing.T) {
	t.Parallel()
	key := Item{"pk": s("tx#1"), "sk": s("event#1")}
	want := []Record{
		{
			EventID: "c4ca4238a0b923820dcc509a6f75849b", Kind: Insert, Keys: key,
			Sequence: "4421584500000000017450439091", TableName: "merve-ledger",
			New: Item{
				"pk": s("tx#1"), "sk": s("event#1"), "trace": s("5e9f0c651de4d666d4dd26aced652b6c"),
				"big": n("12345678901234567890123456789012345678"), "small": n("1E-130"),
				"yes":     &types.AttributeValueMemberBOOL{Value: true},
				"no":      &types.AttributeValueMemberBOOL{},
				"nothing": &types.AttributeValueMemberNULL{Value: true},
				"bytes":   &types.AttributeValueMemberB{Value: []byte{0, 1, 42, 65}},
				"noBytes": &types.AttributeValueMemberB{Value: []byte{}},
				"strings": &types.AttributeValueMemberSS{Value: []string{"a", "b"}},
				"numbers": &types.AttributeValueMemberNS{Value: []string{"1", "2.50"}},
				"blobs":   &types.AttributeValueMemberBS{Value: [][]byte{{0, 1, 42, 65}, {65, 42, 1, 0}}},
				"list": &types.AttributeValueMemberL{Value: []types.AttributeValue{s(""),
					&types.AttributeValueMemberL{Value: []types.AttributeValue{}}, &types.AttributeValueMemberM{Value: Item{}}}},
				"map": &types.AttributeValueMemberM{Value: Item{"inner": &types.AttributeValueMemberM{Value: Item{"n": n("0")}}}},
			},
		},
		{
			EventID: "c81e728d9d4c2f636f067f89cc14862c", Kind: Remove, Keys: key, Old: key,
			Sequence: "4421584500000000017450439092", TableName: "merve-ledger",
		},
	}
	if d := cmp.Diff(want, records(t, sample(t, "stream")), sameItem); d != "" {
		t.Error(d)
	}
	payload, err := StreamEvent(want)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, records(t, payload), sameItem); d != "" {
		t.Error("there and back: " + d)
	}
	empty := []Record{{Sequence: "1", New: Item{"bytes": &types.AttributeValueMemberB{}, "strings": &types.AttributeValueMemberSS{}, "map": &types.AttributeValueMemberM{}}}}
	if payload, err = StreamEvent(empty); err != nil {
		t.Fatal(err)
	}
	if got := records(t, payload); len(got) != 1 || len(got[0].New) != 3 {
		t.Errorf("what is empty is there: %+v", got)
	}
}

func TestStreamTrace(t *testing.T) {
	t.Parallel()
	var got []string
	_, err := Stream(func(ctx context.Context, _ Record) error {
		got = append(got, telemetry.TraceID(ctx))
		return nil
	}, traceIDs(func() string { return "fresh" })).Invoke(context.Background(), sample(t, "stream"))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"5e9f0c651de4d666d4dd26aced652b6c", "fresh"}, got); d != "" {
		t.Error(d)
	}
}

// batch makes changes 1…size, in order.
func batch(t testing.TB, size int) []byte {
	t.Helper()
	rs := make([]Record, size)
	for i := range rs {
		rs[i] = Record{EventID: fmt.Sprint("event-", i+1), Kind: Insert, Keys: Item{"pk": n(fmt.Sprint(i + 1))},
			Sequence: fmt.Sprint(i + 1), TableName: "ledger"}
	}
	payload, err := StreamEvent(rs)
	if err != nil {
		t.Fatal(err)
	}
	return payload
}

func TestStreamFailureAtEachIndex(t *testing.T) {
	t.Parallel()
	const size = 100
	payload := batch(t, size)
	for bad := 1; bad <= size; bad++ {
		for name, fail := range map[string]func() error{
			"error": func() error { return errors.New("no") },
			"panic": func() error { panic("no") },
		} {
			handled := 0
			out, err := Stream(func(_ context.Context, r Record) error {
				handled++
				if r.Sequence == fmt.Sprint(bad) {
					return fail()
				}
				return nil
			}, quiet()).Invoke(context.Background(), payload)
			if err != nil {
				t.Fatal(err)
			}
			if got := failures(t, out); got != fmt.Sprint(bad) || handled != bad {
				t.Errorf("%s at %d: answered that %q failed after handling %d", name, bad, got, handled)
			}
		}
	}
}

// A change that can never be right is told of and left; one that may be another time has failed,
// and so has one of which nobody could be told.
func TestStreamGivesUpWhatCanNeverBeRight(t *testing.T) {
	t.Parallel()
	invalid, away := fault.New(fault.Invalid, "not an event"), fault.New(fault.Unavailable, "away")
	for name, tt := range map[string]struct {
		err, tell error
		failed    string // sequence
		told      int
	}{
		"invalid":              {invalid, nil, "", 1},
		"not there":            {fault.New(fault.NotFound, "not found"), nil, "", 1},
		"gone, wrapped":        {fmt.Errorf("tell: %w", fault.New(fault.Gone, "gone")), nil, "", 1},
		"all of it":            {errors.Join(invalid, fault.Wrap(away, fault.TooLarge, "too long")), nil, "", 1},
		"away":                 {away, nil, "2", 0},
		"not all of it":        {fmt.Errorf("tell: %w", errors.Join(invalid, away)), nil, "2", 0},
		"in conflict":          {fault.New(fault.Conflict, "changed"), nil, "2", 0},
		"of no kind":           {errors.New("no"), nil, "2", 0},
		"invalid, not told of": {invalid, away, "2", 1},
	} {
		handled, told := 0, 0
		out, err := Stream(func(_ context.Context, r Record) error {
			if handled++; r.Sequence == "2" {
				return tt.err
			}
			return nil
		}, quiet(), GiveUp(func(_ context.Context, r Record, err error) error {
			if told++; r.Sequence != "2" || !errors.Is(err, tt.err) {
				t.Errorf("%s: told of %s: %v", name, r.Sequence, err)
			}
			return tt.tell
		})).Invoke(t.Context(), batch(t, 3))
		if err != nil {
			t.Fatal(err)
		}
		want := 3
		if tt.failed != "" {
			want = 2
		}
		if got := failures(t, out); got != tt.failed || told != tt.told || handled != want {
			t.Errorf("%s: %q failed, told %d times, handled %d", name, got, told, handled)
		}
	}
}

// What cannot be read never will be.
func TestStreamGivesUpWhatCannotBeRead(t *testing.T) {
	t.Parallel()
	told := ""
	out, err := Stream(func(context.Context, Record) error { return nil }, quiet(), GiveUp(func(_ context.Context, r Record, _ error) error {
		told += r.EventID
		return nil
	})).Invoke(t.Context(), []byte(`{"Records":[{"eventID":"e1","dynamodb":{"SequenceNumber":"7","NewImage":{"a":{"X":"a"}}}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if got := failures(t, out); got != "" || told != "e1" {
		t.Errorf("%q failed, told of %q", got, told)
	}
}

// A failure is told once, with the trace of the change.
func TestStreamFailureIsLogged(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	out, err := Stream(func(context.Context, Record) error { return errors.New("poison") },
		Log(telemetry.NewLogger(&log, slog.LevelInfo)), traceIDs(func() string { return "trace-1" })).Invoke(context.Background(), batch(t, 2))
	if err != nil {
		t.Fatal(err)
	}
	if got := failures(t, out); got != "1" || strings.Count(log.String(), "\n") != 1 || !strings.Contains(log.String(), "poison") || !strings.Contains(log.String(), `"traceId":"trace-1"`) {
		t.Errorf("%q failed, log %s", got, log.String())
	}
}

func TestStreamOutOfTime(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	out, err := Stream(func(context.Context, Record) error { cancel(); return nil }, quiet()).Invoke(ctx, batch(t, 3))
	if err != nil {
		t.Fatal(err)
	}
	if got := failures(t, out); got != "2" {
		t.Errorf("%q failed, want 2", got)
	}
}

// A failure that cannot be named fails the batch: an empty or foreign name would too, but
// sources disagree on what happens then.
func TestStreamUnnamedFailure(t *testing.T) {
	t.Parallel()
	for _, sequence := range []string{"", "abc", "1 2"} {
		payload, err := StreamEvent([]Record{{EventID: "1", Sequence: sequence}})
		if err != nil {
			t.Fatal(err)
		}
		out, err := Stream(func(context.Context, Record) error { return errors.New("no") }, quiet()).
			Invoke(context.Background(), payload)
		if err == nil {
			t.Errorf("sequence %q: answered %s, want an error", sequence, out)
		}
	}
}

func TestStreamMalformedValues(t *testing.T) {
	t.Parallel()
	for _, value := range []string{
		`{}`, `{"S":null}`, `{"S":"a","N":"1"}`, `{"X":"a"}`, `{"L":[{}]}`, `{"M":{"a":{"S":"x","B":""}}}`,
	} {
		payload := `{"Records":[{"eventID":"1","eventName":"INSERT","dynamodb":{"SequenceNumber":"7","NewImage":{"a":` + value + `}}}]}`
		called := false
		out, err := Stream(func(context.Context, Record) error { called = true; return nil }, quiet()).
			Invoke(context.Background(), []byte(payload))
		if err != nil {
			t.Fatal(err)
		}
		if got := failures(t, out); got != "7" || called {
			t.Errorf("%s: %q failed, handler called: %v; want 7, false", value, got, called)
		}
	}
	for _, payload := range []string{``, `[]`, `{"Records":[{"dynamodb":{"NewImage":{"a":{"BS":[1]}}}}]}`, `{"Records":[{"dynamodb":{"NewImage":{"a":{"B":"*"}}}}]}`} {
		if out, err := Stream(func(context.Context, Record) error { return nil }).Invoke(context.Background(), []byte(payload)); err == nil {
			t.Errorf("%s: answered %s, want an error", payload, out)
		}
	}
}

func FuzzStreamEvent(f *testing.F) {
	f.Add(sample(f, "stream"), 0)
	f.Add(sample(f, "stream"), 2)
	f.Add([]byte(`{"Records":[{"dynamodb":{"SequenceNumber":"1","NewImage":{"a":{"BS":[""],"NULL":false}}}}]}`), 1)
	f.Fuzz(func(t *testing.T, payload []byte, bad int) {
		var got []Record
		out, err := Stream(func(_ context.Context, r Record) error {
			got = append(got, r)
			if len(got) == bad {
				return errors.New("no")
			}
			return nil
		}, Log(slog.New(slog.DiscardHandler))).Invoke(context.Background(), payload)
		if err != nil {
			return
		}
		failed := failures(t, out)
		if failed != "" && strings.Trim(failed, "0123456789") != "" {
			t.Errorf("malformed failure %q", failed)
		}
		if failed != "" || len(got) == 0 {
			return
		}
		again, err := StreamEvent(got)
		if err != nil {
			t.Fatal(err)
		}
		back := records(t, again)
		for i := range got { // what a table's name may hold is not this test's subject
			got[i].TableName, back[i].TableName = "", ""
		}
		if d := cmp.Diff(got, back, sameItem, cmpopts.EquateEmpty()); d != "" {
			t.Error("there and back: " + d)
		}
	})
}
