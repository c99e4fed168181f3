package web

import (
	"net/http"
	"time"
)

// ReportView is a damage report as shown to anybody who has a link to it.
type ReportView struct {
	Title    string // "" shows only that it is a damage report
	Status   string // pending, completed or resolved
	Address  string
	Lat, Lng *float64 // nil when the place is not known
	Sections []ReportSection
	Photos   []ReportPhoto

	Created, Updated time.Time
	ExpiresAt        time.Time // of the link

	Language string         // of the page, which is in English if we do not support it
	Zone     *time.Location // of its times; UTC when nil

	// ImageOrigin is where the photos are shown from; "" is the page's own origin. The browser
	// loads no photo from elsewhere.
	ImageOrigin string
}

// A ReportSection is one part of the description, in the customer's words.
type ReportSection struct{ Name, Text string }

// A ReportPhoto is shown from URL. Without a caption it has its number.
type ReportPhoto struct{ URL, Caption string }

// Report answers r with v as a page to read and print. It runs no script, is for nobody to
// store or to list, and tells no other site its address, which is the key to it.
func Report(w http.ResponseWriter, r *http.Request, v ReportView) {
	conceal(w.Header(), sources("img-src 'self'", v.ImageOrigin))
	say := wordsFor(v.Language, "")
	page(w, r, http.StatusOK, say, reportPage{v, say}.node())
}

// ReportGone answers that the link has expired, in the visitor's language.
func ReportGone(w http.ResponseWriter, r *http.Request) {
	conceal(w.Header(), "img-src 'self'")
	say := wordsFor("", r.Header.Get("Accept-Language"))
	page(w, r, http.StatusGone, say, none(say, say.Gone, say.GoneText))
}

// ReportMissing answers that no such link was given out, in the visitor's language.
func ReportMissing(w http.ResponseWriter, r *http.Request) {
	conceal(w.Header(), "img-src 'self'")
	say := wordsFor("", r.Header.Get("Accept-Language"))
	page(w, r, http.StatusNotFound, say, none(say, say.Missing, say.MissingText))
}

// conceal sets the headers of a page with a secret address.
func conceal(header http.Header, images string) {
	protect(header, policy(images))
	header.Set("Cache-Control", "no-store")
	header.Set("X-Robots-Tag", "noindex, nofollow, noarchive")
}
