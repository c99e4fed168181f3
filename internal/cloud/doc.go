// Package cloud groups what Merve uses of a cloud: the store, queues, the bus, the triggers of its functions, and what is
// built on the store alone (events, alerts, limits, bounds), with the HTTP client that providers are called with.
//
// Only dynamo, trigger, queue and bus know the wire types of AWS. Nothing here knows what its items mean.
//
// An item with a new form of key needs a line in dynamo/dynamotest/kinds.go, which says who erases it when a customer wants
// their data deleted (a Held, listed in app/account.go), or why it is nobody's. Until then the store of the tests refuses
// it.
package cloud
