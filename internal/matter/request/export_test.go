package request

import (
	"merve/internal/cloud/dynamo"
	"merve/internal/spine/thread"
	"merve/internal/tenant/market"
)

// PendingOf is the offer of a request as it waits on the client's thread.
func PendingOf(v View, m *market.Market) thread.Pending { return *v.question().pending(m) }

// Changes are the writes that take a request to another state for an event.
func (s *Store) Changes(v View, to State, e Event) []dynamo.Write { return s.changes(v.to(to), e) }
