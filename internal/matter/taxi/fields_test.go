package taxi

import (
	"testing"

	"merve/internal/base/fieldtest"
)

// A YES is to all that a ride says but for how it came about and what becomes of it.
func TestAProposalIsAllThatIsShown(t *testing.T) {
	t.Parallel()
	fieldtest.AllBut(t, OfferHash,
		"Thread", "Code", "Status", "TimeZone", "Language", "CustomerName", "Bounds (more)", "Bounds", "Hash",
		"Receipt.PendingID", "Receipt.OfferHash", "Receipt.MessageID", "Receipt.Answer", "Receipt.Actor", "Receipt.At", "Receipt.PolicyVersion", "Receipt.Trace", "Receipt.Payment",
		"Driver.ID", "Driver.Name", "Driver.Phone", "Driver.Vehicle", "Driver.Plate",
		"Attempt", "Offered (more)", "Offered", "Excluded (more)", "Excluded",
		"CreatedAt", "RequestedAt", "AssignedAt", "ArrivedAt", "EndedAt", "CancelledBy", "UpdatedAt", "DueAt", "Version")
}

func TestNamesTellApart(t *testing.T) {
	t.Parallel()
	fieldtest.Only(t, eventKey, "ID", "Ride", "Owner")
	fieldtest.Only(t, func(r Ride, e Event, typ, to string) string { return news{ride: r, event: e}.key(typ, to) },
		"Ride.ID", "Event.ID", "argument 3", "argument 4")
	fieldtest.All(t, rideKey, openKey, forgetKey, codeKey, offerKey, activeKey, newID, codesOf, driverKey, phoneKey, availableKey)
}
