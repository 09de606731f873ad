package approval

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"praxis/fault"
	"praxis/internal/safetext"
	"praxis/internal/tool"
	"praxis/internal/tool/gate"
)

// Bounds of what a terminal shows of a question and reads as an answer.
const (
	shownHead        = 400 // bytes of a long value: its beginning
	shownTail        = 160 // and its end
	shownArgs        = 40
	shownWhole       = 64 << 10 // of all arguments, when somebody asks to see them
	shownText        = 600      // of a reason or a description
	shownLabel       = 8        // sources of an argument, readers of it
	shownName        = 80       // of a text that a value stands in
	shownMarks       = 6        // of one kind on an argument
	shownDescription = 4000
	maxTries         = 3
	minimal          = 20 // characters of the narrowest terminal that lines are made for
	usualWidth       = 80
	widestRuler      = 100
)

// Terminal asks a person. Questions are asked one after the other, each on a screen
// of its own where the terminal has a second one. What was typed before one was
// shown, and for a moment after that, is thrown away, as is what follows its answer,
// so that no line answers a question that it was not meant for. Calls that reach
// others take a word that is made up for each question: neither habit nor a false
// question that a guest printed before can have it typed.
type Terminal struct {
	out    io.Writer
	width  int
	height int // lines; 0: unknown, and nothing is shown by pages
	who    string
	in     *input
	turn   chan struct{} // holds a token while nobody asks
	second bool          // the terminal has a second screen
	hold   func(restore func()) (release func())
	settle func(ctx context.Context) error // waits while what is typed does not count
	word   func() string                   // that agrees to an external call
	// measure returns the width and the height as they are now; nil: they do not change.
	measure func() (columns, rows int)
	// watch calls with what a person does to the program beside the question, by
	// Ctrl-Z or Ctrl-\, until it is ended.
	watch func(did func(error)) (end func())
}

// What a person does to the program while a question is open.
var (
	errSuspended = errors.New("the program was suspended")
	errQuit      = errors.New("the question was given up")
)

// ErrElsewhere is the cause by which a question is given up that somebody else answered.
var ErrElsewhere = errors.New("the question was answered elsewhere")

// NewTerminal asks on any reader and writer. Where the reader has
// SetReadDeadline, it is not read outside questions; else a question that nobody
// answered may leave one read behind, whose input is thrown away.
func NewTerminal(in io.Reader, out io.Writer, width int, who string) *Terminal {
	if width < minimal {
		width = usualWidth
	}
	t := &Terminal{
		out: out, width: min(width, widestRuler), who: safetext.Clip(safetext.Line(who), maxWho), in: newInput(in), turn: make(chan struct{}, 1),
		hold: func(func()) func() { return func() {} }, word: newWord,
		settle: func(context.Context) error { return nil },
		watch:  func(func(error)) func() { return func() {} },
	}
	t.turn <- struct{}{}
	return t
}

// OpenTerminal asks on the terminal of this process, wherever its standard
// streams go. Without one the error is a fault of kind Unavailable.
func OpenTerminal(c Config) (*Terminal, error) {
	f, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return nil, fault.Coded(fault.TerminalMissing, nil, "cannot ask on the terminal: there is none")
	}
	if c.Who == "" {
		c.Who = os.Getenv("USER")
	}
	return onTerminal(f, c), nil
}

// onTerminal asks on a terminal of the system.
func onTerminal(f *os.File, c Config) *Terminal {
	t := NewTerminal(f, f, 0, c.Who)
	t.in.flush = func() { discardTyped(f) }
	t.second, t.settle, t.watch = !c.Plain, settle, watchSignals
	t.measure = func() (int, int) { return size(f) }
	if c.Hold != nil {
		t.hold = c.Hold
	}
	return t
}

// settling is how long what is typed does not count after a question appeared: it
// was meant for what stood there before.
const settling = 700 * time.Millisecond

