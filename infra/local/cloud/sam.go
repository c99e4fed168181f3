package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
)

// writeForSAM writes what `sam local invoke` needs to run one function against the emulator: the stack's template, whose
// functions have the emulator's address among their variables, and the real names of what they use, by the logical ids
// of the functions. SAM sets only variables that the template names.
// https://docs.aws.amazon.com/serverless-application-model/latest/developerguide/serverless-sam-cli-using-invoke.html
func (em *emulator) writeForSAM(ctx context.Context, dir, template string) error {
	raw, err := os.ReadFile(template)
	if err != nil {
		return err
	}
	var stack map[string]map[string]map[string]any // section, id, what it is
	if err := json.Unmarshal(raw, &stack); err != nil {
		return fmt.Errorf("%s: %w", template, err)
	}
	var listed struct {
		Functions []struct {
			FunctionName string
			Environment  struct{ Variables map[string]string }
		}
	}
	if err := em.get(ctx, "lambda", "/2015-03-31/functions/", &listed); err != nil {
		return err
	}
	env := map[string]map[string]string{}
	for id, r := range stack["Resources"] {
		if r["Type"] != "AWS::Lambda::Function" {
			continue
		}
		for _, f := range listed.Functions {
			if !strings.Contains(f.FunctionName, "-"+id) {
				continue
			}
			env[id] = maps.Clone(f.Environment.Variables)
			env[id]["AWS_ENDPOINT_URL"] = em.url
		}
		if env[id] == nil {
			return fmt.Errorf("the emulator has no function %s", id)
		}
		declare(r, "AWS_ENDPOINT_URL", em.url)
	}
	for name, what := range map[string]any{"template.json": stack, "env.json": env} {
		text, err := json.MarshalIndent(what, "", " ")
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// declare adds a variable to a function of a template.
func declare(function map[string]any, name, value string) {
	at := function
	for _, step := range []string{"Properties", "Environment", "Variables"} {
		next, ok := at[step].(map[string]any)
		if !ok {
			next = map[string]any{}
			at[step] = next
		}
		at = next
	}
	at[name] = value
}
