package ledger

import (
	"testing"

	"merve/internal/base/fieldtest"
)

// A YES is to all that a transaction says but for what only tells where it is and how it came
// about. Its locks say which slots it takes, and its id whose it is.
func TestAnOfferIsAllThatIsShown(t *testing.T) {
	t.Parallel()
	fieldtest.AllBut(t, OfferHash,
		"Terms.ListingName", "Terms.OfferingName", "Terms.Merchant", "Terms.Market", "Terms.Owner", "Terms.Thread", "Terms.Channel",
		"Terms.Slots (more)", "Terms.Slots", "Terms.Nights", "Terms.TimeZone", "Terms.Missed", "Terms.CustomerName", "Terms.CustomerPhone", "Terms.Language", "Terms.Matter", "Terms.Address", "Terms.Longest",
		"Code", "State", "Bounds (more)", "Bounds", "OfferHash", "Version", "CreatedAt", "UpdatedAt", "ConfirmedAt", "NoShowAt", "Forget")
	fieldtest.AllBut(t, Terms.hash, "Address", "Longest")
	fieldtest.Only(t, CancelHash,
		"Transaction.Terms.DueMinor", "Transaction.ID", "Transaction.State", "Transaction.OfferHash", "Transaction.Version")
	fieldtest.Only(t, confirmPayload, "Transaction.ID", "Receipt.PendingID", "Receipt.OfferHash")
}

func TestNamesTellApart(t *testing.T) {
	t.Parallel()
	fieldtest.Only(t, missedKey, "Terms.Business", "Terms.Owner", "Terms.Start", "ID")
	fieldtest.All(t, draftKey, opKey, eventKey, txKey, receiptKey, idemKey, codeOf, dayKey, lockKey.item)
	fieldtest.Only(t, lockKey.name, "lockKey.business", "lockKey.offering", "lockKey.slot", "lockKey.token")
}
