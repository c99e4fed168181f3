package relay

import (
	"testing"

	"merve/internal/fieldtest"
)

func TestNamesTellApart(t *testing.T) {
	t.Parallel()
	fieldtest.Only(t, codeOf, "Talk.Business", "Talk.Thread", "argument 2")
	fieldtest.All(t, talkKey, traceKey)
}
