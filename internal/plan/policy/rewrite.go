package policy

import (
	"slices"
	"strings"

	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/overloads"
	"cel.dev/cel-go/common/types"

	"praxis/internal/safetext"
	"praxis/internal/tool/jsondoc"
)

// rewriter puts the labels into an expression. Paths from args stay nodes,
// which know their labels, as long as they are only followed; each operand of
// an operator or of a function that needs a plain value is unwrapped. So no
// operator ever gets a value with labels, and no function over labels gets a value
// that has lost them.
type rewriter struct {
	c    *compiler
	cond *condition
	fac  ast.ExprFactory
	next int64
	uses []use
}

// scope are the variables of the macros around an expression.
type scope struct {
	name  string
	path  *path // nil for plain values
	outer *scope
}

func (s *scope) find(name string) (*scope, bool) {
	for ; s != nil; s = s.outer {
		if s.name == name {
			return s, true
		}
	}
	return nil, false
}

func (w *rewriter) id() int64 { w.next++; return w.next }

// bad notes a problem of the condition.
func (w *rewriter) bad(remedy, format string, args ...any) {
	w.c.r.Add(w.cond.at, remedy, format, args...)
}

// plain unwraps an expression that is a path.
func (w *rewriter) plain(e ast.Expr, p *path) ast.Expr {
	if p == nil {
		return e
	}
	w.use(p, usePlain)
	return w.fac.NewCall(w.id(), fnPlain, e)
}

func (w *rewriter) use(p *path, kind useKind) {
	w.uses = append(w.uses, use{path: *p, kind: kind, at: w.cond.at})
}

// rewrite returns the new expression, and its path if it is one.
func (w *rewriter) rewrite(e ast.Expr, s *scope) (ast.Expr, *path) {
	switch e.Kind() {
	case ast.IdentKind:
		return w.ident(e, s)
	case ast.SelectKind:
		return w.member(e, s)
	case ast.CallKind:
		return w.call(e, s)
	case ast.ListKind:
		elems := make([]ast.Expr, 0, e.AsList().Size())
		for _, item := range e.AsList().Elements() {
			elems = append(elems, w.plain(w.rewrite(item, s)))
		}
		return w.fac.NewList(e.ID(), elems, e.AsList().OptionalIndices()), nil
	case ast.MapKind:
		var entries []ast.EntryExpr
		for _, item := range e.AsMap().Entries() {
			m := item.AsMapEntry()
			entries = append(entries, w.fac.NewMapEntry(item.ID(), w.plain(w.rewrite(m.Key(), s)), w.plain(w.rewrite(m.Value(), s)), m.IsOptional()))
		}
		return w.fac.NewMap(e.ID(), entries), nil
	case ast.ComprehensionKind:
		return w.loop(e, s), nil
	case ast.LiteralKind:
		return e, nil
	}
	w.bad(conditionIntro, "messages cannot be made in a condition")
	return e, nil
}

func (w *rewriter) ident(e ast.Expr, s *scope) (ast.Expr, *path) {
	name := e.AsIdent()
	if local, ok := s.find(name); ok {
		return e, local.path
	}
	switch name {
	case "args", "pc":
		return e, &path{root: name}
	}
	if slices.Contains(w.c.named, name) && !slices.Contains(w.cond.names, name) {
		w.cond.names = append(w.cond.names, name)
	}
	return e, nil
}

func (w *rewriter) member(e ast.Expr, s *scope) (ast.Expr, *path) {
	sel := e.AsSelect()
	op, p := w.rewrite(sel.Operand(), s)
	name := w.fac.NewLiteral(w.id(), types.String(sel.FieldName()))
	switch {
	case p == nil && sel.IsTestOnly():
		w.known(sel)
		return w.fac.NewPresenceTest(e.ID(), op, sel.FieldName()), nil
	case p == nil:
		w.known(sel)
		return w.fac.NewSelect(e.ID(), op, sel.FieldName()), nil
	case p.root == "pc":
		w.bad("Ask pc.trusted(), pc.from(…), pc.sources() or pc.endorsed().", "pc is the control flow: it has labels but no %s", sel.FieldName())
		return e, nil
	case sel.IsTestOnly():
		w.use(p.to(sel.FieldName()), useTested)
		return w.fac.NewCall(w.id(), fnHas, op, name), nil
	}
	return w.fac.NewCall(e.ID(), fnAt, op, name), p.to(sel.FieldName())
}

// known refuses names below tool, call and groups that do not exist.
func (w *rewriter) known(sel ast.SelectExpr) {
	if sel.Operand().Kind() != ast.IdentKind {
		return
	}
	var names []string
	switch root := sel.Operand().AsIdent(); root {
	case "tool":
		names = []string{"name", "version", "namespace", "effects"}
	case "call":
		names, w.cond.counts = []string{"number"}, true
	case "groups":
		names = w.c.groups
	default:
		return
	}
	if !slices.Contains(names, sel.FieldName()) {
		remedy := jsondoc.DidYouMean(sel.FieldName(), names)
		if remedy == "" {
			remedy = "Declare it under groups."
		}
		w.bad(remedy, "%s has no %s", sel.Operand().AsIdent(), safetext.Quote(sel.FieldName()))
	}
}

