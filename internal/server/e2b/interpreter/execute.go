package interpreter

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/app"
	"praxis/internal/language/python"
	"praxis/internal/safetext"
	"praxis/internal/server/e2b/target"
	"praxis/internal/server/live"
	"praxis/internal/server/observe"
)

// limits of an execution: a client ends it by going away, so there is the longest time that a session
// gives code. All output is streamed; the result has only the end of it.
const (
	longest = 24 * time.Hour
	shown   = 64 << 10 // bytes of output in the result
	columns = 80       // that values are printed for, as in a notebook
)

// task is what is to be executed, and where.
type task struct {
	code     live.Code
	context  string // its name in the session
	language string // of the code
	ran      int    // executions in the context before
	missing  bool   // there is no such context
}

// missing is how E2B's interpreter says that there is no context.
func missing(id string) string {
	return fmt.Sprintf("Context %s not found", safetext.Clip(safetext.Line(id), 80))
}

func (i *interpreter) execute(w http.ResponseWriter, r *http.Request) {
	b, err := i.resolve(r)
	seen := observe.From(r.Context())
	if err == nil && !b.Authorized {
		seen.Operation = "e2b.interpreter.execute"
		seen.Failed(fault.New(fault.Denied, "", "the sandbox needs its access token"))
		say(w, http.StatusUnauthorized, "Unauthorized")
		return
	}
	if err == nil {
		b, err = i.open(r, "execute", true)
	}
	var q execution
	if err == nil {
		err = read(w, r, b, func(data []byte) (err error) { q, err = decodeExecution(data); return err })
	}
	if err != nil {
		refuse(w, r, err)
		return
	}
	if q.Context != "" && q.Language != "" {
		const why = "Only one of context_id or language can be provided"
		seen.Failed(fault.New(fault.Invalid, "", why))
		say(w, http.StatusBadRequest, why)
		return
	}
	ctx, cancel := context.WithCancelCause(r.Context())
	defer cancel(nil)
	x, err := find(ctx, b, q)
	switch {
	case err != nil:
		refuse(w, r, err)
	case x.missing:
		seen.Failed(fault.New(fault.NotFound, "", "%s", missing(q.Context)))
		say(w, http.StatusNotFound, missing(q.Context))
	default:
		ended, err := i.stream(ctx, w, b, q, x, func() { cancel(errors.New("the client went away")) })
		if ctx.Err() == nil { // that the client is gone is its own affair
			seen.Failed(err)
		}
		if ended || context.Cause(ctx) == target.ErrOver {
			panic(http.ErrAbortHandler) // the clients tell by a broken answer that the sandbox is gone
		}
	}
}

// stream runs the code and writes what comes of it. ended says that the sandbox is gone; err is
// why the code did not run, which the client knows.
func (i *interpreter) stream(ctx context.Context, w http.ResponseWriter, b *target.Sandbox, q execution, x task, gone func()) (ended bool, err error) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Accel-Buffering", "no")
	w.WriteHeader(http.StatusOK)
	_ = http.NewResponseController(w).Flush()
	out := &lines{w: w, gone: gone, now: time.Now, last: time.Now()}
	defer out.alive(i.quiet)()
	give, waited, err := i.take(ctx, place{b.Tenant.Hub, b.ID, x.context})
	if err != nil && ctx.Err() != nil {
		return false, nil // nobody receives it
	}
	if err == nil {
		defer give()
	}
	if err == nil && waited { // how much ran is another number by now
		x, err = find(ctx, b, q)
		if err == nil && x.missing {
			err = fault.New(fault.NotFound, "", "cannot run the code: its context was removed")
		}
	}
	var end event.Execution
	if err == nil {
		out.put(countLine{"number_of_executions", x.ran + 1})
		if x.language == python.Name {
			x.code.File = cellName(x.ran + 1)
		}
		end, err = b.Tenant.Hub.Stream(ctx, b.ID, x.code, out)
	}
	if end.State == event.Gone || fault.CodeOf(err) == fault.SessionMissing {
		return true, nil
	}
	if err != nil {
		out.put(errorLine{"error", aborted, wordsOf(err), ""})
		out.put(typed{"end_of_execution"})
		return false, err
	}
	out.end(end, x.language)
	return false, nil
}

// alive writes keepalives until stop is called.
func (l *lines) alive(quiet time.Duration) (stop func()) {
	over, done := make(chan struct{}), make(chan struct{})
	go func() { // stop waits for it
		defer close(done)
		timer := time.NewTimer(quiet)
		defer timer.Stop()
		for {
			select {
			case <-over:
				return
			case <-timer.C:
				timer.Reset(l.still(quiet))
			}
		}
	}()
	return func() {
		close(over)
		<-done
	}
}

// find says what a request executes and where.
func find(ctx context.Context, b *target.Sandbox, q execution) (task, error) {
	x := task{code: live.Code{
		Text: *q.Code, Folder: Home, Rich: true, Unwatched: true,
		Bounds: event.Bounds{Timeout: event.Duration(longest), OutputBytes: shown, Whole: true, Columns: columns},
	}}
	x.code.Environ = maps.Clone(b.Environ)
	if x.code.Environ == nil {
		x.code.Environ = map[string]string{}
	}
	maps.Copy(x.code.Environ, q.Variables)
	err := b.Tenant.Hub.Use(ctx, b.ID, func(s *app.Session) error {
		list, err := s.Contexts(ctx)
		if err != nil {
			return err
		}
		return x.in(s, list, q)
	})
	if x.language == python.Name {
		x.code.Text = python.Interactive(x.code.Text)
	}
	return x, err
}

// in finds the context of a request in a session that has these.
func (x *task) in(s *app.Session, list []app.ContextInfo, q execution) error {
	at := func(name string) int {
		return slices.IndexFunc(list, func(c app.ContextInfo) bool { return c.Name == name })
	}
	byID := q.Context != ""
	if byID && at(q.Context) < 0 { // that of a language has not run anything yet
		l, err := s.Speaks(q.Context)
		if err != nil || own(s, l) != q.Context {
			x.missing = true
			return nil
		}
		q.Language, byID = l.Name, false
	}
	if !byID {
		l, err := speaks(s, cmp.Or(q.Language, s.Language().Name))
		if err != nil {
			return err
		}
		x.language, x.context, x.code.Language = l.Name, own(s, l), l.Name
		if n := at(x.context); n >= 0 {
			x.ran = list[n].Executions
		}
		return nil
	}
	c := list[at(q.Context)]
	x.context, x.code.Context, x.ran = c.Name, c.Name, c.Executions
	x.language = describe(s, c).Language
	x.code.Language = x.language
	if c.Name != own(s, s.Language()) && c.Folder != "" {
		x.code.Folder = c.Folder
	}
	return nil
}
