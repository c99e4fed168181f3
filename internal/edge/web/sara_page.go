package web

import (
	"net/url"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"
)

// saraPage is the page of the damage report assistant in one language, for a market or for none.
type saraPage struct {
	say    words
	market string
}

func (p saraPage) node() g.Node {
	return document(p.say, p.say.Sara,
		"width=device-width, initial-scale=1, viewport-fit=cover, interactive-widget=resizes-content",
		h.Meta(h.Name("description"), h.Content(p.say.Lead)),
		h.Main(p.header(), p.steps(), p.footer()),
		p.widget(),
	)
}

func (p saraPage) header() g.Node {
	return h.Header(
		h.Img(h.Src("/sara/sara.svg"), h.Alt(""), h.Width("64"), h.Height("64")),
		h.H1(g.Text(p.say.Sara)),
		h.P(h.Class("lead"), g.Text(p.say.Lead)),
		h.NoScript(h.P(h.Class("notice"), g.Text(p.say.NoScript))),
	)
}

func (p saraPage) steps() g.Node {
	return h.Section(
		h.H2(g.Text(p.say.How)),
		h.Ol(h.Class("steps"), g.Map(p.say.Steps[:], func(step string) g.Node { return h.Li(g.Text(step)) })),
		h.P(h.Class("begin"), g.Text(p.say.Begin)),
	)
}

func (p saraPage) footer() g.Node {
	return h.Footer(
		h.P(g.Text(p.say.Computer)),
		h.P(g.Text(p.say.Device)),
		h.Nav(h.Aria("label", p.say.Languages), h.Ul(h.Class("languages"), g.Map(allWords(), p.language))),
	)
}

// language is the way to the page in another language.
func (p saraPage) language(other words) g.Node {
	address := "/sara?language=" + url.QueryEscape(other.Tag)
	if p.market != "" {
		address += "&market=" + url.QueryEscape(p.market)
	}
	return h.Li(h.A(h.Href(address), h.Lang(other.Tag), g.Attr("hreflang", other.Tag),
		g.If(other.Tag == p.say.Tag, h.Aria("current", "true")), g.Text(other.Name)))
}

// widget is the script tag that any site uses to embed the widget.
func (p saraPage) widget() g.Node {
	return h.Script(h.Src("/sara.js"), h.Async(),
		h.Data("title", p.say.Report), h.Data("language", p.say.Tag), h.Data("color", "#0e5a5e"),
		g.If(p.market != "", h.Data("market", p.market)))
}
