package re

import (
	"fmt"

	"praxis/internal/plan/python/regex"
	"praxis/internal/plan/value"
)

// matchCall is a method of a match.
type matchCall func(t *value.Thread, m *Match, a *value.Args) (value.Value, error)

// matchMethods are the methods of matches.
func matchMethods() []*value.Native {
	var out []*value.Native
	method := func(name, params string, f matchCall) {
		out = append(out, &value.Native{Name: "re.Match." + name, Params: params, Call: func(t *value.Thread, a *value.Args) (value.Value, error) {
			m, ok := a.Pos[0].Obj.(*Match)
			if !ok {
				return value.Value{}, t.WrongSelf("Match."+name, a.Pos[0])
			}
			t.See(m.text.Label)
			t.See(m.pat.src.Label)
			return f(t, m, a)
		}})
	}
	method("group", "self, /, *args", matchGroup)
	method("__getitem__", "self, key, /", func(t *value.Thread, m *Match, a *value.Args) (value.Value, error) {
		i, err := m.find(t, a.Pos[1])
		if err != nil {
			return value.Value{}, err
		}
		return m.value(t, i, value.None)
	})
	method("groups", "self, default=None", matchGroups)
	method("groupdict", "self, default=None", matchGroupDict)
	for i, name := range [...]string{"start", "end"} {
		method(name, "self, group=0, /", func(t *value.Thread, m *Match, a *value.Args) (value.Value, error) {
			g, err := m.groupArg(t, a.Pos[1])
			return value.Int(m.spans[2*g+i]), err
		})
	}
	method("span", "self, group=0, /", func(t *value.Thread, m *Match, a *value.Args) (value.Value, error) {
		g, err := m.groupArg(t, a.Pos[1])
		return t.Tuple([]value.Value{value.Int(m.spans[2*g]), value.Int(m.spans[2*g+1])}), err
	})
	method("expand", "self, template", matchExpand)
	method("__repr__", "self, /", matchRepr)
	return out
}

// find returns the group that v names.
func (m *Match) find(t *value.Thread, v value.Value) (int, error) {
	prog, err := compiled(t, m.pat)
	if err != nil {
		return 0, err
	}
	t.See(v.Label)
	switch b := t.Base(v); b.Kind {
	case value.KInt, value.KBool:
		if b.N >= 0 && b.N < int64(len(m.spans)/2) {
			return int(b.N), nil
		}
	case value.KStr:
		if i, ok := prog.Group(b.Obj.(*value.Str).Text); ok {
			return i, nil
		}
	case value.KObject:
		if t.IsIndex(b) {
			n, err := t.Index(b)
			if err != nil {
				return 0, err
			}
			return m.find(t, n)
		}
	}
	return 0, t.Raise(t.Types.IndexError, "no such group")
}

func (m *Match) groupArg(t *value.Thread, v value.Value) (int, error) {
	if v.Kind == value.KUnset {
		return 0, nil
	}
	return m.find(t, v)
}

func (m *Match) subjectText(t *value.Thread) (*regex.Text, error) {
	if m.subject == nil {
		s, err := subject(t, m.text)
		if err != nil {
			return nil, err
		}
		m.subject = &s
	}
	return m.subject, nil
}

// value is the text of a group; other when the group took no part.
func (m *Match) value(t *value.Thread, i int, other value.Value) (value.Value, error) {
	if m.spans[2*i] < 0 {
		return other, nil
	}
	s, err := m.subjectText(t)
	if err != nil {
		return value.Value{}, err
	}
	v, err := textPiece(t, s, int(m.spans[2*i]), int(m.spans[2*i+1]))
	return v.With(t.Seen), err
}

func matchGroup(t *value.Thread, m *Match, a *value.Args) (value.Value, error) {
	switch len(a.Star) {
	case 0:
		return m.value(t, 0, value.None)
	case 1:
		i, err := m.find(t, a.Star[0])
		if err != nil {
			return value.Value{}, err
		}
		return m.value(t, i, value.None)
	}
	out := make([]value.Value, len(a.Star))
	for k, x := range a.Star {
		i, err := m.find(t, x)
		if err != nil {
			return value.Value{}, err
		}
		if out[k], err = m.value(t, i, value.None); err != nil {
			return value.Value{}, err
		}
	}
	return t.Tuple(out), t.Alloc(int64(len(out)) * value.ValueBytes)
}

