// Package gofunc makes tools of Go functions. The schemas come from the types:
//
//	type In struct {
//		Customer string `json:"customer" jsonschema:"The customer's number"`
//		Limit    int    `json:"limit,omitempty" jsonschema:"At most this many"`
//	}
//	type Out struct {
//		Names []string `json:"names"`
//	}
//	find, err := gofunc.New("crm.find", "1.0.0", "Finds customers.", tool.Read,
//		func(ctx context.Context, in In) (Out, error) { … })
//
// The fields of In, in their order, are the arguments; those with omitempty or
// omitzero may be left out. A jsonschema tag is a description. Types that write
// themselves as JSON may be anything, those that write themselves as text are
// strings; [time.Time] is a date-time, [math/big.Int] an integer of any size,
// []byte a string in base 64.
//
// Arguments are read strictly: a call has to fit the schema, no name stands for
// another, and a number that the Go type cannot hold exactly is refused. Of
// results, a nil slice is an empty list and a nil map an empty object.
//
// The function has to end when its context does. One that does not is left
// behind after a moment, and while [maxLeft] of them still run, its tool refuses
// calls. A panic is a failure of that call alone.
package gofunc

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"time"

	"praxis/fault"
	"praxis/internal/safetext"
	"praxis/internal/tool"
	"praxis/internal/tool/jsondoc"
	"praxis/internal/tool/schema"
	"praxis/internal/tool/toolfile"
)

const (
	maxResult = 16 << 20 // bytes of a result's JSON when the definition sets no bound
	maxLeft   = 8
	grace     = 2 * time.Second // that a function has to end after its context
	maxPanic  = 300             // bytes of a panic's text
)

// Tool is a Go function as a tool. It implements [tool.Implementation].
type Tool struct {
	doc    *jsondoc.Object
	def    *tool.Definition
	origin string // the function's name
	bound  int64
	call   func(ctx context.Context, arguments []byte) (any, error)

	mu      sync.Mutex
	left    int
	closed  bool
	running sync.WaitGroup
}

var _ tool.Implementation = (*Tool)(nil)

// Option says more about a tool than its function does.
type Option func(doc *jsondoc.Object) error

// New makes a tool of a function. In is a struct or a map with strings as keys.
// What cannot be a tool (a type that JSON has no form for, a wrong name, an
// example that does not fit) is a fault of kind Invalid.
func New[In, Out any](name, version, description string, effects tool.Effects, f func(context.Context, In) (Out, error), opts ...Option) (*Tool, error) {
	if f == nil {
		return nil, fault.New(fault.Invalid, "", "cannot make a tool of %s: there is no function", name)
	}
	in, err := inferred(reflect.TypeFor[In]())
	if err == nil && !isArguments(reflect.TypeFor[In]()) {
		err = fmt.Errorf("%s has no named arguments", reflect.TypeFor[In]())
	}
	if err != nil {
		return nil, fault.New(fault.Invalid, "Give it a struct whose fields are the arguments.", "cannot make a tool of %s: input: %w", name, err)
	}
	out, err := inferred(reflect.TypeFor[Out]())
	if err != nil {
		return nil, fault.New(fault.Invalid, "Give it a result that JSON has a form for.", "cannot make a tool of %s: output: %w", name, err)
	}
	t := &Tool{origin: runtime.FuncForPC(reflect.ValueOf(f).Pointer()).Name()}
	t.doc = jsondoc.NewObject(
		jsondoc.Member{Name: "name", Value: name}, jsondoc.Member{Name: "version", Value: version},
		jsondoc.Member{Name: "effects", Value: effects.String()},
		jsondoc.Member{Name: "input", Value: in}, jsondoc.Member{Name: "output", Value: out})
	if description != "" {
		t.doc.Set("description", description)
	}
	for _, opt := range opts {
		if err := opt(t.doc); err != nil {
			return nil, fault.New(fault.Invalid, fault.RemedyOf(err), "cannot make a tool of %s: %w", name, err)
		}
	}
	if t.def, err = toolfile.Define(name, t.doc); err != nil {
		return nil, err
	}
	if t.bound = t.def.Limits.Bytes; t.bound == 0 {
		t.bound = maxResult
	}
	t.call = func(ctx context.Context, arguments []byte) (any, error) {
		var in In
		if err := decode(arguments, &in); err != nil {
			return nil, fault.New(fault.Invalid, "Give a value that its type can hold.", "cannot call %s: %w", name, err)
		}
		return f(ctx, in)
	}
	return t, nil
}