func (w *rewriter) call(e ast.Expr, s *scope) (ast.Expr, *path) {
	call := e.AsCall()
	name := call.FunctionName()
	if name == operators.Index {
		return w.index(e, s)
	}
	if call.IsMemberFunction() && slices.Contains(labelFunctions(), name) {
		return w.labelCall(e, s), nil
	}
	args := make([]ast.Expr, 0, len(call.Args()))
	for _, a := range call.Args() {
		args = append(args, w.plain(w.rewrite(a, s)))
	}
	if name == overloads.Matches {
		w.literalPattern(call)
	}
	if strings.HasPrefix(name, "get") && len(args) > 0 && call.IsMemberFunction() {
		w.bad("Leave the time zone out: times are in UTC.", "%s with a time zone would depend on the machine", name)
	}
	if !call.IsMemberFunction() {
		return w.fac.NewCall(e.ID(), name, args...), nil
	}
	target, p := w.rewrite(call.Target(), s)
	if name == fnWithin && p != nil { // it asks for the label of an empty list
		w.use(p, usePlain)
	} else {
		target = w.plain(target, p)
	}
	return w.fac.NewMemberCall(e.ID(), name, target, args...), nil
}

// literalPattern wants regular expressions in the policy, where they have been
// checked, and not in the data.
func (w *rewriter) literalPattern(call ast.CallExpr) {
	if last := call.Args()[len(call.Args())-1]; last.Kind() != ast.LiteralKind {
		w.bad(`Write the pattern out: args.to.matches("^[a-z]+@acme[.]com$").`, "the pattern of matches has to be a literal")
	}
}

func (w *rewriter) index(e ast.Expr, s *scope) (ast.Expr, *path) {
	call := e.AsCall()
	target, p := w.rewrite(call.Args()[0], s)
	key := w.plain(w.rewrite(call.Args()[1], s))
	if p == nil {
		return w.fac.NewCall(e.ID(), operators.Index, target, key), nil
	}
	seg := "*"
	if lit := call.Args()[1]; lit.Kind() == ast.LiteralKind {
		if name, ok := lit.AsLiteral().(types.String); ok {
			seg = string(name)
		}
	}
	return w.fac.NewCall(e.ID(), fnAt, target, key), p.to(seg)
}

// labelCall rewrites the call of a function over labels.
func (w *rewriter) labelCall(e ast.Expr, s *scope) ast.Expr {
	call := e.AsCall()
	name := call.FunctionName()
	target, p := w.rewrite(call.Target(), s)
	if p == nil {
		w.bad("Ask it of an argument or of a part of one: args.to."+name+"(…).", "%s is asked of a value that has no label", name)
		return e
	}
	kind := useLabel
	if name == fnAmong {
		kind = usePlain
		if p.root == "pc" {
			w.bad("Ask it of an argument.", "pc is the control flow: it has labels but no value")
		}
	}
	w.use(p, kind)
	args := make([]ast.Expr, 0, len(call.Args()))
	for _, a := range call.Args() {
		arg, ap := w.rewrite(a, s)
		if name == fnReadableBy && ap != nil {
			w.use(ap, useLabel) // what is not given names nobody
		} else {
			arg = w.plain(arg, ap)
		}
		if lit, ok := literalText(a); ok && name == fnFrom {
			w.cond.froms = append(w.cond.froms, from{lit, w.cond.at})
		}
		if lit, ok := literalText(a); name == fnAmong && ok {
			w.c.memberPattern(from{lit, w.cond.at})
			w.cond.members = append(w.cond.members, lit)
		} else if name == fnAmong {
			w.bad(`Write the tool and the path: args.to.among("contacts.all/*/email").`, "what among is asked for has to be a literal")
		}
		args = append(args, arg)
	}
	return w.fac.NewMemberCall(e.ID(), name, target, args...)
}

func literalText(e ast.Expr) (string, bool) {
	if e.Kind() != ast.LiteralKind {
		return "", false
	}
	s, ok := e.AsLiteral().(types.String)
	return string(s), ok
}

// loop is a macro: its variable stands for the parts of the range.
func (w *rewriter) loop(e ast.Expr, s *scope) ast.Expr {
	c := e.AsComprehension()
	over, p := w.rewrite(c.IterRange(), s)
	inner := &scope{name: c.IterVar(), outer: s}
	if p != nil {
		w.use(p, usePlain)
		over = w.fac.NewCall(w.id(), fnParts, over)
		inner.path = p.to("*")
	}
	for _, root := range append(rootNames(), w.c.named...) {
		if root == c.IterVar() {
			w.bad("Choose another name for the variable.", "the variable %s hides what every condition has", root)
		}
	}
	inner = &scope{name: c.AccuVar(), outer: inner}
	part := func(e ast.Expr) ast.Expr { return w.plain(w.rewrite(e, inner)) }
	return w.fac.NewComprehension(e.ID(), over, c.IterVar(), c.AccuVar(), w.plain(w.rewrite(c.AccuInit(), s)), part(c.LoopCondition()), part(c.LoopStep()), part(c.Result()))
}
