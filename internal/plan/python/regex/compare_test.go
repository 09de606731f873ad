package regex

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"praxis/internal/test/cpython"
)

// probe is the Python side of the comparison: it does with every case what
// answer does, and prints the answers as lines of JSON.
const probe = `
import json, re, signal
class Slow(Exception): pass
def slow(*_): raise Slow
signal.signal(signal.SIGALRM, slow)

def codes(x):
    if x is None: return None
    return [ord(c) for c in x]

def match(m):
    if m is None: return None
    return [[list(r) for r in m.regs], m.lastindex or 0]

def fault(e):
    return "error"

def answer(c):
    text = lambda x: "".join(map(chr, x or []))
    try:
        p = re.compile(text(c["pattern"]), c["flags"])
    except Slow:
        raise
    except Exception as e:
        return fault(e)
    out = [p.groups, list(map(list, p.groupindex.items())), p.flags]
    for s in c["subjects"] or []:
        s = text(s)
        pos, end = c["pos"], min(c["end"], len(s))
        one = [match(p.search(s, pos, end)), match(p.match(s, pos, end)), match(p.fullmatch(s, pos, end))]
        one.append([match(m) for m in p.finditer(s)])
        one.append([match(m) for m in p.finditer(s, pos, end)])
        one.append([codes(x) for x in p.split(s, c["limit"])])
        try:
            one.append(codes(p.sub(text(c["repl"]), s, c["limit"])))
        except Slow:
            raise
        except Exception as e:
            one.append(fault(e))
        out.append(one)
    return out

for c in json.loads(CASES):
    signal.setitimer(signal.ITIMER_REAL, 1)
    try:
        a = answer(c)
    except Slow:
        a = "slow"
    signal.setitimer(signal.ITIMER_REAL, 0)
    print(json.dumps(a, separators=(",", ":"), ensure_ascii=True))
`

// example is one pattern with what is done with it.
type example struct {
	Pattern  []rune   `json:"pattern"`
	Flags    Flags    `json:"flags"`
	Subjects [][]rune `json:"subjects"`
	Repl     []rune   `json:"repl"`
	Pos      int      `json:"pos"`
	End      int      `json:"end"`
	Limit    int      `json:"limit"`
}

func (e example) text(rs []rune) Text {
	return Str(string(rs))
}

func (e example) String() string {
	s := fmt.Sprintf("%q", string(e.Pattern))
	s += fmt.Sprintf(" flags %d pos %d end %d limit %d repl %q subjects", e.Flags, e.Pos, e.End, e.Limit, string(e.Repl))
	for _, x := range e.Subjects {
		s += fmt.Sprintf(" %q", string(x))
	}
	return s
}

func matchOf(m *Match) any {
	if m == nil {
		return nil
	}
	regs := make([][2]int, m.Groups()+1)
	for i := range regs {
		regs[i][0], regs[i][1], _ = m.Span(i)
	}
	return []any{regs, m.LastIndex}
}

func codesOf(t Text) []int {
	out := make([]int, t.Len())
	for i := range out {
		out[i] = int(t.At(i))
	}
	return out
}

// answer is what this package says to an example, as probe prints it.
func (e example) answer(t testing.TB) string {
	p, err := Compile(e.text(e.Pattern), e.Flags)
	if err != nil {
		if strings.Contains(err.Msg, "not supported here") {
			return compact(t, err.Msg)
		}
		return compact(t, "error")
	}
	names := [][2]any{}
	for _, n := range p.Names() {
		names = append(names, [2]any{n.Name, n.Group})
	}
	out := []any{p.Groups(), names, p.Flags()}
	for _, s := range e.Subjects {
		out = append(out, e.subject(t, p, e.text(s)))
	}
	return compact(t, out)
}

func (e example) subject(t testing.TB, p *Program, s Text) []any {
	var one []any
	budget := int64(20_000_000)
	for _, mode := range []Mode{Search, Prefix, FullMatch} {
		m, err := p.Exec(s, mode, e.Pos, e.End, &budget)
		if err != nil {
			return []any{err.Error()}
		}
		one = append(one, matchOf(m))
	}
	for _, bounds := range [][2]int{{0, s.Len()}, {e.Pos, e.End}} {
		all, err := p.FindAll(s, bounds[0], bounds[1], &budget)
		if err != nil {
			return []any{err.Error()}
		}
		ms := []any{}
		for _, m := range all {
			ms = append(ms, matchOf(m))
		}
		one = append(one, ms)
	}
	pieces, err := p.Split(s, e.Limit, &budget)
	if err != nil {
		return []any{err.Error()}
	}
	split := []any{}
	for _, x := range pieces {
		if !x.OK {
			split = append(split, nil)
			continue
		}
		split = append(split, codesOf(s)[x.Begin:x.End])
	}
	one = append(one, split)
	repl, bad := ParseTemplate(e.text(e.Repl), p)
	if bad != nil {
		return append(one, "error")
	}
	sub, _, err := p.Sub(s, repl, e.Limit, 1<<20, &budget)
	if err != nil {
		return []any{err.Error()}
	}
	return append(one, codesOf(Str(sub)))
}

func compact(t testing.TB, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// normal brings an answer of Python into the form that Go's JSON has.
func normal(t testing.TB, line string) string {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(line), &v); err != nil {
		t.Fatalf("CPython answered %q: %v", line, err)
	}
	return compact(t, v)
}

// compare compares examples with CPython. It returns how many were compared and
// how many were wrong; the first wrong ones are reported.
func compare(t testing.TB, py *cpython.Python, examples []example) (done, wrong int) {
	t.Helper()
	list := compact(t, examples)
	reply, err := py.Run(cpython.Program{Code: "CASES = " + pyString(list) + "\n" + probe, Seconds: 600})
	if err != nil {
		t.Fatal(err)
	}
	if reply.Error != "" {
		t.Fatalf("the probe failed: %s", reply.Error)
	}
	lines := strings.Split(strings.TrimSuffix(reply.Out, "\n"), "\n")
	if len(lines) != len(examples) {
		t.Fatalf("CPython gave %d answers to %d examples", len(lines), len(examples))
	}
	for i, e := range examples {
		if lines[i] == `"slow"` {
			continue
		}
		want, got := normal(t, lines[i]), normal(t, e.answer(t))
		if strings.Contains(got, ErrSteps.Error()) || strings.Contains(got, "not supported here") {
			continue
		}
		done++
		if got != want {
			wrong++
			if wrong <= 10 {
				got, want = firstDifference(got, want)
				t.Errorf("%v\n got %s\nwant %s", e, got, want)
			}
		}
	}
	return done, wrong
}

// pyString writes a text that is ASCII but for what JSON leaves alone as a
// literal of Python.
func pyString(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < ' ' || r > '~':
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// firstDifference cuts two answers down to the first part that differs.
func firstDifference(got, want string) (string, string) {
	for {
		var a, b []json.RawMessage
		if json.Unmarshal([]byte(got), &a) != nil || json.Unmarshal([]byte(want), &b) != nil || len(a) != len(b) {
			return got, want
		}
		i := 0
		for i < len(a) && string(a[i]) == string(b[i]) {
			i++
		}
		if i == len(a) || len(a[i]) < 60 && len(b[i]) < 60 {
			return got, want
		}
		got, want = string(a[i]), string(b[i])
	}
}
