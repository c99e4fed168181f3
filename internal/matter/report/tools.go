package report

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"merve/internal/agent/tool"
	"merve/internal/base/fault"
	"merve/internal/base/geo"
	"merve/internal/tenant/channel"
	"merve/internal/words/claim"
	"merve/internal/words/wording"
)

// Photos knows the pictures that customers have sent.
type Photos interface {
	// Kept returns the reference ("photo:…") of a photo of a thread, given that reference or the
	// address it came with. It fails with [fault.NotFound] when the thread has no such photo.
	Kept(ctx context.Context, thread, urlOrRef string) (ref string, err error)

	// Address returns the URL where a browser finds a photo; [fault.NotFound] if the photo is no longer kept.
	Address(ctx context.Context, ref string) (string, error)

	// Delete removes a photo. It is no error if the photo is no longer kept.
	Delete(ctx context.Context, ref string) error
}

// Places finds where an address is.
type Places interface {
	// Geocode returns what the text may mean, the likeliest first, none when there is nothing.
	Geocode(ctx context.Context, q geo.Query) ([]geo.Found, error)
}

// Reporter has the tools a model calls to keep a customer's damage reports.
type Reporter struct {
	Store  *Store
	Photos Photos
	Places Places // nil: addresses are kept as text
	Log    *slog.Logger

	// AskDelete writes the question that asks a report's owner to confirm its deletion;
	// nil asks in English.
	AskDelete func(language string, r Report) string
}

// Tools returns the declarations with their resolvers. The deletion needs the owner's confirmation; all
// other tools change only the customer's own drafts.
func (r *Reporter) Tools() []tool.Tool {
	remove := tool.New("delete_report", "Delete one of the customer's reports and the links to it, for good.", tool.Commit, r.remove)
	remove.Summary = tool.SummaryOf(r.summary)
	return []tool.Tool{
		draft(tool.New("start_damage_report",
			"Start a damage report. It is completed by itself when it has an address, and a photo or the customer's word that there is none.",
			tool.Propose, r.start)),
		draft(tool.New("update_damage_report_section",
			"Write down under one heading what the customer has told, in their words; it takes the place of what was there. Sections: "+
				sectionNames()+".", tool.Propose, r.section)),
		tool.New("get_report_details", "Give everything about one of the customer's reports.", tool.Read, r.details),
		tool.New("list_user_reports", "List the customer's own reports, newest first.", tool.Read, r.list),
		draft(tool.New("update_report_address",
			"Say where the damage is, and find it on the map. When the result has candidates, ask the customer which is meant, and call again with that one in full.",
			tool.Propose, r.address)),
		draft(tool.New("update_report_photos",
			"Set the photos of a report, in this order; give those that are to stay, too. Without photos, noPhotos says that the customer has none.",
			tool.Propose, r.photos)),
		remove,
		draft(tool.New("mark_report_resolved", "Mark a completed report as resolved when the customer says that it is dealt with. It cannot be changed afterwards.",
			tool.Propose, r.resolve)),
		draft(tool.New("create_time_limited_report_link", "Make a link by which others can look at a report for some time. Give the customer the url exactly as it is.",
			tool.Propose, r.share)),
	}
}

// draft marks a tool that changes only the customer's own draft and tells nobody.
func draft(t tool.Tool) tool.Tool {
	t.Draft = true
	return t
}

func sectionNames() string {
	names := []string{}
	for _, s := range Sections() {
		names = append(names, string(s))
	}
	return strings.Join(names, ", ")
}

// summary returns the question for the customer. It looks up the report, so that nobody says YES
// to an id, or to a report that does not exist.
func (r *Reporter) summary(ctx context.Context, tc tool.Context, a idArgs) (string, error) {
	found, err := r.Store.Get(ctx, byOf(tc), a.ReportID)
	if err != nil {
		return "", err
	}
	if r.AskDelete != nil {
		return r.AskDelete(tc.Language, found), nil
	}
	return fmt.Sprintf("Delete the damage report about %s for good, with its links", cmp.Or(wording.Quote("en", found.Address), "a place not named yet")), nil
}

// byOf says who acts: the customer, by all keys that are theirs, in the market they write to.
func byOf(tc tool.Context) By {
	return By{Actor: tc.Actor, Owners: tc.Actor.Keys(), Market: tc.Market.ID, Key: tc.Key}
}

// state is a report as the model sees it after each call.
type state struct {
	ReportID   string    `json:"reportId"`
	Status     Status    `json:"status"`
	Missing    []string  `json:"missing"` // for completion
	Address    string    `json:"address,omitempty"`
	Latitude   *float64  `json:"latitude,omitempty"`
	Longitude  *float64  `json:"longitude,omitempty"`
	Photos     int       `json:"photos"`
	NoPhotos   bool      `json:"noPhotos,omitempty"`
	Sections   []Section `json:"sections"` // those with content
	FoundAs    string    `json:"foundAs,omitempty"`
	Candidates []string  `json:"candidates,omitempty"`
	Note       string    `json:"note,omitempty"`
}

