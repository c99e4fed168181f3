package main

import (
	"encoding/base64"
	"math"
	"reflect"
	"strings"

	"merve/infra/wiring"
)

// What AWS bills, worked out from the sizes of items, because DynamoDB Local counts some
// writes to indexes far too high, and failed conditions not at all. No bill of AWS was at
// hand to hold it against.
//
//   - A write is rounded up to 1 KB, of the larger of the item before and after. In a
//     transaction it counts twice.
//   - An index is written once, never twice, when an item enters, leaves or changes in
//     it. Its size is that of what is projected.
//   - A failed condition is billed like the write, by the item that is there.
//   - A read is rounded up to 4 KB, a query's as a whole, a batch's item by item; half of
//     it when it is read eventually. What is not there costs as much as something small.
//   - Assumed, on the safe side: a condition check costs as much as a write, a cancelled
//     transaction as much as one that goes through without its indexes, and moving an
//     entry of an index is a delete and a put.
//
// The rules but for the assumed ones are those that AWS's own calculator has found true of
// the service (github.com/aws/agent-toolkit-for-aws, calculate_costs.py).

// item is an item as it travels: {"name": {"S": "value"}}.
type item map[string]map[string]any

// sizeOf is an item's size in bytes.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html
func sizeOf(it item) int {
	n := 0
	for name, v := range it {
		n += len(name) + sizeOfValue(v)
	}
	return n
}

func sizeOfValue(v map[string]any) int {
	n := 0
	for kind, x := range v {
		switch kind {
		case "S":
			n += len(text(x))
		case "N":
			n += sizeOfNumber(text(x))
		case "B":
			n += base64.RawStdEncoding.DecodedLen(len(strings.TrimRight(text(x), "=")))
		case "BOOL", "NULL":
			n++
		case "M":
			n += 3
			for name, e := range object(x) {
				n += 1 + len(name) + sizeOfValue(object(e))
			}
		case "L":
			n += 3
			for _, e := range list(x) {
				n += 1 + sizeOfValue(object(e))
			}
		case "SS", "NS", "BS":
			for _, e := range list(x) {
				n += sizeOfValue(map[string]any{kind[:1]: e})
			}
		}
	}
	return n
}

// sizeOfNumber is a byte for each two significant digits, and one.
func sizeOfNumber(s string) int {
	digits := strings.Trim(strings.ReplaceAll(strings.TrimPrefix(s, "-"), ".", ""), "0")
	n := (len(digits)+1)/2 + 1
	if strings.HasPrefix(s, "-") {
		n++
	}
	return n
}

func text(x any) string           { s, _ := x.(string); return s }
func list(x any) []any            { l, _ := x.([]any); return l }
func object(x any) map[string]any { m, _ := x.(map[string]any); return m }

func writeUnitsOf(size int) float64 { return math.Max(1, math.Ceil(float64(size)/1024)) }

func readUnitsOf(size int, strong bool) float64 {
	n := math.Max(1, math.Ceil(float64(size)/4096))
	if !strong {
		n /= 2
	}
	return n
}

// billWrite is what a write costs that made before into after; nil is no item.
func billWrite(t wiring.Table, before, after item, transaction bool) float64 {
	n := writeUnitsOf(max(sizeOf(before), sizeOf(after)))
	if transaction {
		n *= 2
	}
	for _, ix := range t.Indexes {
		n += billIndex(ix, before, after)
	}
	return n
}

// billFailed is what a write costs whose condition fails.
func billFailed(there, wanted item, transaction bool) float64 {
	if there == nil {
		there = wanted
	}
	return billWrite(wiring.Table{}, there, there, transaction)
}

func billIndex(ix wiring.Index, before, after item) float64 {
	was, is := entryOf(ix, before), entryOf(ix, after)
	switch {
	case was == nil && is == nil, reflect.DeepEqual(was, is):
		return 0
	case was == nil:
		return writeUnitsOf(sizeOf(is))
	case is == nil:
		return writeUnitsOf(sizeOf(was))
	case !sameKey(ix, was, is):
		return writeUnitsOf(sizeOf(was)) + writeUnitsOf(sizeOf(is))
	}
	return writeUnitsOf(max(sizeOf(was), sizeOf(is)))
}

// entryOf is an item's entry in an index, nil when it is not in it.
func entryOf(ix wiring.Index, it item) item {
	if it[ix.PK] == nil || it[ix.SK] == nil {
		return nil
	}
	if ix.All {
		return it
	}
	entry := item{}
	for _, name := range []string{"pk", "sk", ix.PK, ix.SK} {
		entry[name] = it[name]
	}
	return entry
}

func sameKey(ix wiring.Index, a, b item) bool {
	return reflect.DeepEqual(a[ix.PK], b[ix.PK]) && reflect.DeepEqual(a[ix.SK], b[ix.SK])
}
