package tui

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/reeflective/readline"

	"praxis/fault"
	"praxis/internal/cli/format"
	"praxis/internal/language"
)

// PieceReader reads code that a person types, or that is piped in, piece by piece.
type PieceReader interface {
	// Piece returns the next whole piece of code. ErrAborted is Ctrl-C, io.EOF the
	// end, with which the last piece may come.
	Piece(ctx context.Context) (string, error)
	// Remember adds a piece of code to the history.
	Remember(code string) error
}

// ErrAborted says that a person pressed Ctrl-C.
var ErrAborted = errors.New("aborted")

// maxLine bounds one line of piped input.
const maxLine = 1 << 20

// Pieces says what a piece of code is.
type Pieces struct {
	// Language is that of the next piece.
	Language func() language.Language
	// Command says that a line is no code but a command, which is one line.
	Command func(line string) bool
}

// more says whether somebody who typed code has more to type.
func (p Pieces) more(code string) bool {
	return !p.Command(strings.TrimSpace(code)) && p.Language().NeedsMore(code)
}

// plainPieces reads what no person types.
type plainPieces struct {
	Pieces
	scan *bufio.Scanner
}

// NewPlainPieces reads pieces from a stream.
func NewPlainPieces(r io.Reader, p Pieces) PieceReader {
	s := bufio.NewScanner(r)
	s.Buffer(nil, maxLine)
	return &plainPieces{p, s}
}

// Piece implements PieceReader.
func (l *plainPieces) Piece(context.Context) (string, error) {
	var b strings.Builder
	for l.scan.Scan() {
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(l.scan.Text())
		if !l.more(b.String()) {
			return b.String(), nil
		}
	}
	if err := l.scan.Err(); err != nil {
		return "", fault.New(fault.Invalid, "Run long code with praxis run.", "cannot read standard input: %w", err)
	}
	return b.String(), io.EOF
}

// Remember implements PieceReader.
func (l *plainPieces) Remember(string) error { return nil }

// Typing says how pieces are typed at a terminal.
type Typing struct {
	Pieces
	Style   format.Style
	History string // path of its file
	// Complete returns what may stand in place of the bytes from start to the cursor.
	Complete func(code string, cursor int) (start int, matches []string)
}

// typedPieces reads from a terminal. A piece is edited whole, however many lines
// it has; Enter runs it where nothing is open and begins a line otherwise.
type typedPieces struct {
	Typing
	shell   *readline.Shell
	history *history
	pasted  string // the whole piece after the last paste
	indent  string // of the line that Enter began
}

// NewTypedPieces reads pieces from the terminal at standard input. The terminal
// is taken over while a piece is typed, and as it was while code runs.
func NewTypedPieces(t Typing) PieceReader {
	l := &typedPieces{Typing: t, shell: readline.NewShell(), history: openHistory(t.History)}
	sh := l.shell
	// What a person's own settings of the editor say of these would not fit code.
	for name, value := range map[string]any{
		"convert-meta": false, "input-meta": true, "output-meta": true, // text is UTF-8
		"enable-bracketed-paste": true, "menu-complete-display-prefix": true, "blink-matching-paren": false,
		// The editor drops keys that come together with the terminal's answer to where
		// the cursor is; paint makes the space that it asks for.
		"cursor-position-probe": false,
		"autopairs":             false, "history-autosuggest": false, "echo-control-characters": false, "completion-ignore-case": false,
	} {
		_ = sh.Config.Set(name, value) // fails for a name of another kind alone: a test sees them all
	}
	sh.Prompt.Primary(func() string { return ">>> " })
	sh.History.Add("history", l.history)
	sh.AcceptMultiline = l.accept
	sh.SyntaxHighlighter = func(line []rune) string { return l.paint(string(line)) }
	sh.Completer = l.complete
	sh.PasteTransformer = func(text string) string {
		text = cleanTyped(text)
		before, after := l.around()
		l.pasted = before + text + after
		return text
	}
	commands := sh.Keymap.Commands()
	enter, rub, menu := commands["accept-line"], commands["backward-delete-char"], commands["menu-complete"]
	sh.Keymap.Register(map[string]func(){
		"accept-line":          func() { l.enter(enter) },
		"backward-delete-char": func() { l.erase(rub) },
		"complete":             func() { l.tab(menu) },
		"previous-history":     commands["up-line-or-history"], // the arrows go through a block first
		"next-history":         commands["down-line-or-history"],
		endCommand:             l.end,
	})
	for keymap := range sh.Config.Binds {
		_ = sh.Config.Bind(keymap, string(endKey), endCommand, false) // never fails
	}
	return l
}

