package relay

import (
	"slices"
	"testing"

	"merve/internal/agent/tool"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/matter/order"
	"merve/internal/spine/outbox"
	"merve/internal/spine/thread"
	"merve/internal/tenant/market"
	"merve/internal/tenant/roster"
)

// A business's words belong to what it quotes, else to the code in them, else to what waits for
// an answer. Before its answers to orders are read, only a customer's quoted message counts.
func TestWhatWordsBelongTo(t *testing.T) {
	t.Parallel()
	p, now := newPost(t)
	business, mine := dynamotest.ID("biz"), dynamotest.ID("th_biz")
	kept := records{orders: []order.Order{{Code: "K7P2", Business: business, Market: "demo", Thread: "th_order", Status: order.Placed}}}
	p.Orders, p.Ledger = kept, kept
	p.Outbox = &outbox.Box{Table: dynamotest.Open(t).Table(dynamotest.TableName("conversations")), Now: p.Now}
	tell := func(about, id string) dynamo.Write {
		return p.Outbox.Put(outbox.Message{Thread: mine, ID: id, About: about, ProviderID: id})
	}
	var codes []string
	for _, who := range []string{"SM_ann", "SM_bob"} {
		*now = now.Add(1)
		talk := Talk{Market: "demo", Business: business, Thread: dynamotest.ID("th")}
		err := p.Begin(t.Context(), talk, func(code string) []dynamo.Write {
			codes = append(codes, code)
			return []dynamo.Write{tell(code, who)}
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := p.Table.DB().Commit(t.Context(), tell("K7P2", "SM_order"), tell("", "SM_other"), tell("MK7P2", "SM_gone")); err != nil {
		t.Fatal(err)
	}
	ann, bob := codes[0], codes[1]
	for _, tt := range []struct {
		text, quotes  string
		early, anyway []string // codes
	}{
		{"yes, we do", "SM_ann", []string{ann}, []string{ann}},
		{"yes, we do", "SM_bob", []string{bob}, []string{bob}},
		{"accept", "SM_order", nil, []string{"K7P2"}},
		{"yes, we do", "SM_gone", []string{"MK7P2"}, []string{"MK7P2"}}, // not whoever waits
		{"yes, we do", "SM_other", nil, nil},                            // about nobody: for who said that
		{bob + " yes", "SM_other", nil, []string{bob}},
		{bob + " yes", "SM_unknown", nil, []string{bob}},
		{"yes, we do", "SM_unknown", nil, []string{ann, bob}},
		{"yes, we do", "", nil, []string{ann, bob}},
		{"K7P9 yes", "", nil, nil}, // nobody's
		{"MK7P9 yes", "", nil, nil},
	} {
		for quotesOnly, want := range map[bool][]string{true: tt.early, false: tt.anyway} {
			roles := roster.Roles{{Role: roster.Business, Name: business}}
			all, err := p.meant(t.Context(), tool.Context{Market: &market.Market{ID: "demo"}, Thread: mine}, roles, thread.Message{Text: tt.text, ReplyTo: tt.quotes}, quotesOnly)
			var got []string
			for _, m := range all {
				got = append(got, m.Code)
			}
			slices.Sort(got)
			slices.Sort(want)
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("%q below %q, quotes only %v: %v, %v; want %v", tt.text, tt.quotes, quotesOnly, got, err, want)
			}
		}
	}
}
