package fault_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"slices"
	"testing"

	"praxis/fault"
)

func TestKinds(t *testing.T) {
	for k := fault.Invalid; k <= fault.Internal; k++ {
		text, err := k.MarshalText()
		var back fault.Kind
		if err != nil || back.UnmarshalText(text) != nil || back != k || fault.KindNamed(string(text)) != k {
			t.Errorf("%v: got %s, %v and %v back", k, text, err, back)
		}
	}
	for _, k := range []fault.Kind{0, fault.Internal + 1} {
		if text, err := k.MarshalText(); err == nil {
			t.Errorf("kind(%d) is written as %s", uint8(k), text)
		}
	}
	var k fault.Kind
	for _, text := range []string{"", "kind(3)", "Invalid"} {
		if k.UnmarshalText([]byte(text)) == nil || fault.KindNamed(text) != 0 {
			t.Errorf("%q is read as %v", text, k)
		}
	}
}

// TestChain requires that what is asked about an error is what its first fault says.
func TestChain(t *testing.T) {
	inner := fault.Coded(fault.SessionExists, fault.Data{"name": "work"}, "cannot make it: %w", fs.ErrExist)
	around := fmt.Errorf("cannot start: %w", inner)
	outer := fault.New(fault.Unavailable, "Try again.", "cannot go on: %w", around)
	for _, c := range []struct {
		name   string
		err    error
		kind   fault.Kind
		code   fault.Code
		remedy string
		data   fault.Data
	}{
		{"a fault", inner, fault.Conflict, fault.SessionExists, "Choose another name, or remove the session work first.", fault.Data{"name": "work"}},
		{"what is around it", around, fault.Conflict, fault.SessionExists, "Choose another name, or remove the session work first.", fault.Data{"name": "work"}},
		{"another fault around both", outer, fault.Unavailable, "", "Try again.", nil},
		{"no fault", fs.ErrExist, fault.Internal, "", "", nil},
	} {
		if fault.KindOf(c.err) != c.kind || fault.CodeOf(c.err) != c.code || fault.RemedyOf(c.err) != c.remedy || !reflect.DeepEqual(fault.DataOf(c.err), c.data) {
			t.Errorf("%s: got %v, %q, %q, %v", c.name, fault.KindOf(c.err), fault.CodeOf(c.err), fault.RemedyOf(c.err), fault.DataOf(c.err))
		}
		f := fault.Of(c.err)
		want := fault.Error{Kind: c.kind, Code: c.code, Message: c.err.Error(), Remedy: c.remedy, Data: c.data, Err: c.err}
		if !reflect.DeepEqual(*f, want) {
			t.Errorf("%s: as one fault %+v, want %+v", c.name, *f, want)
		}
		if !errors.Is(f, fs.ErrExist) {
			t.Errorf("%s: the cause is lost", c.name)
		}
	}
	fault.Of(around).Data["name"] = "play"
	if inner.Data["name"] != "work" {
		t.Error("a change of what Of returned changed the fault")
	}
	if fault.Of(nil) != nil || fault.KindOf(nil) != 0 || fault.CodeOf(nil) != "" || fault.RemedyOf(nil) != "" || fault.DataOf(nil) != nil {
		t.Error("nil is a fault")
	}
}

func TestJSON(t *testing.T) {
	for _, c := range []struct {
		f    *fault.Error
		want string
	}{
		{
			fault.Coded(fault.SessionMissing, fault.Data{"name": "work"}, "cannot open session work: %w", fs.ErrNotExist),
			`{"kind":"not_found","code":"session_missing","message":"cannot open session work: file does not exist","remedy":"Give the name of a session that exists.","data":{"name":"work"}}`,
		},
		{fault.New(fault.Canceled, "", "given up"), `{"kind":"canceled","message":"given up","remedy":""}`},
	} {
		got, err := json.Marshal(c.f)
		if err != nil || string(got) != c.want {
			t.Errorf("got %s, %v, want %s", got, err, c.want)
		}
		var back fault.Error
		if err := json.Unmarshal(got, &back); err != nil {
			t.Fatal(err)
		}
		if back.Err = c.f.Err; !reflect.DeepEqual(back, *c.f) {
			t.Errorf("read back: %+v, want %+v", back, *c.f)
		}
	}
}

func TestSentences(t *testing.T) {
	s := fault.Sentences{"Did you mean {near}, or {other_one}?", "There is {known}. {known}!", "Look."}
	for _, c := range []struct {
		data fault.Data
		want string
	}{
		{fault.Data{"near": "{known}", "other_one": "b"}, "Did you mean {known}, or b?"},
		{fault.Data{"near": "a", "other_one": "", "known": "c"}, "There is c. c!"},
		{nil, "Look."},
	} {
		if got := s.With(c.data); got != c.want {
			t.Errorf("%v: got %q, want %q", c.data, got, c.want)
		}
	}
	if got := s[:2].With(nil); got != "" {
		t.Errorf("without data: got %q", got)
	}
	if got, want := s.Names(), []string{"near", "other_one", "known", "known"}; !slices.Equal(got, want) {
		t.Errorf("names: got %v, want %v", got, want)
	}
}
