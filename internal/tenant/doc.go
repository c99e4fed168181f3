// Package tenant groups who Merve works for and how they are reached: markets and their settings, opening hours, channels,
// people, the roster of businesses and drivers, and the pictures that they send.
//
// Nothing here holds a conversation or commits to anything.
package tenant
