package policy

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/interpreter"
	"cel.dev/cel-go/parser"

	"praxis/internal/safetext"
	"praxis/internal/tool"
	"praxis/internal/tool/jsondoc"
)

// The bounds of a condition.
const (
	maxCondition   = 4_000     // characters
	maxNodes       = 2_000     // of its tree, macros expanded
	maxNesting     = 60        // of its text
	maxPattern     = 500       // instructions of a regular expression
	maxLoops       = 2         // macros inside of each other
	costLimit      = 1_000_000 // CEL's units; the worst condition takes some 50 ms
	fnPlain        = "@plain"
	fnAt           = "@at"
	fnHas          = "@has"
	fnParts        = "@parts"
	fnTrusted      = "trusted"
	fnEndorsed     = "endorsed"
	fnSources      = "sources"
	fnFrom         = "from"
	fnReadableBy   = "readableBy"
	fnAmong        = "among"
	fnWithin       = "within"
	conditionIntro = "Write a condition in CEL, such as args.to.trusted()."
)

// labelFunctions are those that ask a label; they need an argument, or a part
// of one, before the dot.
func labelFunctions() []string {
	return []string{fnTrusted, fnEndorsed, fnSources, fnFrom, fnReadableBy, fnAmong}
}

// rootNames are the variables of every condition.
func rootNames() []string { return []string{"args", "call", "groups", "pc", "tool"} }

// condition is a compiled CEL expression.
type condition struct {
	at      *jsondoc.Node
	text    string // canonical
	clauses []clause
	uses    []use
	names   []string // of the named conditions that it uses
	froms   []from   // patterns of sources that it names
	members []string // patterns of the results that it looks for a value in
	counts  bool     // it uses call.number
}

// clause is one of the parts that the condition joins by &&.
type clause struct {
	text    string
	prog    cel.Program
	labels  []string // paths of the labels that it uses
	literal *bool    // the clause is the word true or false
	loose   bool     // binds less than &&
}

// use is one path from args that a condition follows.
type use struct {
	path path
	kind useKind
	at   *jsondoc.Node // the condition
}

type useKind uint8

const (
	usePlain  useKind = iota + 1 // its value
	useLabel                     // its label
	useTested                    // has()
)

// path is a way from a root: names of members, "*" for an item.
type path struct {
	root string
	segs []string
}

func (p path) to(seg string) *path {
	return &path{p.root, append(slices.Clip(slices.Clone(p.segs)), seg)}
}

func (p path) String() string {
	var b strings.Builder
	b.WriteString(p.root)
	for _, s := range p.segs {
		if s == "*" {
			b.WriteString("[…]")
		} else {
			b.WriteString("." + s)
		}
	}
	return b.String()
}

// from is a pattern of sources with its place.
type from struct {
	pattern string
	at      *jsondoc.Node
}

// compiler turns the texts of conditions into programs.
type compiler struct {
	r      *jsondoc.Report
	tools  *tool.Set
	env    *cel.Env
	groups []string // names of groups with principals
	named  []string // of the conditions that can be used
}

// newCompiler builds the environment. Only has, all, exists and exists_one are
// macros: map and filter build lists whose labels nobody would know.
func newCompiler(r *jsondoc.Report, tools *tool.Set, groups, named []string) (*compiler, error) {
	dyn, str := cel.DynType, cel.StringType
	texts := cel.ListType(str)
	opts := []cel.EnvOption{
		cel.StdLib(),
		cel.ClearMacros(),
		cel.Macros(cel.HasMacro, cel.AllMacro, cel.ExistsMacro, cel.ExistsOneMacro),
		cel.EnableMacroCallTracking(),
		cel.ParserExpressionSizeLimit(maxCondition),
		cel.ParserRecursionLimit(maxNesting),
		cel.ParserErrorRecoveryLimit(4),
		cel.ExpressionNodeLimit(maxNodes),
		cel.RegexProgramSizeLimit(maxPattern),
		cel.DefaultUTCTimeZone(true),
		cel.ASTValidators(cel.ValidateRegexLiterals(), cel.ValidateDurationLiterals(), cel.ValidateTimestampLiterals(), cel.ValidateComprehensionNestingLimit(maxLoops)),
		cel.Variable("args", cel.MapType(str, dyn)),
		cel.Variable("pc", dyn),
		cel.Variable("tool", cel.MapType(str, str)),
		cel.Variable("call", cel.MapType(str, cel.IntType)),
		cel.Variable("groups", cel.MapType(str, texts)),
		cel.Function(fnPlain, cel.Overload("plain_dyn", []*cel.Type{dyn}, dyn, cel.UnaryBinding(plainOf))),
		cel.Function(fnAt, cel.Overload("at_dyn_dyn", []*cel.Type{dyn, dyn}, dyn, cel.BinaryBinding(partOf))),
		cel.Function(fnHas, cel.Overload("has_dyn_string", []*cel.Type{dyn, str}, cel.BoolType, cel.BinaryBinding(hasPart))),
		cel.Function(fnParts, cel.Overload("parts_dyn", []*cel.Type{dyn}, dyn, cel.UnaryBinding(partsOf))),
		cel.Function(fnTrusted, cel.MemberOverload("dyn_trusted", []*cel.Type{dyn}, cel.BoolType, cel.UnaryBinding(ofLabel(trustedBetween)))),
		cel.Function(fnEndorsed, cel.MemberOverload("dyn_endorsed", []*cel.Type{dyn}, cel.BoolType, cel.UnaryBinding(ofLabel(isEndorsed)))),
		cel.Function(fnSources, cel.MemberOverload("dyn_sources", []*cel.Type{dyn}, texts, cel.UnaryBinding(ofLabel(sourcesOf)))),
		cel.Function(fnFrom, cel.MemberOverload("dyn_from_string", []*cel.Type{dyn, str}, cel.BoolType, cel.BinaryBinding(isFrom))),
		cel.Function(fnReadableBy, cel.MemberOverload("dyn_readable_by_dyn", []*cel.Type{dyn, dyn}, cel.BoolType, cel.OverloadIsNonStrict(), cel.BinaryBinding(isReadableBy))),
		cel.Function(fnAmong, cel.MemberOverload("dyn_among_string", []*cel.Type{dyn, str}, cel.BoolType, cel.BinaryBinding(isAmong))),
		cel.Function(fnWithin, cel.MemberOverload("dyn_within_list", []*cel.Type{dyn, texts}, cel.BoolType, cel.BinaryBinding(isWithin))),
	}
	for _, name := range named {
		opts = append(opts, cel.Variable(name, cel.BoolType))
	}
	env, err := cel.NewCustomEnv(opts...)
	if err != nil {
		return nil, fmt.Errorf("cannot prepare CEL: %w", err)
	}
	return &compiler{r: r, tools: tools, env: env, groups: groups, named: named}, nil
}

