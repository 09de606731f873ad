package re

import (
	"math"
	"strings"

	"praxis/internal/plan/python/regex"
	"praxis/internal/plan/value"
)

// regexCall is a function of module re or a method of a pattern: p is the
// pattern, a the arguments behind it, three of them at least.
type regexCall func(t *value.Thread, p *Pattern, a []value.Value) (value.Value, error)

// Natives are the functions of module re.
func Natives() []*value.Native {
	fn := func(name, params string, flags int, f regexCall) *value.Native {
		return &value.Native{Name: "re." + name, Params: params, Call: func(t *value.Thread, a *value.Args) (value.Value, error) {
			p, err := pattern(t, a.Pos[0], a.Pos[flags])
			if err != nil {
				return value.Value{}, err
			}
			rest := append(append(make([]value.Value, 0, 4), a.Pos[1:flags]...), value.Value{}, value.Value{}, value.Value{})
			return f(t, p, rest)
		}}
	}
	return []*value.Native{
		fn("compile", "pattern, flags=0", 1, func(t *value.Thread, p *Pattern, a []value.Value) (value.Value, error) {
			return value.Value{Kind: value.KSpecial, Obj: p}, nil
		}),
		fn("search", "pattern, string, flags=0", 2, execCall(regex.Search)),
		fn("match", "pattern, string, flags=0", 2, execCall(regex.Prefix)),
		fn("fullmatch", "pattern, string, flags=0", 2, execCall(regex.FullMatch)),
		fn("findall", "pattern, string, flags=0", 2, findAll),
		fn("finditer", "pattern, string, flags=0", 2, findIter),
		fn("split", "pattern, string, maxsplit=0, flags=0", 3, splitCall),
		fn("sub", "pattern, repl, string, count=0, flags=0", 4, subCall(false)),
		fn("subn", "pattern, repl, string, count=0, flags=0", 4, subCall(true)),
		{Name: "re.escape", Params: "pattern", Call: regexEscape},
		{Name: "re.purge", Params: "", Call: func(t *value.Thread, a *value.Args) (value.Value, error) { return value.None, nil }},
		{Name: "re._matches", Params: "pattern, string, count, /", Call: regexMatches},
	}
}

