package vm

import (
	"math"
	"strings"

	"praxis/internal/plan/regex"
)

// regexCall is a function of module re or a method of a pattern: p is the
// pattern, a the arguments behind it, three of them at least.
type regexCall func(t *Thread, p *RePattern, a []Value) (Value, error)

// regexNatives are the functions of module re.
func regexNatives() []*Native {
	fn := func(name, params string, flags int, f regexCall) *Native {
		return &Native{name: "re." + name, params: params, call: func(t *Thread, a *Args) (Value, error) {
			p, err := t.pattern(a.Pos[0], a.Pos[flags])
			if err != nil {
				return Value{}, err
			}
			rest := append(append(make([]Value, 0, 4), a.Pos[1:flags]...), Value{}, Value{}, Value{})
			return f(t, p, rest)
		}}
	}
	return []*Native{
		fn("compile", "pattern, flags=0", 1, func(t *Thread, p *RePattern, a []Value) (Value, error) {
			return Value{k: kSpecial, o: p}, nil
		}),
		fn("search", "pattern, string, flags=0", 2, execCall(regex.Search)),
		fn("match", "pattern, string, flags=0", 2, execCall(regex.Prefix)),
		fn("fullmatch", "pattern, string, flags=0", 2, execCall(regex.FullMatch)),
		fn("findall", "pattern, string, flags=0", 2, findAll),
		fn("finditer", "pattern, string, flags=0", 2, findIter),
		fn("split", "pattern, string, maxsplit=0, flags=0", 3, splitCall),
		fn("sub", "pattern, repl, string, count=0, flags=0", 4, subCall(false)),
		fn("subn", "pattern, repl, string, count=0, flags=0", 4, subCall(true)),
		{name: "re.escape", params: "pattern", call: regexEscape},
		{name: "re.purge", params: "", call: func(t *Thread, a *Args) (Value, error) { return none, nil }},
		{name: "re._matches", params: "pattern, string, count, /", call: regexMatches},
	}
}

// regexMethods are the methods of patterns and matches.
func regexMethods() []*Native {
	var out []*Native
	method := func(name, params string, f regexCall) {
		out = append(out, &Native{name: "re.Pattern." + name, params: params, call: func(t *Thread, a *Args) (Value, error) {
			p, ok := a.Pos[0].o.(*RePattern)
			if !ok {
				return Value{}, t.wrongSelf("Pattern."+name, a.Pos[0])
			}
			t.see(p.src.l)
			if _, err := t.program(p); err != nil {
				return Value{}, err
			}
			return f(t, p, append(append(make([]Value, 0, 4), a.Pos[1:]...), Value{}, Value{}, Value{}))
		}})
	}
	const part = "self, string, pos=0, endpos=9223372036854775807"
	method("search", part, execCall(regex.Search))
	method("match", part, execCall(regex.Prefix))
	method("fullmatch", part, execCall(regex.FullMatch))
	method("findall", part, findAll)
	method("finditer", part, findIter)
	method("split", "self, string, maxsplit=0", splitCall)
	method("sub", "self, repl, string, count=0", subCall(false))
	method("subn", "self, repl, string, count=0", subCall(true))
	method("__repr__", "self, /", patternRepr)
	method("__eq__", "self, value, /", func(t *Thread, p *RePattern, a []Value) (Value, error) {
		q, ok := a[0].o.(*RePattern)
		if !ok {
			return notImplemented, nil
		}
		other, err := t.program(q)
		if err != nil {
			return Value{}, err
		}
		same, err := t.equal(p.src, q.src)
		return boolValue(same && p.src.k == q.src.k && p.prog.Flags() == other.Flags()), err
	})
	method("__hash__", "self, /", func(t *Thread, p *RePattern, a []Value) (Value, error) {
		h, err := t.hash(p.src)
		return intValue(int64(h) ^ p.flags), err
	})
	return append(out, matchMethods()...)
}

func execCall(mode regex.Mode) regexCall {
	return func(t *Thread, p *RePattern, a []Value) (Value, error) {
		s, err := t.newSearch(p, a[0], a[1], a[2])
		if err != nil {
			return Value{}, err
		}
		return s.exec(mode)
	}
}