// promptWidth is what the prompt takes of each line.
const promptWidth = 4

// paint highlights a piece that is about to be drawn from the cursor on. Before it
// the screen is scrolled until the piece and one line below have their place: ESC D
// goes down a line, at the bottom too, and keeps the column.
func (l *typedPieces) paint(code string) string {
	rows := 1
	for line := range strings.SplitSeq(code, "\n") {
		rows += 1 + (promptWidth+format.ColumnsOf(line))/max(l.Style.Width, promptWidth+1)
	}
	return strings.Repeat("\x1bD", rows) + fmt.Sprintf("\x1b[%dA", rows) + highlight(l.Style, l.Language(), code)
}

// around returns the text before and behind the cursor.
func (l *typedPieces) around() (before, after string) {
	text := *l.shell.Line()
	at := min(max(l.shell.Cursor().Pos(), 0), len(text))
	return string(text[:at]), string(text[at:])
}

// accept says whether Enter runs the piece. It does where the cursor is on the
// last line and nothing is open; a block ends with an empty line, but for one
// that was pasted or recalled whole.
func (l *typedPieces) accept(line []rune) bool {
	text := string(line)
	before, after := l.around()
	whole := text
	if text == l.pasted || l.history.has(text) {
		whole = strings.TrimRight(text, "\n ") + "\n"
	}
	if !strings.Contains(strings.TrimRight(after, " \n"), "\n") && !l.more(whole) {
		return true
	}
	if indent := l.Language().Prompt.Indent; indent != nil {
		l.indent = indent(before)
	}
	return false
}

func (l *typedPieces) enter(library func()) {
	l.indent = ""
	library()
	if l.indent != "" {
		l.shell.Cursor().InsertAt([]rune(l.indent)...)
	}
}

// tabWidth is how far Tab and Backspace go where a line begins.
const tabWidth = 4

// blanks returns how many blanks are before the cursor, if its line has nothing else there.
func (l *typedPieces) blanks() (n int, only bool) {
	before, _ := l.around()
	line := before[strings.LastIndexByte(before, '\n')+1:]
	return len(line), strings.Trim(line, " ") == ""
}

func (l *typedPieces) erase(library func()) {
	times := 1
	if n, only := l.blanks(); only && n > 0 {
		times = (n-1)%tabWidth + 1
	}
	for range times {
		library()
	}
}

func (l *typedPieces) tab(library func()) {
	if n, only := l.blanks(); only {
		l.shell.Cursor().InsertAt([]rune(strings.Repeat(" ", tabWidth-n%tabWidth))...)
		return
	}
	library()
}

// complete gives the editor what may stand before the cursor. The editor wants
// some text that all of it begins with, and counts it in bytes.
func (l *typedPieces) complete(line []rune, cursor int) readline.Completions {
	code := string(line)
	at := len(string(line[:min(max(cursor, 0), len(line))]))
	start, matches := l.Complete(code, at)
	if start < 0 || start > at || at == 0 {
		return readline.Completions{}
	}
	from := start
	if start == at {
		from-- // nothing is typed yet: the character before stands for it
	}
	begun, lead := code[from:at], code[from:start]
	var values []readline.Completion
	for _, m := range matches {
		if begun == strings.ToValidUTF8(begun, "") && len([]rune(begun)) == len(begun) {
			values = append(values, readline.Completion{Value: lead + m, Display: m})
		}
	}
	out := readline.CompleteRaw(values).NoSpace()
	out.PREFIX = begun
	return out
}

// Ctrl-C ends what is typed, whatever the editor is doing. It is pressed for the
// person when the command is ended from outside.
const (
	endKey     = '\x03'
	endCommand = "end-of-piece"
)

func (l *typedPieces) end() {
	l.shell.Display.AcceptLine()
	l.shell.History.Accept(false, false, readline.ErrInterrupt)
}

// Piece implements PieceReader.
func (l *typedPieces) Piece(ctx context.Context) (string, error) {
	l.pasted = ""
	stop := context.AfterFunc(ctx, func() {
		l.shell.Keys.Feed(false, endKey)
		l.shell.Keys.RequestRefresh()
	})
	defer stop()
	text, err := l.shell.Readline()
	switch {
	case errors.Is(err, readline.ErrInterrupt):
		return "", ErrAborted
	case errors.Is(err, io.EOF):
		return "", io.EOF
	case err != nil:
		return "", fmt.Errorf("cannot read from the terminal: %w", err)
	}
	return strings.TrimRight(text, " \t\n"), nil
}

// Remember implements PieceReader.
func (l *typedPieces) Remember(code string) error { return l.history.add(code) }
