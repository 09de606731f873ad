package guest

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path"
	"strings"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/guest/wire"
	"praxis/internal/safetext"
)

const (
	// outputSlack is how much output may come over the bound that was asked for.
	outputSlack = 64 << 10
	// maxShown bounds the displays of an execution together, in bytes.
	maxShown = 64 << 20
)

// Setup prepares the session and returns when the kernel of the context "main"
// is ready. A module of its Preload that cannot be imported is a fault, and the
// session works without it.
func (c *Client) Setup(ctx context.Context, s wire.Setup) error {
	r, err := roundTrip[wire.SetupReply](ctx, c, "set up session", wire.OpSetup, s)
	if err != nil {
		return err
	}
	c.mu.Lock()
	c.workdir = s.Workdir
	c.mu.Unlock()
	if len(s.Kernels) == 0 {
		return nil
	}
	for _, mod := range s.Kernels[0].Preload { // in the order that was asked for
		if why, failed := r.PreloadErrors[mod]; failed {
			return fault.New(fault.Invalid, "Build the image with the package.", "cannot preload %s: %s", mod, line(why, maxMessage))
		}
	}
	return nil
}

// Execute runs code and returns how it ended. What the code prints and shows
// goes to sink as it comes, from this goroutine. When ctx is done the code is
// interrupted, and the result says so. Exec names the execution for Attach; it
// is made up when empty.
func (c *Client) Execute(ctx context.Context, args wire.Execute, sink event.Sink) (event.Execution, error) {
	const what = "execute"
	if len(args.Code) > wire.MaxCode {
		return event.Execution{}, fault.New(fault.Invalid, "Put the data in a file of the session.", "cannot execute: the code has %d bytes, the limit is %d", len(args.Code), wire.MaxCode)
	}
	if args.WallMS < 0 || args.CPUMS < 0 || args.OutputBytes < 0 || args.OutputBytes > wire.MaxOutput {
		return event.Execution{}, fault.New(fault.Invalid, "", "cannot execute: a limit is out of range")
	}
	if args.OutputBytes == 0 {
		args.OutputBytes = wire.DefaultOutput
	}
	if args.Exec == "" {
		args.Exec = newName()
	}
	f := newFollowed(c, args.Exec, args.OutputBytes, sink)
	f.changes, f.stamped = args.Changes, args.Stamps
	if args.Whole {
		f.output.bound(args.OutputBytes)
		f.bound = math.MaxInt64 - outputSlack
	}
	k, err := c.openSoon(ctx, what, wire.OpExecute, args)
	if err != nil {
		return event.Execution{}, err
	}
	x, err := f.follow(ctx, what, k)
	if fault.KindOf(err) != fault.Canceled || ctx.Err() == nil {
		return x, err
	}
	return f.stop(what, args.Context)
}

// Attach follows an execution from the event after the number after, and
// returns how it ended. 0 follows from the beginning. When ctx is done the
// execution goes on.
func (c *Client) Attach(ctx context.Context, exec string, after uint64, sink event.Sink) (event.Execution, error) {
	const what = "attach to execution"
	f := newFollowed(c, exec, wire.MaxOutput, sink)
	f.seq, f.changes, f.stamped = after, true, true // whoever began it may have asked for them
	k, err := c.openSoon(ctx, what, wire.OpAttach, wire.Attach{Exec: exec, After: after})
	if err != nil {
		return event.Execution{}, err
	}
	x, err := f.follow(ctx, what, k)
	if fault.KindOf(err) == fault.Canceled {
		f.k.abandon()
	}
	return x, err
}

// newName makes up a name that no execution or process of any fork has.
func newName() string { return "x" + strings.ToLower(rand.Text()) }

// openSoon sends a request that may go on through a checkpoint, once the stream is open.
func (c *Client) openSoon(ctx context.Context, what, op string, args any) (*call, error) {
	for {
		end, err := c.begin(ctx, what, false)
		if err != nil {
			return nil, err
		}
		k, err := c.open(ctx, op, args)
		end()
		if !errors.Is(err, errQuiet) {
			return k, err
		}
	}
}

// followed is an execution as it is followed.
type followed struct {
	c     *Client
	k     *call
	exec  string
	bound int64 // bytes of output
	sink  event.Sink

	changes bool // the result may list changed files
	stamped bool // the result may have stamps
	stamps  *wire.Stamps

	seq      uint64
	part     []byte
	shown    int
	displays []event.Bundle
	output   capture
	size     int64
}

