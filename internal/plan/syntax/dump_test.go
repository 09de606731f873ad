package syntax

import "strconv"

// Dump writes the tree as CPython's ast.dump(tree, include_attributes=…)
// does, in one line.
func Dump(n Node, includeAttributes bool) string {
	d := dumper{attrs: includeAttributes}
	d.node(n)
	return string(d.out)
}

// dumper writes nodes. Fields are written with a comma behind the previous
// one, unless that is an opening bracket.
type dumper struct {
	out   []byte
	attrs bool
}

func (d *dumper) text(s string) { d.out = append(d.out, s...) }

// field writes the name of the next field.
func (d *dumper) field(name string) {
	if d.out[len(d.out)-1] != '(' {
		d.text(", ")
	}
	d.text(name)
	d.out = append(d.out, '=')
}

func (d *dumper) num(name string, n int) {
	d.field(name)
	d.out = strconv.AppendInt(d.out, int64(n), 10)
}

func (d *dumper) flag(name string, b bool) {
	n := 0
	if b {
		n = 1
	}
	d.num(name, n)
}

func (d *dumper) str(name, s string) {
	d.field(name)
	d.out = appendRepr(d.out, s)
}

// opt writes a string that is left out when empty.
func (d *dumper) opt(name, s string) {
	if s != "" {
		d.str(name, s)
	}
}

func (d *dumper) class(name, class string) {
	d.field(name)
	d.text(class)
	d.text("()")
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
	}
	return false
}

func (d *dumper) child(name string, n Node) {
	if isNil(n) {
		return
	}
	d.field(name)
	d.node(n)
}

// dumpList writes a list that is left out when empty. A nil element is None.
func dumpList[T Node](d *dumper, name string, list []T) {
	if len(list) == 0 {
		return
	}
	d.field(name)
	d.out = append(d.out, '[')
	for i, n := range list {
		if i > 0 {
			d.text(", ")
		}
		if isNil(n) {
			d.text("None")
		} else {
			d.node(n)
		}
	}
	d.out = append(d.out, ']')
}

func (d *dumper) strings(name string, list []string) {
	if len(list) == 0 {
		return
	}
	d.field(name)
	d.out = append(d.out, '[')
	for i, s := range list {
		if i > 0 {
			d.text(", ")
		}
		d.out = appendRepr(d.out, s)
	}
	d.out = append(d.out, ']')
}

func (d *dumper) open(class string) {
	d.text(class)
	d.out = append(d.out, '(')
}

// close writes the attributes, when wanted, and the closing parenthesis.
func (d *dumper) close(s Span) {
	if d.attrs {
		d.num("lineno", int(s.Start.Line))
		d.num("col_offset", int(s.Start.Col))
		d.num("end_lineno", int(s.End.Line))
		d.num("end_col_offset", int(s.End.Col))
	}
	d.out = append(d.out, ')')
}

func (d *dumper) node(n Node) {
	switch n := n.(type) {
	case nil:
		d.text("None")
	case Stmt:
		d.stmt(n)
		d.close(n.Range())
	case Expr:
		d.expr(n)
		d.close(n.Range())
	case *MatchValue, *MatchSequence, *MatchMapping, *MatchClass, *MatchStar, *MatchAs, *MatchOr:
		d.pattern(n)
		d.close(n.Range())
	default:
		d.part(n)
	}
}

func async(b bool, name string) string {
	if b {
		return "Async" + name
	}
	return name
}

