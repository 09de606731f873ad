package value

import (
	"cmp"
	"slices"
)

// SortList sorts the list self, by keys when there are some. The shape gets
// the labels of all that was compared.
func (t *Thread) SortList(self Value, keys []Value, reverse bool) error {
	l := self.Obj.(*List)
	items := l.Items
	if keys != nil && len(keys) != len(items) {
		return t.FailAt(t.Join(self.Label, l.Shape), t.Types.ValueError, "list modified during sort")
	}
	l.Items = nil
	s, err := t.Shaped(func() error { return t.SortValues(items, keys, reverse) })
	t.Mark(&l.Shape, t.Join(s, self.Label))
	changed := l.Items != nil
	l.Items = items
	if err == nil && changed {
		err = t.FailAt(l.Shape, t.Types.ValueError, "list modified during sort")
	}
	return err
}

// SortValues sorts items, by keys when there are some, and keeps equal ones in
// order. It sees what was compared. After an error the order is some order.
func (t *Thread) SortValues(items, keys []Value, reverse bool) error {
	n := int64(len(items))
	if n < 2 {
		return nil
	}
	if err := t.Alloc(n * (ValueBytes + 32)); err != nil {
		return err
	}
	by := items
	if keys != nil {
		by = keys
	}
	order := make([]int32, n)
	for i := range order {
		order[i] = int32(i)
	}
	if reverse { // equal elements keep their order: sort backwards, then turn around
		slices.Reverse(order)
	}
	ok, err := t.sortPlain(order, by)
	if !ok && err == nil {
		err = t.stableSort(order, by)
	}
	if reverse {
		slices.Reverse(order)
	}
	sorted := make([]Value, n)
	for i, j := range order {
		sorted[i] = items[j]
	}
	copy(items, sorted)
	return err
}

// sortPlain sorts values that are all ints, all floats or all strings; ok is
// false when they are not.
func (t *Thread) sortPlain(order []int32, by []Value) (ok bool, err error) {
	k := by[0].Kind
	for i := range by {
		if by[i].Kind != k {
			return false, nil
		}
	}
	if k != KInt && k != KFloat && k != KStr {
		return false, nil
	}
	work := int64(0)
	for i := range by {
		t.See(by[i].Label)
		work += 1 + int64(TextLen(by[i]))/64
	}
	for n := len(by); n > 1; n /= 4 {
		work += int64(len(by)) / 4
	}
	if err := t.Step(work); err != nil {
		return true, err
	}
	switch k {
	case KInt:
		sortKeys(order, func(i int32) int64 { return by[i].N })
	case KFloat:
		for i := range by {
			if f := by[i].Float(); f != f {
				return false, nil
			}
		}
		sortKeys(order, func(i int32) float64 { return by[i].Float() })
	default:
		sortKeys(order, func(i int32) string { return by[i].Obj.(*Str).Text })
	}
	return true, nil
}

// sortKeys sorts numbers of elements by their keys; among equal keys their order stays.
func sortKeys[K cmp.Ordered](order []int32, key func(int32) K) {
	type pair struct {
		k     K
		i, at int32
	}
	pairs := make([]pair, len(order))
	sorted := true
	for at, i := range order {
		pairs[at] = pair{key(i), i, int32(at)}
		sorted = sorted && (at == 0 || pairs[at-1].k <= pairs[at].k)
	}
	if sorted {
		return
	}
	slices.SortFunc(pairs, func(a, b pair) int {
		switch {
		case a.k < b.k:
			return -1
		case a.k > b.k:
			return 1
		}
		return int(a.at - b.at)
	})
	for at := range pairs {
		order[at] = pairs[at].i
	}
}

// stableSort is a stable sort by less. After an error no more is compared.
func (t *Thread) stableSort(order []int32, by []Value) error {
	var failed error
	slices.SortStableFunc(order, func(a, b int32) int {
		if failed == nil {
			failed = t.Step(1)
		}
		if failed == nil {
			var less bool
			if less, failed = t.Less(by[a], by[b]); less && failed == nil {
				return -1
			}
		}
		return 0
	})
	return failed
}
