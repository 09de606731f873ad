package session

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/guest"
	"praxis/internal/guest/wire"
	"praxis/internal/image"
	"praxis/internal/safetext"
)

const (
	// stepTime bounds one step of a build, and layerTime what is read of it.
	stepTime  = time.Hour
	layerTime = 30 * time.Minute
	// shell runs steps and start programs.
	shell = "/bin/sh"
	// sourceDate is the time that compilers and archivers write, in SOURCE_DATE_EPOCH.
	sourceDate = "315532800"
	// startLog is where a start program's output goes: nobody reads a pipe after a restore.
	startLog  = "/tmp/praxis-start.log"
	tailBytes = 4 << 10
)

// Builder is a session in which the steps of a build run, as the root of its sandbox. It
// is not saved: when it ends, nothing of it is left but the layers that were read.
type Builder struct {
	l    *live
	free func()
}

// OpenBuilder begins a session of the image in opt for steps. They reach
// nothing before [Builder.Expose].
func (m *Manager) OpenBuilder(ctx context.Context, opt Options, sink event.Sink) (*Builder, error) {
	free, err := m.reserve()
	if err != nil {
		return nil, err
	}
	sink.Emit(event.Progress{Stage: "build", Text: "starting a session for the steps"})
	opt = opt.withDefaults()
	opt.build = true
	l, err := m.boot(ctx, opt)
	if err != nil {
		free()
		return nil, err
	}
	b := &Builder{l, free}
	if err := l.client.NoteLayer(ctx); err != nil {
		return nil, errors.Join(b.explain(err), b.Close())
	}
	return b, nil
}

// Close ends the session. It may be called twice.
func (b *Builder) Close() error {
	err := b.l.close()
	if b.free != nil {
		b.free()
		b.free = nil
	}
	return err
}

// explain says why the sandbox ended, when that is why something failed.
func (b *Builder) explain(err error) error {
	if err != nil && broken(b.l) {
		return fault.New(fault.Exhausted, "Let the step do with less, or give sessions more.", "the sandbox of the step ended: %s", safetext.OneLine(b.l.exit().Message, 400))
	}
	return err
}

// Expose lets the steps connect to what h answers, from now on.
func (b *Builder) Expose(ctx context.Context, environ map[string]string, h guest.Host) error {
	return b.explain(b.l.client.Expose(ctx, wire.Exposure{Net: true, Environ: environ}, h))
}

// WriteFile puts a file into the session.
func (b *Builder) WriteFile(ctx context.Context, name string, from io.Reader) error {
	_, err := b.l.client.WriteFile(ctx, name, from, 0o644)
	return b.explain(err)
}

// StepEnd is how a step ended.
type StepEnd struct {
	Code int    // 0: well; -1: a signal ended it
	Why  string // "", or what ended it
	Tail string // of its output
}

// Run runs a command of the shell. Its output goes to sink.
func (b *Builder) Run(ctx context.Context, command string, sink event.Sink) (StepEnd, error) {
	end, err := b.run(ctx, wire.Process{
		Argv: []string{shell, "-ec", command}, Root: true,
		Env: map[string]string{"HOME": "/root", "USER": "root", "LOGNAME": "root", "DEBIAN_FRONTEND": "noninteractive", "SOURCE_DATE_EPOCH": sourceDate},
	}, sink)
	return end, b.explain(err)
}

func (b *Builder) run(ctx context.Context, args wire.Process, sink event.Sink) (StepEnd, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, stepTime, fault.New(fault.Exhausted, "Split the step.", "the step took longer than %s", stepTime))
	defer cancel()
	return runProcess(ctx, b.l.client, args, sink)
}

// runProcess runs a program to its end, and keeps the last of its output.
func runProcess(ctx context.Context, c *guest.Client, args wire.Process, sink event.Sink) (StepEnd, error) {
	t := &tailSink{sink: sink}
	p, err := c.Start(ctx, args, t)
	if err != nil {
		return StepEnd{}, err
	}
	exit, err := p.Wait(ctx)
	if err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return StepEnd{Tail: t.text()}, err
	}
	out := StepEnd{Code: exit.Code, Why: exit.Reason, Tail: t.text()}
	if exit.Signal > 0 && out.Why == "" {
		out.Why = fmt.Sprintf("signal %d ended it", exit.Signal)
	}
	return out, nil
}

// Layer writes what the steps since the last one changed in the root file system, as a
// layer. What still runs is ended first.
func (b *Builder) Layer(ctx context.Context, w io.Writer) error {
	ctx, cancel := context.WithTimeoutCause(ctx, layerTime, fault.New(fault.Exhausted, "Let the step write less.", "the layer could not be read within %s", layerTime))
	defer cancel()
	return b.explain(b.l.client.Layer(ctx, w))
}

