package outbox_test

import (
	"strings"
	"testing"

	"merve/internal/spine/outbox"
)

// What a channel does not take at once goes out in pieces: each after the one before it, the answer
// buttons below the last. A template is worded by the provider, and nothing at all is still a message.
func TestPutPieces(t *testing.T) {
	t.Parallel()
	c := newCorner(t)
	put := func(id, text string, template *outbox.Template) map[string]outbox.Message {
		t.Helper()
		m := c.text(id, text)
		m.About, m.Pending, m.Template, m.Origin = "K7P2", "p_1", template, &outbox.Origin{Code: "K7P2"}
		m.Buttons = []outbox.Button{{Title: "Yes"}}
		if err := c.Table.DB().Commit(t.Context(), c.PutPieces(m)...); err != nil {
			t.Fatal(err)
		}
		ms, err := c.List(t.Context(), m.Thread, 50)
		if err != nil {
			t.Fatal(err)
		}
		all := map[string]outbox.Message{}
		for _, m := range ms {
			if strings.HasPrefix(m.ID, strings.TrimSuffix(id, "-0")) {
				all[m.ID] = m
			}
		}
		return all
	}
	long := strings.TrimSpace(strings.Repeat("Take the left gate. ", 200))
	for id, others := range map[string][]string{"turn7-0": {"turn7-1", "turn7-2"}, "order": {"order-1", "order-2"}} {
		all := put(id, long, nil)
		before, whole := "", ""
		for i, name := range append([]string{id}, others...) {
			m, last := all[name], i == len(others)
			if m.After != before || m.About != "K7P2" || (m.Origin != nil) != (i == 0) || (m.Pending != "") != last || (len(m.Buttons) == 1) != last || (m.LeadsTo == "p_1") == last {
				t.Errorf("%s: %+v", name, m)
			}
			before, whole = name, whole+" "+m.Text
		}
		if len(all) != 3 || strings.TrimSpace(whole) != long {
			t.Errorf("%s: %d pieces of %d characters", id, len(all), len(whole))
		}
	}
	m := c.text("asks", long+"\n\nYES or NO?")
	m.Pending, m.Rest = "p_1", len(long)
	if err := c.Table.DB().Commit(t.Context(), c.PutPieces(m)...); err != nil {
		t.Fatal(err)
	}
	first, last := c.get("asks"), c.get("asks-2")
	if first.Rest != 0 || first.LeadsTo != "" || !strings.HasSuffix(last.Text, "gate.\n\nYES or NO?") || !strings.HasSuffix(last.Text[:last.Rest], "gate.") {
		t.Errorf("without its question the last piece is %q", last.Text[:last.Rest])
	}
	if all := put("template", long, &outbox.Template{ContentSID: bookedSID}); len(all) != 1 || all["template"].Text != long || all["template"].Pending == "" {
		t.Errorf("a template: %+v", all)
	}
	if all := put("empty", " ", nil); len(all) != 1 {
		t.Errorf("nothing at all: %+v", all)
	}
}
