package tool

import (
	"encoding/json"
	"reflect"
	"strings"
	"sync"
)

// form is what models see of an argument struct that programs fill in, too. The tag model of a field says how they see it:
//
//	model:"-"         not at all
//	model:"name"      by another name than programs, or though programs do not ("json:"-"")
//	model:",null"     as something that may be null, which leaves the field as it is
//	model:",inline"   as the fields of the struct that it is
//
// A field without the tag is the same to both, and so is an embedded struct without a name in JSON: its fields.
type form struct {
	typ    reflect.Type // a struct of pointers and values, which JSON is read into
	fields []formField
}

type formField struct {
	path []int // in the argument struct
	null bool
}

var forms sync.Map // by argument struct; nil is a struct without tags

// formOf is what models see of the struct A; nil is all of it, as it is.
func formOf(t reflect.Type) *form {
	if known, ok := forms.Load(t); ok {
		return known.(*form)
	}
	var f *form
	if t.Kind() == reflect.Struct && tagged(t) {
		f = new(form)
		f.typ = reflect.StructOf(f.add(t, nil, nil))
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

// add adds the fields of the struct t, which is at a path of the argument struct, to what models see.
func (f *form) add(t reflect.Type, path []int, seen []reflect.StructField) []reflect.StructField {
	for i := range t.NumField() {
		field := t.Field(i)
		at := append(append([]int{}, path...), i)
		name, option, _ := strings.Cut(field.Tag.Get("model"), ",")
		json, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case name == "-" || name == "" && json == "-":
			continue
		case option == "inline" || field.Anonymous && json == "":
			seen = f.add(field.Type, at, seen)
			continue
		case name == "":
			name = json
		}
		typ, null := field.Type, option == "null"
		if null {
			typ = reflect.PointerTo(typ)
		}
		tag := `json:"` + name + `"`
		if says, ok := field.Tag.Lookup("jsonschema"); ok {
			tag += ` jsonschema:"` + says + `"`
		}
		seen = append(seen, reflect.StructField{Name: field.Name, Type: typ, Tag: reflect.StructTag(tag)})
		f.fields = append(f.fields, formField{at, null})
	}
	return seen
}

// read reads what a model gives into the argument struct that args points to.
func (f *form) read(raw json.RawMessage, args any) error {
	given := reflect.New(f.typ)
	if err := json.Unmarshal(raw, given.Interface()); err != nil {
		return err
	}
	into := reflect.ValueOf(args).Elem()
	for i, field := range f.fields {
		value := given.Elem().Field(i)
		if field.null {
			if value.IsNil() {
				continue
			}
			value = value.Elem()
		}
		into.FieldByIndex(field.path).Set(value)
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
