package simulation

import (
	"context"
	_ "embed"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/google/go-cmp/cmp"

	"merve/internal/base/faulttest"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/trigger"
)

// older is a town as a release of November 2026 left it, what its streams told, and what was sent: a
// booking made and cancelled, an order accepted and words passed on, a ride that arrived, and a
// customer who waits for a person. It stays as it is: a change that it does not survive needs a way
// from the old form to the new one.
//
//go:embed testdata/older.json
var older []byte

type release struct {
	Now     time.Time
	Items   map[string][]json.RawMessage // of tables, in DynamoDB's JSON
	Streams []struct {
		Function string
		Item     map[string]json.RawMessage
	}
	Sent []struct{ To, Body string }
}

// unquoted takes away the marks by which this release shows what is somebody's own.
var unquoted = strings.NewReplacer("“", "", "”", "")

// behind is what a business or a driver has to know and earlier templates left out, by the message behind which it stands now.
var behind = map[string]string{
	" Cancelled: NCHX9M": " · Meze House · Table", " New booking NCHX9M": " · Meze House · Table · Note: canary0003q", " Order 84BH of food": " · Old Town Kebab · Total: €3.00",
	" Ride 3JMV is yours: Customer3": " · Pickup: Harbour Road 5 · When: now · Passengers: 1 · Then write: ARRIVED 3JMV · DONE 3JMV · CANCEL 3JMV",
}

// Streams bring what happened for a day: this release takes in what an earlier one wrote. What the
// earlier one had told of is known by the same keys, and not told again; the rest is told in the same
// words, but that what is somebody's own is quoted, and what a business has to know stands behind.
func TestField27_TheStreamsOfAnEarlierRelease(t *testing.T) {
	t.Parallel()
	var before release
	if err := json.Unmarshal(older, &before); err != nil {
		t.Fatal(err)
	}
	sent := func(who func(to, text string) bool) (all []string) {
		for _, m := range before.Sent {
			if who(m.To, m.Body) {
				all = append(all, m.To+" "+m.Body)
			}
		}
		return all
	}
	said := func(to, text string) bool { // by a turn, in an answer
		for _, begins := range []string{"Accepted: ", "Passed on: ", "Ride 3JMV is yours. ", "Thank you, "} {
			if strings.HasPrefix(text, begins) {
				return true
			}
		}
		return strings.HasPrefix(to, "+15550200")
	}
	asks := func(text string) bool { return strings.Contains(text, "Reply YES to") } // what has been answered since, and is not asked again
	for name, tt := range map[string]struct {
		functions []string
		lacks     string // by the beginning of sort keys
		queued    bool   // the outbox is as it was before anything was sent
		want      []string
	}{
		"all of it again":       {[]string{"notify", "records", "sender"}, "", false, nil},
		"before it was told":    {[]string{"notify", "records"}, "outbox#", false, sent(func(to, text string) bool { return !said(to, text) })},
		"before it was sent":    {[]string{"sender"}, "outbox#", true, sent(func(_, text string) bool { return !asks(text) })},
		"told and not yet sent": {[]string{"notify", "records", "sender"}, "outbox#", true, sent(func(_, text string) bool { return !asks(text) })},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := New(t, Options{Seed: 1})
			w.calm, w.clock = true, before.Now
			w.Begin()
			for table, items := range before.Items {
				w.restore(table, items, func(sk string) bool { return tt.lacks != "" && strings.HasPrefix(sk, tt.lacks) })
			}
			streams := map[string]*stream{"notify": &w.notify, "records": &w.records, "sender": &w.outbox}
			for _, s := range before.Streams {
				if s.Function == "sender" && tt.queued {
					item, err := json.Marshal(s.Item)
					if err != nil {
						t.Fatal(err)
					}
					w.restore("conversations", []json.RawMessage{item}, func(string) bool { return false })
				}
				if slices.Contains(tt.functions, s.Function) {
					streams[s.Function].add(w.prefix+streams[s.Function].table, s.Item)
				}
			}
			w.flow()
			var got []string
			for _, m := range w.twilio.Messages() {
				got = append(got, m.To+" "+m.Body)
			}
			slices.Sort(got)
			want := slices.Sorted(slices.Values(tt.want))
			for i := range got {
				got[i] = unquoted.Replace(got[i])
			}
			for i, then := range want {
				for begins, more := range behind {
					if !tt.queued && strings.Contains(then, begins) { // else as it was told by then
						want[i] += more
					}
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("sent (-then +now):\n%s", diff)
			}
			faulttest.Tried(t, 1)
			if len(w.queue.messages) > 0 || w.rounds > 0 {
				t.Errorf("%d messages on the queue, %d rounds of a model", len(w.queue.messages), w.rounds)
			}
		})
	}
}

// restore puts items back as they were stored, but for some.
func (w *World) restore(table string, items []json.RawMessage, without func(sk string) bool) {
	w.t.Helper()
	cfg := w.cfg.Copy()
	cfg.HTTPClient = &http.Client{Transport: &w.shards}
	client := sdk.NewFromConfig(cfg)
	put := trigger.Stream(func(ctx context.Context, r trigger.Record) error {
		if without(dynamo.Item(r.New).Key().SK) {
			return nil
		}
		_, err := client.PutItem(ctx, &sdk.PutItemInput{TableName: aws.String(w.prefix + table), Item: r.New})
		if err != nil {
			w.t.Error(err)
		}
		return err
	})
	var records []any
	for i, it := range items {
		records = append(records, map[string]any{
			"eventID": strconv.Itoa(i), "eventName": "INSERT", "dynamodb": map[string]any{"Keys": map[string]any{}, "NewImage": it, "SequenceNumber": strconv.Itoa(i + 1)},
		})
	}
	out, err := put.Invoke(w.t.Context(), w.marshal(map[string]any{"Records": records}))
	if err != nil || len(failures(w, out)) > 0 {
		w.t.Fatalf("restore %s: %v, %s", table, err, out)
	}
}
