package main

import (
	"testing"

	"merve/infra/wiring"
)

// Sizes as the documentation's rules give them, by hand.
func TestSizeOfAnItem(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		it   item
		want int
	}{
		{"nothing", nil, 0},
		{"strings, in UTF-8", item{"pk": {"S": "abc"}, "ü": {"S": "€"}}, 2 + 3 + 2 + 3},
		{"a number of five digits", item{"n": {"N": "12345"}}, 1 + 3 + 1},
		{"zeros at the ends do not count", item{"n": {"N": "-1200"}}, 1 + 1 + 1 + 1},
		{"zero", item{"n": {"N": "0"}}, 1 + 1},
		{"truth and null", item{"a": {"BOOL": true}, "b": {"NULL": true}}, 2 + 2},
		{"bytes", item{"b": {"B": "AAECAw=="}}, 1 + 4},
		{"a list of two strings", item{"l": {"L": []any{map[string]any{"S": "ab"}, map[string]any{"S": "c"}}}}, 1 + 3 + 1 + 2 + 1 + 1},
		{"a map", item{"m": {"M": map[string]any{"k": map[string]any{"S": "ab"}}}}, 1 + 3 + 1 + 1 + 2},
		{"a set", item{"s": {"SS": []any{"ab", "c"}}}, 1 + 3},
	} {
		if got := sizeOf(tt.it); got != tt.want {
			t.Errorf("%s: %d bytes, want %d", tt.name, got, tt.want)
		}
	}
}

func sized(size int, more item) item {
	it := item{"pk": {"S": "p"}, "sk": {"S": "s"}}
	for name, v := range more {
		it[name] = v
	}
	it["x"] = map[string]any{"S": string(make([]byte, size-sizeOf(it)-1))}
	return it
}

func TestBillOfAWrite(t *testing.T) {
	t.Parallel()
	table := wiring.Table{Indexes: []wiring.Index{
		{Name: "due", PK: "dueShard", SK: "dueAt", Number: true},
		{Name: "owner", PK: "owner", SK: "created", All: true},
	}}
	due := func(at string) item { return item{"dueShard": {"S": "hold#01"}, "dueAt": {"N": at}} }
	owned := item{"owner": {"S": "o"}, "created": {"S": "c"}}
	for _, tt := range []struct {
		name          string
		before, after item
		transaction   bool
		want          float64
	}{
		{"a small item", nil, sized(100, nil), false, 1},
		{"exactly a kilobyte", nil, sized(1024, nil), false, 1},
		{"a byte more", nil, sized(1025, nil), false, 2},
		{"in a transaction", nil, sized(1025, nil), true, 4},
		{"the larger of before and after", sized(3000, nil), sized(100, nil), false, 3},
		{"a delete", sized(3000, nil), nil, false, 3},
		{"a delete of nothing", nil, nil, false, 1},
		{"a condition check", sized(100, nil), sized(100, nil), true, 2},
		{"into a sparse index: once, though it is a transaction", sized(100, nil), sized(100, due("5")), true, 2 + 1},
		{"out of it", sized(100, due("5")), sized(100, nil), true, 2 + 1},
		{"moved in it: a delete and a put", sized(100, due("5")), sized(100, due("6")), true, 2 + 2},
		{"changed, but for what the index keeps", sized(100, due("5")), sized(200, due("5")), true, 2},
		{"an index that keeps everything", sized(1500, owned), sized(1600, owned), true, 4 + 2},
	} {
		if got := billWrite(table, tt.before, tt.after, tt.transaction); got != tt.want {
			t.Errorf("%s: %g units, want %g", tt.name, got, tt.want)
		}
	}
	if got := billFailed(sized(1500, due("5")), sized(100, nil), true); got != 4 {
		t.Errorf("a failed condition on what is there: %g units, want 4", got)
	}
	if got := billFailed(nil, sized(2500, nil), false); got != 3 {
		t.Errorf("a failed condition on nothing: %g units, want 3", got)
	}
}

func TestBillOfARead(t *testing.T) {
	t.Parallel()
	batch := request{RequestItems: map[string]struct {
		Keys           []item
		ConsistentRead bool
	}{"t": {Keys: make([]item, 3), ConsistentRead: true}}}
	for _, tt := range []struct {
		name string
		op   string
		req  request
		got  reply
		want float64
	}{
		{"an item", "GetItem", request{ConsistentRead: true}, reply{Item: sized(4097, nil)}, 2},
		{"an item that is not there", "GetItem", request{ConsistentRead: true}, reply{}, 1},
		{"eventually", "GetItem", request{}, reply{Item: sized(100, nil)}, 0.5},
		{"a query as a whole", "Query", request{ConsistentRead: true}, reply{Items: []item{sized(2000, nil), sized(2000, nil)}}, 1},
		{"a query that finds nothing", "Query", request{}, reply{}, 0.5},
		{"a batch item by item, the missing one too", "BatchGetItem", batch, reply{Responses: map[string][]item{"t": {sized(100, nil), sized(5000, nil)}}}, 1 + 2 + 1},
	} {
		if got := billRead(tt.op, tt.req, tt.got); got != tt.want {
			t.Errorf("%s: %g units, want %g", tt.name, got, tt.want)
		}
	}
}
