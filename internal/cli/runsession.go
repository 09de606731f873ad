package cli

import (
	"context"
	"errors"
	"io"
	"path"

	"praxis/event"
	"praxis/internal/agent"
	"praxis/internal/egress"
	"praxis/internal/guest/wire"
	"praxis/internal/record/replay"
	"praxis/internal/run"
	"praxis/internal/session"
	"praxis/internal/tool/bridge"
)

// runSession is an open session as package run sees it.
type runSession struct {
	w          workspace
	interrupts *interrupts // Ctrl-C interrupts the code; nil: it ends the command
}

var (
	_ run.Session     = runSession{}
	_ replay.Offering = runSession{}
)

// Execute runs code and looks which files it changed.
func (s runSession) Execute(ctx context.Context, code string, b event.Bounds, sink event.Sink) (event.Execution, error) {
	if s.interrupts != nil {
		defer s.interrupts.during(ctx, s.w)()
	}
	return s.w.execute(ctx, code, session.Exec{Bounds: b, Changes: true}, sink)
}

// Put writes a file.
func (s runSession) Put(ctx context.Context, path string, r io.Reader) error {
	return s.w.put(ctx, path, r)
}

// Save keeps the state as a snapshot.
func (s runSession) Save(ctx context.Context) (run.Saved, error) { return s.w.snapshot(ctx) }

// Describe returns what session this is.
func (s runSession) Describe() event.SessionBegan { return s.w.describe() }

// Offer offers a desk to the session's code.
func (s runSession) Offer(ctx context.Context, d *bridge.Desk, tools, net bool) error {
	o := wire.Offer{Tools: tools, Net: net}
	if net {
		p, err := egress.New(egress.Config{}) // it says where code looks for a proxy, and serves nobody
		if err != nil {
			return err
		}
		bundle, err := putCAs(ctx, s.w, nil)
		if err := errors.Join(err, p.Close()); err != nil {
			return err
		}
		o.Environ = p.Environ(wire.ProxyPort, bundle)
	}
	return s.w.offer(ctx, o, d)
}

// inputNames returns what the inputs are called.
func inputNames(inputs []input) []string {
	var out []string
	for _, in := range inputs {
		out = append(out, in.name)
	}
	return out
}

// plainInputs describes inputs for a run without a model.
func plainInputs(inputs []input) []run.Input {
	var out []run.Input
	for _, in := range inputs {
		out = append(out, run.Input{
			File: agent.File{Name: in.name, Path: path.Join(workDir, in.name), Bytes: in.bytes}, Open: in.open,
		})
	}
	return out
}
