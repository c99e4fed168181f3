package queue_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"merve/internal/base/fault"
	"merve/internal/base/telemetry"
	"merve/internal/cloud/queue"
)

// A message is refused with the field that SQS would not take: by a queue with order, and by
// one without.
func TestPrepareNamesTheField(t *testing.T) {
	t.Parallel()
	ctx := telemetry.WithTrace(context.Background(), "trace-1")
	attributes := func(n int) map[string]string {
		all := map[string]string{}
		for i := range n {
			all[fmt.Sprint(i)] = "v"
		}
		return all
	}
	long := strings.Repeat("g", 129)
	for _, tt := range []struct {
		field         string // "" is fine
		with, without bool   // order
		change        func(m *queue.Message)
	}{
		{"", true, true, func(*queue.Message) {}},
		{"", true, true, func(m *queue.Message) { m.Attributes = attributes(9) }},
		{"attributes", true, true, func(m *queue.Message) { m.Attributes = attributes(10) }},
		{"attributes", true, true, func(m *queue.Message) { m.Attributes = map[string]string{"a b": "v"} }},
		{"attributes", true, true, func(m *queue.Message) { m.Attributes = map[string]string{"a": ""} }},
		{"body", true, true, func(m *queue.Message) { m.Body = "" }},
		{"body", true, true, func(m *queue.Message) { m.Body = "a\x00" }},
		{"group", true, false, func(m *queue.Message) { m.Group = "" }},
		{"group", true, false, func(m *queue.Message) { m.Group = long }},
		{"dedupe", true, false, func(m *queue.Message) { m.Dedupe = "" }},
		{"dedupe", true, false, func(m *queue.Message) { m.Dedupe = "ç" }},
		{"delay", true, false, func(m *queue.Message) { m.Delay = time.Second }},
		{"group", false, true, func(m *queue.Message) { m.Group = "g" }},
		{"group", false, true, func(m *queue.Message) { m.Dedupe = "d" }},
		{"", false, true, func(m *queue.Message) { m.Delay = 15 * time.Minute }},
		{"delay", false, true, func(m *queue.Message) { m.Delay = 15*time.Minute + time.Second }},
		{"delay", false, true, func(m *queue.Message) { m.Delay = -time.Second }},
		{"delay", false, true, func(m *queue.Message) { m.Delay = 1500 * time.Millisecond }},
	} {
		for _, fifo := range []bool{true, false} {
			m := queue.Message{Body: "b"}
			if fifo {
				m.Group, m.Dedupe = "g", "d"
			}
			if tt.change(&m); fifo && !tt.with || !fifo && !tt.without {
				continue
			}
			_, err := queue.Prepare(ctx, m, fifo)
			if _, field := fault.Public(err); field != tt.field || (err == nil) != (tt.field == "") {
				t.Errorf("order %v, %+v: %v, want field %q", fifo, m, err, tt.field)
			}
		}
	}
	for size, fine := range map[int]bool{0: true, 1: false} { // beside what the trace id takes
		m := queue.Message{Body: strings.Repeat("b", 256<<10-len("trace-id"+"trace-1"+"String")+size)}
		if _, err := queue.Prepare(ctx, m, false); (err == nil) != fine || !fine && !fault.Is(err, fault.TooLarge) {
			t.Errorf("%d bytes: %v", len(m.Body), err)
		}
	}
}
