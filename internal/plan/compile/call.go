package compile

import (
	"praxis/internal/plan/bytecode"
	"praxis/internal/plan/syntax"
)

// maxArgs bounds the arguments that a call lays on the stack; with more it goes through a list.
const maxArgs = 255

// call compiles a call. The instruction has the position of the call as a whole.
func (b *builder) call(e *syntax.Call) {
	plain := !hasStar(e.Args) && len(e.Args)+len(e.Keywords) <= maxArgs
	for _, k := range e.Keywords {
		plain = plain && k.Arg != ""
	}
	if !plain {
		b.expr(e.Func)
		b.callEx(e.Args, e.Keywords)
		return
	}
	method := b.callee(e.Func)
	for _, a := range e.Args {
		b.expr(a)
	}
	names := make([]string, 0, len(e.Keywords))
	for _, k := range e.Keywords {
		b.expr(k.Value)
		names = append(names, k.Arg)
	}
	n := len(e.Args) + len(names)
	b.may(n + 1)
	switch {
	case len(names) == 0 && method:
		b.emit(bytecode.CallMethod, n)
	case len(names) == 0:
		b.emit(bytecode.Call, n)
	case method:
		b.emit2(bytecode.CallMethodKw, n, b.keywordsIndex(names))
	default:
		b.emit2(bytecode.CallKw, n, b.keywordsIndex(names))
	}
	b.may(1)
}

// callee pushes what is called; for a method, the function and the object.
func (b *builder) callee(f syntax.Expr) (method bool) {
	a, ok := f.(*syntax.Attribute)
	if !ok {
		b.expr(f)
		return false
	}
	old := b.at(f)
	name := b.scope.mangle(a.Attr)
	if b.superCall(a.Value) {
		b.may(2)
		b.emit(bytecode.LoadSuperMethod, b.nameIndex(name))
	} else {
		b.expr(a.Value)
		b.may(1)
		b.emit(bytecode.LoadMethod, b.site(name))
	}
	b.pos = old
	return true
}

// callEx compiles a call with * or ** among its arguments; the function is on the stack.
func (b *builder) callEx(args []syntax.Expr, keywords []*syntax.Keyword) {
	b.emit(bytecode.BuildList, 0)
	for _, a := range args {
		if st, ok := a.(*syntax.Starred); ok {
			b.expr(st.Value)
			b.may(1)
			b.emit(bytecode.ArgsExtend, 1)
		} else {
			b.expr(a)
			b.emit(bytecode.ListAppend, 1)
		}
	}
	flag := 0
	if len(keywords) > 0 {
		flag = 1
		b.emit(bytecode.BuildMap, 0)
		for _, k := range keywords {
			if k.Arg == "" {
				b.expr(k.Value)
			} else {
				b.loadStr(k.Arg)
				b.expr(k.Value)
				b.emit(bytecode.BuildMap, 1)
			}
			b.may(1)
			b.emit(bytecode.DictMerge, 2)
		}
	}
	b.may(2 + flag)
	b.emit(bytecode.CallEx, flag)
	b.may(1)
}
