package cmd

import (
	"context"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"praxis/fault"
	"praxis/internal/app"
	"praxis/internal/language"
	"praxis/internal/lazyregexp"
	"praxis/internal/safetext"
)

// inspectRule matches an expression with the question mark that asks what it is.
var inspectRule = lazyregexp.New(`^\??([\pL_][\pL\pN_.\[\]'"]*)\?{1,2}$|^\?([\pL_][\pL\pN_.\[\]'"]*)$`)

// commandRule matches a line that begins as a command of the shell's does.
var commandRule = lazyregexp.New(`^[:%]\pL`)

// isCommand says that a line is for the shell, and no code of the language that is typed.
func (s *shell) isCommand(line string) bool {
	if line == "" || strings.Contains(line, "\n") {
		return false
	}
	prompt := s.lang.Prompt
	return commandRule.MatchString(line) || line[0] == '!' && prompt.Shell != nil || prompt.Inspect != nil && inspectRule.MatchString(line)
}

// command does what is no code.
func (s *shell) command(ctx context.Context, line string) (more bool, err error) {
	prompt := s.lang.Prompt
	if m := inspectRule.FindStringSubmatch(line); m != nil {
		return true, s.generate(ctx, line, prompt.Inspect, m[1]+m[2])
	}
	if line[0] == '!' {
		return true, s.generate(ctx, "!", prompt.Shell, strings.TrimSpace(line[1:]))
	}
	name, arg, _ := strings.Cut(line, " ")
	arg = strings.TrimSpace(arg)
	switch name {
	case "%timeit":
		return true, s.generate(ctx, name, prompt.Time, arg)
	case "%pip", "%npm":
		return true, s.packages(ctx, name, arg)
	case ":quit", ":q", ":exit":
		return false, nil
	case ":help", ":h", "%help":
		return true, s.p.document(s.json, shellHelp)
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
		if err := s.w.Restart(ctx, s.lang.Name); err != nil {
			return true, err
		}
		s.dirty = true
		return true, s.say("a new interpreter: variables are gone, files are kept")
	case ":save":
		return true, s.saveAs(ctx, arg)
	}
	if lang, err := s.w.Speaks(strings.TrimPrefix(name, "%")); err == nil && name[0] == '%' {
		return true, s.speak(ctx, lang, arg)
	}
	return true, fault.New(fault.Invalid, "", "%s is not a command; see :help", safetext.Line(name))
}

// speak changes the language that is typed, or runs one line of another one.
func (s *shell) speak(ctx context.Context, lang language.Language, code string) error {
	if code != "" {
		return s.executeIn(ctx, lang, code)
	}
	s.lang = lang
	return s.say("%s from here on", lang.Display)
}

// generate runs the code that a language has for a command.
func (s *shell) generate(ctx context.Context, name string, code func(string) string, arg string) error {
	switch {
	case code == nil:
		return fault.New(fault.Invalid, "", "%s has no %s", s.lang.Display, safetext.Line(name))
	case arg == "":
		return usage("praxis shell", "%s needs something after it, see :help", name)
	}
	return s.execute(ctx, code(arg))
}

func (s *shell) saveAs(ctx context.Context, label string) error {
	if s.session == "" {
		return fault.New(fault.Conflict, "Start one with praxis shell --session NAME; files can be taken along with :get.",
			"cannot save: this session has no name, it ends with the shell")
	}
	if label == "" {
		label = "shell"
	}
	return s.save(ctx, label)
}

// completeWait bounds how long a Tab may take: the guest may be slow on purpose.
const completeWait = 2 * time.Second

// completer asks the kernel, which sees the whole piece.
func (s *shell) completer(ctx context.Context) func(string, int) (int, []string) {
	return func(code string, cursor int) (int, []string) {
		if strings.HasPrefix(code, ":") || strings.HasPrefix(code, "%") {
			return 0, matching(shellCommands[:], code[:cursor])
		}
		ctx, stop := context.WithTimeout(ctx, completeWait)
		defer stop()
		c, err := s.w.Complete(ctx, s.lang.Name, code, utf8.RuneCountInString(code[:cursor]))
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
		return byteOffset(code, c.Start), out
	}
}

var shellCommands = [...]string{"%pip install ", "%pip list", "%reset", "%timeit ", ":files", ":get ", ":help", ":put ", ":quit", ":restart", ":save"}

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
