package api

import (
	"context"
	"maps"
	"net/http"

	"merve/internal/account"
	"merve/internal/actor"
	"merve/internal/desk"
	"merve/internal/fault"
	"merve/internal/httpapi"
	"merve/internal/ledger"
	"merve/internal/listing"
	"merve/internal/market"
	"merve/internal/order"
	"merve/internal/outbox"
	"merve/internal/person"
	curated "merve/internal/place"
	"merve/internal/stock"
	"merve/internal/taxi"
	"merve/internal/thread"
	"merve/internal/threadapi"
	"merve/internal/turn"
)

// Admin is the API of the people who run a market. Every route is for staff only.
type Admin struct {
	Who      httpapi.Who
	Markets  *market.Store
	Listings *listing.Store
	Ledger   *ledger.Ledger
	Outbox   *outbox.Box
	Threads  *thread.Store
	Book     *person.Book
	Runner   *turn.Runner
	Reports  *AdminReports
	People   *account.Desk
	Orders   *order.Store
	Drivers  *taxi.Drivers
	Rides    *taxi.Store
	Places   *curated.Store
	Handover *desk.Desk
	Reindex  Reindexer // nil without a search engine

	// Counts checks what is counted, beside the ledger, and raises alerts; nil checks nothing.
	Counts func(context.Context) (stock.Checked, error)
}

// adminLimit is how many a list holds unless asked for another number.
const adminLimit = 50

// staffHandler answers a request of staff.
type staffHandler func(w http.ResponseWriter, r *http.Request, who actor.Actor) error

// Routes are the API's.
func (a *Admin) Routes() httpapi.Routes {
	staffed := map[string]staffHandler{
		"GET /admin/api/markets":                                        a.markets,
		"GET /admin/api/markets/{market}":                               a.market,
		"PUT /admin/api/markets/{market}":                               a.saveMarket,
		"GET /admin/api/markets/{market}/versions":                      a.versions,
		"GET /admin/api/markets/{market}/listings":                      a.listings,
		"GET /admin/api/markets/{market}/listings/{listing}":            a.listing,
		"PUT /admin/api/markets/{market}/listings/{listing}":            a.saveListing,
		"DELETE /admin/api/markets/{market}/listings/{listing}":         a.deleteListing,
		"GET /admin/api/markets/{market}/listings/{listing}/versions":   a.listingVersions,
		"POST /admin/api/markets/{market}/listings/preview":             a.previewListing,
		"POST /admin/api/markets/{market}/listings/import":              a.importListings,
		"GET /admin/api/markets/{market}/listings/export":               a.exportListings,
		"POST /admin/api/markets/{market}/preview":                      a.previewMarket,
		"POST /admin/api/markets/{market}/reindex":                      a.reindex,
		"GET /admin/api/markets/{market}/tools":                         a.tools,
		"GET /admin/api/markets/{market}/days":                          a.days,
		"GET /admin/api/markets/{market}/drivers":                       a.drivers,
		"PUT /admin/api/markets/{market}/drivers/{driver}":              a.saveDriver,
		"DELETE /admin/api/markets/{market}/drivers/{driver}":           a.deleteDriver,
		"GET /admin/api/markets/{market}/rides":                         a.rides,
		"GET /admin/api/markets/{market}/rides/{thread}/{ride}":         a.ride,
		"POST /admin/api/markets/{market}/rides/{thread}/{ride}/cancel": a.cancelRide,
		"GET /admin/api/markets/{market}/places":                        a.places,
		"PUT /admin/api/markets/{market}/places/{place}":                a.savePlace,
		"DELETE /admin/api/markets/{market}/places/{place}":             a.deletePlace,
		"POST /admin/api/markets/{market}/places/import":                a.importPlaces,
		"GET /admin/api/markets/{market}/waiting":                       a.waitingThreads,
		"GET /admin/api/vocabulary":                                     a.vocabulary,
		"GET /admin/api/orders":                                         a.orders,
		"GET /admin/api/orders/{business}/{code}":                       a.order,
		"GET /admin/api/threads":                                        a.threads,
		"POST /admin/api/threads/{thread}/take":                         a.takeThread,
		"POST /admin/api/threads/{thread}/return":                       a.returnThread,
		"POST /admin/api/threads/{thread}/messages":                     a.writeOnThread,
		"GET /admin/api/transactions":                                   a.transactions,
		"GET /admin/api/transactions/{transaction}":                     a.transaction,
		"PUT /admin/api/transactions/{transaction}/no-show":             a.markNoShow,
		"DELETE /admin/api/transactions/{transaction}/no-show":          a.takeBackNoShow,
		"GET /admin/api/alerts":                                         a.alerts,
		"POST /admin/api/alerts/{alert}/acknowledge":                    a.acknowledge,
		"POST /admin/api/alerts/check":                                  a.check,
		"GET /admin/api/outbox":                                         a.outbox,
		"POST /admin/api/outbox/{thread}/{message}/send":                a.sendAgain,
		"GET /admin/api/audit":                                          a.audit,
		"GET /admin/api/threads/{thread}":                               a.thread,
		"GET /admin/api/threads/{thread}/messages":                      a.messages,
		"GET /admin/api/threads/{thread}/data":                          a.export,
		"DELETE /admin/api/threads/{thread}/data":                       a.erase,
	}
	maps.Copy(staffed, a.Reports.routes())
	rs := httpapi.Routes{}
	for route, h := range staffed {
		rs[route] = a.staffOnly(h)
	}
	return rs
}

