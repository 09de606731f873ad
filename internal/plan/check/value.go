package check

import (
	"math"
	"math/big"
	"slices"

	"praxis/internal/plan/syntax"
	"praxis/internal/tool/schema"
)

// val is an abstract value. The zero value is bottom: nothing reaches it.
type val struct {
	may  *lab    // sources that may have influenced it
	must *lab    // sources that certainly have
	objs *oset   // objects that it may be
	k    *konst  // its value when it is known
	fl   valFlag // what it may be beside objects
}

type valFlag uint8

const (
	reached valFlag = 1 << iota // some value gets here
	// It may be a value without parts: a text, a number, a truth value, None,
	// something else, or what an operation would give that cannot be done.
	text
	number
	truth
	null
	other
	undone

	scalar = text | number | truth | null | other | undone
)

// scalars is what a value of these kinds may be beside objects.
func scalars(k schema.Kinds) valFlag {
	var fl valFlag
	for _, c := range [...]struct {
		kind schema.Kinds
		fl   valFlag
	}{{schema.StringKind, text}, {schema.IntegerKind | schema.NumberKind, number}, {schema.BooleanKind, truth}, {schema.NullKind, null}} {
		if k&c.kind != 0 {
			fl |= c.fl
		}
	}
	return fl
}

// konst is a known value: what a literal says.
type konst = syntax.Constant

// constant is the literal of a value: nil, a bool, a number or a string.
func constantOf(v any) *konst {
	switch v := v.(type) {
	case bool:
		if v {
			return &konst{Kind: syntax.True}
		}
		return &konst{Kind: syntax.False}
	case int64:
		return &konst{Kind: syntax.Int, Int: v}
	case *big.Int:
		return &konst{Kind: syntax.Int, Big: v}
	case float64:
		return &konst{Kind: syntax.Float, Float: v}
	case string:
		return &konst{Kind: syntax.Str, Str: v}
	}
	return &konst{Kind: syntax.None}
}

// jsonOf is the value of a literal as package tool has it.
func jsonOf(k *konst) any {
	switch k.Kind {
	case syntax.True:
		return true
	case syntax.False:
		return false
	case syntax.Int:
		if k.Big != nil {
			return k.Big
		}
		return k.Int
	case syntax.Float:
		return k.Float
	case syntax.Str:
		return k.Str
	}
	return nil
}

func sameConst(k, o *konst) bool {
	if k == o {
		return true
	}
	if k == nil || o == nil || k.Kind != o.Kind {
		return false
	}
	switch k.Kind {
	case syntax.Int:
		if k.Big != nil && o.Big != nil {
			return k.Big.Cmp(o.Big) == 0
		}
		return k.Big == nil && o.Big == nil && k.Int == o.Int
	case syntax.Float:
		return math.Float64bits(k.Float) == math.Float64bits(o.Float)
	}
	return k.Str == o.Str
}

func (v val) bottom() bool { return v.fl == 0 && v.objs == nil }

// text returns the string that v is known to be.
func (v val) text() (string, bool) {
	if v.k == nil || v.k.Kind != syntax.Str {
		return "", false
	}
	return v.k.Str, true
}

// number returns the small number that v is known to be.
func (v val) number() (int, bool) {
	if v.k == nil {
		return 0, false
	}
	switch v.k.Kind {
	case syntax.Int:
		if v.k.Big == nil && v.k.Int >= -1<<30 && v.k.Int <= 1<<30 {
			return int(v.k.Int), true
		}
	case syntax.True:
		return 1, true
	case syntax.False:
		return 0, true
	}
	return 0, false
}

// join is the value that is one of both.
func join(a, b val) val {
	if a.bottom() {
		a.may = union(a.may, b.may)
		b.may = a.may
		return b
	}
	if b.bottom() {
		a.may = union(a.may, b.may)
		return a
	}
	out := val{may: union(a.may, b.may), must: both(a.must, b.must), objs: a.objs.union(b.objs), fl: a.fl | b.fl}
	if sameConst(a.k, b.k) {
		out.k = a.k
	}
	return out
}

// same says whether nothing distinguishes two values but their paths.
func same(a, b val) bool {
	return a.fl == b.fl && sameConst(a.k, b.k) && sameLab(a.may, b.may) && sameLab(a.must, b.must) && a.objs.same(b.objs)
}

func sameLab(a, b *lab) bool {
	return a == b || a != nil && b != nil && slices.Equal(a.ids, b.ids)
}

// plain is a value without parts that depends on a set.
func plain(may, must *lab) val { return val{may: may, must: must, fl: reached | scalar} }

// with is v with more that influenced it.
func (v val) with(l *lab) val {
	v.may = union(v.may, l)
	return v
}

// after is v, which was chosen by way of o: o's sources are in it for certain.
func (v val) after(o val) val {
	v.may = union(v.may, o.may)
	v.must = union(v.must, o.must)
	return v
}

// loose is v without what is certain.
func (v val) loose() val {
	v.must, v.k = nil, nil
	return v
}

// oset is an immutable set of objects by number; nil is empty. Work on large
// sets uses steps of the analysis.
type oset struct {
	of  *analysis
	ids []int32
}

// charge uses steps for looking at n objects.
func (s *oset) charge(n int) {
	if n >= 64 {
		s.of.step(int64(n / 64))
	}
}

func (s *oset) all() []int32 {
	if s == nil {
		return nil
	}
	s.charge(4 * len(s.ids))
	return s.ids
}

// each goes through the objects of the set.
func (s *oset) each(yield func(*object) bool) {
	for _, id := range s.all() {
		if !yield(s.of.objects[id]) {
			return
		}
	}
}

func (s *oset) same(o *oset) bool {
	if s == o || s == nil || o == nil {
		return s == o
	}
	s.charge(len(s.ids))
	return slices.Equal(s.ids, o.ids)
}

func (s *oset) union(o *oset) *oset {
	switch {
	case o == nil || s == o:
		return s
	case s == nil:
		return o
	}
	if len(o.ids) <= len(s.ids) && o.within(s) {
		return s
	}
	if len(s.ids) < len(o.ids) && s.within(o) {
		return o
	}
	s.charge(4 * (len(s.ids) + len(o.ids)))
	out := make([]int32, 0, len(s.ids)+len(o.ids))
	x, y := s.ids, o.ids
	for len(x) > 0 && len(y) > 0 {
		least := min(x[0], y[0])
		out = append(out, least)
		if x[0] == least {
			x = x[1:]
		}
		if y[0] == least {
			y = y[1:]
		}
	}
	out = append(append(out, x...), y...)
	return &oset{of: s.of, ids: out}
}

// within says whether o has all objects of s.
func (s *oset) within(o *oset) bool {
	if s == nil || s == o {
		return true
	}
	if o == nil {
		return false
	}
	if len(s.ids) > 4 {
		s.charge(len(o.ids))
	}
	return subset(s.ids, o.ids)
}
