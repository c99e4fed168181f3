package admin_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"merve/internal/edge/api/apitest"
)

// saved puts a body to an address of the admin API; it is refused as the document says, or
// saved, and what was saved can be saved again and stays as it is.
func saved(t *testing.T, s *apitest.Service, target, body string, want []string) {
	t.Helper()
	put := func(body string) (answer, map[string]any) {
		a := s.CallTo(t, s.Front, "PUT", target, body, apitest.Staff()...)
		if a.Status >= 500 {
			t.Errorf("status %d: %s", a.Status, a.Body)
		}
		if a.Status != http.StatusOK {
			return a, nil
		}
		d := json.NewDecoder(bytes.NewReader(a.Body))
		d.UseNumber()
		var got map[string]any
		if err := d.Decode(&got); err != nil {
			t.Error(err)
		}
		return a, got
	}
	first, got := put(body)
	if got == nil {
		return
	}
	again, same := put(string(first.Body))
	for _, name := range want {
		delete(got, name)
		delete(same, name)
	}
	if diff := cmp.Diff(got, same); again.Status != http.StatusOK || diff != "" {
		t.Errorf("%s saved again: status %d: %s\n%s", first.Body, again.Status, again.Body, diff)
	}
	if !utf8.Valid(first.Body) {
		t.Errorf("not UTF-8: %q", first.Body)
	}
}

func FuzzMarketBody(f *testing.F) {
	s, _ := apitest.Fuzzed(f)
	for _, body := range []string{
		`{}`, `{"name":"New","languages":["en","tr"],"language":"tr","currency":"TRY","timeZone":"Europe/Istanbul"}`,
		`{"safety":{"maxRounds":3,"requireConfirmFor":["searchMarketplace"]},"tools":{"cancelBooking":{"enabled":false,"allowedTags":["a"]}}}`,
		`{"templates":{"booking_confirmed":"{code}"},"whatsapp":{"from":"+15550100","templates":{"merchant":{"contentSid":"HX1","params":["code"]}}}}`,
		`{"gate":null,"quietMs":1e9}`, `{"version":9223372036854775808}`, `{"updatedAt":"9999-99-99"}`, `{"id":"demo"}`,
	} {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body string) {
		saved(t, s, "/admin/api/markets/fuzz", body, []string{"version", "updatedAt"})
	})
}

func FuzzListingBody(f *testing.F) {
	s, _ := apitest.Fuzzed(f)
	for _, body := range []string{
		`{"businessId":"b","domain":"d","category":"c","names":{"en":"x"}}`,
		`{"businessId":"b","domain":"d","category":"c","names":{"en":"x"},"location":{"lat":5e-324,"lng":-180},"tags":["a",""],"image":"https://example.com/a"}`,
		`{"businessId":"b","domain":"d","category":"c","names":{"en":"x"},"offerings":[{"id":"o","timeZone":"Asia/Nicosia","capacity":2,"horizonDays":30,"unit":"slot","slotMinutes":30,"durationMinutes":60,"minParty":1,"maxParty":4,"currency":"EUR","per":"person","hours":{"mon":[{"from":"09:00","to":"24:00"}]},"closed":["2026-12-25"]}]}`,
		`{"businessId":"b#c","domain":"d","category":"c","names":{"xx":"x"},"merve":{"enabled":true,"whatsappE164":"+15550100","actions":[{"type":"book","enabled":true,"templates":{"merchant":"{code"}}]}}`,
		`{"names":{"en":null},"location":{}}`,
	} {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body string) {
		saved(t, s, "/admin/api/markets/fuzz/listings/l1", body, []string{"version", "updatedAt"})
	})
}

// A cursor is taken exactly when the document says so, in each list.
func FuzzHistoryCursor(f *testing.F) {
	s, _ := apitest.Fuzzed(f)
	for _, c := range []string{"", "0.0", "12345678.9999", "01.0", "1.00", "1.", ".1", "-1.0", "1.0.0", "+1.0", "1e1.0", "99999999999999999999.1", "\u0661.0", "1.0\n", "eyJwayI6IngifQ", "e30", "latest", "\xff", "%00"} {
		f.Add(c)
	}
	shape := regexp.MustCompile(`^((0|[1-9][0-9]{0,7})\.(0|[1-9][0-9]{0,3}))?$`)
	f.Fuzz(func(t *testing.T, cursor string) {
		query := "?after=" + url.QueryEscape(cursor)
		if len(query) > 900 {
			return
		}
		a := s.CallTo(t, s.Front, "GET", "/admin/api/threads/th_x/messages"+query, nil, apitest.Staff()...)
		if ok := a.Status == http.StatusNotFound; ok != shape.MatchString(cursor) || !ok && a.Status != http.StatusBadRequest { // there is no such thread
			t.Errorf("%q: status %d: %s", cursor, a.Status, a.Body)
		}
		for _, target := range []string{"/admin/api/alerts", "/admin/api/transactions", "/admin/api/audit"} {
			a := s.CallTo(t, s.Front, "GET", target+query+"&businessId=b&threadId=x", nil, apitest.Staff()...)
			if a.Status != http.StatusOK && a.Status != http.StatusBadRequest {
				t.Errorf("%s: %q: status %d: %s", target, cursor, a.Status, a.Body)
			}
		}
	})
}
