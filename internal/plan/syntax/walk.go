package syntax

// Walk calls visit for n and, where visit returns true, for n's children in
// the order in which they are written in Python's ast. It never calls visit
// with nil.
func Walk(n Node, visit func(Node) bool) {
	if n != nil && visit(n) {
		Children(n, func(c Node) { Walk(c, visit) })
	}
}

// each calls f for the nodes of lists, which may be nil.
func each[T Node](f func(Node), lists ...[]T) {
	for _, list := range lists {
		for _, n := range list {
			if any(n) != nil {
				f(n)
			}
		}
	}
}

// opt calls f for the expressions that are not nil.
func opt(f func(Node), list ...Expr) {
	for _, n := range list {
		if n != nil {
			f(n)
		}
	}
}

// Children calls f for each child of n, in the order of [Walk].
func Children(n Node, f func(Node)) {
	switch n := n.(type) {
	case Stmt:
		stmtChildren(n, f)
	case Expr:
		exprChildren(n, f)
	default:
		partChildren(n, f)
	}
}

func stmtChildren(n Stmt, f func(Node)) {
	switch n := n.(type) {
	case *FunctionDef:
		f(n.Args)
		each(f, n.Body)
		each(f, n.Decorators)
		opt(f, n.Returns)
	case *ClassDef:
		each(f, n.Bases)
		each(f, n.Keywords)
		each(f, n.Body)
		each(f, n.Decorators)
	case *Return:
		opt(f, n.Value)
	case *Delete:
		each(f, n.Targets)
	case *Assign:
		each(f, n.Targets)
		f(n.Value)
	case *AugAssign:
		opt(f, n.Target, n.Value)
	case *AnnAssign:
		opt(f, n.Target, n.Annotation, n.Value)
	case *For:
		opt(f, n.Target, n.Iter)
		each(f, n.Body, n.OrElse)
	case *While:
		f(n.Test)
		each(f, n.Body, n.OrElse)
	case *If:
		f(n.Test)
		each(f, n.Body, n.OrElse)
	case *With:
		each(f, n.Items)
		each(f, n.Body)
	case *Match:
		f(n.Subject)
		each(f, n.Cases)
	case *Raise:
		opt(f, n.Exc, n.Cause)
	case *TryStmt:
		each(f, n.Body)
		each(f, n.Handlers)
		each(f, n.OrElse, n.FinalBody)
	case *Assert:
		opt(f, n.Test, n.Msg)
	case *Import:
		each(f, n.Names)
	case *ImportFrom:
		each(f, n.Names)
	case *ExprStmt:
		f(n.Value)
	}
}

func exprChildren(n Expr, f func(Node)) {
	switch n := n.(type) {
	case *BoolOp:
		each(f, n.Values)
	case *NamedExpr:
		opt(f, n.Target, n.Value)
	case *BinOp:
		opt(f, n.Left, n.Right)
	case *UnaryOp:
		f(n.Operand)
	case *Lambda:
		f(n.Args)
		f(n.Body)
	case *IfExp:
		opt(f, n.Test, n.Body, n.OrElse)
	case *Dict:
		each(f, n.Keys, n.Values)
	case *Set:
		each(f, n.Elts)
	case *Comp:
		opt(f, n.Elt, n.Value)
		each(f, n.Generators)
	case *Await:
		f(n.Value)
	case *Yield:
		opt(f, n.Value)
	case *Compare:
		f(n.Left)
		each(f, n.Comparators)
	case *Call:
		f(n.Func)
		each(f, n.Args)
		each(f, n.Keywords)
	case *FormattedValue:
		f(n.Value)
		if n.FormatSpec != nil {
			f(n.FormatSpec)
		}
	case *JoinedStr:
		each(f, n.Values)
	case *Attribute:
		f(n.Value)
	case *Subscript:
		opt(f, n.Value, n.Slice)
	case *Starred:
		f(n.Value)
	case *List:
		each(f, n.Elts)
	case *Tuple:
		each(f, n.Elts)
	case *Slice:
		opt(f, n.Lower, n.Upper, n.Step)
	}
}

func partChildren(n Node, f func(Node)) {
	switch n := n.(type) {
	case *MatchValue:
		f(n.Value)
	case *MatchSequence:
		each(f, n.Patterns)
	case *MatchMapping:
		each(f, n.Keys)
		each(f, n.Patterns)
	case *MatchClass:
		f(n.Cls)
		each(f, n.Patterns, n.KwdPatterns)
	case *MatchAs:
		if n.Pattern != nil {
			f(n.Pattern)
		}
	case *MatchOr:
		each(f, n.Patterns)
	case *Module:
		each(f, n.Body)
	case *Arguments:
		each(f, n.PosOnlyArgs, n.Args)
		if n.VarArg != nil {
			f(n.VarArg)
		}
		each(f, n.KwOnlyArgs)
		each(f, n.KwDefaults)
		if n.KwArg != nil {
			f(n.KwArg)
		}
		each(f, n.Defaults)
	case *Arg:
		opt(f, n.Annotation)
	case *Keyword:
		f(n.Value)
	case *WithItem:
		opt(f, n.ContextExpr, n.OptionalVars)
	case *MatchCase:
		f(n.Pattern)
		opt(f, n.Guard)
		each(f, n.Body)
	case *ExceptHandler:
		opt(f, n.Type)
		each(f, n.Body)
	case *Comprehension:
		opt(f, n.Target, n.Iter)
		each(f, n.Ifs)
	}
}
