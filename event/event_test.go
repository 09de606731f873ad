package event

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestVocabulary compares the table with the types: every event has a name, and
// the documentation of the package names each.
func TestVocabulary(t *testing.T) {
	f, err := parser.ParseFile(token.NewFileSet(), "event.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var declared []string
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Name.Name == "event" {
			declared = append(declared, fn.Recv.List[0].Type.(*ast.Ident).Name)
		}
	}
	var named []string
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range vocabulary {
		named = append(named, reflect.TypeOf(v.zero).Name())
		if !strings.Contains(string(doc), v.name) && !strings.Contains(string(doc), v.name[strings.Index(v.name, "_"):]) {
			t.Errorf("doc.go does not name %s", v.name)
		}
		if Name(v.zero) != v.name || Transient(v.zero) != v.transient {
			t.Errorf("%s: got %q %v", v.name, Name(v.zero), Transient(v.zero))
		}
	}
	slices.Sort(declared)
	slices.Sort(named)
	if !slices.Equal(declared, named) || len(declared) < 28 {
		t.Errorf("declared %v\nnamed    %v", declared, named)
	}
	if got := Names(); len(got) != len(vocabulary) || got[2] != "run_began" {
		t.Errorf("Names() = %v", got)
	}
}

// fill sets every field of v to something that is not its zero value.
func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				fill(v.Field(i))
			}
		}
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[json.RawMessage]() {
			v.SetBytes([]byte(`{"b":[1.50,"<b>"],"a":null}`))
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(v.Index(0))
		fill(v.Index(1))
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		value := reflect.ValueOf("<b> & \u2028 \"$blob\"")
		switch {
		case v.Type().Elem() == reflect.TypeFor[json.RawMessage]():
			value = reflect.ValueOf(json.RawMessage(`{"b":[1.50,"<b>"],"a":null}`))
		case v.Type().Elem().Kind() == reflect.Struct:
			value = reflect.New(v.Type().Elem()).Elem()
			fill(value)
		}
		v.SetMapIndex(reflect.ValueOf("key").Convert(v.Type().Key()), value)
	case reflect.String:
		v.SetString("text <é>\n")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Float64:
		v.SetFloat(1.5)
	case reflect.Uint8:
		v.SetUint(1) // a status, a stream, a role, a byte
	default:
		v.SetInt(int64(2 * time.Millisecond))
	}
}

// TestRoundTrip writes and reads every event with every field set.
func TestRoundTrip(t *testing.T) {
	for _, v := range vocabulary {
		p := reflect.New(reflect.TypeOf(v.zero))
		fill(p.Elem())
		want := p.Elem().Interface().(Event)
		data, err := Marshal(want)
		if err != nil {
			t.Fatalf("%s: %v", v.name, err)
		}
		if strings.Contains(string(data), `\u003c`) || strings.ContainsAny(string(data), "\n") {
			t.Errorf("%s: %s", v.name, data)
		}
		var object map[string]any
		if err := json.Unmarshal(data, &object); err != nil {
			t.Errorf("%s: %v", v.name, err)
		}
		for key := range object {
			if key != strings.ToLower(key) {
				t.Errorf("%s: key %s has no tag", v.name, key)
			}
		}
		got, err := Unmarshal(v.name, data)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v %v, want %+v", v.name, got, err, want)
		}
	}
}

func TestTokens(t *testing.T) {
	sum := Tokens{Input: 10, Output: 2, CacheRead: 4, Reasoning: 1}.Add(Tokens{Incomplete: true}).Add(Tokens{Input: 5, Output: 3, CacheWritten: 5})
	if want := (Tokens{Input: 15, Output: 5, CacheRead: 4, CacheWritten: 5, Reasoning: 1, Incomplete: true}); sum != want || sum.Total() != 20 {
		t.Errorf("the sum is %+v of %d in all, want %+v", sum, sum.Total(), want)
	}
}

func TestUnmarshalRefuses(t *testing.T) {
	for _, c := range []struct{ name, data, want string }{
		{"run_begun", `{}`, "is not one"},
		{"run_ended", `{"status":"answered","extra":1}`, "unknown field"},
		{"run_ended", `{"status":"answered"} {}`, "after the object"},
		{"run_ended", `{"status":`, "EOF"},
		{"run_ended", `{"took_ms":1e300}`, "too many"},
		{"execution_ended", `{"execution":{"status":"fine"}}`, "cannot read status"},
		{"output", `{"stream":"stdin","text":""}`, "cannot read stream"},
		{"model_requested", `{"messages":[{"role":"system"}]}`, "cannot read role"},
	} {
		if _, err := Unmarshal(c.name, []byte(c.data)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s: %v, want %q", c.name, c.data, err, c.want)
		}
	}
	if _, err := Marshal(nil); err == nil {
		t.Error("nil was written")
	}
}

func TestDuration(t *testing.T) {
	for _, d := range []time.Duration{0, time.Microsecond, 1234567 * time.Microsecond, 100 * time.Hour, -time.Second} {
		data, err := json.Marshal(Duration(d))
		if err != nil {
			t.Fatal(err)
		}
		var got Duration
		if err := json.Unmarshal(data, &got); err != nil || time.Duration(got) != d {
			t.Errorf("%s: wrote %s, read %s %v", d, data, got, err)
		}
	}
}

// FuzzUnmarshal requires that what is read can be written and read again.
func FuzzUnmarshal(f *testing.F) {
	for _, v := range vocabulary {
		p := reflect.New(reflect.TypeOf(v.zero))
		fill(p.Elem())
		data, err := Marshal(p.Elem().Interface().(Event))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(v.name, data)
	}
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		e, err := Unmarshal(name, data)
		if err != nil {
			return
		}
		again, err := Marshal(e)
		if err != nil {
			t.Fatalf("cannot write what was read: %v", err)
		}
		if _, err := Unmarshal(name, again); err != nil {
			t.Fatalf("cannot read %s: %v", again, err)
		}
	})
}

func TestCause(t *testing.T) {
	for _, c := range []struct{ message, note, want string }{
		{"", "", ""},
		{"the limit of 5 was reached", "", "the limit of 5 was reached"},
		{"the limit of 5 was reached; the variables are kept", "the variables are kept", "the limit of 5 was reached"},
		{"the variables are kept", "the variables are kept", ""},
	} {
		if got := (Execution{Message: c.message, StateNote: c.note}).Cause(); got != c.want {
			t.Errorf("%q without %q: got %q, want %q", c.message, c.note, got, c.want)
		}
	}
}
