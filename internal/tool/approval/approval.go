package approval

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"praxis/fault"
	"praxis/internal/safetext"
	"praxis/internal/tool/gate"
)

// DefaultTimeout is how long an answer may take.
const DefaultTimeout = 5 * time.Minute

// Never denies everything.
type Never struct {
	Why string // why nobody is asked; "": the run has no approver
}

// Close does nothing: nothing is open.
func (n Never) Close() error { return nil }

// Approve denies.
func (n Never) Approve(context.Context, gate.Question) (gate.Answer, error) {
	return denied(gate.ByPolicy, "", "%s", cmp.Or(n.Why, "nobody is asked in this run")), nil
}

// Config is what [Parse] needs beside the specification.
type Config struct {
	In      io.Reader // of the terminal; nil: the process's own terminal
	Out     io.Writer // of the terminal
	Width   int       // of the terminal in characters; 0: 80
	Who     string    // the person at the terminal
	Secret  string    // of a webhook
	Headers map[string]string
	Timeout time.Duration // 0: DefaultTimeout
	// Hold keeps everything else off the terminal until release is called; restore
	// gives the question up and takes it away before that. It may be nil.
	Hold  func(restore func()) (release func())
	Plain bool // the terminal has no second screen
}

// Approver is a way to ask that may keep something open, such as a terminal, until
// it is closed.
type Approver interface {
	gate.Approver
	io.Closer
}

// Parse makes an approver of a text:
//
//	terminal                 ask on the terminal
//	never                    deny
//	https://host/path        ask a webhook (http:// only for this machine)
//	command:PROGRAM ARG …    ask a program; command:["program","arg"] when
//	                         an argument has blanks
//
// There is no approver that grants everything: which calls need no approval is said
// by the tool's definition or the policy, where it can be read later. The approver denies after
// Config.Timeout. Errors are faults of kind Invalid or Unavailable.
func Parse(spec string, c Config) (Approver, error) {
	if c.Timeout <= 0 {
		c.Timeout = DefaultTimeout
	}
	a, err := parse(strings.TrimSpace(spec), c)
	if err != nil {
		return nil, err
	}
	return Timeout(a, c.Timeout), nil
}

func parse(spec string, c Config) (Approver, error) {
	const forms = "Write terminal, never, https://host/path or command:PROGRAM."
	scheme, _, _ := strings.Cut(strings.ToLower(spec), ":")
	switch {
	case spec == "terminal":
		if c.In != nil && c.Out != nil {
			return NewTerminal(c.In, c.Out, c.Width, c.Who), nil
		}
		return OpenTerminal(c)
	case spec == "never":
		return Never{}, nil
	case scheme == "http" || scheme == "https":
		return NewWebhook(WebhookConfig{URL: spec, Secret: c.Secret, Headers: c.Headers})
	case strings.HasPrefix(spec, "command:"):
		argv, err := words(strings.TrimPrefix(spec, "command:"))
		if err != nil {
			return nil, err
		}
		return NewCommand(argv)
	case scheme == "always" || scheme == "all" || scheme == "yes":
		return nil, fault.New(fault.Invalid, "Where a call needs nobody's agreement, say so in the tool's definition (approval: false) or in a policy.", "cannot approve everything beforehand")
	case spec == "":
		return nil, fault.New(fault.Invalid, forms, "cannot tell who approves: nothing is said")
	}
	return nil, fault.New(fault.Invalid, forms, "cannot tell who approves: %q is not a way to ask", safetext.Clip(safetext.Line(spec), 60))
}

// words splits a command: at blanks, or as a JSON list. Quotes mean nothing, so
// they are refused rather than passed on.
func words(s string) ([]string, error) {
	const remedy = `Write command:["program", "an argument"].`
	s = strings.TrimSpace(s)
	if strings.HasPrefix(s, "[") {
		var argv []string
		if err := json.Unmarshal([]byte(s), &argv); err != nil {
			return nil, fault.New(fault.Invalid, remedy, "cannot read the command: it is not a JSON list of texts")
		}
		return argv, nil
	}
	if i := strings.IndexAny(s, "'\"\\`$|&;<>*?"); i >= 0 {
		return nil, fault.New(fault.Invalid, remedy, "cannot read the command: %q means nothing here, since there is no shell", s[i])
	}
	return strings.Fields(s), nil
}

// Timeout denies when an approver has not answered after d.
func Timeout(a Approver, d time.Duration) Approver { return &timed{a, d} }

type timed struct {
	approver Approver
	after    time.Duration
}

// Close closes the approver.
func (t *timed) Close() error { return t.approver.Close() }

// Approve asks, and stops waiting when the time is over even if the approver does not.
func (t *timed) Approve(ctx context.Context, q gate.Question) (gate.Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, t.after)
	defer cancel()
	type reply struct {
		answer gate.Answer
		err    error
	}
	replies := make(chan reply, 1)
	go func() {
		r := reply{answer: denied(gate.ByNobody, "", "cannot ask: the approver ended")}
		defer func() { replies <- r }()
		defer func() {
			if p := recover(); p != nil {
				r = reply{answer: denied(gate.ByNobody, "", "cannot ask: the approver panicked: %s", safetext.Clip(fmt.Sprint(p), 200))}
			}
		}()
		answer, err := t.approver.Approve(ctx, q)
		r = reply{answer, err}
	}()
	select {
	case r := <-replies:
		return r.answer, r.err
	case <-ctx.Done():
	}
	return unanswered(ctx, ""), nil
}
