package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"praxis/event"
	"praxis/internal/app"
	"praxis/internal/cli/format"
	"praxis/internal/cli/tui"
	"praxis/internal/language"
	"praxis/internal/lazyregexp"
	"praxis/internal/safetext"
)

const shellHelp = `Type code. Enter runs it, or begins the next line of a block, which an empty line
ends; a block that is pasted or recalled runs as a whole. Tab completes, Ctrl-R
searches what was typed before, Ctrl-C interrupts the code that runs; Ctrl-D and
exit() end the shell.

  NAME?          signature and documentation of an object
  !COMMAND       run a command in the sandbox's shell
  %sql, %bash …   type that language from here on; %sql CODE runs one line of it;
                 %python goes back
  %timeit CODE   measure how long code takes
  %pip, %npm     add packages: %pip install NAME; %pip list shows what there is
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
var exitRule = lazyregexp.New(`^(exit|quit)(\(\s*[0-9]*\s*\))?$`)

type shellCommand struct {
	p       *program
	flags   sessionFlags
	session string
	lang    string
	out     string
	files   []string
	json    bool
	full    bool
}

func (p *program) shellCommand() *cobra.Command {
	s := &shellCommand{p: p}
	cmd := &cobra.Command{
		Use: "shell", Short: "An interactive interpreter in a sandbox", Args: takes(0, 0, ""),
		Long: "An interactive interpreter in a sandbox, of Python or the language of --lang;\nothers can be typed in between.\n\n" + strings.TrimRight(shellHelp, "\n") +
			"\n\nPictures are saved in the folder of --out, the current one when it is not given.\nA named session is saved at the end.\nWith code piped in, the exit code says how the last of it ended.",
		RunE: func(cmd *cobra.Command, _ []string) error { return s.run(cmd.Context()) },
	}
	fs := cmd.Flags()
	fs.StringVar(&s.session, "session", "", "keep variables and files under this `NAME`")
	fs.StringVar(&s.lang, "lang", "", "the `LANGUAGE` that is typed first (default python)")
	fs.StringVar(&s.out, "out", ".", "save pictures in this `DIR`")
	fs.StringArrayVar(&s.files, "file", nil, "copy the file at `PATH` into the working folder (may be repeated)")
	fs.BoolVar(&s.json, "json", false, "print one JSON object an execution, without a prompt")
	fs.BoolVar(&s.full, "full", false, fullUsage)
	s.flags.register(cmd)
	s.flags.registerReadOnly(cmd)
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
	if err := s.flags.warn(s.p); err != nil {
		return err
	}
	spec := s.flags.session(s.session)
	if s.lang != "" {
		spec.Languages = []string{s.lang}
	}
	return s.p.inSession(ctx, spec, func(w shellSession) error {
		s.p.settled()
		if err := w.AddFiles(ctx, inputs); err != nil {
			return err
		}
		return s.loop(ctx, cfg, w)
	})
}

// language is the one that the conversation begins in.
func (s *shellCommand) language(w shellSession) (language.Language, error) {
	if s.lang == "" {
		return w.Language(), nil
	}
	return w.Speaks(s.lang)
}

// shell is one conversation at the prompt.
type shell struct {
	*shellCommand
	cfg    app.Config
	w      shellSession
	lang   language.Language // of what is typed now
	pieces tui.PieceReader
	prompt bool
	dirty  bool         // something ran since the last save
	over   bool         // the session is
	last   event.Status // of the last code; 0 when none ran
}

func (s *shellCommand) loop(ctx context.Context, cfg app.Config, w shellSession) (err error) {
	lang, err := s.language(w)
	if err != nil {
		return err
	}
	sh := &shell{shellCommand: s, cfg: cfg, w: w, lang: lang, prompt: isTerminal(s.p.stdin) && isTerminal(s.p.stdout) && s.p.getenv("TERM") != "dumb" && !s.json}
	pieces := tui.Pieces{Language: func() language.Language { return sh.lang }, Command: sh.isCommand}
	if sh.prompt {
		if err := s.p.emit(s.banner(cfg, lang)); err != nil {
			return err
		}
		sh.pieces = tui.NewTypedPieces(tui.Typing{
			Pieces: pieces, Style: s.p.styleOf(s.p.stdout), History: filepath.Join(cfg.Home, "history"), Complete: sh.completer(ctx),
		})
	} else {
		sh.pieces = tui.NewPlainPieces(s.p.stdin, pieces)
	}
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
	code, err := s.pieces.Piece(ctx)
	switch {
	case errors.Is(err, io.EOF):
		if strings.TrimSpace(code) == "" {
			return false, nil
		}
		return false, s.execute(ctx, code)
	case errors.Is(err, tui.ErrAborted):
		if ctx.Err() != nil {
			return false, nil
		}
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
	}
	if err := s.pieces.Remember(code); err != nil {
		report(s.p.stderr, err)
	}
	if !s.isCommand(trimmed) {
		return true, s.execute(ctx, code)
	}
	more, err = s.command(ctx, trimmed)
	if err != nil && ctx.Err() == nil && errorCode(err) != exitPipe {
		report(s.p.stderr, err) // a command that fails does not end the conversation
		err = nil
	}
	return more, err
}

// execute runs code of the language that is typed now.
func (s *shell) execute(ctx context.Context, code string) error {
	return s.executeIn(ctx, s.lang, code)
}

func (s *shell) executeIn(ctx context.Context, lang language.Language, code string) error {
	printer := newPrinter(s.p.stdout, s.p.stderr)
	printer.show = s.flags.inPlace(s.p, s.p.stdout)
	if !s.full {
		printer.excerpted("praxis shell --full shows all")
	}
	sink := event.Sink(printer)
	if s.json {
		sink = event.Discard
	}
	done := s.p.interrupts.during(ctx, func(ctx context.Context) error { return s.w.Interrupt(ctx, lang.Name) })
	bounds := s.bounds(s.cfg)
	if !s.json {
		bounds.Columns = columns(s.p.stdout) // now: a window can be resized
	}
	x, err := s.w.Execute(ctx, lang.Name, code, bounds, sink)
	done()
	if err != nil && s.prompt && ctx.Err() == nil {
		report(s.p.stderr, err) // a person can try again, or something else
		return nil
	}
	if err != nil {
		return err
	}
	s.dirty = s.dirty || x.State == event.Intact
	s.over, s.last = x.State == event.Gone, x.Status
	if s.json {
		err = s.p.printJSON(x)
	} else {
		err = printer.end(x)
	}
	if m := s.w.MissingOf(x); m != nil && err == nil && !s.json {
		err = s.say("%s", missingText(*m, installer(*m)+" install "+m.Package))
	}
	if err != nil {
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
	if s.json {
		return s.p.printJSON(struct {
			Files []app.File `json:"files"`
		}{orEmpty(files)})
	}
	if t.Empty() {
		return s.p.emit("There are no files.\n")
	}
	return s.p.emit(format.Fitted(t, s.p.columns()))
}
