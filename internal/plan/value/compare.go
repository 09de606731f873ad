package value

import (
	"cmp"
	"strings"

	"praxis/internal/plan/python/pytext"
	"praxis/internal/plan/syntax"
)

// CmpName is how a comparison is written, its method, and the one of the other side.
type CmpName struct{ Sign, Plain, Reflected string }

// CmpNames are the names of the comparisons, by [syntax.CmpOperator].
var CmpNames = [...]CmpName{
	syntax.Eq:    {"==", "__eq__", "__eq__"},
	syntax.NotEq: {"!=", "__ne__", "__ne__"},
	syntax.Lt:    {"<", "__lt__", "__gt__"},
	syntax.LtE:   {"<=", "__le__", "__ge__"},
	syntax.Gt:    {">", "__gt__", "__lt__"},
	syntax.GtE:   {">=", "__ge__", "__le__"},
}

// Compare is a op b for all ten comparisons.
func (t *Thread) Compare(op syntax.CmpOperator, a, b Value) (Value, error) {
	switch op {
	case syntax.Is:
		return Bool(Is(a, b)).With(t.Join(a.Label, b.Label)), nil
	case syntax.IsNot:
		return Bool(!Is(a, b)).With(t.Join(a.Label, b.Label)), nil
	}
	seen := t.Seen
	t.Seen = t.Join(a.Label, b.Label)
	var v Value
	var err error
	switch op {
	case syntax.In, syntax.NotIn:
		var ok bool
		ok, err = t.Contains(b, a)
		v = Bool(ok == (op == syntax.In))
	default:
		v, err = t.rich(op, a, b)
	}
	v.Label = t.Join(v.Label, t.Seen)
	t.Seen = seen
	return v, err
}

// rich is one of the six comparisons that methods can define; it sees what it compared.
func (t *Thread) rich(op syntax.CmpOperator, a, b Value) (Value, error) {
	if a.Kind == KObject || a.Kind == KSpecial || b.Kind == KObject || b.Kind == KSpecial {
		return t.richObject(op, a, b)
	}
	return t.richCore(op, a, b)
}

// richCore is rich for values of built-in classes.
func (t *Thread) richCore(op syntax.CmpOperator, a, b Value) (Value, error) {
	switch op {
	case syntax.Eq, syntax.NotEq:
		ok, err := t.EqualCore(a, b)
		return Bool(ok == (op == syntax.Eq)), err
	}
	ok, known, err := t.Order(op, a, b)
	if err == nil && !known {
		err = t.Raise(t.Types.TypeError, "'%s' not supported between instances of '%s' and '%s'",
			CmpNames[op].Sign, t.ClassName(a), t.ClassName(b))
	}
	return Bool(ok), err
}

// richObject is rich where at least one class may bring its own comparison.
func (t *Thread) richObject(op syntax.CmpOperator, a, b Value) (Value, error) {
	t.See(t.Join(a.Label, b.Label))
	n := &CmpNames[op]
	_, left := t.Override(a, n.Plain)
	_, right := t.Override(b, n.Reflected)
	ca, cb := t.ClassOf(a), t.ClassOf(b)
	if right && ca != cb && cb.Derives(ca) {
		if v, ok, err := t.TryOperator(b, n.Reflected, a); ok || err != nil {
			return v, err
		}
		right = false
	}
	if left {
		if v, ok, err := t.TryOperator(a, n.Plain, b); ok || err != nil {
			return v, err
		}
	} else if op == syntax.NotEq {
		if v, ok, err := t.notEqual(a, b); ok || err != nil {
			return v, err
		}
	}
	if right {
		if v, ok, err := t.TryOperator(b, n.Reflected, a); ok || err != nil {
			return v, err
		}
	} else if op == syntax.NotEq && !left {
		if v, ok, err := t.notEqual(b, a); ok || err != nil {
			return v, err
		}
	}
	pa, pb := t.Base(a), t.Base(b)
	if !left && pa.Kind != a.Kind || !right && pb.Kind != b.Kind {
		if op == syntax.Eq || op == syntax.NotEq {
			return t.richCore(op, pa, pb)
		}
		if ok, known, err := t.Order(op, pa, pb); known || err != nil {
			return Bool(ok), err
		}
	}
	switch op {
	case syntax.Eq:
		return Bool(Is(a, b)), nil
	case syntax.NotEq:
		return Bool(!Is(a, b)), nil
	}
	return Value{}, t.Raise(t.Types.TypeError, "'%s' not supported between instances of '%s' and '%s'",
		n.Sign, ca.shown(), cb.shown())
}

