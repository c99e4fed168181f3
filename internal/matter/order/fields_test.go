package order

import (
	"testing"

	"merve/internal/base/fieldtest"
)

// A YES is to all that an order says but for how it came about and what becomes of it.
func TestAProposalIsAllThatIsShown(t *testing.T) {
	t.Parallel()
	fieldtest.AllBut(t, Order.Hash,
		"Code", "Status", "Owner", "Market", "Thread", "Language", "ListingName", "Told", "TimeZone", "CustomerName", "Address", "Bounds (more)", "Bounds", "Counted (key)", "Counted", "AnswerFrom", "ETA", "Reason",
		"Receipt.PendingID", "Receipt.OfferHash", "Receipt.MessageID", "Receipt.Answer", "Receipt.Actor", "Receipt.At", "Receipt.PolicyVersion", "Receipt.Trace", "Receipt.Payment",
		"CreatedAt", "UpdatedAt")
}

func TestNamesTellApart(t *testing.T) {
	t.Parallel()
	fieldtest.All(t, orderKey, eventKey, forgetKey, codeKey, toldKey, newID, newCode)
}
