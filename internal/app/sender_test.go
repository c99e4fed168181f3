package app_test

import (
	"strings"
	"testing"
	"time"

	"merve/infra/local/demo"
	"merve/internal/channel"
	"merve/internal/outbox"
)

// Whose words cannot be delivered is told so, however often the sweep comes by.
func TestWhoseWordsAreGivenUpIsTold(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	s.invoke(t, "whatsapp")
	ctx, box, business := t.Context(), s.base.Outbox(), "th_of-a-business"
	quote := box.Put(outbox.Message{
		Thread: threadOf(t, "turn"), ID: "quote", Market: demo.Market, Channel: channel.WhatsApp, To: "+15551230001", Text: "> at the gate", Kind: "notice",
		Origin: &outbox.Origin{Thread: business, To: "+15551230009", Code: "K7Q2", Language: "en"},
	})
	if err := box.Table.DB().Commit(ctx, quote); err != nil {
		t.Fatal(err)
	}
	s.now = s.now.Add(25 * time.Hour) // they may not be written to any more
	for range 2 {
		s.invoke(t, "sweep")
	}
	told, err := box.List(ctx, business, 10)
	if err != nil || len(told) != 1 || !strings.Contains(told[0].Text, "K7Q2") {
		t.Errorf("%v, told %+v", err, told)
	}
}
