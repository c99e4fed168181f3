package outbox

import (
	"testing"

	"merve/internal/base/fieldtest"
)

func TestNamesTellApart(t *testing.T) {
	t.Parallel()
	fieldtest.Only(t, func(o Origin, m Message) string { return o.Undelivered(m).ID }, "Message.Thread", "Message.ID")
	fieldtest.All(t, key)
}
