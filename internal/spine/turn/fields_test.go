package turn

import (
	"testing"

	"merve/internal/base/fieldtest"
)

func TestNamesTellApart(t *testing.T) {
	t.Parallel()
	fieldtest.All(t, replyID, frozenHash, auditKey, spendKey, addressKey)
	fieldtest.Only(t, pendingID, "argument 1", "Pending.Kind", "Pending.Ref", "Pending.Hash")
}
