package vm

import (
	"math/big"
	"strings"

	"praxis/internal/plan/pytext"
	"praxis/internal/plan/syntax"
)

// cmpName is how a comparison is written, its method, and the one of the other side.
type cmpName struct{ sign, plain, reflected string }

// cmpNames are the names of the comparisons, by [syntax.CmpOperator].
var cmpNames = [...]cmpName{
	syntax.Eq:    {"==", "__eq__", "__eq__"},
	syntax.NotEq: {"!=", "__ne__", "__ne__"},
	syntax.Lt:    {"<", "__lt__", "__gt__"},
	syntax.LtE:   {"<=", "__le__", "__ge__"},
	syntax.Gt:    {">", "__gt__", "__lt__"},
	syntax.GtE:   {">=", "__ge__", "__le__"},
}

// compare is a op b for all ten comparisons.
func (t *Thread) compare(op syntax.CmpOperator, a, b Value) (Value, error) {
	switch op {
	case syntax.Is:
		return boolValue(same(a, b)).with(t.join(a.l, b.l)), nil
	case syntax.IsNot:
		return boolValue(!same(a, b)).with(t.join(a.l, b.l)), nil
	}
	seen := t.seen
	t.seen = t.join(a.l, b.l)
	var v Value
	var err error
	switch op {
	case syntax.In, syntax.NotIn:
		var ok bool
		ok, err = t.contains(b, a)
		v = boolValue(ok == (op == syntax.In))
	default:
		v, err = t.rich(op, a, b)
	}
	v.l = t.join(v.l, t.seen)
	t.seen = seen
	return v, err
}

// rich is one of the six comparisons that methods can define; it sees what it compared.
func (t *Thread) rich(op syntax.CmpOperator, a, b Value) (Value, error) {
	if a.k == kObject || a.k == kSpecial || b.k == kObject || b.k == kSpecial {
		return t.richObject(op, a, b)
	}
	return t.richCore(op, a, b)
}

// richCore is rich for values of built-in classes.
func (t *Thread) richCore(op syntax.CmpOperator, a, b Value) (Value, error) {
	switch op {
	case syntax.Eq, syntax.NotEq:
		ok, err := t.equalCore(a, b)
		return boolValue(ok == (op == syntax.Eq)), err
	}
	ok, known, err := t.order(op, a, b)
	if err == nil && !known {
		err = t.raise(t.types.TypeError, "'%s' not supported between instances of '%s' and '%s'",
			cmpNames[op].sign, t.className(a), t.className(b))
	}
	return boolValue(ok), err
}

// richObject is rich where at least one class may bring its own comparison.
func (t *Thread) richObject(op syntax.CmpOperator, a, b Value) (Value, error) {
	t.see(t.join(a.l, b.l))
	n := &cmpNames[op]
	_, left := t.override(a, n.plain)
	_, right := t.override(b, n.reflected)
	ca, cb := t.classOf(a), t.classOf(b)
	if right && ca != cb && cb.derives(ca) {
		if v, ok, err := t.tryOperator(b, n.reflected, a); ok || err != nil {
			return v, err
		}
		right = false
	}
	if left {
		if v, ok, err := t.tryOperator(a, n.plain, b); ok || err != nil {
			return v, err
		}
	} else if op == syntax.NotEq {
		if v, ok, err := t.notEqual(a, b); ok || err != nil {
			return v, err
		}
	}
	if right {
		if v, ok, err := t.tryOperator(b, n.reflected, a); ok || err != nil {
			return v, err
		}
	} else if op == syntax.NotEq && !left {
		if v, ok, err := t.notEqual(b, a); ok || err != nil {
			return v, err
		}
	}
	pa, pb := t.base(a), t.base(b)
	if !left && pa.k != a.k || !right && pb.k != b.k {
		if op == syntax.Eq || op == syntax.NotEq {
			return t.richCore(op, pa, pb)
		}
		if ok, known, err := t.order(op, pa, pb); known || err != nil {
			return boolValue(ok), err
		}
	}
	switch op {
	case syntax.Eq:
		return boolValue(same(a, b)), nil
	case syntax.NotEq:
		return boolValue(!same(a, b)), nil
	}
	return Value{}, t.raise(t.types.TypeError, "'%s' not supported between instances of '%s' and '%s'",
		n.sign, ca.shown(), cb.shown())
}

// notEqual is != by a's own __eq__, when it has one.
func (t *Thread) notEqual(a, b Value) (Value, bool, error) {
	if _, ok := t.override(a, "__eq__"); !ok {
		return Value{}, false, nil
	}
	v, ok, err := t.tryOperator(a, "__eq__", b)
	if !ok || err != nil {
		return Value{}, false, err
	}
	t.see(v.l)
	yes, err := t.truth(v)
	return boolValue(!yes), true, err
}

