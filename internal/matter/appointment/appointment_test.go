package appointment_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"merve/internal/agent/tool"
	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/base/faulttest"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/matter/appointment"
	"merve/internal/record/customer"
	"merve/internal/record/ledger"
	"merve/internal/spine/gate"
	"merve/internal/spine/thread"
	"merve/internal/tenant/market"
	"merve/internal/tenant/schedule"
)

// firm is a company in a market of its own. It is Monday, ten in the morning; Maria comes to 941 from Tuesday to Friday, Sam to
// all of 94.
type firm struct {
	*appointment.Desk
	t      testing.TB
	tc     tool.Context
	caller map[string]customer.Customer // by call session
	calls  int
}

// Caller is whoever was said to call.
func (f *firm) Caller(_ context.Context, tc tool.Context) (customer.Customer, error) {
	c, ok := f.caller[tc.Session.ID]
	if !ok {
		return customer.Customer{}, customer.ErrUnverified
	}
	return c, nil
}

func newFirm(t testing.TB) *firm {
	t.Helper()
	id := dynamotest.ID("market")
	f := &firm{t: t, tc: tool.Context{
		Actor: actor.Actor{Kind: actor.Session, ID: dynamotest.ID("s")}, Market: market.Default(id), Thread: dynamotest.ID("th"), Turn: 1, Language: "en",
		Session: tool.Session{ID: "ann", Phone: "+14155550100"}, TimeZone: time.UTC, Now: time.Date(2026, 11, 23, 10, 0, 0, 0, time.UTC),
	}, caller: map[string]customer.Customer{
		"ann": {Market: id, ID: "ann-" + id, Name: "Ann", ZIP: "94107", Address: "12 Oak Street"},
		"eve": {Market: id, ID: "eve-" + id, Name: "Eve", ZIP: "94609", Address: "3 Pine Street"},
		"far": {Market: id, ID: "far-" + id, Name: "Far", ZIP: "10001", Address: "1 Broadway"},
	}}
	f.Desk = f.over(dynamotest.Open(t))
	if err := f.PutService(t.Context(), appointment.Service{Market: id, ID: "ants", Name: "Ant treatment", Minutes: 60, PriceMinor: 12000, Currency: "USD"}); err != nil {
		t.Fatal(err)
	}
	f.employs("maria", "941")
	f.employs("sam", "94")
	return f
}

func (f *firm) PutService(ctx context.Context, s appointment.Service) error {
	_, err := f.Catalog.PutService(ctx, s)
	return err
}

func (f *firm) over(db *dynamo.DB) *appointment.Desk {
	now := func() time.Time { return f.tc.Now }
	return &appointment.Desk{
		Ledger:  &ledger.Ledger{Table: db.Table(dynamotest.TableName("ledger")), Now: now, NewID: func() string { return dynamotest.ID("tx") }},
		Catalog: &appointment.Catalog{Table: db.Table(dynamotest.TableName("catalog"))}, Callers: f, Sessions: db.Table(dynamotest.TableName("conversations")),
	}
}

func (f *firm) technician(name, area string) appointment.Technician {
	day := []schedule.Span{{From: "09:00", To: "12:00"}}
	return appointment.Technician{
		Market: f.tc.Market.ID, ID: name, Business: "pests-" + f.tc.Market.ID, Name: name, Areas: []string{area}, Services: []string{"ants"},
		TimeZone: "UTC", SlotMinutes: 60, Hours: map[string][]schedule.Span{"tue": day, "wed": day},
	}
}

func (f *firm) employs(name, area string) {
	f.t.Helper()
	if _, err := f.Catalog.PutTechnician(f.t.Context(), f.technician(name, area)); err != nil {
		f.t.Fatal(err)
	}
}

// calls a tool in a new turn.
func (f *firm) call(session, name, args string) (tool.Result, error) {
	f.tc.Turn++
	return f.callNow(session, name, args)
}

func (f *firm) callNow(session, name, args string) (tool.Result, error) {
	f.calls++
	tc := f.tc
	tc.Session.ID, tc.Thread, tc.Key = session, f.tc.Thread+session, fmt.Sprint("key", f.calls)
	return run(f.t, f.Desk, tc, name, args)
}

func run(t testing.TB, d *appointment.Desk, tc tool.Context, name, args string) (tool.Result, error) {
	i := slices.IndexFunc(d.Tools(), func(t tool.Tool) bool { return t.Name == name })
	if i < 0 {
		t.Fatalf("no tool %s", name)
	}
	raw, err := d.Tools()[i].Canonical(json.RawMessage(args))
	if err != nil {
		t.Fatal(err)
	}
	return d.Tools()[i].Run(t.Context(), tc, raw)
}