// staffOnly gives a request to h with who of the staff sent it.
func (a *Admin) staffOnly(h staffHandler) httpapi.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		who, err := a.Who.Staff(r)
		if err != nil {
			return err
		}
		return h(w, r, who)
	}
}

func (a *Admin) markets(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	ids, err := a.Markets.List(r.Context())
	if err != nil {
		return err
	}
	return httpapi.WriteJSON(w, http.StatusOK, map[string]any{"markets": ids})
}

func (a *Admin) market(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	m, err := a.Markets.Read(r.Context(), r.PathValue("market"))
	if err != nil {
		return notFound(err)
	}
	return httpapi.WriteJSON(w, http.StatusOK, m)
}

// saveMarket stores a configuration; its version must be the one that was loaded.
func (a *Admin) saveMarket(w http.ResponseWriter, r *http.Request, who actor.Actor) error {
	m := market.Default(r.PathValue("market"))
	if err := httpapi.ReadJSON(w, r, m); err != nil {
		return err
	}
	if m.ID != r.PathValue("market") {
		return fault.Field("id", "must be the one in the address")
	}
	for name := range m.Tools {
		if _, known := a.Runner.Tools.Get(name); !known {
			return fault.Field("tools."+name, "no such tool: want some of %v", a.Runner.Tools.Names())
		}
	}
	for _, name := range m.Safety.RequireConfirmFor {
		if _, known := a.Runner.Tools.Get(name); !known { // and the one that was meant would not ask
			return fault.Field("safety.requireConfirmFor", "no such tool as %q: want some of %v", name, a.Runner.Tools.Names())
		}
	}
	saved, err := a.Markets.Save(r.Context(), *m, who.Key())
	if err != nil {
		return err
	}
	return httpapi.WriteJSON(w, http.StatusOK, saved)
}

func (a *Admin) versions(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	limit, err := httpapi.Limit(r, adminLimit)
	if err != nil {
		return err
	}
	vs, err := a.Markets.Versions(r.Context(), r.PathValue("market"), limit)
	if err != nil {
		return err
	}
	return httpapi.WriteJSON(w, http.StatusOK, map[string]any{"versions": vs})
}

func (a *Admin) transactions(w http.ResponseWriter, r *http.Request, who actor.Actor) error {
	limit, err := httpapi.Limit(r, adminLimit)
	if err != nil {
		return err
	}
	q, err := httpapi.Query(r, "businessId", "after")
	if err != nil {
		return err
	}
	if q["businessId"] == "" {
		return fault.Field("businessId", "missing")
	}
	txs, next, err := a.Ledger.ByBusiness(r.Context(), who, q["businessId"], limit, q["after"])
	if err != nil {
		return err
	}
	return writeList(w, "transactions", txs, next)
}

func (a *Admin) transaction(w http.ResponseWriter, r *http.Request, who actor.Actor) error {
	h, err := a.Ledger.History(r.Context(), who, r.PathValue("transaction"))
	if err != nil {
		return err
	}
	return httpapi.WriteJSON(w, http.StatusOK, h)
}

// noShowKey makes marking a booking and taking that back repeatable: each happens once.
const noShowKey = "staff"

