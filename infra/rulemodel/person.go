package rulemodel

// isForPerson reports whether a folded message asks for a human, rather than whether this is one.
func isForPerson(h string) bool {
	return (toPerson.MatchString(h) || heard("asking person", h)) && !whoAre.MatchString(h) && !heard("who are you", h)
}

// handOver gives the conversation to a person; the backend tells the customer.
func (a *agent) handOver() reply {
	r, done := a.done("askForPerson")
	switch {
	case !done:
		return a.must("askForPerson", map[string]any{"reason": reasonOf(a.last().text)})
	case r.failed != nil:
		return a.wrong(r.failed)
	}
	return say(a.v["handed"])
}

// reasonOf is what a person is needed for, in the words of who asks.
func reasonOf(text string) string {
	if reason := clean(text, 300); reason != "" {
		return reason
	}
	return "asks for a person"
}