func newFollowed(c *Client, exec string, bound int64, sink event.Sink) *followed {
	if sink == nil {
		sink = event.Discard
	}
	return &followed{c: c, exec: exec, bound: bound, sink: sink}
}

// follow takes events until the response. A reopened stream is followed again
// from where it was. After a cancellation f.k is still open.
func (f *followed) follow(ctx context.Context, what string, k *call) (event.Execution, error) {
	f.k = k
	for {
		frame, err := f.k.next(ctx, what)
		if errors.Is(err, errLost) {
			f.part = nil
			again, err := f.c.openSoon(ctx, what, wire.OpAttach, wire.Attach{Exec: f.exec, After: f.seq})
			if err != nil {
				return event.Execution{}, err
			}
			f.k = again
			continue
		}
		if err != nil {
			return event.Execution{}, err
		}
		switch frame.Kind {
		case wire.Response:
			x, err := f.finish(frame.Body)
			if err != nil {
				return event.Execution{}, f.c.reject(what, err)
			}
			return x, nil
		case wire.Failure:
			return event.Execution{}, f.c.failure(what, frame.Body)
		}
		if err := f.take(frame); err != nil {
			return event.Execution{}, f.c.reject(what, err)
		}
	}
}

// stop interrupts the execution and waits for its end.
func (f *followed) stop(what, name string) (event.Execution, error) {
	ctx, cancel := context.WithTimeoutCause(context.Background(), f.c.waits.Stop, errNoStop)
	defer cancel()
	// By name, so that the next execution is not hit when this one just ended.
	var x event.Execution
	_, err := roundTrip[struct{}](ctx, f.c, "interrupt", wire.OpInterrupt, wire.Interrupt{Context: name, Exec: f.exec})
	if err == nil {
		x, err = f.follow(ctx, what, f.k)
	}
	if err != nil {
		f.k.abandon()
	}
	if fault.KindOf(err) == fault.Canceled {
		return event.Execution{}, fault.New(fault.Unavailable, "Restart the context or close the session.", "cannot stop execution: %w", errNoStop)
	}
	return x, err
}

var errNoStop = errors.New("the guest did not stop it in time")

func (f *followed) take(frame wire.Frame) error {
	switch frame.Kind {
	case wire.Part:
		if len(f.part)+len(frame.Body) > wire.MaxMessage {
			return violation("a message of more than %d bytes", wire.MaxMessage)
		}
		f.part = append(f.part, frame.Body...)
		return nil
	case wire.Output:
		seq, stream, data, err := wire.ParseOutput(frame.Body)
		if err != nil {
			return violation("%v", err)
		}
		if err := f.step(seq); err != nil {
			return err
		}
		if f.size += int64(len(data)); len(data) == 0 || f.size > f.bound+outputSlack {
			return violation("more output than was asked for, or none")
		}
		f.output.add(event.Stream(stream), data)
		f.sink.Emit(event.Output{Stream: event.Stream(stream), Data: data})
		return nil
	case wire.Event:
		return f.takeEvent(frame.Body)
	}
	return violation("%s for an execution", frame.Kind)
}

// step checks that the log comes without gaps and repetitions.
func (f *followed) step(seq uint64) error {
	if seq != f.seq+1 || f.part != nil {
		return violation("event %d after event %d", seq, f.seq)
	}
	f.seq = seq
	return nil
}

// whole joins the parts that came before with the end of a message.
func (f *followed) whole(body []byte) ([]byte, error) {
	if f.part == nil {
		return body, nil
	}
	if len(f.part)+len(body) > wire.MaxMessage {
		return nil, violation("a message of more than %d bytes", wire.MaxMessage)
	}
	text := append(f.part, body...)
	f.part = nil
	return text, nil
}