func (d *dumper) stmt(n Stmt) {
	switch n := n.(type) {
	case *FunctionDef:
		d.open(async(n.Async, "FunctionDef"))
		d.str("name", n.Name)
		d.child("args", n.Args)
		dumpList(d, "body", n.Body)
		dumpList(d, "decorator_list", n.Decorators)
		d.child("returns", n.Returns)
	case *ClassDef:
		d.open("ClassDef")
		d.str("name", n.Name)
		dumpList(d, "bases", n.Bases)
		dumpList(d, "keywords", n.Keywords)
		dumpList(d, "body", n.Body)
		dumpList(d, "decorator_list", n.Decorators)
	case *Return:
		d.open("Return")
		d.child("value", n.Value)
	case *Delete:
		d.open("Delete")
		dumpList(d, "targets", n.Targets)
	case *Assign:
		d.open("Assign")
		dumpList(d, "targets", n.Targets)
		d.child("value", n.Value)
	case *AugAssign:
		d.open("AugAssign")
		d.child("target", n.Target)
		d.class("op", nameOf(n.Op))
		d.child("value", n.Value)
	case *AnnAssign:
		d.open("AnnAssign")
		d.child("target", n.Target)
		d.child("annotation", n.Annotation)
		d.child("value", n.Value)
		d.flag("simple", n.Simple)
	case *Raise:
		d.open("Raise")
		d.child("exc", n.Exc)
		d.child("cause", n.Cause)
	case *Assert:
		d.open("Assert")
		d.child("test", n.Test)
		d.child("msg", n.Msg)
	case *Import:
		d.open("Import")
		dumpList(d, "names", n.Names)
	case *ImportFrom:
		d.open("ImportFrom")
		d.opt("module", n.Module)
		dumpList(d, "names", n.Names)
		d.num("level", n.Level)
	case *Declare:
		if n.Nonlocal {
			d.open("Nonlocal")
		} else {
			d.open("Global")
		}
		d.strings("names", n.Names)
	case *ExprStmt:
		d.open("Expr")
		d.child("value", n.Value)
	case *Pass:
		d.open("Pass")
	case *Break:
		d.open("Break")
	case *Continue:
		d.open("Continue")
	default:
		d.block(n)
	}
}

// block writes the statements that hold others, but for def and class.
func (d *dumper) block(n Stmt) {
	switch n := n.(type) {
	case *For:
		d.open(async(n.Async, "For"))
		d.child("target", n.Target)
		d.child("iter", n.Iter)
		dumpList(d, "body", n.Body)
		dumpList(d, "orelse", n.OrElse)
	case *While:
		d.open("While")
		d.child("test", n.Test)
		dumpList(d, "body", n.Body)
		dumpList(d, "orelse", n.OrElse)
	case *If:
		d.open("If")
		d.child("test", n.Test)
		dumpList(d, "body", n.Body)
		dumpList(d, "orelse", n.OrElse)
	case *With:
		d.open(async(n.Async, "With"))
		dumpList(d, "items", n.Items)
		dumpList(d, "body", n.Body)
	case *Match:
		d.open("Match")
		d.child("subject", n.Subject)
		dumpList(d, "cases", n.Cases)
	case *TryStmt:
		d.open("Try")
		dumpList(d, "body", n.Body)
		dumpList(d, "handlers", n.Handlers)
		dumpList(d, "orelse", n.OrElse)
		dumpList(d, "finalbody", n.FinalBody)
	}
}

