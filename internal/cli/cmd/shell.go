package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/app"
	"praxis/internal/cli/format"
	"praxis/internal/cli/tui"
	"praxis/internal/language"
	"praxis/internal/safetext"
)

const shellHelp = `Type code. An empty line ends a block; Tab completes; Ctrl-C interrupts the
code that runs; Ctrl-D and exit() end it. What is pasted is one piece, with ␤ for
its line breaks, and runs with Enter.

  :files         what is in the working folder
  :get NAME      copy a file from there to the folder of --out
  :put PATH      copy a file of this machine into it
  :restart       start a new interpreter: variables are gone, files stay (%reset)
  :save [LABEL]  keep a snapshot of the session now (named sessions)
  :help          this text
  :quit          end the shell
`

// shellTimeout bounds an execution when nothing else is said: a person who waits
// can press Ctrl-C.
const shellTimeout = 10 * time.Minute

// saveTime bounds how long a session may take to be saved when the shell is ended
// from outside.
const saveTime = 10 * time.Second

// exitRule matches what people type to end an interpreter.
var exitRule = regexp.MustCompile(`^(exit|quit)(\(\s*[0-9]*\s*\))?$`)

type shellCommand struct {
	p       *program
	flags   sessionFlags
	session string
	out     string
	files   []string
}

func (p *program) shellCommand() *cobra.Command {
	s := &shellCommand{p: p}
	cmd := &cobra.Command{
		Use: "shell", Short: "An interactive interpreter in a sandbox", Args: takes(0, 0, ""),
		Long: "An interactive interpreter in a sandbox.\n\n" + strings.TrimRight(shellHelp, "\n") +
			"\n\nPictures are saved in the folder of --out, the current one when it is not given.\nA named session is saved at the end.\nWith code piped in, the exit code says how the last of it ended.",
		RunE: func(cmd *cobra.Command, _ []string) error { return s.run(cmd.Context()) },
	}
	fs := cmd.Flags()
	fs.StringVar(&s.session, "session", "", "keep variables and files under this `NAME`")
	fs.StringVar(&s.out, "out", ".", "save pictures in this `DIR`")
	fs.StringArrayVar(&s.files, "file", nil, "copy the file at `PATH` into the working folder (may be repeated)")
	s.flags.register(cmd)
	fs.Lookup("timeout").Usage = "wall time of one execution (default 10m)"
	return cmd
}

// bounds returns those of an execution at the prompt.
func (s *shellCommand) bounds(cfg app.Config) event.Bounds {
	cfg.Execution.Timeout = max(cfg.Execution.Timeout, event.Duration(shellTimeout))
	return s.flags.bounds().Over(cfg.Execution)
}

// banner says what the person is in.
func (s *shellCommand) banner(cfg app.Config, l language.Language) string {
	where := "a session that ends with this shell"
	if s.session != "" {
		where = "session " + s.session + ", which is saved at the end"
	}
	limit := s.bounds(cfg).Timeout.String()
	if strings.HasSuffix(limit, "m0s") {
		limit = strings.TrimSuffix(limit, "0s")
	}
	return fmt.Sprintf("Praxis: %s in a sandbox, %s.\nOne execution may take %s (--timeout). :help for help, Ctrl-D to end.\n", l.Display, where, limit)
}

func (s *shellCommand) run(ctx context.Context) error {
	cfg, err := s.p.config()
	if err != nil {
		return err
	}
	inputs, err := app.LocalFiles(s.files)
	if err != nil {
		return err
	}
	if err := app.CheckFolder(s.out); err != nil {
		return err
	}
	if err := s.flags.warn(s.p.stderr); err != nil {
		return err
	}
	return s.p.withApp(func(a *app.App) (err error) {
		w, err := a.OpenSession(ctx, s.flags.session(s.session), s.p.quiet())
		s.p.settled()
		if err != nil {
			return err
		}
		defer s.p.closing(w, &err)
		if err := w.AddFiles(ctx, inputs); err != nil {
			return err
		}
		return s.loop(ctx, cfg, w)
	})
}

// shell is one conversation at the prompt.
type shell struct {
	*shellCommand
	cfg    app.Config
	w      *app.Session
	lines  tui.LineReader
	prompt bool
	dirty  bool         // something ran since the last save
	over   bool         // the session is
	last   event.Status // of the last code; 0 when none ran
}