func (f *firm) must(session, name, args string) tool.Result {
	f.t.Helper()
	r, err := f.call(session, name, args)
	if err != nil {
		f.t.Fatalf("%s %s: %v", name, args, err)
	}
	return r
}

func told(r tool.Result) string {
	text, _ := json.Marshal(r.Data)
	return string(text)
}

const times = `{"service":"ants","appointment":null,"from":null}`

// book makes an appointment of the first free time.
func (f *firm) book(session string) ledger.Transaction {
	f.t.Helper()
	f.must(session, "crm.findTimes", times)
	q := f.must(session, "crm.scheduleAppointment", `{"option":1,"note":null}`).Proposal
	return f.yes(session, *q)
}

// yes settles a question as the turn does.
func (f *firm) yes(session string, q tool.Proposal) ledger.Transaction {
	f.t.Helper()
	tc := f.tc
	tc.Session.ID = session
	s, err := f.commitment(q.Kind).Commit(f.t.Context(), tc, gate.Consent{Pending: pending(q), MessageID: "m", Actor: "session:s", At: tc.Now})
	if err == nil {
		err = f.Ledger.Table.DB().Commit(f.t.Context(), s.Writes...)
	}
	if err != nil {
		f.t.Fatalf("yes to %s: %v", q.Summary, err)
	}
	tx, err := f.Ledger.Get(f.t.Context(), f.caller[session].Actor(), q.Ref)
	if err != nil {
		f.t.Fatal(err)
	}
	return tx
}

func pending(q tool.Proposal) thread.Pending {
	return thread.Pending{ID: "p", Kind: q.Kind, Ref: q.Ref, Hash: q.Hash, Summary: q.Summary, ExpiresAt: q.ExpiresAt}
}

func (f *firm) commitment(kind string) gate.Commitment {
	return map[string]gate.Commitment{
		appointment.ConfirmKind: appointment.Confirm{Ledger: f.Ledger, Callers: f}, appointment.MoveKind: appointment.Move{Ledger: f.Ledger, Callers: f},
		appointment.CancelKind: appointment.Cancel{Ledger: f.Ledger, Callers: f},
	}[kind]
}

// Free times are those of whoever comes to the caller's address, each once, and what is held or booked is not free.
func TestFreeTimes(t *testing.T) {
	t.Parallel()
	f := newFirm(t)
	if got, want := told(f.must("ann", "crm.findTimes", times)), `{"for":"a new appointment","times":[`+
		`{"option":1,"technician":"maria","when":"Tue 24 Nov 2026, 09:00–10:00"},{"option":2,"technician":"maria","when":"Tue 24 Nov 2026, 10:00–11:00"},`+
		`{"option":3,"technician":"maria","when":"Tue 24 Nov 2026, 11:00–12:00"},{"option":4,"technician":"maria","when":"Wed 25 Nov 2026, 09:00–10:00"},`+
		`{"option":5,"technician":"maria","when":"Wed 25 Nov 2026, 10:00–11:00"}]}`; got != want {
		t.Errorf("got %s", got)
	}
	tc := f.tc
	tc.Thread += "ann"
	if s, err := f.State(t.Context(), tc); err != nil || len(s.Times) != 5 || len(s.Appointments) != 0 {
		t.Errorf("the state is %+v, %v", s, err)
	}
	f.book("ann")
	if got := told(f.must("ann", "crm.findTimes", times)); !strings.Contains(got, `{"option":1,"technician":"sam","when":"Tue 24 Nov 2026, 09:00–10:00"}`) {
		t.Errorf("when Maria is taken: %s", got)
	}
	if got := told(f.must("eve", "crm.findTimes", times)); strings.Contains(got, "maria") {
		t.Errorf("elsewhere: %s", got)
	}
	if got := told(f.must("eve", "crm.findTimes", `{"service":"ants","appointment":null,"from":"2026-11-25"}`)); !strings.Contains(got, `"option":1,"technician":"sam","when":"Wed 25 Nov 2026, 09:00`) {
		t.Errorf("from a day on: %s", got)
	}
	if got := told(f.must("ann", "crm.listServices", `{}`)); !strings.Contains(got, `"name":"Ant treatment","price":"$120.00"`) {
		t.Errorf("services: %s", got)
	}
	for args, kind := range map[string]fault.Kind{
		`{"service":"bees","appointment":null,"from":null}`: fault.NotFound, `{"service":null,"appointment":null,"from":null}`: fault.Invalid,
		`{"service":"ants","appointment":1,"from":null}`: fault.Invalid, `{"service":"ants","appointment":null,"from":"soon"}`: fault.Invalid,
		`{"service":null,"appointment":1,"from":null}`: fault.Conflict,
	} {
		if _, err := f.call("ann", "crm.findTimes", args); !fault.Is(err, kind) {
			t.Errorf("%s: %v", args, err)
		}
	}
	if _, err := f.call("far", "crm.findTimes", times); !fault.Is(err, fault.NotFound) {
		t.Errorf("where nobody comes: %v", err)
	}
}

