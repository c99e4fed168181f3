package web

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"time"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"

	"merve/internal/words/wording"
)

// reportPage is a report in the words of its language.
type reportPage struct {
	ReportView
	say words
}

func (p reportPage) node() g.Node {
	return secret(p.say, cmp.Or(p.Title, p.say.Report),
		h.Main(
			p.header(),
			p.facts(),
			g.Map(p.Sections, func(s ReportSection) g.Node {
				return h.Section(h.H2(customers(), g.Text(s.Name)), h.P(h.Class("said"), customers(), g.Text(s.Text)))
			}),
			p.photos(),
			p.sketch(),
			p.footer(),
		),
	)
}

// none is a page that says why there is no report on it.
func none(say words, title, text string) g.Node {
	return secret(say, title, h.Main(h.Class("none"), h.H1(g.Text(title)), h.P(g.Text(text))))
}

// secret is a page with a secret address.
func secret(say words, title string, body ...g.Node) g.Node {
	meta := g.Group{
		h.Meta(h.Name("robots"), h.Content("noindex, nofollow, noarchive")),
		h.Meta(h.Name("referrer"), h.Content("no-referrer")),
	}
	return document(say, title, "width=device-width, initial-scale=1", meta, body...)
}

// customers marks text in the customer's language, which has a direction of its own.
func customers() g.Node { return h.Dir("auto") }

func (p reportPage) header() g.Node {
	return h.Header(
		g.If(p.Title != "", h.P(h.Class("kind"), g.Text(p.say.Report))),
		h.H1(customers(), g.Text(cmp.Or(p.Title, p.say.Report))),
		h.P(h.Class("status"), h.Data("status", p.Status),
			h.Span(h.Class("unseen"), g.Text(p.say.Status+": ")), g.Text(p.say.StatusOf(p.Status))),
	)
}

func (p reportPage) facts() g.Node {
	fact := func(name string, value g.Node) g.Node { return h.Div(h.Dt(g.Text(name)), value) }
	facts := g.Group{fact(p.say.Address, h.Dd(customers(), g.Text(cmp.Or(p.Address, p.say.NoAddress))))}
	if at := p.place(); at != nil {
		facts = append(facts, fact(p.say.Coordinates, h.Dd(g.El("bdi", h.Dir("ltr"), g.Text(at.String())))))
	}
	if !p.Created.IsZero() {
		facts = append(facts, fact(p.say.Created, h.Dd(p.time(p.Created))))
	}
	if !p.Updated.IsZero() {
		facts = append(facts, fact(p.say.Updated, h.Dd(p.time(p.Updated))))
	}
	return h.Dl(h.Class("facts"), facts)
}

func (p reportPage) photos() g.Node {
	var shown g.Node = h.P(g.Text(p.say.NoPhotos))
	if len(p.Photos) > 0 {
		var list g.Group
		for i, photo := range p.Photos {
			caption := cmp.Or(photo.Caption, fmt.Sprintf("%s %d", p.say.Photo, i+1))
			list = append(list, h.Li(figure(link(photo.URL), caption)))
		}
		shown = h.Ul(h.Class("photos"), list)
	}
	return h.Section(h.H2(g.Text(p.say.Photos)), shown)
}

// figure shows a photo, or only its caption when it has no address.
func figure(address, caption string) g.Node {
	return h.Figure(
		g.If(address != "", h.A(h.Href(address), h.Rel("noopener noreferrer nofollow"),
			h.Img(h.Src(address), h.Alt(caption), h.ReferrerPolicy("no-referrer"), g.Attr("decoding", "async")))),
		h.FigCaption(customers(), g.Text(caption)),
	)
}

// sketch draws where the damage is, for nothing is loaded from a map's server.
func (p reportPage) sketch() g.Node {
	at := p.place()
	if at == nil {
		return nil
	}
	return h.Section(h.Class("place"),
		h.H2(g.Text(p.say.Map)),
		h.SVG(h.Class("sketch"), g.Attr("viewBox", "0 0 320 200"), h.Role("img"), h.Aria("label", p.say.Sketch),
			g.El("rect", h.Class("ground"), h.Width("320"), h.Height("200")),
			g.Map(at.Meridians(), meridian),
			g.Map(at.Parallels(), parallel),
			stroke("scale", "M208 16v8h100v-8"),
			label("258", "17", "100 m", g.Attr("text-anchor", "middle")),
			stroke("north", "M18 36V10m-6 8 6-9 6 9"),
			label("28", "22", "N", nil),
			stroke("pin", "M160 100c0-14-17-19-17-35a17 17 0 1 1 34 0c0 16-17 21-17 35zm0-29a6 6 0 1 0 0-12 6 6 0 0 0 0 12z"),
		),
		h.P(h.A(h.Class("map"), h.Href(at.Map()), h.Target("_blank"), h.Rel("noopener noreferrer nofollow"), g.Text(p.say.OpenMap))),
	)
}

func meridian(l gridLine) g.Node {
	return g.Group{stroke("line", "M"+pixels(l.At)+" 0V200"), label(pixels(l.At), "196", l.Label, g.Attr("dx", "3"))}
}

func parallel(l gridLine) g.Node {
	return g.Group{stroke("line", "M0 "+pixels(l.At)+"H320"), label("4", pixels(l.At), l.Label, g.Attr("dy", "-4"))}
}

func stroke(class, line string) g.Node { return g.El("path", h.Class(class), g.Attr("d", line)) }

func label(x, y, said string, shifted g.Node) g.Node {
	return g.El("text", g.Attr("x", x), g.Attr("y", y), shifted, g.Text(said))
}

func pixels(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

func (p reportPage) footer() g.Node {
	return h.Footer(
		g.Iff(!p.ExpiresAt.IsZero(), func() g.Node { return h.P(g.Text(p.say.Expires+" "), p.time(p.ExpiresAt)) }),
		h.P(g.Text(p.say.Shared)),
	)
}

// time words t in the page's language and zone.
func (p reportPage) time(t time.Time) g.Node {
	zone := p.Zone
	if zone == nil {
		zone = time.UTC
	}
	return h.Time(h.DateTime(t.UTC().Format("2006-01-02T15:04:05Z")), g.Text(wording.WhenZone(p.say.Tag, t.In(zone), time.Time{})))
}

// place returns where the damage is, or nil if that is unknown.
func (p reportPage) place() *place {
	if p.Lat == nil || p.Lng == nil || !(math.Abs(*p.Lat) <= 90) || !(math.Abs(*p.Lng) <= 180) {
		return nil
	}
	return &place{*p.Lat, *p.Lng}
}