func (s *shellCommand) loop(ctx context.Context, cfg app.Config, w *app.Session) (err error) {
	sh := &shell{shellCommand: s, cfg: cfg, w: w, prompt: isTerminal(s.p.stdin) && isTerminal(s.p.stdout)}
	if sh.prompt {
		typed, err := tui.NewTypedLines(s.p.stdout, filepath.Join(cfg.Home, "history"), sh.completer(ctx))
		if err != nil {
			return err
		}
		sh.lines = typed
		if err := s.p.emit(s.banner(cfg, w.Language())); err != nil {
			return errors.Join(err, typed.Close())
		}
	} else {
		sh.lines = tui.NewPlainLines(s.p.stdin)
	}
	defer func() { err = errors.Join(err, sh.lines.Close()) }()
	for ctx.Err() == nil && !sh.over {
		more, err := sh.turn(ctx)
		if err != nil && ctx.Err() == nil {
			return errors.Join(err, sh.saveChanges(ctx))
		}
		if !more {
			break
		}
	}
	if ctx.Err() != nil {
		// What ends the shell from outside must not cost the session's state.
		saved, stop := context.WithTimeout(context.WithoutCancel(ctx), saveTime)
		defer stop()
		return errors.Join(errInterrupted, sh.saveChanges(saved))
	}
	if err := sh.saveChanges(ctx); err != nil {
		return err
	}
	if code := statusCode(sh.last); sh.last != 0 && code != exitOK && !sh.prompt {
		return exitStatus{code} // what is piped in is a script, and whoever runs it needs the exit code
	}
	return nil
}

// saveChanges saves a named session that changed.
func (s *shell) saveChanges(ctx context.Context) error {
	if s.session == "" || !s.dirty || s.over {
		return nil
	}
	return s.save(ctx, "shell")
}

func (s *shell) save(ctx context.Context, label string) error {
	id, err := s.w.Save(ctx, label)
	if err != nil {
		return err
	}
	s.dirty = false
	return s.say("saved %s at snapshot %s", s.session, app.ShortID(id))
}

// say writes a line of our own, apart from what code prints.
func (s *shell) say(format string, args ...any) error {
	_, err := fmt.Fprintf(s.p.stderr, "praxis: "+format+"\n", args...)
	return err
}

// turn reads and does one thing. It returns false at the end.
func (s *shell) turn(ctx context.Context) (more bool, err error) {
	code, err := s.read()
	switch {
	case errors.Is(err, io.EOF):
		if s.prompt {
			err = s.p.emit("\n")
		} else {
			err = nil
		}
		if strings.TrimSpace(code) == "" || err != nil {
			return false, err
		}
		return false, s.execute(ctx, code)
	case errors.Is(err, tui.ErrAborted):
		return true, s.p.emit("KeyboardInterrupt\n")
	case err != nil:
		return false, err
	}
	trimmed := strings.TrimSpace(code)
	switch {
	case trimmed == "":
		return true, nil
	case exitRule.MatchString(trimmed):
		return false, nil
	case trimmed[0] == ':' || trimmed[0] == '%':
		s.lines.Remember(trimmed)
		more, err := s.command(ctx, trimmed)
		if err != nil && ctx.Err() == nil && errorCode(err) != exitPipe {
			report(s.p.stderr, err) // a command that fails does not end the conversation
			err = nil
		}
		return more, err
	}
	s.lines.Remember(code)
	return true, s.execute(ctx, code)
}