// Nothing is had in a call whose caller has proven nothing, or by a list of another call.
func TestForeignLists(t *testing.T) {
	t.Parallel()
	f := newFirm(t)
	mine := f.book("ann")
	f.must("ann", "crm.listAppointments", `{}`)
	f.must("ann", "crm.findTimes", times)
	for _, session := range []string{"", "nobody"} {
		for name, args := range map[string]string{
			"crm.listAppointments": `{}`, "crm.listServices": `{}`, "crm.findTimes": times, "crm.scheduleAppointment": `{"option":1,"note":null}`,
			"crm.rescheduleAppointment": `{"option":1}`, "crm.cancelAppointment": `{"option":1}`,
		} {
			if _, err := f.call(session, name, args); !errors.Is(err, customer.ErrUnverified) {
				t.Errorf("%q, %s: %v", session, name, err)
			}
		}
	}
	for name, args := range map[string]string{"crm.scheduleAppointment": `{"option":1,"note":null}`, "crm.rescheduleAppointment": `{"option":1}`, "crm.cancelAppointment": `{"option":1}`} {
		if _, err := f.call("eve", name, args); !fault.Is(err, fault.Conflict) {
			t.Errorf("another call, %s: %v", name, err)
		}
	}
	f.caller["ann"] = f.caller["eve"] // who is somebody else by now
	if _, err := f.call("ann", "crm.cancelAppointment", `{"option":1}`); !fault.Is(err, fault.Conflict) {
		t.Errorf("somebody else in the same call: %v", err)
	}
	if r := f.must("ann", "crm.listAppointments", `{}`); told(r) != `{"appointments":[]}` {
		t.Errorf("somebody else's: %s", told(r))
	}
	s, err := f.commitment(appointment.CancelKind).Commit(t.Context(), f.tc, gate.Consent{Pending: thread.Pending{ID: "p", Ref: mine.ID, Hash: ledger.CancelHash(mine, f.tc.Now)}})
	if err != nil || len(s.Writes) > 0 || !strings.Contains(s.Text, "was not cancelled") {
		t.Errorf("a YES of somebody else: %+v, %v", s, err)
	}
}

// What a held time rests on is read anew at its YES.
func TestLook(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		change func(f *firm)
		want   string
	}{
		"as it was":      {func(*firm) {}, ""},
		"hours that fit": {func(f *firm) { x := f.technician("maria", "941"); x.Closed = []string{"2026-12-25"}; f.replaces(x) }, ""},
		"away": {func(f *firm) {
			if err := f.PutService(f.t.Context(), appointment.Service{Market: f.tc.Market.ID, ID: "bees", Name: "Bees", Minutes: 60, Currency: "USD"}); err != nil {
				f.t.Fatal(err)
			}
			x := f.technician("maria", "941")
			x.Services = []string{"bees"}
			f.replaces(x)
		}, "not offered any more"},
		"elsewhere":       {func(f *firm) { f.employs("maria", "100") }, "not offered any more"},
		"closed that day": {func(f *firm) { x := f.technician("maria", "941"); x.Closed = []string{"2026-11-24"}; f.replaces(x) }, "have changed"},
		"another name":    {func(f *firm) { x := f.technician("maria", "941"); x.Name = "Mary"; f.replaces(x) }, "have changed"},
		"dearer": {func(f *firm) {
			err := f.PutService(f.t.Context(), appointment.Service{Market: f.tc.Market.ID, ID: "ants", Name: "Ant treatment", Minutes: 60, PriceMinor: 13000, Currency: "USD"})
			if err != nil {
				f.t.Fatal(err)
			}
		}, "have changed"},
		"moved house": {func(f *firm) { c := f.caller["ann"]; c.Address = "2 New Street"; f.caller["ann"] = c }, "have changed"},
		"hung up":     {func(f *firm) { delete(f.caller, "ann") }, "not offered any more"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFirm(t)
			f.must("ann", "crm.findTimes", times)
			q := *f.must("ann", "crm.scheduleAppointment", `{"option":1,"note":null}`).Proposal
			tt.change(f)
			ws, err := f.Look(t.Context(), f.tc, pending(q))
			var refused *gate.Refusal
			switch {
			case tt.want == "" && (err != nil || len(ws) != 2 || f.Ledger.Table.DB().Commit(t.Context(), ws...) != nil):
				t.Errorf("%d conditions, %v", len(ws), err)
			case tt.want != "" && (!errors.As(err, &refused) || !strings.Contains(refused.Text, tt.want)):
				t.Errorf("got %v", err)
			}
			if tt.want != "" {
				return
			}
			f.employs("maria", "941") // right after it was looked at
			if err := f.Ledger.Table.DB().Commit(t.Context(), ws...); !errors.Is(err, gate.ErrMeanwhile) {
				t.Errorf("changed meanwhile: %v", err)
			}
		})
	}
}

