package vm

import (
	_ "embed"
	"slices"
	"sort"
	"strings"
	"sync"

	"praxis/fault"
	"praxis/internal/plan/library"
	"praxis/internal/plan/syntax"
)

// machineSource holds what the machine does in the plan language itself: it runs
// in frames, so that a tool that is called meanwhile can be answered later.
//
//go:embed machine.py
var machineSource string

// units keeps the compiled library modules of the process: they do not change.
var units unitCache

type unitCache struct {
	mu sync.Mutex
	m  map[unitKey]*unit
}

type unitKey struct {
	name   string
	strict bool
}

// get compiles a module when it is needed for the first time.
func (c *unitCache) get(name, source string, strict bool) (*unit, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := unitKey{name, strict}
	if u := c.m[key]; u != nil {
		return u, nil
	}
	m, errs := syntax.Parse([]byte(source), syntax.Options{})
	if len(errs) > 0 {
		return nil, errs[0]
	}
	u, err := compile(m, compileOptions{module: name, strict: strict})
	if err != nil {
		return nil, err
	}
	if c.m == nil {
		c.m = make(map[unitKey]*unit)
	}
	c.m[key] = u
	return u, nil
}

// intern returns the one object for a name in this VM.
func (t *Thread) intern(name string) *Str {
	if s := t.names[name]; s != nil {
		return s
	}
	if t.names == nil {
		t.names = make(map[string]*Str, 64)
	}
	s := constStr(name)
	t.names[name] = s
	return s
}

// nameValue is a name as a string of the program.
func (t *Thread) nameValue(name string) Value { return Value{k: kStr, o: t.intern(name)} }

// makeBuiltins makes the module of the names that every program knows.
func (vm *VM) makeBuiltins() error {
	m := &Module{name: "builtins", fixed: true}
	vm.t.builtins = m
	m.names = builtinNames().clone(32)
	if src, ok := library.Source("builtins"); ok {
		return vm.runModule(m, src)
	}
	return nil
}

// builtinNames are the classes and natives that every program knows, in the
// order of their names. The dict must not be changed.
var builtinNames = sync.OnceValue(makeBuiltinTable)

// clone copies a name space, with room for more names.
func (d *Dict) clone(room int) Dict {
	c := *d
	c.entries = append(make([]entry, 0, len(d.entries)+room), d.entries...)
	c.index = slices.Clone(d.index)
	return c
}

func makeBuiltinTable() *Dict {
	ts := builtinTypes()
	type named struct {
		name *Str
		v    Value
	}
	var list []named
	add := func(name string, v Value) { list = append(list, named{constStr(name), v}) }
	for name := range ts.all {
		if c, ok := ts.named(name); ok {
			add(name, classValue(c))
		}
	}
	for name, n := range natives() {
		if !strings.Contains(name, ".") {
			if _, is := ts.named(name); !is {
				add(name, Value{k: kNative, o: n})
			}
		}
	}
	add("NotImplemented", Value{k: kNotImplemented})
	add("Ellipsis", Value{k: kEllipsis})
	add("__debug__", boolValue(true))
	sort.Slice(list, func(i, k int) bool { return list[i].name.s < list[k].name.s })
	out := &Dict{}
	for _, n := range list {
		out.addName(n.name, n.v)
	}
	return out
}

// machineModule is the name of the module that holds the machine's own functions.
const machineModule = "_machine"

// own returns a function of the machine's own module.
func (t *Thread) own(name string) (Value, error) {
	m, err := t.Import(machineModule)
	if err != nil {
		return Value{}, err
	}
	v, ok := m.names.str(name)
	if !ok {
		return Value{}, fault.New(fault.Internal, "", "the machine has no function %s", name)
	}
	return v, nil
}

// runModule carries out the source of a library module in its name space.
func (vm *VM) runModule(m *Module, source string) error {
	u, err := units.get(m.name, source, vm.t.strict)
	if err != nil {
		return err
	}
	// What a library module defines depends on nothing, whoever imports it first.
	t := &vm.t
	pc, sticky, trying, seen := t.pc, t.sticky, t.trying, t.seen
	t.pc, t.sticky, t.trying, t.seen = 0, 0, false, 0
	m.names.setName(t.intern("__name__"), t.str(m.name))
	_, err = t.Call(Value{k: kFunc, o: vm.bodyOf(u, m)}, nil, nil, nil)
	t.pc, t.sticky, t.trying, t.seen = pc, sticky, trying, seen
	return err
}

// machineFunctions returns the module of the machine's own functions.
func (vm *VM) machineFunctions() (*Module, error) {
	if vm.machines == nil {
		vm.machines = &Module{name: machineModule, fixed: true}
		if err := vm.runModule(vm.machines, machineSource); err != nil {
			return nil, err
		}
	}
	return vm.machines, nil
}

