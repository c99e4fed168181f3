package booking

import (
	"testing"

	"merve/internal/fieldtest"
)

func TestNamesTellApart(t *testing.T) {
	t.Parallel()
	fieldtest.Only(t, waitedKey, "ID")
	fieldtest.All(t, remindedKey, reminderKey)
}
