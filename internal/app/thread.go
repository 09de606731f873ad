package app

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/agent"
	"praxis/internal/record/memory"
)

// thread is the conversation that a question goes on with. Its variables and
// files are those of the named session of the same name.
type thread struct {
	name    string
	mem     *memory.Memory
	was     memory.Thread
	history []event.Message
}

// openThread reads a thread. The caller holds the session of that name, so that
// two questions in one thread come one after the other.
func openThread(ctx context.Context, r *Records, name string) (*thread, error) {
	// A question is not asked twice: that its thread cannot be saved is said before.
	if err := r.DB.Ready(ctx); err != nil {
		return nil, fmt.Errorf("cannot go on with thread %s: %w", name, err)
	}
	was, history, err := r.Memory.OpenThread(ctx, name)
	if err != nil {
		return nil, err
	}
	return &thread{name, r.Memory, was, history}, nil
}

// moved says that the session is not the one that the conversation knows, or "".
func (t *thread) moved(s event.SessionBegan) string {
	switch {
	case t.was.Revision == 0 && s.Snapshot != "":
		return "session " + t.name + " exists already: the conversation begins with its variables and files"
	case t.was.Revision != 0 && s.Snapshot == "":
		return "the session of thread " + t.name + " is gone: the conversation goes on without its variables and files"
	case t.was.Revision != 0 && t.was.Snapshot != s.Snapshot:
		return "session " + t.name + " was changed since the last answer of the thread"
	}
	return ""
}

// save keeps the state first and then the conversation that belongs to it. The
// question is one without secrets: it names the state.
func (t *thread) save(ctx context.Context, s *Session, rec *activeRun, question string, a agent.Answer, contents []string) error {
	d := s.Describe()
	snapshot, err := s.Save(ctx, question)
	if err != nil {
		return err
	}
	rec.Emit(event.SnapshotTaken{Step: a.Steps + 1, Session: d.Session, Snapshot: snapshot})
	_, err = t.mem.SaveThread(ctx, t.was, memory.Turn{
		Run: rec.ID(), Question: question, Messages: a.Messages, Contents: contents, Snapshot: snapshot, Image: d.Image.Name,
	})
	return err
}

// notes is the memory across threads as the agent sees it.
type notes struct {
	mem         *memory.Memory
	run, thread string
}

var _ agent.Notes = notes{}

// Save keeps a note, with where it comes from.
func (n notes) Save(ctx context.Context, step int, text string, tags []string) (id string, known bool, err error) {
	saved, known, err := n.mem.SaveNote(ctx, text, tags, memory.From{Run: n.run, Step: step, Thread: n.thread})
	return saved.ID, known, err
}

// Search finds notes, of all threads.
func (n notes) Search(ctx context.Context, query string) ([]agent.Note, error) {
	found, err := n.mem.SearchNotes(ctx, query, 0)
	var out []agent.Note
	for _, f := range found {
		out = append(out, agent.Note{ID: f.ID, Text: f.Text, Created: f.Created, Tags: f.Tags, From: noteOrigin(f.From)})
	}
	return out, err
}

// noteOrigin is where a note comes from, in words.
func noteOrigin(f memory.From) string {
	var parts []string
	if f.Run != "" {
		parts = append(parts, "run "+f.Run)
	}
	if f.Step > 0 {
		parts = append(parts, fmt.Sprintf("step %d", f.Step))
	}
	if f.Thread != "" {
		parts = append(parts, "thread "+f.Thread)
	}
	return strings.Join(parts, ", ")
}

// Types that describe threads and notes.
type (
	Thread    = memory.Thread
	Note      = memory.Note
	NoteQuery = memory.NoteQuery
)

// Turn is one question of a thread and its answer.
type Turn struct {
	Run      string    `json:"run"`
	Time     time.Time `json:"time"`
	Question string    `json:"question"`
	Answer   string    `json:"answer,omitempty"`
	Removed  bool      `json:"removed,omitempty"` // the run is not kept any more, and nothing is known of it
}

// Threads lists the threads, the last used first. Those that can be read are
// returned beside an error of others.
func (a *App) Threads(ctx context.Context) ([]Thread, error) { return a.records.Memory.Threads(ctx) }

// Thread returns a thread.
func (a *App) Thread(ctx context.Context, name string) (Thread, error) {
	return a.records.Memory.Thread(ctx, name)
}

