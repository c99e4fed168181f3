// Package cloud groups the cloud services that Merve uses: the store, queues, the bus and the triggers of its
// functions. It also has what needs only the store (events, alerts, limits, bounds), and the HTTP client for calls to
// providers.
//
// Only dynamo, trigger, queue and bus know the wire types of AWS. Nothing here knows what its items mean.
//
// A new form of key needs a line in dynamo/dynamotest/kinds.go. The line says who erases such items when a customer
// wants their data deleted (a Held, listed in app/matters.go), or why they belong to no customer. Until the line
// exists, the store of the tests refuses such items.
package cloud
