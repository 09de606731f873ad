package native

import (
	"praxis/fault"
	"praxis/internal/plan/compile"
	"praxis/internal/plan/syntax"
	"praxis/internal/plan/value"
)

// dataclassNatives are what data classes are made with beside the library's own code.
func dataclassNatives() []*value.Native {
	return []*value.Native{
		{Name: "dataclasses._build", Params: "source, names, /", Call: buildFunctions, Precise: true},
		{Name: "_labels.depend", Params: "value, /, *others", Call: depend, Precise: true},
		{Name: "_labels.calls", Params: "function, /, *others", Call: calls, Precise: true},
		{Name: "_labels.mark", Params: "list, other, /", Call: mark, Precise: true},
		{Name: "_labels.moved", Params: "iterator, other, /", Call: moved, Precise: true},
	}
}

// depend returns a value that depends on the others, too. Library code calls it
// when its result depends on something by way of a branch.
func depend(t *value.Thread, a *value.Args) (value.Value, error) {
	v := a.Pos[0]
	for i := range a.Star {
		v.Label = t.Join(v.Label, a.Star[i].Label)
	}
	return v, nil
}

// calls notes that the library calls a function of the program only if others say so.
func calls(t *value.Thread, a *value.Args) (value.Value, error) {
	for i := range a.Star {
		t.Drive(a.Pos[0], a.Star[i].Label)
	}
	return value.None, nil
}

// mark makes the length and the order of a list depend on another value.
func mark(t *value.Thread, a *value.Args) (value.Value, error) {
	l, ok := a.Pos[0].Obj.(*value.List)
	if !ok {
		return value.Value{}, fault.New(fault.Internal, "", "cannot mark: the library gave no list")
	}
	l.Shape = t.Join(l.Shape, a.Pos[1].Label)
	return value.None, nil
}

// moved makes where an iterator goes on depend on another value.
func moved(t *value.Thread, a *value.Args) (value.Value, error) {
	switch it := a.Pos[0].Obj.(type) {
	case *value.Iter:
		it.Moved = t.Join(it.Moved, a.Pos[1].Label)
	case value.Generator:
		t.Stick(a.Pos[1].Label)
	}
	return value.None, nil
}

// MaxBuilt bounds the text that one library function may have compiled.
const MaxBuilt = 1 << 20

// buildFunctions compiles text that a library module made of checked names, and
// returns the functions that it defines as a dict. The names are their globals.
func buildFunctions(t *value.Thread, a *value.Args) (value.Value, error) {
	source, ok := a.Pos[0].Obj.(*value.Str)
	names, ok2 := a.Pos[1].Obj.(*value.Dict)
	if !ok || !ok2 {
		return value.Value{}, fault.New(fault.Internal, "", "cannot compile functions: the library gave no source and names")
	}
	if t.Built[source.Text] == nil {
		if len(source.Text) > MaxBuilt {
			return value.Value{}, fault.New(fault.Exhausted, "Make the class smaller.", "cannot make the methods of a class: their text has %d bytes, the limit is %d", len(source.Text), MaxBuilt)
		}
		if err := t.Alloc(int64(len(source.Text)) * 32); err != nil {
			return value.Value{}, err
		}
	}
	u, err := BuiltUnit(t, source.Text, t.Strict)
	if err != nil {
		return value.Value{}, err
	}
	if err := t.Alloc(int64(len(names.Entries)) * value.EntryBytes); err != nil {
		return value.Value{}, err
	}
	m := &value.Module{Name: u.Module, Fixed: true}
	given := map[string]bool{}
	for i := range names.Entries {
		if e := &names.Entries[i]; e.Key.Kind == value.KStr {
			key := e.Key.Obj.(*value.Str)
			given[key.Text] = true
			m.Names.SetName(t.Intern(key.Text), e.Val)
		}
	}
	if _, err := t.Call(value.Value{Kind: value.KFunc, Obj: u.Body(m)}, nil, nil, nil); err != nil {
		return value.Value{}, err
	}
	out := &value.Dict{}
	for i := range m.Names.Entries {
		if e := &m.Names.Entries[i]; e.Val.Kind == value.KFunc && !given[e.Key.Obj.(*value.Str).Text] {
			out.SetName(e.Key.Obj.(*value.Str), e.Val)
		}
	}
	return value.Value{Kind: value.KDict, Obj: out}, nil
}

// BuiltUnit compiles the text of functions as a part of the library, once a thread.
func BuiltUnit(t *value.Thread, source string, strict bool) (*value.Unit, error) {
	if u := t.Built[source]; u != nil {
		return u, nil
	}
	m, errs := syntax.Parse([]byte(source), syntax.Options{})
	if len(errs) > 0 {
		return nil, errs[0]
	}
	u, err := compile.Compile(m, compile.Options{Module: "dataclasses", Strict: strict})
	if err != nil {
		return nil, err
	}
	u.Source = source
	if t.Built == nil {
		t.Built = make(map[string]*value.Unit)
	}
	t.Built[source] = u
	return u, nil
}
