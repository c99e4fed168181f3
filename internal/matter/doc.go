// Package matter groups what customers come for: bookings, appointments, payments, orders, taxis, damage reports, and requests to
// vendors. A matter has its tools, its commitments, its state and its events, in a package of its own.
//
// Matters do not import each other, nor a provider. What one needs of another is an interface of its own, which app fills.
package matter