func (f *firm) replaces(x appointment.Technician) {
	f.t.Helper()
	if _, err := f.Catalog.PutTechnician(f.t.Context(), x); err != nil {
		f.t.Fatal(err)
	}
}

// Of two who choose the same time one has it, and an appointment is never moved into what somebody else has.
func TestOneTimeOneCaller(t *testing.T) {
	t.Parallel()
	f := newFirm(t)
	old := f.book("ann")
	f.must("ann", "crm.listAppointments", `{}`)
	f.must("ann", "crm.findTimes", `{"service":null,"appointment":1,"from":null}`)
	f.must("eve", "crm.findTimes", times)
	first := f.must("ann", "crm.rescheduleAppointment", `{"option":1}`) // at nine, by Sam
	if first.Proposal == nil || first.Proposal.Kind != appointment.MoveKind {
		t.Fatalf("got %s", told(first))
	}
	second := f.must("eve", "crm.scheduleAppointment", `{"option":1,"note":null}`)
	if second.Proposal != nil || !strings.Contains(told(second), "cannot be had any more") || !strings.Contains(told(second), `"option":1,"technician":"sam","when":"Tue 24 Nov 2026, 10:00`) {
		t.Errorf("the second was told %s", told(second))
	}
	moved := f.yes("ann", *first.Proposal)
	old, err := f.Ledger.Get(t.Context(), f.caller["ann"].Actor(), old.ID)
	if err != nil || moved.State != ledger.Confirmed || old.State != ledger.Cancelled || moved.Code != old.Code || moved.Place != "12 Oak Street" {
		t.Errorf("moved %+v, old %+v, %v", moved, old, err)
	}
	if moved.Item("en", "", f.tc.Now); moved.Owner != "customer:"+f.caller["ann"].ID || moved.Matter != ledger.Appointment {
		t.Errorf("%+v", moved)
	}
}

