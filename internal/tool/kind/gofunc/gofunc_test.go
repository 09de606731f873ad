package gofunc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"praxis/fault"
	"praxis/internal/tool"
	"praxis/internal/tool/jsondoc"
	"praxis/internal/tool/toolfile"
)

type color uint8

func (c color) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "color-%d", uint8(c)), nil }

func (c *color) UnmarshalText(b []byte) error {
	_, err := fmt.Sscanf(string(b), "color-%d", (*uint8)(c))
	return err
}

type free struct{ v any }

func (f free) MarshalJSON() ([]byte, error) { return json.Marshal(f.v) }

type part struct {
	ID   string   `json:"id"`
	Tags []string `json:"tags"`
}

type everything struct {
	Name   string            `json:"name" jsonschema:"The name of it"`
	Count  int64             `json:"count,omitempty"`
	Small  int8              `json:"small,omitempty"`
	Size   uint64            `json:"size,omitempty"`
	Ratio  float64           `json:"ratio,omitempty"`
	Huge   *big.Int          `json:"huge,omitempty"`
	When   time.Time         `json:"when,omitzero"`
	Data   []byte            `json:"data,omitempty"`
	Color  color             `json:"color,omitempty"`
	Exact  json.Number       `json:"exact,omitempty"`
	Any    any               `json:"any,omitempty"`
	Parts  []part            `json:"parts,omitempty"`
	Labels map[string]string `json:"labels,omitempty"`
	Maybe  *string           `json:"maybe,omitempty"`
	Pair   [2]int            `json:"pair,omitzero"`
	hidden int
	Left   func() `json:"-"`
}

func echo(_ context.Context, in everything) (everything, error) {
	in.hidden++ // nobody sees it
	return in, nil
}

