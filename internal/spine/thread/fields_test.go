package thread

import (
	"testing"

	"merve/internal/base/fieldtest"
)

func TestNamesTellApart(t *testing.T) {
	t.Parallel()
	fieldtest.All(t, ID, MessageID, headKey, seenKey, turnKey, journalKey, doingKey, codeKey)
}
