// Package api is what Merve's customers and providers reach over HTTP: the chat of the app and
// of the widget, the webhooks of WhatsApp, Messenger and Stripe, and the pages that links lead
// to. A handler reads the request, calls the one thing that does the work and writes the answer.
// It holds no rules of its own.
//
// The OpenAPI document beside this file describes every answer, those of the admin API too.
package api
