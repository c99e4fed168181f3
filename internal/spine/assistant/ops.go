package assistant

import (
	"merve/internal/tenant/channel"
	"merve/internal/words/wording"
)

// Ops helps those who run a business.
func Ops() Assistant {
	return Assistant{
		Name:  "ops",
		Types: []channel.ThreadType{channel.Ops},
		Tools: []string{"getBusinessDay", "getMyListings", "answerOrder", "setSoldOut", "setStock", "setClosed", "setOpeningHours", "markNoShow", "writeToCustomer", "askForPerson"},
	}
}

// Vendor answers vendors, in fixed words.
func Vendor() Assistant {
	return Assistant{Name: "vendor", Types: []channel.ThreadType{channel.Vendor}, Fixed: wording.VendorHelp}
}

// Dispatch answers drivers, in fixed words.
func Dispatch() Assistant {
	return Assistant{Name: "dispatch", Types: []channel.ThreadType{channel.Dispatch}, Fixed: wording.DispatchHelp}
}
