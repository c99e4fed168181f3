package wording

// sections are the headings of a damage report, by what they are called inside.
var sections = map[string]Key{
	"description": SectionDescription, "property": SectionProperty, "location": SectionLocation, "cause": SectionCause,
	"occurredAt": SectionOccurredAt, "severity": SectionSeverity, "safety": SectionSafety, "injuries": SectionInjuries,
	"access": SectionAccess, "contact": SectionContact, "insurance": SectionInsurance, "other": SectionOther,
}

// Section is the heading of a section of a damage report; one that has none is called as it
// is inside.
func Section(lang, name string) string {
	if key, ok := sections[name]; ok {
		return in(lang).plain(key)
	}
	return name
}
