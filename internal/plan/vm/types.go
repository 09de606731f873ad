package vm

import "strings"

// types is the table of the built-in classes. It is made once a process and not changed.
type types struct {
	Object, Type, None, Ellipsis, NotImplemented               *Class
	Bool, Int, Float, Str, Bytes                               *Class
	Tuple, List, Dict, Set, FrozenSet, Range, Slice            *Class
	Func, Native, Method, Module, Tool, Generator, Coroutine   *Class
	Property, StaticMethod, ClassMethod, Super, Cell, Iterator *Class
	Union, Alias                                               *Class
	RePattern, ReMatch                                         *Class
	DictKeys, DictValues, DictItems                            *Class
	Decimal                                                    *Class

	exceptions

	iterators [iterKinds]*Class
	chars     [128]Value // the strings of one ASCII character
	empty     Value      // the empty string
	all       map[string]*Class
}

// exceptions are the classes of exceptions.
type exceptions struct {
	BaseException, Exception, BaseExceptionGroup, ExceptionGroup               *Class
	GeneratorExit, KeyboardInterrupt, SystemExit                               *Class
	ArithmeticError, FloatingPointError, OverflowError, ZeroDivisionError      *Class
	AssertionError, AttributeError, BufferError, EOFError                      *Class
	ImportError, ModuleNotFoundError, LookupError, IndexError, KeyError        *Class
	MemoryError, NameError, UnboundLocalError                                  *Class
	OSError, ConnectionError, TimeoutError, FileNotFoundError, FileExistsError *Class
	PermissionError, InterruptedError, IsADirectoryError, NotADirectoryError   *Class
	BlockingIOError, ChildProcessError, ProcessLookupError                     *Class
	BrokenPipeError, ConnectionAbortedError, ConnectionRefusedError            *Class
	ConnectionResetError                                                       *Class
	ReferenceError, RuntimeError, NotImplementedError, RecursionError          *Class
	PythonFinalizationError, StopAsyncIteration, StopIteration                 *Class
	SyntaxError, IndentationError, TabError, SystemError, TypeError            *Class
	ValueError, UnicodeError, UnicodeDecodeError, UnicodeEncodeError           *Class
	ToolError, NotEnoughInformation                                            *Class // the plan language's own
	UnicodeTranslateError                                                      *Class
	Warning, BytesWarning, DeprecationWarning, EncodingWarning, FutureWarning  *Class
	ImportWarning, PendingDeprecationWarning, ResourceWarning, RuntimeWarning  *Class
	SyntaxWarning, UnicodeWarning, UserWarning                                 *Class
}

// named returns the built-in class or exception that a program knows by name.
func (ts *types) named(name string) (*Class, bool) {
	c, ok := ts.all[name]
	return c, ok && !strings.ContainsAny(name, "_.") && !hiddenTypes[name]
}