func (d *dumper) expr(n Expr) {
	switch n := n.(type) {
	case *BoolOp:
		d.open("BoolOp")
		d.class("op", nameOf(n.Op))
		dumpList(d, "values", n.Values)
	case *NamedExpr:
		d.open("NamedExpr")
		d.child("target", n.Target)
		d.child("value", n.Value)
	case *BinOp:
		d.open("BinOp")
		d.child("left", n.Left)
		d.class("op", nameOf(n.Op))
		d.child("right", n.Right)
	case *UnaryOp:
		d.open("UnaryOp")
		d.class("op", nameOf(n.Op))
		d.child("operand", n.Operand)
	case *Lambda:
		d.open("Lambda")
		d.child("args", n.Args)
		d.child("body", n.Body)
	case *IfExp:
		d.open("IfExp")
		d.child("test", n.Test)
		d.child("body", n.Body)
		d.child("orelse", n.OrElse)
	case *Await:
		d.open("Await")
		d.child("value", n.Value)
	case *Yield:
		if n.From {
			d.open("YieldFrom")
		} else {
			d.open("Yield")
		}
		d.child("value", n.Value)
	case *Compare:
		d.compare(n)
	case *Call:
		d.open("Call")
		d.child("func", n.Func)
		dumpList(d, "args", n.Args)
		dumpList(d, "keywords", n.Keywords)
	case *Constant:
		d.constant(n)
	case *Attribute:
		d.open("Attribute")
		d.child("value", n.Value)
		d.str("attr", n.Attr)
		d.class("ctx", nameOf(n.Ctx))
	case *Subscript:
		d.open("Subscript")
		d.child("value", n.Value)
		d.child("slice", n.Slice)
		d.class("ctx", nameOf(n.Ctx))
	case *Starred:
		d.open("Starred")
		d.child("value", n.Value)
		d.class("ctx", nameOf(n.Ctx))
	case *Name:
		d.open("Name")
		d.str("id", n.ID)
		d.class("ctx", nameOf(n.Ctx))
	case *Slice:
		d.open("Slice")
		d.child("lower", n.Lower)
		d.child("upper", n.Upper)
		d.child("step", n.Step)
	default:
		d.display(n)
	}
}

func (d *dumper) compare(n *Compare) {
	d.open("Compare")
	d.child("left", n.Left)
	d.text(", ops=[")
	for i, op := range n.Ops {
		if i > 0 {
			d.text(", ")
		}
		d.text(nameOf(op))
		d.text("()")
	}
	d.out = append(d.out, ']')
	dumpList(d, "comparators", n.Comparators)
}

// display writes the expressions made of several others, and f-strings.
func (d *dumper) display(n Expr) {
	switch n := n.(type) {
	case *Dict:
		d.open("Dict")
		dumpList(d, "keys", n.Keys)
		dumpList(d, "values", n.Values)
	case *Set:
		d.open("Set")
		dumpList(d, "elts", n.Elts)
	case *Comp:
		d.open([...]string{ListComp: "ListComp", SetComp: "SetComp", DictComp: "DictComp", GeneratorExp: "GeneratorExp"}[n.Kind])
		if n.Kind == DictComp {
			d.child("key", n.Elt)
			d.child("value", n.Value)
		} else {
			d.child("elt", n.Elt)
		}
		dumpList(d, "generators", n.Generators)
	case *FormattedValue:
		d.open("FormattedValue")
		d.child("value", n.Value)
		d.num("conversion", n.Conversion)
		d.child("format_spec", n.FormatSpec)
	case *JoinedStr:
		d.open("JoinedStr")
		dumpList(d, "values", n.Values)
	case *List:
		d.open("List")
		dumpList(d, "elts", n.Elts)
		d.class("ctx", nameOf(n.Ctx))
	case *Tuple:
		d.open("Tuple")
		dumpList(d, "elts", n.Elts)
		d.class("ctx", nameOf(n.Ctx))
	}
}

func (d *dumper) constant(n *Constant) {
	d.open("Constant")
	d.field("value")
	d.constantValue(n)
}

// constantValue writes the value as Python's repr.
func (d *dumper) constantValue(n *Constant) {
	switch n.Kind {
	case Int:
		if n.Big != nil {
			d.out = n.Big.Append(d.out, 10)
		} else {
			d.out = strconv.AppendInt(d.out, n.Int, 10)
		}
	case Float:
		d.out = appendFloat(d.out, n.Float, true)
	case Complex:
		d.out = appendFloat(d.out, n.Float, false)
		d.out = append(d.out, 'j')
	case Str:
		d.out = appendRepr(d.out, n.Str)
	case Bytes:
		d.out = appendBytesRepr(d.out, n.Str)
	default:
		d.text(nameOf(n.Kind))
	}
}

