// Package model groups the language models: the interface to one that completes a conversation (llm), and embeddings on this
// machine (minilm).
//
// Nothing here knows of tools, threads or markets. Providers of models are in package provider.
package model