// What begins too soon, or is over, is not offered, moved or cancelled.
func TestTooLate(t *testing.T) {
	t.Parallel()
	f := newFirm(t)
	f.book("ann")
	f.must("ann", "crm.listAppointments", `{}`)
	f.must("ann", "crm.findTimes", `{"service":null,"appointment":1,"from":null}`)
	f.tc.Now = time.Date(2026, 11, 24, 9, 30, 0, 0, time.UTC)
	if r, err := f.call("ann", "crm.rescheduleAppointment", `{"option":2}`); err == nil && r.Proposal != nil {
		t.Errorf("it has begun: %s", told(r))
	}
	f.tc.Now = time.Date(2026, 11, 24, 10, 0, 0, 0, time.UTC)
	if _, err := f.call("ann", "crm.cancelAppointment", `{"option":1}`); !fault.Is(err, fault.Conflict) {
		t.Errorf("it is over: %v", err)
	}
	if r := f.must("ann", "crm.listAppointments", `{}`); told(r) != `{"appointments":[]}` {
		t.Errorf("listed: %s", told(r))
	}
	f.tc.Now = f.tc.Now.Add(25 * time.Hour)
	if _, err := f.call("ann", "crm.cancelAppointment", `{"option":1}`); !fault.Is(err, fault.Conflict) {
		t.Errorf("a list of the day before: %v", err)
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	f := newFirm(t)
	for field, change := range map[string]func(*appointment.Technician){
		"business": func(x *appointment.Technician) { x.Business = "" }, "name": func(x *appointment.Technician) { x.Name = "" },
		"areas": func(x *appointment.Technician) { x.Areas = []string{""} }, "services": func(x *appointment.Technician) { x.Services = nil },
		"timeZone": func(x *appointment.Technician) { x.TimeZone = "Mars" }, "id": func(x *appointment.Technician) { x.ID = "a b" },
	} {
		x := f.technician("x", "94")
		change(&x)
		_, err := f.Catalog.PutTechnician(t.Context(), x)
		if _, at := fault.Public(err); at != field {
			t.Errorf("%s: %v", field, err)
		}
	}
	good := appointment.Service{Market: f.tc.Market.ID, ID: "x", Name: "X", Minutes: 60, Currency: "USD"}
	for field, change := range map[string]func(*appointment.Service){
		"id": func(s *appointment.Service) { s.ID = "" }, "name": func(s *appointment.Service) { s.Name = "" }, "minutes": func(s *appointment.Service) { s.Minutes = 5 },
		"priceMinor": func(s *appointment.Service) { s.PriceMinor = -1 }, "currency": func(s *appointment.Service) { s.Currency = "usd" },
	} {
		s := good
		change(&s)
		err := f.PutService(t.Context(), s)
		if _, at := fault.Public(err); at != field {
			t.Errorf("%s: %v", field, err)
		}
	}
}

// Whatever call fails, in every way: what staff store is stored, and a call that is made again holds one time and counts one
// unclear turn.
func TestCrashAnywhere(t *testing.T) {
	t.Parallel()
	for name, do := range map[string]func(f *firm, d *appointment.Desk) (string, error){
		"service": func(f *firm, d *appointment.Desk) (string, error) {
			s, err := d.Catalog.PutService(f.t.Context(), appointment.Service{Market: f.tc.Market.ID, ID: "bees", Name: "Bees", Minutes: 60, Currency: "USD"})
			return s.Name, err
		},
		"technician": func(f *firm, d *appointment.Desk) (string, error) {
			t, err := d.Catalog.PutTechnician(f.t.Context(), f.technician("ida", "94"))
			return t.Name, err
		},
		"technician gone": func(f *firm, d *appointment.Desk) (string, error) {
			return "", d.Catalog.DeleteTechnician(f.t.Context(), f.tc.Market.ID, f.technician("kim", "94").ID)
		},
		"service gone": func(f *firm, d *appointment.Desk) (string, error) {
			return "", d.Catalog.DeleteService(f.t.Context(), f.tc.Market.ID, "ants")
		},
		"times": func(f *firm, d *appointment.Desk) (string, error) { return f.again(d, "crm.findTimes", times) },
		"schedule": func(f *firm, d *appointment.Desk) (string, error) {
			return f.again(d, "crm.scheduleAppointment", `{"option":2,"note":"n"}`)
		},
		"unclear": func(f *firm, d *appointment.Desk) (string, error) {
			return f.again(d, "agent.talk", `{"about":"unclear"}`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			faulttest.Everywhere(t, nil, func(t *testing.T, calls *faulttest.Calls) string {
				f := newFirm(t)
				f.must("ann", "crm.findTimes", times)
				f.tc.Turn++
				broken := f.over(dynamotest.Once(t, calls))
				var last string
				for range 2 {
					calls.Deliver(t, nil, func() (err error) {
						last, err = do(f, broken)
						return err
					})
				}
				co, err := f.Catalog.Company(t.Context(), f.tc.Market.ID)
				if err != nil {
					t.Fatal(err)
				}
				held := 0
				txs, _, err := f.Ledger.ByOwner(t.Context(), f.caller["ann"].Actor(), 10, "")
				for _, tx := range txs {
					if tx.State == ledger.Hold {
						held++
					}
				}
				return fmt.Sprint(last, len(co.Services), len(co.Technicians), held, err)
			})
		})
	}
}

// again makes the same call of the same turn, and gives whether it asked something.
func (f *firm) again(d *appointment.Desk, name, args string) (string, error) {
	tc := f.tc
	tc.Thread, tc.Key = f.tc.Thread+"ann", "again"
	r, err := run(f.t, d, tc, name, args)
	if r.Proposal != nil {
		return r.Proposal.Summary, err
	}
	return told(r), err
}