// key is the name by which a built-in class is found in the table.
func (ts *types) key(c *Class) string {
	if ts.all[c.name] == c {
		return c.name
	}
	key := ""
	for name, other := range ts.all {
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
	"cell": true, "iterator": true, "Decimal": true, "UnionType": true, "GenericAlias": true,
}

// classMaker builds the table.
type classMaker struct{ ts *types }

func (m classMaker) add(where **Class, name string, layout Kind, base *Class) *Class {
	c := &Class{name: name, qual: name, module: "builtins", layout: layout, static: true, core: true}
	if base != nil {
		c.bases = []*Class{base}
		c.isExc = base.isExc
		c.mro = append([]*Class{c}, base.mro...)
	} else {
		c.mro = []*Class{c}
	}
	*where = c
	m.ts.all[name] = c
	return c
}

// makeTypes makes the built-in classes, without their methods.
func makeTypes() *types {
	ts := &types{all: make(map[string]*Class, 160)}
	m := classMaker{ts}
	object := m.add(&ts.Object, "object", kObject, nil)
	for _, c := range []struct {
		where  **Class
		name   string
		layout Kind
		final  bool
	}{
		{&ts.Type, "type", kClass, true},
		{&ts.None, "NoneType", kNone, true},
		{&ts.Ellipsis, "ellipsis", kEllipsis, true},
		{&ts.NotImplemented, "NotImplementedType", kNotImplemented, true},
		{&ts.Int, "int", kInt, false},
		{&ts.Float, "float", kFloat, false},
		{&ts.Str, "str", kStr, false},
		{&ts.Bytes, "bytes", kBytes, false},
		{&ts.Tuple, "tuple", kTuple, false},
		{&ts.List, "list", kList, false},
		{&ts.Dict, "dict", kDict, false},
		{&ts.Set, "set", kSet, false},
		{&ts.FrozenSet, "frozenset", kSet, false},
		{&ts.Range, "range", kRange, true},
		{&ts.Slice, "slice", kSlice, true},
		{&ts.Func, "function", kFunc, true},
		{&ts.Native, "builtin_function_or_method", kNative, true},
		{&ts.Method, "method", kMethod, true},
		{&ts.Module, "module", kModule, true},
		{&ts.Tool, "tool", kTool, true},
		{&ts.Generator, "generator", kGen, true},
		{&ts.Coroutine, "coroutine", kGen, true},
		{&ts.Property, "property", kProp, true},
		{&ts.StaticMethod, "staticmethod", kProp, true},
		{&ts.ClassMethod, "classmethod", kProp, true},
		{&ts.Super, "super", kSpecial, true},
		{&ts.Cell, "cell", kSpecial, true},
		{&ts.Iterator, "iterator", kIter, true},
		{&ts.DictKeys, "dict_keys", kView, true},
		{&ts.DictValues, "dict_values", kView, true},
		{&ts.DictItems, "dict_items", kView, true},
		{&ts.Union, "UnionType", kSpecial, true},
		{&ts.RePattern, "re.Pattern", kSpecial, true},
		{&ts.ReMatch, "re.Match", kSpecial, true},
		{&ts.Alias, "GenericAlias", kSpecial, true},
	} {
		m.add(c.where, c.name, c.layout, object).final = c.final
	}
	dec := m.add(&ts.Decimal, "Decimal", kSpecial, object)
	dec.module, dec.core = "decimal", false // its natives are its operators
	m.add(&ts.Bool, "bool", kInt, ts.Int).final = true
	for k, name := range iterNames {
		if k > 0 {
			m.add(&ts.iterators[k], name, kIter, object).final = true
		}
	}
	ts.Union.name, ts.Union.qual, ts.Union.module, ts.Union.core = "Union", "Union", "typing", false
	ts.Alias.module, ts.Alias.core = "types", false
	for _, c := range [...]*Class{ts.RePattern, ts.ReMatch} {
		c.module, c.name, _ = strings.Cut(c.name, ".")
		c.qual, c.core = c.name, false
	}
	m.exceptions()
	for i := range ts.chars {
		s := &Str{s: string(rune(i)), ascii: 1}
		hashStr(s)
		ts.chars[i] = Value{k: kStr, o: s}
	}
	ts.empty = Value{k: kStr, o: &Str{ascii: 1}}
	return ts
}

// exceptions makes the hierarchy of exceptions, depth first.
func (m classMaker) exceptions() {
	e := &m.ts.exceptions
	add := func(base *Class, cs ...excName) {
		for _, c := range cs {
			m.add(c.where, c.name, kObject, base).isExc = true
		}
	}
	add(m.ts.Object, excName{&e.BaseException, "BaseException"})
	add(e.BaseException, excName{&e.Exception, "Exception"}, excName{&e.BaseExceptionGroup, "BaseExceptionGroup"},
		excName{&e.GeneratorExit, "GeneratorExit"}, excName{&e.KeyboardInterrupt, "KeyboardInterrupt"}, excName{&e.SystemExit, "SystemExit"})
	add(e.Exception,
		excName{&e.ArithmeticError, "ArithmeticError"}, excName{&e.AssertionError, "AssertionError"},
		excName{&e.AttributeError, "AttributeError"}, excName{&e.BufferError, "BufferError"}, excName{&e.EOFError, "EOFError"},
		excName{&e.ImportError, "ImportError"}, excName{&e.LookupError, "LookupError"}, excName{&e.MemoryError, "MemoryError"},
		excName{&e.NameError, "NameError"}, excName{&e.OSError, "OSError"}, excName{&e.ReferenceError, "ReferenceError"},
		excName{&e.RuntimeError, "RuntimeError"}, excName{&e.StopAsyncIteration, "StopAsyncIteration"},
		excName{&e.StopIteration, "StopIteration"}, excName{&e.SyntaxError, "SyntaxError"}, excName{&e.SystemError, "SystemError"},
		excName{&e.TypeError, "TypeError"}, excName{&e.ToolError, "ToolError"},
		excName{&e.ValueError, "ValueError"}, excName{&e.Warning, "Warning"})
	add(e.ToolError, excName{&e.NotEnoughInformation, "NotEnoughInformation"})
	add(e.BaseExceptionGroup, excName{&e.ExceptionGroup, "ExceptionGroup"})
	e.ExceptionGroup.bases = append(e.ExceptionGroup.bases, e.Exception)
	e.ExceptionGroup.mro = []*Class{e.ExceptionGroup, e.BaseExceptionGroup, e.Exception, e.BaseException, m.ts.Object}
	add(e.ArithmeticError, excName{&e.FloatingPointError, "FloatingPointError"},
		excName{&e.OverflowError, "OverflowError"}, excName{&e.ZeroDivisionError, "ZeroDivisionError"})
	add(e.ImportError, excName{&e.ModuleNotFoundError, "ModuleNotFoundError"})
	add(e.LookupError, excName{&e.IndexError, "IndexError"}, excName{&e.KeyError, "KeyError"})
	add(e.NameError, excName{&e.UnboundLocalError, "UnboundLocalError"})
	add(e.OSError, excName{&e.BlockingIOError, "BlockingIOError"}, excName{&e.ChildProcessError, "ChildProcessError"},
		excName{&e.ConnectionError, "ConnectionError"}, excName{&e.FileExistsError, "FileExistsError"},
		excName{&e.FileNotFoundError, "FileNotFoundError"}, excName{&e.InterruptedError, "InterruptedError"},
		excName{&e.IsADirectoryError, "IsADirectoryError"}, excName{&e.NotADirectoryError, "NotADirectoryError"},
		excName{&e.PermissionError, "PermissionError"}, excName{&e.ProcessLookupError, "ProcessLookupError"},
		excName{&e.TimeoutError, "TimeoutError"})
	add(e.ConnectionError, excName{&e.BrokenPipeError, "BrokenPipeError"}, excName{&e.ConnectionAbortedError, "ConnectionAbortedError"},
		excName{&e.ConnectionRefusedError, "ConnectionRefusedError"}, excName{&e.ConnectionResetError, "ConnectionResetError"})
	add(e.RuntimeError, excName{&e.NotImplementedError, "NotImplementedError"},
		excName{&e.PythonFinalizationError, "PythonFinalizationError"}, excName{&e.RecursionError, "RecursionError"})
	add(e.SyntaxError, excName{&e.IndentationError, "IndentationError"})
	add(e.IndentationError, excName{&e.TabError, "TabError"})
	add(e.ValueError, excName{&e.UnicodeError, "UnicodeError"})
	add(e.UnicodeError, excName{&e.UnicodeDecodeError, "UnicodeDecodeError"},
		excName{&e.UnicodeEncodeError, "UnicodeEncodeError"}, excName{&e.UnicodeTranslateError, "UnicodeTranslateError"})
	add(e.Warning, excName{&e.BytesWarning, "BytesWarning"}, excName{&e.DeprecationWarning, "DeprecationWarning"},
		excName{&e.EncodingWarning, "EncodingWarning"}, excName{&e.FutureWarning, "FutureWarning"},
		excName{&e.ImportWarning, "ImportWarning"}, excName{&e.PendingDeprecationWarning, "PendingDeprecationWarning"},
		excName{&e.ResourceWarning, "ResourceWarning"}, excName{&e.RuntimeWarning, "RuntimeWarning"},
		excName{&e.SyntaxWarning, "SyntaxWarning"}, excName{&e.UnicodeWarning, "UnicodeWarning"}, excName{&e.UserWarning, "UserWarning"})
	m.ts.all["IOError"], m.ts.all["EnvironmentError"] = e.OSError, e.OSError
}

type excName struct {
	where **Class
	name  string
}

// bind puts the natives named "class.name" into their classes.
func (ts *types) bind(tables ...[]*Native) {
	for _, natives := range tables {
		for _, n := range natives {
			dot := strings.LastIndexByte(n.name, '.')
			class, name := n.name[:dot], n.name[dot+1:]
			ts.all[class].attrs.setStr(nil, name, bound(n))
		}
	}
	for _, c := range []*Class{ts.List, ts.Dict, ts.Set} {
		c.attrs.setStr(nil, "__hash__", none)
	}
}

func (*Big) class(t *Thread) *Class        { return t.types.Int }
func (*Str) class(t *Thread) *Class        { return t.types.Str }
func (*Bytes) class(t *Thread) *Class      { return t.types.Bytes }
func (*Tuple) class(t *Thread) *Class      { return t.types.Tuple }
func (*List) class(t *Thread) *Class       { return t.types.List }
func (*Range) class(t *Thread) *Class      { return t.types.Range }
func (*Slice) class(t *Thread) *Class      { return t.types.Slice }
func (*Cell) class(t *Thread) *Class       { return t.types.Cell }
func (*Func) class(t *Thread) *Class       { return t.types.Func }
func (*Method) class(t *Thread) *Class     { return t.types.Method }
func (*Module) class(t *Thread) *Class     { return t.types.Module }
func (*ToolRef) class(t *Thread) *Class    { return t.types.Tool }
func (o *Instance) class(t *Thread) *Class { return o.cls }
func (*Property) class(t *Thread) *Class   { return t.types.Property }
func (w *Wrapper) class(t *Thread) *Class {
	if w.bind {
		return t.types.ClassMethod
	}
	return t.types.StaticMethod
}

// classOf returns the class of v.
func (t *Thread) classOf(v Value) *Class {
	switch v.k {
	case kInt, kBig:
		return t.types.Int
	case kStr:
		return t.types.Str
	case kFloat:
		return t.types.Float
	case kBool:
		return t.types.Bool
	case kNone:
		return t.types.None
	case kEllipsis:
		return t.types.Ellipsis
	case kNotImplemented:
		return t.types.NotImplemented
	case kUnset:
		return t.types.Object
	}
	return v.o.class(t)
}

// className returns the name of v's class as error messages give it.
func (t *Thread) className(v Value) string { return t.classOf(v).shown() }

// isInstance reports whether v is an instance of cls or of a class derived from it.
func (t *Thread) isInstance(v Value, cls *Class) bool {
	c := t.classOf(v)
	return c == cls || c.derives(cls)
}

// instance returns the instance behind v, or nil.
func instance(v Value) *Instance {
	switch o := v.o.(type) {
	case *Instance:
		return o
	case *Exception:
		return &o.Instance
	}
	return nil
}

// base returns the built-in value behind an instance of a class that derives
// from a built-in one, labelled with both, and v itself for anything else.
func (t *Thread) base(v Value) Value {
	if v.k == kObject {
		if o := instance(v); o != nil && o.base.k != kUnset {
			b := o.base
			b.l = t.join(b.l, v.l)
			return b
		}
	}
	return v
}

// payload returns v as a value of kind k: itself, or what is behind an
// instance of a class derived from the built-in one. kInt stands for any int, bool included.
func (t *Thread) payload(v Value, k Kind) (Value, bool) {
	b := t.base(v)
	return b, b.k == k || k == kInt && (b.k == kBool || b.k == kBig)
}

// methods remembers what methods of a class were asked for by name.
type methods struct {
	version uint32 // of [VM.classVersion]
	slots   [16]struct {
		name  string
		fn    Value
		owner *Class // nil: there is none of that name
	}
}

// method is [Class.lookup] with a memory.
func (t *Thread) method(c *Class, name string) (Value, *Class, bool) {
	if c.static || len(name) < 4 { // built-in classes are shared by all VMs
		return c.lookup(name)
	}
	m := c.methods
	if m == nil || m.version != t.classVersion {
		m = &methods{version: t.classVersion}
		c.methods = m
	}
	s := &m.slots[(uint(len(name))+uint(name[2])*5+uint(name[3])*3)%16]
	if s.name != name {
		s.name = name
		s.fn, s.owner, _ = c.lookup(name)
	}
	return s.fn, s.owner, s.owner != nil
}

// override returns the method name of v's class when the class or one of its
// bases brings one that the operators do not know by themselves.
func (t *Thread) override(v Value, name string) (Value, bool) {
	switch v.k {
	case kObject, kSpecial:
	case kClass:
		if v.o.(*Class).meta == nil {
			return Value{}, false
		}
	default:
		return Value{}, false
	}
	fn, owner, ok := t.method(t.classOf(v), name)
	if !ok || owner.core {
		return Value{}, false
	}
	return fn, true
}

// callSpecial calls the method name of v's class; false: there is none.
func (t *Thread) callSpecial(v Value, name string, args ...Value) (Value, bool, error) {
	cls := t.classOf(v)
	m, owner, ok := t.method(cls, name)
	if !ok || m.k == kNone {
		return Value{}, false, nil
	}
	var r Value
	var err error
	if m.k == kFunc {
		var two [2]Value
		copy(two[:], args)
		r, err = t.CallSelf(m, v, two[0], two[1])
	} else {
		if m, err = t.value(t.bound(m, owner, v, cls), v, name); err != nil {
			return Value{}, false, nil
		}
		r, err = t.Call(m, append([]Value(nil), args...), nil, nil)
	}
	if err == nil && v.l != 0 {
		r.l = t.join(r.l, v.l)
	}
	return r, true, err
}

// construct returns payload as an instance of cls: itself when cls is the
// built-in class, else an instance that keeps it as its base.
func (t *Thread) construct(cls Value, payload Value) Value {
	c := cls.o.(*Class)
	if c.static {
		return payload
	}
	return Value{k: kObject, o: &Instance{cls: c, base: payload}, l: t.join(payload.l, cls.l)}
}