// compile returns nil after a problem.
func (c *compiler) compile(e *jsondoc.Node) *condition {
	if e.Kind == jsondoc.Bool {
		e = &jsondoc.Node{Kind: jsondoc.String, Line: e.Line, Col: e.Col, Text: e.Text}
	}
	switch {
	case e.Kind != jsondoc.String || strings.TrimSpace(e.Text) == "":
		c.r.Add(e, conditionIntro, "a condition: expected a string, got %s", e.Show())
		return nil
	case len(e.Text) > maxCondition:
		c.r.Add(e, "Name parts of it under conditions.", "a condition has at most %d characters", maxCondition)
		return nil
	}
	parsed, issues := c.env.Parse(e.Text)
	if c.issues(e, issues) {
		return nil
	}
	checked, issues := c.env.Check(parsed)
	if c.issues(e, issues) {
		return nil
	}
	if t := checked.OutputType(); t.Kind() != types.BoolKind && t.Kind() != types.DynKind {
		c.r.Add(e, conditionIntro, "a condition is true or false, this one is %s", cel.FormatCELType(t))
		return nil
	}
	before := len(c.r.Problems)
	native := checked.NativeRep()
	cond := &condition{at: e}
	for _, part := range conjuncts(native.Expr(), nil) {
		c.clause(cond, native, part)
	}
	if len(c.r.Problems) > before {
		return nil
	}
	texts := make([]string, len(cond.clauses))
	for i, cl := range cond.clauses {
		texts[i] = cl.text
		if cl.loose && len(cond.clauses) > 1 {
			texts[i] = "(" + cl.text + ")"
		}
	}
	slices.Sort(texts)
	cond.text = strings.Join(slices.Compact(texts), " && ")
	return cond
}

// conjuncts splits an expression at its outer &&. Each part is a condition
// that can be shown by itself; together they mean the same.
func conjuncts(e ast.Expr, out []ast.Expr) []ast.Expr {
	if e.Kind() == ast.CallKind && e.AsCall().FunctionName() == operators.LogicalAnd {
		for _, arg := range e.AsCall().Args() {
			out = conjuncts(arg, out)
		}
		return out
	}
	return append(out, e)
}

func (c *compiler) clause(cond *condition, native *ast.AST, part ast.Expr) {
	text, err := parser.Unparse(part, native.SourceInfo())
	if err != nil {
		c.r.Add(cond.at, conditionIntro, "cannot read the condition: %v", err)
		return
	}
	w := &rewriter{c: c, cond: cond, fac: ast.NewExprFactory(), next: maxID(native)}
	cl := clause{text: text}
	if part.Kind() == ast.CallKind {
		cl.loose = slices.Contains([]string{operators.LogicalOr, operators.Conditional}, part.AsCall().FunctionName())
	}
	if part.Kind() == ast.LiteralKind {
		if b, ok := part.AsLiteral().(types.Bool); ok {
			literal := bool(b)
			cl.literal = &literal
		}
	}
	before := len(c.r.Problems)
	expr := w.plain(w.rewrite(part, nil))
	if len(c.r.Problems) > before {
		return
	}
	plan := ast.NewCheckedAST(ast.NewAST(expr, native.SourceInfo()), native.TypeMap(), native.ReferenceMap())
	prog, err := c.env.PlanProgram(plan, cel.EvalOptions(cel.OptOptimize), cel.CostTracking(costs{}), cel.CostLimit(costLimit))
	if err != nil {
		c.r.Add(cond.at, conditionIntro, "cannot prepare the condition: %v", err)
		return
	}
	cl.prog = prog
	for _, u := range w.uses {
		if u.kind == useLabel && !slices.Contains(cl.labels, u.path.String()) {
			cl.labels = append(cl.labels, u.path.String())
		}
	}
	cond.clauses = append(cond.clauses, cl)
	cond.uses = append(cond.uses, w.uses...)
}

