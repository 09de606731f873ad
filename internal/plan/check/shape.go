package check

import (
	"strings"

	"praxis/internal/plan/syntax"
	"praxis/internal/plan/value"
	"praxis/internal/tool/schema"
)

// shape is a set of the kinds of values that operations tell apart.
type shape uint16

const (
	aText   shape = 1 << iota
	aNumber       // or a truth value
	aNull
	aList
	aTuple
	aDict
	aSet
	aMoment // a date, a time or a duration
	aThing  // anything else, or not known

	shapes = iota
)

// each goes through the kinds of a set.
func (s shape) each(yield func(shape) bool) {
	for i := range shapes {
		if x := shape(1) << i; s&x != 0 && !yield(x) {
			return
		}
	}
}

// String names the kinds as messages do.
func (s shape) String() string {
	names := [...]string{"str", "a number", "None", "list", "tuple", "dict", "set", "a date, time or duration", "an object"}
	var out []string
	for i := range shapes {
		if s&(1<<i) != 0 {
			out = append(out, names[i])
		}
	}
	return strings.Join(out, " or ")
}

// json is what a value of one kind is as an argument, 0 when that is not known.
func (s shape) json() schema.Kinds {
	switch s {
	case aText, aMoment:
		return schema.StringKind
	case aNumber:
		return schema.IntegerKind | schema.NumberKind | schema.BooleanKind
	case aNull:
		return schema.NullKind
	case aList, aTuple:
		return schema.ArrayKind
	case aDict:
		return schema.ObjectKind
	}
	return 0
}

// class is the built-in class whose methods values of one kind have.
func (s shape) class() string {
	switch s {
	case aText:
		return "str"
	case aNumber:
		return "float"
	case aList:
		return "list"
	case aTuple:
		return "tuple"
	case aDict:
		return "dict"
	case aSet:
		return "set"
	}
	return ""
}

// shapes is what a value may be: nothing, where it comes from what cannot be done.
func (f *frame) shapes(v val) shape {
	var s shape
	if v.fl&text != 0 {
		s |= aText
	}
	if v.fl&(number|truth) != 0 {
		s |= aNumber
	}
	if v.fl&null != 0 {
		s |= aNull
	}
	if v.fl&other != 0 {
		s |= aThing
	}
	for o := range v.objs.each {
		switch o.kind {
		case oList:
			s |= aList
		case oTuple:
			s |= aTuple
		case oDict:
			s |= aDict
		case oSet:
			s |= aSet
		case oData:
			s |= o.dataShape()
		case oOpaque:
			if moment(o.name) {
				s |= aMoment
				continue
			}
			s |= aThing
		default:
			s |= aThing
		}
	}
	return s
}

func (o *object) dataShape() shape {
	var s shape
	t := o.data.typ
	if t == nil || o.data.deep >= maxNested {
		return aThing
	}
	if t.Kinds&schema.ArrayKind != 0 {
		s |= aList
	}
	if t.Kinds&schema.ObjectKind != 0 {
		s |= aDict
	}
	return s
}

// moment says whether a function gives a date, a time or a duration.
func moment(name string) bool {
	switch name {
	case "datetime.datetime", "datetime.date", "datetime.time", "datetime.timedelta", "datetime.datetime.now", "datetime.datetime.today",
		"datetime.datetime.fromisoformat", "datetime.datetime.strptime", "datetime.datetime.combine", "datetime.datetime.fromtimestamp",
		"datetime.date.today", "datetime.date.fromisoformat", "datetime.time.fromisoformat":
		return true
	}
	return false
}

