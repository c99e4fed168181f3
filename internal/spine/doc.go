// Package spine groups the way of a message: thread keeps it, turn answers it, gate settles what waits for a YES, live speaks
// while the turn runs, and outbox sends what was said. A turn is above live, live above gate, gate above thread.
//
// Nothing here knows a kind of booking, order or report: a matter joins through the interfaces of turn and gate.
package spine
