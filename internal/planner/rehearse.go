package planner

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"praxis/fault"
	"praxis/internal/tool"
	"praxis/internal/tool/gate"
	"praxis/internal/tool/jsondoc"
)

// Rehearsal answers calls without calling anything: from replies that were
// given, then from the examples of the tools' definitions. A call that neither
// answers is answered later ([gate.ErrLater]), so that the plan waits.
type Rehearsal struct {
	// Models says that calls of model tools without a fitting reply go to a model.
	Models bool
	// Example is a tool that was answered from an example of its definition, "" while none
	// was: what the plan computes from then on may be invented.
	Example string
	replies []reply
	used    []bool
}

// Prepare does nothing: there is nothing to make ready.
func (*Rehearsal) Prepare(context.Context, *tool.Definition) error { return nil }

// Identity is empty: nothing is implemented here.
func (*Rehearsal) Identity(*tool.Definition) string { return "" }

var _ gate.Caller = (*Rehearsal)(nil)

// reply is one line of a file of replies.
type reply struct {
	tool      string
	arguments string // canonical JSON; "" fits all
	result    any
	err       string
}

const maxReplies = 100_000

// ReadReplies reads replies, one JSON object a line:
//
//	{"tool": "calendar.read", "arguments": {"day": "2026-05-04"}, "result": {…}}
//	{"tool": "email.write", "error": "the server is down"}
//
// A reply without arguments fits every call of its tool. Each is used once, in
// order, except that the last one that fits is used again and again.
func ReadReplies(name string, data []byte) (*Rehearsal, error) {
	r := &Rehearsal{}
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, 16<<20)
	for n := 1; lines.Scan(); n++ {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		one, err := readReply(lines.Bytes())
		if err != nil {
			return nil, fault.New(fault.Invalid, `Write one object a line: {"tool": NAME, "result": JSON} or {"tool": NAME, "error": TEXT}.`, "cannot read replies: %s:%d: %w", name, n, err)
		}
		if r.replies = append(r.replies, one); len(r.replies) > maxReplies {
			return nil, fault.New(fault.Exhausted, "Give fewer.", "cannot read replies: %s holds more than %d", name, maxReplies)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fault.New(fault.Invalid, "Write shorter lines.", "cannot read replies: %s: %w", name, err)
	}
	r.used = make([]bool, len(r.replies))
	return r, nil
}

func readReply(line []byte) (reply, error) {
	var out reply
	v, err := jsondoc.Decode(line)
	if err != nil {
		return out, err
	}
	o, ok := v.(*jsondoc.Object)
	if !ok {
		return out, errors.New("it is not an object")
	}
	hasResult, hasError := false, false
	for name, v := range o.All() {
		switch name {
		case "tool":
			out.tool, _ = v.(string)
		case "arguments":
			text, err := jsondoc.Canonical(v)
			if err != nil {
				return out, err
			}
			out.arguments = string(text)
		case "result":
			out.result, hasResult = v, true
		case "error":
			out.err, hasError = v.(string)
		default:
			return out, fmt.Errorf("the member %q is not known", name)
		}
	}
	if out.tool == "" || hasResult == hasError || hasError && out.err == "" {
		return out, errors.New("it needs a tool, and either a result or the text of an error")
	}
	return out, nil
}

// Call answers a call.
func (r *Rehearsal) Call(_ context.Context, c tool.Invocation) (any, error) {
	args, err := jsondoc.Canonical(c.Arguments)
	if err != nil {
		return nil, err
	}
	found := -1
	for i, one := range r.replies {
		if one.tool != c.Tool.Name || one.arguments != "" && one.arguments != string(args) {
			continue
		}
		if found = i; !r.used[i] {
			break
		}
	}
	if found >= 0 {
		r.used[found] = true
		if one := r.replies[found]; one.err != "" {
			return nil, gate.RehearsedFailure{Err: errors.New(one.err), From: fromReplies}
		}
		return gate.Rehearsed{Result: r.replies[found].result, From: fromReplies}, nil
	}
	if c.Tool.Model && r.Models {
		return nil, ErrNoImplementation
	}
	if result, ok := c.Tool.Rehearse(c.Arguments); ok {
		r.Example = c.Tool.Name
		return gate.Rehearsed{Result: result, From: FromExamples}, nil
	}
	if c.Tool.Model {
		return nil, ErrNoImplementation
	}
	return nil, gate.ErrLater
}

const fromReplies = "the replies"

// FromExamples says of a result that it is an example of the tool's definition.
const FromExamples = "the examples of its definition"

// Answers says whether replies were given for a tool.
func (r *Rehearsal) Answers(name string) bool {
	return slices.ContainsFunc(r.replies, func(one reply) bool { return one.tool == name })
}
