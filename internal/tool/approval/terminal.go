package approval

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"praxis/fault"
	"praxis/internal/safetext"
	"praxis/internal/tool"
	"praxis/internal/tool/gate"
)

// Bounds of what a terminal shows of a question and reads as an answer.
const (
	shownHead   = 400 // bytes of a long value: its beginning
	shownTail   = 160 // and its end
	shownArgs   = 40
	shownWhole  = 64 << 10 // of all arguments, when somebody asks to see them
	shownText   = 600      // of a reason or a description
	shownLabel  = 8        // sources of an argument, readers of it
	maxTries    = 3
	minimal     = 20 // characters of the narrowest terminal that lines are made for
	usualWidth  = 80
	widestRuler = 100
)

// Terminal asks a person. Questions are asked one after the other; what was
// typed before one was shown is thrown away, as is what follows its answer, so that
// no line answers a question that it was not meant for.
type Terminal struct {
	out   io.Writer
	width int
	who   string
	in    *input
	turn  chan struct{} // holds a token while nobody asks
}

// NewTerminal asks on any reader and writer. Where the reader has
// SetReadDeadline, it is not read outside questions; else a question that nobody
// answered may leave one read behind, whose input is thrown away.
func NewTerminal(in io.Reader, out io.Writer, width int, who string) *Terminal {
	if width < minimal {
		width = usualWidth
	}
	t := &Terminal{out: out, width: min(width, widestRuler), who: safetext.Clip(safetext.Line(who), maxWho), in: newInput(in), turn: make(chan struct{}, 1)}
	t.turn <- struct{}{}
	return t
}

// OpenTerminal asks on the terminal of this process, wherever its standard
// streams go. Without one the error is a fault of kind Unavailable.
func OpenTerminal(who string) (*Terminal, error) {
	f, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return nil, fault.Coded(fault.TerminalMissing, nil, "cannot ask on the terminal: there is none")
	}
	if who == "" {
		who = os.Getenv("USER")
	}
	t := NewTerminal(f, f, columns(f), who)
	t.in.flush = func() { discardTyped(f) }
	return t, nil
}

// Close closes what the terminal reads, if that can be closed.
func (t *Terminal) Close() error {
	if c, ok := t.in.from.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

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
	a, err := t.ask(ctx, q)
	switch {
	case err == nil:
		return a, nil
	case ctx.Err() != nil:
		t.say("\n(no longer asked: denied)\n")
		return unanswered(ctx, ""), nil
	case errors.Is(err, io.EOF):
		return denied(gate.ByTimeout, "", "nobody answered: the input of the terminal ended"), nil
	}
	return denied(gate.ByTimeout, "", "nobody could be asked on the terminal: %v", err), nil
}

