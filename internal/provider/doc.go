// Package provider groups one package for each service that Merve does not run: it speaks the service's wire
// format. Each has a fake for tests, which speaks the same format and checks what it gets. A provider imports the interface that
// it serves.
//
// Nothing below the edge imports a provider.
package provider
