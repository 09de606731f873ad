// Package memory is what outlives a run: threads, which are conversations that
// go on days later, and notes, which the agent keeps across threads.
//
// # Threads
//
// A thread is a conversation under a name. Its messages are kept whole in one
// blob, a JSON array of event.Message; its record, a JSON object in the bucket
// "threads" under its name, holds the blob's SHA-256 and the snapshot of the
// session that the conversation belongs to. The record is replaced in one
// step, so that conversation and snapshot always fit each other: after a crash
// in the middle of a run they are those of the run before. A record that
// stands at another revision than the one that was opened is never replaced
// (Conflict).
//
// This package knows nothing of sessions. A thread's variables and files are
// those of the named session of the same name; who opens both compares the
// session's snapshot with [Thread.Snapshot].
//
// # Notes
//
// A note is a short text that the agent found worth keeping, with the run, step
// and thread that it comes from. Its name is made of its text, so that the
// same text is kept once: the later one adds its tags. A note is what somebody
// claimed on a certain day: data, neither an instruction nor a computed result.
//
// # Secrets
//
// What is kept goes through [Config.Redact] first, every string of a message too.
//
// # Bounds
//
// [MaxConversation] bytes of a conversation, [MaxRuns] runs that a thread names,
// [MaxNote] bytes of a note, [MaxTags] tags of it, [MaxNotes] notes.
package memory

import (
	"errors"
	"time"

	"praxis/internal/store"
)

// The bounds.
const (
	MaxConversation = 64 << 20 // bytes of a conversation's JSON
	MaxRuns         = 1000     // the newest runs of a thread; older ones are found in the journal
	MaxNote         = 4000     // bytes of a note's text
	MaxTags         = 10
	MaxTag          = 40 // bytes
	MaxNotes        = 10_000
)

// Config is what a Memory keeps its things in.
type Config struct {
	KV     store.KV
	Blobs  store.Blobs
	Index  store.Index
	Redact func(string) string // takes secrets out of a text; nil: there are none
	Now    func() time.Time    // nil: time.Now
}

// Memory keeps threads and notes. It may be used from several goroutines, and
// several processes may share its stores.
type Memory struct {
	kv     store.KV
	blobs  store.Blobs
	index  store.Index
	redact func(string) string
	now    func() time.Time
}

// New returns a Memory. It reads and writes nothing yet.
func New(cfg Config) (*Memory, error) {
	if cfg.KV == nil || cfg.Blobs == nil || cfg.Index == nil {
		return nil, errors.New("cannot open memory: no store")
	}
	m := &Memory{kv: cfg.KV, blobs: cfg.Blobs, index: cfg.Index, redact: cfg.Redact, now: cfg.Now}
	if m.redact == nil {
		m.redact = func(s string) string { return s }
	}
	if m.now == nil {
		m.now = time.Now
	}
	return m, nil
}
