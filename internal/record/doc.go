// Package record groups the records that several matters stand on: the ledger of commitments, listings, stock, places and
// customers.
//
// Nothing here is a tool's or a conversation's own; a rule of a record is in the package that stores it.
package record
