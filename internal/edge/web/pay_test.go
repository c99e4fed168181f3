package web

import (
	"html"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"merve/internal/words/language"
	"merve/internal/words/wording"
)

func paid(view PayView) (*http.Response, string) {
	w := httptest.NewRecorder()
	Pay(w, httptest.NewRequest("GET", "/pay/tx/token", nil), view)
	return w.Result(), w.Body.String()
}

func payView() PayView {
	return PayView{
		Summary: "Reef Divers · <b>Dive</b>", Amount: "€30.00", Until: "14:30", State: PayOpen, Language: "en", PublishableKey: "pk_test_not_real",
	}
}

// The page loads the provider's script where there is something to pay, and nothing foreign
// otherwise.
func TestPayPolicy(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*PayView){
		"open": func(*PayView) {}, "off": func(v *PayView) { v.PublishableKey = "" }, "paid": func(v *PayView) { v.State = PayPaid },
		"returned": func(v *PayView) { v.State = PayReturned },
	} {
		v := payView()
		change(&v)
		r, body := paid(v)
		pays := name == "open"
		want := map[string]string{"script-src": "script-src 'none'", "frame-src": "", "connect-src": "", "default-src": "default-src 'none'", "style-src": "style-src 'self'"}
		if pays {
			want["script-src"] = "script-src 'self' https://js.stripe.com"
			want["frame-src"] = "frame-src https://js.stripe.com https://hooks.stripe.com"
			want["connect-src"] = "connect-src 'self' https://api.stripe.com"
		}
		for directiveName, text := range want {
			if got := directive(r, directiveName); got != text {
				t.Errorf("%s: %q, want %q", name, got, text)
			}
		}
		if strings.Contains(body, "<script") != pays || strings.Contains(body, "pk_test") != pays || strings.Contains(body, "<form") != pays {
			t.Errorf("%s: %s", name, body)
		}
		if strings.Contains(body, "<b>") || !strings.Contains(body, "€30.00") {
			t.Errorf("%s: %s", name, body)
		}
		says := map[string]wording.Key{"open": wording.PayNoScript, "off": wording.PayOff, "paid": wording.PayDone, "returned": wording.PayGaveBack}[name]
		if !strings.Contains(body, html.EscapeString(wording.Say("en", says, nil))) {
			t.Errorf("%s: not said %q: %s", name, says, body)
		}
		for header, text := range map[string]string{"Cache-Control": "no-store", "Referrer-Policy": "no-referrer", "X-Robots-Tag": "noindex, nofollow, noarchive", "X-Frame-Options": "DENY"} {
			if got := r.Header.Get(header); got != text {
				t.Errorf("%s: %s: %q", name, header, got)
			}
		}
	}
}

func TestPayLanguages(t *testing.T) {
	t.Parallel()
	for _, lang := range language.Supported() {
		v := payView()
		v.Language = lang
		r, body := paid(v)
		dir := "ltr"
		if language.RTL(lang) {
			dir = "rtl"
		}
		if !strings.Contains(body, `<html lang="`+lang+`" dir="`+dir+`">`) || r.Header.Get("Content-Language") != lang ||
			!strings.Contains(body, "<h1>"+wording.Say(lang, wording.PayTitle, nil)+"</h1>") {
			t.Errorf("%s: %.300s", lang, body)
		}
	}
}

func TestPayNone(t *testing.T) {
	t.Parallel()
	for status, answer := range map[int]func(http.ResponseWriter, *http.Request){404: PayMissing, 410: PayGone} {
		w, r := httptest.NewRecorder(), httptest.NewRequest("GET", "/pay/tx/token", nil)
		r.Header.Set("Accept-Language", "tr")
		answer(w, r)
		if w.Code != status || !strings.Contains(w.Body.String(), "Ödeme") || strings.Contains(w.Body.String(), "<script") {
			t.Errorf("%d: %s", w.Code, w.Body)
		}
	}
}

func TestPayFiles(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]int{
		"/pay/static/pay.css": 200, "/pay/static/pay.js": 200, "/pay/static/pay.svg": 200, "/pay/static/none": 404, "/pay/static/../chat.html": 404, "/pay/static/": 404, "/pay/x/y": 404,
	} {
		r := get(t, PayFiles(), "GET", path, nil)
		if r.StatusCode != want || r.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %d, want %d", path, r.StatusCode, want)
		}
	}
	if r := get(t, PayFiles(), "POST", "/pay/static/pay.js", nil); r.StatusCode != 405 {
		t.Errorf("POST: %d", r.StatusCode)
	}
}