func findAll(t *Thread, p *RePattern, a []Value) (Value, error) {
	s, err := t.newSearch(p, a[0], a[1], a[2])
	if err != nil {
		return Value{}, err
	}
	ms, err := s.all()
	if err != nil {
		return Value{}, err
	}
	out := make([]Value, len(ms))
	groups := s.prog.Groups()
	group := func(m *regex.Match, i int) (Value, error) {
		b, e, ok := m.Span(i)
		if !ok {
			b, e = 0, 0
		}
		return s.piece(b, e)
	}
	for i, m := range ms {
		switch groups {
		case 0, 1:
			out[i], err = group(m, groups)
		default:
			row := make([]Value, groups)
			for g := range row {
				if row[g], err = group(m, g+1); err != nil {
					return Value{}, err
				}
			}
			out[i] = t.tuple(row).with(t.seen)
		}
		if err != nil {
			return Value{}, err
		}
	}
	return t.list(out), nil
}

// matchList makes the values of all matches, count of them if count is positive.
func (s *search) matchList(count int64) (Value, error) {
	ms, err := s.all()
	if err != nil {
		return Value{}, err
	}
	if count > 0 && int64(len(ms)) > count {
		ms = ms[:count]
	}
	out := make([]Value, len(ms))
	for i, m := range ms {
		if out[i], err = s.match(m); err != nil {
			return Value{}, err
		}
	}
	return s.t.list(out), nil
}

func findIter(t *Thread, p *RePattern, a []Value) (Value, error) {
	s, err := t.newSearch(p, a[0], a[1], a[2])
	if err != nil {
		return Value{}, err
	}
	v, err := s.matchList(0)
	if err != nil {
		return Value{}, err
	}
	return t.iter(v)
}

// regexMatches is finditer for the library: at most count matches, in a list.
func regexMatches(t *Thread, a *Args) (Value, error) {
	p, err := t.pattern(a.Pos[0], Value{})
	if err != nil {
		return Value{}, err
	}
	s, err := t.newSearch(p, a.Pos[1], Value{}, Value{})
	if err != nil {
		return Value{}, err
	}
	n, err := t.count(a.Pos[2])
	if err != nil {
		return Value{}, err
	}
	return s.matchList(n)
}

// count reads an argument that bounds how often something is done; 0: no bound.
func (t *Thread) count(v Value) (int64, error) {
	if v.k == kUnset {
		return 0, nil
	}
	return t.intArg(v)
}

func splitCall(t *Thread, p *RePattern, a []Value) (Value, error) {
	s, err := t.newSearch(p, a[0], Value{}, Value{})
	if err != nil {
		return Value{}, err
	}
	limit, err := t.count(a[1])
	if err != nil {
		return Value{}, err
	}
	if limit < 0 {
		v, err := s.piece(0, s.text.Len())
		return t.list([]Value{v}), err
	}
	pieces, err := s.prog.Split(s.text, int(min(limit, math.MaxInt32)), &s.budget)
	if err = s.spent(err); err != nil {
		return Value{}, err
	}
	if err := t.alloc(int64(len(pieces)) * valueBytes); err != nil {
		return Value{}, err
	}
	out := make([]Value, len(pieces))
	for i, x := range pieces {
		if !x.OK {
			out[i] = none.with(t.seen)
			continue
		}
		if out[i], err = s.piece(x.Begin, x.End); err != nil {
			return Value{}, err
		}
	}
	return t.list(out), nil
}

// subCall is sub, or subn, which tells the number of replacements, too.
func subCall(counted bool) regexCall {
	return func(t *Thread, p *RePattern, a []Value) (Value, error) {
		s, err := t.newSearch(p, a[1], Value{}, Value{})
		if err != nil {
			return Value{}, err
		}
		limit, err := t.count(a[2])
		if err != nil {
			return Value{}, err
		}
		if t.callable(a[0]) {
			m, err := t.Import("re")
			if err != nil {
				return Value{}, err
			}
			fn, _ := m.names.str("_sub")
			args := []Value{{k: kSpecial, o: p}, a[0], a[1], intValue(limit), boolValue(counted)}
			return t.tailCall(fn, args, nil, nil)
		}
		repl := t.base(a[0])
		t.see(repl.l)
		if repl.k != kStr && repl.k != kBytes {
			return Value{}, t.raise(t.types.TypeError, "decoding to str: need a bytes-like object, %s found", t.className(a[0]))
		}
		if repl.k != s.v.k {
			return Value{}, t.raise(t.types.TypeError, "sequence item 0: expected %s instance, %s found", replWord(s.v), t.className(a[0]))
		}
		text, n, err := s.replace(repl, limit)
		if err != nil {
			return Value{}, err
		}
		v := t.bytes(text)
		if s.v.k == kStr {
			if v, err = t.newStr(text); err != nil {
				return Value{}, err
			}
		}
		if !counted {
			return v, nil
		}
		return t.tuple([]Value{v, intValue(int64(n))}), nil
	}
}

