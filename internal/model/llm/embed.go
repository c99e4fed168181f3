package llm

import "context"

// Embedder turns texts into vectors that lie near each other where the texts mean the
// same. An error is an [*Error]; the usage counts even then.
type Embedder interface {
	// Embed returns one vector for each text, in their order.
	Embed(ctx context.Context, texts []string) ([][]float32, Usage, error)

	// Space is where the vectors lie. Keep it with every vector that is stored.
	Space() Space
}

// Space names the vectors that can be compared with each other: those of one model with
// as many dimensions.
type Space struct {
	Model      string
	Dimensions int
}
