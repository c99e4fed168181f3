package report

import (
	"context"

	"merve/internal/agent/tool"
	"merve/internal/tenant/channel"
)

// Known is what a model knows about a customer who reports damage.
type Known struct {
	ID      string          `json:"id"`
	Name    string          `json:"name,omitempty"`
	Channel channel.Channel `json:"channel"`
	Reports []Brief         `json:"reportIdsWithStatus"`
}

// Known returns what is known about the customer of a turn. As many requests as [Store.Profile].
func (s *Store) Known(ctx context.Context, tc tool.Context) (any, error) {
	briefs, err := s.Profile(ctx, tc.Market.ID, tc.Actor.Keys())
	if err != nil {
		return nil, err
	}
	return Known{tc.Actor.Key(), tc.Actor.Name, tc.Channel, briefs}, nil
}