// otherwise is the argument for groups that took no part.
func otherwise(v value.Value) value.Value {
	if v.Kind == value.KUnset {
		return value.None
	}
	return v
}

func matchGroups(t *value.Thread, m *Match, a *value.Args) (value.Value, error) {
	out := make([]value.Value, len(m.spans)/2-1)
	for i := range out {
		var err error
		if out[i], err = m.value(t, i+1, otherwise(a.Pos[1])); err != nil {
			return value.Value{}, err
		}
	}
	return t.Tuple(out), t.Alloc(int64(len(out)) * value.ValueBytes)
}

func matchGroupDict(t *value.Thread, m *Match, a *value.Args) (value.Value, error) {
	prog, err := compiled(t, m.pat)
	if err != nil {
		return value.Value{}, err
	}
	d := t.NewDict()
	for _, n := range prog.Names() {
		v, err := m.value(t, n.Group, otherwise(a.Pos[1]))
		if err != nil {
			return value.Value{}, err
		}
		d.Obj.(*value.Dict).SetStr(t, n.Name, v)
		if err := t.Alloc(value.EntryBytes); err != nil {
			return value.Value{}, err
		}
	}
	return d, nil
}

func matchExpand(t *value.Thread, m *Match, a *value.Args) (value.Value, error) {
	repl := t.Base(a.Pos[1])
	if repl.Kind != m.text.Kind {
		return value.Value{}, t.Raise(t.Types.TypeError, "expected %s instance, %s found", replWord(m.text), t.ClassName(a.Pos[1]))
	}
	prog, err := compiled(t, m.pat)
	if err != nil {
		return value.Value{}, err
	}
	form, err := subject(t, repl)
	if err != nil {
		return value.Value{}, err
	}
	tpl, err := template(t, form, repl, prog)
	if err != nil {
		return value.Value{}, err
	}
	s, err := m.subjectText(t)
	if err != nil {
		return value.Value{}, err
	}
	if m.m == nil {
		spans := make([]int, len(m.spans))
		for i, n := range m.spans {
			spans[i] = int(n)
		}
		m.m = regex.StoredMatch(int(m.pos), int(m.end), int(m.last), spans)
	}
	if err := t.Alloc(int64(tpl.Size(*s, m.m))); err != nil {
		return value.Value{}, err
	}
	b := string(tpl.Expand(nil, *s, m.m))
	if repl.Kind == value.KBytes {
		return t.Bytes(b), nil
	}
	return t.NewStr(b)
}

func matchRepr(t *value.Thread, m *Match, a *value.Args) (value.Value, error) {
	v, err := m.value(t, 0, value.None)
	if err != nil {
		return value.Value{}, err
	}
	s, err := t.Repr(v)
	if err != nil {
		return value.Value{}, err
	}
	if r := []rune(s); len(r) > 50 {
		s = string(r[:50])
	}
	return t.NewStr(fmt.Sprintf("<re.Match object; span=(%d, %d), match=%s>", m.spans[0], m.spans[1], s))
}

// Attr gives a match's attributes that are data.
func (m *Match) Attr(t *value.Thread, name string) (value.Value, bool) {
	l := t.Join(m.text.Label, m.pat.src.Label)
	switch name {
	case "re":
		return value.Value{Kind: value.KSpecial, Obj: m.pat, Label: m.pat.src.Label}, true
	case "string":
		return m.text, true
	case "pos":
		return value.Int(m.pos).With(l), true
	case "endpos":
		return value.Int(m.end).With(l), true
	case "lastindex":
		if m.last == 0 {
			return value.None.With(l), true
		}
		return value.Int(m.last).With(l), true
	case "lastgroup":
		prog, err := compiled(t, m.pat)
		if err != nil || m.last == 0 || prog.GroupName(int(m.last)) == "" {
			return value.None.With(l), true
		}
		return t.Str(prog.GroupName(int(m.last))).With(l), true
	case "regs":
		out := make([]value.Value, len(m.spans)/2)
		for i := range out {
			out[i] = t.Tuple([]value.Value{value.Int(m.spans[2*i]), value.Int(m.spans[2*i+1])})
		}
		return t.Tuple(out).With(l), true
	}
	return value.Value{}, false
}
