package vm

import (
	"fmt"

	"praxis/internal/plan/regex"
)

// matchCall is a method of a match.
type matchCall func(t *Thread, m *ReMatch, a *Args) (Value, error)

// matchMethods are the methods of matches.
func matchMethods() []*Native {
	var out []*Native
	method := func(name, params string, f matchCall) {
		out = append(out, &Native{name: "re.Match." + name, params: params, call: func(t *Thread, a *Args) (Value, error) {
			m, ok := a.Pos[0].o.(*ReMatch)
			if !ok {
				return Value{}, t.wrongSelf("Match."+name, a.Pos[0])
			}
			t.see(m.text.l)
			t.see(m.pat.src.l)
			return f(t, m, a)
		}})
	}
	method("group", "self, /, *args", matchGroup)
	method("__getitem__", "self, key, /", func(t *Thread, m *ReMatch, a *Args) (Value, error) {
		i, err := m.find(t, a.Pos[1])
		if err != nil {
			return Value{}, err
		}
		return m.value(t, i, none)
	})
	method("groups", "self, default=None", matchGroups)
	method("groupdict", "self, default=None", matchGroupDict)
	for i, name := range [...]string{"start", "end"} {
		method(name, "self, group=0, /", func(t *Thread, m *ReMatch, a *Args) (Value, error) {
			g, err := m.groupArg(t, a.Pos[1])
			return intValue(m.spans[2*g+i]), err
		})
	}
	method("span", "self, group=0, /", func(t *Thread, m *ReMatch, a *Args) (Value, error) {
		g, err := m.groupArg(t, a.Pos[1])
		return t.tuple([]Value{intValue(m.spans[2*g]), intValue(m.spans[2*g+1])}), err
	})
	method("expand", "self, template", matchExpand)
	method("__repr__", "self, /", matchRepr)
	return out
}

// find returns the group that v names.
func (m *ReMatch) find(t *Thread, v Value) (int, error) {
	prog, err := t.program(m.pat)
	if err != nil {
		return 0, err
	}
	t.see(v.l)
	switch b := t.base(v); b.k {
	case kInt, kBool:
		if b.n >= 0 && b.n < int64(len(m.spans)/2) {
			return int(b.n), nil
		}
	case kStr:
		if i, ok := prog.Group(b.o.(*Str).s); ok {
			return i, nil
		}
	case kObject:
		if t.isIndex(b) {
			n, err := t.index(b)
			if err != nil {
				return 0, err
			}
			return m.find(t, n)
		}
	}
	return 0, t.raise(t.types.IndexError, "no such group")
}

func (m *ReMatch) groupArg(t *Thread, v Value) (int, error) {
	if v.k == kUnset {
		return 0, nil
	}
	return m.find(t, v)
}

func (m *ReMatch) subjectText(t *Thread) (*regex.Text, error) {
	if m.subject == nil {
		s, err := t.subject(m.text)
		if err != nil {
			return nil, err
		}
		m.subject = &s
	}
	return m.subject, nil
}

// value is the text of a group; other when the group took no part.
func (m *ReMatch) value(t *Thread, i int, other Value) (Value, error) {
	if m.spans[2*i] < 0 {
		return other, nil
	}
	s, err := m.subjectText(t)
	if err != nil {
		return Value{}, err
	}
	v, err := t.textPiece(s, int(m.spans[2*i]), int(m.spans[2*i+1]))
	return v.with(t.seen), err
}

func matchGroup(t *Thread, m *ReMatch, a *Args) (Value, error) {
	switch len(a.Star) {
	case 0:
		return m.value(t, 0, none)
	case 1:
		i, err := m.find(t, a.Star[0])
		if err != nil {
			return Value{}, err
		}
		return m.value(t, i, none)
	}
	out := make([]Value, len(a.Star))
	for k, x := range a.Star {
		i, err := m.find(t, x)
		if err != nil {
			return Value{}, err
		}
		if out[k], err = m.value(t, i, none); err != nil {
			return Value{}, err
		}
	}
	return t.tuple(out), t.alloc(int64(len(out)) * valueBytes)
}