func (f *followed) takeEvent(body []byte) error {
	text, err := f.whole(body)
	if err != nil {
		return err
	}
	var e wire.ExecEvent
	if err := json.Unmarshal(text, &e); err != nil {
		return violation("an event that cannot be read")
	}
	if err := f.step(e.Seq); err != nil {
		return err
	}
	switch e.Type {
	case wire.EventDisplay:
		if err := e.Bundle.Check(); err != nil {
			return violation("%v", err)
		}
		for k, v := range e.Bundle {
			f.shown += len(k) + len(v)
		}
		if len(e.Bundle) == 0 || len(f.displays) > wire.MaxDisplays || f.shown > maxShown {
			return violation("too many displays, or an empty one")
		}
		f.displays = append(f.displays, event.Bundle(e.Bundle))
		f.sink.Emit(event.Display{Bundle: event.Bundle(e.Bundle)})
		return nil
	case wire.EventCut:
		if e.Stdout < 0 || e.Stderr < 0 || e.File != "" && !goodPath(e.File) {
			return violation("a cut that cannot be")
		}
		f.mark(event.Stdout, e.Stdout, e.File)
		f.mark(event.Stderr, e.Stderr, e.File)
		return nil
	}
	return violation("an event of a type that does not exist")
}

// mark says in a stream how much of it was left out.
func (f *followed) mark(s event.Stream, n int64, file string) {
	if n == 0 {
		return
	}
	text := leftOut(n)
	if file != "" {
		text = fmt.Sprintf("\n… [%d bytes left out; the whole is in %s] …\n", n, file)
	}
	f.output.leaveOut(s, n, text)
	if f.output.bounded { // what gets all of a stream gets nothing else in it
		s = event.Stderr
	}
	f.sink.Emit(event.Output{Stream: s, Data: []byte(text)})
}

// goodPath reports whether a path of the guest's can be shown and sent back.
func goodPath(p string) bool {
	return len(p) <= wire.MaxPath && path.IsAbs(p) && path.Clean(p) == p && line(p, wire.MaxPath) == p && !strings.ContainsAny(p, "\n\t")
}

// finish reads the result.
func (f *followed) finish(body []byte) (event.Execution, error) {
	var none event.Execution
	text, err := f.whole(body)
	if err != nil {
		return none, err
	}
	var e wire.Executed
	if err := json.Unmarshal(text, &e); err != nil {
		return none, violation("a status report that cannot be read")
	}
	x := event.Execution{
		Message: line(e.Message, maxMessage),
		Result:  event.Bundle(e.Result), Displays: f.displays, OutputFile: e.OutputFile,
		Usage: event.Usage{WallMS: e.WallMS, CPUMS: e.CPUMS, PeakMemoryBytes: e.PeakMemoryBytes},
	}
	f.output.into(&x)
	if err := x.Status.UnmarshalText([]byte(safetext.Clip(e.Status, 32))); err != nil || x.Status == 0 {
		return none, violation("a status report with a status that does not exist")
	}
	// The guest cannot know of snapshots, so it cannot say "restored" or "gone".
	if x.State = event.State(e.State); x.State != event.Intact && x.State != event.Lost {
		return none, violation("a status report with a state that does not exist")
	}
	if x.Limit = event.Limit(e.Limit); x.Limit != "" && !x.Limit.Valid() {
		return none, violation("a status report with a limit that does not exist")
	}
	if err := e.Result.Check(); err != nil {
		return none, violation("%v", err)
	}
	if !plausible(e.WallMS) || !plausible(e.CPUMS) || e.PeakMemoryBytes < 0 || e.PeakMemoryBytes > 1<<50 {
		return none, violation("a status report with an impossible usage")
	}
	if e.OutputFile != "" && !goodPath(e.OutputFile) {
		return none, violation("a status report with an impossible path")
	}
	if len(e.StateNote) > wire.MaxUnlisted || !wire.Showable(e.StateNote) {
		return none, violation("a note about the state that is too long, or no line")
	}
	if strings.Contains(x.Message, e.StateNote) {
		x.StateNote = e.StateNote
	}
	if x.Changes, x.Unlisted, err = f.changed(e); err != nil {
		return none, err
	}
	if f.stamps = e.Stamps; f.stamps != nil && !f.stamped {
		return none, violation("stamps that nobody asked for")
	}
	if r := e.Error; r != nil {
		if len(r.Name) > 1<<10 || len(r.Value) > 2*wire.MaxText || len(r.Traceback) > 2*wire.MaxTraceback || len(r.Hint) > wire.MaxHint+8 {
			return none, violation("an exception that is too long")
		}
		x.Error = &event.Raised{Name: line(r.Name, 256), Value: r.Value, Traceback: r.Traceback, Hint: line(r.Hint, wire.MaxHint)}
	}
	return x, nil
}

