package python

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"praxis/fault"
	"praxis/internal/safetext"
	"praxis/internal/tool"
	"praxis/internal/tool/jsondoc"
)

// function is the implementation of one tool.
type function struct {
	cfg      Config
	src      *source
	name     string
	identity string
	most     int64         // bytes of a result
	turn     chan struct{} // who is in it may use what follows
	closing  chan struct{}
	once     sync.Once // closes closing

	box   Sandbox // nil: there is none
	calls int     // in this sandbox
	timer *time.Timer
	gone  bool // Close was called
}

func (f *function) Identity() string {
	if f.cfg.Image != nil {
		if digest := f.cfg.Image(f.src.Packages); digest != "" {
			return f.identity + " image " + digest
		}
	}
	return f.identity
}

// Close interrupts the call that runs and closes the sandbox.
func (f *function) Close() error {
	f.once.Do(func() { close(f.closing) })
	f.turn <- struct{}{}
	defer func() { <-f.turn }()
	f.gone = true
	if f.timer != nil {
		f.timer.Stop()
	}
	return f.drop()
}

// drop closes the sandbox.
func (f *function) drop() error {
	box := f.box
	f.box, f.calls = nil, 0
	if box == nil {
		return nil
	}
	if err := box.Close(); err != nil {
		return fmt.Errorf("cannot close the sandbox of %s: %w", f.name, err)
	}
	return nil
}

// rest closes a sandbox that is idle, unless a call has just begun.
func (f *function) rest() {
	select {
	case f.turn <- struct{}{}:
		// The process goes on without that sandbox whatever its end said.
		_ = f.drop()
		<-f.turn
	default:
	}
}

func (f *function) closed() error {
	return fault.New(fault.Unavailable, "", "cannot call %s: it is closed", f.name)
}

// whileOpen returns a context that Close ends, too.
func (f *function) whileOpen(ctx context.Context) (watch context.Context, done func()) {
	watch, stop := context.WithCancelCause(ctx)
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		select {
		case <-f.closing:
			stop(f.closed())
		case <-watch.Done():
		}
	}()
	return watch, func() { stop(nil); <-watched }
}

// Prepare opens the sandbox when there is none: its image may have to be made
// first. Where a call runs, there is one.
func (f *function) Prepare(ctx context.Context) error {
	ctx, done := f.whileOpen(ctx)
	defer done()
	select {
	case f.turn <- struct{}{}:
		defer func() { <-f.turn }()
	default:
		return nil
	}
	if f.gone {
		return f.closed()
	}
	if f.box != nil {
		return nil
	}
	if err := f.open(ctx); err != nil {
		_ = f.drop() // why it did not open is of more use
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return err
	}
	f.timer = time.AfterFunc(f.cfg.Idle, f.rest)
	return nil
}

// Call calls the function.
func (f *function) Call(ctx context.Context, c tool.Invocation) (any, error) {
	arguments, err := json.Marshal(c.Arguments)
	if err != nil {
		return nil, fmt.Errorf("cannot call %s: %w", f.name, err)
	}
	ctx, done := f.whileOpen(ctx)
	defer done()
	if f.src.Timeout > 0 {
		late := fault.New(fault.Exhausted, "Ask for less, or raise the timeout in the tool's file.", "cannot call %s: it took longer than %s", f.name, f.src.Timeout)
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, f.src.Timeout, late)
		defer cancel()
	}
	select {
	case f.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	defer func() { <-f.turn }()
	if f.gone {
		return nil, f.closed()
	}
	if f.timer != nil {
		f.timer.Stop()
	}
	value, err := f.call(ctx, arguments)
	if f.box != nil {
		f.timer = time.AfterFunc(f.cfg.Idle, f.rest)
	}
	return value, err
}

// call makes a call in the warm sandbox. One that did not end by itself takes its
// sandbox with it.
func (f *function) call(ctx context.Context, arguments []byte) (any, error) {
	answer, err := f.attempt(ctx, arguments)
	if err != nil {
		// Why the call failed is of more use than how its sandbox ended.
		_ = f.drop()
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, err
	}
	return f.read(answer)
}

