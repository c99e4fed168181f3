package booking

import (
	"testing"

	"merve/internal/base/fieldtest"
)

func TestNamesTellApart(t *testing.T) {
	t.Parallel()
	fieldtest.Only(t, waitedKey, "ID")
	fieldtest.Only(t, waitID, "Business", "Offering", "Owner", "Start", "End")
	fieldtest.Only(t, offerKey, "ID", "Since")
	fieldtest.Only(t, waitKey, "ID", "Terms.Business", "Terms.Offering", "Terms.Start", "Since")
	fieldtest.Only(t, ownWaitKey, "ID", "Terms.Owner", "Terms.Start")
	fieldtest.All(t, remindedKey, reminderKey)
}
