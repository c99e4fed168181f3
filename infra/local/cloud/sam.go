package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// writeForSAM writes the files that `sam local invoke` needs to run one function against the emulator: the stack's template,
// whose functions have the emulator's address among their variables, and the real names of their resources, by the logical
// ids of the functions. SAM sets only variables that the template names.
// https://docs.aws.amazon.com/serverless-application-model/latest/developerguide/serverless-sam-cli-using-invoke.html
func (em *emulator) writeForSAM(ctx context.Context, dir, template string) error {
	raw, err := os.ReadFile(template)
	if err != nil {
		return err
	}
	var listed struct{ Functions []deployed }
	if err := em.get(ctx, "lambda", "/2015-03-31/functions/", &listed); err != nil {
		return err
	}
	files, err := forSAM(raw, em.url, listed.Functions)
	if err != nil {
		return fmt.Errorf("%s: %w", template, err)
	}
	for name, what := range files {
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

// deployed is a function as the emulator lists it.
type deployed struct {
	FunctionName string
	Environment  struct{ Variables map[string]string }
}

// forSAM makes the two files by their names out of the text of a template.
func forSAM(template []byte, url string, functions []deployed) (map[string]any, error) {
	var stack map[string]any
	if err := json.Unmarshal(template, &stack); err != nil {
		return nil, err
	}
	resources, ok := stack["Resources"].(map[string]any)
	if !ok {
		return nil, errors.New("it has no resources")
	}
	env := map[string]map[string]string{}
	for id, resource := range resources {
		r, ok := resource.(map[string]any)
		if !ok || r["Type"] != "AWS::Lambda::Function" {
			continue
		}
		at := slices.IndexFunc(functions, func(f deployed) bool { return strings.Contains(f.FunctionName, "-"+id) })
		if at < 0 {
			return nil, fmt.Errorf("the emulator has no function %s", id)
		}
		env[id] = map[string]string{}
		maps.Copy(env[id], functions[at].Environment.Variables)
		env[id]["AWS_ENDPOINT_URL"] = url
		declare(r, "AWS_ENDPOINT_URL", url)
	}
	if len(env) == 0 {
		return nil, errors.New("it has no functions")
	}
	return map[string]any{"template.json": stack, "env.json": env}, nil
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
