// Package admin is the API of the people who run a market: its configuration and listings, what is
// booked, ordered and reported in it, and the threads of its customers. Every route is for staff only.
// A handler reads the request, calls the store that does the work and writes the answer.
package admin

import (
	"context"
	"maps"
	"net/http"
	"time"

	"merve/internal/agent/tool"
	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/base/ident"
	"merve/internal/cloud/alert"
	"merve/internal/edge/httpapi"
	"merve/internal/matter/appointment"
	"merve/internal/matter/order"
	"merve/internal/matter/request"
	"merve/internal/matter/taxi"
	"merve/internal/matter/vendor"
	"merve/internal/people/account"
	"merve/internal/people/desk"
	"merve/internal/record/customer"
	"merve/internal/record/ledger"
	"merve/internal/record/listing"
	curated "merve/internal/record/place"
	"merve/internal/record/stock"
	"merve/internal/spine/assistant"
	"merve/internal/spine/outbox"
	"merve/internal/spine/thread"
	"merve/internal/spine/turn"
	"merve/internal/tenant/market"
	"merve/internal/tenant/person"
)

// API is the API with all that it acts on.
type API struct {
	Who        httpapi.Who
	Markets    *market.Store
	Listings   *listing.Store
	Ledger     *ledger.Ledger
	Alerts     *alert.Store
	Outbox     *outbox.Box
	Threads    *thread.Store
	Book       *person.Book
	Tools      *tool.Registry
	Assistants *assistant.Set
	Audit      turn.Audit
	Figures    *turn.Figures
	Now        func() time.Time
	Reports    *Reports
	People     *account.Keeper
	Orders     *order.Store
	Drivers    *taxi.Drivers
	Rides      *taxi.Store
	Places     *curated.Store
	Vendors    *vendor.Store
	Customers  *customer.Store      // whom calls are about
	Visits     *appointment.Catalog // what calls arrange
	Broker     *request.Broker
	Handover   *desk.Desk
	Reindex    Reindexer // nil without a search engine

	Voice Voice // with which voices are tried
	// Files has the pictures of requests.
	Files interface {
		Address(ctx context.Context, key string) (string, error)
	}

	// Counts checks the counted stock and raises alerts; nil checks nothing.
	Counts func(context.Context) (stock.Checked, error)
}

// usualLimit is how many items a list holds if the request does not say.
const usualLimit = 50

// staffHandler answers a request of staff.
type staffHandler func(w http.ResponseWriter, r *http.Request, who actor.Actor) error

