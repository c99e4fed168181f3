// Package wiring is the one table of how Merve is put together: each function with
// the trigger that starts it, the resources it may touch and the environment it needs, and the tables,
// queues, buses, bucket and alarms around them. A function is started in one of five ways:
// by requests to its routes, by events on sockets, by a queue, by a table's stream, or
// by a schedule.
//
// It is data, and imports nothing but the list of workers. The cloud stack and the local runner are both made
// from it, so a function, a trigger or a permission is written here once and nowhere
// else. Everything is named by its logical name; the real name of a thing reaches a
// function in the environment variable given here as Env.
package wiring

import "cmp"

// Seconds is a span of time.
type Seconds int

// Function is one deployed function, of the program functions/<Program>/main.go.
type Function struct {
	Name    string
	Program string  `json:",omitempty"` // the function's name if empty
	Doc     string  // its purpose, in one line
	Memory  int     // MB
	Timeout Seconds // an invocation that takes longer is killed

	// The trigger: one of these five.
	Routes   []Route
	Sockets  bool // what happens on the connections of the WebSocket API
	Queue    *QueueTrigger
	Stream   *StreamTrigger
	Schedule *Schedule

	// The resources it may touch, and nothing else.
	Tables  []Grant
	Media   bool     // reads, keeps and deletes files in the bucket
	Scans   bool     // has Textract read pages
	Sends   []string // queues that it may put messages on
	Puts    []string // buses that it may put events on
	Posts   bool     // writes to connections of the WebSocket API, and closes them
	Secrets []string // keys of the secret that it reads, at first use

	Settings []string // names of the settings it reads, besides those every function reads
}

// Grant is a set of actions that a function may do on one table.
type Grant struct {
	Table   string
	Actions []Action
}

// Action is an operation on items, by DynamoDB's name for its permission. A
// transaction needs the permission of each of its parts.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis-iam.html
type Action string

const (
	GetItem            Action = "GetItem"
	BatchGetItem       Action = "BatchGetItem"
	Query              Action = "Query" // the table and its indexes
	PutItem            Action = "PutItem"
	UpdateItem         Action = "UpdateItem"
	DeleteItem         Action = "DeleteItem"
	ConditionCheckItem Action = "ConditionCheckItem"
)

func reads(table string) Grant {
	return Grant{Table: table, Actions: []Action{GetItem, BatchGetItem, Query}}
}

func writes(table string) Grant {
	return Grant{Table: table, Actions: []Action{PutItem, UpdateItem, DeleteItem, ConditionCheckItem}}
}

func readsAndWrites(table string) Grant {
	return Grant{Table: table, Actions: append(reads(table).Actions, writes(table).Actions...)}
}

// raises grants the right to raise alerts.
func raises() Grant { return Grant{Table: "alerts", Actions: []Action{PutItem, UpdateItem}} }

// turnTables are the tables that a turn touches, in any function.
func turnTables() []Grant {
	return []Grant{
		readsAndWrites("conversations"), readsAndWrites("ledger"), readsAndWrites("catalog"), readsAndWrites("records"),
		{Table: "alerts", Actions: []Action{GetItem, PutItem, UpdateItem}}, // that the model's key is refused, and whether it is
	}
}