// equal is the truth of a == b; it sees what it compared.
func (t *Thread) equal(a, b Value) (bool, error) {
	t.see(a.l)
	t.see(b.l)
	if a.k == kObject || a.k == kSpecial || b.k == kObject || b.k == kSpecial {
		v, err := t.richObject(syntax.Eq, a, b)
		if err != nil {
			return false, err
		}
		return t.truth(v)
	}
	return t.equalCore(a, b)
}

// less is the truth of a < b; it sees what it compared.
func (t *Thread) less(a, b Value) (bool, error) {
	t.see(a.l)
	t.see(b.l)
	if a.k == kInt && b.k == kInt {
		return a.n < b.n, nil
	}
	v, err := t.rich(syntax.Lt, a, b)
	if err != nil {
		return false, err
	}
	return t.truth(v)
}

// equalCore is == for values of built-in classes.
func (t *Thread) equalCore(a, b Value) (bool, error) {
	switch a.k {
	case kInt, kBool:
		switch b.k {
		case kInt, kBool:
			return a.n == b.n, nil
		case kFloat:
			return cmpIntFloat(a, b.float()) == 0, nil
		}
		return false, nil
	case kFloat:
		switch b.k {
		case kFloat:
			return a.float() == b.float(), nil
		case kInt, kBool, kBig:
			return cmpIntFloat(b, a.float()) == 0, nil
		}
		return false, nil
	case kBig:
		switch b.k {
		case kBig:
			return a.o.(*Big).v.Cmp(b.o.(*Big).v) == 0, nil
		case kFloat:
			return cmpIntFloat(a, b.float()) == 0, nil
		}
		return false, nil
	case kStr:
		return b.k == kStr && (a.o == b.o || a.o.(*Str).s == b.o.(*Str).s), t.stepText(a, b)
	case kBytes:
		return b.k == kBytes && a.o.(*Bytes).b == b.o.(*Bytes).b, t.stepText(a, b)
	case kSet, kDict, kView:
		return t.equalHashed(a, b)
	}
	if a.k != b.k {
		return false, nil
	}
	switch a.k {
	case kTuple:
		return t.equalItems(a.o.(*Tuple).items, b.o.(*Tuple).items)
	case kList:
		x, y := a.o.(*List), b.o.(*List)
		t.see(x.shape)
		t.see(y.shape)
		if len(x.items) != len(y.items) {
			return false, nil
		}
		return t.equalLists(x, y)
	case kRange:
		return t.equalRanges(a.o.(*Range), b.o.(*Range))
	case kSlice:
		x, y := a.o.(*Slice), b.o.(*Slice)
		return t.equalItems(x.parts(), y.parts())
	case kMethod:
		x, y := a.o.(*Method), b.o.(*Method)
		if !same(x.self, y.self) {
			return false, nil
		}
		return t.equal(x.fn, y.fn)
	}
	return same(a, b), nil
}

// stepText accounts for comparing two long texts.
func (t *Thread) stepText(a, b Value) error {
	n := textLen(a)
	if n <= 1024 || b.k != a.k || a.o == b.o {
		return nil
	}
	return t.step(int64(min(n, textLen(b))) / 256)
}

// textLen returns the bytes of a string or a bytes object.
func textLen(v Value) int {
	switch o := v.o.(type) {
	case *Str:
		return len(o.s)
	case *Bytes:
		return len(o.b)
	}
	return 0
}

// cmpIntFloat compares an int with a float exactly: -1, 0, 1, or 2 with a NaN.
func cmpIntFloat(a Value, f float64) int {
	var c int
	var ok bool
	if a.k == kBig {
		c, ok = pytext.CompareBigFloat(a.o.(*Big).v, f)
	} else {
		c, ok = pytext.CompareIntFloat(a.n, f)
	}
	if !ok {
		return 2
	}
	return c
}

// equalItems compares elements in order; lengths count, too.
func (t *Thread) equalItems(a, b []Value) (bool, error) {
	if len(a) != len(b) {
		return false, nil
	}
	if err := t.enter(" in comparison"); err != nil {
		return false, err
	}
	defer t.leave()
	for i := range a {
		if ok, err := t.equalItem(a[i], b[i]); !ok || err != nil {
			return false, err
		}
	}
	return true, nil
}

// equalLists is equalItems for lists, which a comparison of the program may change.
func (t *Thread) equalLists(x, y *List) (bool, error) {
	if err := t.enter(" in comparison"); err != nil {
		return false, err
	}
	defer t.leave()
	for i := 0; i < len(x.items) && i < len(y.items); i++ {
		if ok, err := t.equalItem(x.items[i], y.items[i]); !ok || err != nil {
			return false, err
		}
	}
	return len(x.items) == len(y.items), nil
}