// Routes are the API's, those of [Reports] too.
func (a *API) Routes() httpapi.Routes {
	staffed := map[string]staffHandler{
		"GET /admin/api/markets":                                          a.markets,
		"GET /admin/api/markets/{market}":                                 a.market,
		"PUT /admin/api/markets/{market}":                                 a.saveMarket,
		"GET /admin/api/markets/{market}/versions":                        a.versions,
		"GET /admin/api/markets/{market}/listings":                        a.listings,
		"GET /admin/api/markets/{market}/listings/{listing}":              a.listing,
		"PUT /admin/api/markets/{market}/listings/{listing}":              a.saveListing,
		"DELETE /admin/api/markets/{market}/listings/{listing}":           a.deleteListing,
		"GET /admin/api/markets/{market}/listings/{listing}/versions":     a.listingVersions,
		"POST /admin/api/markets/{market}/listings/preview":               a.previewListing,
		"POST /admin/api/markets/{market}/listings/import":                a.importListings,
		"GET /admin/api/markets/{market}/listings/export":                 a.exportListings,
		"POST /admin/api/markets/{market}/preview":                        a.previewMarket,
		"GET /admin/api/markets/{market}/assistants":                      a.voices,
		"POST /admin/api/markets/{market}/assistants/{assistant}/preview": a.previewVoice,
		"POST /admin/api/markets/{market}/reindex":                        a.reindex,
		"GET /admin/api/markets/{market}/tools":                           a.tools,
		"GET /admin/api/markets/{market}/days":                            a.days,
		"GET /admin/api/markets/{market}/drivers":                         a.drivers,
		"PUT /admin/api/markets/{market}/drivers/{driver}":                a.saveDriver,
		"DELETE /admin/api/markets/{market}/drivers/{driver}":             a.deleteDriver,
		"GET /admin/api/markets/{market}/rides":                           a.rides,
		"GET /admin/api/markets/{market}/rides/{thread}/{ride}":           a.ride,
		"POST /admin/api/markets/{market}/rides/{thread}/{ride}/cancel":   a.cancelRide,
		"GET /admin/api/markets/{market}/places":                          a.places,
		"PUT /admin/api/markets/{market}/places/{place}":                  a.savePlace,
		"DELETE /admin/api/markets/{market}/places/{place}":               a.deletePlace,
		"POST /admin/api/markets/{market}/places/import":                  a.importPlaces,
		"GET /admin/api/markets/{market}/vendors":                         a.vendors,
		"PUT /admin/api/markets/{market}/vendors/{vendor}":                a.saveVendor,
		"DELETE /admin/api/markets/{market}/vendors/{vendor}":             a.deleteVendor,
		"POST /admin/api/markets/{market}/vendors/import":                 a.importVendors,
		"GET /admin/api/markets/{market}/customers":                       a.customers,
		"GET /admin/api/markets/{market}/customers/{customer}":            a.customer,
		"PUT /admin/api/markets/{market}/customers/{customer}":            a.saveCustomer,
		"DELETE /admin/api/markets/{market}/customers/{customer}":         a.deleteCustomer,
		"POST /admin/api/markets/{market}/customers/import":               a.importCustomers,
		"GET /admin/api/markets/{market}/visits":                          a.visits,
		"PUT /admin/api/markets/{market}/services/{service}":              a.saveService,
		"DELETE /admin/api/markets/{market}/services/{service}":           a.deleteService,
		"PUT /admin/api/markets/{market}/technicians/{technician}":        a.saveTechnician,
		"DELETE /admin/api/markets/{market}/technicians/{technician}":     a.deleteTechnician,
		"GET /admin/api/markets/{market}/requests":                        a.requests,
		"POST /admin/api/markets/{market}/requests":                       a.createRequest,
		"GET /admin/api/markets/{market}/requests/{request}":              a.request,
		"GET /admin/api/markets/{market}/waiting":                         a.waitingThreads,
		"GET /admin/api/vocabulary":                                       a.vocabulary,
		"GET /admin/api/orders":                                           a.orders,
		"GET /admin/api/orders/{business}/{code}":                         a.order,
		"GET /admin/api/threads":                                          a.threads,
		"POST /admin/api/threads/{thread}/take":                           a.takeThread,
		"POST /admin/api/threads/{thread}/return":                         a.returnThread,
		"POST /admin/api/threads/{thread}/messages":                       a.writeOnThread,
		"GET /admin/api/transactions":                                     a.transactions,
		"GET /admin/api/transactions/{transaction}":                       a.transaction,
		"PUT /admin/api/transactions/{transaction}/no-show":               a.markNoShow,
		"DELETE /admin/api/transactions/{transaction}/no-show":            a.takeBackNoShow,
		"GET /admin/api/alerts":                                           a.alerts,
		"POST /admin/api/alerts/{alert}/acknowledge":                      a.acknowledge,
		"POST /admin/api/alerts/check":                                    a.check,
		"GET /admin/api/outbox":                                           a.outbox,
		"POST /admin/api/outbox/{thread}/{message}/send":                  a.sendAgain,
		"GET /admin/api/audit":                                            a.audit,
		"GET /admin/api/threads/{thread}":                                 a.thread,
		"GET /admin/api/threads/{thread}/messages":                        a.messages,
		"GET /admin/api/threads/{thread}/data":                            a.export,
		"DELETE /admin/api/threads/{thread}/data":                         a.erase,
	}
	maps.Copy(staffed, a.Reports.routes())
	rs := httpapi.Routes{}
	for route, h := range staffed {
		rs[route] = a.staffOnly(h)
	}
	return rs
}

// staffOnly calls h with the member of staff who sent the request, and refuses anybody else.
func (a *API) staffOnly(h staffHandler) httpapi.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		who, err := a.Who.Staff(r)
		if err != nil {
			return err
		}
		return h(w, r, who)
	}
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

// notFound is 404 for an id in the path that a store calls invalid.
func notFound(err error) error {
	if fault.Is(err, fault.Invalid) {
		return actor.ErrNotFound
	}
	return err
}

// pageOf reads a page of what a market has, and says where the next one begins.
type pageOf[T any] func(ctx context.Context, market, after string, limit int) ([]T, string, error)

// listPage answers with a page of what a market has. Without a limit the page is as long as the store
// reads at once, which fits into an answer.
func listPage[T any](w http.ResponseWriter, r *http.Request, name string, page pageOf[T]) error {
	limit, err := httpapi.Limit(r, 0)
	if err != nil {
		return err
	}
	q, err := httpapi.Query(r, "after")
	if err != nil {
		return err
	}
	some, next, err := page(r.Context(), r.PathValue("market"), q["after"], limit)
	if err != nil {
		return err
	}
	return writeList(w, name, some, next)
}

// checkIDs checks that the named parts of the path are legal ids, before something is stored under them.
func checkIDs(r *http.Request, names ...string) error {
	for _, name := range names {
		if !ident.Legal.MatchString(r.PathValue(name)) {
			return fault.Field(name, ident.WantLegal)
		}
	}
	return nil
}

// inMarket checks that the path's market exists and that the named parts of the path are legal ids,
// before something is stored there.
func (a *API) inMarket(r *http.Request, names ...string) error {
	if err := checkIDs(r, names...); err != nil {
		return err
	}
	_, err := a.Markets.Read(r.Context(), r.PathValue("market"))
	return notFound(err)
}
