package cassette

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"sync"

	"praxis/fault"
	"praxis/internal/bounded"
	"praxis/internal/llm"
	"praxis/internal/safetext"
)

// Player gives the replies of a cassette. It is safe for concurrent use.
type Player struct {
	name   string
	lines  []line
	redact func(string) string

	mu   sync.Mutex
	next map[int]int // by the first of the exchanges with the same request: how many were given
}

var _ llm.Model = (*Player)(nil)

// Play reads a cassette. Its name is the file's, without folder and extension. redact takes
// out of a request what must not be stored, as it did when it was recorded; nil: nothing.
func Play(path string, redact func(string) string) (*Player, error) {
	raw, err := bounded.ReadFile(path, maxFile)
	if err != nil {
		return nil, fault.New(fault.NotFound, "Give the path of a cassette that was recorded.", "cannot open cassette %s: %w", path, cause(err))
	}
	base := filepath.Base(path)
	return Parse(strings.TrimSuffix(base, filepath.Ext(base)), raw, redact)
}

// Parse reads the text of a cassette, as Play does its file. A line that is none is a fault.Invalid that
// names it, except a last one that was cut off.
func Parse(name string, raw []byte, redact func(string) string) (*Player, error) {
	p := &Player{name: name, redact: redact, next: map[int]int{}}
	if redact == nil {
		p.redact = plain
	}
	n := 0
	for text := range bytes.Lines(raw) {
		n++
		whole := bytes.HasSuffix(text, []byte("\n"))
		if text = bytes.TrimSpace(text); len(text) == 0 {
			continue
		}
		var l line
		err := json.Unmarshal(text, &l)
		switch {
		case err != nil && !whole:
		case err != nil:
			return nil, fault.New(fault.Invalid, remedy, "cannot read cassette %s: line %d: %w", name, n, errors.New(strings.TrimPrefix(err.Error(), "json: ")))
		case l.Version != version:
			return nil, fault.New(fault.Invalid, remedy, "cannot read cassette %s: line %d is of version %d, this program knows %d", name, n, l.Version, version)
		case len(text) > maxLine:
			return nil, fault.New(fault.Invalid, remedy, "cannot read cassette %s: line %d is longer than %s", name, n, safetext.Size(maxLine))
		default:
			p.lines = append(p.lines, l)
		}
	}
	if len(p.lines) == 0 {
		return nil, fault.New(fault.Invalid, remedy, "cannot read cassette %s: it holds no exchange", name)
	}
	return p, nil
}

// Name returns "replay:" and the cassette's name.
func (p *Player) Name() string { return "replay:" + p.name }

// Traits implements llm.Model: they are those of the model that was recorded, so
// that it is asked in the same way.
func (p *Player) Traits() llm.Traits { return p.lines[0].Traits }

// Complete implements llm.Model.
func (p *Player) Complete(ctx context.Context, req llm.Request, delta func(string)) (llm.Reply, error) {
	if err := context.Cause(ctx); err != nil {
		return llm.Reply{}, fault.New(fault.Canceled, "", "cannot ask the model: %w", err)
	}
	hashes, err := hashed(req, p.redact)
	if err != nil {
		return llm.Reply{}, err
	}
	l, found := p.take(hashes)
	if !found {
		return llm.Reply{}, conflict(p.name, "%s", difference(req, hashes, p.closest(hashes)))
	}
	out := l.Reply.given()
	out.Model = cmp.Or(out.Model, l.Model)
	if req.Reasoning != nil && out.Reasoning.Text != "" {
		req.Reasoning(out.Reasoning.Text)
	}
	if delta != nil && out.Text != "" {
		delta(out.Text)
	}
	return out, nil
}

// take returns the next exchange with a request.
func (p *Player) take(r request) (line, bool) {
	var same []int
	for i, l := range p.lines {
		if l.Request.same(r) {
			same = append(same, i)
		}
	}
	if len(same) == 0 {
		return line{}, false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	n := min(p.next[same[0]], len(same)-1)
	p.next[same[0]] = n + 1
	return p.lines[same[n]], true
}

// closest returns the recorded request that has the most in common with one.
func (p *Player) closest(r request) request {
	best := p.lines[0].Request
	for _, l := range p.lines[1:] {
		if r.likeness(l.Request) > r.likeness(best) {
			best = l.Request
		}
	}
	return best
}
