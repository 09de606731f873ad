package value

import (
	"reflect"
	"strings"
)

// Types is the table of the built-in classes. It is made once a process and not changed.
type Types struct {
	Object, Type, None, Ellipsis, NotImplemented               *Class
	Bool, Int, Float, Str, Bytes                               *Class
	Tuple, List, Dict, Set, FrozenSet, Range, Slice            *Class
	Func, Native, Method, Module, Tool, Generator, Coroutine   *Class
	Property, StaticMethod, ClassMethod, Super, Cell, Iterator *Class
	Union                                                      *Class
	RePattern, ReMatch                                         *Class
	DictKeys, DictValues, DictItems                            *Class
	Decimal                                                    *Class

	Exceptions

	Enumerate, Zip, Map, Filter, Reversed *Class

	Chars [128]Value // the strings of one ASCII character
	Empty Value      // the empty string
	All   map[string]*Class
}

// Exceptions are the classes of exceptions that the machine raises or looks for.
type Exceptions struct {
	BaseException, Exception, GeneratorExit, SystemExit    *Class
	ArithmeticError, OverflowError, ZeroDivisionError      *Class
	AssertionError, AttributeError, ImportError            *Class
	ModuleNotFoundError, LookupError, IndexError, KeyError *Class
	MemoryError, NameError, UnboundLocalError, OSError     *Class
	TimeoutError, RuntimeError, RecursionError             *Class
	StopIteration, SyntaxError, SystemError, TypeError     *Class
	ValueError, UnicodeDecodeError, UnicodeEncodeError     *Class
	ToolError                                              *Class // the plan language's own
}

// exceptionTree says which exceptions derive from the first of each line.
const exceptionTree = `BaseException Exception GeneratorExit KeyboardInterrupt SystemExit
Exception ArithmeticError AssertionError AttributeError BufferError EOFError ImportError LookupError MemoryError NameError OSError
Exception ReferenceError RuntimeError StopAsyncIteration StopIteration SyntaxError SystemError TypeError ToolError ValueError Warning
ToolError NotEnoughInformation
ArithmeticError FloatingPointError OverflowError ZeroDivisionError
ImportError ModuleNotFoundError
LookupError IndexError KeyError
NameError UnboundLocalError
OSError BlockingIOError ChildProcessError ConnectionError FileExistsError FileNotFoundError InterruptedError IsADirectoryError
OSError NotADirectoryError PermissionError ProcessLookupError TimeoutError
ConnectionError BrokenPipeError ConnectionAbortedError ConnectionRefusedError ConnectionResetError
RuntimeError NotImplementedError PythonFinalizationError RecursionError
SyntaxError IndentationError
IndentationError TabError
ValueError UnicodeError
UnicodeError UnicodeDecodeError UnicodeEncodeError UnicodeTranslateError
Warning BytesWarning DeprecationWarning EncodingWarning FutureWarning ImportWarning PendingDeprecationWarning ResourceWarning
Warning RuntimeWarning SyntaxWarning UnicodeWarning UserWarning`

// Named returns the built-in class or exception that a program knows by name.
func (ts *Types) Named(name string) (*Class, bool) {
	c, ok := ts.All[name]
	return c, ok && !strings.ContainsAny(name, "_.") && !hiddenTypes[name]
}

// Key is the name by which a built-in class is found in the table.
func (ts *Types) Key(c *Class) string {
	if ts.All[c.Name] == c {
		return c.Name
	}
	key := ""
	for name, other := range ts.All {
		if other == c && (key == "" || name < key) {
			key = name
		}
	}
	return key
}

// hiddenTypes are built-in classes whose names are not bound in a program.
var hiddenTypes = map[string]bool{
	"NoneType": true, "ellipsis": true, "NotImplementedType": true, "function": true,
	"method": true, "module": true, "tool": true, "generator": true, "coroutine": true,
	"cell": true, "iterator": true, "Decimal": true, "UnionType": true,
}

// classMaker builds the table.
type classMaker struct{ ts *Types }

