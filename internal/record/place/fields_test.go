package place

import (
	"testing"

	"merve/internal/base/fieldtest"
)

func TestNamesTellApart(t *testing.T) {
	t.Parallel()
	fieldtest.Only(t, stored.copies, "Place.ID", "Place.Market", "Place.Category", "Cell")
	fieldtest.All(t, key)
}