// equalItem reports whether two elements are the same object or equal.
func (t *Thread) equalItem(a, b Value) (bool, error) {
	if err := t.step(1); err != nil {
		return false, err
	}
	if same(a, b) {
		t.see(a.l)
		t.see(b.l)
		return true, nil
	}
	return t.equal(a, b)
}

func (t *Thread) equalRanges(x, y *Range) (bool, error) {
	t.see(x.label(t))
	t.see(y.label(t))
	n := x.length()
	if n.Cmp(y.length()) != 0 {
		return false, nil
	}
	if n.Sign() == 0 {
		return true, nil
	}
	if toBig(x.start).Cmp(toBig(y.start)) != 0 {
		return false, nil
	}
	return n.Cmp(big.NewInt(1)) == 0 || toBig(x.step).Cmp(toBig(y.step)) == 0, nil
}

// order is one of < <= > >= for values of built-in classes; known is false
// when they have no order. It sees what it compared.
func (t *Thread) order(op syntax.CmpOperator, a, b Value) (ok, known bool, err error) {
	switch a.k {
	case kInt, kBool, kBig, kFloat:
		c, ok := compareNumbers(a, b)
		if !ok {
			return false, false, nil
		}
		return c != 2 && holds(op, c), true, nil
	case kStr:
		if b.k != kStr {
			return false, false, nil
		}
		return holds(op, strings.Compare(a.o.(*Str).s, b.o.(*Str).s)), true, t.stepText(a, b)
	case kBytes:
		if b.k != kBytes {
			return false, false, nil
		}
		return holds(op, strings.Compare(a.o.(*Bytes).b, b.o.(*Bytes).b)), true, t.stepText(a, b)
	case kTuple:
		if b.k != kTuple {
			return false, false, nil
		}
		ok, err := t.orderItems(op, a.o.(*Tuple).items, b.o.(*Tuple).items)
		return ok, true, err
	case kList:
		if b.k != kList {
			return false, false, nil
		}
		x, y := a.o.(*List), b.o.(*List)
		t.see(x.shape)
		t.see(y.shape)
		ok, err := t.orderItems(op, x.items, y.items)
		return ok, true, err
	case kSet, kView:
		return t.orderSets(op, a, b)
	case kSlice:
		if b.k != kSlice {
			return false, false, nil
		}
		ok, err := t.orderItems(op, a.o.(*Slice).parts(), b.o.(*Slice).parts())
		return ok, true, err
	}
	return false, false, nil
}

func (s *Slice) parts() []Value { return []Value{s.start, s.stop, s.step} }

// compareNumbers gives -1, 0, 1, or 2 when one is not a number.
func compareNumbers(a, b Value) (int, bool) {
	switch {
	case a.k == kFloat && b.k == kFloat:
		x, y := a.float(), b.float()
		switch {
		case x < y:
			return -1, true
		case x > y:
			return 1, true
		case x == y:
			return 0, true
		}
		return 2, true
	case a.k == kFloat:
		if !isInt(b) {
			return 0, false
		}
		if c := cmpIntFloat(b, a.float()); c != 2 {
			return -c, true
		}
		return 2, true
	case b.k == kFloat:
		return cmpIntFloat(a, b.float()), true
	case !isInt(b):
		return 0, false
	case a.k == kBig || b.k == kBig:
		return toBig(a).Cmp(toBig(b)), true
	case a.n < b.n:
		return -1, true
	case a.n > b.n:
		return 1, true
	}
	return 0, true
}

// isInt reports whether v is an int, True or False.
func isInt(v Value) bool { return v.k == kInt || v.k == kBool || v.k == kBig }

// holds reports whether a comparison that gave c fulfils op.
func holds(op syntax.CmpOperator, c int) bool {
	switch op {
	case syntax.Lt:
		return c < 0
	case syntax.LtE:
		return c <= 0
	case syntax.Gt:
		return c > 0
	case syntax.GtE:
		return c >= 0
	case syntax.Eq:
		return c == 0
	}
	return c != 0
}

// orderItems compares sequences by their first elements that differ.
func (t *Thread) orderItems(op syntax.CmpOperator, a, b []Value) (bool, error) {
	if err := t.enter(" in comparison"); err != nil {
		return false, err
	}
	defer t.leave()
	for i := 0; i < len(a) && i < len(b); i++ {
		eq, err := t.equalItem(a[i], b[i])
		if err != nil {
			return false, err
		}
		if !eq {
			v, err := t.rich(op, a[i], b[i])
			if err != nil {
				return false, err
			}
			return t.truth(v)
		}
	}
	return holds(op, len(a)-len(b)), nil
}