// read returns one whole piece of code.
func (s *shell) read() (string, error) {
	var b strings.Builder
	for prompt := ">>> "; ; prompt = "... " {
		line, err := s.lines.Line(prompt)
		if err != nil {
			return b.String(), err
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(line)
		if b.Len() == len(line) && strings.HasPrefix(strings.TrimSpace(line), ":") {
			return line, nil
		}
		whole := b.String()
		if strings.Contains(line, "\n") {
			whole = strings.TrimRight(whole, "\n ") + "\n" // one piece needs no empty line at its end
		}
		if !s.w.Language().NeedsMore(whole) {
			return b.String(), nil
		}
	}
}

func (s *shell) execute(ctx context.Context, code string) error {
	printer := newPrinter(s.p.stdout, s.p.stderr)
	cooked := s.lines.Running()
	done := s.p.interrupts.during(ctx, s.w.Interrupt)
	x, err := s.w.Execute(ctx, code, s.bounds(s.cfg), printer)
	done()
	cooked()
	if err != nil && s.prompt && ctx.Err() == nil {
		report(s.p.stderr, err) // a person can try again, or something else
		return nil
	}
	if err != nil {
		return err
	}
	s.dirty = s.dirty || x.State == event.Intact
	s.over, s.last = x.State == event.Gone, x.Status
	if err := printer.end(x); err != nil {
		return err
	}
	return s.keepPictures(app.Pictures(x))
}

// keepPictures saves what was drawn under the next free names.
func (s *shell) keepPictures(pics []app.Picture) error {
	if len(pics) == 0 {
		return nil
	}
	return s.toOut(func(o *app.Folder) error { return o.SavePictures(pics) })
}

// toOut opens the folder for one visit and says what was saved. What is there is kept.
func (s *shell) toOut(f func(*app.Folder) error) error {
	o, err := app.OpenFolder(s.out, s.w.Limits().Disk)
	if err != nil {
		report(s.p.stderr, err)
		return nil
	}
	err = errors.Join(f(o), o.Close())
	report(s.p.stderr, err)
	for _, saved := range o.Saved() {
		if err := s.say("saved %s (%s)", safetext.Line(saved.Path), safetext.Size(saved.Bytes)); err != nil {
			return err
		}
	}
	return nil
}

// command does what begins with a colon.
func (s *shell) command(ctx context.Context, line string) (more bool, err error) {
	name, arg, _ := strings.Cut(line, " ")
	arg = strings.TrimSpace(arg)
	switch name {
	case ":quit", ":q", ":exit":
		return false, nil
	case ":help", ":h":
		return true, s.p.emit(shellHelp)
	case ":files", "%files":
		return true, s.listFiles(ctx)
	case ":get":
		if arg == "" {
			return true, usage("praxis shell", ":get needs the name of a file, see :files")
		}
		return true, s.toOut(func(o *app.Folder) error {
			return o.Save(arg, func(to io.Writer) error { return s.w.ReadFile(ctx, workPath(arg), to) })
		})
	case ":put":
		inputs, err := app.LocalFiles([]string{arg})
		if err != nil {
			return true, err
		}
		return true, s.w.AddFiles(ctx, inputs)
	case ":restart", "%reset":
		if err := s.w.Restart(ctx); err != nil {
			return true, err
		}
		s.dirty = true
		return true, s.say("a new interpreter: variables are gone, files are kept")
	case ":save":
		if s.session == "" {
			return true, fault.New(fault.Conflict, "Start one with praxis shell --session NAME; files can be taken along with :get.",
				"cannot save: this session has no name, it ends with the shell")
		}
		if arg == "" {
			arg = "shell"
		}
		return true, s.save(ctx, arg)
	}
	return true, fault.New(fault.Invalid, "", "%s is not a command; see :help", safetext.Line(name))
}

// workPath is a path of the working folder. The guest's agent checks that it leads nowhere else.
func workPath(name string) string {
	if strings.HasPrefix(name, "/") {
		return name
	}
	return app.WorkDir + "/" + name
}

func (s *shell) listFiles(ctx context.Context) error {
	files, err := s.w.WorkFiles(ctx)
	if err != nil {
		return err
	}
	t := format.Headed("NAME", "SIZE", "CHANGED")
	for _, f := range files {
		t.Add(strings.TrimPrefix(f.Path, app.WorkDir+"/"), strconv.FormatInt(f.Bytes, 10), when(f.Changed))
	}
	if t.Empty() {
		return s.p.emit("There are no files.\n")
	}
	return s.p.emit(t.String())
}

// completeWait bounds how long a Tab may take: the guest may be slow on purpose.
const completeWait = 2 * time.Second

// completer asks the kernel. Only the line is sent: what is above it is not run yet.
func (s *shell) completer(ctx context.Context) func(string, int) (int, []string) {
	return func(line string, cursor int) (int, []string) {
		if strings.HasPrefix(line, ":") {
			return 0, matching(shellCommands[:], line)
		}
		if strings.TrimSpace(line) == "" {
			return cursor, []string{"    "}
		}
		ctx, stop := context.WithTimeout(ctx, completeWait)
		defer stop()
		c, err := s.w.Complete(ctx, line, utf8.RuneCountInString(line[:cursor]))
		if err != nil {
			return 0, nil // completion is a comfort: without it the person types on
		}
		var out []string
		for _, m := range c.Matches {
			// A match is put on the line that the person then runs: nothing in it may hide.
			if m == safetext.Line(m) {
				out = append(out, m)
			}
		}
		return byteOffset(line, c.Start), out
	}
}

var shellCommands = [...]string{":files", ":get ", ":help", ":put ", ":quit", ":restart", ":save"}

func matching(all []string, prefix string) []string {
	var out []string
	for _, c := range all {
		if strings.HasPrefix(c, prefix) {
			out = append(out, c)
		}
	}
	return out
}

// byteOffset is where the n-th character begins, or -1.
func byteOffset(s string, n int) int {
	for i := range s {
		if n == 0 {
			return i
		}
		n--
	}
	if n == 0 {
		return len(s)
	}
	return -1
}