// tailSink keeps the last of what a program wrote.
type tailSink struct {
	sink event.Sink
	mu   sync.Mutex
	last []byte
}

// Emit takes output, and hands it on.
func (t *tailSink) Emit(e event.Event) {
	if o, ok := e.(event.Output); ok {
		t.mu.Lock()
		t.last = append(t.last, o.Data...)
		if over := len(t.last) - tailBytes; over > 0 {
			t.last = append([]byte(nil), t.last[over:]...)
		}
		t.mu.Unlock()
	}
	t.sink.Emit(e)
}

func (t *tailSink) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return lastLines(t.last)
}

// lastLines is the end of some output, for a message.
func lastLines(text []byte) string {
	lines := bytes.Split(bytes.TrimSpace(bytes.ToValidUTF8(text, []byte("?"))), []byte("\n"))
	var out []string
	for _, line := range lines[max(0, len(lines)-12):] {
		out = append(out, safetext.OneLine(string(line), 300))
	}
	return strings.TrimSpace(strings.Join(out, "\n"))
}

// start starts the program that every session of an image has, in a template, and waits
// until it is ready.
func (l *live) start(ctx context.Context, s *image.Start, sink event.Sink) error {
	sink.Emit(event.Progress{Stage: "template", Text: "starting " + safetext.OneLine(s.Command, 100)})
	cause := errors.New("it was not ready in time")
	ctx, cancel := context.WithTimeoutCause(ctx, s.Wait, cause)
	defer cancel()
	p, err := l.client.Start(ctx, wire.Process{Argv: []string{shell, "-c", "exec >" + startLog + " 2>&1\n" + s.Command}}, event.Discard)
	if err != nil {
		return l.notReady(s, "it cannot be started: "+err.Error())
	}
	ended := make(chan wire.Exit, 1)
	waiting, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		if exit, err := p.Wait(waiting); err == nil {
			ended <- exit
		}
	}()
	for {
		ready, err := l.ready(ctx, s)
		if err == nil && ready {
			select {
			case exit := <-ended: // another one takes connections
				return l.notReady(s, endOf(exit))
			default:
				return nil
			}
		}
		select {
		case exit := <-ended:
			return l.notReady(s, endOf(exit))
		case <-ctx.Done():
			if context.Cause(ctx) == cause {
				return l.notReady(s, fmt.Sprintf("it was not ready within %s", s.Wait))
			}
			return fault.New(fault.Canceled, "", "cannot start the program of the image: %w", context.Cause(ctx))
		case <-l.client.Done():
			return fault.New(fault.Exhausted, "Let it do with less.", "cannot start the program of the image: the sandbox ended: %s", safetext.OneLine(l.exit().Message, 400))
		case <-time.After(100 * time.Millisecond):
		}
	}
}

func endOf(exit wire.Exit) string {
	if exit.Signal > 0 {
		return fmt.Sprintf("signal %d ended it", exit.Signal)
	}
	return fmt.Sprintf("it ended with the exit code %d", exit.Code)
}

// ready looks once.
func (l *live) ready(ctx context.Context, s *image.Start) (bool, error) {
	if s.Port > 0 {
		err := l.client.Dial(ctx, s.Port)
		return err == nil, err
	}
	end, err := runProcess(ctx, l.client, wire.Process{Argv: []string{shell, "-c", s.Check}}, event.Discard)
	return err == nil && end.Code == 0, err
}

// notReady is the fault of a start program, with the end of its output.
func (l *live) notReady(s *image.Start, why string) error {
	ctx, cancel := context.WithTimeout(context.Background(), l.waits.Wake)
	defer cancel()
	log := &boundedTail{}
	said := ""
	if _, err := l.client.ReadFile(ctx, startLog, log); err == nil {
		if said = lastLines(log.b); said != "" {
			said = ". It wrote:\n" + said
		}
	}
	return fault.New(fault.Invalid, "Mend its command, or how it is known to be ready.", "cannot start the program of the image (%s): %s%s", safetext.OneLine(s.Command, 200), why, said)
}

// maxStartLog bounds what is read of a start program's output.
const maxStartLog = 16 << 20

// boundedTail keeps the last of what is written.
type boundedTail struct {
	b []byte
	n int
}

// Write keeps the end.
func (t *boundedTail) Write(p []byte) (int, error) {
	if t.n += len(p); t.n > maxStartLog {
		return 0, errors.New("the output is too long")
	}
	if t.b = append(t.b, p...); len(t.b) > 2*tailBytes {
		t.b = append([]byte(nil), t.b[len(t.b)-tailBytes:]...)
	}
	return len(p), nil
}