func parsed(t *testing.T, text string) *jsondoc.Object {
	t.Helper()
	v, err := jsondoc.Decode([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v.(*jsondoc.Object)
}

func made[In, Out any](t *testing.T, f func(context.Context, In) (Out, error), opts ...Option) *Tool {
	t.Helper()
	made, err := New("t.f", "1.0.0", "Does it.", tool.Read, f, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func call(t *testing.T, c *Tool, arguments string) (string, error) {
	t.Helper()
	v, err := c.Call(t.Context(), tool.Invocation{Tool: c.Definition(), ID: "1", Arguments: parsed(t, arguments)})
	if err != nil {
		return "", err
	}
	if err := c.Definition().CheckResult(v); err != nil {
		t.Errorf("the result breaks the tool's own schema: %v", err)
	}
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text), nil
}

func TestSchema(t *testing.T) {
	got := string(made(t, echo).Definition().Input.JSON())
	want := `{"type":"object","properties":{"name":{"type":"string","description":"The name of it"},"count":{"type":"integer"},` +
		`"small":{"type":"integer","minimum":-128,"maximum":127},"size":{"type":"integer","minimum":0},"ratio":{"type":"number"},"huge":{"type":["null","integer"]},` +
		`"when":{"type":"string","format":"date-time"},"data":{"type":"string","contentEncoding":"base64"},"color":{"type":"string"},"exact":{"type":"number"},"any":true,` +
		`"parts":{"type":"array","items":{"type":"object","properties":{"id":{"type":"string"},"tags":{"type":"array","items":{"type":"string"}}},"required":["id","tags"],"additionalProperties":false}},` +
		`"labels":{"type":"object","additionalProperties":{"type":"string"}},"maybe":{"type":["null","string"]},"pair":{"type":"array","items":{"type":"integer"},"minItems":2,"maxItems":2}},` +
		`"required":["name"],"additionalProperties":false}`
	if !sameJSON(t, got, want) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	var names []string
	for _, p := range made(t, echo).Definition().Arguments() {
		names = append(names, p.Name)
	}
	if got := strings.Join(names, " "); got != "name count small size ratio huge when data color exact any parts labels maybe pair" {
		t.Errorf("the order of the arguments is %s", got)
	}
}

func sameJSON(t *testing.T, a, b string) bool {
	t.Helper()
	x, err := jsondoc.Canonical(parsed(t, a))
	if err != nil {
		t.Fatal(err)
	}
	y, err := jsondoc.Canonical(parsed(t, b))
	if err != nil {
		t.Fatal(err)
	}
	return string(x) == string(y)
}

// TestRoundTrip checks that what goes in comes out, exactly.
func TestRoundTrip(t *testing.T) {
	echo := made(t, echo)
	for in, want := range map[string]string{
		`{"name":"a"}`: "",
		`{"name":"a","count":9223372036854775807,"small":-128,"size":18446744073709551615,"ratio":0.1}`: "",
		`{"name":"a","count":2.0,"small":1e2}`:                                                          `{"name":"a","count":2,"small":100}`,
		`{"name":"a","huge":123456789012345678901234567890}`:                                            "",
		`{"name":"a","when":"2026-05-31T14:30:00Z","data":"AAEC"}`:                                      "",
		`{"name":"a","color":"color-7","exact":0.30000000000000000000001}`:                              "",
		`{"name":"a","any":{"b":[12345678901234567890,null,true]}}`:                                     "",
		`{"name":"a","parts":[{"id":"x","tags":[]}],"labels":{"k":"v"},"maybe":"y","pair":[1,2]}`:       "",
	} {
		if want == "" {
			want = in
		}
		got, err := call(t, echo, in)
		if err != nil || !sameJSON(t, got, want) {
			t.Errorf("%s: got %s, %v", in, got, err)
		}
	}
}

func TestRefusesArguments(t *testing.T) {
	echo := made(t, echo)
	for in, want := range map[string]string{
		`{}`:                       "name",
		`{"Name":"a"}`:             "",
		`{"name":"a","NAME":"b"}`:  "NAME",
		`{"name":"a","hidden":1}`:  "hidden",
		`{"name":"a","Left":null}`: "Left",
		`{"name":1}`:               "/name",
		`{"name":"a","count":9223372036854775808}`:             "/count",
		`{"name":"a","count":1.5}`:                             "/count",
		`{"name":"a","count":1e300}`:                           "/count",
		`{"name":"a","count":1e999999}`:                        "/count",
		`{"name":"a","small":128}`:                             "/small",
		`{"name":"a","ratio":1e400}`:                           "/ratio",
		`{"name":"a","when":"yesterday"}`:                      "/when",
		`{"name":"a","data":"%%%"}`:                            "base64",
		`{"name":"a","color":"red"}`:                           "",
		`{"name":"a","parts":[{"id":"x"}]}`:                    "tags",
		`{"name":"a","parts":[{"id":"x","tags":[],"ID":"y"}]}`: "ID",
		`{"name":"a","parts":null}`:                            "/parts",
	} {
		got, err := call(t, echo, in)
		if fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %s, %v; want a fault with %q", in, got, err, want)
		}
	}
}

type results struct {
	List  []part            `json:"list"`
	Map   map[string]int    `json:"map"`
	Deep  map[string][]part `json:"deep"`
	Maybe *part             `json:"maybe"`
}

func TestNilIsEmpty(t *testing.T) {
	f := made(t, func(context.Context, struct{}) (results, error) {
		return results{Deep: map[string][]part{"a": nil, "b": {{ID: "x"}}}}, nil
	})
	got, err := call(t, f, `{}`)
	if want := `{"list":[],"map":{},"deep":{"a":[],"b":[{"id":"x","tags":[]}]},"maybe":null}`; err != nil || got != want {
		t.Errorf("got %s, %v; want %s", got, err, want)
	}
	none := made(t, func(context.Context, map[string]int) ([]string, error) { return nil, nil })
	if got, err := call(t, none, `{"a":1}`); err != nil || got != "[]" {
		t.Errorf("got %s, %v; want []", got, err)
	}
}

func TestFailures(t *testing.T) {
	boom := errors.New("the disk is full")
	refused := fault.New(fault.Denied, "Ask another.", "cannot do that")
	loop := map[string]any{}
	loop["loop"] = loop
	for name, test := range map[string]struct {
		f    func() (any, error)
		want string
		kind fault.Kind
		is   error
	}{
		"error":    {func() (any, error) { return nil, boom }, "cannot call t.f: the disk is full", fault.Internal, boom},
		"fault":    {func() (any, error) { return nil, refused }, "cannot do that", fault.Denied, refused},
		"panic":    {func() (any, error) { panic("broken\xff" + strings.Repeat("x", 10000)) }, "cannot call t.f: the function panicked: broken?x", fault.Internal, nil},
		"index":    {func() (any, error) { return []int{}[len(t.Name())], nil }, "index out of range", fault.Internal, nil},
		"goexit":   {func() (any, error) { runtime.Goexit(); return nil, nil }, "ended its goroutine", fault.Internal, nil},
		"not JSON": {func() (any, error) { return math.NaN(), nil }, "is no JSON", fault.Internal, nil},
		"channel":  {func() (any, error) { return make(chan int), nil }, "is no JSON", fault.Internal, nil},
		"cycle":    {func() (any, error) { return loop, nil }, "is no JSON", fault.Internal, nil},
		"marshal":  {func() (any, error) { return free{make(chan int)}, nil }, "is no JSON", fault.Internal, nil},
		"deep": {func() (any, error) {
			return json.RawMessage(strings.Repeat("[", 200) + strings.Repeat("]", 200)), nil
		}, "is no JSON value", fault.Internal, nil},
		"large": {func() (any, error) { return strings.Repeat("x", 2000), nil }, "its result has 2KiB, more than 1000B", fault.Exhausted, nil},
	} {
		f := made(t, func(context.Context, struct{}) (any, error) { return test.f() }, Limits(tool.Limits{Bytes: 1000}))
		got, err := call(t, f, `{}`)
		if err == nil || fault.KindOf(err) != test.kind || !strings.Contains(err.Error(), test.want) || (test.is != nil && !errors.Is(err, test.is)) {
			t.Errorf("%s: got %s, %v", name, got, err)
		} else if len(err.Error()) > 500 {
			t.Errorf("%s: an error of %d bytes", name, len(err.Error()))
		}
	}
}

type bad struct {
	C chan int `json:"c"`
}

type cycle struct {
	Next *cycle `json:"next"`
}

type asString struct {
	N int `json:"n,string"`
}

type embeds struct {
	time.Time
	N int
}

func TestRefusesFunctions(t *testing.T) {
	try := func(what, want string, err error) {
		t.Helper()
		if fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want a fault with %q", what, err, want)
		}
	}
	_, err := New("f", "1.0.0", "", tool.Pure, func(context.Context, bad) (int, error) { return 0, nil })
	try("a channel", "chan int", err)
	_, err = New("f", "1.0.0", "", tool.Pure, func(context.Context, struct{}) (cycle, error) { return cycle{}, nil })
	try("a cycle", "cycle", err)
	_, err = New("f", "1.0.0", "", tool.Pure, func(context.Context, asString) (int, error) { return 0, nil })
	try("an option", "string is not supported", err)
	_, err = New("f", "1.0.0", "", tool.Pure, func(context.Context, embeds) (int, error) { return 0, nil })
	try("an embedded time, which writes the whole", "input: expected the schema of an object", err)
	_, err = New("f", "1.0.0", "", tool.Pure, func(context.Context, string) (int, error) { return 0, nil })
	try("a text", "no named arguments", err)
	_, err = New("f", "1.0.0", "", tool.Pure, func(context.Context, *part) (int, error) { return 0, nil })
	try("a pointer", "no named arguments", err)
	_, err = New[part, int]("f", "1.0.0", "", tool.Pure, nil)
	try("nothing", "no function", err)
	_, err = New("not a name", "1.0.0", "", tool.Pure, echo)
	try("a name", "not a name", err)
	_, err = New("f", "one", "", tool.Pure, echo)
	try("a version", "version", err)
	_, err = New("f", "1.0.0", "", tool.Effects(9), echo)
	try("effects", "effects", err)
	_, err = New("f", "1.0.0", "", tool.Pure, echo, Secrets(tool.Secrets{Input: []jsondoc.Pointer{"/nowhere"}}))
	try("a secret", "nowhere", err)
	_, err = New("f", "1.0.0", "", tool.Pure, echo, Example("e", part{}, nil))
	try("an example", "e", err)
	_, err = New("f", "1.0.0", "", tool.Pure, echo, Example("e", math.Inf(1), nil))
	try("an example that is no JSON", "example e", err)
	_, err = New("f", "1.0.0", "", tool.Pure, echo, Limits(tool.Limits{Rate: tool.Rate{Calls: 1}}))
	try("a rate", "rate", err)
}

func TestOptions(t *testing.T) {
	f, err := New("a.b", "1.2.3", "Does it.", tool.External, echo,
		Title("It"), Trusted(), Readers("me", "ann@example.com"), Idempotent(), Approval(),
		Demand(tool.ArgDemand{Argument: "name", Trusted: true, Reason: "it steers"}),
		Limits(tool.Limits{Timeout: 90 * time.Second, Bytes: 1 << 20, CallsPerRun: 3, Rate: tool.Rate{Calls: 10, Per: time.Minute}}),
		Secrets(tool.Secrets{Input: []jsondoc.Pointer{"/data"}, Output: []jsondoc.Pointer{"/any"}}),
		Example("one", everything{Name: "x"}, everything{Name: "x"}))
	if err != nil {
		t.Fatal(err)
	}
	d := f.Definition()
	if !d.Labels.Trusted || !d.Idempotent || !d.Approval || d.Title != "It" || d.Effects != tool.External || d.Version != "1.2.3" ||
		strings.Join(d.Labels.Readers.Principals, " ") != "ann@example.com me" || !d.Labels.Demand("name").Trusted || d.Labels.Demand("name").Reason != "it steers" {
		t.Errorf("got %+v", d)
	}
	if want := (tool.Limits{Timeout: 90 * time.Second, Bytes: 1 << 20, CallsPerRun: 3, Rate: tool.Rate{Calls: 10, Per: time.Minute}}); d.Limits != want {
		t.Errorf("limits: got %+v", d.Limits)
	}
	if len(d.Secrets.Input) != 1 || len(d.Secrets.Output) != 1 || len(d.Examples) != 1 {
		t.Errorf("got %+v, %+v", d.Secrets, d.Examples)
	}
	again, err := toolfile.Define("again", f.Document())
	if err != nil || again.Hash() != d.Hash() {
		t.Errorf("the document gives another definition: %v", err)
	}
	if id := f.Identity(); !strings.HasPrefix(id, "go: ") || !strings.HasSuffix(id, "gofunc.echo") {
		t.Errorf("identity %q", id)
	}
	everyone, err := New("a.b", "1.0.0", "", tool.Read, echo, Readers("everyone"))
	if err != nil || !everyone.Definition().Labels.Readers.Everyone {
		t.Errorf("everyone: %v", err)
	}
}

// TestHangs checks that calls end soon after their context, whatever the function does.
func TestHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		f := made(t, func(ctx context.Context, _ struct{}) (int, error) {
			<-release
			return 1, nil
		})
		start := time.Now()
		for range maxLeft {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			_, err := f.Call(ctx, tool.Invocation{})
			cancel()
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Fatalf("got %v", err)
			}
		}
		if took := time.Since(start); took != maxLeft*(time.Second+grace) {
			t.Errorf("took %v", took)
		}
		if _, err := f.Call(t.Context(), tool.Invocation{}); fault.KindOf(err) != fault.Unavailable {
			t.Errorf("one more: got %v", err)
		}
		if err := f.Close(); err == nil {
			t.Error("closed while calls run")
		}
		close(release)
		synctest.Wait()
		if f.left != 0 {
			t.Errorf("%d are still counted", f.left)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
		if _, err := f.Call(t.Context(), tool.Invocation{}); fault.KindOf(err) != fault.Unavailable {
			t.Errorf("closed: got %v", err)
		}
	})
}

func TestFollowsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := made(t, func(ctx context.Context, _ struct{}) (int, error) {
			<-ctx.Done()
			return 0, ctx.Err()
		})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		if _, err := f.Call(ctx, tool.Invocation{}); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != time.Second {
			t.Errorf("got %v after %v", err, time.Since(start))
		}
		if _, err := f.Call(ctx, tool.Invocation{}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a call after the end: %v", err)
		}
	})
}

func FuzzDecode(f *testing.F) {
	made, err := New("t.f", "1.0.0", "", tool.Pure, echo)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(`{"name":"a","count":2.0,"any":[1e5]}`)
	f.Add(`{"name":"a","count":1e999999}`)
	f.Fuzz(func(t *testing.T, text string) {
		v, err := jsondoc.Decode([]byte(text))
		o, ok := v.(*jsondoc.Object)
		if err != nil || !ok {
			return
		}
		result, err := made.Call(t.Context(), tool.Invocation{Arguments: o})
		if err != nil {
			if fault.KindOf(err) == fault.Internal && !strings.Contains(err.Error(), "no JSON") {
				t.Errorf("%s: %v", text, err)
			}
			return
		}
		if err := made.Definition().CheckResult(result); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	})
}

func BenchmarkCall(b *testing.B) {
	made, err := New("t.f", "1.0.0", "", tool.Pure, func(_ context.Context, in part) (part, error) { return in, nil })
	if err != nil {
		b.Fatal(err)
	}
	arguments := jsondoc.NewObject(jsondoc.Member{Name: "id", Value: "x"}, jsondoc.Member{Name: "tags", Value: []any{"a", "b"}})
	for b.Loop() {
		if _, err := made.Call(b.Context(), tool.Invocation{Arguments: arguments}); err != nil {
			b.Fatal(err)
		}
	}
}