// markNoShow says that nobody came to a booking.
func (a *Admin) markNoShow(w http.ResponseWriter, r *http.Request, who actor.Actor) error {
	tx, err := a.Ledger.Mark(r.Context(), who, r.PathValue("transaction"), noShowKey)
	if err != nil {
		return err
	}
	return httpapi.WriteJSON(w, http.StatusOK, tx)
}

// takeBackNoShow says that somebody came after all.
func (a *Admin) takeBackNoShow(w http.ResponseWriter, r *http.Request, who actor.Actor) error {
	tx, err := a.Ledger.TakeBack(r.Context(), who, r.PathValue("transaction"), noShowKey)
	if err != nil {
		return err
	}
	return httpapi.WriteJSON(w, http.StatusOK, tx)
}

func (a *Admin) alerts(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	limit, err := httpapi.Limit(r, adminLimit)
	if err != nil {
		return err
	}
	q, err := httpapi.Query(r, "after")
	if err != nil {
		return err
	}
	alerts, next, err := a.Ledger.Alerts(r.Context(), limit, q["after"])
	if err != nil {
		return err
	}
	return writeList(w, "alerts", alerts, next)
}

// check runs the checkers of the ledger, which mend what can be mended, and of what is counted.
func (a *Admin) check(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	found, err := a.Ledger.CheckInvariants(r.Context(), ledger.Limits{})
	if err != nil {
		return err
	}
	if a.Counts != nil {
		counts, err := a.Counts(r.Context())
		if err != nil {
			return err
		}
		found.Looked, found.Error = found.Looked+counts.Looked, found.Error+counts.Drifted
	}
	return httpapi.WriteJSON(w, http.StatusOK, map[string]int{
		"looked": found.Looked, "critical": found.Critical, "error": found.Error, "warning": found.Warning, "healed": found.Healed,
	})
}

func (a *Admin) acknowledge(w http.ResponseWriter, r *http.Request, who actor.Actor) error {
	if err := a.Ledger.Acknowledge(r.Context(), r.PathValue("alert"), who.Key()); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// outbox lists a thread's messages, or, without one, those that were given up.
func (a *Admin) outbox(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	limit, err := httpapi.Limit(r, adminLimit)
	if err != nil {
		return err
	}
	q, err := httpapi.Query(r, "threadId")
	if err != nil {
		return err
	}
	var ms []outbox.Message
	if id := q["threadId"]; id != "" {
		ms, err = a.Outbox.List(r.Context(), id, limit)
	} else {
		ms, err = a.Outbox.Dead(r.Context(), limit)
	}
	if err != nil {
		return err
	}
	return writeList(w, "messages", ms, "")
}

func (a *Admin) sendAgain(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	if err := a.Outbox.SendAgain(r.Context(), r.PathValue("thread"), r.PathValue("message")); err != nil {
		return err
	}
	w.WriteHeader(http.StatusAccepted)
	return nil
}

func (a *Admin) audit(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	limit, err := httpapi.Limit(r, adminLimit)
	if err != nil {
		return err
	}
	q, err := httpapi.Query(r, "threadId", "after")
	if err != nil {
		return err
	}
	if q["threadId"] == "" {
		return fault.Field("threadId", "missing")
	}
	rounds, next, err := a.Runner.Audit(r.Context(), q["threadId"], limit, q["after"])
	if err != nil {
		return err
	}
	return writeList(w, "rounds", rounds, next)
}

func (a *Admin) messages(w http.ResponseWriter, r *http.Request, who actor.Actor) error {
	body, _, err := threadapi.Messages(r, a.Threads, who, r.PathValue("thread"))
	if err != nil {
		return err
	}
	return httpapi.WriteJSON(w, http.StatusOK, body)
}

// export gives what is kept of the person whose thread it is.
func (a *Admin) export(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	return threadapi.Export(w, r, a.People, r.PathValue("thread"))
}

// erase deletes what is kept of the person whose thread it is, as that person has asked.
func (a *Admin) erase(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	return threadapi.Erase(w, r, a.People, r.PathValue("thread"))
}

func writeList[T any](w http.ResponseWriter, name string, items []T, next string) error {
	if items == nil {
		items = []T{}
	}
	body := map[string]any{name: items}
	if next != "" {
		body["next"] = next
	}
	return httpapi.WriteJSON(w, http.StatusOK, body)
}

// notFound turns a store's "no such …" about an address into 404.
func notFound(err error) error {
	if fault.Is(err, fault.Invalid) {
		return actor.ErrNotFound
	}
	return err
}