func (m classMaker) add(where **Class, name string, layout Kind, base *Class) *Class {
	c := &Class{Name: name, Qual: name, Module: "builtins", Layout: layout, Static: true, Core: true}
	if base != nil {
		c.Bases = []*Class{base}
		c.IsExc = base.IsExc
		c.MRO = append([]*Class{c}, base.MRO...)
	} else {
		c.MRO = []*Class{c}
	}
	*where = c
	m.ts.All[name] = c
	return c
}

// NewTypes makes the built-in classes, without their methods.
func NewTypes() *Types {
	ts := &Types{All: make(map[string]*Class, 160)}
	m := classMaker{ts}
	object := m.add(&ts.Object, "object", KObject, nil)
	for _, c := range []struct {
		where  **Class
		name   string
		layout Kind
		final  bool
	}{
		{&ts.Type, "type", KClass, true},
		{&ts.None, "NoneType", KNone, true},
		{&ts.Ellipsis, "ellipsis", KEllipsis, true},
		{&ts.NotImplemented, "NotImplementedType", KNotImplemented, true},
		{&ts.Int, "int", KInt, false},
		{&ts.Float, "float", KFloat, false},
		{&ts.Str, "str", KStr, false},
		{&ts.Bytes, "bytes", KBytes, false},
		{&ts.Tuple, "tuple", KTuple, false},
		{&ts.List, "list", KList, false},
		{&ts.Dict, "dict", KDict, false},
		{&ts.Set, "set", KSet, false},
		{&ts.FrozenSet, "frozenset", KSet, false},
		{&ts.Range, "range", KRange, true},
		{&ts.Slice, "slice", KSlice, true},
		{&ts.Func, "function", KFunc, true},
		{&ts.Native, "builtin_function_or_method", KNative, true},
		{&ts.Method, "method", KMethod, true},
		{&ts.Module, "module", KModule, true},
		{&ts.Tool, "tool", KTool, true},
		{&ts.Generator, "generator", KGen, true},
		{&ts.Coroutine, "coroutine", KGen, true},
		{&ts.Property, "property", KProp, true},
		{&ts.StaticMethod, "staticmethod", KProp, true},
		{&ts.ClassMethod, "classmethod", KProp, true},
		{&ts.Super, "super", KSpecial, true},
		{&ts.Cell, "cell", KSpecial, true},
		{&ts.Iterator, "iterator", KIter, true},
		{&ts.Enumerate, "enumerate", KIter, true},
		{&ts.Zip, "zip", KIter, true},
		{&ts.Map, "map", KIter, true},
		{&ts.Filter, "filter", KIter, true},
		{&ts.Reversed, "reversed", KIter, true},
		{&ts.DictKeys, "dict_keys", KView, true},
		{&ts.DictValues, "dict_values", KView, true},
		{&ts.DictItems, "dict_items", KView, true},
		{&ts.Union, "UnionType", KSpecial, true},
		{&ts.RePattern, "re.Pattern", KSpecial, true},
		{&ts.ReMatch, "re.Match", KSpecial, true},
	} {
		m.add(c.where, c.name, c.layout, object).Final = c.final
	}
	dec := m.add(&ts.Decimal, "Decimal", KSpecial, object)
	dec.Module, dec.Core = "decimal", false // its natives are its operators
	m.add(&ts.Bool, "bool", KInt, ts.Int).Final = true
	ts.Union.Name, ts.Union.Qual, ts.Union.Module, ts.Union.Core = "Union", "Union", "typing", false
	for _, c := range [...]*Class{ts.RePattern, ts.ReMatch} {
		c.Module, c.Name, _ = strings.Cut(c.Name, ".")
		c.Qual, c.Core = c.Name, false
	}
	m.exceptions()
	for i := range ts.Chars {
		s := &Str{Text: string(rune(i)), Ascii: 1}
		HashStr(s)
		ts.Chars[i] = Value{Kind: KStr, Obj: s}
	}
	ts.Empty = Value{Kind: KStr, Obj: &Str{Ascii: 1}}
	return ts
}