func replWord(v Value) string {
	if v.k == kBytes {
		return "a bytes-like object"
	}
	return "str"
}

func (s *search) replace(repl Value, limit int64) (string, int, error) {
	t := s.t
	form, err := t.subject(repl)
	if err != nil {
		return "", 0, err
	}
	tpl, err := t.template(form, repl, s.prog)
	if err != nil {
		return "", 0, err
	}
	if limit < 0 {
		return s.text.String(), 0, nil
	}
	room := int(min(max(t.limits.Memory, 1<<16), 1<<30))
	text, n, err := s.prog.Sub(s.text, tpl, int(min(limit, math.MaxInt32)), room, &s.budget)
	if err = s.spent(err); err != nil {
		return "", 0, err
	}
	return text, n, t.alloc(int64(len(text)))
}

// template reads a replacement.
func (t *Thread) template(form regex.Text, repl Value, p *regex.Program) (*regex.Template, error) {
	tpl, fail := regex.ParseTemplate(form, p)
	if fail != nil {
		return nil, t.regexError(fail, repl)
	}
	return tpl, nil
}

func regexEscape(t *Thread, a *Args) (Value, error) {
	v := t.base(a.Pos[0])
	switch o := v.o.(type) {
	case *Str:
		return t.newStr(regex.Escape(o.s))
	case *Bytes:
		return t.bytes(regex.Escape(o.b)), t.alloc(int64(len(o.b)) * 2)
	}
	return Value{}, t.raise(t.types.TypeError, "decoding to str: need a bytes-like object, %s found", t.className(a.Pos[0]))
}

// regexFlagNames are the flags in the order in which they are written.
var regexFlagNames = [...]struct {
	flag regex.Flags
	name string
}{
	{regex.IgnoreCase, "re.IGNORECASE"}, {regex.Locale, "re.LOCALE"}, {regex.MultiLine, "re.MULTILINE"}, {regex.DotAll, "re.DOTALL"},
	{regex.Unicode, "re.UNICODE"}, {regex.Verbose, "re.VERBOSE"}, {regex.Debug, "re.DEBUG"}, {regex.ASCII, "re.ASCII"},
}

func patternRepr(t *Thread, p *RePattern, a []Value) (Value, error) {
	src, err := t.repr(p.src)
	if err != nil {
		return Value{}, err
	}
	if r := []rune(src); len(r) > 200 {
		src = string(r[:200])
	}
	flags := p.prog.Flags()
	if p.src.k == kStr {
		flags &^= regex.Unicode
	}
	var names []string
	for _, f := range regexFlagNames {
		if flags&f.flag != 0 {
			names = append(names, f.name)
		}
	}
	if len(names) > 0 {
		src += ", " + strings.Join(names, "|")
	}
	return t.newStr("re.compile(" + src + ")")
}

// attr gives a pattern's attributes that are data.
func (p *RePattern) attr(t *Thread, name string) (Value, bool) {
	switch name {
	case "pattern":
		return p.src, true
	case "flags", "groups", "groupindex":
	default:
		return Value{}, false
	}
	prog, err := t.program(p)
	if err != nil {
		return Value{}, false
	}
	var v Value
	switch name {
	case "flags":
		v = intValue(int64(prog.Flags()))
	case "groups":
		v = intValue(int64(prog.Groups()))
	default:
		v = t.newDict()
		for _, n := range prog.Names() {
			v.o.(*Dict).setStr(t, n.Name, intValue(int64(n.Group)))
		}
	}
	return v.with(p.src.l), true
}

// regexValues are the classes of module re.
func regexValues(t *Thread, m *Module) {
	m.names.setName(t.intern("Pattern"), classValue(t.types.RePattern))
	m.names.setName(t.intern("Match"), classValue(t.types.ReMatch))
}