func settle(ctx context.Context) error {
	select {
	case <-time.After(settling):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// newWord makes up a word of four letters, of which nobody knows before. It begins
// with none of the letters that answers begin with.
func newWord() string {
	const first, others, vowels = "bdfgklmpstz", "bdfgklmnprstz", "aiou"
	var random [4]byte
	_, _ = rand.Read(random[:]) // never fails
	var word []byte
	for i, letters := range [...]string{first, vowels, others, vowels} {
		word = append(word, letters[int(random[i])%len(letters)])
	}
	return string(word)
}

// Close takes a question away that is still open, and closes what the terminal
// reads, if that can be closed.
func (t *Terminal) Close() error {
	select {
	case <-t.turn: // whose question is over as soon as its context is
		defer func() { t.turn <- struct{}{} }()
	case <-time.After(closing):
	}
	if c, ok := t.in.from.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

// closing bounds how long a question may take to go away.
const closing = time.Second

// Approve asks. The answer is no when the input ends or ctx does.
func (t *Terminal) Approve(ctx context.Context, q gate.Question) (gate.Answer, error) {
	if q.Tool == nil {
		return denied(gate.ByTimeout, "", "cannot ask: the question names no tool"), nil
	}
	select {
	case <-t.turn:
	case <-ctx.Done():
		return unanswered(ctx, ""), nil
	}
	defer func() { t.turn <- struct{}{} }()
	if ctx.Err() != nil {
		return unanswered(ctx, ""), nil
	}
	if q.Granted != nil { // while this one waited for its turn
		if a, ok := q.Granted(); ok {
			return a, nil
		}
	}
	a, err := t.alone(ctx, q)
	switch {
	case err == nil:
		return a, nil
	case ctx.Err() != nil:
		return unanswered(ctx, ""), nil
	case errors.Is(err, context.Canceled):
		return denied(gate.ByNobody, "", "the question was interrupted"), nil
	case errors.Is(err, io.EOF):
		return denied(gate.ByTimeout, "", "nobody answered: the input of the terminal ended"), nil
	}
	return denied(gate.ByTimeout, "", "nobody could be asked on the terminal: %v", err), nil
}

// alone asks while nothing else is written, on the second screen if there is one,
// and leaves a line on the first that says what came of it.
func (t *Terminal) alone(ctx context.Context, q gate.Question) (a gate.Answer, err error) {
	ctx, stop := context.WithCancel(ctx)
	restore := sync.OnceFunc(func() {
		stop()
		if t.second {
			_ = t.say("\x1b[?1049l")
		}
	})
	release := t.hold(restore)
	defer release()
	status := "not asked to the end, denied"
	defer func() {
		restore()
		_ = t.say("\npraxis: " + safetext.Line(q.Tool.Name) + " (call " + safetext.OneLine(q.ID, 40) + "): " + status + "\n")
	}()
	a, err = t.untilAnswered(ctx, q)
	switch {
	case errors.Is(context.Cause(ctx), ErrElsewhere):
		status = "answered elsewhere"
	case err != nil:
	case a.Granted:
		status = "approved " + map[gate.Scope]string{gate.Once: "once", gate.Exact: "for exactly these arguments", gate.Whole: "for this run"}[a.Scope]
	default:
		status = "denied"
	}
	return a, err
}

// untilAnswered asks, and asks anew when the program goes on after it was suspended:
// what was on the screen then is not there any more.
func (t *Terminal) untilAnswered(ctx context.Context, q gate.Question) (gate.Answer, error) {
	for {
		if t.second {
			if err := t.say("\x1b[0m\x1b[?1049h\x1b[2J\x1b[H"); err != nil {
				return gate.Answer{}, err
			}
		}
		within, stop := context.WithCancelCause(ctx)
		end := t.watch(stop)
		a, err := t.ask(within, q)
		end()
		suspended := errors.Is(context.Cause(within), errSuspended)
		stop(nil)
		if err == nil || !suspended || ctx.Err() != nil {
			return a, err
		}
		if t.second {
			if err := t.say("\x1b[?1049l"); err != nil {
				return a, err
			}
		}
		suspend()
		if ctx.Err() != nil {
			return a, ctx.Err()
		}
	}
}

func (t *Terminal) ask(ctx context.Context, q gate.Question) (gate.Answer, error) {
	if t.measure != nil {
		if t.width, t.height = t.measure(); t.width < minimal {
			t.width = usualWidth
		}
		t.width = min(t.width, widestRuler)
	}
	word := ""
	if q.Tool.Effects == tool.External {
		word = t.word()
	}
	text, first := t.question(q), true
	for tries := 0; tries < maxTries; {
		refused, err := t.show(ctx, text, first)
		if err != nil {
			return gate.Answer{}, err
		}
		if refused {
			return t.refuse(ctx, true, "")
		}
		first = false
		if err := t.say(t.prompt(word)); err != nil {
			return gate.Answer{}, err
		}
		line, err := t.in.line(ctx)
		if err != nil {
			return gate.Answer{}, err
		}
		answer := parseTyped(line, word)
		switch answer.verb {
		case agree:
			return gate.Answer{Granted: true, Scope: answer.scope, By: gate.ByPerson, Who: t.who, Reason: safetext.Clip(safetext.Line(answer.rest), maxReason)}, nil
		case refusal:
			return t.refuse(ctx, strings.TrimSpace(line) != "" && answer.rest == "", answer.rest)
		case view:
			text = t.whole(q)
		case explain:
			text = t.explanation(q, word)
		default:
			tries++
			text = "That is not an answer.\n"
			if word != "" {
				text = "That is not an answer: this call reaches others, so it takes the word.\n"
			}
		}
	}
	return denied(gate.ByNobody, t.who, "the answers could not be understood"), nil
}

// show writes a text page by page, so that all of it was on the screen before the
// answer, and throws away what was typed before the last page. refused says that
// the person wanted no more of it.
func (t *Terminal) show(ctx context.Context, text string, first bool) (refused bool, err error) {
	lines := strings.SplitAfter(text, "\n")
	page := len(lines)
	if t.height > 0 {
		page = max(t.height-reserved, 4)
	}
	for {
		n := min(page, len(lines))
		if err := t.say(strings.Join(lines[:n], "")); err != nil {
			return false, err
		}
		if first {
			if err := t.settle(ctx); err != nil {
				return false, err
			}
		}
		lines, first = lines[n:], false
		if err := t.in.discard(); err != nil {
			return false, err
		}
		if len(strings.Join(lines, "")) == 0 {
			return false, nil
		}
		if err := t.say("More: Enter goes on, n says no: "); err != nil {
			return false, err
		}
		line, err := t.in.line(ctx)
		if err != nil {
			return false, err
		}
		if line = strings.ToLower(strings.TrimSpace(line)); line == "n" || line == "no" {
			return true, nil
		}
	}
}

// reserved are the lines of a screen that the prompt may take.
const reserved = 5

func (t *Terminal) prompt(word string) string {
	if word == "" {
		return "Agree?  y once · e exactly these arguments · r this run · n no · v view all · ? explain [n]: "
	}
	return fmt.Sprintf("Agree?  Type %q for once, \"e %s\" for exactly these arguments, \"r %s\" for this run · n no · v view all · ? explain [n]: ", word, word, word)
}

// verb is what an answer does. The zero value is no answer.
type verb int

const (
	agree verb = iota + 1
	refusal
	view
	explain
)

type typed struct {
	verb  verb
	scope gate.Scope
	rest  string // what was typed behind it: the reason
}

// parseTyped reads an answer. With a word, nothing without it agrees.
func parseTyped(line, word string) typed {
	head, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	head, rest = strings.ToLower(head), strings.TrimSpace(rest)
	switch head {
	case "", "n", "no":
		return typed{verb: refusal, rest: rest}
	case "v", "view":
		return typed{verb: view}
	case "?", "h", "help":
		return typed{verb: explain}
	}
	scope := map[string]gate.Scope{"y": gate.Once, "yes": gate.Once, "e": gate.Exact, "exact": gate.Exact, "r": gate.Whole, "run": gate.Whole}[head]
	if word != "" {
		if scope == "" {
			scope = gate.Once
		} else {
			head, rest, _ = strings.Cut(rest, " ")
			rest = strings.TrimSpace(rest)
		}
		if strings.ToLower(head) != word {
			return typed{}
		}
	}
	if scope == "" {
		return typed{}
	}
	return typed{verb: agree, scope: scope, rest: rest}
}

// refuse returns a no, for which it asks why if the person said no and nothing more.
func (t *Terminal) refuse(ctx context.Context, why bool, reason string) (gate.Answer, error) {
	if why && t.say("Why? (the model reads it; empty: no reason) ") == nil {
		line, err := t.in.line(ctx)
		if err == nil {
			reason = line
		}
	}
	reason = strings.TrimSpace(reason)
	if reason == "" {
		reason = "the person said no"
	}
	return denied(gate.ByPerson, t.who, "%s", reason), nil
}

func (t *Terminal) say(s string) error {
	_, err := io.WriteString(t.out, s)
	return err
}
