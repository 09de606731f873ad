package vm

import (
	_ "embed"
	"sort"
	"strings"
	"sync"

	"praxis/internal/plan/bytecode"
	"praxis/internal/plan/compile"
	"praxis/internal/plan/library"
	"praxis/internal/plan/library/native"
	"praxis/internal/plan/syntax"
	"praxis/internal/plan/value"
)

// machineSource holds what the machine does in the plan language itself: it runs
// in frames, so that a tool that is called meanwhile can be answered later.
//
//go:embed machine.py
var machineSource string

// units keeps the compiled library modules of the process, by unitKey: they do not change.
var units sync.Map

type unitKey struct {
	name   string
	strict bool
}

// unitOf compiles a module when it is needed for the first time.
func unitOf(name, source string, strict bool) (*value.Unit, error) {
	key := unitKey{name, strict}
	if u, ok := units.Load(key); ok {
		return u.(*value.Unit), nil
	}
	m, errs := syntax.Parse([]byte(source), syntax.Options{})
	if len(errs) > 0 {
		return nil, errs[0]
	}
	made, err := compile.Compile(m, compile.Options{Module: name, Strict: strict})
	if err != nil {
		return nil, err
	}
	u, _ := units.LoadOrStore(key, made)
	return u.(*value.Unit), nil
}

// makeBuiltins makes the module of the names that every program knows.
func (vm *VM) makeBuiltins() error {
	m := &value.Module{Name: "builtins", Fixed: true}
	vm.t.Builtins = m
	m.Names = builtinNames().Clone(32)
	if src, ok := library.Source("builtins"); ok {
		return vm.runModule(m, src)
	}
	return nil
}

// builtinNames are the classes and natives that every program knows, in the
// order of their names. The dict must not be changed.
var builtinNames = sync.OnceValue(makeBuiltinTable)

func makeBuiltinTable() *value.Dict {
	ts := builtinTypes()
	type named struct {
		name *value.Str
		v    value.Value
	}
	var list []named
	add := func(name string, v value.Value) { list = append(list, named{value.ConstStr(name), v}) }
	for name := range ts.All {
		if c, ok := ts.Named(name); ok {
			add(name, value.ClassValue(c))
		}
	}
	for name, n := range natives() {
		if !strings.Contains(name, ".") {
			if _, is := ts.Named(name); !is {
				add(name, value.Value{Kind: value.KNative, Obj: n})
			}
		}
	}
	add("NotImplemented", value.Value{Kind: value.KNotImplemented})
	add("Ellipsis", value.Value{Kind: value.KEllipsis})
	add("__debug__", value.Bool(true))
	sort.Slice(list, func(i, k int) bool { return list[i].name.Text < list[k].name.Text })
	out := &value.Dict{}
	for _, n := range list {
		out.AddName(n.name, n.v)
	}
	return out
}

// runModule executes the source of a library module in its name space.
func (vm *VM) runModule(m *value.Module, source string) error {
	u, err := unitOf(m.Name, source, vm.t.Strict)
	if err != nil {
		return err
	}
	// What a library module defines depends on nothing, whoever imports it first.
	t := &vm.t
	pc, sticky, trying, seen := t.PC, t.Sticky, t.Trying, t.Seen
	t.PC, t.Sticky, t.Trying, t.Seen = 0, 0, false, 0
	m.Names.SetName(t.Intern("__name__"), t.Str(m.Name))
	_, err = t.Call(value.Value{Kind: value.KFunc, Obj: vm.bodyOf(u, m)}, nil, nil, nil)
	t.PC, t.Sticky, t.Trying, t.Seen = pc, sticky, trying, seen
	return err
}

// machineFunctions returns the module of the machine's own functions.
func (vm *VM) machineFunctions() (*value.Module, error) {
	if vm.machines == nil {
		vm.machines = &value.Module{Name: value.MachineModule, Fixed: true}
		if err := vm.runModule(vm.machines, machineSource); err != nil {
			return nil, err
		}
	}
	return vm.machines, nil
}

// Import returns a module, made at its first import: of the natives whose names
// begin with its own and a dot, of the values that Go gives it, and of its source
// in the library, in that order.
func (m *machine) Import(name string) (*value.Module, error) {
	vm := (*VM)(m)
	t := &vm.t
	if m := vm.modules[name]; m != nil {
		return m, nil
	}
	if name == value.MachineModule {
		return vm.machineFunctions()
	}
	list := native.ByModule()[name]
	fill := native.Values(name)
	source, ok := library.Source(name)
	if list == nil && fill == nil && !ok || name == "builtins" {
		return nil, vm.noModule(name)
	}
	made := &value.Module{Name: name}
	for _, n := range list {
		made.Names.SetName(t.Intern(n.Short()), value.Value{Kind: value.KNative, Obj: n})
	}
	if fill != nil {
		fill(t, made)
	}
	if vm.modules == nil {
		vm.modules = make(map[string]*value.Module)
	}
	vm.modules[name] = made
	if ok {
		if err := vm.runModule(made, source); err != nil {
			delete(vm.modules, name)
			return nil, err
		}
	}
	if made.Names.Place("__name__") < 0 {
		made.Names.SetName(t.Intern("__name__"), t.Str(name))
	}
	return made, nil
}

// noModule is the error of a module that is not there.
func (vm *VM) noModule(name string) error {
	return vm.t.Raise(vm.t.Types.ModuleNotFoundError, "No module named '%s'", name)
}

// imports executes the instructions of import statements.
func (vm *VM) imports(f *Frame, in bytecode.Instr) error {
	t := &vm.t
	switch in.Op() {
	case bytecode.Import:
		name := f.code.Names[in.Arg()]
		first := f.word() == 1
		if f.code.Unit.Module == "" && strings.HasPrefix(name, "_") {
			return vm.noModule(name)
		}
		m, err := t.Import(name)
		if err != nil {
			return err
		}
		if top, rest, dotted := strings.Cut(name, "."); first && dotted { // import a.b binds a, with b as its attribute
			p, err := t.Import(top)
			if err != nil {
				return err
			}
			p.Names.SetName(t.Intern(rest), value.Value{Kind: value.KModule, Obj: m})
			m = p
		}
		f.put(value.Value{Kind: value.KModule, Obj: m})
	case bytecode.ImportFrom:
		name := f.code.Names[in.Arg()]
		m := f.at(1).Obj.(*value.Module)
		v, ok := m.Names.Str(name)
		if !ok {
			sub, err := t.Import(m.Name + "." + name)
			if err != nil {
				return t.Raise(t.Types.ImportError, "cannot import name '%s' from '%s' (unknown location)", name, m.Name)
			}
			v = value.Value{Kind: value.KModule, Obj: sub}
		}
		f.put(v)
	}
	return nil
}

// addTool binds a tool by its dotted name.
func (vm *VM) addTool(name string) {
	ns := &vm.main.Names
	prefix := ""
	for {
		head, _, dotted := strings.Cut(name[len(prefix):], ".")
		if !dotted {
			ns.SetName(vm.t.Intern(head), value.Value{Kind: value.KTool, Obj: &value.ToolRef{Name: name}})
			return
		}
		prefix += head + "."
		v, ok := ns.Str(head)
		m, is := v.Obj.(*value.Module)
		if !ok || !is {
			m = &value.Module{Name: strings.TrimSuffix(prefix, "."), Tools: true, Fixed: true}
			ns.SetName(vm.t.Intern(head), value.Value{Kind: value.KModule, Obj: m})
		}
		ns = &m.Names
	}
}
