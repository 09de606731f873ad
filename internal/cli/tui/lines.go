package tui

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/peterh/liner"

	"praxis/fault"
	"praxis/internal/app"
)

// LineReader reads what a person types, or what is piped in.
type LineReader interface {
	// Line returns the next line without its end. ErrAborted is Ctrl-C, io.EOF the end.
	// A line with line breaks in it was pasted, or recalled, as one piece.
	Line(prompt string) (string, error)
	// Remember adds a piece of code to the history.
	Remember(code string)
	// Running says that code runs: the terminal is to behave as it usually
	// does until the returned function is called.
	Running() (done func())
	Close() error
}

var ErrAborted = errors.New("aborted")

// maxLine bounds one line of piped input.
const maxLine = 1 << 20

// plainLines reads lines that no person types.
type plainLines struct{ scan *bufio.Scanner }

func NewPlainLines(r io.Reader) *plainLines {
	s := bufio.NewScanner(r)
	s.Buffer(nil, maxLine)
	return &plainLines{s}
}

func (l *plainLines) Line(string) (string, error) {
	if l.scan.Scan() {
		return l.scan.Text(), nil
	}
	if err := l.scan.Err(); err != nil {
		return "", fault.New(fault.Invalid, "Run long code with praxis run.", "cannot read standard input: %w", err)
	}
	return "", io.EOF
}

func (l *plainLines) Remember(string) {}

func (l *plainLines) Running() func() { return func() {} }

// Close does nothing: the stream is not ours.
func (l *plainLines) Close() error { return nil }

// typedLines reads from a terminal, with history and completion. A person's
// lines are few: one that is wrong in the history is not worth an error.
type typedLines struct {
	state         *liner.State
	keys          *keyboard // nil: the terminal could not be opened again
	screen        io.Writer
	cooked, typed liner.ModeApplier
	history       string
}

// NewTypedLines takes the terminal over. complete returns what may stand in
// place of the bytes from start to the cursor.
func NewTypedLines(screen io.Writer, history string, complete func(line string, cursor int) (start int, matches []string)) (*typedLines, error) {
	cooked, err := liner.TerminalMode()
	if err != nil {
		return nil, fmt.Errorf("cannot use the terminal: %w", err)
	}
	l := &typedLines{screen: screen, cooked: cooked, history: history}
	if keys, err := openKeyboard(); err == nil {
		l.keys = keys
		stdin := os.Stdin
		os.Stdin = keys.File // the editor takes its input from there once, now
		l.state = liner.NewLiner()
		os.Stdin = stdin
	} else {
		l.state = liner.NewLiner()
	}
	l.state.SetCtrlCAborts(true)
	l.state.SetTabCompletionStyle(liner.TabPrints)
	l.state.SetWordCompleter(func(line string, cursor int) (string, []string, string) {
		// The cursor counts characters.
		r := []rune(line)
		cursor = min(max(cursor, 0), len(r))
		head, tail := string(r[:cursor]), string(r[cursor:])
		before, last := lastLine(head)
		start, matches := complete(last, len(last))
		if start < 0 || start > len(last) {
			return head, nil, tail
		}
		return before + fold(last[:start]), matches, tail
	})
	if l.typed, err = liner.TerminalMode(); err != nil {
		return nil, errors.Join(fmt.Errorf("cannot use the terminal: %w", err), l.giveBack())
	}
	if f, err := os.Open(history); err == nil {
		// A history that cannot be read whole is a shorter history.
		_, _ = l.state.ReadHistory(io.LimitReader(f, maxHistory))
		_ = f.Close()
	}
	return l, nil
}

const maxHistory = 4 << 20

func (l *typedLines) Line(prompt string) (string, error) {
	if l.keys != nil {
		// A terminal that does not know the mode ignores it; that it is gone shows at the prompt.
		_, _ = io.WriteString(l.screen, pasteOn)
		defer func() { _, _ = io.WriteString(l.screen, pasteOff) }()
	}
	s, err := l.state.Prompt(prompt)
	if errors.Is(err, liner.ErrPromptAborted) {
		return "", ErrAborted
	}
	// A terminal that is too narrow for the editor is read without it, sequences and all.
	return unfold(strings.ReplaceAll(s, pasteBegin, "")), err
}

// maxRemembered bounds one piece of the history: who pastes a book does not recall it.
const maxRemembered = 16 << 10

func (l *typedLines) Remember(code string) {
	code = strings.TrimRight(code, "\n ")
	if strings.TrimSpace(code) != "" && len(code) <= maxRemembered {
		l.state.AppendHistory(fold(code))
	}
}

// Running gives the terminal back its signals, so that Ctrl-C reaches us while code runs.
func (l *typedLines) Running() func() {
	// Without the terminal's help Ctrl-C is only read at the next prompt.
	_ = l.cooked.ApplyMode()
	return func() { _ = l.typed.ApplyMode() }
}

// Close saves the history whole and gives the terminal back.
func (l *typedLines) Close() error {
	return errors.Join(l.save(), l.giveBack())
}

// giveBack ends reading from the terminal and restores its mode.
func (l *typedLines) giveBack() error {
	err := l.state.Close()
	if l.keys != nil {
		err = errors.Join(err, l.keys.Close())
	}
	return err
}

func (l *typedLines) save() error {
	if err := os.MkdirAll(filepath.Dir(l.history), 0o700); err != nil {
		return fmt.Errorf("cannot save history: %w", err)
	}
	var b bytes.Buffer
	if _, err := l.state.WriteHistory(&b); err != nil {
		return fmt.Errorf("cannot save history: %w", err)
	}
	return app.SaveFile(l.history, true, b.Bytes())
}
