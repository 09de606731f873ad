package check

import (
	"math/big"
	"slices"
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
	scalar                      // it may be a value without parts
)

// konst is a known value: nil, bool, *big.Int, int64, float64 or string.
type konst struct{ v any }

func (k *konst) same(o *konst) bool {
	if k == o {
		return true
	}
	if k == nil || o == nil {
		return false
	}
	a, aok := k.v.(*big.Int)
	b, bok := o.v.(*big.Int)
	if aok || bok {
		return aok && bok && a.Cmp(b) == 0
	}
	return k.v == o.v
}

func (v val) bottom() bool { return v.fl == 0 && v.objs == nil }

// text returns the string that v is known to be.
func (v val) text() (string, bool) {
	if v.k == nil {
		return "", false
	}
	s, ok := v.k.v.(string)
	return s, ok
}

// number returns the small number that v is known to be.
func (v val) number() (int, bool) {
	if v.k == nil {
		return 0, false
	}
	switch n := v.k.v.(type) {
	case int64:
		if n >= -1<<30 && n <= 1<<30 {
			return int(n), true
		}
	case bool:
		if n {
			return 1, true
		}
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
	if a.k.same(b.k) {
		out.k = a.k
	}
	return out
}

// same says whether nothing distinguishes two values but their paths.
func same(a, b val) bool {
	return a.fl == b.fl && a.k.same(b.k) && sameLab(a.may, b.may) && sameLab(a.must, b.must) && a.objs.same(b.objs)
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

// oset is an immutable set of objects by number; nil is empty.
type oset struct{ ids []int32 }

func one(id int32) *oset { return &oset{ids: []int32{id}} }

func (s *oset) all() []int32 {
	if s == nil {
		return nil
	}
	return s.ids
}

func (s *oset) same(o *oset) bool {
	return s == o || s != nil && o != nil && slices.Equal(s.ids, o.ids)
}

func (s *oset) has(id int32) bool {
	if s == nil {
		return false
	}
	_, ok := slices.BinarySearch(s.ids, id)
	return ok
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
	out := make([]int32, 0, len(s.ids)+len(o.ids))
	i, k := 0, 0
	for i < len(s.ids) || k < len(o.ids) {
		switch {
		case k == len(o.ids) || i < len(s.ids) && s.ids[i] < o.ids[k]:
			out = append(out, s.ids[i])
			i++
		case i == len(s.ids) || o.ids[k] < s.ids[i]:
			out = append(out, o.ids[k])
			k++
		default:
			out = append(out, s.ids[i])
			i, k = i+1, k+1
		}
	}
	return &oset{ids: out}
}

// within says whether o has all objects of s.
func (s *oset) within(o *oset) bool {
	if s == nil || s == o {
		return true
	}
	if o == nil || len(s.ids) > len(o.ids) {
		return false
	}
	if len(s.ids) <= 4 {
		for _, id := range s.ids {
			if !o.has(id) {
				return false
			}
		}
		return true
	}
	i := 0
	for _, id := range s.ids {
		for i < len(o.ids) && o.ids[i] < id {
			i++
		}
		if i == len(o.ids) || o.ids[i] != id {
			return false
		}
	}
	return true
}
