// Package base groups what needs nothing else of Merve: errors and their kinds, ids, actors, places on a map, time and
// telemetry. Its packages import the standard library and one another.
//
// Nothing here knows of a store, a provider, a model or a market.
package base
