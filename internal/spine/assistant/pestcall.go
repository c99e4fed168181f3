package assistant

import (
	"merve/internal/tenant/channel"
	"merve/internal/words/wording"
)

// PestCall answers the calls of a pest control company: it verifies the caller's account, and then makes, moves and
// cancels visits of technicians. Its Access opens the tools.
func PestCall() Assistant {
	return Assistant{
		Name:     "pestcall",
		Types:    []channel.ThreadType{channel.General},
		Greeting: wording.GreetingPestCall,
		Tools: []string{
			"crm.verifyAccount",
			"crm.listAppointments", "crm.listServices", "crm.findTimes",
			"crm.scheduleAppointment", "crm.rescheduleAppointment", "crm.cancelAppointment",
			"agent.talk", "askForPerson",
		},
	}
}
