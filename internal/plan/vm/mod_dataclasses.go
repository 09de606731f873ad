package vm

import (
	"praxis/fault"
	"praxis/internal/plan/syntax"
)

// dataclassNatives are what data classes are made with beside the library's own code.
func dataclassNatives() []*Native {
	return []*Native{
		{name: "dataclasses._build", params: "source, names, /", call: buildFunctions, precise: true},
		{name: "dataclasses._set_slots", params: "cls, names, /", call: setSlots, precise: true},
		{name: "_labels.carry", params: "value, /, *others", call: carry, precise: true},
		{name: "_labels.plain", params: "value, /", call: plainLabel, precise: true},
		{name: "_labels.remember", params: "table, key, value, /", call: remember, precise: true},
	}
}

// carry returns a value that depends on the others, too: library code whose
// result depends on something by way of a branch says so with it.
func carry(t *Thread, a *Args) (Value, error) {
	v := a.Pos[0]
	for i := range a.Star {
		v.l = t.join(v.l, a.Star[i].l)
	}
	return v, nil
}

// plainLabel and remember are for tables that keep what a function would make
// anew: whether something is in the table cannot be seen from outside, so that
// what it was first made for does not count. Who takes it out labels it with
// what he asked for.
func plainLabel(t *Thread, a *Args) (Value, error) { return a.Pos[0].with(0), nil }

func remember(t *Thread, a *Args) (Value, error) {
	d, ok := a.Pos[0].o.(*Dict)
	if !ok {
		return Value{}, fault.New(fault.Internal, "", "cannot remember: the library gave no dict")
	}
	pc := t.pc
	t.pc = 0
	err := d.set(t, a.Pos[1].with(0), a.Pos[2].with(0))
	t.pc = pc
	return none, err
}

// maxBuilt bounds the text that one library function may have compiled.
const maxBuilt = 1 << 20

// buildFunctions compiles text that a library module made of checked names, and
// returns the functions that it defines as a dict. The names are their globals.
func buildFunctions(t *Thread, a *Args) (Value, error) {
	source, ok := a.Pos[0].o.(*Str)
	names, ok2 := a.Pos[1].o.(*Dict)
	if !ok || !ok2 {
		return Value{}, fault.New(fault.Internal, "", "cannot compile functions: the library gave no source and names")
	}
	if t.built[source.s] == nil {
		if len(source.s) > maxBuilt {
			return Value{}, fault.New(fault.Exhausted, "Make the class smaller.", "cannot make the methods of a class: their text has %d bytes, the limit is %d", len(source.s), maxBuilt)
		}
		if err := t.alloc(int64(len(source.s)) * 32); err != nil {
			return Value{}, err
		}
	}
	u, err := builtUnit(t, source.s, t.strict)
	if err != nil {
		return Value{}, err
	}
	if err := t.alloc(int64(len(names.entries)) * entryBytes); err != nil {
		return Value{}, err
	}
	m := &Module{name: u.module, fixed: true}
	given := map[string]bool{}
	for i := range names.entries {
		if e := &names.entries[i]; e.key.k == kStr {
			key := e.key.o.(*Str)
			given[key.s] = true
			m.names.setName(t.intern(key.s), e.val)
		}
	}
	if _, err := t.Call(Value{k: kFunc, o: u.body(m)}, nil, nil, nil); err != nil {
		return Value{}, err
	}
	out := &Dict{}
	for i := range m.names.entries {
		if e := &m.names.entries[i]; e.val.k == kFunc && !given[e.key.o.(*Str).s] {
			out.setName(e.key.o.(*Str), e.val)
		}
	}
	return Value{k: kDict, o: out}, nil
}

// builtUnit compiles the text of functions as a part of the library, once a thread.
func builtUnit(t *Thread, source string, strict bool) (*unit, error) {
	if u := t.built[source]; u != nil {
		return u, nil
	}
	m, errs := syntax.Parse([]byte(source), syntax.Options{})
	if len(errs) > 0 {
		return nil, errs[0]
	}
	u, err := compile(m, compileOptions{module: "dataclasses", strict: strict})
	if err != nil {
		return nil, err
	}
	u.source = source
	if t.built == nil {
		t.built = make(map[string]*unit)
	}
	t.built[source] = u
	return u, nil
}

// setSlots makes a class whose instances have these attributes alone.
func setSlots(t *Thread, a *Args) (Value, error) {
	c, ok := a.Pos[0].o.(*Class)
	if !ok || c.static {
		return Value{}, t.raise(t.types.TypeError, "slots need a class of the program")
	}
	if err := t.alloc(entryBytes); err != nil {
		return Value{}, err
	}
	c.attrs.setName(t.intern("__slots__"), a.Pos[1])
	c.slotted = c.layout == kObject && !c.isExc
	for _, k := range c.mro[1:] {
		if !k.static && !k.slotted {
			c.slotted = false
		}
	}
	t.classVersion++
	return none, nil
}
