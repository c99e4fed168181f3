// Package people groups what connects the people around a conversation: notifications, the desk that takes over,
// messages between a customer and a business, the work of businesses, and what an account holds of a person.
//
// It may use every matter. No matter knows it.
package people