func stateOf(r Report) state {
	s := state{
		ReportID: r.ID, Status: r.Status, Missing: r.Missing(), Address: r.Address, Latitude: r.Lat, Longitude: r.Lng,
		Photos: len(r.Photos), NoPhotos: r.NoPhotos, Sections: []Section{},
	}
	for _, name := range Sections() {
		if r.Sections[name] != "" {
			s.Sections = append(s.Sections, name)
		}
	}
	return s
}

// changed is the result of a call that has changed rep. One that is complete has reached
// those who look at it, so that it may be called sent.
func changed(rep Report, s state) tool.Result {
	facts := []string{string(claim.Done)}
	if rep.Status == Completed {
		facts = append(facts, string(claim.Sent))
	}
	return tool.Result{
		Data: s, Map: rep.location(), Facts: facts,
		Memory: map[string]any{"reportId": rep.ID, "status": rep.Status},
	}
}

type startArgs struct {
	Address string `json:"address" jsonschema:"where the damage is, in the customer's words with street, number and town; empty when not said yet"`
}

func (r *Reporter) start(ctx context.Context, tc tool.Context, a startArgs) (tool.Result, error) {
	f := r.locate(ctx, tc, a.Address)
	rep, err := r.Store.Start(ctx, By{Actor: tc.Actor, Key: tc.Key}, Draft{Market: tc.Market.ID, Thread: tc.Thread, Spot: f.spot})
	if err != nil {
		return tool.Result{}, err
	}
	return changed(rep, f.onto(stateOf(rep))), nil
}

type sectionArgs struct {
	ReportID string `json:"reportId" jsonschema:"id of the report"`
	Section  string `json:"section" jsonschema:"description, property (what was damaged), location (where exactly, such as floor and room), cause, occurredAt, severity, safety (dangers now), injuries, access, contact, insurance or other"`
	Content  string `json:"content" jsonschema:"what the customer has told; empty takes the section off"`
}

func (r *Reporter) section(ctx context.Context, tc tool.Context, a sectionArgs) (tool.Result, error) {
	rep, err := r.Store.SetSection(ctx, byOf(tc), a.ReportID, Section(a.Section), a.Content)
	if err != nil {
		return tool.Result{}, err
	}
	return changed(rep, stateOf(rep)), nil
}

type addressArgs struct {
	ReportID string `json:"reportId" jsonschema:"id of the report"`
	Address  string `json:"address" jsonschema:"where the damage is, with street, number and town"`
}

func (r *Reporter) address(ctx context.Context, tc tool.Context, a addressArgs) (tool.Result, error) {
	f := r.locate(ctx, tc, a.Address)
	rep, err := r.Store.SetAddress(ctx, byOf(tc), a.ReportID, f.spot)
	if err != nil {
		return tool.Result{}, err
	}
	return changed(rep, f.onto(stateOf(rep))), nil
}

// found is the result of looking for a place.
type found struct {
	spot       geo.Spot
	as         string
	candidates []string
	note       string
}

// maxCandidates is how many places a customer is asked to choose from.
const maxCandidates = 3

// locate looks an address up. Whatever goes wrong there, the address is kept as text.
func (r *Reporter) locate(ctx context.Context, tc tool.Context, address string) found {
	f := found{spot: geo.Spot{Address: address}}
	if r.Places == nil || strings.TrimSpace(address) == "" {
		return f
	}
	places, err := r.Places.Geocode(ctx, geo.Query{Text: address, Language: tc.Language, Near: tc.Location, Within: tc.Market.Bounds, Limit: 3, Stored: true})
	switch {
	case err != nil && !fault.Is(err, fault.Invalid): // that is a text which is no address
		r.Log.WarnContext(ctx, "place not looked up", "kind", fault.KindOf(err))
		f.note = "the address is kept as text: it cannot be looked up on the map now"
		return f
	case len(places) == 0:
		f.note = "the address is kept as text: it was not found on the map. Ask whether street, number and town are right"
		return f
	}
	sure := slices.DeleteFunc(slices.Clone(places), func(p geo.Found) bool { return !p.Sure })
	if len(sure) > 0 {
		f.spot.Lat, f.spot.Lng, f.as = &sure[0].Lat, &sure[0].Lng, sure[0].Address
	}
	if len(sure) == 1 {
		return f
	}
	f.note = "the address may mean several places: ask which of the candidates is right"
	for _, p := range places[:min(len(places), maxCandidates)] {
		f.candidates = append(f.candidates, p.Address)
	}
	return f
}

