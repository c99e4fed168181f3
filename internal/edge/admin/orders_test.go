package admin_test

import (
	"net/http"
	"net/url"
	"testing"
	"time"

	"merve/internal/base/actor"
	"merve/internal/base/pause/pausetest"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/edge/api/apitest"
	"merve/internal/matter/order"
	"merve/internal/spine/gate"
)

func TestOrders(t *testing.T) {
	t.Parallel()
	s := start(t)
	business, owner := dynamotest.ID("biz"), "session:"+dynamotest.ID("s")
	orders := s.Base.Orders()
	o, err := orders.Propose(t.Context(), order.Order{
		Kind: order.Food, Owner: owner, Market: "demo", Language: "en", Business: business, Listing: "meze", ListingName: "Meze", TimeZone: "UTC", Currency: "EUR",
		TotalMinor: 100, ExpiresAt: apitest.Now().Add(time.Hour), Lines: []order.Line{{Item: "soup", Name: "Soup", Quantity: 1, TotalMinor: 100}},
	}, "key")
	if err == nil {
		o, err = orders.Apply(t.Context(), o, order.PlacedEvent, order.By{Actor: actor.OfKey(owner), Receipt: &gate.Receipt{Answer: "yes"}})
	}
	if err != nil {
		t.Fatal(err)
	}
	var one struct {
		Order  order.Order
		Events []struct{ Type string }
	}
	s.Reads(t, "orders/"+url.PathEscape(business)+"/"+o.Code, &one)
	if one.Order.ID != o.ID || len(one.Events) != 2 || one.Events[1].Type != string(order.PlacedEvent) {
		t.Errorf("order %+v", one)
	}
	pausetest.Until(t, "the order in the business's list", func() bool {
		var all struct{ Orders []order.Order }
		s.Reads(t, "orders?businessId="+url.QueryEscape(business), &all)
		return len(all.Orders) == 1
	})
	s.Call(t, "GET", "/admin/api/orders", nil, apitest.Staff()...).Refuses(t, http.StatusBadRequest, "businessId")
	s.Call(t, "GET", "/admin/api/orders/"+business+"/NONE", nil, apitest.Staff()...).Refuses(t, http.StatusNotFound, "")
}
