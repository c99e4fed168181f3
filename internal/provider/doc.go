// Package provider groups one package for each service that Merve does not run: it speaks the service's wire format, and has
// beside it a fake that speaks and checks the same. A provider imports the interface that it serves.
//
// Nothing below the edge imports a provider.
package provider
