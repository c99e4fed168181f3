package tool

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"
)

// form is what models see of an argument struct that programs fill in, too. The tag model of a field says how they see it:
//
//	model:"-"         not at all
//	model:"name"      by another name than programs, or though programs do not ("json:"-"")
//	model:",null"     as something that may be null, which leaves the field as it is
//	model:",inline"   as the fields of the struct that it is
//
// A field without the tag is the same to both, and so is an embedded struct without a name in JSON: its fields.
type form []formField

// formField is a field as models see it.
type formField struct {
	name string
	says string // its description
	typ  reflect.Type
	path []int // in the argument struct
}

var forms sync.Map // by argument struct; nil is a struct without tags

// formOf is what models see of the struct A; nil is all of it, as it is.
func formOf(t reflect.Type) form {
	if known, ok := forms.Load(t); ok {
		return known.(form)
	}
	var f form
	if t.Kind() == reflect.Struct && tagged(t) {
		f = fieldsOf(t, nil)
	}
	forms.Store(t, f)
	return f
}

// tagged reports whether a struct has a field that models see otherwise.
func tagged(t reflect.Type) bool {
	for _, f := range reflect.VisibleFields(t) {
		if _, ok := f.Tag.Lookup("model"); ok {
			return true
		}
	}
	return false
}

// fieldsOf are what models see of the struct t, which is at a path of the argument struct.
func fieldsOf(t reflect.Type, path []int) form {
	var all form
	for i := range t.NumField() {
		field := t.Field(i)
		at := append(append([]int{}, path...), i)
		name, option, _ := strings.Cut(field.Tag.Get("model"), ",")
		json, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case name == "-" || name == "" && json == "-":
			continue
		case option == "inline" || field.Anonymous && json == "":
			all = append(all, fieldsOf(field.Type, at)...)
			continue
		}
		f := formField{cmp.Or(name, json), field.Tag.Get("jsonschema"), field.Type, at}
		if option == "null" {
			f.typ = reflect.PointerTo(f.typ)
		}
		all = append(all, f)
	}
	return all
}

// schema is the schema of what a model gives. It is put together from those of the fields: a struct type made at run time would
// keep the linker from leaving out methods that nobody calls, and double the size of every function.
func (f form) schema() (*jsonschema.Schema, error) {
	s := &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{}}
	for _, field := range f {
		p, err := jsonschema.ForType(field.typ, nil)
		if err != nil {
			return nil, err
		}
		p.Description = field.says
		s.Properties[field.name] = p
		s.PropertyOrder = append(s.PropertyOrder, field.name)
	}
	s.Required = s.PropertyOrder
	return s, nil
}

// read reads what a model gives into the argument struct that args points to. What is null leaves its field as it is.
func (f form) read(raw json.RawMessage, args any) error {
	var given map[string]json.RawMessage
	if err := json.Unmarshal(raw, &given); err != nil {
		return err
	}
	into := reflect.ValueOf(args).Elem()
	for _, field := range f {
		value, ok := given[field.name]
		if !ok || string(value) == "null" {
			continue
		}
		if err := json.Unmarshal(value, into.FieldByIndex(field.path).Addr().Interface()); err != nil {
			return fmt.Errorf("%s: %w", field.name, err)
		}
	}
	return nil
}

// ForModels is what models see of an answer that tells programs more: fields with the tag model:"-" are empty.
func ForModels[T any](answer T) T {
	hide(reflect.ValueOf(&answer).Elem())
	return answer
}

// hide empties what models do not see. A slice is copied first, as it may be somebody else's, too. Pointers are not followed.
func hide(v reflect.Value) {
	switch v.Kind() {
	case reflect.Interface:
		if v.IsNil() {
			return
		}
		inner := reflect.New(v.Elem().Type()).Elem()
		inner.Set(v.Elem())
		hide(inner)
		v.Set(inner)
	case reflect.Slice:
		if k := v.Type().Elem().Kind(); k != reflect.Struct && k != reflect.Interface && k != reflect.Slice {
			return
		}
		all := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		reflect.Copy(all, v)
		for i := range all.Len() {
			hide(all.Index(i))
		}
		if !v.IsNil() {
			v.Set(all)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			switch f := v.Type().Field(i); {
			case !f.IsExported():
			case f.Tag.Get("model") == "-":
				v.Field(i).SetZero()
			default:
				hide(v.Field(i))
			}
		}
	}
}