// changed reads what a result says of changed files.
func (f *followed) changed(e wire.Executed) ([]event.Change, string, error) {
	if !f.changes && (len(e.Changes) > 0 || e.Unlisted != "") {
		return nil, "", violation("changes that nobody asked for")
	}
	if len(e.Unlisted) > wire.MaxUnlisted || !wire.Showable(e.Unlisted) {
		return nil, "", violation("a word about changes that is too long, or no line")
	}
	f.c.mu.Lock()
	dir := f.c.workdir
	f.c.mu.Unlock()
	if err := e.Changes.Check(dir); err != nil {
		return nil, "", violation("%v", err)
	}
	var all []event.Change
	for _, c := range e.Changes {
		all = append(all, event.Change{Path: c.Path, Kind: c.Kind, Bytes: c.Bytes, SHA256: c.SHA256})
	}
	return all, e.Unlisted, nil
}

func plausible(ms float64) bool { return !math.IsNaN(ms) && ms >= 0 && ms <= 1e15 }

// Interrupt begins to stop what runs in a context; an idle one is left alone.
func (c *Client) Interrupt(ctx context.Context, name string) error {
	_, err := roundTrip[struct{}](ctx, c, "interrupt", wire.OpInterrupt, wire.Interrupt{Context: name})
	return err
}

// Restart ends a context's kernel and returns when another is ready. Variables are lost.
func (c *Client) Restart(ctx context.Context, name string) error {
	_, err := roundTrip[struct{}](ctx, c, "restart context", wire.OpRestart, wire.Context{Context: name})
	return err
}

// Contexts lists the contexts, sorted by name.
func (c *Client) Contexts(ctx context.Context) ([]wire.ContextInfo, error) {
	const what = "list contexts"
	r, err := roundTrip[wire.Contexts](ctx, c, what, wire.OpContexts, nil)
	if err != nil {
		return nil, err
	}
	for _, i := range r.Contexts {
		switch i.State {
		case "starting", "idle", "busy", "dead":
		default:
			return nil, c.reject(what, violation("a context in a state that does not exist"))
		}
		if !wire.ValidName(i.Name) || !wire.ValidLanguage(i.Language) || i.PID < 0 || i.Execution != "" && !wire.ValidName(i.Execution) || line(i.Version, 256) != i.Version || line(i.Lost, 1024) != i.Lost || i.Folder != "" && !goodPath(i.Folder) || i.Executions < 0 {
			return nil, c.reject(what, violation("a context that cannot be"))
		}
	}
	return r.Contexts, nil
}

// RemoveContext ends a context. The context "main" cannot be removed.
func (c *Client) RemoveContext(ctx context.Context, name string) error {
	_, err := roundTrip[struct{}](ctx, c, "remove context", wire.OpDrop, wire.Context{Context: name})
	return err
}

// Rehearse has the kernel of the context "main" go the way of an execution, so that the
// guest's memory is ready for the first one. Nothing of it can be seen afterwards.
func (c *Client) Rehearse(ctx context.Context) error {
	const what = "rehearse"
	out, err := roundTrip[wire.Executed](ctx, c, what, wire.OpRehearse, wire.Context{})
	if err == nil && out.Status != event.OK.String() {
		err = fmt.Errorf("cannot %s: it ended as %s: %s", what, line(out.Status, wire.MaxName), line(out.Message, maxMessage))
	}
	return err
}

// Complete asks a context's kernel for completions of code at a cursor, in code points.
func (c *Client) Complete(ctx context.Context, name, code string, cursor int) (wire.Completion, error) {
	const what = "complete"
	size := len([]rune(code))
	if cursor < 0 || cursor > size || len(code) > wire.MaxCode {
		return wire.Completion{}, fault.New(fault.Invalid, "", "cannot complete: the cursor is not in the code, or the code is too long")
	}
	r, err := roundTrip[wire.Completion](ctx, c, what, wire.OpComplete, wire.Complete{Context: name, Code: code, Cursor: cursor})
	if err != nil {
		return r, err
	}
	if r.Start < 0 || r.End < r.Start || r.End > size || len(r.Matches) > wire.MaxMatches {
		return wire.Completion{}, c.reject(what, violation("a completion that does not fit the code"))
	}
	for i, m := range r.Matches {
		r.Matches[i] = line(m, 2<<10)
	}
	return r, nil
}
