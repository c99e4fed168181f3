package roster

import (
	"testing"

	"merve/internal/base/fieldtest"
)

func TestNamesTellApart(t *testing.T) {
	t.Parallel()
	fieldtest.Only(t, key, "argument 1", "argument 2", "Entry.Role", "Entry.ID")
}
