package admin_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"merve/internal/edge/api/apitest"
	"merve/internal/record/listing"
	"merve/internal/tenant/market"
)

type previewed struct {
	Text, From, Problem string
	Variables, Unknown  []string
	Actions             []listing.Action
}

func TestPreviews(t *testing.T) {
	t.Parallel()
	s := start(t)
	_, target := s.NewMarket(t)
	for name, tt := range map[string]struct {
		body string
		want previewed
	}{
		"own words":            {`{"event":"taxi_taken","template":"Gone: {code}"}`, previewed{Text: "Gone: K7QF", From: "market", Variables: []string{"code"}, Unknown: []string{}}},
		"none":                 {`{"event":"taxi_taken"}`, previewed{Text: "Ride K7QF has been taken by another driver. Thank you.", From: "default", Variables: []string{"code"}, Unknown: []string{}}},
		"in another":           {`{"event":"taxi_cancelled","language":"de"}`, previewed{From: "default", Variables: []string{"code"}, Unknown: []string{}}},
		"unknown variables":    {`{"event":"taxi_taken","template":"{who} {code} {who} {Where}"}`, previewed{From: "market", Variables: []string{"code"}, Unknown: []string{"who", "Where"}}},
		"a brace out of place": {`{"event":"taxi_taken","template":"{code"}`, previewed{From: "market", Variables: []string{"code"}, Unknown: []string{}}},
	} {
		var got previewed
		s.Call(t, "POST", target+"/preview", tt.body, apitest.Staff()...).Wants(t, http.StatusOK, &got)
		if wrong := len(tt.want.Unknown) > 0 || strings.Contains(name, "brace"); wrong != (got.Problem != "") || got.Text == "" {
			t.Errorf("%s: %+v", name, got)
		}
		if tt.want.Text == "" {
			tt.want.Text = got.Text
		}
		tt.want.Problem = got.Problem
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	s.Call(t, "POST", target+"/preview", `{"event":"birthday"}`, apitest.Staff()...).Refuses(t, http.StatusBadRequest, "event")
	s.Call(t, "POST", target+"/preview", `{"event":"taxi_taken","template":"`+strings.Repeat("a", 9000)+`"}`, apitest.Staff()...).Refuses(t, http.StatusBadRequest, "template")

	// A listing in the older form is shown as what it becomes.
	var got previewed
	s.Call(t, "POST", target+"/listings/preview", `{"event":"merchant_order_placed","action":"order_food",
		"listing":{"names":{"en":"Alpha"},"merve":{"toolType":"restaurant","dispatchTemplate":"{listing}: {code}"}}}`, apitest.Staff()...).Wants(t, http.StatusOK, &got)
	if got.Text != "Alpha: K7QF" || got.From != "listing" || len(got.Actions) != 2 || got.Actions[0].Type != listing.FoodAction {
		t.Errorf("previewed %+v", got)
	}
	s.Call(t, "POST", target+"/listings/preview", `{"event":"merchant_order_placed","action":"dance"}`, apitest.Staff()...).Refuses(t, http.StatusBadRequest, "action")
	s.Call(t, "POST", target+"/listings/preview", `{"event":"birthday","action":"order_food"}`, apitest.Staff()...).Refuses(t, http.StatusBadRequest, "event")
}

// Every event has words of its own and a sample of each of its variables.
func TestEveryEventIsPreviewed(t *testing.T) {
	t.Parallel()
	s := start(t)
	_, target := s.NewMarket(t)
	for event, variables := range market.Events() {
		var got, sample previewed
		s.Call(t, "POST", target+"/preview", map[string]string{"event": event}, apitest.Staff()...).Wants(t, http.StatusOK, &got)
		if got.From != "default" || got.Text == "" || strings.ContainsAny(got.Text, "{}") {
			t.Errorf("%s: %+v", event, got)
		}
		for _, v := range variables {
			s.Call(t, "POST", target+"/preview", map[string]string{"event": event, "template": "{" + v + "}"}, apitest.Staff()...).Wants(t, http.StatusOK, &sample)
			if strings.TrimSpace(sample.Text) == "" {
				t.Errorf("%s: no sample of {%s}", event, v)
			}
		}
	}
}
