package tool

import (
	"cmp"
	"strings"

	"merve/internal/base/fault"
	"merve/internal/words/language"
)

// Contact is what a customer says of how they are called and reached. It identifies nobody: a number that
// somebody claims gives them no role.
type Contact struct {
	Name  string
	Phone string // digits, with + before them or without
}

// maxContactName is the longest name of a customer, in characters.
const maxContactName = 80

// WithContact returns c with the name and number that the customer gave for this, else those that they gave before.
// If the business must know its customer, neither may be missing.
func (c Context) WithContact(name, phone *string, required bool) (Context, error) {
	c.Contact.Name = language.Clip(cmp.Or(strings.TrimSpace(Value(name)), c.Contact.Name, c.Actor.Name), maxContactName)
	c.Contact.Phone = cmp.Or(c.Contact.Phone, c.Actor.Phone)
	if given := Value(phone); given != "" {
		var err error
		if c.Contact.Phone, err = ParsePhone(given); err != nil {
			return c, err
		}
	}
	switch {
	case !required:
	case c.Contact.Name == "":
		return c, fault.Field("name", "this business wants a name and a phone number first: ask the customer for both, and never make them up")
	case c.Contact.Phone == "":
		return c, fault.Field("phone", "this business wants a phone number first: ask the customer for it, and never make it up")
	}
	return c, nil
}

// ParsePhone takes a number as people write it, in the digits of any script.
func ParsePhone(s string) (string, error) {
	number := strings.Map(func(r rune) rune {
		switch {
		case r >= '0' && r <= '9', r == '+':
			return r
		case strings.ContainsRune(" -()./", r):
			return -1
		}
		return 'x'
	}, language.Digits(s))
	n := len(strings.TrimPrefix(number, "+"))
	if strings.Contains(number, "x") || strings.LastIndex(number, "+") > 0 || n < 6 || n > 15 {
		return "", fault.Field("phone", "want a phone number of 6 to 15 digits: ask the customer for it again")
	}
	return number, nil
}
