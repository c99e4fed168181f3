// Package spine groups the way of a message: thread keeps it, turn answers it, gate settles what waits for a YES, live speaks
// while the turn runs, and outbox sends what was said. A turn is above live, live above gate, gate above thread.
//
// Nothing here knows a kind of booking, order or report: a matter joins through the interfaces of turn and gate.
//
// A new assistant is a prompt in assistant/prompt and a value such as assistant.Sara(). Its Access can open tools by the state
// of a conversation, as pestcall's does by the caller's account.
package spine
