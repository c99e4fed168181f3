// Package edge groups what the outside reaches: HTTP APIs, webhooks, the pages of customers and staff, and their access to
// threads. It checks who asks, and reads and writes formats.
//
// It decides nothing about a matter: that is the matter's own.
package edge