// onto adds the result of a place search to what the model sees.
func (f found) onto(s state) state {
	s.FoundAs, s.Candidates, s.Note = f.as, f.candidates, f.note
	return s
}

type photoArgs struct {
	ReportID  string    `json:"reportId" jsonschema:"id of the report"`
	PhotoURLs []string  `json:"photoUrls" jsonschema:"references (photo:…) of photos that the customer has sent, or the addresses they came with; all that the report shall have, in order"`
	Captions  *[]string `json:"captions" jsonschema:"one for each photo, in the same order; null keeps those that there are"`
	NoPhotos  *bool     `json:"noPhotos" jsonschema:"true when the customer says that there are no photos; else null"`
}

func (r *Reporter) photos(ctx context.Context, tc tool.Context, a photoArgs) (tool.Result, error) {
	before, err := r.Store.Get(ctx, byOf(tc), a.ReportID)
	if err != nil {
		return tool.Result{}, err
	}
	photos, err := r.choose(ctx, tc.Thread, before, a)
	if err != nil {
		return tool.Result{}, err
	}
	rep, err := r.Store.SetPhotos(ctx, byOf(tc), a.ReportID, photos, a.NoPhotos != nil && *a.NoPhotos)
	if err != nil {
		return tool.Result{}, err
	}
	res := changed(rep, stateOf(rep))
	off := func(p Photo) bool {
		return !slices.ContainsFunc(rep.Photos, func(q Photo) bool { return q.Ref == p.Ref })
	}
	if slices.ContainsFunc(before.Photos, off) {
		res.Facts = append(res.Facts, string(claim.Deleted))
	}
	return res, nil
}

// choose returns the photos that the tool asks for, out of those of the report and
// those of the thread. A photo that is named twice is used once.
func (r *Reporter) choose(ctx context.Context, thread string, rep Report, a photoArgs) ([]Photo, error) {
	switch {
	case len(a.PhotoURLs) > MaxPhotos:
		return nil, fault.Field("photoUrls", "at most %d", MaxPhotos)
	case a.Captions != nil && len(*a.Captions) != len(a.PhotoURLs):
		return nil, fault.Field("captions", "want %d, one for each photo, or null", len(a.PhotoURLs))
	}
	var photos []Photo
	for i, url := range a.PhotoURLs {
		p, err := r.photo(ctx, thread, rep, url)
		if fault.Is(err, fault.NotFound) || fault.Is(err, fault.Invalid) {
			return nil, fault.Field(fmt.Sprintf("photoUrls[%d]", i), "is no photo that the customer has sent in this conversation, nor one of the report")
		}
		if err != nil {
			return nil, err
		}
		if a.Captions != nil {
			p.Caption = (*a.Captions)[i]
		}
		if !slices.ContainsFunc(photos, func(q Photo) bool { return q.Ref == p.Ref }) {
			photos = append(photos, p)
		}
	}
	return photos, nil
}

func (r *Reporter) photo(ctx context.Context, thread string, rep Report, url string) (Photo, error) {
	has := func(ref string) int { return slices.IndexFunc(rep.Photos, func(p Photo) bool { return p.Ref == ref }) }
	if i := has(url); i >= 0 {
		return rep.Photos[i], nil
	}
	ref, err := r.Photos.Kept(ctx, thread, url)
	if err != nil {
		return Photo{}, err
	}
	if i := has(ref); i >= 0 {
		return rep.Photos[i], nil
	}
	return Photo{Ref: ref}, nil
}

type idArgs struct {
	ReportID string `json:"reportId" jsonschema:"id of the report"`
}

// details is a report in full, as the model sees it.
type details struct {
	state
	Contents  map[Section]string `json:"contents"`
	PhotoRefs []Photo            `json:"photoRefs"`
	CreatedAt string             `json:"createdAt"`
}

func (r *Reporter) details(ctx context.Context, tc tool.Context, a idArgs) (tool.Result, error) {
	rep, err := r.Store.Get(ctx, byOf(tc), a.ReportID)
	if err != nil {
		return tool.Result{}, err
	}
	d := details{stateOf(rep), rep.Sections, append([]Photo{}, rep.Photos...), local(tc, rep.CreatedAt)}
	return tool.Result{Data: d, Map: rep.location(), Memory: map[string]any{"reportId": rep.ID, "status": rep.Status}}, nil
}