// notEqual is != by a's own __eq__, when it has one.
func (t *Thread) notEqual(a, b Value) (Value, bool, error) {
	if _, ok := t.Override(a, "__eq__"); !ok {
		return Value{}, false, nil
	}
	v, ok, err := t.TryOperator(a, "__eq__", b)
	if !ok || err != nil {
		return Value{}, false, err
	}
	t.See(v.Label)
	yes, err := t.Truth(v)
	return Bool(!yes), true, err
}

// Equal is the truth of a == b; it sees what it compared.
func (t *Thread) Equal(a, b Value) (bool, error) {
	t.See(a.Label)
	t.See(b.Label)
	if a.Kind == KObject || a.Kind == KSpecial || b.Kind == KObject || b.Kind == KSpecial {
		v, err := t.richObject(syntax.Eq, a, b)
		if err != nil {
			return false, err
		}
		return t.Truth(v)
	}
	return t.EqualCore(a, b)
}

// Less is the truth of a < b; it sees what it compared.
func (t *Thread) Less(a, b Value) (bool, error) {
	t.See(a.Label)
	t.See(b.Label)
	if a.Kind == KInt && b.Kind == KInt {
		return a.N < b.N, nil
	}
	v, err := t.rich(syntax.Lt, a, b)
	if err != nil {
		return false, err
	}
	return t.Truth(v)
}

// EqualCore is == for values of built-in classes.
func (t *Thread) EqualCore(a, b Value) (bool, error) {
	switch a.Kind {
	case KInt, KBool, KBig, KFloat:
		if a.Kind == KInt && b.Kind == KInt {
			return a.N == b.N, nil
		}
		c, ok := compareNumbers(a, b)
		return ok && c == 0, nil
	case KStr:
		return b.Kind == KStr && (a.Obj == b.Obj || a.Obj.(*Str).Text == b.Obj.(*Str).Text), t.stepText(a, b)
	case KBytes:
		return b.Kind == KBytes && a.Obj.(*Bytes).Data == b.Obj.(*Bytes).Data, t.stepText(a, b)
	case KSet, KDict, KView:
		return t.equalHashed(a, b)
	}
	if a.Kind != b.Kind {
		return false, nil
	}
	switch a.Kind {
	case KTuple:
		return t.equalItems(a.Obj.(*Tuple).Items, b.Obj.(*Tuple).Items)
	case KList:
		x, y := a.Obj.(*List), b.Obj.(*List)
		t.See(x.Shape)
		t.See(y.Shape)
		return t.equalItems(x.Items, y.Items)
	case KRange:
		x, y := a.Obj.(*Range), b.Obj.(*Range)
		t.See(t.Join(x.Depends, y.Depends))
		n := x.Len()
		return n == y.Len() && (n == 0 || x.Start == y.Start) && (n < 2 || x.Step == y.Step), nil
	case KMethod:
		x, y := a.Obj.(*Method), b.Obj.(*Method)
		if !Is(x.Self, y.Self) {
			return false, nil
		}
		return t.Equal(x.Fn, y.Fn)
	}
	return Is(a, b), nil
}

// stepText accounts for comparing two long texts.
func (t *Thread) stepText(a, b Value) error {
	n := TextLen(a)
	if n <= 1024 || b.Kind != a.Kind || a.Obj == b.Obj {
		return nil
	}
	return t.Step(int64(min(n, TextLen(b))) / 256)
}

// TextLen returns the bytes of a string or a bytes object.
func TextLen(v Value) int {
	switch o := v.Obj.(type) {
	case *Str:
		return len(o.Text)
	case *Bytes:
		return len(o.Data)
	}
	return 0
}

