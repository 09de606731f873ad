package client

import (
	"reflect"

	"praxis/internal/safetext"
)

// cleaned returns a result whose texts are names and words: nothing in them is hidden, so that
// they can be shown as they stand. Texts that are content, such as code and what code prints,
// are shown by who knows that they are.
func cleaned[T any](v T, err error) (T, error) {
	clean(reflect.ValueOf(&v))
	return v, err
}

// clean makes the texts in what v points to, or refers to, safe. Members of maps that are no
// texts stay as they are: no result has others.
func clean(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			clean(v.Elem())
		}
	case reflect.String:
		v.SetString(safetext.Text(v.String()))
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				clean(v.Field(i))
			}
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			clean(v.Index(i))
		}
	case reflect.Map:
		for _, name := range v.MapKeys() {
			member := v.MapIndex(name)
			if name.Kind() != reflect.String || member.Kind() != reflect.String {
				continue
			}
			v.SetMapIndex(name, reflect.Value{})
			v.SetMapIndex(reflect.ValueOf(safetext.Line(name.String())).Convert(name.Type()), reflect.ValueOf(safetext.Text(member.String())).Convert(member.Type()))
		}
	}
}
