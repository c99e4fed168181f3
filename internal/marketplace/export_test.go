package marketplace

import (
	"merve/internal/market"
	"merve/internal/thread"
)

// PendingOf is the offer of a request as it waits on the client's thread.
func PendingOf(v View, m *market.Market) thread.Pending { return *v.question().pending(m) }