// cmpIntFloat compares an int with a float exactly: -1, 0, 1, or 2 with a NaN.
func cmpIntFloat(a Value, f float64) int {
	var c int
	var ok bool
	if a.Kind == KBig {
		c, ok = pytext.CompareBigFloat(a.Obj.(*Big).Int, f)
	} else {
		c, ok = pytext.CompareIntFloat(a.N, f)
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
	if err := t.enterItems(a, b); err != nil {
		return false, err
	}
	defer t.Leave()
	for i := range a {
		if ok, err := t.EqualItem(a[i], b[i]); !ok || err != nil {
			return false, err
		}
	}
	return true, nil
}

// EqualItem reports whether two elements are the same object or equal.
func (t *Thread) EqualItem(a, b Value) (bool, error) {
	if err := t.Step(1); err != nil {
		return false, err
	}
	if Is(a, b) {
		t.See(a.Label)
		t.See(b.Label)
		return true, nil
	}
	return t.Equal(a, b)
}

// enterItems is called before elements are compared in order. The first that differ
// decide whether those behind them are compared: where that may run code of the
// program, all that follows depends on them.
func (t *Thread) enterItems(a, b []Value) error {
	if err := t.Mixed(a, b); err != nil {
		return err
	}
	return t.Enter(" in comparison")
}

// Mixed makes all that follows depend on what these elements hold, if there is an
// instance among it, whose methods run or not.
func (t *Thread) Mixed(lists ...[]Value) error {
	if !t.Hooks {
		return nil
	}
	l, instance, steps := t.Seen, false, int64(0)
	seen := map[Object]bool{}
	var look func(vs []Value)
	look = func(vs []Value) {
		for i := range vs {
			v := &vs[i]
			l = t.Join(l, v.Label)
			steps++
			switch o := v.Obj.(type) {
			case *Instance:
				instance = true
			case *Tuple:
				if !seen[o] {
					seen[o] = true
					look(o.Items)
				}
			case *List:
				if !seen[o] {
					seen[o], l = true, t.Join(l, o.Shape)
					look(o.Items)
				}
			case *Dict:
				if !seen[o] {
					seen[o], l = true, t.Join(l, o.Shape)
					for i := range o.Entries {
						look([]Value{o.Entries[i].Key, o.Entries[i].Val})
					}
				}
			case *Set:
				if !seen[o] {
					seen[o], l = true, t.Join(l, o.Shape)
					for i := range o.Table {
						look([]Value{o.Table[i].Key})
					}
				}
			}
		}
	}
	for _, vs := range lists {
		look(vs)
	}
	if instance && l != 0 {
		t.Stick(l)
	}
	return t.Step(steps / 8)
}

// Order is one of < <= > >= for values of built-in classes; known is false
// when they have no order. It sees what it compared.
func (t *Thread) Order(op syntax.CmpOperator, a, b Value) (ok, known bool, err error) {
	switch a.Kind {
	case KInt, KBool, KBig, KFloat:
		c, ok := compareNumbers(a, b)
		if !ok {
			return false, false, nil
		}
		return c != 2 && Fulfils(op, c), true, nil
	case KSet, KView:
		return t.orderSets(op, a, b)
	}
	if a.Kind != b.Kind {
		return false, false, nil
	}
	switch x := a.Obj.(type) {
	case *Str:
		return Fulfils(op, strings.Compare(x.Text, b.Obj.(*Str).Text)), true, t.stepText(a, b)
	case *Bytes:
		return Fulfils(op, strings.Compare(x.Data, b.Obj.(*Bytes).Data)), true, t.stepText(a, b)
	case *Tuple:
		ok, err = t.orderItems(op, x.Items, b.Obj.(*Tuple).Items)
		return ok, true, err
	case *List:
		y := b.Obj.(*List)
		t.See(t.Join(x.Shape, y.Shape))
		ok, err = t.orderItems(op, x.Items, y.Items)
		return ok, true, err
	}
	return false, false, nil
}

// compareNumbers gives -1, 0, 1, or 2 when one is not a number.
func compareNumbers(a, b Value) (int, bool) {
	switch {
	case a.Kind == KFloat && b.Kind == KFloat:
		if x, y := a.Float(), b.Float(); x == x && y == y {
			return cmp.Compare(x, y), true
		}
		return 2, true
	case a.Kind == KFloat:
		if !IsInt(b) {
			return 0, false
		}
		if c := cmpIntFloat(b, a.Float()); c != 2 {
			return -c, true
		}
		return 2, true
	case b.Kind == KFloat:
		return cmpIntFloat(a, b.Float()), true
	case !IsInt(b):
		return 0, false
	case a.Kind == KBig || b.Kind == KBig:
		return ToBig(a).Cmp(ToBig(b)), true
	}
	return cmp.Compare(a.N, b.N), true
}

// IsInt reports whether v is an int, True or False.
func IsInt(v Value) bool { return v.Kind == KInt || v.Kind == KBool || v.Kind == KBig }

// Fulfils reports whether a comparison that gave c fulfils op.
func Fulfils(op syntax.CmpOperator, c int) bool {
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
	if err := t.enterItems(a, b); err != nil {
		return false, err
	}
	defer t.Leave()
	for i := 0; i < len(a) && i < len(b); i++ {
		eq, err := t.EqualItem(a[i], b[i])
		if err != nil {
			return false, err
		}
		if !eq {
			v, err := t.rich(op, a[i], b[i])
			if err != nil {
				return false, err
			}
			return t.Truth(v)
		}
	}
	return Fulfils(op, len(a)-len(b)), nil
}

// Contains is x in o; it sees what the answer depends on.
func (t *Thread) Contains(o, x Value) (bool, error) {
	t.See(o.Label)
	t.See(x.Label)
	if o.Kind == KIter || o.Kind == KGen {
		t.Touch(o, "")
	}
	t.hook(x)
	if o.Kind == KObject || o.Kind == KSpecial || o.Kind == KClass {
		if fn, ok := t.Override(o, "__contains__"); ok && fn.Kind != KNone {
			v, _, err := t.CallSpecial(o, "__contains__", x)
			if err != nil {
				return false, err
			}
			return t.Truth(v)
		}
		if _, ok := t.Override(o, "__iter__"); !ok {
			o = t.Base(o)
		}
	}
	switch o.Kind {
	case KStr:
		if s, ok := t.Payload(x, KStr); ok {
			return t.containsStr(o.Obj.(*Str).Text, s.Obj.(*Str).Text)
		}
		return false, t.Raise(t.Types.TypeError, "'in <string>' requires string as left operand, not %s", t.ClassName(x))
	case KBytes:
		return t.containsBytes(o.Obj.(*Bytes).Data, x)
	case KDict:
		return o.Obj.(*Dict).Has(t, x)
	case KSet:
		return o.Obj.(*Set).has(t, x)
	case KTuple:
		return t.containsItem(o.Obj.(*Tuple).Items, x)
	case KList:
		l := o.Obj.(*List)
		t.See(l.Shape)
		return t.containsItem(l.Items, x)
	case KRange:
		if IsInt(x) {
			r := o.Obj.(*Range)
			t.See(r.Depends)
			return r.has(x), nil
		}
	case KView:
		if ok, known, err := t.viewHas(o.Obj.(*View), x); known || err != nil {
			return ok, err
		}
	}
	return t.containsEach(o, x)
}

func (t *Thread) containsItem(items []Value, x Value) (bool, error) {
	if err := t.Mixed(items, []Value{x}); err != nil {
		return false, err
	}
	for _, v := range items {
		if ok, err := t.EqualItem(v, x); ok || err != nil {
			return ok, err
		}
	}
	return false, nil
}

// containsEach looks for x by iterating over o.
func (t *Thread) containsEach(o, x Value) (bool, error) {
	it, err := t.Iter(o)
	if err != nil {
		if ok, _ := t.Iterable(o, ""); !ok {
			return false, t.FailAt(t.Seen, t.Types.TypeError, "argument of type '%s' is not a container or iterable", t.ClassName(o))
		}
		return false, err
	}
	for {
		v, ok, err := t.Next(it)
		if err != nil || !ok {
			t.See(v.Label)
			t.stoppedIn(o)
			return false, err
		}
		if ok, err := t.EqualItem(v, x); ok || err != nil {
			t.stoppedIn(o)
			return ok, err
		}
	}
}

// stoppedIn notes that a search stopped in an iterator, in its middle or at its end:
// where it goes on next, and what it called, depends on all that was compared.
func (t *Thread) stoppedIn(o Value) {
	if o.Kind == KIter || o.Kind == KGen || isObject(o) && (t.Strict || t.Hooks) {
		t.Stick(t.Seen)
	}
}

func (t *Thread) containsStr(s, sub string) (bool, error) {
	if err := t.StepSearch(len(s), len(sub)); err != nil {
		return false, err
	}
	return strings.Contains(s, sub), nil
}

// StepSearch accounts for a search through n bytes.
func (t *Thread) StepSearch(n, sub int) error {
	if n > 128 {
		return t.Step(int64(n) / 128)
	}
	return nil
}

func (t *Thread) containsBytes(b string, x Value) (bool, error) {
	if s, ok := t.Payload(x, KBytes); ok {
		return t.containsStr(b, s.Obj.(*Bytes).Data)
	}
	n, err := t.Index(x)
	if err != nil {
		return false, err
	}
	if n.Kind == KBig || n.N < 0 || n.N > 255 {
		return false, t.Raise(t.Types.ValueError, "byte must be in range(0, 256)")
	}
	return strings.IndexByte(b, byte(n.N)) >= 0, nil
}

// has reports whether the int x is in r.
func (r *Range) has(x Value) bool {
	if x.Kind == KBig || r.Step > 0 && (x.N < r.Start || x.N >= r.Stop) || r.Step < 0 && (x.N > r.Start || x.N <= r.Stop) {
		return false
	}
	return (x.N-r.Start)%r.Step == 0
}
