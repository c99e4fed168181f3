package admin_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"merve/internal/edge/api/apitest"
	"merve/internal/record/ledger"
	"merve/internal/record/listing"
)

func TestTransactions(t *testing.T) {
	t.Parallel()
	s := start(t)
	id, offer := s.Offered(t, "hotel in Kyrenia", "1", "from 1 to 3 December for 2")
	s.Say(t, id, "yes")
	var h struct{ PendingAction any }
	s.Reads(t, "threads/"+offer.ThreadID, &h)
	if h.PendingAction != nil {
		t.Errorf("after YES: %v", h.PendingAction)
	}
	var audit struct {
		Rounds []struct{ Calls []struct{ Tool, Args string } }
	}
	s.Reads(t, "audit?threadId="+offer.ThreadID, &audit)
	if b, _ := json.Marshal(audit); !strings.Contains(string(b), "initiateBooking") {
		t.Errorf("audit: %s", b)
	}
	s.Call(t, "GET", "/admin/api/audit", nil, apitest.Staff()...).Refuses(t, http.StatusBadRequest, "threadId")
	s.Call(t, "GET", "/admin/api/transactions", nil, apitest.Staff()...).Refuses(t, http.StatusBadRequest, "businessId")
	s.Call(t, "GET", "/admin/api/transactions/no-such", nil, apitest.Staff()...).Refuses(t, http.StatusNotFound, "")
	var all struct{ Listings []*listing.Listing }
	s.Reads(t, "markets/demo/listings", &all)
	found := 0
	for _, l := range all.Listings {
		var txs struct{ Transactions []ledger.Transaction }
		s.Reads(t, "transactions?businessId="+url.QueryEscape(l.Business), &txs)
		for _, tx := range txs.Transactions {
			if tx.Thread == offer.ThreadID && tx.State == ledger.Confirmed {
				found++
				s.Reads(t, "transactions/"+tx.ID, nil)
			}
		}
	}
	if found != 1 {
		t.Errorf("%d confirmed transactions of the thread", found)
	}
}
