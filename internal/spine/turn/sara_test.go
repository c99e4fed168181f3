package turn_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/credentials"

	"merve/internal/agent/tool"
	"merve/internal/base/actor"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/matter/report"
	"merve/internal/model/llm"
	"merve/internal/people/account"
	"merve/internal/record/ledger"
	"merve/internal/spine/assistant"
	"merve/internal/spine/thread"
	"merve/internal/spine/turn"
	"merve/internal/tenant/channel"
	"merve/internal/tenant/market"
	"merve/internal/tenant/media"
	"merve/internal/tenant/media/mediatest"
	"merve/internal/words/wording"
)

// sara is what a world has when Sara answers in it. Its reports are in the real table, and
// photos come over HTTP from a host and are kept in a bucket.
type sara struct {
	*surroundings
	reports *report.Store
	photos  *media.Store
	people  *account.Keeper
	once    sync.Once
	code    string // of another chat, to be linked
}

// surroundings are what worlds share: the bucket, and where customers' photos come from.
type surroundings struct {
	bucket string // address
	host   string // address
}

// newSara is a world in which Sara answers everybody.
func newSara(t *testing.T, change func(m *market.Market)) *world {
	t.Helper()
	w := newWorld(t, change)
	w.sara = &sara{surroundings: &surroundings{bucket: mediatest.Endpoint(t), host: photoHost(t)}}
	w.restart()
	return w
}

// photoHost gives out what customers attach. Its names say what it is: large… has 5 MB, huge… is too
// large, letter… is no photo, gone… has expired.
func photoHost(t *testing.T) string {
	t.Helper()
	photo := mediatest.JPEG(t, 40, 30)
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := strings.TrimPrefix(r.URL.Path, "/")
		switch {
		case strings.HasPrefix(name, "gone"):
			w.WriteHeader(http.StatusGone)
		case strings.HasPrefix(name, "huge"):
			w.Header().Set("Content-Length", fmt.Sprint(media.MaxBytes+1))
		case strings.HasPrefix(name, "letter"):
			_, _ = w.Write([]byte("Dear Sirs, ")) // a client that went away is the client's affair
		case strings.HasPrefix(name, "large"):
			_, _ = w.Write(append(slices.Clone(photo), make([]byte, 5<<20-len(photo))...))
		default:
			_, _ = w.Write(photo)
		}
	}))
	t.Cleanup(host.Close)
	return host.URL
}

// photo is an attachment with the type that its channel gives it.
func (s *sara) photo(ch channel.Channel, name string) channel.Media {
	m := channel.Media{URL: s.host + "/" + name, Type: "image/jpeg"}
	if ch == channel.Messenger || ch == channel.Web { // know no more
		m.Type = "image"
	}
	return m
}

// startSara puts Sara's part of a process together, on a database.
func (w *world) startSara(db *dynamo.DB, log *slog.Logger) ([]tool.Tool, assistant.Assistant) {
	s, now := w.sara, w.clock.now
	records, conversations := db.Table(dynamotest.TableName("records")), db.Table(dynamotest.TableName("conversations"))
	s.reports = &report.Store{Table: records, Secrets: conversations, Now: now, Random: rand.Reader, PublicURL: "https://merve.test", Rows: w.ledger.Rows}
	s.photos = media.New(media.Options{
		Bucket: media.Bucket{
			Name: mediatest.Bucket, Region: "us-east-1", Endpoint: s.bucket, HTTP: &http.Client{Transport: w.transport},
			Credentials: credentials.NewStaticCredentialsProvider("test-key-not-real", "test-secret-not-real", ""),
			Backoff:     func(int) time.Duration { return 0 },
		},
		AllowPrivate: true, Now: now,
	})
	s.people = &account.Keeper{Threads: w.threads, Kinds: assistant.Kinds(assistant.Merve(), assistant.Sara(), assistant.Ops(), assistant.Dispatch()), Holders: []account.Holder{
		report.Held{Store: s.reports, Photos: s.photos}, ledger.HeldBookings{Ledger: w.ledger}, thread.Held{Store: w.threads, Photos: s.photos},
		turn.Held{Audit: turn.Audit{Records: records}},
	}}
	reporter := &report.Reporter{
		Store: s.reports, Photos: s.photos, Log: log,
		AskDelete: func(lang string, r report.Report) string {
			return wording.Say(lang, wording.DeleteReport, wording.Vars{"address": wording.Quote(lang, r.Address)})
		},
	}
	a := assistant.Sara()
	a.Sees = true
	a.Profile = func(ctx context.Context, tc tool.Context) (any, error) {
		briefs, err := s.reports.Profile(ctx, tc.Market.ID, tc.Actor.Keys())
		return map[string]any{"name": tc.Actor.Name, "reportIdsWithStatus": briefs}, err
	}
	return append(reporter.Tools(), s.people.Tools()...), a
}

