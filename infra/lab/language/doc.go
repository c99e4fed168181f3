// Package language adds a language that nobody speaks, as somebody adds one that people do: a folder of words, and nothing
// else. Its tests hold a conversation in it, over HTTP, with the functions as they are deployed.
package language
