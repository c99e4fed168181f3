package media

import (
	"testing"

	"merve/internal/base/fieldtest"
)

func TestNamesTellApart(t *testing.T) {
	t.Parallel()
	fieldtest.All(t, place.key, place.pendingKey, placeIn)
}
