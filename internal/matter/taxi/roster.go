package taxi

import (
	"merve/internal/cloud/dynamo"
	"merve/internal/tenant/roster"
)

// OnRoster keeps drivers on the roster by their numbers.
type OnRoster struct{ Table dynamo.Table } // catalog

// Writes take a number that a driver has given up off the roster, and put the new one on it.
func (r OnRoster) Writes(before, after *Driver) []dynamo.Write {
	var ws []dynamo.Write
	if before != nil && (after == nil || after.Phone != before.Phone) {
		ws = append(ws, roster.Leave(r.Table, before.Market, before.Phone, roster.Entry{Role: roster.Driver, ID: before.ID}))
	}
	if after != nil && (before == nil || before.Phone != after.Phone) {
		ws = append(ws, roster.Join(r.Table, after.Market, after.Phone, roster.Entry{Role: roster.Driver, ID: after.ID}))
	}
	return ws
}