// contains is x in o; it sees what the answer depends on.
func (t *Thread) contains(o, x Value) (bool, error) {
	t.see(o.l)
	t.see(x.l)
	if o.k == kObject || o.k == kSpecial || o.k == kClass {
		if fn, ok := t.override(o, "__contains__"); ok && fn.k != kNone {
			v, _, err := t.callSpecial(o, "__contains__", x)
			if err != nil {
				return false, err
			}
			return t.truth(v)
		}
		if _, ok := t.override(o, "__iter__"); !ok {
			o = t.base(o)
		}
	}
	switch o.k {
	case kStr:
		if s, ok := t.payload(x, kStr); ok {
			return t.containsStr(o.o.(*Str).s, s.o.(*Str).s)
		}
		return false, t.raise(t.types.TypeError, "'in <string>' requires string as left operand, not %s", t.className(x))
	case kBytes:
		return t.containsBytes(o.o.(*Bytes).b, x)
	case kDict:
		return o.o.(*Dict).has(t, x)
	case kSet:
		return t.setHas(o.o.(*Set), x)
	case kTuple:
		return t.containsItem(o.o.(*Tuple).items, x)
	case kList:
		l := o.o.(*List)
		t.see(l.shape)
		for i := 0; i < len(l.items); i++ {
			if ok, err := t.equalItem(l.items[i], x); ok || err != nil {
				return ok, err
			}
		}
		return false, nil
	case kRange:
		if isInt(x) {
			return t.rangeHas(o.o.(*Range), x), nil
		}
	case kView:
		if ok, known, err := t.viewHas(o.o.(*View), x); known || err != nil {
			return ok, err
		}
	}
	return t.containsEach(o, x)
}

func (t *Thread) containsItem(items []Value, x Value) (bool, error) {
	for _, v := range items {
		if ok, err := t.equalItem(v, x); ok || err != nil {
			return ok, err
		}
	}
	return false, nil
}

// containsEach looks for x by iterating over o.
func (t *Thread) containsEach(o, x Value) (bool, error) {
	it, err := t.iter(o)
	if err != nil {
		if ok, _ := t.iterable(o, ""); !ok {
			return false, t.failAt(t.seen, t.types.TypeError, "argument of type '%s' is not a container or iterable", t.className(o))
		}
		return false, err
	}
	for {
		v, ok, err := t.next(it)
		if err != nil || !ok {
			t.see(v.l)
			return false, err
		}
		if ok, err := t.equalItem(v, x); ok || err != nil {
			t.stoppedIn(o)
			return ok, err
		}
	}
}

// stoppedIn notes, in strict mode, that a search stopped in the middle of an
// iterator: where it goes on next depends on all that was compared, and no
// value says so.
func (t *Thread) stoppedIn(o Value) {
	if t.strict && (o.k == kIter || o.k == kGen || isObject(o)) {
		t.sticky = t.join(t.sticky, t.seen)
		t.pc = t.join(t.pc, t.seen)
	}
}

func (t *Thread) containsStr(s, sub string) (bool, error) {
	if err := t.stepSearch(len(s), len(sub)); err != nil {
		return false, err
	}
	return strings.Contains(s, sub), nil
}

// stepSearch accounts for a search through n bytes.
func (t *Thread) stepSearch(n, sub int) error {
	if n > 128 {
		return t.step(int64(n) / 128)
	}
	return nil
}

func (t *Thread) containsBytes(b string, x Value) (bool, error) {
	if s, ok := t.payload(x, kBytes); ok {
		return t.containsStr(b, s.o.(*Bytes).b)
	}
	if !t.isIndex(x) {
		return false, t.raise(t.types.TypeError, "a bytes-like object is required, not '%s'", t.className(x))
	}
	n, err := t.index(x)
	if err != nil {
		return false, err
	}
	if n.k == kBig || n.n < 0 || n.n > 255 {
		return false, t.raise(t.types.ValueError, "byte must be in range(0, 256)")
	}
	return strings.IndexByte(b, byte(n.n)) >= 0, nil
}

// rangeHas reports whether the int x is in r.
func (t *Thread) rangeHas(r *Range, x Value) bool {
	t.see(r.label(t))
	n, start, step := toBig(x), toBig(r.start), toBig(r.step)
	if step.Sign() > 0 && n.Cmp(start) < 0 || step.Sign() < 0 && n.Cmp(start) > 0 || !r.holds(x) {
		return false
	}
	d := new(big.Int).Sub(n, start)
	return d.Rem(d, step).Sign() == 0
}
