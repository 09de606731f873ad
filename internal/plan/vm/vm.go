package vm

import (
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"praxis/fault"
	"praxis/internal/plan/compile"
	"praxis/internal/plan/label"
	"praxis/internal/plan/subset"
	"praxis/internal/plan/syntax"
	"praxis/internal/plan/value"
)

// Options say how a program is compiled.
type Options struct {
	Strict bool   // implicit flows are followed, too
	Name   string // of the program's file, as tracebacks show it; "": plan.py
}

// Env is what the host gives to a program: names that it can use without binding them.
type Env struct {
	Tools  []string // dotted names, such as "email.write"
	Inputs []string
}

// Program is a compiled program. It is not changed by runs; many VMs may share it.
type Program struct {
	unit   *value.Unit
	env    Env
	source string
	name   string
}

// Compile compiles a program. The source is what tracebacks show lines of.
func Compile(m *syntax.Module, source string, env Env, o Options) (*Program, error) {
	if list := subset.Unsupported(m); len(list) > 0 {
		return nil, subset.Fault(list[0])
	}
	u, err := compile.Compile(m, compile.Options{Strict: o.Strict})
	if err != nil {
		return nil, err
	}
	p := &Program{unit: u, env: env, source: source, name: o.Name}
	if p.name == "" {
		p.name = "plan.py"
	}
	return p, nil
}

// line returns line n of the source, from 1, without the white space around it.
func (p *Program) line(n int) string {
	if lines := strings.Split(p.source, "\n"); n > 0 && n <= len(lines) {
		return strings.TrimSpace(lines[n-1])
	}
	return ""
}

// Config is what a run depends on beside the program.
type Config struct {
	Limits value.Limits
	Labels *label.Table  // nil: a new one
	Plain  bool          // labels are not joined; for measuring what they cost
	Now    time.Time     // what the program's clock shows
	Seed   uint64        // of the program's random numbers
	Inputs []value.Field // values of the names in Env.Inputs
}

// VM runs one program. It is not safe for concurrent use, but for Interrupt.
type VM struct {
	t     value.Thread
	prog  *Program
	main  *value.Module
	state state

	machines *value.Module            // functions of the machine's own
	methods  map[string][]value.Value // functions and properties of classes, by their names
	modules  map[string]*value.Module
	runs     map[*value.Unit][]*value.Running

	frames   []*Frame // the active ones; frames[0] is not used
	pool     []*Frame // frames to be used at each depth
	depth    int
	slab     []value.Value
	top      int
	spare    []value.Value
	handlers int // active frames that handle an exception
	nested   int // how deep Go has called back into the program

	args    []*argSlot
	argTop  int
	keeping bool  // a native is at work that may keep what it makes where only it can reach it
	mark    int64 // Thread.Memory when the outermost of these began

	result    value.Value // of what returned to Go
	yielded   bool        // result was yielded
	pending   pending
	classCell *value.Cell // of the class that a metaclass is about to make

	text  []byte        // where strings are put together
	specs [16]specEntry // the format specifiers that were used last

	batch int64 // stepBatch, or less in tests
	eager int   // tests: so many allocations measure what is live, whatever is left
	stop  atomic.Pointer[interruption]
	calls int // of tools
}

type interruption struct{ cause error }

// state says what may be done with a VM.
type state uint8

const (
	stateNew    state = iota // it can go on
	stateCalls               // a tool's answer is awaited
	stateEnded               // the program has ended
	stateBroken              // a limit was reached, or something of ours failed
)

// New makes a VM that is about to run a program.
func New(p *Program, cfg Config) (*VM, error) {
	vm := &VM{prog: p, batch: stepBatch, methods: map[string][]value.Value{}}
	t := &vm.t
	t.Machine = (*machine)(vm)
	t.Limits = cfg.Limits.WithDefaults()
	t.StepsLeft, t.Memory = t.Limits.Steps, t.Limits.Memory
	t.Began, t.Now, t.Seed = cfg.Now, cfg.Now, cfg.Seed
	t.Types = builtinTypes()
	t.Natives = natives()
	t.Strict, t.Hooks = p.unit.Strict, p.unit.Hooks
	t.Plain = cfg.Plain
	t.InLibrary = func() bool { return vm.frames[vm.depth].library() }
	if t.Labels = cfg.Labels; t.Labels == nil {
		t.Labels = label.NewTable()
	}
	vm.slab = make([]value.Value, firstSlab)
	vm.deepen()
	if err := vm.prepare(cfg.Inputs); err != nil {
		return nil, err
	}
	return vm, nil
}

