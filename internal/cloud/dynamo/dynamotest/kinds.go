package dynamotest

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go/middleware"

	"merve/internal/cloud/dynamo"
)

// Kind is a kind of item: how its keys look, which package writes it, and whose it is.
//
// The store of tests refuses to write what is of no kind. What a person wants gone goes by the holders that are named
// here, and package app tries it: it plants an item of each kind that has holders, and leaves each holder out once.
type Kind struct {
	Package string
	PK, SK  string // "*" stands for anything, thread for the id of a thread

	Holders []string // what erases an owner's data from it, by what [account.Holder.Holds] says; empty if it belongs to no customer
	Why     string   // why it belongs to no customer, or which part of it stays when the holders are done
}

// thread is a partition key without a "#".
const thread = "{thread}"

// by names the holders of a kind.
func by(holders ...string) []string { return holders }

// nobodys is a kind that says nothing of a customer.
func nobodys(pkg, pk, sk, why string) Kind { return Kind{pkg, pk, sk, nil, why} }

const (
	ofTheCatalogue = "what a market, its businesses and its drivers say of themselves"
	hashed         = "keys are hashes, and it is gone within a day"
)

// Kinds are all kinds of items, of all tables. The first that an item fits is its own.
var Kinds = []Kind{
	nobodys("alert", "alerts", "*", "what a person must look at, by ids"),
	nobodys("alert", "alert#*", "open", "the same, by what it is about"),
	{"appointment", thread, "shown#*", by("messages"), ""},
	nobodys("appointment", "visits#*", "service#*", ofTheCatalogue),
	nobodys("appointment", "visits#*", "technician#*", ofTheCatalogue),
	{"booking", "wait#*", "*", by("waiting"), ""},
	{"booking", "waiting#*", "*", by("waiting"), ""},
	nobodys("booking", "reminder#*", "reminder", "when a booking is due, by its id"),
	nobodys("bound", "bound#*", "*", "counts what somebody has at a time, by ids, and is gone a day after"),
	nobodys("customer", "customer#*", "customer", "the business's own book of its customers, which it keeps by itself"),
	nobodys("customer", "customers#*", "*", "the same, as a list of ids"),
	nobodys("customer", "caller#*", "*", "the same, by hashes"),
	nobodys("customer", "failed#*", "*", hashed),
	{"customer", thread, "account#*", by("messages"), ""},
	{"desk", "desk#*", "thread#*", by("handover"), "that somebody waits, by the id of the thread, until a person has answered"},
	{"desk", "desk#*", "event#*", by("handover"), ""},
	{"ledger", "tx#*", "tx", by("bookings"), "the books: that it was booked, by whose id"},
	{"ledger", "tx#*", "event#*", by("bookings"), "the same"},
	nobodys("ledger", "tx#*", "receipt", "which YES it was, by hashes"),
	{"ledger", "idem#*", "idem", by("bookings"), "the same"},
	nobodys("ledger", "*:offering:*", "*:token:*", "which slot is taken, by the id of a booking"),
	nobodys("ledger", "noshow#*", "*", "that somebody did not come, by ids, which the business goes by"),
	nobodys("limit", "limit#*", "*", hashed),
	nobodys("listing", "business#*", "calendars", ofTheCatalogue),
	nobodys("listing", "business#*", "market", ofTheCatalogue),
	nobodys("listing", "market#*", "listing#*", ofTheCatalogue),
	nobodys("listing", "market#*", "items#*", ofTheCatalogue),
	nobodys("listing", "listing#*", "version#*", ofTheCatalogue),
	{"live", thread, "live#*", by("sockets", "messages"), ""},
	{"live", thread, "room", by("messages"), ""},
	{"live", "socket#*", "socket", by("sockets"), ""},
	nobodys("market", "market#*", "config", ofTheCatalogue),
	nobodys("market", "market#*", "version#*", ofTheCatalogue),
	nobodys("market", "markets", "*", ofTheCatalogue),
	nobodys("market", "number#*", "market", ofTheCatalogue),
	{"marketplace", "request#*", "~", by("marketplaceRequests"), ""},
	{"marketplace", "request#*", "~outreach#*", by("marketplaceRequests"), ""},
	{"marketplace", "request#*", "~consent#*", by("marketplaceRequests"), ""},
	{"marketplace", "request#*", "~ocr#*", by("marketplaceRequests"), ""},
	{"marketplace", "request#*", "reply#*", by("marketplaceRequests"), ""},
	{"marketplace", "request#*", "call#*", by("marketplaceRequests"), ""},
	{"marketplace", "request#*", "event#*", by("marketplaceRequests"), ""},
	{"marketplace", "request#*", "feed#*", by("marketplaceRequests"), ""},
	{"marketplace", "request#*", "budget#*", by("marketplaceRequests"), ""},
	{"marketplace", "requestaudit#*", "body#*", by("marketplaceRequests"), ""},
	nobodys("marketplace", "requestaudit#*", "event#*", "that a call was made, by hashes"),
	nobodys("marketplace", "requestaudit#*", "~", "the same"),
	{"marketplace", "requests#*", "*", by("marketplaceRequests"), ""},
	{"marketplace", "asked#*", "*", by("marketplaceRequests"), ""},
	nobodys("marketplace", "vendors#*", "vendor#*", ofTheCatalogue),
	{"order", "orders#*", "order#*", by("orders"), ""},
	{"order", "orders#*", "event#*", by("orders"), ""},
	nobodys("order", "orders#*", "forget#*", "that an order goes once it is over, by its id"),
	{"order", "told#*", "*", by("orders"), ""},
	{"outbox", thread, "outbox#*", by("told", "messages"), ""},
	nobodys("outbox", thread, "forget#*", "that a message is to lose its words, by its id"),
	{"payment", "pay#*", "payment", by("payments"), ""},
	{"payment", "pay#*", "event#*", by("payments"), ""},
	nobodys("person", "alias#*", "*", "that somebody who comes back is the same, which an erased customer is known by"),
	nobodys("place", "market#*", "place#*", ofTheCatalogue),
	nobodys("place", "places#*", "*", ofTheCatalogue),
	{"plan", "plan-of#*", "~", by("plans"), ""},
	{"plan", "plans#*", "conversation#*", by("plans"), ""},
	{"plan", "plan#*", "~", by("plans"), "which generation of a name is written, so that nobody who writes late is read"},
	nobodys("plan", "plan#*", "claim#*", "which process works on it, and is gone within the hour"),
	{"plan", "plan#*", "*", by("plans"), ""},
	{"relay", "talk#*#*", "event#said#*", by("talks"), ""},
	nobodys("relay", "talk#*#*", "day#*", "how often a business has answered in a day, by the code of a talk"),
	{"relay", "talk#*#*", "*", by("talks"), ""},
	{"relay", "relayed#*", "*", by("talks"), ""},
	{"report", "reports#*", "report#*", by("reports"), ""},
	{"report", "reports#*", "briefs", by("reports"), "that there were some"},
	nobodys("report", "reports#*", "event#*", "that a report has changed, by ids and hashes"),
	{"report", "report#*", "owner", by("reports"), ""},
	nobodys("report", "report#*", "link#*", "that a report was shared, by ids and hashes, which opens nothing once it is gone"),
	nobodys("report", "secret#links", "key", "a secret of the deployment"),
	nobodys("roster", "contact#*", "*", ofTheCatalogue),
	nobodys("stock", "stock#*", "item#*", ofTheCatalogue),
	nobodys("stock", "stock#*", "order#*", "how many an order takes, by ids"),
	{"taxi", "rides#*", "ride#*", by("rides"), ""},
	{"taxi", "rides#*", "open#*", by("rides"), ""},
	nobodys("taxi", "rides#*", "forget#*", "that a ride goes once it is over, by its id"),
	{"taxi", "rides#*", "event#*", by("rides"), ""},
	{"taxi", "codes#*", "code#*", by("rides"), ""},
	nobodys("taxi", "driver#*", "*", "which ride a driver is asked for or on, by ids, gone within hours"),
	nobodys("taxi", "drivers#*", "*", ofTheCatalogue),
	nobodys("taxi", "available#*", "*", ofTheCatalogue),
	nobodys("thread", "code#*", "code", "a code that links two chats, by a hash and the id of a thread, gone in minutes"),
	{"order", "code#*", "*", by("orders"), ""},
	{"thread", thread, "~", by("messages"), "that somebody who comes back is the same: ids and counters"},
	{"thread", thread, "seen#*", by("messages"), "that a message has come, by its id"},
	{"thread", thread, "turn#*", by("messages"), ""},
	{"thread", thread, "journal#*", by("messages"), ""},
	{"thread", thread, "doing", by("messages"), ""},
	{"thread", thread, "st#*", by("messages"), ""},
	nobodys("thread", "talks#*", "*", "which threads somebody has, by ids: as they are known when they come back"),
	nobodys("thread", "talk#*", "*", "the same, by hashes"),
	nobodys("thread", "call#*", "*", "the same, by hashes"),
	{"turn", "audit#*", "*", by("toolCalls"), ""},
	nobodys("turn", "spend#*", "*", "what models cost a market in a day"),
	nobodys("dynamotest", "test#*", "*", "what a test writes of its own"),
	nobodys("dynamotest", thread, "test#*", "the same"),
}

