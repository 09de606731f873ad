package syntax

// Walk calls visit for n and, where visit returns true, for n's children in
// the order in which they are written in Python's ast. It never calls visit
// with nil.
func Walk(n Node, visit func(Node) bool) {
	if !isNil(n) && visit(n) {
		Children(n, func(c Node) { Walk(c, visit) })
	}
}

func isNil(n Node) bool {
	switch n := n.(type) {
	case nil:
		return true
	case *Arguments:
		return n == nil
	case *Arg:
		return n == nil
	case *JoinedStr:
		return n == nil
	case *Name:
		return n == nil
	}
	return false
}

func each[T Node](list []T, f func(Node)) {
	for _, n := range list {
		f(n)
	}
}

func opt[T interface {
	Node
	comparable
}](n T, f func(Node)) {
	var zero T
	if n != zero {
		f(n)
	}
}

// Children calls f for each child of n, in the order of [Walk].
func Children(n Node, f func(Node)) {
	switch n := n.(type) {
	case Stmt:
		stmtChildren(n, f)
	case Expr:
		exprChildren(n, f)
	case Pattern:
		patternChildren(n, f)
	default:
		partChildren(n, f)
	}
}

func stmtChildren(n Stmt, f func(Node)) {
	switch n := n.(type) {
	case *FunctionDef:
		opt(n.Args, f)
		each(n.Body, f)
		each(n.Decorators, f)
		opt(n.Returns, f)
	case *ClassDef:
		each(n.Bases, f)
		each(n.Keywords, f)
		each(n.Body, f)
		each(n.Decorators, f)
	case *Return:
		opt(n.Value, f)
	case *Delete:
		each(n.Targets, f)
	case *Assign:
		each(n.Targets, f)
		opt(n.Value, f)
	case *AugAssign:
		opt(n.Target, f)
		opt(n.Value, f)
	case *AnnAssign:
		opt(n.Target, f)
		opt(n.Annotation, f)
		opt(n.Value, f)
	case *For:
		opt(n.Target, f)
		opt(n.Iter, f)
		each(n.Body, f)
		each(n.OrElse, f)
	case *While:
		opt(n.Test, f)
		each(n.Body, f)
		each(n.OrElse, f)
	case *If:
		opt(n.Test, f)
		each(n.Body, f)
		each(n.OrElse, f)
	case *With:
		each(n.Items, f)
		each(n.Body, f)
	case *Match:
		opt(n.Subject, f)
		each(n.Cases, f)
	case *Raise:
		opt(n.Exc, f)
		opt(n.Cause, f)
	case *TryStmt:
		each(n.Body, f)
		each(n.Handlers, f)
		each(n.OrElse, f)
		each(n.FinalBody, f)
	case *Assert:
		opt(n.Test, f)
		opt(n.Msg, f)
	case *Import:
		each(n.Names, f)
	case *ImportFrom:
		each(n.Names, f)
	case *ExprStmt:
		opt(n.Value, f)
	}
}

func exprChildren(n Expr, f func(Node)) {
	switch n := n.(type) {
	case *BoolOp:
		each(n.Values, f)
	case *NamedExpr:
		opt(n.Target, f)
		opt(n.Value, f)
	case *BinOp:
		opt(n.Left, f)
		opt(n.Right, f)
	case *UnaryOp:
		opt(n.Operand, f)
	case *Lambda:
		opt(n.Args, f)
		opt(n.Body, f)
	case *IfExp:
		opt(n.Test, f)
		opt(n.Body, f)
		opt(n.OrElse, f)
	case *Dict:
		for _, k := range n.Keys {
			opt(k, f)
		}
		each(n.Values, f)
	case *Set:
		each(n.Elts, f)
	case *ListComp:
		opt(n.Elt, f)
		each(n.Generators, f)
	case *SetComp:
		opt(n.Elt, f)
		each(n.Generators, f)
	case *DictComp:
		opt(n.Key, f)
		opt(n.Value, f)
		each(n.Generators, f)
	case *GeneratorExp:
		opt(n.Elt, f)
		each(n.Generators, f)
	case *Await:
		opt(n.Value, f)
	case *Yield:
		opt(n.Value, f)
	case *YieldFrom:
		opt(n.Value, f)
	case *Compare:
		opt(n.Left, f)
		each(n.Comparators, f)
	case *Call:
		opt(n.Func, f)
		each(n.Args, f)
		each(n.Keywords, f)
	case *FormattedValue:
		opt(n.Value, f)
		opt(n.FormatSpec, f)
	case *JoinedStr:
		each(n.Values, f)
	case *Attribute:
		opt(n.Value, f)
	case *Subscript:
		opt(n.Value, f)
		opt(n.Slice, f)
	case *Starred:
		opt(n.Value, f)
	case *List:
		each(n.Elts, f)
	case *Tuple:
		each(n.Elts, f)
	case *Slice:
		opt(n.Lower, f)
		opt(n.Upper, f)
		opt(n.Step, f)
	}
}

func patternChildren(n Pattern, f func(Node)) {
	switch n := n.(type) {
	case *MatchValue:
		opt(n.Value, f)
	case *MatchSequence:
		each(n.Patterns, f)
	case *MatchMapping:
		each(n.Keys, f)
		each(n.Patterns, f)
	case *MatchClass:
		opt(n.Cls, f)
		each(n.Patterns, f)
		each(n.KwdPatterns, f)
	case *MatchAs:
		opt(n.Pattern, f)
	case *MatchOr:
		each(n.Patterns, f)
	}
}

func partChildren(n Node, f func(Node)) {
	switch n := n.(type) {
	case *Module:
		each(n.Body, f)
	case *Arguments:
		each(n.PosOnlyArgs, f)
		each(n.Args, f)
		opt(n.VarArg, f)
		each(n.KwOnlyArgs, f)
		for _, d := range n.KwDefaults {
			opt(d, f)
		}
		opt(n.KwArg, f)
		each(n.Defaults, f)
	case *Arg:
		opt(n.Annotation, f)
	case *Keyword:
		opt(n.Value, f)
	case *WithItem:
		opt(n.ContextExpr, f)
		opt(n.OptionalVars, f)
	case *MatchCase:
		opt(n.Pattern, f)
		opt(n.Guard, f)
		each(n.Body, f)
	case *ExceptHandler:
		opt(n.Type, f)
		each(n.Body, f)
	case *Comprehension:
		opt(n.Target, f)
		opt(n.Iter, f)
		each(n.Ifs, f)
	}
}
