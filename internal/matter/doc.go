// Package matter groups what customers come for: bookings, appointments, payments, orders, taxis, damage reports, and requests to
// vendors. A matter has its tools, its commitments, its state and its events, in a package of its own.
//
// Matters do not import each other, nor a provider. What one needs of another is an interface of its own, which app fills. One
// matter has several rooms: a request to vendors. Above quotes are vendors; consents to a call and what is found outside stand
// beside them, and the request above all. imports_test.go holds them to that order.
//
// To add to a matter:
//
//   - A tool is a [merve/internal/agent/tool.New] with an argument struct and a resolver, in the matter's tools.go, and its name
//     in an assistant's list. A read tool runs at once, a propose tool makes a pending action, and a commit tool runs only
//     after a YES.
//   - A kind of pending action is a [merve/internal/spine/gate.Commitment] (Describe, Commit, Release), added to the map in
//     package app.
//   - Words that no model reads are a [merve/internal/spine/turn.Command], added in package app; see order/command.go.
//   - A record with a life of its own is a store whose changes are conditional writes, each with an event of the store's
//     event.Kind; see package order. A line in app.Records or app.Notify says who is told of the event.
package matter
