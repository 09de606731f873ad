package re

import (
	"fmt"

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
			t.See(m.v.Label)
			t.See(m.pat.src.Label)
			return f(t, m, a)
		}})
	}
	method("group", "self, /, *args", matchGroup)
	method("__getitem__", "self, key, /", func(t *value.Thread, m *Match, a *value.Args) (value.Value, error) {
		return m.named(t, a.Pos[1])
	})
	method("groups", "self, default=None", matchGroups)
	method("groupdict", "self, default=None", matchGroupDict)
	method("start", "self, group=0, /", func(t *value.Thread, m *Match, a *value.Args) (value.Value, error) {
		begin, _, err := m.part(t, a.Pos[1])
		return begin, err
	})
	method("end", "self, group=0, /", func(t *value.Thread, m *Match, a *value.Args) (value.Value, error) {
		_, end, err := m.part(t, a.Pos[1])
		return end, err
	})
	method("span", "self, group=0, /", func(t *value.Thread, m *Match, a *value.Args) (value.Value, error) {
		begin, end, err := m.part(t, a.Pos[1])
		return t.Tuple([]value.Value{begin, end}), err
	})
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
		if b.N >= 0 && b.N < int64(m.Groups()+1) {
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

// part is a group that an argument names, the whole match when there is none.
func (m *Match) part(t *value.Thread, v value.Value) (begin, end value.Value, err error) {
	g := 0
	if v.Kind != value.KUnset {
		if g, err = m.find(t, v); err != nil {
			return begin, end, err
		}
	}
	b, e, _ := m.Span(g)
	return value.Int(int64(b)), value.Int(int64(e)), nil
}

// value is the text of a group; other when the group took no part.
func (m *Match) value(t *value.Thread, i int, other value.Value) (value.Value, error) {
	b, e, ok := m.Span(i)
	if !ok {
		return other, nil
	}
	v, err := textPiece(t, m.text, b, e)
	return v.With(t.Seen), err
}

// named is the text of the group that v names.
func (m *Match) named(t *value.Thread, v value.Value) (value.Value, error) {
	i, err := m.find(t, v)
	if err != nil {
		return value.Value{}, err
	}
	return m.value(t, i, value.None)
}

func matchGroup(t *value.Thread, m *Match, a *value.Args) (value.Value, error) {
	switch len(a.Star) {
	case 0:
		return m.value(t, 0, value.None)
	case 1:
		return m.named(t, a.Star[0])
	}
	out := make([]value.Value, len(a.Star))
	for k, x := range a.Star {
		var err error
		if out[k], err = m.named(t, x); err != nil {
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
	out := make([]value.Value, m.Groups())
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
	begin, end, _ := m.Span(0)
	return t.NewStr(fmt.Sprintf("<re.Match object; span=(%d, %d), match=%s>", begin, end, s))
}

// Attr gives a match's attributes that are data.
func (m *Match) Attr(t *value.Thread, name string) (value.Value, bool) {
	l := t.Join(m.v.Label, m.pat.src.Label)
	switch name {
	case "re":
		return value.Value{Kind: value.KSpecial, Obj: m.pat, Label: m.pat.src.Label}, true
	case "string":
		return m.v, true
	case "lastindex":
		if m.LastIndex == 0 {
			return value.None.With(l), true
		}
		return value.Int(int64(m.LastIndex)).With(l), true
	case "lastgroup":
		prog, err := compiled(t, m.pat)
		if err != nil || m.LastIndex == 0 || prog.GroupName(m.LastIndex) == "" {
			return value.None.With(l), true
		}
		return t.Str(prog.GroupName(m.LastIndex)).With(l), true
	}
	return value.Value{}, false
}