// Import returns a module, made at its first import: of the natives whose names
// begin with its own and a dot, of the values that Go gives it, and of its source
// in the library, in that order.
func (m *machine) Import(name string) (*Module, error) {
	vm := (*VM)(m)
	t := &vm.t
	if m := vm.modules[name]; m != nil {
		return m, nil
	}
	if name == machineModule {
		return vm.machineFunctions()
	}
	list := moduleNatives()[name]
	fill := moduleValues(name)
	source, ok := library.Source(name)
	if list == nil && fill == nil && !ok || name == "builtins" {
		return nil, vm.noModule(name)
	}
	made := &Module{name: name}
	for _, n := range list {
		made.names.setName(t.intern(n.short()), Value{k: kNative, o: n})
	}
	if fill != nil {
		fill(t, made)
	}
	if vm.modules == nil {
		vm.modules = make(map[string]*Module)
	}
	vm.modules[name] = made
	if ok {
		if err := vm.runModule(made, source); err != nil {
			delete(vm.modules, name)
			return nil, err
		}
	}
	if made.names.place("__name__") < 0 {
		made.names.setName(t.intern("__name__"), t.str(name))
	}
	return made, nil
}

// noModule is the error of a module that is not there.
func (vm *VM) noModule(name string) error {
	t := &vm.t
	err := t.raise(t.types.ModuleNotFoundError, "No module named '%s'", name)
	if r, ok := err.(*Raise); ok {
		r.exc.attrs.setStr(t, "name", t.str(name))
	}
	return err
}

// imports carries out the instructions of import statements.
func (vm *VM) imports(f *Frame, in Instr) error {
	t := &vm.t
	switch in.op() {
	case opImport:
		name := f.code.names[in.arg()]
		first := f.word() == 1
		if f.code.unit.module == "" && strings.HasPrefix(name, "_") {
			return vm.noModule(name)
		}
		m, err := t.Import(name)
		if err != nil {
			return err
		}
		if first {
			if top, _, dotted := strings.Cut(name, "."); dotted {
				if m, err = vm.parentModule(top, name, m); err != nil {
					return err
				}
			}
		}
		f.put(Value{k: kModule, o: m})
	case opImportFrom:
		name := f.code.names[in.arg()]
		m := f.at(1).o.(*Module)
		v, ok := m.names.str(name)
		if !ok {
			sub, err := t.Import(m.name + "." + name)
			if err != nil {
				return vm.noName(m, name)
			}
			v = Value{k: kModule, o: sub}
		}
		f.put(v)
	case opImportStar:
		return vm.importStar(f, f.take().o.(*Module))
	}
	return nil
}

// parentModule is what `import a.b` binds: a, with b as its attribute.
func (vm *VM) parentModule(top, name string, m *Module) (*Module, error) {
	p, err := vm.t.Import(top)
	if err != nil {
		return nil, err
	}
	rest := strings.TrimPrefix(name, top+".")
	if !strings.Contains(rest, ".") {
		p.names.setName(vm.t.intern(rest), Value{k: kModule, o: m})
	}
	return p, nil
}

// noName is the error of from m import name.
func (vm *VM) noName(m *Module, name string) error {
	t := &vm.t
	err := t.raise(t.types.ImportError, "cannot import name '%s' from '%s' (unknown location)", name, m.name)
	if r, ok := err.(*Raise); ok {
		r.exc.attrs.setStr(t, "name", t.str(m.name))
		r.exc.attrs.setStr(t, "name_from", t.str(name))
	}
	return err
}

// importStar binds the public names of a module.
func (vm *VM) importStar(f *Frame, m *Module) error {
	t := &vm.t
	g := &f.fn.globals.names
	if err := t.alloc(int64(len(m.names.entries)) * entryBytes); err != nil {
		return err
	}
	if all, ok := m.names.str("__all__"); ok {
		items, err := t.collect(all)
		if err != nil {
			return err
		}
		for _, item := range items {
			s, ok := item.o.(*Str)
			if !ok {
				continue
			}
			v, ok := m.names.str(s.s)
			if !ok {
				return t.raise(t.types.AttributeError, "module '%s' has no attribute '%s'", m.name, s.s)
			}
			g.setName(t.intern(s.s), v)
		}
		return nil
	}
	for i := range m.names.entries {
		e := m.names.entries[i]
		if s, ok := e.key.o.(*Str); ok && e.key.k == kStr && !strings.HasPrefix(s.s, "_") {
			g.setName(t.intern(s.s), e.val)
		}
	}
	return nil
}

// addTool binds a tool by its dotted name.
func (vm *VM) addTool(name string) {
	ns := &vm.main.names
	prefix := ""
	for {
		head, _, dotted := strings.Cut(name[len(prefix):], ".")
		if !dotted {
			ns.setName(vm.t.intern(head), Value{k: kTool, o: &ToolRef{name}})
			return
		}
		prefix += head + "."
		v, ok := ns.str(head)
		m, is := v.o.(*Module)
		if !ok || !is {
			m = &Module{name: strings.TrimSuffix(prefix, "."), tools: true, fixed: true}
			ns.setName(vm.t.intern(head), Value{k: kModule, o: m})
		}
		ns = &m.names
	}
}

// noTool is the error of a tool that a name space does not have.
func (t *Thread) noTool(m *Module, name string) error {
	var names []string
	for i := range m.names.entries {
		if s, ok := m.names.entries[i].key.o.(*Str); ok {
			names = append(names, s.s)
		}
	}
	sort.Strings(names)
	list := strings.Join(names[:min(len(names), 8)], ", ")
	if len(names) > 8 {
		list += ", …"
	}
	return t.raise(t.types.AttributeError, "there is no tool '%s.%s': %s has %s", m.name, name, m.name, list)
}
