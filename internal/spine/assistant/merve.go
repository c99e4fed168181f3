package assistant

import (
	"merve/internal/tenant/channel"
	"merve/internal/words/wording"
)

// Merve is the concierge who answers consumers.
func Merve() Assistant {
	return Assistant{
		Name:     "merve",
		Types:    []channel.ThreadType{channel.General},
		Greeting: wording.Greeting,
		Photos:   true,
		Tools: append(finding(),
			"searchMarketplace", "getListing", "getMenu", "initiateBooking", "createPaymentIntent", "getPaymentStatus", "getMyBookings", "cancelBooking", "rescheduleBooking", "joinWaitlist", "leaveWaitlist", "setReminder",
			"orderFood", "bookService", "scheduleViewing", "getMyOrders", "cancelOrder",
			"searchLocalPlaces", "getNearbyPlaces", "findPharmacy",
			"requestTaxi", "getTaxiStatus", "cancelTaxi",
			"sendWhatsAppMessage", "askForPerson", "answerQuestion",
		),
	}
}
