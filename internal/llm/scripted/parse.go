package scripted

import (
	"fmt"
	"strings"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/llm"
)

const (
	mark      = "=== "
	maxTurns  = 1000
	maxCalls  = 64            // of one reply
	maxTokens = 1_000_000_000 // of one reply
	maxWait   = time.Minute
)

// parser reads a script line by line.
type parser struct {
	script string
	parts  []part   // that are whole
	when   string   // of the open part
	begins int      // line of the open part
	turns  []turn   // of the open part
	total  int      // of all parts
	checks []check  // before the next reply
	last   int      // line of the last check
	body   []string // of the open directive
	close  func(body string)
	stray  error // text that belongs to no reply
}

func (p *parser) take(n int, line string) error {
	if line != strings.TrimRight(mark, " ") && !strings.HasPrefix(line, mark) {
		p.body = append(p.body, strings.TrimPrefix(line, escape(line)))
		return nil
	}
	if p.flush(); p.stray != nil {
		return p.stray
	}
	word, rest, _ := strings.Cut(strings.TrimSpace(strings.TrimPrefix(line, "===")), " ")
	rest = strings.TrimSpace(rest)
	switch word {
	case "reply":
		return p.reply(n, rest)
	case "call":
		return p.call(n, rest)
	case "thought", "tokens":
		if len(p.turns) == 0 || len(p.checks) > 0 {
			return p.fail(n, "%q belongs to a reply: write === reply above it", word)
		}
		r := &p.turns[len(p.turns)-1].reply // good until the next reply, and the body is flushed before that
		if word == "tokens" {
			return p.tokens(n, rest, r)
		}
		p.close = func(body string) { r.Reasoning.Text = body }
	case "expect", "refuse":
		if rest == "" {
			return p.fail(n, "%q needs a text", word)
		}
		p.checks = append(p.checks, check{line: n, not: word == "refuse", text: rest})
		p.last = n
		p.close = func(body string) {
			if body != "" {
				p.stray = p.fail(n, "text after %q: write === reply above it", word)
			}
		}
	case "when":
		return p.part(n, rest)
	case "note":
		p.close = func(string) {}
	default:
		return p.fail(n, "%q is no directive: use reply, call, thought, tokens, expect, refuse, when or note", word)
	}
	return nil
}

// part begins the replies to questions with a text.
func (p *parser) part(n int, text string) error {
	if text == "" {
		return p.fail(n, "\"when\" needs a text")
	}
	if err := p.endPart(); err != nil {
		return err
	}
	p.when, p.begins = text, n
	p.close = func(body string) {
		if body != "" {
			p.stray = p.fail(n, "text after \"when\": write === reply above it")
		}
	}
	return nil
}

// endPart closes the open part. The first one may be empty.
func (p *parser) endPart() error {
	switch {
	case len(p.checks) > 0:
		return p.fail(p.last, "a check without a reply after it")
	case len(p.turns) == 0 && p.begins > 0:
		return p.fail(p.begins, "it holds no reply: write === reply")
	}
	if len(p.turns) > 0 {
		p.parts = append(p.parts, part{p.when, p.turns})
	}
	p.turns = nil
	return nil
}

// escape returns the backslash of a line that stands for a line with a mark.
func escape(line string) string {
	if strings.HasPrefix(line, `\===`) {
		return `\`
	}
	return ""
}

// reply begins a reply: "cut" and "after DURATION" may stand behind it.
func (p *parser) reply(n int, rest string) error {
	t := turn{line: n, checks: p.checks}
	for words := strings.Fields(rest); len(words) > 0; {
		switch {
		case words[0] == "cut" && !t.reply.Cut:
			t.reply.Cut, words = true, words[1:]
		case words[0] == "after" && len(words) > 1 && t.wait == 0:
			d, err := time.ParseDuration(words[1])
			if err != nil || d <= 0 || d > maxWait {
				return p.fail(n, "%q is no time from 1ns to %s", words[1], maxWait)
			}
			t.wait, words = d, words[2:]
		default:
			return p.fail(n, "%q after reply: only \"cut\" and \"after\" with a time can stand there", strings.Join(words, " "))
		}
	}
	if p.total >= maxTurns {
		return p.fail(n, "more than %d replies", maxTurns)
	}
	p.total++
	p.turns = append(p.turns, t)
	p.checks = nil
	last := &p.turns[len(p.turns)-1] // good until the next append, and the body is flushed before that
	p.close = func(body string) { last.reply.Text = body }
	return nil
}

// tokens reads what a reply used: IN and OUT.
func (p *parser) tokens(n int, rest string, r *llm.Reply) error {
	var in, out int
	if got, err := fmt.Sscanf(rest+"\n", "%d %d\n", &in, &out); err != nil || got != 2 || min(in, out) < 0 || max(in, out) > maxTokens {
		return p.fail(n, "what a reply used is written: === tokens IN OUT")
	}
	r.Tokens = event.Tokens{Input: in, Output: out}
	p.close = func(body string) {
		if body != "" {
			p.stray = p.fail(n, "text after \"tokens\": write === reply above it")
		}
	}
	return nil
}

func (p *parser) call(n int, rest string) error {
	fields := strings.Fields(rest)
	if len(fields) == 1 {
		fields = append(fields, "code")
	}
	if len(fields) != 2 {
		return p.fail(n, "a call is written: === call NAME [ARG]")
	}
	if len(p.turns) == 0 || len(p.checks) > 0 {
		return p.fail(n, "a call belongs to a reply: write === reply above it")
	}
	t := &p.turns[len(p.turns)-1]
	if len(t.reply.Calls) >= maxCalls {
		return p.fail(n, "more than %d calls in one reply", maxCalls)
	}
	id := fmt.Sprintf("script_%d_%d", len(p.turns), len(t.reply.Calls)+1)
	t.reply.Calls = append(t.reply.Calls, llm.Call{ID: id, Name: fields[0]})
	i := len(t.reply.Calls) - 1
	p.close = func(body string) { t.reply.Calls[i].Input = map[string]any{fields[1]: body} }
	return nil
}

// flush gives the open directive its body.
func (p *parser) flush() {
	if p.close != nil {
		p.close(trim(p.body))
	}
	p.body, p.close = nil, nil
}

// trim leaves out the blank lines around a body and keeps the blanks in it.
func trim(lines []string) string {
	for len(lines) > 0 && strings.TrimSpace(lines[0]) == "" {
		lines = lines[1:]
	}
	for len(lines) > 0 && strings.TrimSpace(lines[len(lines)-1]) == "" {
		lines = lines[:len(lines)-1]
	}
	return strings.Join(lines, "\n")
}

func (p *parser) end() ([]part, error) {
	if p.flush(); p.stray != nil {
		return nil, p.stray
	}
	if err := p.endPart(); err != nil {
		return nil, err
	}
	if len(p.parts) == 0 {
		return nil, p.fail(1, "it holds no reply: write === reply")
	}
	return p.parts, nil
}

func (p *parser) fail(line int, format string, args ...any) error {
	return fault.New(fault.Invalid, "The format is: a line \"=== reply\", then the reply's text, and so on.",
		"cannot read script %s, line %d: %s", p.script, line, fmt.Sprintf(format, args...))
}
