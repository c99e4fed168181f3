package agent

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"merve/internal/tool"
)

// What a tool found is shown to a model as far as a model can take it in, and that there is more.
func TestField24_ALongResultIsCut(t *testing.T) {
	t.Parallel()
	for size, cut := range map[int]bool{23_000: false, 25_000: true, 1 << 20: true} {
		found := tool.New("find", "Finds.", tool.Read, func(context.Context, tool.Context, struct{}) (tool.Result, error) {
			return tool.Result{Data: strings.Repeat("ş", size/2)}, nil
		})
		res := (&run{}).resolveOne(t.Context(), tool.Context{}, call{tool: found, args: json.RawMessage(`{}`)})
		var told struct{ Note, Start string }
		if err := json.Unmarshal(res.content, &told); (err == nil) != cut || res.Status != OK {
			t.Errorf("%d bytes: %s, %v", size, res.Status, err)
		}
		if cut && (told.Note != "the result was too long and is cut" || utf8.RuneCountInString(told.Start) > 24_000 || len(res.content) > 60_000) {
			t.Errorf("%d bytes: %q, and %d characters of it in %d bytes", size, told.Note, utf8.RuneCountInString(told.Start), len(res.content))
		}
	}
}