// ThreadTurns returns what was asked in a thread and answered.
func (a *App) ThreadTurns(ctx context.Context, name string) ([]Turn, error) {
	t, err := a.records.Memory.Thread(ctx, name)
	if err != nil {
		return nil, err
	}
	var out []Turn
	for _, id := range t.Runs {
		turn, err := a.turn(ctx, id)
		if err != nil {
			return nil, err
		}
		out = append(out, turn)
	}
	return out, nil
}

func (a *App) turn(ctx context.Context, id string) (Turn, error) {
	turn := Turn{Run: id}
	for rec, err := range a.records.Journal.Records(ctx, id) {
		if fault.KindOf(err) == fault.NotFound {
			turn.Removed = true
			return turn, nil
		}
		if err != nil {
			return turn, err
		}
		switch e := rec.Event.(type) {
		case event.RunBegan:
			turn.Time, turn.Question = rec.Time, e.Question
		case event.AnswerGiven:
			turn.Answer = e.Text
		}
	}
	return turn, nil
}

// unless leaves an error out that says that there is nothing.
func unless(kind fault.Kind, err error) error {
	if fault.KindOf(err) == kind {
		return nil
	}
	return err
}

// free refuses a name that a thread or a session has.
func (a *App) free(ctx context.Context, m *machine, verb, from, to string) error {
	code := fault.ThreadExists
	_, err := a.records.Memory.Thread(ctx, to)
	if fault.KindOf(err) == fault.NotFound {
		code = fault.SessionExists
		if _, err = m.sessions.LogNamed(ctx, to); fault.KindOf(err) == fault.NotFound {
			return nil
		}
	}
	if err != nil {
		return err
	}
	return fault.Coded(code, fault.Data{"name": to}, "cannot %s thread %s: %s exists already", verb, from, to)
}

// ForkThread makes the thread to, which goes on where from stands now, with a
// session of its own.
func (a *App) ForkThread(ctx context.Context, from, to string) error {
	m, err := a.machinery(ctx)
	if err != nil {
		return err
	}
	if _, err := a.records.Memory.Thread(ctx, from); err != nil {
		return err
	}
	if err := a.free(ctx, m, "fork", from, to); err != nil {
		return err
	}
	// The session goes first: a thread without one would go on without its variables.
	if err := unless(fault.NotFound, m.sessions.ForkNamed(ctx, from, to)); err != nil {
		return err
	}
	if _, err := a.records.Memory.ForkThread(ctx, from, to); err != nil {
		return errors.Join(err, unless(fault.NotFound, m.sessions.RemoveNamed(ctx, to)))
	}
	return nil
}

// RenameThread gives a thread and its session another name.
func (a *App) RenameThread(ctx context.Context, from, to string) error {
	m, err := a.machinery(ctx)
	if err != nil {
		return err
	}
	if _, err := a.records.Memory.Thread(ctx, from); err != nil {
		return err
	}
	if err := a.free(ctx, m, "rename", from, to); err != nil {
		return err
	}
	if err := unless(fault.NotFound, m.sessions.RenameNamed(ctx, from, to)); err != nil {
		return err
	}
	if _, err := a.records.Memory.RenameThread(ctx, from, to); err != nil {
		return errors.Join(err, unless(fault.NotFound, m.sessions.RenameNamed(ctx, to, from)))
	}
	return nil
}

// RemoveThread removes a thread and its session. Its runs stay in the journal.
func (a *App) RemoveThread(ctx context.Context, name string) error {
	m, err := a.machinery(ctx)
	if err != nil {
		return err
	}
	if err := a.records.Memory.RemoveThread(ctx, name); err != nil {
		return err
	}
	return unless(fault.NotFound, m.sessions.RemoveNamed(ctx, name))
}

// Notes lists notes, newest first. Those that can be read are returned beside an
// error of others.
func (a *App) Notes(ctx context.Context, q NoteQuery) ([]Note, error) {
	return a.records.Memory.Notes(ctx, q)
}

// SearchNotes returns the notes that fit words, the best first.
func (a *App) SearchNotes(ctx context.Context, words string) ([]Note, error) {
	return a.records.Memory.SearchNotes(ctx, words, 0)
}

// Note returns a note by its id, or the beginning of it.
func (a *App) Note(ctx context.Context, ref string) (Note, error) {
	return a.records.Memory.Note(ctx, ref)
}

// RemoveNote removes a note and returns its id.
func (a *App) RemoveNote(ctx context.Context, ref string) (string, error) {
	return a.records.Memory.RemoveNote(ctx, ref)
}

// NoteOrigin is where a note comes from, in words.
func NoteOrigin(n Note) string { return noteOrigin(n.From) }