func (r *Reporter) list(ctx context.Context, tc tool.Context, _ struct{}) (tool.Result, error) {
	briefs, err := r.Store.Profile(ctx, tc.Market.ID, tc.Actor.Keys())
	if err != nil {
		return tool.Result{}, err
	}
	type line struct {
		ReportID  string `json:"reportId"`
		Status    Status `json:"status"`
		Address   string `json:"address,omitempty"`
		CreatedAt string `json:"createdAt"`
	}
	lines := []line{}
	for _, b := range briefs {
		lines = append(lines, line{b.ID, b.Status, b.Address, local(tc, b.CreatedAt)})
	}
	return tool.Result{Data: map[string]any{"reports": lines}, Choices: choices(tc, briefs)}, nil
}

// maxChoices is how many reports can be chosen from by a tap.
const maxChoices = 8

// choices are the newest of several reports, to choose one by its address. One without an address, or at the same as
// another, goes by when it was made, too.
func choices(tc tool.Context, briefs []Brief) []channel.Choice {
	if len(briefs) < 2 {
		return nil
	}
	same := map[string]int{}
	for _, b := range briefs {
		same[b.Address]++
	}
	var all []channel.Choice
	for _, b := range briefs[:min(len(briefs), maxChoices)] {
		at := b.CreatedAt.In(cmp.Or(tc.TimeZone, time.UTC))
		made := wording.When(tc.Language, at, at)
		if b.Address == "" || same[b.Address] > 1 {
			all = append(all, channel.Choice{Label: strings.TrimPrefix(b.Address+", "+made, ", ")})
			continue
		}
		all = append(all, channel.Choice{Label: b.Address, Detail: made})
	}
	return all
}

func (r *Reporter) remove(ctx context.Context, tc tool.Context, a idArgs) (tool.Result, error) {
	if err := r.dropPhotos(ctx, tc, a.ReportID); err != nil {
		return tool.Result{}, err
	}
	if err := r.Store.Delete(ctx, byOf(tc), a.ReportID); err != nil {
		return tool.Result{}, err
	}
	gone := map[string]any{"reportId": a.ReportID, "deleted": true}
	return tool.Result{Data: gone, Memory: gone, Facts: []string{string(claim.Done)}}, nil
}

// dropPhotos deletes the photos that no other report of the customer shows, by whichever of their
// identities it is theirs. It comes before the report goes, so that a deletion that is gone on
// with still knows them.
func (r *Reporter) dropPhotos(ctx context.Context, tc tool.Context, id string) error {
	rep, err := r.Store.Get(ctx, byOf(tc), id)
	if err != nil {
		return nil // the deletion itself says why, or that it was done before
	}
	shown := map[string]bool{}
	for _, owner := range byOf(tc).owners() {
		all, err := r.Store.All(ctx, rep.Market, owner)
		if err != nil {
			return err
		}
		for _, other := range all {
			for _, p := range other.Photos {
				shown[p.Ref] = shown[p.Ref] || other.ID != id
			}
		}
	}
	for _, p := range rep.Photos {
		if shown[p.Ref] {
			continue
		}
		if err := r.Photos.Delete(ctx, p.Ref); err != nil {
			return err
		}
	}
	return nil
}

func (r *Reporter) resolve(ctx context.Context, tc tool.Context, a idArgs) (tool.Result, error) {
	rep, err := r.Store.Resolve(ctx, byOf(tc), a.ReportID)
	if err != nil {
		return tool.Result{}, err
	}
	return changed(rep, stateOf(rep)), nil
}

type shareArgs struct {
	ReportID string `json:"reportId" jsonschema:"id of the report"`
	TTLHours *int   `json:"ttlHours" jsonschema:"for how many hours the link is good, 1 to 168; null for 24"`
}

func (r *Reporter) share(ctx context.Context, tc tool.Context, a shareArgs) (tool.Result, error) {
	ttl := defaultTTL
	if a.TTLHours != nil {
		if *a.TTLHours < int(minTTL/time.Hour) || *a.TTLHours > int(maxTTL/time.Hour) { // before it overflows
			return tool.Result{}, fault.Field("ttlHours", "want %d to %d, or null for %d", minTTL/time.Hour, maxTTL/time.Hour, defaultTTL/time.Hour)
		}
		ttl = time.Duration(*a.TTLHours) * time.Hour
	}
	l, err := r.Store.Share(ctx, byOf(tc), a.ReportID, ttl)
	if err != nil {
		return tool.Result{}, err
	}
	return tool.Result{
		Data:   map[string]any{"reportId": l.Report, "url": l.URL, "expiresAt": local(tc, l.ExpiresAt)},
		Memory: map[string]any{"reportId": l.Report, "linkUntil": local(tc, l.ExpiresAt)},
		Facts:  []string{string(claim.Done)},
	}, nil
}

// local writes a time in the customer's zone.
func local(tc tool.Context, at time.Time) string {
	if tc.TimeZone != nil {
		at = at.In(tc.TimeZone)
	}
	return at.Format(time.RFC3339)
}
