package kind

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"syscall"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/guest"
	"praxis/internal/guest/wire"
	"praxis/internal/image"
	"praxis/internal/session"
	"praxis/internal/tool/kind/mcp"
	"praxis/internal/tool/kind/python"
)

// sandboxes makes sandboxes for tools: sessions of their own, never the
// caller's. They are as bounded as any session, and have no network.
type sandboxes struct {
	open Sandboxes
	sink event.Sink

	mu     sync.Mutex
	images map[string]string // IDs of the images that were used, by their names
}

var _ mcp.Launcher = (*sandboxes)(nil)

func (t *sandboxes) session(ctx context.Context, packages []string, memory int64) (*session.Session, error) {
	images, sessions, err := t.open(ctx)
	if err != nil {
		return nil, err
	}
	img, err := images.Resolve(ctx, image.Request{With: packages}, t.sink)
	if err != nil {
		return nil, err
	}
	t.mu.Lock()
	if t.images == nil {
		t.images = map[string]string{}
	}
	t.images[img.Name] = img.ID
	t.mu.Unlock()
	return sessions.Create(ctx, session.Options{Image: img, Limits: event.Limits{Memory: memory}}, t.sink)
}

// image is the digest of the image with these packages, "" as long as no call
// needed it.
func (t *sandboxes) image(packages []string) string {
	name, err := image.Request{With: packages}.Name()
	if err != nil {
		return ""
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.images[name]
}

// python opens a sandbox for a function.
func (t *sandboxes) python(ctx context.Context, o python.Options) (python.Sandbox, error) {
	s, err := t.session(ctx, o.Packages, o.Memory)
	if err != nil {
		return nil, err
	}
	return &toolSession{Session: s, timeout: o.Timeout}, nil
}

// toolSession is a session that a function runs in.
type toolSession struct {
	*session.Session
	timeout time.Duration
}

var _ python.Sandbox = (*toolSession)(nil)

// Folder is the session's working folder.
func (s *toolSession) Folder() string { return wire.DefaultWorkdir }

// Execute runs code and says how it ended.
func (s *toolSession) Execute(ctx context.Context, code string) (python.Status, error) {
	x, err := s.Session.Execute(ctx, code, session.Exec{Bounds: event.Bounds{Timeout: event.Duration(s.timeout)}}, event.Discard)
	if err != nil {
		return python.Status{}, err
	}
	if x.State != event.Intact { // what the function left in memory is gone
		return python.Status{}, errors.New(ending(x))
	}
	out := python.Status{OK: x.Status == event.OK}
	switch x.Status {
	case event.OK:
	case event.Timeout, event.Memory, event.OutputLimit, event.Killed:
		out.Limit, out.Why = true, x.Status.String()
		if x.Message != "" {
			out.Why += ": " + x.Message
		}
	default:
		out.Why = x.Status.String()
		if x.Error != nil {
			out.Why = x.Error.Name + ": " + x.Error.Value
		}
	}
	return out, nil
}

// ending says why an execution took the sandbox with it. What a session would say
// of its variables means nothing to who calls a tool.
func ending(x event.Execution) string {
	why, _, _ := strings.Cut(x.Message, ";")
	if why == "" {
		return x.Status.String()
	}
	return why
}

// WriteFile writes a file into the session.
func (s *toolSession) WriteFile(ctx context.Context, name string, data []byte) error {
	return s.Use(ctx, func(c *guest.Client) error {
		_, err := c.WriteFile(ctx, name, bytes.NewReader(data), 0o644)
		return err
	})
}

// ReadFile reads a file of at most most bytes out of the session.
func (s *toolSession) ReadFile(ctx context.Context, name string, most int64) ([]byte, error) {
	var buf bytes.Buffer
	err := s.Use(ctx, func(c *guest.Client) error {
		_, err := c.ReadFile(ctx, name, &boundedWriter{w: &buf, left: most})
		return err
	})
	return buf.Bytes(), err
}

// boundedWriter refuses more bytes than its bound.
type boundedWriter struct {
	w    io.Writer
	left int64
}

func (b *boundedWriter) Write(p []byte) (int, error) {
	if int64(len(p)) > b.left {
		return 0, errors.New("the file is too long")
	}
	b.left -= int64(len(p))
	return b.w.Write(p)
}

// Launch starts the program of an MCP server in a session of its own.
func (t *sandboxes) Launch(ctx context.Context, p mcp.Program) (mcp.Process, error) {
	if p.Image != "" {
		return nil, fault.New(fault.Invalid, "Leave image out, and name packages.", "cannot start the server: there is no image %s", p.Image)
	}
	s, err := t.session(ctx, p.Packages, 0)
	if err != nil {
		return nil, err
	}
	proc := &launched{s: s, ended: make(chan struct{})}
	proc.out, proc.outEnd = io.Pipe()
	proc.errs, proc.errsEnd = io.Pipe()
	err = s.Use(ctx, func(c *guest.Client) error {
		if p.Dir != "" {
			if err := copyFolder(ctx, c, p.Dir); err != nil {
				return err
			}
		}
		proc.p, err = c.Start(ctx, wire.Process{Argv: p.Argv, Env: p.Env, Stdin: true}, event.SinkFunc(proc.take))
		return err
	})
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	go proc.wait()
	return proc, nil
}

// launched is a program in a session of its own.
type launched struct {
	s       *session.Session
	p       *guest.Process
	out     *io.PipeReader
	outEnd  *io.PipeWriter
	errs    *io.PipeReader
	errsEnd *io.PipeWriter
	ended   chan struct{}
	once    sync.Once
}

var _ mcp.Process = (*launched)(nil)

// take passes on what the program writes. A reader that is slow slows the program.
func (l *launched) take(e event.Event) {
	o, ok := e.(event.Output)
	if !ok {
		return
	}
	to := l.outEnd
	if o.Stream == event.Stderr {
		to = l.errsEnd
	}
	_, _ = to.Write(o.Data) // it fails when nobody reads any more
}

// wait ends the streams when the program does.
func (l *launched) wait() {
	defer close(l.ended)
	_, err := l.p.Wait(context.Background())
	if err == nil {
		err = io.EOF
	}
	_ = l.outEnd.CloseWithError(err) // never fails
	_ = l.errsEnd.CloseWithError(err)
}

// Stdin is the program's standard input.
func (l *launched) Stdin() io.WriteCloser { return l.p.Stdin() }

// Stdout is the program's standard output.
func (l *launched) Stdout() io.ReadCloser { return l.out }

// Stderr is the program's standard error.
func (l *launched) Stderr() io.ReadCloser { return l.errs }

// Stop ends the program, and the session that it is alone in.
func (l *launched) Stop(grace time.Duration) {
	l.once.Do(func() {
		_ = l.p.Stdin().Close() // the session's end does the rest
		timer := time.NewTimer(grace)
		defer timer.Stop()
		select {
		case <-l.ended:
		case <-timer.C:
			ctx, cancel := context.WithTimeout(context.Background(), time.Second)
			_ = l.p.Signal(ctx, int(syscall.SIGKILL))
			cancel()
		}
		_ = l.out.Close()
		_ = l.errs.Close()
		_ = l.s.Close()
		<-l.ended
	})
}
