package tool

import (
	"encoding/json"
	"reflect"
	"testing"
)

type about struct {
	Thing string `json:"thing_id" model:"thing" jsonschema:"which"`
}

type shared struct {
	about
	Kind    kind `json:"kind" jsonschema:"of what kind"`
	Filters struct {
		Most *float64 `json:"most,omitempty" jsonschema:"null for any"`
		Tags []string `json:"tags,omitzero" model:",null"`
	} `json:"filters" model:",inline"`
	Reason string   `json:"reason" model:",null"`
	Key    string   `json:"key" model:"-"`
	Said   *string  `json:"-" model:"said"`
	Own    []string `json:"-"`
}

type kind string

// What a model gives fills the struct that programs fill, and makes the JSON that they would have given.
func TestAStructForBoth(t *testing.T) {
	t.Parallel()
	a, err := argumentsOf[shared]()
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"type":"object","properties":{"thing":{"type":"string","description":"which"},` +
		`"kind":{"type":"string","description":"of what kind"},"most":{"type":["null","number"],"description":"null for any"},` +
		`"tags":{"type":["null","array"],"items":{"type":"string"}},"reason":{"type":["null","string"]},"said":{"type":["null","string"]}},` +
		`"required":["thing","kind","most","tags","reason","said"],"additionalProperties":false}`
	if string(a.schema) != want {
		t.Errorf("schema\n%s\nwant\n%s", a.schema, want)
	}
	for given, want := range map[string]string{
		`{"thing":"t1","kind":"k","most":null,"tags":null,"reason":null,"said":null}`: `{"thing_id":"t1","kind":"k","filters":{},"reason":"","key":""}`,
		`{"thing":"t1","kind":"k","most":2,"tags":[],"reason":"r","said":"s"}`:        `{"thing_id":"t1","kind":"k","filters":{"most":2,"tags":[]},"reason":"r","key":""}`,
	} {
		var in shared
		if err := argumentsIn(json.RawMessage(given), &in); err != nil {
			t.Fatal(err)
		}
		if got, _ := json.Marshal(in); string(got) != want {
			t.Errorf("%s is\n%s\nwant\n%s", given, got, want)
		}
		if (in.Said != nil) != (in.Reason != "") {
			t.Errorf("%s says %v", given, in.Said)
		}
	}
}

type person struct {
	Name  string `json:"name"`
	Phone string `json:"phone" model:"-"`
}

func TestForModels(t *testing.T) {
	t.Parallel()
	all := struct {
		People []person
		None   []person
		Best   any
		hidden string
	}{[]person{{"Ann", "+1"}}, nil, person{"Ben", "+2"}, "x"}
	got := ForModels(all)
	if got.People[0] != (person{Name: "Ann"}) || got.Best != (person{Name: "Ben"}) || got.None != nil || got.hidden != "x" {
		t.Errorf("a model sees %+v", got)
	}
	if all.People[0].Phone != "+1" || !reflect.DeepEqual(all.Best, person{"Ben", "+2"}) {
		t.Errorf("the answer itself is %+v", all)
	}
}
