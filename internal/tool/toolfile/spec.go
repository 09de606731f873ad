package toolfile

import (
	"encoding"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"praxis/fault"
	"praxis/internal/safetext"
	"praxis/internal/tool/jsondoc"
	"praxis/internal/tool/schema"
)

// DecodeSpec reads a binding's settings into the struct that into points to, by
// its json tags. It is strict: a key that the struct does not have is refused
// with the nearest that it has, a value of another type with its path, and
// nothing is coerced. Keys that begin with x- are free, as everywhere in files.
//
// Fields may be strings, booleans, numbers, time.Duration (written "10s"), slices,
// maps with string keys, structs (of embedded ones the fields count as the outer
// one's), pointers, *Object, any, and what implements json.Unmarshaler or
// encoding.TextUnmarshaler. A field of type *Object or any keeps the order of
// members. A key that is not given leaves its field as it is; null is a value for
// pointers, slices, maps, *Object and any alone.
//
// What is wrong in the settings is a fault of kind Invalid, the first in the
// settings' order. Strings are not quoted in it: somebody may have written a
// secret there.
func DecodeSpec(spec *jsondoc.Object, into any) error {
	target := reflect.ValueOf(into)
	if target.Kind() != reflect.Pointer || target.IsNil() || target.Elem().Kind() != reflect.Struct {
		return fmt.Errorf("cannot read settings into %T: a pointer to a struct is needed", into)
	}
	if spec == nil {
		spec = &jsondoc.Object{}
	}
	return (&specReader{}).object(spec, target.Elem(), "", 0)
}

// specReader reads JSON values into Go values.
type specReader struct {
	fields map[reflect.Type][]specField // of the structs met so far
}

// specField is a field of a struct under its name in JSON.
type specField struct {
	name  string
	index []int
}

func specFault(path jsondoc.Pointer, remedy, format string, args ...any) error {
	where := ""
	if path != "" {
		where = safetext.OneLine(string(path), 200) + ": "
	}
	return fault.New(fault.Invalid, remedy, "cannot read the settings: %s%s", where, fmt.Sprintf(format, args...))
}

func specWrong(path jsondoc.Pointer, expected string, v any, remedy string) error {
	return specFault(path, remedy, "expected %s, got %s", expected, specKind(v))
}

// specKind says what a value is, with itself when it cannot be a secret.
func specKind(v any) string {
	if _, ok := v.(string); ok {
		return "a string"
	}
	return schema.Describe(v)
}

// of returns a struct's fields in declared order.
func (r *specReader) of(t reflect.Type) []specField {
	if known, ok := r.fields[t]; ok {
		return known
	}
	var out []specField
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case name == "-":
		case f.Anonymous && name == "" && f.Type.Kind() == reflect.Struct:
			for _, inner := range r.of(f.Type) {
				out = append(out, specField{inner.name, append([]int{i}, inner.index...)})
			}
		case f.IsExported():
			if name == "" {
				name = f.Name
			}
			out = append(out, specField{name, []int{i}})
		}
	}
	if r.fields == nil {
		r.fields = map[reflect.Type][]specField{}
	}
	r.fields[t] = out
	return out
}

// object reads members into a struct.
func (r *specReader) object(v any, into reflect.Value, path jsondoc.Pointer, depth int) error {
	known := r.of(into.Type())
	names := make([]string, len(known))
	for i, f := range known {
		names[i] = f.name
	}
	if !jsondoc.IsObject(v) {
		return specWrong(path, "keys and values", v, "Write keys and values: "+safetext.OneLine(strings.Join(names, ", "), 300)+".")
	}
	for name, member := range jsondoc.Members(v) {
		at := slices.Index(names, name)
		if at < 0 {
			if strings.HasPrefix(name, "x-") {
				continue
			}
			return specFault(path, jsondoc.DidYouMean(name, names), "unknown key %s", safetext.Quote(name))
		}
		if err := r.value(member, into.FieldByIndex(known[at].index), path.Child(name), depth+1); err != nil {
			return err
		}
	}
	return nil
}

// value reads one value.
func (r *specReader) value(v any, into reflect.Value, path jsondoc.Pointer, depth int) error {
	if depth > jsondoc.MaxDepth {
		return specFault(path, "", "%s", jsondoc.TooDeep())
	}
	if done, err := r.special(v, into, path); done {
		return err
	}
	switch into.Kind() {
	case reflect.Pointer:
		if v == nil {
			into.SetZero()
			return nil
		}
		fresh := reflect.New(into.Type().Elem())
		if err := r.value(v, fresh.Elem(), path, depth+1); err != nil {
			return err
		}
		into.Set(fresh)
		return nil
	case reflect.Struct:
		return r.object(v, into, path, depth)
	case reflect.Slice:
		return r.list(v, into, path, depth)
	case reflect.Map:
		return r.mapping(v, into, path, depth)
	case reflect.String:
		text, ok := v.(string)
		if !ok {
			return specWrong(path, "a string", v, quotesRemedy(v))
		}
		into.SetString(text)
		return nil
	case reflect.Bool:
		b, ok := v.(bool)
		if !ok {
			return specWrong(path, "a boolean", v, "Write true or false.")
		}
		into.SetBool(b)
		return nil
	}
	return specNumber(v, into, path)
}

