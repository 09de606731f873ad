// Package scripted is a model whose replies come from a file: for the demo, for
// tests and for a run that must not depend on a provider.
//
// # Format
//
// A script is plain text (UTF-8). A line that begins with "=== " is a
// directive; what follows, up to the next directive, is its body, without the
// blank lines around it. Text before the first directive is a comment.
//
//	=== reply
//	I look at the columns first.
//	```python
//	print(open("/work/sales.csv").readline())
//	```
//	=== expect region,amount
//	=== refuse Traceback
//	=== reply
//	=== call final_answer text
//	The sum is {{ total }}.
//
// The directives:
//
//	=== reply            the next reply; its body is the reply's text
//	=== reply cut        the same, cut because the bound of tokens was reached
//	=== reply after 80ms the same, after a time; both words may stand there
//	=== when TEXT        what follows, up to the next one, are the replies to questions
//	                     that have TEXT in them
//	=== call NAME [ARG]  a native tool call of the reply above; its body is the value
//	                     of the argument ARG ("code" when it is left out)
//	=== thought          what the model thought before the reply above; its body is the text
//	=== tokens IN OUT    the tokens of the request and of the reply above; else none are counted
//	=== expect TEXT      the observation before the next reply must contain TEXT
//	=== refuse TEXT      the observation before the next reply must not contain TEXT
//	=== note TEXT        a comment
//
// A line of a body that begins with "\===" stands for the line without the
// backslash. The observation is the text, and the results of tool calls, of the
// last message that the model is sent.
//
// # Meaning
//
// The first message of a request, which is the question, says which part of the script
// answers: the first part whose TEXT is in it, else what stands before the first "when". So
// one script answers for a run and for all that its code asks and begins.
//
// The number of the assistant's messages in the request says which reply comes
// next. So a Model keeps no state: one may serve many runs at once, and a run
// that is taken up again goes on where it was. A check that fails, and a
// request beyond the last reply, are a fault.Conflict: a script fails loudly
// when the course of events is not the one that it was written for.
package scripted

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"praxis/fault"
	"praxis/internal/bounded"
	"praxis/internal/llm"
	"praxis/internal/safetext"
)

// MaxBytes bounds a script.
const MaxBytes = 1 << 20

const remedy = "A script's replies fit one course of events only: use it with the question and the files that it was written for."

// Model is one script. It is safe for concurrent use.
type Model struct {
	name  string
	parts []part
}

// part is what answers questions with a text in them.
type part struct {
	when  string // "": all questions that no other part answers
	turns []turn
}

var _ llm.Model = (*Model)(nil)

// turn is one reply with the checks before it.
type turn struct {
	line   int // of its directive
	checks []check
	wait   time.Duration // before the reply
	reply  llm.Reply
}

// check is what an observation must, or must not, contain.
type check struct {
	line int
	not  bool
	text string
}

// Open reads a script from a file. Its name is the file's, without folder and extension.
func Open(path string) (*Model, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fault.Coded(fault.ScriptMissing, fault.Data{"path": path}, "cannot open script %s: %w", path, cause(err))
	}
	defer func() { _ = f.Close() }() // only read: nothing to lose
	base := filepath.Base(path)
	return Parse(strings.TrimSuffix(base, filepath.Ext(base)), f)
}

// cause leaves the path out of err: the message names it already.
func cause(err error) error {
	if p, ok := err.(*os.PathError); ok {
		return p.Err
	}
	return err
}

// Parse reads a script. A line that cannot be understood is a fault.Invalid that names it.
func Parse(name string, r io.Reader) (*Model, error) {
	raw, err := bounded.Read(r, MaxBytes)
	if err != nil {
		return nil, fault.New(fault.Invalid, "", "cannot read script %s: %w", name, cause(err))
	}
	p := parser{script: name}
	for n, line := range strings.Split(strings.ReplaceAll(string(raw), "\r\n", "\n"), "\n") {
		if err := p.take(n+1, line); err != nil {
			return nil, err
		}
	}
	parts, err := p.end()
	if err != nil {
		return nil, err
	}
	return &Model{name: name, parts: parts}, nil
}

// Name returns "scripted:" and the script's name.
func (m *Model) Name() string { return "scripted:" + m.name }

// Traits implements llm.Model.
func (m *Model) Traits() llm.Traits { return llm.Traits{Local: true} }

// Complete implements llm.Model.
func (m *Model) Complete(ctx context.Context, req llm.Request, delta func(string)) (llm.Reply, error) {
	n := 0
	for _, msg := range req.Messages {
		if msg.Role == llm.Assistant {
			n++
		}
	}
	turns := m.answering(req)
	if n >= len(turns) {
		return llm.Reply{}, fault.New(fault.Conflict, remedy, "cannot go on with script %s: it ends after %s", m.name, replies(len(turns)))
	}
	t := turns[n]
	if err := m.verify(t, n+1, observation(req)); err != nil {
		return llm.Reply{}, err
	}
	if t.wait > 0 {
		select {
		case <-time.After(t.wait):
		case <-ctx.Done():
		}
	}
	if err := ctx.Err(); err != nil {
		return llm.Reply{}, fault.New(fault.Canceled, "", "cannot ask the model: %w", err)
	}
	if req.Reasoning != nil && t.reply.Reasoning.Text != "" {
		req.Reasoning(t.reply.Reasoning.Text)
	}
	if delta != nil && t.reply.Text != "" {
		delta(t.reply.Text)
	}
	return t.fresh(), nil
}

// answering returns the replies of the part that answers a request.
func (m *Model) answering(req llm.Request) []turn {
	question, rest := "", []turn(nil)
	if len(req.Messages) > 0 {
		question = req.Messages[0].Text
	}
	for _, p := range m.parts {
		switch {
		case p.when == "":
			rest = p.turns
		case strings.Contains(question, p.when):
			return p.turns
		}
	}
	return rest
}

// fresh returns a reply that shares nothing with the script.
func (t turn) fresh() llm.Reply {
	reply := t.reply
	reply.Calls = nil
	for _, c := range t.reply.Calls {
		input := make(map[string]any, len(c.Input))
		for k, v := range c.Input {
			input[k] = v
		}
		c.Input = input
		reply.Calls = append(reply.Calls, c)
	}
	return reply
}

func observation(req llm.Request) string {
	if len(req.Messages) == 0 {
		return ""
	}
	last := req.Messages[len(req.Messages)-1]
	var parts []string
	if last.Text != "" {
		parts = append(parts, last.Text)
	}
	for _, r := range last.Results {
		parts = append(parts, r.Text)
	}
	return strings.Join(parts, "\n")
}

func (m *Model) verify(t turn, n int, seen string) error {
	for _, c := range t.checks {
		if strings.Contains(seen, c.text) != c.not {
			continue
		}
		verb := "to contain"
		if c.not {
			verb = "not to contain"
		}
		return fault.New(fault.Conflict, remedy, "cannot go on with script %s: line %d expects the observation before reply %d %s %q, but it is %q",
			m.name, c.line, n, verb, c.text, safetext.Clip(seen, 400))
	}
	return nil
}

func replies(n int) string {
	if n == 1 {
		return "1 reply"
	}
	return fmt.Sprintf("%d replies", n)
}