func maxID(a *ast.AST) int64 {
	most := int64(0)
	for id := range a.IDs() {
		most = max(most, id)
	}
	return most + 1
}

// issues turns what CEL complains about into problems.
func (c *compiler) issues(e *jsondoc.Node, issues *cel.Issues) bool {
	if issues == nil || issues.Err() == nil {
		return false
	}
	for _, one := range issues.Errors() {
		what, _, _ := strings.Cut(one.Message, "\n")
		what, _, _ = strings.Cut(what, " (did you mean") // the remedy says it
		c.r.Add(e, c.remedy(what), "not a condition in CEL (at %d:%d): %s", max(one.Location.Line(), 1), one.Location.Column()+1, safetext.Clip(strings.ReplaceAll(what, " (in container '')", ""), 200))
	}
	return true
}

func (c *compiler) remedy(message string) string {
	if rest, ok := strings.CutPrefix(message, "undeclared reference to '"); ok {
		name, _, _ := strings.Cut(rest, "'")
		known := slices.Concat(rootNames(), c.named, labelFunctions(), []string{fnWithin, "has", "all", "exists", "exists_one", "size", "startsWith", "endsWith", "contains", "matches"})
		if near := jsondoc.Nearest(name, known); near != "" {
			return "Did you mean " + near + "?"
		}
		if name == "map" || name == "filter" {
			return "Use all, exists or exists_one: the labels of a list that map or filter makes would be lost."
		}
		return "Known are " + strings.Join(known, ", ") + "."
	}
	if strings.Contains(message, "no matching overload") {
		return "The operands do not fit: compare values of one type, and call functions on arguments."
	}
	return conditionIntro
}

// costs prices the functions over labels: the others have CEL's own prices.
type costs struct{}

// CallCost returns nil for functions that have a price already.
func (costs) CallCost(function, _ string, args []ref.Val, _ ref.Val) *uint64 {
	price := uint64(1)
	switch function {
	case fnSources, fnFrom, fnTrusted:
		if n, ok := args[0].(*node); ok && n.whole != nil {
			price += uint64(len(n.whole.may.sources)) / 10
		}
	case fnReadableBy, fnWithin, fnAmong:
		for _, a := range args {
			if s, ok := a.(interface{ Size() ref.Val }); ok {
				if size, ok := s.Size().(types.Int); ok {
					price += uint64(size)
				}
			}
			if n, ok := a.(*node); ok && n.whole != nil {
				price += uint64(len(n.whole.may.readers.String())) / 100
			}
		}
	default:
		return nil
	}
	return &price
}

// truth is the value of a clause or a condition.
type truth uint8

const (
	isFalse truth = iota
	isTrue
	isUnknown
	isError
)

var truthNames = [...]string{"false", "true", "depends on the run", "cannot be evaluated"}

func (o truth) String() string { return truthNames[o] }

// eval runs one clause.
func (cl *clause) eval(ev *evaluation) (truth, error) {
	val, _, err := cl.prog.Eval(ev)
	switch {
	case ev.exhausted:
		return isError, errTooLong
	case err != nil:
		var cancelled interpreter.EvalCancelledError
		if errors.As(err, &cancelled) && cancelled.Cause == interpreter.CostLimitExceeded {
			ev.exhausted = true
			return isError, errTooLong
		}
		return isError, err
	case types.IsUnknown(val):
		return isUnknown, nil
	}
	switch val {
	case types.True:
		return isTrue, nil
	case types.False:
		return isFalse, nil
	}
	return isError, fmt.Errorf("it is %s, not true or false", safetext.Clip(fmt.Sprint(val.Type().TypeName()), 40))
}

// errTooLong is the cause of the fault for a condition that takes too many steps.
var errTooLong = errors.New("it takes too many steps")

// eval joins the truths of the clauses as && does: one that is false decides.
func (c *condition) eval(ev *evaluation, each func(*clause, truth, error)) (truth, error) {
	result, failed := isTrue, error(nil)
	for i := range c.clauses {
		out, err := c.clauses[i].eval(ev)
		if each != nil {
			each(&c.clauses[i], out, err)
		}
		switch {
		case errors.Is(err, errTooLong):
			return isError, err
		case out == isFalse:
			result = isFalse
		case result == isFalse:
		case out == isUnknown:
			result = isUnknown
		case out == isError && result == isTrue:
			result, failed = isError, err
		}
	}
	if result != isError {
		failed = nil
	}
	return result, failed
}
