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
		err = t.mergeSort(order, by)
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

// run is the least length of the pieces that are sorted by insertion.
const sortRun = 16

// mergeSort is a stable merge sort by less.
func (t *Thread) mergeSort(order []int32, by []Value) error {
	less := func(a, b int32) (bool, error) {
		if err := t.Step(1); err != nil {
			return false, err
		}
		return t.Less(by[a], by[b])
	}
	n := len(order)
	run, err := ascending(order, less)
	if err != nil || run == n {
		return err
	}
	for lo := 0; lo < n; lo += sortRun {
		start := lo + 1
		if run > start {
			start = min(run, lo+sortRun)
		}
		if err := insertionSort(order[lo:min(lo+sortRun, n)], start-lo, less); err != nil {
			return err
		}
	}
	buf := make([]int32, n)
	for width := sortRun; width < n; width *= 2 {
		for lo := 0; lo+width < n; lo += 2 * width {
			if err := merge(order[lo:min(lo+2*width, n)], width, buf, less); err != nil {
				return err
			}
		}
	}
	return nil
}

// ascending returns how many elements at the front are in order. A strictly
// falling front is turned around.
func ascending(order []int32, less func(a, b int32) (bool, error)) (int, error) {
	down, err := less(order[1], order[0])
	if err != nil {
		return 0, err
	}
	i := 2
	for ; i < len(order); i++ {
		falls, err := less(order[i], order[i-1])
		if err != nil {
			return 0, err
		}
		if falls != down {
			break
		}
	}
	if down {
		slices.Reverse(order[:i])
	}
	return i, nil
}

// insertionSort sorts a short piece whose first elements, start of them, are in order.
func insertionSort(order []int32, start int, less func(a, b int32) (bool, error)) error {
	for i := start; i < len(order); i++ {
		x := order[i]
		lo, hi := 0, i
		for lo < hi {
			mid := (lo + hi) / 2
			before, err := less(x, order[mid])
			if err != nil {
				return err
			}
			if before {
				hi = mid
			} else {
				lo = mid + 1
			}
		}
		copy(order[lo+1:i+1], order[lo:i])
		order[lo] = x
	}
	return nil
}

// merge merges order[:mid] and order[mid:], which are in order.
func merge(order []int32, mid int, buf []int32, less func(a, b int32) (bool, error)) error {
	before, err := less(order[mid], order[mid-1])
	if err != nil || !before {
		return err
	}
	left := append(buf[:0], order[:mid]...)
	i, j, k := 0, mid, 0
	for i < len(left) && j < len(order) {
		before, err := less(order[j], left[i])
		if err != nil {
			copy(order[k:], left[i:])
			return err
		}
		if before {
			order[k] = order[j]
			j++
		} else {
			order[k] = left[i]
			i++
		}
		k++
	}
	copy(order[k:], left[i:])
	return nil
}
