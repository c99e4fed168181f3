package admin_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"merve/internal/base/actor"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/edge/api/apitest"
	"merve/internal/spine/thread"
	"merve/internal/tenant/channel"
	"merve/internal/tenant/person"
)

func TestHandover(t *testing.T) {
	t.Parallel()
	s, from := start(t), apitest.Phone()
	s.Writes(t, from, "hello")
	s.Hears(t, from, 1)
	var found struct {
		Threads []struct{ ThreadID, Handler, Owner string }
	}
	s.Reads(t, "threads?marketId=demo&owner="+url.QueryEscape(from), &found)
	if len(found.Threads) != 1 || found.Threads[0].ThreadID != apitest.ThreadOf(from) || found.Threads[0].Handler != "assistant" {
		t.Fatalf("found %+v", found)
	}
	target := "/admin/api/threads/" + apitest.ThreadOf(from)
	reply := map[string]string{"text": "Good morning, this is Sam.", "clientMessageId": "1"}
	s.Call(t, "POST", target+"/messages", reply, apitest.Staff()...).Refuses(t, http.StatusConflict, "")
	var taken struct{ Handler string }
	s.Call(t, "POST", target+"/take", nil, apitest.Staff()...).Wants(t, http.StatusOK, &taken)
	if taken.Handler != "person" {
		t.Errorf("taken: %+v", taken)
	}
	s.Reads(t, "threads?marketId=demo&state=person&limit=100", &found)
	if !slices.ContainsFunc(found.Threads, func(f struct{ ThreadID, Handler, Owner string }) bool { return f.ThreadID == apitest.ThreadOf(from) }) {
		t.Errorf("with a person: %+v", found)
	}
	s.Hears(t, from, 2) // that somebody has it now
	for range 2 {
		s.Call(t, "POST", target+"/messages", reply, apitest.Staff()...).Wants(t, http.StatusAccepted, nil)
	}
	heard := s.Hears(t, from, 3)
	if body := heard[2].Body; body != reply["text"]+"\n\n○" { // and that nothing stands, as the line before said
		t.Errorf("heard %q", body)
	}
	var waiting struct {
		Threads []struct{ ThreadID, TakenBy string }
	}
	s.Reads(t, "markets/demo/waiting", &waiting)
	if len(waiting.Threads) == 0 {
		t.Error("nobody has the thread")
	}
	s.Call(t, "POST", target+"/return", nil, apitest.Staff()...).Wants(t, http.StatusOK, &taken)
	if taken.Handler != "assistant" {
		t.Errorf("returned: %+v", taken)
	}
	for field, body := range map[string]map[string]string{
		"text": {"text": " \n", "clientMessageId": "2"}, "clientMessageId": {"text": "Good morning"},
	} {
		s.Call(t, "POST", target+"/messages", body, apitest.Staff()...).Refuses(t, http.StatusBadRequest, field)
	}
	s.Call(t, "POST", "/admin/api/alerts/check", nil, apitest.Staff()...).Wants(t, http.StatusOK, nil)
}

// Threads are found by where they stand, by channel and by person, in the market alone.
func TestFindThreads(t *testing.T) {
	t.Parallel()
	s := start(t)
	id, _ := s.NewMarket(t)
	other, _ := s.NewMarket(t)
	threads, ctx := s.Base.Threads(), t.Context()
	writes := func(market string, ch channel.Channel, from actor.Actor) thread.Appended {
		t.Helper()
		a, err := threads.Append(ctx, channel.Inbound{Market: market, Channel: ch, ThreadType: channel.General, MessageID: dynamotest.ID("m"), Text: "hello", From: from}, true)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	answered := func(a thread.Appended, pending *thread.Pending) string {
		t.Helper()
		th, err := threads.Open(ctx, a.Lease)
		if err == nil {
			err = threads.Commit(ctx, a.Lease, th, thread.Outcome{Turn: thread.Turn{N: th.Number(), In: th.Inbox, At: apitest.Now()}, Pending: pending})
		}
		if err != nil {
			t.Fatal(err)
		}
		return a.Thread
	}
	number, user := apitest.Phone(), "u-"+dynamotest.ID("u")
	onPhone, inApp := actor.Actor{Kind: actor.Person, ID: "whatsapp:" + number}, actor.Actor{Kind: actor.User, ID: user}
	byName := actor.Actor{Kind: actor.Person, ID: "whatsapp:US.13491208655302741918"}
	named := answered(writes(id, channel.WhatsApp, byName), nil)
	idle := answered(writes(id, channel.WhatsApp, onPhone), nil)
	waits := answered(writes(id, channel.App, inApp), &thread.Pending{ID: "p", Kind: "x", Hash: "h", Summary: "s", CreatedAt: apitest.Now(), ExpiresAt: apitest.Now().Add(time.Hour)})
	runs := writes(id, channel.Messenger, actor.Actor{Kind: actor.Person, ID: "messenger:" + dynamotest.ID("p")}).Thread
	answered(writes(other, channel.WhatsApp, onPhone), nil)

	var got struct {
		Threads []struct{ ThreadID string }
		Next    string
	}
	finds := func(query string) []string {
		t.Helper()
		got.Next = ""
		s.Reads(t, "threads?marketId="+id+query, &got)
		ids := []string{}
		for _, f := range got.Threads {
			ids = append(ids, f.ThreadID)
		}
		return ids
	}
	for query, want := range map[string][]string{
		"":                                      {runs, waits, idle, named},
		"&state=idle":                           {idle, named},
		"&state=awaiting_confirmation":          {waits},
		"&state=executing":                      {runs},
		"&state=person":                         {},
		"&channel=whatsapp":                     {idle, named},
		"&channel=messenger&state=executing":    {runs},
		"&channel=messenger&state=idle":         {},
		"&owner=" + url.QueryEscape(number):     {idle},
		"&owner=00" + number[1:]:                {idle},
		"&owner=US.13491208655302741918":        {named},
		"&owner=" + user:                        {waits},
		"&owner=user:" + user:                   {waits},
		"&owner=" + user + "&state=idle":        {},
		"&owner=" + user + "&channel=app":       {waits},
		"&owner=" + url.QueryEscape("nobody~x"): {},
	} {
		if diff := cmp.Diff(want, finds(query)); diff != "" {
			t.Errorf("%s: %s", query, diff)
		}
	}
	first := finds("&limit=2")
	if diff := cmp.Diff([]string{runs, waits, idle, named}, append(first, finds("&limit=2&after="+got.Next)...)); diff != "" {
		t.Error(diff)
	}

	// Those that a person has come in one page, however long.
	for _, th := range []string{waits, idle} {
		s.Call(t, "POST", "/admin/api/threads/"+th+"/take", nil, apitest.Staff()...).Wants(t, http.StatusOK, nil)
	}
	if found := finds("&state=person&limit=1"); len(found) != 2 || got.Next != "" {
		t.Errorf("%v, next %q", found, got.Next)
	}

	// The threads of one person who has linked them are found by either.
	code, _, err := threads.Links().Code(ctx, waits)
	if err == nil {
		err = threads.Links().Link(ctx, idle, code)
	}
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{waits, idle}, finds("&owner="+user)); diff != "" {
		t.Error(diff)
	}
	for query, field := range map[string]string{
		"marketId=": "marketId", "marketId=" + id + "&state=busy": "state", "marketId=" + id + "&channel=fax": "channel", "marketId=" + id + "&owner=x&after=y": "after",
		"marketId=" + id + "&state=person&after=y": "after", "marketId=" + id + "&after=y": "after", "marketId=" + id + "&owner=" + strings.Repeat("x", 201): "owner",
	} {
		s.Call(t, "GET", "/admin/api/threads?"+query, nil, apitest.Staff()...).Refuses(t, http.StatusBadRequest, field)
	}
}

