package relay

import (
	"testing"

	"merve/internal/base/fieldtest"
)

func TestNamesTellApart(t *testing.T) {
	t.Parallel()
	fieldtest.Only(t, codeOf, "Talk.Business", "Talk.Thread", "argument 2")
	fieldtest.Only(t, saidKey, "ID", "Market", "Business")
	fieldtest.Only(t, dayKey, "Market", "Code", "Business", "At")
	fieldtest.All(t, talkKey, traceKey)
}