// special reads the types that say themselves how they are read.
func (r *specReader) special(v any, into reflect.Value, path jsondoc.Pointer) (done bool, err error) {
	switch p := into.Addr().Interface().(type) {
	case *any:
		*p = v
		return true, nil
	case **jsondoc.Object:
		switch v := v.(type) {
		case nil:
			*p = nil
		case *jsondoc.Object:
			*p = v
		case map[string]any:
			*p = jsondoc.NewObject()
			for name, member := range jsondoc.Members(v) {
				(*p).Set(name, member)
			}
		default:
			return true, specWrong(path, "keys and values", v, "")
		}
		return true, nil
	case *json.Number:
		text, ok := jsondoc.NumberText(v)
		if !ok {
			return true, specWrong(path, "a number", v, "")
		}
		*p = json.Number(text)
		return true, nil
	case *time.Duration:
		text, ok := v.(string)
		t, parseErr := time.ParseDuration(text)
		if !ok || parseErr != nil {
			remedy := "Write a number with a unit: 500ms, 10s, 5m, 1h."
			if n, isNum := jsondoc.NumberText(v); isNum {
				remedy = "Write " + safetext.OneLine(n, 40) + "s for seconds."
			}
			return true, specFault(path, remedy, "expected a time, got %s", specKind(v))
		}
		*p = t
		return true, nil
	case json.Unmarshaler:
		data, err := json.Marshal(v)
		if err == nil {
			err = p.UnmarshalJSON(data)
		}
		if err != nil {
			return true, specFault(path, fault.RemedyOf(err), "%v", err)
		}
		return true, nil
	case encoding.TextUnmarshaler:
		text, ok := v.(string)
		if !ok {
			return true, specWrong(path, "a string", v, quotesRemedy(v))
		}
		if err := p.UnmarshalText([]byte(text)); err != nil {
			return true, specFault(path, fault.RemedyOf(err), "%v", err)
		}
		return true, nil
	}
	return false, nil
}

func (r *specReader) list(v any, into reflect.Value, path jsondoc.Pointer, depth int) error {
	if v == nil {
		into.SetZero()
		return nil
	}
	items, ok := v.([]any)
	if !ok {
		return specWrong(path, "a list", v, "Write a list: [a, b].")
	}
	out := reflect.MakeSlice(into.Type(), len(items), len(items))
	for i, item := range items {
		if err := r.value(item, out.Index(i), path.Index(i), depth+1); err != nil {
			return err
		}
	}
	into.Set(out)
	return nil
}

func (r *specReader) mapping(v any, into reflect.Value, path jsondoc.Pointer, depth int) error {
	if v == nil {
		into.SetZero()
		return nil
	}
	t := into.Type()
	if t.Key().Kind() != reflect.String {
		return fmt.Errorf("cannot read settings into %s: keys are strings", t)
	}
	if !jsondoc.IsObject(v) {
		return specWrong(path, "keys and values", v, "Write {name: value}.")
	}
	out := reflect.MakeMapWithSize(t, jsondoc.MemberCount(v))
	for name, member := range jsondoc.Members(v) {
		one := reflect.New(t.Elem()).Elem()
		if err := r.value(member, one, path.Child(name), depth+1); err != nil {
			return err
		}
		out.SetMapIndex(reflect.ValueOf(name).Convert(t.Key()), one)
	}
	into.Set(out)
	return nil
}

// specNumber reads a number; one that does not fit its field is refused.
func specNumber(v any, into reflect.Value, path jsondoc.Pointer) error {
	whole := into.CanInt() || into.CanUint()
	if !whole && !into.CanFloat() {
		return fmt.Errorf("cannot read settings into a field of type %s", into.Type())
	}
	expected := "a number"
	if whole {
		expected = "a whole number"
	}
	text, ok := jsondoc.NumberText(v)
	if !ok {
		remedy := ""
		if s, isString := v.(string); isString && jsondoc.IsNumber(s) && len(s) < 40 {
			remedy = "Write it without quotes."
		}
		return specWrong(path, expected, v, remedy)
	}
	d, ok := jsondoc.ParseDecimal(text)
	if !ok || (whole && !d.Integer()) {
		return specWrong(path, expected, v, "")
	}
	if into.CanFloat() {
		f, err := strconv.ParseFloat(text, into.Type().Bits())
		if err != nil || math.IsInf(f, 0) {
			return specFault(path, "", "the number is out of bounds")
		}
		into.SetFloat(f)
		return nil
	}
	if !setWhole(d, into) {
		return specFault(path, "", "the number is out of bounds")
	}
	return nil
}

func setWhole(d jsondoc.Decimal, into reflect.Value) bool {
	if d.Exp > 20 { // more digits than 64 bits have
		return false
	}
	bits := into.Type().Bits()
	if into.CanInt() {
		n, err := strconv.ParseInt(d.String(), 10, bits)
		if err == nil {
			into.SetInt(n)
		}
		return err == nil
	}
	n, err := strconv.ParseUint(d.String(), 10, bits)
	if err == nil {
		into.SetUint(n)
	}
	return err == nil
}

func quotesRemedy(v any) string {
	if b, ok := v.(bool); ok {
		return "Put it into quotes: " + strconv.Quote(strconv.FormatBool(b)) + "."
	}
	if text, ok := jsondoc.NumberText(v); ok {
		return "Put it into quotes: " + strconv.Quote(safetext.OneLine(text, 40)) + "."
	}
	return ""
}