func (d *dumper) pattern(n Pattern) {
	switch n := n.(type) {
	case *MatchValue:
		if c, ok := n.Value.(*Constant); ok && c.Singleton() {
			d.open("MatchSingleton")
			d.field("value")
			d.text(nameOf(c.Kind))
			return
		}
		d.open("MatchValue")
		d.child("value", n.Value)
	case *MatchSequence:
		d.open("MatchSequence")
		dumpList(d, "patterns", n.Patterns)
	case *MatchMapping:
		d.open("MatchMapping")
		dumpList(d, "keys", n.Keys)
		dumpList(d, "patterns", n.Patterns)
	case *MatchClass:
		d.open("MatchClass")
		d.child("cls", n.Cls)
		dumpList(d, "patterns", n.Patterns)
		d.strings("kwd_attrs", n.KwdAttrs)
		dumpList(d, "kwd_patterns", n.KwdPatterns)
	case *MatchStar:
		d.open("MatchStar")
		d.opt("name", n.Name)
	case *MatchAs:
		d.open("MatchAs")
		d.child("pattern", n.Pattern)
		d.opt("name", n.Name)
	case *MatchOr:
		d.open("MatchOr")
		dumpList(d, "patterns", n.Patterns)
	}
}

func (d *dumper) part(n Node) {
	switch n := n.(type) {
	case *Module:
		d.open("Module")
		dumpList(d, "body", n.Body)
		d.out = append(d.out, ')')
	case *Arguments:
		d.open("arguments")
		dumpList(d, "posonlyargs", n.PosOnlyArgs)
		dumpList(d, "args", n.Args)
		d.child("vararg", n.VarArg)
		dumpList(d, "kwonlyargs", n.KwOnlyArgs)
		dumpList(d, "kw_defaults", n.KwDefaults)
		d.child("kwarg", n.KwArg)
		dumpList(d, "defaults", n.Defaults)
		d.out = append(d.out, ')')
	case *Arg:
		d.open("arg")
		d.str("arg", n.Arg)
		d.child("annotation", n.Annotation)
		d.close(n.Span)
	case *Keyword:
		d.open("keyword")
		d.opt("arg", n.Arg)
		d.child("value", n.Value)
		d.close(n.Span)
	case *Alias:
		d.open("alias")
		d.str("name", n.Name)
		d.opt("asname", n.AsName)
		d.close(n.Span)
	case *WithItem:
		d.open("withitem")
		d.child("context_expr", n.ContextExpr)
		d.child("optional_vars", n.OptionalVars)
		d.out = append(d.out, ')')
	case *MatchCase:
		d.open("match_case")
		d.child("pattern", n.Pattern)
		d.child("guard", n.Guard)
		dumpList(d, "body", n.Body)
		d.out = append(d.out, ')')
	case *ExceptHandler:
		d.open("ExceptHandler")
		d.child("type", n.Type)
		d.opt("name", n.Name)
		dumpList(d, "body", n.Body)
		d.close(n.Span)
	case *Comprehension:
		d.open("comprehension")
		d.child("target", n.Target)
		d.child("iter", n.Iter)
		dumpList(d, "ifs", n.Ifs)
		d.flag("is_async", n.IsAsync)
		d.out = append(d.out, ')')
	}
}

// nameOf is the name of a context, an operator or a constant in Python's ast.
func nameOf(x any) string {
	switch x := x.(type) {
	case Context:
		return [...]string{"Load", "Store", "Del"}[x]
	case Operator:
		return [...]string{"", "Add", "Sub", "Mult", "MatMult", "Div", "Mod", "Pow", "LShift", "RShift", "BitOr", "BitXor", "BitAnd", "FloorDiv"}[x]
	case BoolOperator:
		return [...]string{"", "And", "Or"}[x]
	case UnaryOperator:
		return [...]string{"", "Invert", "Not", "UAdd", "USub"}[x]
	case CmpOperator:
		return [...]string{"", "Eq", "NotEq", "Lt", "LtE", "Gt", "GtE", "Is", "IsNot", "In", "NotIn"}[x]
	case ConstKind:
		return [...]string{"", "None", "True", "False", "Ellipsis"}[x]
	}
	return ""
}
