// Package admin is the API for the people who run a market: its configuration and listings, its bookings, orders and
// reports, and the threads of its customers. Every route is for staff only. Each subject has a handler type with its own
// routes, and [API] joins them. A handler reads the request, calls the store that does the work and writes the answer.
package admin

import (
	"context"
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

// API has everything that the handlers act on.
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
	Customers  *customer.Store      // the people whom calls are about
	Visits     *appointment.Catalog // what calls arrange
	Broker     *request.Broker
	Handover   *desk.Desk
	Reindex    Reindexer // nil without a search engine

	Voice Voice // tries assistants out
	Files Files // with the pictures of requests

	// Counts checks the counted stock and raises alerts; nil checks nothing.
	Counts func(context.Context) (stock.Checked, error)
}

// Files gives the address of a stored file.
type Files interface {
	Address(ctx context.Context, key string) (string, error)
}

// usualLimit is how many items a list holds if the request does not say.
const usualLimit = 50

// staffHandler answers a request of staff.
type staffHandler func(w http.ResponseWriter, r *http.Request, who actor.Actor) error

// staffRoutes are routes for staff only.
type staffRoutes map[string]staffHandler

// subject is the part of the API about one thing.
type subject interface{ Routes() staffRoutes }

// Routes joins the routes of all subjects, and keeps everybody but staff away.
func (a *API) Routes() httpapi.Routes {
	in := tenants{a.Markets}
	rs := httpapi.Routes{}
	for _, s := range []subject{
		markets{in, a.Tools, a.Assistants},
		previews{in},
		tools{in, a.Tools, a.Assistants},
		voices{in, a.Tools, a.Assistants, a.Voice, a.Now},
		days{a.Figures, a.Now},
		listings{in, a.Listings, a.Reindex},
		places{in, a.Places},
		vendors{in, a.Vendors},
		customers{in, a.Customers},
		visits{in, a.Visits},
		drivers{in, a.Drivers},
		rides{a.Markets, a.Threads, a.Rides},
		requests{a.Markets, a.Threads, a.Broker, a.Files},
		orders{a.Orders},
		bookings{a.Ledger},
		threads{a.Threads, a.Assistants, a.Handover, a.Book, a.Audit, a.People},
		alerts{a.Alerts, a.Ledger, a.Counts},
		outbound{a.Outbox},
		a.Reports,
	} {
		for route, h := range s.Routes() {
			rs[route] = a.staffOnly(h)
		}
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

// pageOf reads a page of a market's things, and says where the next page begins.
type pageOf[T any] func(ctx context.Context, market, after string, limit int) ([]T, string, error)

// listPage answers with a page of a market's things. Without a limit the page is as long as the store reads at once, which
// fits into an answer.
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

// tenants are the markets that requests may be about.
type tenants struct{ Markets *market.Store }

// inMarket checks that the path's market exists and that the named parts of the path are legal ids,
// before something is stored there.
func (t tenants) inMarket(r *http.Request, names ...string) error {
	if err := checkIDs(r, names...); err != nil {
		return err
	}
	_, err := t.Markets.Read(r.Context(), r.PathValue("market"))
	return notFound(err)
}
