// Package internal holds Merve's packages in groups. Each group's doc says what lives there and what may not; a group knows
// only those above it in this list:
//
//	base              errors, ids, actors, telemetry: what needs nothing else of Merve
//	cloud             the store, queues, the bus and triggers, and what is built on the store alone
//	model             the interface to language models, and embeddings
//	words             language: our texts, and what the texts of others say
//	tenant            markets, channels, people and their pictures
//	agent             rounds of a model with tools, within bounds
//	plan              a question in several parts: planned, run and answered
//	spine             a message from its thread through its turn to the outbox
//	record            the ledger, listings, stock, places and customers
//	matter            what customers come for, from bookings to damage reports
//	people            the people around a conversation: notifications, the desk, accounts
//	provider          one package for each outside service
//	edge              HTTP APIs, webhooks and pages
//	app               one constructor for each function, which joins the rest
//
// They speak in these words:
//
//	market       a tenant and its policy: language, currency, time zone, tools, safety
//	channel      how messages come and go: app, web, WhatsApp, Messenger
//	thread       the one conversation of the same people: messages, state, what waits
//	head         the item of a thread that says where it stands
//	inbox        what came in on a thread and is not answered yet
//	lease        the right to run a thread's turn; its epoch fences off who lost it
//	turn         one inbound message, or a burst of them, handled to its end
//	notice       a turn that the backend begins: it tells of an event
//	burst        messages that come so close together that one turn answers them
//	assistant    who answers a kind of thread: a prompt, a greeting, a set of tools
//	agent        model rounds with tools and bounds, without a thread
//	round        one answer of a model, with the calls that it asks for
//	tool         what a model may ask for: a declaration, a resolver, an effect
//	effect       read, propose, or commit; commit only ever runs after a YES
//	proposal     what a tool asks the customer to say YES to
//	pending      a proposal that waits for YES or NO on its thread
//	gate         the step before the model that settles what is pending
//	doubt        that a bare YES may be meant for something else: it is asked about
//	receipt      the proof of one YES: who, which message, which offer
//	hash         what a YES is bound to: all that the offer showed
//	transaction  a booking in the ledger: draft, hold, confirmed, cancelled, expired, no-show
//	lock         the claim of a transaction on one slot of one offering
//	hold         a lock with an end, for as long as a question waits
//	event        an immutable fact, written with the change it tells of
//	kind         what an event is of; its router tells who hears of it
//	outbox       messages stored before they are sent, by one sender, once each
//	origin       whose words an outbound message passes on
//	journal      what a running turn has already done, for who takes it over
//	idempotency  the same key does the same once, and answers the same
//	due          an index of what is to be done at a time; sweeps walk it
//	sweep        does what is due, and finds what was left undone
//	alert        what a person must look at
//	work         what businesses and drivers do by chat, on threads of their own
//	code         how people name an order, a ride or a booking: K7P2
//	talk         a customer's words to a business, and its answer
//	desk         the people who take threads over
//	subject      the person whose data is exported or erased
//	figures      what a day has cost a market
//
// imports_test.go holds the groups to their order; README.md says where to start.
package internal
