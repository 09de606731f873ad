package worlds_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// grammar is what generated plans are made of.
type grammar struct {
	pieces []piece
	by     map[string]int // the piece that binds a name
	act    []string       // statements that change state
	loops  []string       // those that branch on data: of mode strict alone
	eyes   []string       // expressions that look at it
}

// piece is a stretch of the plan that binds names.
type piece struct{ text string }

var (
	words = regexp.MustCompile(`[A-Za-z_][A-Za-z_0-9]*`)
	binds = regexp.MustCompile(`(?m)^(?:def |class |async def )([A-Za-z_0-9]+)|^([a-zA-Z_0-9, ]+) = |^(?:from \w+ )?import ([\w, ]+)$`)
)

func newGrammar(t testing.TB) *grammar {
	t.Helper()
	read := func(name string) string {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	g := &grammar{by: map[string]int{}}
	for _, part := range strings.Split("\n"+read("testdata/state.py"), "\n--- ")[1:] {
		_, text, _ := strings.Cut(part, "\n")
		for _, m := range binds.FindAllStringSubmatch(text, -1) {
			for _, name := range words.FindAllString(m[1]+m[2]+m[3], -1) {
				if _, twice := g.by[name]; !twice {
					g.by[name] = len(g.pieces)
				}
			}
		}
		g.pieces = append(g.pieces, piece{strings.TrimRight(text, "\n") + "\n"})
	}
	var list []string
	section := ""
	for line := range strings.Lines(read("testdata/plain.txt") + "## end") {
		switch line = strings.TrimSuffix(line, "\n"); {
		case strings.HasPrefix(line, "## "):
			switch {
			case section == "act":
				g.act = list
			case section == "branch":
				g.loops = list
			case section == "look":
				g.eyes = list
			case section == "quiet":
				for _, x := range list {
					g.act = append(g.act, "[lambda: "+x+", lambda: 1][U % 2]()")
					g.loops = append(g.loops, "if U > 0: "+x)
				}
			}
			section, list = line[3:], nil
		case line != "" && !strings.HasPrefix(line, "#"):
			list = append(list, strings.ReplaceAll(line, `\n`, "\n"))
		}
	}
	return g
}

// state is the text of the pieces that a plan uses.
func (g *grammar) state(body string) string {
	use := make([]bool, len(g.pieces))
	var need func(text string)
	need = func(text string) {
		for _, name := range words.FindAllString(text, -1) {
			if i, ok := g.by[name]; ok && !use[i] {
				use[i] = true
				need(g.pieces[i].text)
			}
		}
	}
	need(body)
	var b strings.Builder
	for i, p := range g.pieces {
		if use[i] {
			b.WriteString(p.text)
		}
	}
	return b.String()
}

// writer writes a plan at random: state that it shares between values that data can
// choose among, statements that change what data chose, and calls of sink that
// look at the state.
type writer struct {
	*rand.Rand
	*grammar
	b      strings.Builder
	depth  int
	strict bool // branches on data are written, too
	loops  int
	fresh  int
}

// program is the plan of a seed.
func (g *grammar) program(seed uint64, strict bool) string {
	w := &writer{Rand: rand.New(rand.NewPCG(seed, 11)), grammar: g, strict: strict && seed%2 == 0}
	for range 1 + w.IntN(3) {
		w.statement(2)
	}
	for range 2 + w.IntN(5) {
		w.look()
	}
	body := w.b.String()
	return g.state(body) + body
}

func (w *writer) one(list ...string) string { return list[w.IntN(len(list))] }

func (w *writer) line(format string, args ...any) {
	for line := range strings.Lines(fmt.Sprintf(format, args...)) {
		w.b.WriteString(strings.Repeat("    ", w.depth) + strings.TrimSuffix(line, "\n") + "\n")
	}
}

func (w *writer) untrusted() string {
	return w.one("n", "n", "n", "rec['n']", "len(data) - 1", "data[0]", "'abc'.index(k)", "(n + 1) % 3", "src.num()", "rec['l'][1]", "ord(rec['k']) - 97")
}

func (w *writer) index() string {
	if w.IntN(6) == 0 {
		return w.one("0", "1", "-1", "t", "len(xs) % 2")
	}
	return w.untrusted()
}

func (w *writer) key() string {
	if w.IntN(6) == 0 {
		return w.one("'a'", "'b'", "'abc'[t]")
	}
	return w.one("k", "k", "k", "rec['k']", "'abc'[n]", "src.key()", "chr(97 + n)")
}

func (w *writer) value() string {
	return w.one("1", "2", "5", "t", "n", "number", "len(ys)")
}

var holes = regexp.MustCompile(`\b[IKUV]\b`)

// fill writes what a template leaves open.
func (w *writer) fill(text string) string {
	return holes.ReplaceAllStringFunc(text, func(hole string) string {
		switch hole {
		case "I":
			return w.index()
		case "K":
			return w.key()
		case "U":
			return w.untrusted()
		}
		return w.value()
	})
}

// action changes something.
func (w *writer) action() {
	list := w.grammar.statements(w.strict)
	w.line("%s", w.fill(list[w.IntN(len(list))]))
}

// statements are those of a mode.
func (g *grammar) statements(strict bool) []string {
	if strict {
		return slices.Concat(g.act, g.loops)
	}
	return g.act
}

// of is a plan that has one statement and looks at what that could have changed.
func (g *grammar) of(statement string, n int) string {
	seed := uint64(n)
	for _, c := range statement {
		seed = 31*seed + uint64(c)
	}
	w := &writer{Rand: rand.New(rand.NewPCG(seed, 12)), grammar: g}
	w.line("%s", w.fill(statement))
	have := map[string]bool{}
	for _, name := range words.FindAllString(g.state(w.b.String()), -1) {
		have[name] = true
	}
	for _, x := range g.eyes {
		if n := words.FindString(x); have[n] || w.IntN(20) == 0 {
			w.line("sink(%s)", x)
		}
	}
	body := w.b.String()
	return g.state(body) + body
}

// sees looks at something.
func (w *writer) sees() string { return w.eyes[w.IntN(len(w.eyes))] }

func (w *writer) look() {
	x := w.sees()
	switch w.IntN(12) {
	case 0:
		w.line("print(%s)", x)
	case 1:
		w.line("sink(x=%s, y=%s)", x, w.sees())
	case 2:
		w.line("act(%s)", x)
	default:
		w.line("sink(%s)", x)
	}
}

// statement is an action, in strict mode mostly within something that data decides over.
func (w *writer) statement(deep int) {
	if !w.strict || deep == 0 || w.IntN(3) == 0 {
		switch w.IntN(8) {
		case 0:
			w.function()
		default:
			w.action()
		}
		return
	}
	w.compound(deep)
}

// function makes and calls a function of its own.
func (w *writer) function() {
	w.fresh++
	name := fmt.Sprintf("h%d", w.fresh)
	w.line("def %s(u):", name)
	w.depth++
	w.line("global number")
	w.action()
	w.line("return %s", w.one("u", "1", "xs", "o", "f1", "number"))
	w.depth--
	w.line("%s", w.fill(w.one(name+"(1)", name+"(ls[0])", "sink("+name+"(1))", name+"(I)", "["+name+", f1][I](V)", name+"(ls[I])",
		"list(map("+name+", data))", "list(map("+name+", [1, 2]))", "sorted(data, key="+name+")")))
}

// test is a condition that data decides.
func (w *writer) test() string {
	return w.one("n > 0", "n == 1", "k == 'a'", "len(data) > 1", "n", "not n", "rec['n'] in [0, 2]", "n < len(data) < 3", "src.num() > 0", "data", "number < n", "len(xs) > n", "isinstance(n, int) and n > 1", "data[0] or n")
}

func (w *writer) block(deep int) {
	w.depth++
	for range 1 + w.IntN(2) {
		switch w.IntN(9) {
		case 0:
			w.line("sink(%s)", w.one("1", "n", w.sees()))
		case 1:
			w.line("%s = %s", w.one("number", "a", "b", "t"), w.one("1", "n", "xs", "ys", "o", "f1", "number + 1", "c1"))
		case 2:
			if w.loops > 0 {
				w.line("if %s: %s", w.test(), w.one("break", "continue"))
				continue
			}
			w.line("raise %s", w.one("ValueError(1)", "KeyError(n)", "IndexError"))
			w.depth--
			return
		default:
			w.statement(deep - 1)
		}
	}
	w.depth--
}

func (w *writer) compound(deep int) {
	switch w.IntN(14) {
	case 0, 1, 2, 3:
		w.line("if %s:", w.test())
		w.block(deep)
		if w.IntN(2) == 0 {
			w.line("else:")
			w.block(deep)
		}
	case 4, 5:
		w.line("for x in %s:", w.one("data", "range(n)", "its[n]", "ls[n]", "g1", "zip(data, i1)", "list(data)", "sorted(d)", "os[:n]"))
		w.loops++
		w.block(deep)
		w.line("    break")
		w.loops--
	case 6:
		w.line("while %s:", w.test())
		w.loops++
		w.block(deep)
		w.line("    break")
		w.loops--
	case 7, 8:
		w.line("try:")
		w.block(deep)
		w.line("    %s", w.fill(w.one("src.fails()", "[1][U]", "{}[K]", "1 // U", "int(K)", "assert U", "xs.remove(U)", "act(U)", "next(i1)", "o.zz", "len(U)", "raise ValueError(U)")))
		w.line("except %s:", w.one("ValueError", "Exception as x", "(KeyError, IndexError)", "ToolError", "PermissionError", "ArithmeticError"))
		w.block(deep)
		if w.IntN(3) == 0 {
			w.line("%s:", w.one("finally", "else"))
			w.block(deep)
		}
	case 9:
		w.line("match %s:", w.one("n", "k", "data", "rec", "o", "(n, k)"))
		w.line("    case %s:", w.one("0 | 1", "'a'", "[x]", "[x, *y]", "{'n': 1}", "P(a=1)", "x if "+w.test()))
		w.depth++
		w.block(deep)
		w.depth--
		w.line("    case _:")
		w.depth++
		w.block(deep)
		w.depth--
	case 10:
		w.line("a = %s if %s else %s", w.one("xs", "o", "f1", "c1", "1", "f1(1)"), w.test(), w.one("ys", "p", "f2", "c2", "2", "c1()"))
		w.line("%s", w.one("a.append(1)", "a.put(1)", "a(1)", "sink(a)", "number = a", "pass"))
	case 11:
		w.line("%s %s %s", w.test(), w.one("and", "or"), w.fill(w.one("f1(1)", "c1()", "ls[I].append(1)", "sink(1)", "os[I].put(1)", "next(i1)")))
	case 12:
		w.line("%s", w.fill(w.one("[f1(x) for x in data if x > I]", "b = [x for x in xs if x > I]", "{x for x in os if x.tick() > I}", "any(f2(x) for x in data)", "all(c1() for x in data)", "a = [ls[x] for x in data if x]\nfor b in a: b.append(1)")))
	case 13:
		w.fresh++
		name := fmt.Sprintf("h%d", w.fresh)
		w.line("def %s(u):", name)
		w.depth++
		w.line("if %s: return %s", w.test(), w.one("1", "xs", "o", "f1"))
		w.line("return %s", w.one("2", "ys", "p", "f2"))
		w.depth--
		w.line("a = %s(1)", name)
		w.line("%s", w.one("a.append(1)", "a.put(1)", "a(1)", "sink(a)", "number = a", "pass"))
	}
}