// attempt runs the call and returns the file of its result. An error says that the
// sandbox is of no more use.
func (f *function) attempt(ctx context.Context, arguments []byte) ([]byte, error) {
	if err := f.open(ctx); err != nil {
		return nil, err
	}
	f.calls++
	folder, n := f.box.Folder()+"/tool", strconv.Itoa(f.calls)
	if err := f.box.WriteFile(ctx, folder+"/call-"+n+".json", arguments); err != nil {
		return nil, fmt.Errorf("cannot call %s: cannot write its arguments: %w", f.name, err)
	}
	if err := f.execute(ctx, "_praxis_tool.run("+n+", "+strconv.FormatInt(f.most, 10)+")"); err != nil {
		return nil, err
	}
	answer, err := f.box.ReadFile(ctx, folder+"/result-"+n+".json", f.most+8192*6)
	if err != nil {
		return nil, fmt.Errorf("cannot call %s: cannot read its result: %w", f.name, err)
	}
	return answer, nil
}

// open opens a sandbox and loads the file there, when there is none.
func (f *function) open(ctx context.Context) error {
	if f.box != nil {
		return nil
	}
	box, err := f.cfg.Open(ctx, Options{Tool: f.name, Packages: f.src.Packages, Memory: f.src.memory, Timeout: f.src.Timeout})
	if err != nil {
		return fmt.Errorf("cannot call %s: cannot open its sandbox: %w", f.name, err)
	}
	f.box = box
	folder := box.Folder() + "/tool"
	if err := box.WriteFile(ctx, folder+"/source.py", f.src.text); err != nil {
		return fmt.Errorf("cannot call %s: cannot write its file: %w", f.name, err)
	}
	module := strings.TrimSuffix(f.src.base, ".py")
	return f.execute(ctx, caller+"\n\n_praxis_tool = PraxisTool("+quoted(folder)+", "+quoted(f.src.base)+", "+quoted("praxis_tool_"+module)+", "+quoted(f.src.Function)+")\n")
}

func (f *function) execute(ctx context.Context, code string) error {
	out, err := f.box.Execute(ctx, code)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		return fmt.Errorf("cannot call %s: its sandbox ended: %w", f.name, err)
	case out.Limit:
		return fault.New(fault.Exhausted, "Ask for less, or raise the bound in the tool's file.", "cannot call %s: %s", f.name, safetext.Clip(out.Why, 500))
	case !out.OK:
		return fmt.Errorf("cannot call %s: %s", f.name, safetext.Clip(out.Why, 500))
	}
	return nil
}

// quoted writes a text as a Python literal: JSON's strings are Python's.
func quoted(s string) string {
	b, _ := json.Marshal(s) // a text always has a JSON form
	return string(b)
}

// read reads the file of a result.
func (f *function) read(data []byte) (any, error) {
	odd := func(why string) error {
		return fmt.Errorf("cannot call %s: its sandbox gave no result: %s", f.name, why)
	}
	v, err := jsondoc.Decode(data)
	if err != nil {
		return nil, odd(err.Error())
	}
	o, ok := v.(*jsondoc.Object)
	if !ok {
		return nil, odd("no object")
	}
	if n, _ := o.Get("call"); n != json.Number(strconv.Itoa(f.calls)) {
		return nil, odd("it is another call's")
	}
	if value, ok := o.Get("value"); ok {
		if int64(len(data)) > f.most+100 {
			return nil, f.large(int64(len(data)))
		}
		return value, nil
	}
	if size, ok := o.Get("large"); ok {
		n, err := strconv.ParseInt(fmt.Sprint(size), 10, 64)
		if err != nil || n <= f.most { // nothing that the caller wrote
			n = f.most + 1
		}
		return nil, f.large(n)
	}
	e, _ := o.Get("error")
	raised, ok := e.(*jsondoc.Object)
	if !ok {
		return nil, odd("neither a value nor an error")
	}
	text := func(name string) string {
		v, _ := raised.Get(name)
		s, _ := v.(string)
		return s
	}
	message := safetext.Clip(text("type"), 200)
	if m := safetext.Clip(text("message"), 4000); m != "" {
		message += ": " + m
	}
	if line, ok := raised.Get("line"); ok {
		if n, ok := line.(json.Number); ok && n != "0" {
			message += " (" + f.src.base + ", line " + safetext.Clip(n.String(), 20) + ")"
		}
	}
	return nil, tool.Raised{Type: safetext.Clip(text("type"), 200), Err: fmt.Errorf("cannot call %s: %s", f.name, message)}
}

func (f *function) large(size int64) error {
	return fault.New(fault.Exhausted, "Ask for less.", "cannot call %s: its result has %s", f.name, safetext.Over(size, f.most))
}
