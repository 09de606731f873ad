package compile

import (
	"slices"

	"praxis/internal/plan/bytecode"
	"praxis/internal/plan/syntax"
)

// maxArgs bounds the arguments that a call lays on the stack; with more it goes through a list.
const maxArgs = 255

// call compiles a call. The instruction has the position of the call as a whole.
func (b *builder) call(e *syntax.Call) {
	if !plainArgs(e.Args, e.Keywords) {
		b.expr(e.Func)
		b.callEx(e.Args, e.Keywords)
		return
	}
	method := b.callee(e.Func)
	n, names := b.args(e.Args, e.Keywords)
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

// plainArgs says whether arguments are laid on the stack: none has a star, and there
// are not too many.
func plainArgs(args []syntax.Expr, keywords []*syntax.Keyword) bool {
	return !hasStar(args) && len(args)+len(keywords) <= maxArgs &&
		!slices.ContainsFunc(keywords, func(k *syntax.Keyword) bool { return k.Arg == "" })
}

// args pushes plain arguments, and returns how many there are and the names of the last.
func (b *builder) args(args []syntax.Expr, keywords []*syntax.Keyword) (n int, names []string) {
	b.exprs(args)
	for _, k := range keywords {
		b.expr(k.Value)
		names = append(names, k.Arg)
	}
	return len(args) + len(names), names
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
	if method = !b.superCall(a.Value); method {
		b.expr(a.Value)
		b.may(1)
		b.emit(bytecode.LoadMethod, b.site(name))
	} else {
		b.may(2)
		b.emit(bytecode.LoadSuperAttr, b.nameIndex(name))
	}
	b.pos = old
	return method
}

// callEx compiles a call with * or ** among its arguments; the function is on the stack.
func (b *builder) callEx(args []syntax.Expr, keywords []*syntax.Keyword) {
	b.elements(bytecode.BuildList, bytecode.ListAppend, bytecode.ArgsExtend, args)
	flag := min(len(keywords), 1)
	if flag == 1 {
		b.keywordDict(keywords)
	}
	b.may(2 + flag)
	b.emit(bytecode.CallEx, flag)
	b.may(1)
}

// keywordDict builds a dict of keyword arguments above the list of the others.
func (b *builder) keywordDict(keywords []*syntax.Keyword) {
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