// prepare makes the modules that every program has.
func (vm *VM) prepare(inputs []value.Field) error {
	if err := vm.makeBuiltins(); err != nil {
		return err
	}
	vm.main = &value.Module{Name: "__main__"}
	vm.main.Names.SetName(vm.t.Intern("__name__"), vm.t.Str("__main__"))
	vm.main.Names.SetName(vm.t.Intern("__file__"), vm.t.Str(vm.prog.name))
	for _, name := range vm.prog.env.Tools {
		vm.addTool(name)
	}
	for _, name := range vm.prog.env.Inputs {
		i := slices.IndexFunc(inputs, func(f value.Field) bool { return f.Name == name })
		if i < 0 {
			return fault.New(fault.Invalid, "Give the input a value.", "cannot run the plan: its input %s has no value", name)
		}
		v, err := vm.admit(inputs[i].Data)
		if err != nil {
			return err
		}
		vm.main.Names.SetName(vm.t.Intern(name), v)
	}
	_, err := vm.push(vm.bodyOf(vm.prog.unit, vm.main), retGo)
	return err
}

// bodyOf is the function that runs the body of a module.
func (vm *VM) bodyOf(u *value.Unit, m *value.Module) *value.Func {
	fn := u.Body(m)
	fn.Run = vm.running(fn.Code)
	return fn
}

// Stop is why a VM stopped: [Done], [*Call] or [*Failed].
type Stop interface{ stop() }

// Done is the end of the program.
type Done struct{}

// Call is the call of a tool, whose answer the program waits for.
type Call struct {
	Tool    string
	Number  int        // 1, 2, … in this run
	Line    int        // of the call in the plan, from 1
	Col     int        // from 0, in bytes
	Args    []Argument // positional ones first
	Control label.ID   // what depends on: that this tool is called, here and now
}

// Argument is one argument of a call; its name is "" when it is positional.
type Argument struct {
	Name string
	value.Data
}

// Failed is an exception that nothing caught.
type Failed struct {
	Class string
	Text  string // str() of the exception
	Label label.ID
	Trace []value.Trace // of the plan's own lines, the innermost first
	Full  string        // what CPython prints about it
	Plain string        // the message where that quotes no data; see [value.Raise]
}

func (Done) stop() {}

func (*Call) stop() {}

func (*Failed) stop() {}

// Run executes the program until it ends or calls a tool. An error is a limit
// that was reached, or a failure of the machine; the VM cannot go on then.
func (vm *VM) Run() (Stop, error) {
	if err := vm.expect(stateNew); err != nil {
		return nil, err
	}
	return vm.proceed(vm.run())
}

// expect reports whether the VM is in a state.
func (vm *VM) expect(s state) error {
	if vm.state != s {
		return fault.New(fault.Conflict, "Call Run once, then Reply or Raise for each call.", "cannot go on with the plan: it waits for an answer, or has ended")
	}
	return nil
}

// proceed turns the error of run into the reason why the machine stopped.
func (vm *VM) proceed(err error) (Stop, error) {
	if err == errHost {
		vm.state = stateCalls
		return vm.pendingCall(), nil
	}
	if err == nil {
		vm.state = stateEnded
		return Done{}, nil
	}
	if r, ok := err.(*value.Raise); ok {
		vm.state = stateEnded
		return vm.failure(r)
	}
	vm.state = stateBroken
	return nil, err
}

// Reply goes on with the result of the call that the program waits for.
func (vm *VM) Reply(result value.Data) (Stop, error) {
	if err := vm.expect(stateCalls); err != nil {
		return nil, err
	}
	v, err := vm.admit(result)
	if err != nil {
		vm.state = stateBroken
		return nil, err
	}
	return vm.answered(func(p pending) error {
		return vm.deliver(p.mode, p.extra, v.With(vm.t.Join(v.Label, p.l)))
	})
}

// Raise goes on with an exception in the place of the call that the program
// waits for, of whose text plain quotes no data. Class is the name of a built-in
// exception; another name means RuntimeError.
func (vm *VM) Raise(class, text, plain string, l label.ID) (Stop, error) {
	if err := vm.expect(stateCalls); err != nil {
		return nil, err
	}
	t := &vm.t
	c, ok := t.Types.Named(class)
	if !ok || !c.IsExc {
		c = t.Types.RuntimeError
	}
	l = t.Join(l, vm.pending.l)
	r := &value.Raise{Exc: t.NewException(c, []value.Value{t.Str(text).With(l)}), Label: l, Plain: plain}
	return vm.answered(func(p pending) error { return vm.failed(p.mode, p.extra, r) })
}

// Interrupt makes a run that goes on in another goroutine end with this error soon.
func (vm *VM) Interrupt(cause error) { vm.stop.Store(&interruption{cause}) }

// Output returns what the program has printed since the last call.
func (vm *VM) Output() []value.Chunk {
	out := vm.t.Output
	vm.t.Output = nil
	return out
}

// Steps returns how many steps have been used.
func (vm *VM) Steps() int64 { t := &vm.t; return t.Limits.Steps - t.StepsLeft - max(t.Steps, 0) }

// Charge uses steps up, for a plan that was nested in this one.
func (vm *VM) Charge(steps int64) { vm.t.StepsLeft = max(vm.t.StepsLeft-steps, 0) }

// Left returns limits for a plan that is nested in this one: what this one has left.
func (vm *VM) Left() value.Limits {
	l := vm.t.Limits
	l.Steps, l.Memory, l.Calls = max(l.Steps-vm.Steps(), 1), max(l.Memory-vm.live(), 1<<20), l.Calls-vm.calls
	return l
}