// exceptions makes the hierarchy of exceptions, depth first.
func (m classMaker) exceptions() {
	fields := reflect.ValueOf(&m.ts.Exceptions).Elem()
	add := func(base *Class, name string) {
		where := new(*Class)
		if f := fields.FieldByName(name); f.IsValid() {
			where = f.Addr().Interface().(**Class)
		}
		m.add(where, name, KObject, base).IsExc = true
	}
	add(m.ts.Object, "BaseException")
	for line := range strings.Lines(exceptionTree) {
		names := strings.Fields(line)
		for _, name := range names[1:] {
			add(m.ts.All[names[0]], name)
		}
	}
	m.ts.All["IOError"], m.ts.All["EnvironmentError"] = m.ts.OSError, m.ts.OSError
}

// Bind puts the natives named "class.name" into their classes.
func (ts *Types) Bind(tables ...[]*Native) {
	for _, natives := range tables {
		for _, n := range natives {
			dot := strings.LastIndexByte(n.Name, '.')
			class, name := n.Name[:dot], n.Name[dot+1:]
			ts.All[class].Attrs.SetStr(nil, name, bound(n))
		}
	}
	for _, c := range []*Class{ts.List, ts.Dict, ts.Set} {
		c.Attrs.SetStr(nil, "__hash__", None)
	}
}

func (*Big) Class(t *Thread) *Class { return t.Types.Int }

func (*Str) Class(t *Thread) *Class { return t.Types.Str }

func (*Bytes) Class(t *Thread) *Class { return t.Types.Bytes }

func (*Tuple) Class(t *Thread) *Class { return t.Types.Tuple }

func (*List) Class(t *Thread) *Class { return t.Types.List }

func (*Range) Class(t *Thread) *Class { return t.Types.Range }

func (*Slice) Class(t *Thread) *Class { return t.Types.Slice }

func (*Cell) Class(t *Thread) *Class { return t.Types.Cell }

func (*Func) Class(t *Thread) *Class { return t.Types.Func }

func (*Method) Class(t *Thread) *Class { return t.Types.Method }

func (*Module) Class(t *Thread) *Class { return t.Types.Module }

func (*ToolRef) Class(t *Thread) *Class { return t.Types.Tool }

func (o *Instance) Class(t *Thread) *Class { return o.Cls }

func (*Property) Class(t *Thread) *Class { return t.Types.Property }

func (w *Wrapper) Class(t *Thread) *Class {
	if w.Bind {
		return t.Types.ClassMethod
	}
	return t.Types.StaticMethod
}

// ClassOf returns the class of v.
func (t *Thread) ClassOf(v Value) *Class {
	switch v.Kind {
	case KInt, KBig:
		return t.Types.Int
	case KStr:
		return t.Types.Str
	case KFloat:
		return t.Types.Float
	case KBool:
		return t.Types.Bool
	case KNone:
		return t.Types.None
	case KEllipsis:
		return t.Types.Ellipsis
	case KNotImplemented:
		return t.Types.NotImplemented
	case KUnset:
		return t.Types.Object
	}
	return v.Obj.Class(t)
}

// ClassName returns the name of v's class as error messages give it.
func (t *Thread) ClassName(v Value) string { return t.ClassOf(v).shown() }

// IsInstance reports whether v is an instance of cls or of a class derived from it.
func (t *Thread) IsInstance(v Value, cls *Class) bool {
	c := t.ClassOf(v)
	return c == cls || c.Derives(cls)
}

// InstanceOf returns the instance behind v, or nil.
func InstanceOf(v Value) *Instance {
	switch o := v.Obj.(type) {
	case *Instance:
		return o
	case *Exception:
		return &o.Instance
	}
	return nil
}

// Base returns the built-in value behind an instance of a class that derives
// from a built-in one, labelled with both, and v itself for anything else.
func (t *Thread) Base(v Value) Value {
	if v.Kind == KObject {
		if o := InstanceOf(v); o != nil && o.Base.Kind != KUnset {
			b := o.Base
			b.Label = t.Join(b.Label, v.Label)
			return b
		}
	}
	return v
}

