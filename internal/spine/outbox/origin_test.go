package outbox_test

import (
	"testing"

	"merve/internal/spine/outbox"
)

// Whose words could not be delivered is told of it once for each message.
func TestUndeliveredIsToldOnce(t *testing.T) {
	t.Parallel()
	o := outbox.Origin{Thread: "th_biz", To: "+15550100", Code: "K7P2", Language: "en"}
	m := outbox.Message{Thread: "th_ann", ID: "turn00000001-0", Market: "demo"}
	first, again := o.Undelivered(m), o.Undelivered(m)
	m.ID = "turn00000002-0"
	other := o.Undelivered(m)
	if first.ID != again.ID || first.ID == other.ID || first.Thread != "th_biz" || first.To != "+15550100" || first.About != "K7P2" {
		t.Errorf("%+v, again %+v, of another message %+v", first, again, other)
	}
}
