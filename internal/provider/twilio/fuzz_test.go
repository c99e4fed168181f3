package twilio_test

import (
	"errors"
	"go/ast"
	"go/parser"
	gotoken "go/token"
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"merve/internal/base/fault"
	"merve/internal/provider/twilio"
)

// FuzzVerify checks that no input panics, that what is signed is taken, and that one
// more byte of signature is not.
func FuzzVerify(f *testing.F) {
	f.Add(docsURL, []byte("Body=hi&n=2&n=1&n=2"), formType, "RSOYDt4T1cUTdK1PDd93/VVr8B8=")
	f.Add("https://[::1]:8080/s?a=%40%zz", []byte("a;b=%"), jsonType, "")
	f.Add("://", []byte{}, "", "=")
	f.Add(docsURL+"&bodySHA256="+jsonHash, []byte(jsonBody), jsonType, "a9nBmqA0ju/hNViExpshrM61xv4=")
	f.Fuzz(func(t *testing.T, address string, body []byte, contentType, signature string) {
		if err := twilio.Verify("", address, body, contentType, signature); !errors.Is(err, twilio.ErrNoToken) {
			t.Errorf("without a token: %v", err)
		}
		if twilio.Verify(token, address, body, contentType, signature) == nil &&
			twilio.Verify(token, address, body, contentType, signature+"x") == nil {
			t.Error("takes a signature and what is not that signature")
		}
		if _, err := url.Parse(address); err != nil || address == "" {
			return
		}
		if u, _ := url.Parse(address); u.Query().Get("bodySHA256") == "" {
			if err := twilio.Verify(token, address, nil, contentType, signed(token, address)); err != nil {
				t.Errorf("signed over the address: %v", err)
			}
			form, err := url.ParseQuery(string(body))
			if err != nil || len(body) > twilio.MaxWebhook || len(form) > 500 {
				return
			}
			text := address
			for _, name := range slices.Sorted(maps.Keys(form)) {
				values := slices.Compact(slices.Sorted(slices.Values(form[name])))
				text += name + strings.Join(values, name)
			}
			if err := twilio.Verify(token, address, body, formType, signed(token, text)); err != nil {
				t.Errorf("signed over address and form: %v", err)
			}
			more := "x"
			for form.Has(more) {
				more += "x"
			}
			if err := twilio.Verify(token, address, append(slices.Clone(body), "&"+more...), formType, signed(token, text)); err == nil {
				t.Error("takes a form with a parameter more than was signed")
			}
		}
	})
}

// FuzzParseInbound checks that a message is either usable or refused with its field.
func FuzzParseInbound(f *testing.F) {
	f.Add(inbound().Encode())
	f.Add(inbound("From", "whatsapp:"+userID, "NumMedia", "1", "MediaUrl0", "https://a.test/0").Encode())
	f.Add(inbound("Latitude", "1e400", "Longitude", "-0").Encode())
	f.Add("MessageSid=SM1&From=whatsapp:%2B1&NumMedia=99999999999999999999")
	f.Fuzz(func(t *testing.T, body string) {
		form, err := twilio.Form([]byte(body))
		if err != nil {
			return
		}
		in, err := twilio.ParseInbound(form)
		if err != nil {
			refusedByField(t, err)
			return
		}
		switch {
		case in.SID == "" || in.From == "" || in.To == "":
			t.Errorf("incomplete: %+v", in)
		case in.Phone == "" && in.UserID == "":
			t.Errorf("from nobody: %+v", in)
		case in.Phone != "" && (in.Phone != in.From || !twilio.IsPhone(in.Phone)):
			t.Errorf("phone %q made of %q", in.Phone, in.From)
		case !utf8.ValidString(in.Body) || !utf8.ValidString(in.ProfileName) || !utf8.ValidString(in.Button.Text):
			t.Errorf("not UTF-8: %+v", in)
		case len(in.Media) > 10:
			t.Errorf("%d attachments", len(in.Media))
		case in.Location != nil && !(in.Location.Lat >= -90 && in.Location.Lat <= 90 && in.Location.Lng >= -180 && in.Location.Lng <= 180):
			t.Errorf("nowhere: %+v", *in.Location)
		}
	})
}

// FuzzParseStatus checks that a status is either known or refused with its field.
func FuzzParseStatus(f *testing.F) {
	f.Add("MessageSid=SM1&MessageStatus=delivered")
	f.Add("SmsSid=SM1&SmsStatus=failed&ErrorCode=-1&ErrorMessage=%ff")
	f.Add("MessageSid=&MessageStatus=odd")
	f.Fuzz(func(t *testing.T, body string) {
		form, err := twilio.Form([]byte(body))
		if err != nil {
			return
		}
		s, err := twilio.ParseStatus(form)
		switch {
		case err != nil:
			refusedByField(t, err)
		case s.SID == "" || s.State == "":
			t.Errorf("incomplete: %+v", s)
		case (s.State == twilio.Failed) != (s.Reason() != ""):
			t.Errorf("%s with reason %q", s.State, s.Reason())
		}
	})
}

func refusedByField(t *testing.T, err error) {
	t.Helper()
	var refused *fault.Error
	if !errors.As(err, &refused) || refused.Kind != fault.Invalid || refused.Field == "" {
		t.Errorf("%v: want an error that names a field", err)
	}
}

// The vector is that of Twilio's libraries for Python, PHP and JavaScript.
func TestField08_DuplicateParameterVector(t *testing.T) {
	t.Parallel()
	body := []byte("Sid=CA123&SidAccount=AC123&Digits=5678&Digits=1234&Digits=1234")
	if err := twilio.Verify(token, docsURL, body, formType, "IK+Dwps556ElfBT0I3Rgjkr1wJU="); err != nil {
		t.Error(err)
	}
}

// The signature that came is compared in constant time, and in no other way.
func TestSignatureIsComparedInConstantTime(t *testing.T) {
	t.Parallel()
	file, err := parser.ParseFile(gotoken.NewFileSet(), "signature.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	uses, compared := 0, 0
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			return n.Name.Name == "VerifyAny"
		case *ast.CallExpr:
			if f, ok := n.Fun.(*ast.SelectorExpr); ok && f.Sel.Name == "ConstantTimeCompare" {
				compared++
			}
		case *ast.Ident:
			if n.Name == "signature" && n.Obj != nil {
				uses++
			}
		}
		return true
	})
	if uses != 2 || compared != 1 { // the parameter, and the comparison
		t.Errorf("signature is used %d times, and compared in constant time %d times", uses, compared)
	}
}