// Methods are the methods of patterns and matches.
func Methods() []*value.Native {
	var out []*value.Native
	method := func(name, params string, f regexCall) {
		out = append(out, &value.Native{Name: "re.Pattern." + name, Params: params, Call: func(t *value.Thread, a *value.Args) (value.Value, error) {
			p, ok := a.Pos[0].Obj.(*Pattern)
			if !ok {
				return value.Value{}, t.WrongSelf("Pattern."+name, a.Pos[0])
			}
			t.See(p.src.Label)
			if _, err := compiled(t, p); err != nil {
				return value.Value{}, err
			}
			return f(t, p, append(append(make([]value.Value, 0, 4), a.Pos[1:]...), value.Value{}, value.Value{}, value.Value{}))
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
	method("__eq__", "self, value, /", func(t *value.Thread, p *Pattern, a []value.Value) (value.Value, error) {
		q, ok := a[0].Obj.(*Pattern)
		if !ok {
			return value.NotImplemented, nil
		}
		other, err := compiled(t, q)
		if err != nil {
			return value.Value{}, err
		}
		same, err := t.Equal(p.src, q.src)
		return value.Bool(same && p.prog.Flags() == other.Flags()), err
	})
	method("__hash__", "self, /", func(t *value.Thread, p *Pattern, a []value.Value) (value.Value, error) {
		h, err := t.Hash(p.src)
		return value.Int(int64(h) ^ p.flags), err
	})
	return append(out, matchMethods()...)
}

func execCall(mode regex.Mode) regexCall {
	return func(t *value.Thread, p *Pattern, a []value.Value) (value.Value, error) {
		s, err := newSearch(t, p, a[0], a[1], a[2])
		if err != nil {
			return value.Value{}, err
		}
		return s.exec(mode)
	}
}

func findAll(t *value.Thread, p *Pattern, a []value.Value) (value.Value, error) {
	s, err := newSearch(t, p, a[0], a[1], a[2])
	if err != nil {
		return value.Value{}, err
	}
	groups := s.prog.Groups()
	group := func(m *regex.Match, i int) (value.Value, error) {
		b, e, _ := m.Span(i)
		return s.piece(max(b, 0), max(e, 0))
	}
	return s.each(0, func(m *regex.Match) (value.Value, error) {
		if groups < 2 {
			return group(m, groups)
		}
		row := make([]value.Value, groups)
		for g := range row {
			if row[g], err = group(m, g+1); err != nil {
				return value.Value{}, err
			}
		}
		return t.Tuple(row).With(t.Seen), nil
	})
}

// each makes a list of what f makes of all matches, count of them if count is positive.
func (s *search) each(count int64, f func(*regex.Match) (value.Value, error)) (value.Value, error) {
	ms, err := s.all()
	if err != nil {
		return value.Value{}, err
	}
	if count > 0 && int64(len(ms)) > count {
		ms = ms[:count]
	}
	out := make([]value.Value, len(ms))
	for i, m := range ms {
		if out[i], err = f(m); err != nil {
			return value.Value{}, err
		}
	}
	return s.t.List(out), nil
}

func findIter(t *value.Thread, p *Pattern, a []value.Value) (value.Value, error) {
	s, err := newSearch(t, p, a[0], a[1], a[2])
	if err != nil {
		return value.Value{}, err
	}
	v, err := s.each(0, s.match)
	if err != nil {
		return value.Value{}, err
	}
	return t.Iter(v)
}

// regexMatches is finditer for the library: at most count matches, in a list.
func regexMatches(t *value.Thread, a *value.Args) (value.Value, error) {
	p, err := pattern(t, a.Pos[0], value.Value{})
	if err != nil {
		return value.Value{}, err
	}
	s, err := newSearch(t, p, a.Pos[1], value.Value{}, value.Value{})
	if err != nil {
		return value.Value{}, err
	}
	n, err := count(t, a.Pos[2])
	if err != nil {
		return value.Value{}, err
	}
	return s.each(n, s.match)
}

// count reads an argument that bounds how often something is done; 0: no bound.
func count(t *value.Thread, v value.Value) (int64, error) {
	if v.Kind == value.KUnset {
		return 0, nil
	}
	return t.IntArg(v)
}

func splitCall(t *value.Thread, p *Pattern, a []value.Value) (value.Value, error) {
	s, err := newSearch(t, p, a[0], value.Value{}, value.Value{})
	if err != nil {
		return value.Value{}, err
	}
	limit, err := count(t, a[1])
	if err != nil {
		return value.Value{}, err
	}
	if limit < 0 {
		v, err := s.piece(0, s.text.Len())
		return t.List([]value.Value{v}), err
	}
	pieces, err := s.prog.Split(s.text, int(min(limit, math.MaxInt32)), &s.budget)
	if err = s.spent(err); err != nil {
		return value.Value{}, err
	}
	if err := t.Alloc(int64(len(pieces)) * value.ValueBytes); err != nil {
		return value.Value{}, err
	}
	out := make([]value.Value, len(pieces))
	for i, x := range pieces {
		if !x.OK {
			out[i] = value.None.With(t.Seen)
			continue
		}
		if out[i], err = s.piece(x.Begin, x.End); err != nil {
			return value.Value{}, err
		}
	}
	return t.List(out), nil
}

// subCall is sub, or subn, which returns the number of replacements, too.
func subCall(counted bool) regexCall {
	return func(t *value.Thread, p *Pattern, a []value.Value) (value.Value, error) {
		s, err := newSearch(t, p, a[1], value.Value{}, value.Value{})
		if err != nil {
			return value.Value{}, err
		}
		limit, err := count(t, a[2])
		if err != nil {
			return value.Value{}, err
		}
		if t.Callable(a[0]) {
			m, err := t.Import("re")
			if err != nil {
				return value.Value{}, err
			}
			fn, _ := m.Names.Str("_sub")
			args := []value.Value{{Kind: value.KSpecial, Obj: p}, a[0], a[1], value.Int(limit), value.Bool(counted)}
			return t.TailCall(fn, args, nil, nil)
		}
		repl := t.Base(a[0])
		t.See(repl.Label)
		if repl.Kind != value.KStr {
			return value.Value{}, t.Raise(t.Types.TypeError, "decoding to str: need a bytes-like object, %s found", t.ClassName(a[0]))
		}
		text, n, err := s.replace(repl, limit)
		if err != nil {
			return value.Value{}, err
		}
		v, err := t.NewStr(text)
		if err != nil || !counted {
			return v, err
		}
		return t.Tuple([]value.Value{v, value.Int(int64(n))}), nil
	}
}

func (s *search) replace(repl value.Value, limit int64) (string, int, error) {
	t := s.t
	form, err := subject(t, repl)
	if err != nil {
		return "", 0, err
	}
	tpl, fail := regex.ParseTemplate(form, s.prog)
	if fail != nil {
		return "", 0, regexError(t, fail, repl)
	}
	if limit < 0 {
		return s.text.String(), 0, nil
	}
	size := int(min(max(t.Limits.Memory, 1<<16), 1<<30))
	text, n, err := s.prog.Sub(s.text, tpl, int(min(limit, math.MaxInt32)), size, &s.budget)
	if err = s.spent(err); err != nil {
		return "", 0, err
	}
	return text, n, t.Alloc(int64(len(text)))
}

func regexEscape(t *value.Thread, a *value.Args) (value.Value, error) {
	v := t.Base(a.Pos[0])
	if s, ok := v.Obj.(*value.Str); ok {
		return t.NewStr(regex.Escape(s.Text))
	}
	return value.Value{}, t.Raise(t.Types.TypeError, "decoding to str: need a bytes-like object, %s found", t.ClassName(a.Pos[0]))
}

// regexFlagNames are the flags in the order in which they are written.
var regexFlagNames = [...]struct {
	flag regex.Flags
	name string
}{
	{regex.IgnoreCase, "re.IGNORECASE"}, {regex.MultiLine, "re.MULTILINE"}, {regex.DotAll, "re.DOTALL"},
	{regex.Verbose, "re.VERBOSE"}, {regex.Debug, "re.DEBUG"}, {regex.ASCII, "re.ASCII"},
}

func patternRepr(t *value.Thread, p *Pattern, a []value.Value) (value.Value, error) {
	src, err := t.Repr(p.src)
	if err != nil {
		return value.Value{}, err
	}
	if r := []rune(src); len(r) > 200 {
		src = string(r[:200])
	}
	flags := p.prog.Flags() &^ regex.Unicode
	var names []string
	for _, f := range regexFlagNames {
		if flags&f.flag != 0 {
			names = append(names, f.name)
		}
	}
	if len(names) > 0 {
		src += ", " + strings.Join(names, "|")
	}
	return t.NewStr("re.compile(" + src + ")")
}

// Attr gives a pattern's attributes that are data.
func (p *Pattern) Attr(t *value.Thread, name string) (value.Value, bool) {
	switch name {
	case "pattern":
		return p.src, true
	case "flags", "groups":
		prog, err := compiled(t, p)
		if err != nil {
			return value.Value{}, false
		}
		n := prog.Groups()
		if name == "flags" {
			n = int(prog.Flags())
		}
		return value.Int(int64(n)).With(p.src.Label), true
	}
	return value.Value{}, false
}

// Values are the classes of module re.
func Values(t *value.Thread, m *value.Module) {
	m.Names.SetName(t.Intern("Pattern"), value.ClassValue(t.Types.RePattern))
	m.Names.SetName(t.Intern("Match"), value.ClassValue(t.Types.ReMatch))
}
