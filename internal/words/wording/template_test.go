package wording

import (
	"strings"
	"testing"
	"unicode/utf8"

	"merve/internal/base/fault"
)

func TestRender(t *testing.T) {
	t.Parallel()
	vars := Vars{"customerName": "Ayşe", "bookingCode": "X12", "listingID": "L7", "price": "{bookingCode}", "party_size": "own", "partySize": "4"}
	tests := []struct{ name, template, want string }{
		{"none", "Hello", "Hello"},
		{"camel case", "{customerName} ({bookingCode})", "Ayşe (X12)"},
		{"snake case", "{customer_name} {booking_code} {listing_id}", "Ayşe X12 L7"},
		{"snake case of its own", "{partySize} {party_size}", "4 own"},
		{"unknown", "Hello {nobody}!", "Hello !"},
		{"value not expanded", "{price}", "{bookingCode}"},
		{"literal braces", "{{customerName}} {{{customerName}}}", "{customerName} {Ayşe}"},
		{"lines and separators stay", "a · {nobody}\n{nobody}\nb", "a · \n\nb"},
		{"right to left later on", "Hello, שלום {customerName}", "Hello, שלום Ayşe"},
		{"right to left", "שלום {customerName}", "שלום \u2068Ayşe\u2069"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := Render(tt.template, vars)
			if err != nil || got != tt.want {
				t.Errorf("Render(%q) = %q, %v, want %q", tt.template, got, err, tt.want)
			}
		})
	}
}

func TestTemplateWithABraceOutOfPlace(t *testing.T) {
	t.Parallel()
	tests := []struct{ template, rendered string }{
		{"Hello {name", "Hello {name"},
		{"Hello name}", "Hello name}"},
		{"Hello {} there", "Hello {} there"},
		{"Hello {first name} {code}", "Hello {first name} X12"},
		{"Hello {1}", "Hello {1}"},
	}
	for _, tt := range tests {
		got, err := Render(tt.template, Vars{"code": "X12"})
		if got != tt.rendered || !fault.Is(err, fault.Invalid) {
			t.Errorf("Render(%q) = %q, %v, want %q and an invalid template", tt.template, got, err, tt.rendered)
		}
		if err := Validate(tt.template, []string{"code"}); !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), "brace out of place") {
			t.Errorf("Validate(%q) = %v, want a brace out of place", tt.template, err)
		}
	}
}

// The error quotes enough of a template to find the place, and no more.
func TestTemplateIsQuotedInPart(t *testing.T) {
	t.Parallel()
	for after, quoted := range map[int]int{5: 5, 19: 19, 20: 19, 500: 19} {
		err := Validate("Hello {"+strings.Repeat("+", after), nil)
		if want := `at "{` + strings.Repeat("+", quoted) + `": write`; err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%d characters: %v, want %s", after, err, want)
		}
	}
}

func TestValidate(t *testing.T) {
	t.Parallel()
	known := []string{"customerName", "code"}
	for _, template := range []string{"", "Hello", "{customerName} {customer_name} {code}", "{{anything}}"} {
		if err := Validate(template, known); err != nil {
			t.Errorf("Validate(%q) = %v", template, err)
		}
	}
	err := Validate("Hello {custommerName}", known)
	if want := "template: unknown variable {custommerName}; known are {code}, {customerName}"; err == nil || err.Error() != want {
		t.Errorf("Validate = %v, want %s", err, want)
	}
	if _, field := fault.Public(err); field != "template" {
		t.Errorf("field = %q, want template", field)
	}
}

func TestSnakeCase(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"code": "code", "bookingCode": "booking_code", "listingID": "listing_id", "IDText": "id_text",
		"line2Text": "line2_text", "already_snake": "already_snake", "_X": "_x", "HTMLBodyText": "html_body_text", "": "",
	} {
		if got := snakeCase(name); got != want {
			t.Errorf("snakeCase(%q) = %q, want %q", name, got, want)
		}
	}
}

// A template that can be saved renders without an error, values come out as they went
// in, and nothing in a value is taken for a variable.
func FuzzTemplate(f *testing.F) {
	for _, template := range []string{"{a}", "{{a}}", "{a}}", "{{{a}}}", "{b_c} {a} {nobody}", "}{", "{", "שלום {a}", "\xff{a}"} {
		for _, value := range []string{"v", "{a}", "{{", "\u2069", "\n{secret}"} {
			f.Add(template, value)
		}
	}
	f.Fuzz(func(t *testing.T, template, value string) {
		vars := Vars{"a": value, "bC": value, "secret": "never shown"}
		got, err := Render(template, vars)
		if valid := Validate(template, []string{"a", "bC", "nobody"}); valid == nil && err != nil {
			t.Errorf("Render(%q) = %v, but the template is valid", template, err)
		}
		if strings.Contains(got, "never shown") && !strings.Contains(template, "secret") && !strings.Contains(template, "never shown") && !strings.Contains(value, "never shown") {
			t.Errorf("Render(%q) with %q expanded a value: %q", template, value, got)
		}
		if utf8.ValidString(template) && utf8.ValidString(value) && !utf8.ValidString(got) {
			t.Errorf("Render(%q) with %q broke the encoding: %q", template, value, got)
		}
		escaped := strings.NewReplacer("{", "{{", "}", "}}").Replace(template)
		if literal, err := Render(escaped, vars); err != nil || literal != template {
			t.Errorf("Render(%q) = %q, %v, want %q", escaped, literal, err, template)
		}
	})
}
