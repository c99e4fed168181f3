// Package words groups the reading and writing of language: which language a text is in, the product's own texts,
// claims that a text makes, contacts in it, and how a conversation stands in words.
//
// Nothing here asks a model or a store.
//
// To add a language, add its folder to package lang. Package infra/lab/language holds a conversation in a language
// that it adds.
package words