func (t *Terminal) ask(ctx context.Context, q gate.Question) (gate.Answer, error) {
	text := t.question(q)
	if err := t.in.discard(); err != nil {
		return gate.Answer{}, err
	}
	for range maxTries {
		if err := t.say(text + "Agree?  y once · e exactly these arguments · r this run · n no · v view all [n]: "); err != nil {
			return gate.Answer{}, err
		}
		line, err := t.in.line(ctx)
		if err != nil {
			return gate.Answer{}, err
		}
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		granted := gate.Answer{Granted: true, By: gate.ByPerson, Who: t.who, Reason: safetext.Clip(safetext.Line(strings.TrimSpace(rest)), maxReason)}
		switch strings.ToLower(word) {
		case "y", "yes":
			granted.Scope = gate.Once
			return granted, nil
		case "e", "exact":
			granted.Scope = gate.Exact
			return granted, nil
		case "r", "run":
			granted.Scope = gate.Whole
			return granted, nil
		case "", "n", "no":
			return t.refuse(ctx, strings.ToLower(word) != "" && rest == "", rest)
		case "v", "view":
			text = t.whole(q)
		default:
			text = "That is not an answer.\n"
		}
		if err := t.in.discard(); err != nil {
			return gate.Answer{}, err
		}
	}
	return denied(gate.ByNobody, t.who, "the answers could not be understood"), nil
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

// question is what a person has to see before agreeing. Everything in it comes
// from elsewhere, so nothing of it reaches the terminal as it is.
func (t *Terminal) question(q gate.Question) string {
	var b strings.Builder
	rule := strings.Repeat("─", t.width)
	fmt.Fprintf(&b, "\n%s\n%s %s asks to be called (%s).\n", rule, safetext.Line(q.Tool.Name), safetext.Line(string(q.Tool.Version)), effects(q.Tool.Effects))
	t.block(&b, "  says       ", safetext.OneLine(q.Tool.Description, shownText))
	by := map[gate.Origin]string{gate.Model: "the model", gate.Code: "code in the sandbox", gate.Plan: "the plan", gate.Person: "a person at the command line"}[q.Origin]
	if by == "" {
		by = safetext.OneLine(string(q.Origin), 40)
	}
	fmt.Fprintf(&b, "  called by  %s", by)
	if q.Line > 0 {
		fmt.Fprintf(&b, ", line %d", q.Line)
	}
	fmt.Fprintf(&b, " (call %s of run %s)\n", safetext.OneLine(q.ID, 40), safetext.OneLine(q.Run, 40))
	t.block(&b, "  asked for  ", safetext.OneLine(q.Reason, shownText))
	t.block(&b, "  by rule    ", safetext.OneLine(q.Rule, shownText))
	t.arguments(&b, q)
	return b.String()
}

func effects(e tool.Effects) string {
	switch e {
	case tool.Pure:
		return "pure: it changes nothing"
	case tool.Read:
		return "read: it changes nothing"
	case tool.Write:
		return "write: it changes what is yours"
	case tool.External:
		return "external: it reaches others"
	}
	return e.String()
}

func (t *Terminal) arguments(b *strings.Builder, q gate.Question) {
	if q.Arguments == nil || q.Arguments.Len() == 0 {
		b.WriteString("  without arguments\n")
		return
	}
	b.WriteString("  arguments\n")
	n, clipped := 0, false
	for name, v := range q.Arguments.All() {
		if n++; n > shownArgs {
			clipped = true
			fmt.Fprintf(b, "    … and %s more\n", safetext.Number(q.Arguments.Len()-shownArgs))
			break
		}
		text, whole := value(v)
		clipped = clipped || !whole
		t.block(b, "    "+named(name)+" = ", text)
		if l, ok := q.Labels[name]; ok {
			t.block(b, "      from ", some(l.Sources, "the program itself"))
			t.block(b, "      ", trust(l.Trusted)+"; "+readers(l.Anyone, l.Readers))
		}
	}
	if clipped {
		b.WriteString("  Not all is shown: v shows it.\n")
	}
}

func trust(trusted bool) string {
	if trusted {
		return "trusted"
	}
	return "NOT trusted"
}

func readers(anyone bool, names []string) string {
	if anyone {
		return "everyone may read it"
	}
	return "for " + some(names, "nobody")
}

func some(names []string, none string) string {
	if len(names) == 0 {
		return none
	}
	var out []string
	for i, name := range names {
		if i == shownLabel {
			out = append(out, safetext.Number(len(names)-shownLabel)+" more")
			break
		}
		out = append(out, safetext.OneLine(name, 100))
	}
	return strings.Join(out, ", ")
}

// block writes a text that comes from elsewhere. Its lines are broken here and
// marked, so that no part of it can look like a line of the question.
func (t *Terminal) block(b *strings.Builder, prefix, text string) {
	if text == "" {
		return
	}
	b.WriteString(prefix)
	column := utf8.RuneCountInString(prefix)
	for _, r := range text {
		wide := 1
		if r >= 0x1100 { // most of what is wide begins there
			wide = 2
		}
		if column+wide > t.width {
			b.WriteString("\n" + margin)
			column = utf8.RuneCountInString(margin)
		}
		b.WriteRune(r)
		column += wide
	}
	b.WriteByte('\n')
}

const margin = "        │ "

// named writes the name of an argument, in quotes unless it is a plain word.
func named(name string) string {
	plain := name != "" && len(name) <= 60
	for i := range len(name) {
		c := name[i]
		plain = plain && (c == '_' || c == '-' || (c >= '0' && c <= '9') || (c|0x20 >= 'a' && c|0x20 <= 'z'))
	}
	if plain {
		return name
	}
	text, _ := compact(safetext.Clip(name, 60))
	return text
}

// value writes a JSON value on one line with nothing hidden. Of a long one it
// shows both ends, the size and a digest, so that two long values that differ do
// not look the same.
func value(v any) (text string, whole bool) {
	data, err := compact(v)
	if err != nil {
		return "(a value that is no JSON)", false
	}
	if len(data) <= shownHead+shownTail {
		return data, true
	}
	tail := len(data) - shownTail
	for tail < len(data) && !utf8.RuneStart(data[tail]) {
		tail++
	}
	return fmt.Sprintf("%s ⟪%s of %s, SHA-256 %.16x…⟫ %s", safetext.Clip(data, shownHead), safetext.Size(int64(tail-shownHead)), safetext.Size(int64(len(data))), sha256.Sum256([]byte(data)), data[tail:]), false
}

func compact(v any) (string, error) {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return "", err
	}
	// Joiners are invisible too, and nobody misses them in an argument.
	text := string(safetext.JSON([]byte(strings.TrimSpace(b.String()))))
	return strings.NewReplacer("\u200c", `\u200c`, "\u200d", `\u200d`).Replace(text), nil
}

