package taxi

// SweepOnly has a store's rides swept by stores with the same name alone.
func (s *Store) SweepOnly(name string) { s.due = "ride-" + name }

// Vocabulary is every phrase that is a command, and what it is.
func Vocabulary() map[string]string {
	all := map[string]string{}
	for phrase, verb := range vocabulary() {
		all[phrase] = string(verb)
	}
	return all
}

// OtherWords are the words that are not in the catalogue.
func OtherWords() map[string][]string {
	all := map[string][]string{}
	for verb, words := range otherWords {
		all[string(verb)] = words
	}
	return all
}

// Read is read.
func Read(text string) (verb, code string, ok bool) {
	c, ok := read(text)
	return string(c.verb), c.code, ok
}

// CodesOf is codesOf.
func CodesOf(id string) []string { return codesOf(id) }

// IsCode is isCode.
func IsCode(s string) bool { return isCode(s) }

// NewID is newID.
func NewID(owner, key string) string { return newID(owner, key) }

// DueKind is dueKind.
func (s *Store) DueKind() string { return s.dueKind() }