// KindOf is the kind of the item that has a key.
func KindOf(k dynamo.Key) (Kind, bool) {
	for i, form := range forms() {
		if form.MatchString(k.PK + "\x00" + k.SK) {
			return Kinds[i], true
		}
	}
	return Kind{}, false
}

var forms = sync.OnceValue(func() []*regexp.Regexp {
	form := func(s string) string {
		return strings.NewReplacer(regexp.QuoteMeta(thread), `[^#\x00]*`, `\*`, `[^\x00]*`).Replace(regexp.QuoteMeta(s))
	}
	all := make([]*regexp.Regexp, len(Kinds))
	for i, k := range Kinds {
		all[i] = regexp.MustCompile("^" + form(k.PK) + `\x00` + form(k.SK) + "$")
	}
	return all
})

// refuseUndeclared has every write of an item that is of no kind fail, before it is sent.
func refuseUndeclared(stack *middleware.Stack) error {
	return stack.Initialize.Add(middleware.InitializeMiddlewareFunc("RefuseUndeclared", func(
		ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler,
	) (middleware.InitializeOutput, middleware.Metadata, error) {
		var written []map[string]types.AttributeValue
		switch in := in.Parameters.(type) {
		case *dynamodb.PutItemInput:
			written = append(written, in.Item)
		case *dynamodb.UpdateItemInput:
			written = append(written, in.Key)
		case *dynamodb.TransactWriteItemsInput:
			for _, w := range in.TransactItems {
				switch {
				case w.Put != nil:
					written = append(written, w.Put.Item)
				case w.Update != nil:
					written = append(written, w.Update.Key)
				}
			}
		}
		for _, it := range written {
			if k := dynamo.Item(it).Key(); !declared(k) {
				return middleware.InitializeOutput{}, middleware.Metadata{}, fmt.Errorf(
					"an item with the key %q, %q is of no kind: add its kind to Kinds in internal/cloud/dynamo/dynamotest/kinds.go, and say there "+
						"which holder erases what it says of a person (an account.Holder of the list in internal/app/account.go; plant one in "+
						"internal/app/erased_test.go), or why it says nothing of anybody", k.PK, k.SK)
			}
		}
		return next.HandleInitialize(ctx, in)
	}), middleware.Before)
}

// TakeAnything has the store take items of no kind, in the tests of a package that stores whatever it is given. To be
// called by TestMain.
func TakeAnything() { anything = true }

var anything bool

func declared(k dynamo.Key) bool {
	_, ok := KindOf(k)
	return ok || anything
}