// otherwise is the argument for groups that took no part.
func otherwise(v Value) Value {
	if v.k == kUnset {
		return none
	}
	return v
}

func matchGroups(t *Thread, m *ReMatch, a *Args) (Value, error) {
	out := make([]Value, len(m.spans)/2-1)
	for i := range out {
		var err error
		if out[i], err = m.value(t, i+1, otherwise(a.Pos[1])); err != nil {
			return Value{}, err
		}
	}
	return t.tuple(out), t.alloc(int64(len(out)) * valueBytes)
}

func matchGroupDict(t *Thread, m *ReMatch, a *Args) (Value, error) {
	prog, err := t.program(m.pat)
	if err != nil {
		return Value{}, err
	}
	d := t.newDict()
	for _, n := range prog.Names() {
		v, err := m.value(t, n.Group, otherwise(a.Pos[1]))
		if err != nil {
			return Value{}, err
		}
		d.o.(*Dict).setStr(t, n.Name, v)
		if err := t.alloc(entryBytes); err != nil {
			return Value{}, err
		}
	}
	return d, nil
}

func matchExpand(t *Thread, m *ReMatch, a *Args) (Value, error) {
	repl := t.base(a.Pos[1])
	if repl.k != m.text.k {
		return Value{}, t.raise(t.types.TypeError, "expected %s instance, %s found", replWord(m.text), t.className(a.Pos[1]))
	}
	prog, err := t.program(m.pat)
	if err != nil {
		return Value{}, err
	}
	form, err := t.subject(repl)
	if err != nil {
		return Value{}, err
	}
	tpl, err := t.template(form, repl, prog)
	if err != nil {
		return Value{}, err
	}
	s, err := m.subjectText(t)
	if err != nil {
		return Value{}, err
	}
	if m.m == nil {
		spans := make([]int, len(m.spans))
		for i, n := range m.spans {
			spans[i] = int(n)
		}
		m.m = regex.StoredMatch(int(m.pos), int(m.end), int(m.last), spans)
	}
	if err := t.alloc(int64(tpl.Size(*s, m.m))); err != nil {
		return Value{}, err
	}
	b := string(tpl.Expand(nil, *s, m.m))
	if repl.k == kBytes {
		return t.bytes(b), nil
	}
	return t.newStr(b)
}

func matchRepr(t *Thread, m *ReMatch, a *Args) (Value, error) {
	v, err := m.value(t, 0, none)
	if err != nil {
		return Value{}, err
	}
	s, err := t.repr(v)
	if err != nil {
		return Value{}, err
	}
	if r := []rune(s); len(r) > 50 {
		s = string(r[:50])
	}
	return t.newStr(fmt.Sprintf("<re.Match object; span=(%d, %d), match=%s>", m.spans[0], m.spans[1], s))
}

// attr gives a match's attributes that are data.
func (m *ReMatch) attr(t *Thread, name string) (Value, bool) {
	l := t.join(m.text.l, m.pat.src.l)
	switch name {
	case "re":
		return Value{k: kSpecial, o: m.pat, l: m.pat.src.l}, true
	case "string":
		return m.text, true
	case "pos":
		return intValue(m.pos).with(l), true
	case "endpos":
		return intValue(m.end).with(l), true
	case "lastindex":
		if m.last == 0 {
			return none.with(l), true
		}
		return intValue(m.last).with(l), true
	case "lastgroup":
		prog, err := t.program(m.pat)
		if err != nil || m.last == 0 || prog.GroupName(int(m.last)) == "" {
			return none.with(l), true
		}
		return t.str(prog.GroupName(int(m.last))).with(l), true
	case "regs":
		out := make([]Value, len(m.spans)/2)
		for i := range out {
			out[i] = t.tuple([]Value{intValue(m.spans[2*i]), intValue(m.spans[2*i+1])})
		}
		return t.tuple(out).with(l), true
	}
	return Value{}, false
}
