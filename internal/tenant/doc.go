// Package tenant groups who Merve works for and how they are reached: markets and their settings, opening hours, channels,
// people, the roster of businesses and drivers, and the pictures that they send.
//
// Nothing here holds a conversation or commits to anything.
//
// A new channel turns what arrives into channel.Inbound and calls turn.Intake.ProcessInbound; it implements
// outbox.Provider for what goes out, and its lengths and windows are in package channel.
package tenant
