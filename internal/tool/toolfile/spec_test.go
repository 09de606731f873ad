package toolfile

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"praxis/fault"
	"praxis/internal/tool/jsondoc"
)

type specInner struct {
	Count int `json:"count"`
}

// specColour reads itself.
type specColour string

func (c *specColour) UnmarshalText(b []byte) error {
	if string(b) != "red" {
		return errors.New("only red will do")
	}
	*c = specColour(b)
	return nil
}

type specBase struct {
	Name string `json:"name"`
}

type specSample struct {
	specBase
	On      bool              `json:"on"`
	Small   int8              `json:"small"`
	Size    uint32            `json:"size"`
	Ratio   float64           `json:"ratio"`
	Argv    []string          `json:"argv"`
	Env     map[string]string `json:"env"`
	Inner   specInner         `json:"inner"`
	Maybe   *specInner        `json:"maybe"`
	Many    []specInner       `json:"many"`
	Wait    time.Duration     `json:"wait"`
	With    *jsondoc.Object   `json:"with"`
	Body    any               `json:"body"`
	Exact   json.Number       `json:"exact"`
	Colour  specColour        `json:"colour"`
	Raw     json.RawMessage   `json:"raw"`
	Ignored string            `json:"-"`
}

func specObject(t *testing.T, text string) *jsondoc.Object {
	t.Helper()
	v, err := jsondoc.Decode([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v.(*jsondoc.Object)
}

func TestDecodeSpec(t *testing.T) {
	var got specSample
	err := DecodeSpec(specObject(t, `{"name":"n","on":true,"small":-7.0,"size":1e3,"ratio":0.5,"argv":["a","b"],
		"env":{"A":"1"},"inner":{"count":2},"maybe":{"count":3},"many":[{"count":4},{}],"wait":"1m30s",
		"with":{"z":1,"a":2},"body":{"k":[1,null]},"exact":12345678901234567890.5,"colour":"red","raw":{"b":1,"a":2},"x-note":[]}`), &got)
	if err != nil {
		t.Fatal(err)
	}
	if got.Name != "n" || !got.On || got.Small != -7 || got.Size != 1000 || got.Ratio != 0.5 || fmt.Sprint(got.Argv) != "[a b]" ||
		got.Env["A"] != "1" || got.Inner.Count != 2 || got.Maybe.Count != 3 || len(got.Many) != 2 || got.Many[0].Count != 4 ||
		got.Wait != 90*time.Second || got.Exact != "12345678901234567890.5" || got.Colour != "red" || string(got.Raw) != `{"b":1,"a":2}` {
		t.Errorf("got %+v", got)
	}
	if with, _ := json.Marshal(got.With); string(with) != `{"z":1,"a":2}` {
		t.Errorf("the order of with is lost: %s", with)
	}
	if _, ok := got.Body.(*jsondoc.Object); !ok {
		t.Errorf("body: %T", got.Body)
	}

	got = specSample{Argv: []string{"kept"}, Maybe: &specInner{}, Size: 5}
	if err := DecodeSpec(jsondoc.NewObject(jsondoc.Member{Name: "maybe", Value: nil}, jsondoc.Member{Name: "body", Value: map[string]any{"a": 1}}), &got); err != nil {
		t.Fatal(err)
	}
	if got.Maybe != nil || len(got.Argv) != 1 || got.Size != 5 {
		t.Errorf("null or a missing key: %+v", got)
	}
	if err := DecodeSpec(nil, &got); err != nil {
		t.Errorf("no settings: %v", err)
	}
}

func TestDecodeSpecRefuses(t *testing.T) {
	for _, c := range []struct{ spec, message, remedy string }{
		{`{"nmae":"x"}`, `unknown key "nmae"`, `Did you mean "name"?`},
		{`{"inner":{"cuont":1}}`, `/inner: unknown key "cuont"`, `"count"`},
		{`{"Ignored":"x"}`, `unknown key "Ignored"`, ``},
		{`{"-":"x"}`, `unknown key "-"`, ``},
		{`{"qqqqqq":"x"}`, `unknown key "qqqqqq"`, `Known are name, on, small`},
		{`{"name":3}`, `/name: expected a string, got integer 3`, `Put it into quotes: "3".`},
		{`{"name":null}`, `/name: expected a string, got null`, ``},
		{`{"name":true}`, `/name: expected a string, got boolean true`, `"true"`},
		{`{"on":"yes"}`, `/on: expected a boolean, got a string`, `Write true or false.`},
		{`{"small":300}`, `/small: the number is out of bounds`, ``},
		{`{"small":1.5}`, `/small: expected a whole number, got number 1.5`, ``},
		{`{"small":"1"}`, `/small: expected a whole number, got a string`, `Write it without quotes.`},
		{`{"size":-1}`, `/size: the number is out of bounds`, ``},
		{`{"size":1e999999}`, `/size: the number is out of bounds`, ``},
		{`{"ratio":1e99999}`, `/ratio: the number is out of bounds`, ``},
		{`{"ratio":[]}`, `/ratio: expected a number, got array of 0`, ``},
		{`{"argv":"ls -l"}`, `/argv: expected a list, got a string`, `Write a list: [a, b].`},
		{`{"argv":["a",2]}`, `/argv/1: expected a string, got integer 2`, ``},
		{`{"env":["A=1"]}`, `/env: expected keys and values, got array of 1`, `{name: value}`},
		{`{"env":{"a/b":1}}`, `/env/a~1b: expected a string, got integer 1`, ``},
		{`{"inner":[]}`, `/inner: expected keys and values, got array of 0`, `count`},
		{`{"many":[{},{"count":"x"}]}`, `/many/1/count: expected a whole number, got a string`, ``},
		{`{"wait":10}`, `/wait: expected a time, got integer 10`, `Write 10s for seconds.`},
		{`{"wait":"soon"}`, `/wait: expected a time, got a string`, `500ms`},
		{`{"with":[]}`, `/with: expected keys and values`, ``},
		{`{"exact":"1"}`, `/exact: expected a number`, ``},
		{`{"colour":"blue"}`, `/colour: only red will do`, ``},
		{`{"colour":1}`, `/colour: expected a string`, ``},
		{`{"on":1,"name":2}`, `/on: expected a boolean, got integer 1`, ``},
	} {
		var into specSample
		err := DecodeSpec(specObject(t, c.spec), &into)
		var f *fault.Error
		if !errors.As(err, &f) || f.Kind != fault.Invalid {
			t.Errorf("%s: got %v, want a fault of kind invalid", c.spec, err)
			continue
		}
		if !strings.Contains(f.Message, "cannot read the settings: "+c.message) || !strings.Contains(f.Remedy, c.remedy) {
			t.Errorf("%s:\n got %q / %q\nwant %q / %q", c.spec, f.Message, f.Remedy, c.message, c.remedy)
		}
	}
}

func TestDecodeSpecShowsNoString(t *testing.T) {
	var into specSample
	for _, spec := range []string{`{"on":"s3cr3t"}`, `{"argv":"s3cr3t"}`, `{"wait":"s3cr3t"}`, `{"small":"s3cr3t"}`, `{"with":"s3cr3t"}`, `{"exact":"s3cr3t"}`} {
		if err := DecodeSpec(specObject(t, spec), &into); err == nil || strings.Contains(err.Error()+fault.RemedyOf(err), "s3cr3t") {
			t.Errorf("%s: got %v", spec, err)
		}
	}
}

func TestDecodeSpecProgrammersMistakes(t *testing.T) {
	var nothing *specSample
	var channel struct {
		C chan int `json:"c"`
	}
	for _, into := range []any{nil, specSample{}, nothing, new(int), &channel} {
		err := DecodeSpec(jsondoc.NewObject(jsondoc.Member{Name: "c", Value: json.Number("1")}), into)
		if err == nil || fault.KindOf(err) != fault.Internal {
			t.Errorf("%T: got %v, want an error that is no fault", into, err)
		}
	}
}

type specNest struct {
	Next *specNest `json:"next"`
}

func TestDecodeSpecDepth(t *testing.T) {
	o := jsondoc.NewObject()
	for range 1000 {
		o = jsondoc.NewObject(jsondoc.Member{Name: "next", Value: o})
	}
	if err := DecodeSpec(o, &specNest{}); fault.KindOf(err) != fault.Invalid {
		t.Errorf("got %v", err)
	}
}

func FuzzDecodeSpec(f *testing.F) {
	f.Add(`{"name":"n","on":true,"small":-7,"argv":["a"],"env":{"A":"1"},"many":[{"count":4}],"wait":"1m"}`)
	f.Add(`{"size":1e3,"raw":[1],"colour":"red","exact":0.10,"x-y":null}`)
	f.Fuzz(func(t *testing.T, text string) {
		v, err := jsondoc.Decode([]byte(text))
		o, ok := v.(*jsondoc.Object)
		if err != nil || !ok {
			return
		}
		var into specSample
		if err := DecodeSpec(o, &into); err != nil && fault.KindOf(err) != fault.Invalid {
			t.Errorf("%s: %v", text, err)
		}
	})
}