// Whoever has had a number, or is known by another of the channel's ids, is found by it.
func TestFindThreadsByWhatAPersonIsKnownBy(t *testing.T) {
	t.Parallel()
	s := start(t)
	id, _ := s.NewMarket(t)
	book, number := &person.Book{Table: dynamotest.Open(t).Table(s.Base.Config.TableConversations)}, apitest.Phone()
	writes := func(userID, number string) string {
		t.Helper()
		from, err := book.Identify(t.Context(), person.Sender{Channel: channel.WhatsApp, UserID: userID, Phone: number})
		if err != nil {
			t.Fatal(err)
		}
		a, err := s.Base.Threads().Append(t.Context(), channel.Inbound{
			Market: id, Channel: channel.WhatsApp, ThreadType: channel.General, MessageID: dynamotest.ID("m"), Text: "hello", From: from,
		}, false)
		if err != nil {
			t.Fatal(err)
		}
		return a.Thread
	}
	first, second := dynamotest.ID("US.1"), dynamotest.ID("US.2")
	before := writes(first, "")
	if again := writes(first, number); again != before {
		t.Fatalf("two threads: %s, %s", before, again)
	}
	now := writes(second, number)
	late := writes("", number) // as one of whom no id came
	for query, want := range map[string][]string{number: {late, before, now}, first: {before}, second: {now}} {
		var got struct{ Threads []struct{ ThreadID string } }
		s.Reads(t, "threads?marketId="+id+"&owner="+url.QueryEscape(query), &got)
		ids := []string{}
		for _, f := range got.Threads {
			ids = append(ids, f.ThreadID)
		}
		if slices.Sort(ids); !slices.Equal(ids, slices.Sorted(slices.Values(want))) {
			t.Errorf("%s: %v, want %v", query, ids, want)
		}
	}
}

// Staff may read and delete what is kept of anybody; nobody else by the admin API.
func TestDataForStaff(t *testing.T) {
	t.Parallel()
	s, ann := start(t), apitest.SessionID()
	who, threadID := s.SessionActor(t, ann)
	target := "/admin/api/threads/" + threadID + "/data"
	for _, method := range []string{"GET", "DELETE"} {
		s.Call(t, method, target, nil, "x-session-id", ann).Refuses(t, http.StatusUnauthorized, "")
		s.Call(t, method, target, nil, s.Issuer.Token(t, "ann", "customers")...).Refuses(t, http.StatusForbidden, "")
		s.Call(t, method, "/admin/api/threads/th_00000000000000000000000000000000/data", nil, apitest.Staff()...).Refuses(t, http.StatusNotFound, "")
	}
	var d struct {
		Profile  struct{ ID string }
		Messages []struct{}
	}
	s.Call(t, "GET", target, nil, apitest.Staff()...).Wants(t, http.StatusOK, &d)
	if d.Profile.ID != who.Key() || len(d.Messages) != 2 {
		t.Errorf("%+v", d)
	}
	s.Call(t, "DELETE", target, nil, apitest.Staff()...).Wants(t, http.StatusNoContent, nil)
	if l := s.WebLines(t, ann); len(l.Messages) != 0 {
		t.Errorf("%+v", l.Messages)
	}
}