// isArguments says whether values of a type are always objects.
func isArguments(t reflect.Type) bool {
	return t.Kind() == reflect.Struct || (t.Kind() == reflect.Map && t.Key().Kind() == reflect.String)
}

// Document returns the definition in the form of a tool in a file.
func (t *Tool) Document() *jsondoc.Object { return t.doc }

// Definition returns the tool's definition.
func (t *Tool) Definition() *tool.Definition { return t.def }

// Provided returns the tool as a server provides one.
func (t *Tool) Provided() tool.Provided {
	return tool.Provided{Document: t.doc, Implementation: t}
}

// Identity names the function.
func (t *Tool) Identity() string { return "go: " + t.origin }

// Close waits for calls that still run, a moment at most. Later calls are refused.
func (t *Tool) Close() error {
	t.mu.Lock()
	t.closed = true
	t.mu.Unlock()
	done := make(chan struct{})
	go func() {
		t.running.Wait()
		close(done)
	}()
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-done:
		return nil
	case <-timer.C:
		return fmt.Errorf("cannot close %s: calls still run", t.def.Name)
	}
}

// Call calls the function.
func (t *Tool) Call(ctx context.Context, c tool.Invocation) (any, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	arguments := c.Arguments
	if arguments == nil {
		arguments = jsondoc.NewObject()
	}
	if err := t.def.CheckArguments(arguments); err != nil {
		return nil, err
	}
	text, err := json.Marshal(plain(arguments, 0))
	if err != nil {
		return nil, fault.New(fault.Invalid, "", "cannot call %s: %w", t.def.Name, err)
	}
	if err := t.enter(); err != nil {
		return nil, err
	}
	answer := make(chan result, 1)
	go t.run(ctx, text, answer)
	select {
	case o := <-answer:
		return t.result(o)
	case <-ctx.Done():
	}
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case o := <-answer:
		return t.result(o)
	case <-timer.C:
		return t.abandon(answer, context.Cause(ctx))
	}
}

type result struct {
	value any
	err   error
}

func (t *Tool) enter() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.closed:
		return fault.New(fault.Unavailable, "", "cannot call %s: it is closed", t.def.Name)
	case t.left >= maxLeft:
		return fault.New(fault.Unavailable, "Wait until they end.", "cannot call %s: %d calls that were given up still run", t.def.Name, t.left)
	}
	t.running.Add(1)
	return nil
}

// run calls the function and says what came of it, whatever way it ends.
func (t *Tool) run(ctx context.Context, arguments []byte, answer chan<- result) {
	defer t.running.Done()
	o := result{err: fmt.Errorf("cannot call %s: the function ended its goroutine", t.def.Name)}
	defer func() { answer <- o }()
	defer func() {
		if p := recover(); p != nil {
			text := fmt.Sprint(p)
			o = result{err: fmt.Errorf("cannot call %s: the function panicked: %s", t.def.Name, strings.ToValidUTF8(text[:min(len(text), maxPanic)], "?"))}
		}
	}()
	value, err := t.call(ctx, arguments)
	o = result{value, err}
	if err == nil { // here, so that a panic of a type's own marshalling is caught too
		o.value, o.err = t.value(value)
	}
}

// abandon leaves a call behind that does not end, and counts it until it does.
func (t *Tool) abandon(answer <-chan result, cause error) (any, error) {
	t.mu.Lock()
	t.left++
	t.mu.Unlock()
	go func() {
		<-answer
		t.mu.Lock()
		t.left--
		t.mu.Unlock()
	}()
	return nil, fmt.Errorf("cannot call %s: the function did not end in time: %w", t.def.Name, cause)
}