// owners are those of the threads that were met.
func (w *world) owners() []string {
	w.t.Helper()
	for _, id := range w.threadsMet() {
		if w.owned[id] != "" {
			continue
		}
		if h, err := w.threads.Head(w.t.Context(), id); err == nil {
			w.owned[id] = h.Owner
		}
	}
	return slices.Compact(slices.Sorted(maps.Values(w.owned)))
}

func (w *world) threadsMet() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.met)
}

// tellReports has the stream of reports bring every event, each twice.
func (w *world) tellReports() {
	w.t.Helper()
	for _, e := range w.reportEvents() {
		if name := e.Report + e.ID; !w.told[name] {
			w.told[name] = true
			for range 2 {
				if err := w.notifier.TellReport(w.t.Context(), e); err != nil {
					w.t.Fatalf("notify: %v", err)
				}
			}
		}
	}
}

// reportEvents are all that happened to reports, in order, those that have gone too.
func (w *world) reportEvents() []report.Event {
	w.t.Helper()
	var all []report.Event
	for _, owner := range w.owners() {
		page, err := w.sara.reports.Table.Query(w.t.Context(), dynamo.Query{
			Where: "pk = :pk AND begins_with(sk, :event)", Values: dynamo.V{":pk": "reports#" + owner, ":event": "event#"},
		})
		if err != nil {
			w.t.Fatal(err)
		}
		for _, it := range page.Items {
			e, ok, err := report.Events.Read(it)
			if !ok || err != nil {
				w.t.Fatalf("%v: %v", it.Key(), err)
			}
			all = append(all, e)
		}
	}
	slices.SortStableFunc(all, func(a, b report.Event) int { return a.At.Compare(b.At) })
	return all
}

// reportIDs are the ids of all reports that were begun, in order.
func (w *world) reportIDs() []string {
	w.t.Helper()
	var ids []string
	for _, e := range w.reportEvents() {
		if e.Type == report.CreatedEvent {
			ids = append(ids, e.Report)
		}
	}
	return ids
}

