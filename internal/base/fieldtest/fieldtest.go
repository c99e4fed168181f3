// Package fieldtest finds out which fields something depends on: a hash that a YES is bound to,
// a key under which an effect happens once. Every field of a function's arguments is set to
// something, and then each of them alone to something else. An argument that is no struct is one
// field, named by its place: "argument 1". The elements of a list are one, and that there are more
// of them is another.
package fieldtest

import (
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unsafe"
)

// All wants each function to depend on all fields of its arguments.
func All(t testing.TB, functions ...any) {
	t.Helper()
	for _, f := range functions {
		AllBut(t, f)
	}
}

// AllBut wants a function to depend on all fields but some, in their order: a field that it
// forgets fails the test, and so does a new one until it is decided about.
func AllBut(t testing.TB, function any, some ...string) {
	t.Helper()
	if _, ignored := sorted(function); !slices.Equal(ignored, some) {
		t.Errorf("%s ignores %q, want %q", nameOf(function), ignored, some)
	}
}

// Only wants a function to depend on these fields alone, in their order.
func Only(t testing.TB, function any, fields ...string) {
	t.Helper()
	if named, _ := sorted(function); !slices.Equal(named, fields) {
		t.Errorf("%s depends on %q, want %q", nameOf(function), named, fields)
	}
}

// unworded are the fields, by the last part of their names, that an offer's hash binds but the words do not mention:
// ids (the words give names instead), locks, versions, and the state of what is offered.
var unworded = []string{
	"ID", "Owner", "Market", "Business", "Listing", "Offering", "Item", "Merchant", "Replaces",
	"Locks (more)", "Locks", "Inherits (more)", "Inherits", "Policy", "Version", "OfferHash", "State", "Status",
}

// Worded wants whatever a hash depends on to be in the words: a field that a YES binds and that nobody reads fails
// the test. Ids, locks and versions need no words, nor do the others named, in their order. Hash and words are
// functions of the same arguments.
func Worded(t testing.TB, hash, words any, but ...string) {
	t.Helper()
	hashed, _ := sorted(hash)
	said, _ := sorted(words)
	var missing []string
	for _, name := range hashed {
		last := name[strings.LastIndex(name, ".")+1:]
		if !slices.Contains(said, name) && !slices.Contains(unworded, last) {
			missing = append(missing, name)
		}
	}
	if !slices.Equal(missing, but) {
		t.Errorf("%s does not say %q, which %s binds, want %q", nameOf(words), missing, nameOf(hash), but)
	}
}

func nameOf(function any) string {
	return runtime.FuncForPC(reflect.ValueOf(function).Pointer()).Name()
}

// sorted are the fields on which depends what a function returns, and the others.
func sorted(function any) (named, ignored []string) {
	f := reflect.ValueOf(function)
	before := results(f, nil)
	for _, name := range fieldsOf(f) {
		if reflect.DeepEqual(results(f, func(field string) bool { return field == name }), before) {
			ignored = append(ignored, name)
		} else {
			named = append(named, name)
		}
	}
	return named, ignored
}

// results returns what a function returns for arguments with every field set. Fields for which other returns true get
// a different value.
func results(f reflect.Value, other func(field string) bool) []any {
	var all []any
	for _, v := range f.Call(arguments(f, other)) {
		all = append(all, v.Interface())
	}
	return all
}

func fieldsOf(f reflect.Value) (names []string) {
	arguments(f, func(field string) bool {
		names = append(names, field)
		return false
	})
	return names
}

func arguments(f reflect.Value, other func(field string) bool) []reflect.Value {
	w := &walk{other: other}
	args := make([]reflect.Value, f.Type().NumIn())
	for i := range args {
		typ, name := f.Type().In(i), ""
		switch {
		case typ.Kind() != reflect.Struct || typ == timeType:
			name = "argument " + strconv.Itoa(i+1)
		case len(args) > 1:
			name = typ.Name()
		}
		args[i] = reflect.New(typ).Elem()
		w.set(name, args[i])
	}
	return args
}

// walk sets fields, one after the other, each to a value of its own.
type walk struct {
	other func(field string) bool // nil is never
	n     int
}

var timeType = reflect.TypeFor[time.Time]()

// start is the first time that is set; others are weeks later, so that they differ in their dates.
var start = time.Date(2031, 2, 3, 4, 5, 6, 0, time.UTC)

func (w *walk) set(name string, v reflect.Value) {
	if v.Type() == timeType {
		v.Set(reflect.ValueOf(start.Add(time.Duration(w.next(name)) * 175 * time.Hour)))
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			field := v.Field(i)
			writable := reflect.NewAt(field.Type(), unsafe.Pointer(field.UnsafeAddr())).Elem() // unexported ones, too
			w.set(join(name, v.Type().Field(i).Name), writable)
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		w.set(name, v.Elem())
	case reflect.Slice:
		n := 1 + w.next(name+" (more)")%2
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		w.set(name, v.Index(0))
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		w.set(name+" (key)", key)
		w.set(name, value)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.String:
		v.SetString("v" + strconv.Itoa(w.next(name)))
	case reflect.Bool:
		v.SetBool(w.next(name)%2 == 0)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(int64(w.next(name)))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(uint64(w.next(name)))
	case reflect.Float32, reflect.Float64:
		v.SetFloat(float64(w.next(name)))
	default:
		panic(fmt.Sprintf("%s: no value is known for a %s", name, v.Type()))
	}
}

// next numbers the values. They are even, except that a field that other selects gets the next odd number.
func (w *walk) next(name string) int {
	w.n += 2
	if w.other != nil && w.other(name) {
		return w.n + 1
	}
	return w.n
}

func join(name, field string) string {
	if name == "" {
		return field
	}
	return name + "." + field
}
