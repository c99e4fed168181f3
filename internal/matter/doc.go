// Package matter groups what customers come for: bookings, appointments, payments, orders, taxis, damage reports, and requests to
// vendors. A matter has its tools, its commitments, its state and its events, in a package of its own.
//
// Matters do not import each other, nor a provider. A matter that needs another declares an interface, and app joins the two. One
// matter, a request to vendors, has several packages: quote at the bottom, then vendor, callconsent and discovery, and request on
// top. imports_test.go holds them to that order.
//
// # The contract
//
// A matter is joined to the rest of Merve by its facets. Each facet is declared under the same name in every matter, and is
// one list in package app, so that a function links only the facets that it uses:
//
//	facet        declared as                                    what it is for
//	tools        Tools() []tool.Tool                            what a model may ask for
//	commitments  Commitments() map[string]gate.Commitment       what a YES or a NO does, by the kind of the question
//	looks        Looks() map[string]gate.Look                   whether an offer still holds, checked before its YES counts
//	standing     type Standing, a turn.Matter                   what the customer has, for the line below each reply
//	held         type Held, an account.Holder                   a person's data, to be exported and erased
//	events       var Events, an event.Kind                      what has happened, for everybody who must hear of it
//	sweep        Sweep(ctx, dynamo.Budget) (report, error)      what time alone does
//	commands     a turn.Command                                 what businesses, drivers and vendors answer without a model
//	codes        func Coded(text string) bool                   whether a text names one of the matter's things by its code
//
// A matter that has no use for a facet says so in a list of its package doc, "No looks: the reason." A test in package app
// holds that each facet is either declared and joined, or explained.
//
// # To add to a matter
//
//   - A tool is a [merve/internal/agent/tool.New] with an argument struct and a resolver, in the matter's tools.go, and its name
//     in an assistant's list. A read tool runs at once, a propose tool makes a pending action, and a commit tool runs only
//     after a YES.
//   - A kind of pending action is a [merve/internal/spine/gate.Commitment] (Describe, Commit, Release) in the matter's
//     Commitments.
//   - A record with a life of its own is a store whose changes are conditional writes, each with an event of the store's
//     Events; see package order.
package matter
