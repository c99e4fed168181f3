package notify

import (
	"testing"

	"merve/internal/base/fieldtest"
)

func TestNamesTellApart(t *testing.T) {
	t.Parallel()
	fieldtest.Only(t, key, "Event.ID", "Event.Transaction.ID", "argument 2", "argument 3")
}