// whole shows all arguments, each on lines of its own.
func (t *Terminal) whole(q gate.Question) string {
	var b strings.Builder
	b.WriteByte('\n')
	if q.Arguments != nil {
		for name, v := range q.Arguments.All() {
			text, err := compact(v)
			if err != nil {
				text = "(a value that is no JSON)"
			}
			t.block(&b, "    "+named(name)+" = ", text)
			if b.Len() > shownWhole {
				return safetext.Clip(b.String(), shownWhole) + "\n    … the rest is not shown: it is too long for a terminal\n"
			}
		}
	}
	return b.String()
}

// input reads lines, one question at a time.
type input struct {
	from  io.Reader
	stop  interface{ SetReadDeadline(t time.Time) error } // nil: reads cannot be stopped
	flush func()                                          // throws away what the system holds
	late  chan chunk                                      // of a read that is still under way, else nil
}

type chunk struct {
	data []byte
	err  error
}

// maxLine is how much of an answer is read.
const maxLine = 4096

func newInput(from io.Reader) *input {
	in := &input{from: from}
	if f, ok := from.(interface{ SetReadDeadline(t time.Time) error }); ok && f.SetReadDeadline(time.Time{}) == nil {
		in.stop = f
	}
	return in
}

// discard throws away what was typed before now.
func (in *input) discard() error {
	if in.flush != nil {
		in.flush()
	}
	if in.late != nil {
		select {
		case c := <-in.late:
			in.late = nil
			return c.err
		default:
		}
	}
	if in.stop == nil {
		return nil
	}
	// What is there is read; an empty stream ends at once.
	if err := in.stop.SetReadDeadline(time.Now().Add(drain)); err != nil {
		return err
	}
	defer in.stop.SetReadDeadline(time.Time{})
	buf := make([]byte, maxLine)
	for range maxDrained {
		if _, err := in.from.Read(buf); errors.Is(err, os.ErrDeadlineExceeded) {
			return nil
		} else if err != nil {
			return err
		}
	}
	return errors.New("its input does not end")
}

const (
	drain      = 20 * time.Millisecond
	maxDrained = 4096 // reads; somebody floods the terminal then
)

// line reads one line. What follows it in the same read is thrown away.
func (in *input) line(ctx context.Context) (string, error) {
	var line []byte
	for {
		c, err := in.read(ctx)
		if err != nil {
			return "", err
		}
		line = append(line, c.data...)
		if i := slices.IndexFunc(line, func(b byte) bool { return b == '\n' || b == '\r' || b == 3 || b == 4 }); i >= 0 {
			if line[i] == 3 || line[i] == 4 { // Ctrl-C or Ctrl-D of a raw terminal
				return "", io.EOF
			}
			return string(line[:i]), nil
		}
		switch {
		case len(line) > maxLine:
			return "", errors.New("the line is too long")
		case errors.Is(c.err, io.EOF):
			return "", io.EOF // half a line is no answer
		case c.err != nil:
			return "", c.err
		}
	}
}

// read reads once, or ends with ctx.
func (in *input) read(ctx context.Context) (chunk, error) {
	if err := ctx.Err(); err != nil {
		return chunk{}, err
	}
	if in.late == nil {
		late := make(chan chunk, 1)
		in.late = late
		go func() {
			buf := make([]byte, maxLine)
			n, err := in.from.Read(buf)
			late <- chunk{buf[:n], err}
		}()
	}
	select {
	case c := <-in.late:
		in.late = nil
		return c, nil
	case <-ctx.Done():
	}
	if in.stop != nil && in.stop.SetReadDeadline(time.Unix(1, 0)) == nil {
		<-in.late
		in.late = nil
		in.stop.SetReadDeadline(time.Time{})
	}
	return chunk{}, ctx.Err()
}