func (t *Tool) result(o result) (any, error) {
	var f *fault.Error
	switch {
	case o.err == nil:
		return o.value, nil
	case errors.As(o.err, &f), errors.Is(o.err, context.Canceled), errors.Is(o.err, context.DeadlineExceeded):
		return nil, o.err
	case strings.HasPrefix(o.err.Error(), "cannot call "+t.def.Name+": "):
		return nil, o.err
	}
	return nil, fmt.Errorf("cannot call %s: %w", t.def.Name, o.err)
}

// value turns what the function returned into a JSON value.
func (t *Tool) value(v any) (any, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("cannot call %s: its result is no JSON: %w", t.def.Name, err)
	}
	if int64(len(text)) > t.bound {
		return nil, fault.New(fault.Exhausted, "Ask for less.", "cannot call %s: its result has %s", t.def.Name, safetext.Over(int64(len(text)), int64(t.bound)))
	}
	value, err := jsondoc.Decode(text)
	if err != nil { // not a fault: the caller did nothing wrong
		return nil, fmt.Errorf("cannot call %s: its result is no JSON value: %s", t.def.Name, err)
	}
	return filled(value, t.def.Output.Type(), 0), nil
}

// filled puts empty lists and objects where Go wrote null for nil and the schema
// does not allow it.
func filled(v any, t *schema.Type, depth int) any {
	if t == nil || depth > jsondoc.MaxDepth {
		return v
	}
	switch v := v.(type) {
	case nil:
		switch {
		case t.Kinds.Has(schema.NullKind):
		case t.Kinds.Has(schema.ArrayKind):
			return []any{}
		case t.Kinds.Has(schema.ObjectKind) && len(t.Properties) == 0:
			return jsondoc.NewObject()
		}
	case []any:
		for i := range v {
			v[i] = filled(v[i], t.Items, depth+1)
		}
	case *jsondoc.Object:
		for name, member := range v.All() {
			inner := t.Additional
			if p, ok := t.Property(name); ok {
				inner = p.Type
			}
			if changed := filled(member, inner, depth+1); member == nil && changed != nil {
				v.Set(name, changed)
			}
		}
	}
	return v
}

// decode reads arguments into a Go value: nothing unknown, numbers exact.
func decode(text []byte, in any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	d.UseNumber()
	if err := d.Decode(in); err != nil {
		var wrong *json.UnmarshalTypeError
		if errors.As(err, &wrong) {
			return fmt.Errorf("%s: cannot be a %s of Go: %s", orWhole(wrong.Field), wrong.Type, wrong.Value)
		}
		return errors.New(strings.TrimPrefix(err.Error(), "json: "))
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("something stands behind the arguments")
	}
	return nil
}

func orWhole(field string) string {
	if field == "" {
		return "the arguments"
	}
	return "/" + strings.ReplaceAll(field, ".", "/")
}

// plain writes whole numbers in the one form that Go's integers are read from:
// 2.0 and 2e0 are the integer 2.
func plain(v any, depth int) any {
	if depth > jsondoc.MaxDepth {
		return v
	}
	switch v := v.(type) {
	case json.Number:
		return whole(v)
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = plain(v[i], depth+1)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for name := range v {
			out[name] = plain(v[name], depth+1)
		}
		return out
	case *jsondoc.Object:
		if v == nil {
			return nil
		}
		out := jsondoc.NewObject()
		for name, member := range v.All() {
			out.Set(name, plain(member, depth+1))
		}
		return out
	}
	return v
}

func whole(n json.Number) json.Number {
	if !strings.ContainsAny(string(n), ".eE") || len(n) > 60 {
		return n
	}
	if i := strings.IndexAny(string(n), "eE"); i >= 0 && len(n)-i > 4 {
		return n // hundreds of digits: no integer of Go holds it
	}
	r, ok := new(big.Rat).SetString(string(n))
	if !ok || !r.IsInt() || r.Num().BitLen() > 128 {
		return n
	}
	return json.Number(r.Num().String())
}
