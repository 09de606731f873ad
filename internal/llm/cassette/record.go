package cassette

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"syscall"

	"praxis/fault"
	"praxis/internal/llm"
	"praxis/internal/safetext"
)

// Recorder asks a model and keeps its replies in a file. It is safe for
// concurrent use.
type Recorder struct {
	path   string
	model  llm.Model
	traits llm.Traits // before anything was asked, as a run begins with them
	redact func(string) string

	mu sync.Mutex
}

var _ llm.Model = (*Recorder)(nil)

// Record returns a model that asks another and adds each exchange to the file at
// path, which it makes when there is none. redact takes out of a line what must
// not be stored; nil: nothing. A file that cannot be written is a fault before
// anything is asked.
func Record(path string, m llm.Model, redact func(string) string) (*Recorder, error) {
	r := &Recorder{path: path, model: m, traits: m.Traits(), redact: redact}
	if redact == nil {
		r.redact = plain
	}
	f, err := r.open()
	if err != nil {
		return nil, err
	}
	return r, f.Close()
}

// Name returns the name of the model that is asked.
func (r *Recorder) Name() string { return r.model.Name() }

// Traits implements llm.Model.
func (r *Recorder) Traits() llm.Traits { return r.model.Traits() }

// Complete implements llm.Model. A failure is not recorded. A reply that cannot be
// recorded is none.
func (r *Recorder) Complete(ctx context.Context, req llm.Request, delta func(string)) (llm.Reply, error) {
	got, err := r.model.Complete(ctx, req, delta)
	if err != nil {
		return got, err
	}
	hashes, err := hashed(req, r.redact)
	if err != nil {
		return llm.Reply{}, err
	}
	text, err := json.Marshal(line{version, r.model.Name(), r.traits, hashes, reply{got.Text, got.Calls, got.Reasoning, got.Tokens, got.Cut, got.Model}})
	if err != nil { // calls came from JSON
		return llm.Reply{}, fmt.Errorf("cannot record the reply: %w", err)
	}
	clean := []byte(r.redact(string(text)))
	if !json.Valid(clean) {
		return llm.Reply{}, fmt.Errorf("cannot record the reply in %s: a secret in it cannot be taken out", r.path)
	}
	if len(clean) > maxLine {
		return llm.Reply{}, fault.New(fault.Exhausted, "Ask for a shorter reply.", "cannot record the reply in %s: it would be a line of %s, and %s are read", r.path, safetext.Size(int64(len(clean))), safetext.Size(maxLine))
	}
	if err := r.add(append(clean, '\n')); err != nil {
		return llm.Reply{}, err
	}
	return got, nil
}

// add writes a line at the end of the file, at once. What a crash left of the line
// before is ended first.
func (r *Recorder) add(text []byte) (err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	f, err := r.open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	// Another process may record into the file, too; closing it gives the lock back.
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		return fmt.Errorf("cannot record in %s: %w", r.path, err)
	}
	size, err := f.Seek(0, io.SeekEnd)
	if err == nil && size > 0 {
		last := make([]byte, 1)
		if _, err = f.ReadAt(last, size-1); err == nil && !bytes.Equal(last, []byte("\n")) {
			text = append([]byte("\n"), text...)
		}
	}
	if err == nil && size+int64(len(text)) > maxFile {
		return fault.New(fault.Exhausted, "Record in another file.", "cannot record in %s: it would be longer than %s, and would not be read again", r.path, safetext.Size(maxFile))
	}
	if err == nil {
		_, err = f.Write(text)
	}
	if err == nil {
		err = f.Sync()
	}
	if err != nil {
		return fmt.Errorf("cannot record in %s: %w", r.path, cause(err))
	}
	return nil
}

func (r *Recorder) open() (*os.File, error) {
	f, err := os.OpenFile(r.path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fault.New(fault.Invalid, "Name a file that can be written.", "cannot record in %s: %w", r.path, cause(err))
	}
	return f, nil
}

// cause leaves the path out of err: the message names it already.
func cause(err error) error {
	var p *os.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