// describe puts a report into words: "deleted" when it has gone.
func (w *world) describe(id string) string {
	w.t.Helper()
	r, err := w.sara.reports.Get(w.t.Context(), byStaff(""), id)
	switch {
	case errors.Is(err, actor.ErrNotFound):
		return "deleted"
	case err != nil:
		w.t.Fatal(err)
	}
	photos := fmt.Sprintf("%d photos", len(r.Photos))
	if r.NoPhotos {
		photos = "no photos to be had"
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s, %s, %s", r.Status, r.Address, photos)
	for _, p := range r.Photos {
		if p.Caption != "" {
			fmt.Fprintf(&b, "\nphoto: %s", p.Caption)
		}
	}
	for _, name := range report.Sections() {
		if r.Sections[name] != "" {
			fmt.Fprintf(&b, "\n%s: %s", name, r.Sections[name])
		}
	}
	return b.String()
}

// resolve is what staff do with a report.
func (w *world) resolve(id string) error {
	_, err := w.sara.reports.Resolve(w.t.Context(), byStaff("resolve."+id), id)
	return err
}

func byStaff(key string) report.By {
	return report.By{Actor: actor.Actor{Kind: actor.Staff, ID: "desk", Groups: []string{"admin"}}, Key: key}
}

// chatCode is a code that another chat has made, the same one each time.
func (w *world) chatCode() string {
	w.t.Helper()
	w.sara.once.Do(func() {
		other := w.from("bea", channel.Web, "hello", "hello")
		if _, err := w.threads.Append(w.t.Context(), other, false); err != nil {
			w.t.Fatal(err)
		}
		code, _, err := w.threads.Links().Code(w.t.Context(), threadOf(other))
		if err != nil {
			w.t.Fatal(err)
		}
		w.sara.code = code
	})
	return w.sara.code
}

// stateOfSara adds what Sara's conversations leave to a state: reports, with what happened to
// each and how many links lead to it, and which threads are linked. It returns ids, and what
// stands for them.
func (w *world) stateOfSara(s *state) (ids []string) {
	w.t.Helper()
	events := w.reportEvents()
	for i, id := range w.reportIDs() {
		var all []string
		for _, e := range events {
			if e.Report == id {
				all = append(all, string(e.Type))
			}
		}
		slices.Sort(all)
		s.Reports = append(s.Reports, fmt.Sprint(w.describe(id), all))
		ids = append(ids, id, fmt.Sprint("REPORT", i+1))
	}
	for _, id := range w.threadsMet() {
		h := w.head(id)
		s.Linked = append(s.Linked, fmt.Sprintf("%s with %d", h.Channel, len(h.Linked)))
	}
	if w.sara.code != "" {
		ids = append(ids, w.sara.code, "CHATCODE")
	}
	return ids
}

// clerkOfSara is who answers what Sara is told, the same whenever it is asked.
func (w *world) clerkOfSara(req llm.Request) llm.Response {
	said, rounds, result := "", 0, ""
	for _, m := range req.Messages[1:] {
		switch {
		case m.Role == llm.User:
			said, rounds = m.Text, 0
		case m.Role == llm.ToolRole:
			result = m.Text
			rounds++
		}
		if id := reportForm.FindString(m.Text); id != "" {
			result = id
		}
	}
	order, photo, _ := strings.Cut(said, "\n")
	var c llm.Call
	args := fmt.Sprintf(`{"reportId":%q}`, result)
	switch fmt.Sprint(order, " ", rounds) {
	case "report 0":
		c = llm.Call{Name: "start_damage_report", Args: []byte(`{"address":"Mill Lane 3"}`)}
	case "add it 0":
		c = llm.Call{Name: "update_report_photos", Args: fmt.Appendf(nil,
			`{"reportId":%q,"photoUrls":[%q],"captions":null,"noPhotos":null}`, result, strings.Trim(photo, "[]"))}
	case "no photos 0":
		c = llm.Call{Name: "update_report_photos", Args: fmt.Appendf(nil, `{"reportId":%q,"photoUrls":[],"captions":null,"noPhotos":true}`, result)}
	case "the cause 0":
		c = llm.Call{Name: "update_damage_report_section", Args: fmt.Appendf(nil, `{"reportId":%q,"section":"cause","content":"A pipe burst"}`, result)}
	case "next door 0":
		c = llm.Call{Name: "update_report_address", Args: fmt.Appendf(nil, `{"reportId":%q,"address":"Mill Lane 5"}`, result)}
	case "dealt with 0":
		c = llm.Call{Name: "mark_report_resolved", Args: []byte(args)}
	case "code 0":
		c = llm.Call{Name: "create_link_code", Args: []byte(`{}`)}
	case "unlink 0":
		c = llm.Call{Name: "unlink_chats", Args: []byte(`{}`)}
	case "share 0":
		c = llm.Call{Name: "create_time_limited_report_link", Args: fmt.Appendf(nil, `{"reportId":%q,"ttlHours":null}`, result)}
	case "delete it 0":
		c = llm.Call{Name: "delete_report", Args: []byte(args)}
	case "link 0":
		c = llm.Call{Name: "link_chats", Args: fmt.Appendf(nil, `{"code":%q}`, w.chatCode())}
	case "forget me 0":
		c = llm.Call{Name: "delete_my_data", Args: []byte(`{}`)}
	default:
		return llm.Response{Text: "You said " + strings.ReplaceAll(said, "\n", ", ") + ".", Finish: "stop"}
	}
	return llm.Response{Calls: calls(c), Finish: "tool_calls"}
}

var reportForm = regexp.MustCompile(`rp_[a-z2-7]{16}`)

// saraKinds are the kinds of turn by which reports are kept and chats are linked.
func saraKinds() []kind {
	report, yes := []string{"report"}, []string{"yes"}
	completed := []string{"report", "no photos"}
	all := []kind{
		{name: "photo kept", want: "You said look, [photo:", photo: true, said: []string{"look"}},
		{name: "report started", want: "start_damage_report ok", said: report},
		{name: "photos set", want: "update_report_photos ok", photo: true, before: report, said: []string{"add it"}},
		{name: "section written", want: "update_damage_report_section ok", before: report, said: []string{"the cause"}},
		{name: "address changed", want: "update_report_address ok", before: report, said: []string{"next door"}},
		{name: "report shared", want: "create_time_limited_report_link ok", before: report, said: []string{"share"}},
		{name: "report resolved", want: "mark_report_resolved ok", before: completed, said: []string{"dealt with"}},
		{name: "report resolved by staff", want: "has been dealt with", before: completed, elsewhere: (*world).resolved},
		{name: "deletion, yes", want: "Done: Delete", before: []string{"report", "delete it"}, said: yes},
		{name: "code to link chats", want: "create_link_code ok", said: []string{"code"}},
		{name: "chats linked, yes", want: "Done: Link", before: []string{"link"}, said: yes},
		{name: "chats unlinked", want: "unlink_chats ok", before: []string{"link", "yes"}, said: []string{"unlink"}},
		{name: "all deleted, yes", want: "Done: Delete everything", before: []string{"report", "share", "forget me"}, said: yes},
	}
	for i := range all {
		all[i].sara = true
	}
	return all
}

// resolved has staff resolve the report, and the stream bring that.
func (w *world) resolved(string) func(context.Context) error {
	w.t.Helper()
	id, healthy := w.reportIDs()[0], w.sara.reports
	return func(ctx context.Context) error {
		_, err := w.sara.reports.Resolve(ctx, byStaff("resolve."+id), id)
		events, missing := healthy.Events(ctx, byStaff(""), id)
		errs := []error{err, missing}
		for _, e := range events {
			errs = append(errs, w.notifier.TellReport(ctx, e))
		}
		return errors.Join(errs...)
	}
}

// modelOfSara is whatever answers in Sara's worlds, where no conversation is written.
func (w *world) modelOfSara() llm.Model {
	return modelFunc(func(_ context.Context, req llm.Request) (llm.Response, error) { return w.clerkOfSara(req), nil })
}