// operands notes whether an operator can be used on two values, and says what it
// gives beside objects.
func (f *frame) operands(op syntax.Operator, a, b val, n syntax.Node) valFlag {
	if a.bottom() || b.bottom() {
		return scalar
	}
	x, y := f.shapes(a), f.shapes(b)
	if x == 0 || y == 0 {
		return undone
	}
	aug, inplace := n.(*syntax.AugAssign)
	var fl valFlag
	for x := range x.each {
		for y := range y.each {
			if inplace && x&(aList|aSet|aDict) != 0 {
				fl |= other // the object itself takes y in
			}
			fl |= f.operate(op, x, y)
		}
	}
	_, plain := n.(*syntax.BinOp)
	switch {
	case !plain && !inplace:
	case fl != 0:
		f.a.made(n, nil)
	default:
		sign := op.Symbol()
		if inplace {
			sign = aug.Op.Symbol() + "="
		}
		remedy := "Convert one of them: int(…), float(…), str(…)."
		if x|y == aText|aMoment {
			remedy = "Make a date of the text first: datetime.fromisoformat(…)."
		}
		f.a.made(n, f.mistaken("", "unsupported operands for "+sign+": "+x.String()+" and "+y.String(), remedy))
	}
	if fl == 0 {
		return undone
	}
	return fl
}

// operate says what an operator makes of two kinds beside objects, 0 when it cannot
// be used on them.
func (f *frame) operate(op syntax.Operator, x, y shape) valFlag {
	const all = scalar &^ undone
	sequence := aText | aList | aTuple
	switch {
	case x == aText && op == syntax.Mod:
		return text
	case x == aThing || y == aThing:
		differs := op == syntax.Sub && x == aNull || op == syntax.Div || op == syntax.FloorDiv || op == syntax.Pow
		if differs && x&(sequence|aNull) != 0 && !f.a.scopes.defines[value.Operators[op].Reflected] {
			return 0
		}
		return all
	case x == aNumber && y == aNumber:
		return number
	case x == aMoment && y == aMoment && op != syntax.Mult && op != syntax.Pow,
		op == syntax.Mult && (x == aMoment && y == aNumber || x == aNumber && y == aMoment),
		(op == syntax.Div || op == syntax.FloorDiv) && x == aMoment && y == aNumber:
		return all
	case op == syntax.Mult && (x&sequence != 0 && y == aNumber || x == aNumber && y&sequence != 0):
		return text
	case op == syntax.Add && x == y && x&sequence != 0:
		return text
	case x == aDict && y == aDict && op == syntax.BitOr,
		x == aSet && y == aSet && (op == syntax.Sub || op == syntax.BitAnd || op == syntax.BitOr || op == syntax.BitXor):
		return other
	}
	return 0
}

// compared notes whether two values can be compared.
func (f *frame) compared(op syntax.CmpOperator, a, b val, n *syntax.Compare) {
	x, y := f.shapes(a), f.shapes(b)
	if len(n.Ops) > 1 || x == 0 || y == 0 {
		return
	}
	const plain = aNumber | aNull | aMoment
	fine := false
	for x := range x.each {
		for y := range y.each {
			switch op {
			case syntax.Lt, syntax.LtE, syntax.Gt, syntax.GtE:
				fine = fine || x == aThing || y == aThing || x == y && x&(aNull|aDict) == 0
			case syntax.In, syntax.NotIn:
				fine = fine || y&plain == 0 && (y != aText || x&(aText|aThing) != 0)
			default:
				fine = true
			}
		}
	}
	if fine {
		f.a.made(n, nil)
		return
	}
	f.a.made(n, f.mistaken("", x.String()+" and "+y.String()+" cannot be compared by "+op.Symbol(),
		"Convert one of them: int(…), float(…), str(…), datetime.fromisoformat(…)."))
}

// iterates notes whether v can be iterated over.
func (f *frame) iterates(v val, n syntax.Node) {
	s := f.shapes(v)
	if s == 0 {
		return
	}
	if s&^(aNumber|aNull|aMoment) != 0 {
		f.a.made(n, nil)
		return
	}
	f.a.made(n, f.mistaken("", s.String()+" cannot be iterated over", ""))
}