// Payload returns v as a value of kind k: itself, or what is behind an
// instance of a class derived from the built-in one. KInt means any int, bool included.
func (t *Thread) Payload(v Value, k Kind) (Value, bool) {
	b := t.Base(v)
	return b, b.Kind == k || k == KInt && (b.Kind == KBool || b.Kind == KBig)
}

// methods caches the methods of a class that were looked up by name.
type methods struct {
	version uint32 // Thread.ClassVersion when they were looked up
	slots   [16]struct {
		name  string
		fn    Value
		owner *Class // nil: there is none of that name
	}
}

// method is [Class.Lookup] with a memory.
func (t *Thread) method(c *Class, name string) (Value, *Class, bool) {
	if c.Static || len(name) < 4 { // built-in classes are shared by all VMs
		return c.Lookup(name)
	}
	m := c.methods
	if m == nil || m.version != t.ClassVersion {
		m = &methods{version: t.ClassVersion}
		c.methods = m
	}
	s := &m.slots[(uint(len(name))+uint(name[2])*5+uint(name[3])*3)%16]
	if s.name != name {
		s.name = name
		s.fn, s.owner, _ = c.Lookup(name)
	}
	return s.fn, s.owner, s.owner != nil
}

// Override returns the method name of v's class when the class or one of its
// bases brings one that the operators do not know by themselves.
func (t *Thread) Override(v Value, name string) (Value, bool) {
	t.hook(v)
	switch v.Kind {
	case KObject, KSpecial:
	case KClass:
		if v.Obj.(*Class).Meta == nil {
			return Value{}, false
		}
	default:
		return Value{}, false
	}
	fn, owner, ok := t.method(t.ClassOf(v), name)
	if !ok || owner.Core {
		return Value{}, false
	}
	return fn, true
}

// Own is what v's method name returns, if v's class brings one as [Thread.Override] says.
func (t *Thread) Own(v Value, name string, args ...Value) (r Value, ok bool, err error) {
	if _, ok = t.Override(v, name); ok {
		r, _, err = t.CallSpecial(v, name, args...)
	}
	return r, ok, err
}

// OwnAs is Own of a method that has to return a value of kind k, without the label,
// which it sees. The text wrong, where %s is the class of what it returned, says so of anything else.
func (t *Thread) OwnAs(v Value, name string, k Kind, wrong string, args ...Value) (Value, bool, error) {
	r, ok, err := t.Own(v, name, args...)
	if !ok || err != nil {
		return Value{}, ok, err
	}
	t.See(r.Label)
	p, is := t.Payload(r, k)
	if !is {
		err = t.RaiseArgs(t.Types.TypeError, t.Str(strings.Replace(wrong, "%s", t.ClassName(r), 1)))
	}
	return p, true, err
}

// CallSpecial calls the method name of v's class; false: there is none.
func (t *Thread) CallSpecial(v Value, name string, args ...Value) (Value, bool, error) {
	t.hook(v)
	cls := t.ClassOf(v)
	m, owner, ok := t.method(cls, name)
	if !ok || m.Kind == KNone {
		return Value{}, false, nil
	}
	var r Value
	var err error
	if m.Kind == KFunc {
		r, err = t.CallSelf(m, v, args)
	} else {
		if m, err = t.AttrValue(t.bound(m, owner, v, cls), v, name); err != nil {
			return Value{}, false, nil
		}
		r, err = t.Call(m, append([]Value(nil), args...), nil, nil)
	}
	if err == nil && v.Label != 0 {
		r.Label = t.Join(r.Label, v.Label)
	}
	return r, true, err
}

// Construct returns payload as an instance of cls: itself when cls is the
// built-in class, else an instance that keeps it as its base.
func (t *Thread) Construct(cls Value, payload Value) Value {
	c := cls.Obj.(*Class)
	if c.Static {
		return payload
	}
	return Value{Kind: KObject, Obj: &Instance{Cls: c, Base: payload}, Label: t.Join(payload.Label, cls.Label)}
}
