package syntax

// Bounds of how many nodes are allocated at a time: few for the small
// programs that are most of them, many for the large.
const (
	slabMin = 8
	slabMax = 256
)

// slab allocates values of one type in chunks.
type slab[T any] struct{ free []T }

func (s *slab[T]) get() *T {
	if len(s.free) == cap(s.free) {
		s.free = make([]T, 0, min(max(slabMin, 2*cap(s.free)), slabMax))
	}
	n := len(s.free)
	s.free = s.free[:n+1]
	return &s.free[n]
}

// stack gathers lists of unknown length: what was pushed since a mark becomes
// a list of its own, cut from a larger chunk.
type stack[T any] struct {
	items []T
	chunk []T
}

func (s *stack[T]) push(v T)  { s.items = append(s.items, v) }
func (s *stack[T]) mark() int { return len(s.items) }

// take returns the values pushed since mark, nil when there are none.
func (s *stack[T]) take(mark int) []T {
	n := len(s.items) - mark
	if n == 0 {
		return nil
	}
	if cap(s.chunk)-len(s.chunk) < n {
		s.chunk = make([]T, 0, max(n, min(max(2*slabMin, 2*cap(s.chunk)), 2*slabMax)))
	}
	at := len(s.chunk)
	s.chunk = append(s.chunk, s.items[mark:]...)
	clear(s.items[mark:])
	s.items = s.items[:mark]
	return s.chunk[at : at+n : at+n]
}

// arena allocates the nodes that are frequent. The others are allocated one
// by one.
type arena struct {
	names      slab[Name]
	constants  slab[Constant]
	attributes slab[Attribute]
	calls      slab[Call]
	binops     slab[BinOp]
	compares   slab[Compare]
	subscripts slab[Subscript]
	tuples     slab[Tuple]
	keywords   slab[Keyword]
	arguments  slab[Arguments]
	args       slab[Arg]
	exprStmts  slab[ExprStmt]
	assigns    slab[Assign]
	ifs        slab[If]
	returns    slab[Return]
	defs       slab[FunctionDef]

	exprs    stack[Expr]
	stmts    stack[Stmt]
	kwList   stack[*Keyword]
	argList  stack[*Arg]
	defaults stack[Expr]
	cmpOps   stack[CmpOperator]
}

// marks remembers how high the stacks are, so that an attempt that failed
// leaves nothing behind.
type marks struct{ exprs, stmts, kwList, argList, defaults, cmpOps int }

func (a *arena) marks() marks {
	return marks{a.exprs.mark(), a.stmts.mark(), a.kwList.mark(), a.argList.mark(), a.defaults.mark(), a.cmpOps.mark()}
}

func (a *arena) cut(m marks) {
	a.exprs.items = a.exprs.items[:m.exprs]
	a.stmts.items = a.stmts.items[:m.stmts]
	a.kwList.items = a.kwList.items[:m.kwList]
	a.argList.items = a.argList.items[:m.argList]
	a.defaults.items = a.defaults.items[:m.defaults]
	a.cmpOps.items = a.cmpOps.items[:m.cmpOps]
}
