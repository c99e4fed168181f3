// Package words groups the reading and writing of language: which language a text is in, the product's own texts, claims that
// a text makes, contacts in it, and how a conversation stands in words.
//
// Nothing here asks a model or a store.
//
// A new language needs a file in each of wording/catalog, claim/patterns and standing/smalltalk, and in spine/gate/words.
package words
