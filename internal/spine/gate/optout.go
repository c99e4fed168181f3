package gate

// Keyword is an instruction about being written to at all. The zero value is [None].
type Keyword int

const (
	None  Keyword = iota // an ordinary message
	Stop                 // send me nothing any more
	Start                // write to me again
)

func (k Keyword) String() string {
	switch k {
	case Stop:
		return "stop"
	case Start:
		return "start"
	}
	return "none"
}

// OptOut reports whether the whole of text opts out of messages or in again, in any
// of the ten languages; politeness, repetition and punctuation do not matter. A keyword
// inside a sentence gives None, and so do CANCEL and END: those answer a pending action.
func OptOut(text string) Keyword {
	v, err := words()
	if err != nil {
		return None // a test keeps the word files readable
	}
	switch said := v.read(text, keywords|polite); {
	case said.has(stop) && said.only(stop|neutral):
		return Stop
	case said.has(start) && said.only(start|neutral):
		return Start
	}
	return None
}
