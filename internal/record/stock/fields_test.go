package stock

import (
	"testing"

	"merve/internal/base/fieldtest"
)

func TestNamesTellApart(t *testing.T) {
	t.Parallel()
	fieldtest.Only(t, Holding.key, "Market", "Listing", "Order")
	fieldtest.All(t, Item.key)
}
