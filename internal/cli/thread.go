package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/agent"
	"praxis/internal/app"
	"praxis/internal/record/memory"
	"praxis/internal/run"
	"praxis/internal/safetext"
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
func openThread(ctx context.Context, r *app.Records, name string) (*thread, error) {
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
func (t *thread) save(ctx context.Context, w workspace, rec run.Recorder, id, question string, a agent.Answer) error {
	s := w.describe()
	snapshot, err := w.save(ctx, question)
	if err != nil {
		return err
	}
	rec.Emit(event.SnapshotTaken{Step: a.Steps + 1, Session: s.Session, Snapshot: snapshot})
	_, err = t.mem.SaveThread(ctx, t.was, memory.Turn{
		Run: id, Question: question, Messages: a.Messages, Snapshot: snapshot, Image: s.Image.Name,
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
		out = append(out, agent.Note{ID: f.ID, Text: f.Text, Created: f.Created, Tags: f.Tags, From: origin(f.From)})
	}
	return out, err
}

// origin is where a note comes from, in words.
func origin(f memory.From) string {
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

func (p *program) threadCommand() *cobra.Command {
	return group("thread", "Conversations that go on (ask --thread NAME)",
		p.threadList(), p.threadShow(), p.threadFork(), p.threadRename(), p.threadRemove())
}

func (p *program) threadList() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "ls", Short: "List threads, the last used first", Args: takes(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.withRecords(func(r *app.Records) error {
				all, err := r.Memory.Threads(cmd.Context())
				if listErr := p.listThreads(all, asJSON); listErr != nil {
					return listErr
				}
				return err // of those that cannot be read
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a line")
	return cmd
}

func (p *program) listThreads(all []memory.Thread, asJSON bool) error {
	if asJSON {
		for _, th := range all {
			if err := p.printJSON(th); err != nil {
				return err
			}
		}
		return nil
	}
	if len(all) == 0 {
		return p.emit("There are no threads. Begin one with: praxis ask --thread NAME \"QUESTION\"\n")
	}
	cols := table{
		{head: "NAME"}, {head: "QUESTIONS", right: true, drop: 1}, {head: "SIZE", right: true, drop: 3},
		{head: "FORKED FROM", drop: 4}, {head: "LAST USED", drop: 2}, {head: "LAST QUESTION"},
	}
	for _, th := range all {
		cols.add(th.Name, fmt.Sprint(th.Turns), safetext.Size(th.Bytes), th.Forked, when(th.Used), th.Asked)
	}
	return p.emit(fitted(cols, p.columns()))
}

// shortened cuts a line that is clean.
func shortened(line string, n int) string {
	if r := []rune(line); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return line
}

func (p *program) threadShow() *cobra.Command {
	return &cobra.Command{
		Use: "show NAME", Short: "Show a thread: its questions and answers", Args: takes(1, 1, "a name"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.withRecords(func(r *app.Records) error { return p.showThread(cmd.Context(), r, args[0]) })
		},
	}
}

// showThread shows what was asked and answered. The whole of each run is shown
// by praxis show.
func (p *program) showThread(ctx context.Context, r *app.Records, name string) error {
	t, err := r.Memory.Thread(ctx, name)
	if err != nil {
		return err
	}
	var b strings.Builder
	for _, id := range t.Runs {
		if err := tellTurn(ctx, r, id, &b); err != nil {
			return err
		}
	}
	return p.emit(b.String())
}

func tellTurn(ctx context.Context, r *app.Records, id string, b *strings.Builder) error {
	for rec, err := range r.Journal.Records(ctx, id) {
		if fault.KindOf(err) == fault.NotFound {
			fmt.Fprintf(b, "run %s was removed\n\n", id)
			return nil
		}
		if err != nil {
			return err
		}
		switch e := rec.Event.(type) {
		case event.RunBegan:
			fmt.Fprintf(b, "%s  run %s\n> %s\n\n", when(rec.Time), id, indentRest(safetext.Text(e.Question), "> "))
		case event.AnswerGiven:
			fmt.Fprintf(b, "%s\n\n", safetext.Text(e.Text))
		}
	}
	return nil
}

// withBoth opens the engine for a command on a thread and its session.
func (p *program) withBoth(ctx context.Context, f func(namedSessions, *memory.Memory) error) error {
	cfg, err := p.config()
	if err != nil {
		return err
	}
	return p.withEngine(ctx, cfg, func(e engine) error { return f(e.named(), e.records().Memory) })
}

// unless leaves an error out that says that there is nothing.
func unless(kind fault.Kind, err error) error {
	if fault.KindOf(err) == kind {
		return nil
	}
	return err
}

// free refuses a name that a thread or a session has.
func free(ctx context.Context, n namedSessions, m *memory.Memory, verb, from, to string) error {
	remedy := "Choose another name, or remove it first: praxis thread rm " + to + "."
	_, err := m.Thread(ctx, to)
	if fault.KindOf(err) == fault.NotFound {
		remedy = "Choose another name, or remove it first: praxis session rm " + to + "."
		if _, err = n.LogNamed(ctx, to); fault.KindOf(err) == fault.NotFound {
			return nil
		}
	}
	if err != nil {
		return err
	}
	return choice{fault.New(fault.Conflict, remedy, "cannot %s thread %s: %s exists already", verb, from, to)}
}

func (p *program) threadFork() *cobra.Command {
	return &cobra.Command{
		Use: "fork A B", Short: "Make thread B, which goes on where A stands now", Args: takes(2, 2, "a name"),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			return p.withBoth(ctx, func(n namedSessions, m *memory.Memory) error {
				if _, err := m.Thread(ctx, args[0]); err != nil {
					return err
				}
				if err := free(ctx, n, m, "fork", args[0], args[1]); err != nil {
					return err
				}
				// The session goes first: a thread without one would go on without its variables.
				if err := unless(fault.NotFound, n.ForkNamed(ctx, args[0], args[1])); err != nil {
					return err
				}
				if _, err := m.ForkThread(ctx, args[0], args[1]); err != nil {
					return errors.Join(err, unless(fault.NotFound, n.RemoveNamed(ctx, args[1])))
				}
				return p.emit(fmt.Sprintf("forked thread %s from %s\n", args[1], args[0]))
			})
		},
	}
}

func (p *program) threadRename() *cobra.Command {
	return &cobra.Command{
		Use: "rename A B", Short: "Give a thread and its session another name", Args: takes(2, 2, "a name"),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			return p.withBoth(ctx, func(n namedSessions, m *memory.Memory) error {
				if _, err := m.Thread(ctx, args[0]); err != nil {
					return err
				}
				if err := free(ctx, n, m, "rename", args[0], args[1]); err != nil {
					return err
				}
				if err := unless(fault.NotFound, n.RenameNamed(ctx, args[0], args[1])); err != nil {
					return err
				}
				if _, err := m.RenameThread(ctx, args[0], args[1]); err != nil {
					return errors.Join(err, unless(fault.NotFound, n.RenameNamed(ctx, args[1], args[0])))
				}
				return p.emit(fmt.Sprintf("thread %s is called %s now\n", args[0], args[1]))
			})
		},
	}
}

func (p *program) threadRemove() *cobra.Command {
	return &cobra.Command{
		Use: "rm A", Short: "Remove a thread and its session", Args: takes(1, 1, "a name"),
		Long: "Removes a thread: its conversation, variables and files. Its runs stay in the journal.",
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			return p.withBoth(ctx, func(n namedSessions, m *memory.Memory) error {
				if err := m.RemoveThread(ctx, args[0]); err != nil {
					return err
				}
				if err := unless(fault.NotFound, n.RemoveNamed(ctx, args[0])); err != nil {
					return err
				}
				return p.emit(fmt.Sprintf("removed thread %s\n", safetext.Line(args[0])))
			})
		},
	}
}
