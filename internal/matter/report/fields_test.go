package report

import (
	"testing"

	"merve/internal/base/fieldtest"
)

func TestNamesTellApart(t *testing.T) {
	t.Parallel()
	fieldtest.All(t, eventID, newID, idOf, reportKey, briefsKey, ownerKey, linkKey, eventKey)
}
