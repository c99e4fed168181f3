// Package cloud groups what Merve uses of a cloud: the store, queues, the bus, the triggers of its functions, and what is
// built on the store alone (events, alerts, limits, bounds), with the HTTP client that providers are called with.
//
// Only dynamo, trigger, queue and bus know the wire types of AWS. Nothing here knows what its items mean.
package cloud
