package twilio_test

import (
	"errors"
	"math/rand/v2"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"merve/internal/base/fault"
	"merve/internal/provider/twilio"
)

const (
	sid    = "SM00000000000000000000000000000001"
	sender = "+15005550006"
	person = "+905325550142"
	userID = "TR.13491208655302741918"
)

// inbound is the form of a text, with pairs set over it. An empty value takes a
// parameter away.
func inbound(pairs ...string) url.Values {
	form := url.Values{
		"MessageSid": {sid}, "SmsMessageSid": {sid}, "SmsSid": {sid}, "AccountSid": {"AC00000000000000000000000000000000"},
		"From": {"whatsapp:" + person}, "To": {"whatsapp:" + sender}, "Body": {"merhaba"}, "NumMedia": {"0"},
		"ProfileName": {"Deniz"}, "WaId": {"905325550142"}, "ApiVersion": {"2010-04-01"},
	}
	for i := 0; i < len(pairs); i += 2 {
		if form.Set(pairs[i], pairs[i+1]); pairs[i+1] == "" {
			form.Del(pairs[i])
		}
	}
	return form
}

func TestParseInbound(t *testing.T) {
	t.Parallel()
	plain := twilio.Inbound{SID: sid, From: person, Phone: person, To: sender, Body: "merhaba", ProfileName: "Deniz", WaID: "905325550142"}
	with := func(change func(*twilio.Inbound)) twilio.Inbound {
		in := plain
		change(&in)
		return in
	}
	long := strings.Repeat("ş", 300)
	tests := []struct {
		name string
		form url.Values
		want twilio.Inbound
	}{
		{"text", inbound(), plain},
		{"empty text", inbound("Body", ""), with(func(in *twilio.Inbound) { in.Body = "" })},
		{"text with space and emoji", inbound("Body", " evet 👍\n"), with(func(in *twilio.Inbound) { in.Body = " evet 👍\n" })},
		{"unknown parameters", inbound("MessageType", "text", "ChannelMetadata", "{}", "Forwarded", "false"), with(func(in *twilio.Inbound) { in.Type = "text" })},
		{"media", inbound("NumMedia", "2", "MediaUrl0", "https://api.twilio.com/m/0", "MediaContentType0", "image/jpeg",
			"MediaUrl1", "https://api.twilio.com/m/1", "MediaContentType1", "audio/ogg"),
			with(func(in *twilio.Inbound) {
				in.Media = []twilio.Media{{"https://api.twilio.com/m/0", "image/jpeg"}, {"https://api.twilio.com/m/1", "audio/ogg"}}
			})},
		{"media beyond their number", inbound("NumMedia", "0", "MediaUrl0", "https://api.twilio.com/m/0"), plain},
		{"no number of media", inbound("NumMedia", ""), plain},
		{"location", inbound("Latitude", "35.3364", "Longitude", "33.3199", "Address", "Girne", "Label", "Liman"),
			with(func(in *twilio.Inbound) {
				in.Location = &twilio.Location{Lat: 35.3364, Lng: 33.3199, Address: "Girne", Label: "Liman"}
			})},
		{"place on the equator", inbound("Latitude", "0.0", "Longitude", "0.0"),
			with(func(in *twilio.Inbound) { in.Location = &twilio.Location{} })},
		{"button", inbound("ButtonPayload", "yes:pa_1", "ButtonText", "Evet", "OriginalRepliedMessageSid", "MM1"),
			with(func(in *twilio.Inbound) {
				in.Button, in.ReplyTo = twilio.Button{Payload: "yes:pa_1", Text: "Evet"}, "MM1"
			})},
		{"row of a list", inbound("ListId", "slot:2", "ListTitle", "20:00"),
			with(func(in *twilio.Inbound) { in.Button = twilio.Button{Payload: "slot:2", Text: "20:00"} })},
		{"older name of the SID", inbound("MessageSid", ""), plain},
		{"long name is cut", inbound("ProfileName", long), with(func(in *twilio.Inbound) { in.ProfileName = long[:512] })},
		{"broken UTF-8 is mended", inbound("Body", "a\xffb"), with(func(in *twilio.Inbound) { in.Body = "a\uFFFDb" })},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := twilio.ParseInbound(tt.form)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A tap as Twilio really sent it, with other names, numbers and ids.
func TestParseInboundRecorded(t *testing.T) {
	t.Parallel()
	body, err := os.ReadFile("testdata/button.form")
	if err != nil {
		t.Fatal(err)
	}
	form, err := twilio.Form([]byte(strings.TrimSpace(string(body))))
	if err != nil {
		t.Fatal(err)
	}
	got, err := twilio.ParseInbound(form)
	if err != nil {
		t.Fatal(err)
	}
	want := twilio.Inbound{
		SID: "SM0123456789abcdef0123456789abcdef", Type: "interactive", From: "+6285550100142", Phone: "+6285550100142", UserID: "ID.4500000000000001",
		To: "+14155238886", Body: "Konfirmasi", Button: twilio.Button{Payload: "{verifyEmail:test@example.com}", Text: "Konfirmasi"},
		ReplyTo: "MMfedcba9876543210fedcba9876543210", ProfileName: "Test", WaID: "6285550100142",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestParseInboundErrorsNameTheField(t *testing.T) {
	t.Parallel()
	tests := []struct {
		form  url.Values
		field string
	}{
		{inbound("MessageSid", "", "SmsMessageSid", "", "SmsSid", ""), "MessageSid"},
		{inbound("MessageSid", strings.Repeat("S", 1025)), "MessageSid"},
		{inbound("From", ""), "From"},
		{inbound("From", person), "From"},
		{inbound("From", "messenger:123"), "From"},
		{inbound("From", "whatsapp:905325550142"), "From"},
		{inbound("From", "whatsapp: 905325550142"), "From"},
		{inbound("From", "whatsapp:+0905325550142"), "From"},
		{inbound("From", "whatsapp:+90 532 555 01 42"), "From"},
		{inbound("From", "whatsapp:+1234567890123456"), "From"},
		{inbound("From", "whatsapp:TR."), "From"},
		{inbound("From", "whatsapp:TR.1 2"), "From"},
		{inbound("From", "whatsapp:"), "From"},
		{inbound("To", ""), "To"},
		{inbound("To", "whatsapp:x"), "To"},
		{inbound("NumMedia", "x"), "NumMedia"},
		{inbound("NumMedia", "-1"), "NumMedia"},
		{inbound("NumMedia", "11"), "NumMedia"},
		{inbound("NumMedia", "1"), "MediaUrl0"},
		{inbound("NumMedia", "2", "MediaUrl0", "https://a.test/0"), "MediaUrl1"},
		{inbound("NumMedia", "1", "MediaUrl0", "file:///etc/passwd"), "MediaUrl0"},
		{inbound("NumMedia", "1", "MediaUrl0", "https://a.test/"+strings.Repeat("a", 2048)), "MediaUrl0"},
		{inbound("Latitude", "91", "Longitude", "0"), "Latitude"},
		{inbound("Latitude", "0", "Longitude", "-180.1"), "Longitude"},
		{inbound("Latitude", "NaN", "Longitude", "0"), "Latitude"},
		{inbound("Latitude", "Inf", "Longitude", "0"), "Latitude"},
		{inbound("Latitude", "35.1"), "Longitude"},
		{inbound("ButtonPayload", strings.Repeat("x", 1025)), "ButtonPayload"},
		{inbound("OriginalRepliedMessageSid", "\xff"), "OriginalRepliedMessageSid"},
		{inbound("ExternalUserId", "whatsapp:"+person), "ExternalUserId"},
	}
	for _, tt := range tests {
		_, err := twilio.ParseInbound(tt.form)
		var f *fault.Error
		if !errors.As(err, &f) || f.Kind != fault.Invalid || f.Field != tt.field {
			t.Errorf("%v: %v, want an error on %s", tt.form, err, tt.field)
		}
	}
}

// The same message comes again, with its parameters in another order and under another
// id of the request: what is parsed, and with it the key of the message, is the same.
func TestField01_SameMessageAgain(t *testing.T) {
	t.Parallel()
	form := inbound("NumMedia", "1", "MediaUrl0", "https://api.twilio.com/m/0", "ExternalUserId", "whatsapp:"+userID)
	first, err := twilio.ParseInbound(form)
	if err != nil {
		t.Fatal(err)
	}
	names := make([]string, 0, len(form))
	for name := range form {
		names = append(names, name)
	}
	slices.Sort(names)
	rng := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		rng.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
		var body strings.Builder
		for _, name := range names {
			body.WriteString("&" + url.QueryEscape(name) + "=" + url.QueryEscape(form.Get(name)))
		}
		again, err := twilio.Form([]byte(body.String()[1:]))
		if err != nil {
			t.Fatal(err)
		}
		got, err := twilio.ParseInbound(again)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(first, got); diff != "" {
			t.Fatalf("delivered again (-first +again):\n%s", diff)
		}
	}
}

// A person may be known by a phone number, by a business-scoped id, or by both, and
// the id stays as it is in all of them.
func TestField36_Identity(t *testing.T) {
	t.Parallel()
	const long = "US.ENT.11815799212886844830"
	tests := []struct {
		name                string
		form                url.Values
		from, phone, userID string
	}{
		{"phone only", inbound(), person, person, ""},
		{"phone and id", inbound("ExternalUserId", "whatsapp:"+userID), person, person, userID},
		{"phone and id, later name of the parameter", inbound("ExternalUserIdentifier", "whatsapp:"+userID), person, person, userID},
		{"id without its channel", inbound("ExternalUserId", userID), person, person, userID},
		{"id only", inbound("From", "whatsapp:"+userID, "WaId", ""), userID, "", userID},
		{"id twice", inbound("From", "whatsapp:"+userID, "ExternalUserId", "whatsapp:"+userID, "WaId", ""), userID, "", userID},
		{"id of a group of businesses", inbound("From", "whatsapp:"+long, "WaId", ""), long, "", long},
		{"id whose digits look like a phone number", inbound("From", "whatsapp:AR.5491155550142", "WaId", ""), "AR.5491155550142", "", "AR.5491155550142"},
		{"id that was told as WaId", inbound("From", "whatsapp:"+userID, "WaId", "13491208655302741918"), userID, "", userID},
		{"digits in WaId make no phone number", inbound("From", "whatsapp:"+userID, "WaId", "905325550142"), userID, "", userID},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := twilio.ParseInbound(tt.form)
			if err != nil {
				t.Fatal(err)
			}
			if got.From != tt.from || got.Phone != tt.phone || got.UserID != tt.userID {
				t.Errorf("from %q phone %q user id %q, want %q, %q, %q", got.From, got.Phone, got.UserID, tt.from, tt.phone, tt.userID)
			}
		})
	}
}

// A reaction, and WhatsApp's own word that a number has changed, are nothing that was said.
func TestIsSaid(t *testing.T) {
	t.Parallel()
	for typ, want := range map[string]bool{"": true, "text": true, "audio": true, "unsupported": true, "reaction": false, "system": false} {
		if got := (twilio.Inbound{Type: typ}).IsSaid(); got != want {
			t.Errorf("%q: %v", typ, got)
		}
	}
}