// Functions lists every function.
func Functions() []Function {
	return append([]Function{
		{
			Name: "chat", Doc: "takes messages of app and web and answers them; serves the chat page, and says what is not there",
			Memory: 256, Timeout: 29, // a gateway waits 30 s and no longer
			Routes: []Route{
				{Method: "POST", Path: "/chat/message"},
				{Method: "GET", Path: "/chat/threads/{threadId}/messages"},
				{Method: "GET", Path: "/chat/threads/{threadId}/activity"},
				{Method: "POST", Path: "/chat/photos"},
				{Method: "GET", Path: "/", Undocumented: true},
				{Method: "GET", Path: "/static/{file+}", Undocumented: true},
				{Method: "GET", Path: "/healthz"},
				{Method: "GET", Path: "/readyz"},
				{Method: "GET", Path: "/openapi.yaml"},
				{Method: "ANY", Path: Default},
			},
			Tables:   turnTables(),
			Media:    true,
			Sends:    join([]string{"turns"}, plansFrom()),
			Secrets:  []string{"OPENAI_API_KEY", "MAPBOX_TOKEN", "TWILIO_AUTH_TOKEN", "TYPESENSE_API_KEY", "STRIPE_SECRET_KEY", "GEMINI_API_KEY", "GOOGLE_PLACES_API_KEY"},
			Settings: join(model(), auth(), tools(), weather(), []string{"GATEWAY_TIMEOUT", "MERVE_VERSION", "LIVE_URL"}),
		},
		{
			Name: "sara", Doc: "takes messages of the widget that other sites embed, serves it and the shared reports",
			Memory: 256, Timeout: 29,
			Routes: []Route{
				{Method: "POST", Path: "/web-chat-api"},
				{Method: "OPTIONS", Path: "/web-chat-api"},
				{Method: "GET", Path: "/web-chat-api/messages"},
				{Method: "OPTIONS", Path: "/web-chat-api/messages"},
				{Method: "POST", Path: "/web-chat-api/photos"},
				{Method: "OPTIONS", Path: "/web-chat-api/photos"},
				{Method: "GET", Path: "/web-chat-api/me"},
				{Method: "DELETE", Path: "/web-chat-api/me"},
				{Method: "OPTIONS", Path: "/web-chat-api/me"},
				{Method: "GET", Path: "/sara", Undocumented: true},
				{Method: "GET", Path: "/sara.js", Undocumented: true},
				{Method: "GET", Path: "/sara/{file+}", Undocumented: true},
				{Method: "GET", Path: "/r/{reportId}/{token}"},
			},
			Tables:   turnTables(),
			Media:    true,
			Sends:    []string{"turns"},
			Secrets:  []string{"OPENAI_API_KEY", "MAPBOX_TOKEN", "TWILIO_AUTH_TOKEN", "TYPESENSE_API_KEY", "GEMINI_API_KEY", "GOOGLE_PLACES_API_KEY"},
			Settings: join(model(), tools(), []string{"GATEWAY_TIMEOUT", "ALLOWED_ORIGINS", "LIVE_URL"}),
		},
		{
			Name: "whatsapp", Doc: "takes WhatsApp messages and delivery statuses",
			Memory: 256, Timeout: 10,
			Routes: []Route{
				{Method: "POST", Path: "/webhooks/whatsapp"},
				{Method: "POST", Path: "/webhooks/whatsapp/status"},
			},
			Tables:   []Grant{readsAndWrites("conversations"), reads("catalog"), reads("records")}, // orders that a number was told of
			Sends:    []string{"turns"},
			Secrets:  []string{"TWILIO_AUTH_TOKEN"},
			Settings: twilio(),
		},
		{
			Name: "messenger", Doc: "takes Messenger's events",
			Memory: 256, Timeout: 10,
			Routes: []Route{
				{Method: "GET", Path: "/webhooks/messenger"},
				{Method: "POST", Path: "/webhooks/messenger"},
			},
			Tables:   []Grant{readsAndWrites("conversations"), reads("catalog")},
			Sends:    []string{"turns"},
			Secrets:  join(metaSecrets(), []string{"META_VERIFY_TOKEN", "FACEBOOK_VERIFY_TOKEN", "FB_VERIFY_TOKEN"}),
			Settings: meta(),
		},
		{
			Name: "stripe", Doc: "takes Stripe's events, serves the pages on which is paid",
			Memory: 256, Timeout: 15,
			Routes: []Route{
				{Method: "POST", Path: "/webhooks/stripe"},
				{Method: "GET", Path: "/pay/static/{file}", Undocumented: true},
				{Method: "GET", Path: "/pay/{transaction}/{token}"},
				{Method: "GET", Path: "/pay/{transaction}/{token}/intent"},
			},
			Tables:   []Grant{readsAndWrites("ledger"), raises(), reads("catalog"), {Table: "conversations", Actions: []Action{PutItem, UpdateItem, DeleteItem}}}, // what is paid stands
			Secrets:  []string{"STRIPE_SECRET_KEY", "STRIPE_WEBHOOK_SECRET"},
			Settings: []string{"STRIPE_BASE_URL", "STRIPE_PUBLISHABLE_KEY"},
		},
		{
			Name: "turn", Doc: "answers the unanswered messages of a thread",
			Memory: 256, Timeout: 120,
			Queue:    &QueueTrigger{Queue: "turns", Batch: 1, PartialFailures: true},
			Tables:   turnTables(),
			Media:    true,
			Sends:    join([]string{"turns"}, plansFrom()),
			Posts:    true, // sweep may bring a turn of a live conversation
			Secrets:  []string{"OPENAI_API_KEY", "MAPBOX_TOKEN", "TWILIO_AUTH_TOKEN", "TYPESENSE_API_KEY", "STRIPE_SECRET_KEY", "GEMINI_API_KEY", "GOOGLE_PLACES_API_KEY"},
			Settings: join(model(), tools(), weather(), live()),
		},
		{
			Name: "notify", Doc: "turns ledger events into messages on the outbox",
			Memory: 256, Timeout: 30,
			Stream: events("ledger", "notify-failed"),
			Tables: []Grant{readsAndWrites("conversations"), reads("catalog"), readsAndWrites("ledger"), raises()},
			Sends:  []string{"turns"},
		},
		{
			Name: "records", Doc: "tells people what happened to reports, orders, rides and requests, seals the audit of requests, " +
				"and ends calls that may not be made",
			Memory: 256, Timeout: 30,
			Stream:   events("records", "notify-failed"),
			Tables:   []Grant{readsAndWrites("conversations"), reads("catalog"), readsAndWrites("records"), raises()},
			Sends:    []string{"turns", "ocr"},
			Settings: twilio(),
		},
		{
			Name: "marketplace", Doc: "takes calls of programs and of the desk about marketplace requests, and what Twilio asks and says of calls to clients",
			Memory: 256, Timeout: 29,
			Routes: []Route{
				{Method: "POST", Path: "/marketplace/tools/{tool}"},
				{Method: "GET", Path: "/marketplace/requests/{id}"},
				{Method: "GET", Path: "/marketplace/requests/{id}/audit"},
				{Method: "GET", Path: "/marketplace/requests/{id}/feed"},
				{Method: "GET", Path: "/marketplace/states"},
				{Method: "POST", Path: "/webhooks/whatsapp/calls/answered"},
				{Method: "POST", Path: "/webhooks/whatsapp/calls/status"},
			},
			Tables:   []Grant{readsAndWrites("conversations"), readsAndWrites("records"), reads("catalog"), {Table: "alerts", Actions: []Action{GetItem, PutItem, UpdateItem}}},
			Secrets:  []string{"OPENAI_API_KEY", "GEMINI_API_KEY", "GOOGLE_PLACES_API_KEY", "TWILIO_AUTH_TOKEN"},
			Settings: join(model(), auth(), searches(), twilio()),
		},
		{
			Name: "outreach", Doc: "reminds vendors who have not answered, gives up those who do not, asks clients whose question had to wait, and Twilio what became of calls",
			Memory: 256, Timeout: 120,
			Schedule: every(300),
			Tables:   []Grant{readsAndWrites("conversations"), readsAndWrites("records"), reads("catalog")},
			Sends:    []string{"turns", "ocr"},
			Secrets:  []string{"TWILIO_AUTH_TOKEN"},
			Settings: join(twilio(), []string{"OCR_ENGINE"}),
		},
		{
			Name: "ocr", Doc: "reads pictures of quotations",
			Memory: 2048, Timeout: 300,
			Queue:    &QueueTrigger{Queue: "ocr", Batch: 1, Parallel: 5, PartialFailures: true},
			Tables:   []Grant{readsAndWrites("records"), raises()},
			Media:    true,
			Scans:    true,
			Secrets:  []string{"TWILIO_AUTH_TOKEN"},
			Settings: []string{"OCR_ENGINE", "TWILIO_ACCOUNT_SID", "TWILIO_BASE_URL", "META_BASE_URL"},
		},
		{
			Name: "index", Doc: "keeps the search engine to the listings",
			Memory: 256, Timeout: 30,
			Stream:   changes("catalog", "listing#", "index-failed"),
			Tables:   []Grant{reads("catalog"), raises()},
			Secrets:  []string{"TYPESENSE_API_KEY"},
			Settings: []string{"TYPESENSE_URL"},
		},
		{
			Name: "sender", Doc: "sends what is on the outbox",
			Memory: 256, Timeout: 60,
			Stream:   stream("conversations", "outbox#", "sender-failed"),
			Tables:   []Grant{readsAndWrites("conversations"), raises()},
			Sends:    []string{"turns"}, // a customer is told of what their business does not hear
			Secrets:  join([]string{"TWILIO_AUTH_TOKEN"}, metaSecrets()),
			Settings: join(twilio(), meta()),
		},
		{
			Name: "expiry", Doc: "expires holds and proposals whose time has passed; gives money back",
			Memory: 256, Timeout: 50,
			Schedule: every(60),
			Tables:   []Grant{readsAndWrites("ledger"), raises(), readsAndWrites("records"), reads("catalog"), readsAndWrites("conversations")},
			Sends:    []string{"turns"},
			Secrets:  []string{"STRIPE_SECRET_KEY"},
			Settings: []string{"STRIPE_BASE_URL"},
		},
		{
			Name: "invariants", Doc: "checks what must always hold in the ledger and of what is counted, sends events again of which nobody was told, raises alerts",
			Memory: 256, Timeout: 120,
			Schedule: every(300),
			Tables:   []Grant{readsAndWrites("ledger"), raises(), readsAndWrites("records"), readsAndWrites("conversations")},
		},
		{
			Name: "sweep", Doc: "finds messages appended and never answered, stored and never sent",
			Memory: 256, Timeout: 50,
			Schedule: every(60),
			Tables:   []Grant{readsAndWrites("conversations"), raises()},
			Sends:    []string{"turns"},
			Secrets:  join([]string{"TWILIO_AUTH_TOKEN"}, metaSecrets()),
			Settings: join(twilio(), meta()),
		},
		{
			Name: "admin", Doc: "serves the admin API, its pages, and the documents",
			Memory: 256, Timeout: 29,
			Routes: []Route{
				{Method: "ANY", Path: "/admin/api/{proxy+}"},
				{Method: "GET", Path: "/admin", Undocumented: true},
				{Method: "GET", Path: "/admin/config.json", Undocumented: true},
				{Method: "GET", Path: "/admin/static/{file+}", Undocumented: true},
				{Method: "GET", Path: "/admin/signed-in", Undocumented: true},
				{Method: "GET", Path: "/admin/{page}", Undocumented: true},
				{Method: "GET", Path: "/admin/reports", Undocumented: true},
				{Method: "GET", Path: "/admin/reports/{reportId}", Undocumented: true},
				{Method: "GET", Path: "/docs", Undocumented: true},
				{Method: "GET", Path: "/docs/{page}", Undocumented: true},
			},
			Media: true,
			Tables: []Grant{
				readsAndWrites("conversations"), readsAndWrites("ledger"), readsAndWrites("alerts"),
				readsAndWrites("catalog"), readsAndWrites("records"),
			},
			Sends:    []string{"turns"},                               // what staff write, and that they take a thread over
			Secrets:  []string{"TYPESENSE_API_KEY", "OPENAI_API_KEY"}, // to rebuild an index, and to try an assistant's tone
			Settings: join(model(), auth(), []string{"AUTH_CLIENT_ID", "AUTH_SIGN_IN_ORIGINS", "TYPESENSE_URL"}),
		},
	}, append(liveFunctions(), planFunctions()...)...)
}

