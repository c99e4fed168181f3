package main

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The stack's template has more than resources: a description, outputs, parameters, rules. All of it stays as it is, but
// for the functions, which have the emulator's address among their variables.
func TestForSAM(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("testdata/template.json")
	if err != nil {
		t.Fatal(err)
	}
	turn := deployed{FunctionName: "merve-local-TurnFunction-1A2B"}
	turn.Environment.Variables = map[string]string{"TABLE_LEDGER": "merve-local-Ledger-3C"}
	files, err := forSAM(raw, "http://127.0.0.1:4566", []deployed{{FunctionName: "merve-local-OcrFunction-9"}, turn})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]map[string]string{
		"TurnFunction": {"TABLE_LEDGER": "merve-local-Ledger-3C", "AWS_ENDPOINT_URL": "http://127.0.0.1:4566"},
		"OcrFunction":  {"AWS_ENDPOINT_URL": "http://127.0.0.1:4566"},
	}, files["env.json"]); diff != "" {
		t.Errorf("environment (-want +got):\n%s", diff)
	}
	var want map[string]any
	if err := json.Unmarshal(raw, &want); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"TurnFunction", "OcrFunction"} {
		declare(want["Resources"].(map[string]any)[id].(map[string]any), "AWS_ENDPOINT_URL", "http://127.0.0.1:4566")
	}
	if diff := cmp.Diff(any(want), files["template.json"]); diff != "" {
		t.Errorf("template (-want +got):\n%s", diff)
	}
	if turn.Environment.Variables["AWS_ENDPOINT_URL"] != "" {
		t.Error("what the emulator told has been changed")
	}
}

func TestForSAMOfAnotherStack(t *testing.T) {
	t.Parallel()
	for _, template := range []string{
		``, `{}`, `{"Resources":{}}`, `{"Resources":{"TurnFunction":{"Type":"AWS::Lambda::Function"}}}`, `{"Resources":"none"}`,
	} {
		if files, err := forSAM([]byte(template), "http://127.0.0.1:4566", nil); err == nil {
			t.Errorf("%q: %v", template, files)
		}
	}
}
