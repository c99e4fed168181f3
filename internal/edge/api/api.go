// Package api is the HTTP API for Merve's customers and providers: the chat of the app and
// of the widget, the webhooks of WhatsApp, Messenger and Stripe, and the pages that links lead
// to. A handler reads the request, calls the one function that does the work and writes the answer.
// It holds no rules of its own.
//
// The OpenAPI document in this folder describes every answer, including those of the admin API.
package api