// Runs is the folder of functions/ with f's program.
func (f Function) Runs() string { return cmp.Or(f.Program, f.Name) }

// Env lists the environment variables that f reads: those of its tables, queues and buses,
// the secret's name and its settings. Where f runs decides their values.
func (f Function) Env() []string {
	var names []string
	for _, t := range Tables() {
		if f.touches(t.Name) {
			names = append(names, t.Env)
		}
	}
	if f.Media {
		names = append(names, Media().Env)
	}
	if f.Posts {
		names = append(names, PostsEnv)
	}
	for _, q := range Queues() {
		if f.uses(q.Name) {
			names = append(names, q.Env)
		}
	}
	for _, b := range Buses() {
		if has(f.Puts, b.Name) {
			names = append(names, b.Env)
		}
	}
	if len(f.Secrets) > 0 {
		names = append(names, SecretEnv)
	}
	for _, s := range Settings() {
		if s.Always || has(f.Settings, s.Name) {
			names = append(names, s.Name)
		}
	}
	return names
}

func (f Function) touches(table string) bool {
	for _, g := range f.Tables {
		if g.Table == table {
			return true
		}
	}
	return false
}

func (f Function) uses(queue string) bool {
	return has(f.Sends, queue) || f.Queue != nil && f.Queue.Queue == queue
}

func has(list []string, s string) bool {
	for _, l := range list {
		if l == s {
			return true
		}
	}
	return false
}

func join(lists ...[]string) []string {
	var all []string
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}
