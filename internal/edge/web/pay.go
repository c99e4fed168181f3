package web

import (
	"embed"
	"net/http"
	"strings"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"

	"merve/internal/words/wording"
)

//go:embed pay
var payFiles embed.FS

// PayView is a payment as shown to anybody who has its link.
type PayView struct {
	Summary  string // what the payment is for, in the page's language
	Amount   string // in words
	Until    string // until when it is held, in words
	State    PayState
	Language string // the page is in English if we do not support it

	// PublishableKey is the provider's for pages; "" says that cards cannot be taken.
	PublishableKey string
}

// PayState says what the customer can do on the page.
type PayState string

const (
	PayOpen     PayState = "open"     // to be paid
	PayPaid     PayState = "paid"     // and confirmed
	PayReturned PayState = "returned" // given back
)

// The provider's own script takes the card, in a frame of its own: no card's number ever comes
// near this page. https://docs.stripe.com/security/guide#content-security-policy
const (
	stripeScript = "https://js.stripe.com"
	stripeFrames = "https://js.stripe.com https://hooks.stripe.com"
	stripeAPI    = "https://api.stripe.com"
)

// payPolicy is [policy] without trusted types, which the provider's script does not promise,
// and with the provider's addresses where it is loaded.
func payPolicy(withProvider bool) string {
	own := "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
	if !withProvider {
		return own + "script-src 'none'"
	}
	return own + "script-src 'self' " + stripeScript + "; frame-src " + stripeFrames + "; connect-src 'self' " + stripeAPI
}

// Pay answers r with the page of a payment. It is for nobody to store or to list, and tells no
// other site its address, which is the key to it.
func Pay(w http.ResponseWriter, r *http.Request, v PayView) {
	pays := v.State == PayOpen && v.PublishableKey != ""
	concealPay(w.Header(), pays)
	say := wordsFor(v.Language, "")
	page(w, r, http.StatusOK, say, payPage{v, say, pays}.node())
}

// PayGone answers that the booking to pay for is no longer held, in the visitor's language.
func PayGone(w http.ResponseWriter, r *http.Request) { payNone(w, r, http.StatusGone, wording.PayGone) }

// PayMissing answers that no such link was given out, in the visitor's language.
func PayMissing(w http.ResponseWriter, r *http.Request) {
	payNone(w, r, http.StatusNotFound, wording.PayMissing)
}

func payNone(w http.ResponseWriter, r *http.Request, status int, key wording.Key) {
	concealPay(w.Header(), false)
	say := wordsFor("", r.Header.Get("Accept-Language"))
	title := wording.Say(say.Tag, wording.PayTitle, nil)
	page(w, r, status, say, payDocument(say, title, nil, h.Main(h.H1(g.Text(title)), h.P(g.Text(wording.Say(say.Tag, key, nil))))))
}

func concealPay(header http.Header, pays bool) {
	protect(header, payPolicy(pays))
	header.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
	header.Set("Cache-Control", "no-store")
	header.Set("X-Robots-Tag", "noindex, nofollow, noarchive")
}

// PayFiles returns the handler of the page's own files, below "/pay/static/".
func PayFiles() http.Handler {
	return &site{files: payFiles, policy: payPolicy(false), file: func(path string) string {
		return "pay/" + strings.TrimPrefix(path, "/pay/static/")
	}}
}

// payPage is a payment in the words of its language.
type payPage struct {
	PayView
	say  words
	pays bool
}

func (p payPage) text(key wording.Key, vars wording.Vars) string {
	return wording.Say(p.say.Tag, key, vars)
}

func (p payPage) node() g.Node {
	title := p.text(wording.PayTitle, nil)
	return payDocument(p.say, title, g.If(p.pays, g.Group{
		h.Script(h.Src(stripeScript+"/v3/"), h.Defer()),
		h.Script(h.Src("/pay/static/pay.js"), h.Defer()),
	}), h.Main(
		g.If(p.pays, g.Group{
			h.Data("key", p.PublishableKey), h.Data("checking", p.text(wording.PayChecking, nil)),
			h.Data("failed", p.text(wording.PayNotThrough, nil)), h.Data("trouble", p.text(wording.WentWrong, nil)),
		}),
		h.H1(g.Text(title)),
		h.P(h.Class("what"), customers(), g.Text(p.Summary)),
		h.Dl(h.Div(h.Dt(g.Text(p.text(wording.PayAmount, nil))), h.Dd(customers(), g.Text(p.Amount)))),
		p.todo(),
	))
}

// todo shows what the customer can do, or why there is nothing to do.
func (p payPage) todo() g.Node {
	switch {
	case p.State == PayPaid:
		return notice("good", p.text(wording.PayDone, nil))
	case p.State == PayReturned:
		return notice("", p.text(wording.PayGaveBack, nil))
	case !p.pays:
		return notice("warm", p.text(wording.PayOff, nil))
	}
	return g.Group{
		h.P(h.Class("soft"), g.Text(p.text(wording.PayHeld, wording.Vars{"until": p.Until}))),
		h.NoScript(notice("warm", p.text(wording.PayNoScript, nil))),
		h.Form(h.ID("form"), g.Attr("hidden"),
			h.Div(h.ID("card")),
			h.Button(h.Type("submit"), h.ID("pay"), g.Text(p.text(wording.PayButton, wording.Vars{"amount": p.Amount}))),
		),
		h.P(h.ID("said"), h.Role("status")),
	}
}

func notice(class, text string) g.Node {
	return h.P(h.Class(strings.TrimSpace("notice "+class)), g.Text(text))
}

// payDocument is a whole page about a payment.
func payDocument(say words, title string, scripts g.Node, body g.Node) g.Node {
	return h.Doctype(h.HTML(h.Lang(say.Tag), h.Dir(say.Dir()),
		h.Head(
			h.Meta(h.Charset("utf-8")),
			h.Meta(h.Name("viewport"), h.Content("width=device-width, initial-scale=1")),
			h.Meta(h.Name("robots"), h.Content("noindex, nofollow, noarchive")),
			h.Meta(h.Name("referrer"), h.Content("no-referrer")),
			h.Meta(h.Name("color-scheme"), h.Content("light dark")),
			h.TitleEl(g.Text(title)),
			h.Link(h.Rel("icon"), h.Href("/pay/static/pay.svg"), h.Type("image/svg+xml")),
			h.Link(h.Rel("stylesheet"), h.Href("/pay/static/pay.css")),
			scripts,
		),
		h.Body(body),
	))
}
