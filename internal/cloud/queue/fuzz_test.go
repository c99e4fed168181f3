package queue_test

import (
	"context"
	"encoding/xml"
	"strings"
	"testing"
	"time"

	"merve/internal/base/fault"
	"merve/internal/base/telemetry"
	"merve/internal/cloud/queue"
)

// What is taken as a message SQS takes, too: its text can be written as XML and is the same
// when it is read again; what is refused is refused with the field.
func FuzzPrepare(f *testing.F) {
	f.Add("turns", "m_1", "th_1", "kind", "turn", int64(0), true)
	f.Add("", "", "later", "", "", int64(90*time.Second), false)
	f.Add("a b", "\x7f", "\x00", "trace-id", "\ufffe", int64(time.Millisecond), true)
	f.Add("g", "d", strings.Repeat("x", 256<<10), "n", "v", int64(-1), true)
	f.Fuzz(func(t *testing.T, group, dedupe, body, name, value string, delay int64, fifo bool) {
		ctx := telemetry.WithTrace(context.Background(), "trace-1")
		in := queue.Message{Group: group, Dedupe: dedupe, Body: body, Attributes: map[string]string{name: value}, Delay: time.Duration(delay)}
		m, err := queue.Prepare(ctx, in, fifo)
		if err != nil {
			if _, field := fault.Public(err); field == "" && !fault.Is(err, fault.TooLarge) {
				t.Errorf("refused without a field: %v", err)
			}
			return
		}
		if len(in.Attributes) != 1 {
			t.Error("the sender's attributes were changed")
		}
		for _, s := range []string{m.Body, m.Attributes[name], m.Group + m.Dedupe} {
			var escaped strings.Builder
			if err := xml.EscapeText(&escaped, []byte(s)); err != nil {
				t.Fatal(err)
			}
			var back struct {
				Text string `xml:",chardata"`
			}
			if err := xml.Unmarshal([]byte("<a>"+escaped.String()+"</a>"), &back); err != nil || back.Text != s {
				t.Errorf("%q comes back as %q, %v", s, back.Text, err)
			}
		}
		if again, err := queue.Prepare(ctx, m, fifo); err != nil || again.Attributes["trace-id"] != m.Attributes["trace-id"] {
			t.Errorf("prepared twice: %v", err)
		}
	})
}
