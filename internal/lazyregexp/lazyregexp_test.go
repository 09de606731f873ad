package lazyregexp

import (
	"os"
	"reflect"
	"regexp"
	"testing"
)

// TestCompiledWhenUsed wants an expression to be compiled by its first use, and one that is
// not valid to be found by the test of whoever has it.
func TestCompiledWhenUsed(t *testing.T) {
	refused := func(f func()) (out bool) {
		defer func() { out = recover() != nil }()
		f()
		return
	}
	if !refused(func() { New("(") }) {
		t.Error("in a test, New took an expression that is not valid")
	}
	name := os.Args[0]
	defer func() { os.Args[0] = name }()
	os.Args[0] = "praxis"
	var bad *Regexp
	if refused(func() { bad = New("(") }) {
		t.Fatal("New compiled the expression")
	}
	for range 2 {
		if !refused(func() { bad.MatchString("x") }) {
			t.Error("an expression that is not valid was used")
		}
	}
}

// TestMethods wants each method to give what the same one of the expression gives.
func TestMethods(t *testing.T) {
	const text = `(?P<first>[a-z])(\d+)`
	lazily, want := reflect.ValueOf(New(text)), reflect.ValueOf(regexp.MustCompile(text))
	in := func(of reflect.Type) reflect.Value {
		switch of {
		case reflect.TypeFor[int]():
			return reflect.ValueOf(-1)
		case reflect.TypeFor[string]():
			return reflect.ValueOf("a1 b22, c333")
		case reflect.TypeFor[[]byte]():
			return reflect.ValueOf([]byte("a1 b22, c333"))
		case reflect.TypeFor[func(string) string]():
			return reflect.ValueOf(func(s string) string { return "<" + s + ">" })
		case reflect.TypeFor[func([]byte) []byte]():
			return reflect.ValueOf(func(b []byte) []byte { return append([]byte("<"), b...) })
		}
		t.Fatalf("no argument of type %v", of)
		return reflect.Value{}
	}
	for i := range lazily.NumMethod() {
		name := lazily.Type().Method(i).Name
		if name == "Compiled" {
			continue
		}
		have, other := lazily.Method(i), want.MethodByName(name)
		if !other.IsValid() || have.Type() != other.Type() {
			t.Errorf("%s is not the method of a regular expression", name)
			continue
		}
		var args []reflect.Value
		for j := range have.Type().NumIn() {
			args = append(args, in(have.Type().In(j)))
		}
		if got, want := have.Call(args)[0].Interface(), other.Call(args)[0].Interface(); !reflect.DeepEqual(got, want) {
			t.Errorf("%s gave %v, want %v", name, got, want)
		}
	}
}
