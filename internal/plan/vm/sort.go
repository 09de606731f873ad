package vm

import (
	"cmp"
	"slices"
)

func listSort(t *Thread, a *Args) (Value, error) {
	reverse := false
	s, err := t.shaped(func() (err error) {
		if a.Pos[2].k != kUnset {
			reverse, err = t.truth(a.Pos[2])
		}
		return err
	})
	if err != nil {
		return Value{}, err
	}
	key := a.Pos[1]
	if !given(key) {
		return none, t.sortList(a.Pos[0].with(t.join(a.Pos[0].l, s)), nil, reverse)
	}
	if key.k == kNative {
		return none, t.sortByNative(a.Pos[0].with(t.join(a.Pos[0].l, s)), key, reverse)
	}
	return t.tailBuiltin("_sort", a.Pos[0], key, boolValue(reverse).with(s))
}

// builtin returns a function of the library's module of built-in functions.
func (t *Thread) builtin(name string) (Value, error) {
	v, ok := t.builtins.names.str(name)
	if !ok {
		return Value{}, t.raise(t.types.SystemError, "no function %s", name)
	}
	return v, nil
}

// sortByNative sorts by a key that a native computes: no frame is needed for it.
func (t *Thread) sortByNative(self, key Value, reverse bool) error {
	l := self.o.(*List)
	keys := make([]Value, 0, len(l.items))
	if err := t.alloc(int64(len(l.items)) * valueBytes); err != nil {
		return err
	}
	for i := 0; i < len(l.items); i++ {
		if err := t.step(4); err != nil {
			return err
		}
		k, err := t.Call(key, []Value{l.items[i]}, nil, nil)
		if err != nil {
			return err
		}
		keys = append(keys, k.with(t.join(k.l, key.l)))
	}
	return t.sortList(self, keys, reverse)
}

// listSortWith sorts by keys that were computed: one for each element, in their order.
func listSortWith(t *Thread, a *Args) (Value, error) {
	keys, ok := t.payload(a.Pos[1], kList)
	if !ok {
		return Value{}, t.failOf(a.Pos[1], t.types.TypeError, "keys must be a list")
	}
	k := keys.o.(*List)
	reverse, l := false, t.join(a.Pos[0].l, t.join(keys.l, k.shape))
	s, err := t.shaped(func() (err error) {
		reverse, err = t.truth(a.Pos[2])
		return err
	})
	if err != nil {
		return Value{}, err
	}
	return none, t.sortList(a.Pos[0].with(t.join(l, s)), append([]Value(nil), k.items...), reverse)
}

// sortList sorts the list self, by keys when there are some. The shape gets
// the labels of all that was compared.
func (t *Thread) sortList(self Value, keys []Value, reverse bool) error {
	l := self.o.(*List)
	items := l.items
	if keys != nil && len(keys) != len(items) {
		return t.failAt(t.join(self.l, l.shape), t.types.ValueError, "list modified during sort")
	}
	l.items = nil
	s, err := t.shaped(func() error { return t.sortValues(items, keys, reverse) })
	t.mark(&l.shape, t.join(s, self.l))
	changed := l.items != nil
	l.items = items
	if err == nil && changed {
		err = t.failAt(l.shape, t.types.ValueError, "list modified during sort")
	}
	return err
}

// sortValues sorts items, by keys when there are some, and keeps equal ones in
// order. It sees what was compared. After an error the order is some order.
func (t *Thread) sortValues(items, keys []Value, reverse bool) error {
	n := int64(len(items))
	if n < 2 {
		return nil
	}
	if err := t.alloc(n * (valueBytes + 32)); err != nil {
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
	k := by[0].k
	for i := range by {
		if by[i].k != k {
			return false, nil
		}
	}
	if k != kInt && k != kFloat && k != kStr {
		return false, nil
	}
	work := int64(0)
	for i := range by {
		t.see(by[i].l)
		work += 1 + int64(textLen(by[i]))/64
	}
	for n := len(by); n > 1; n /= 4 {
		work += int64(len(by)) / 4
	}
	if err := t.step(work); err != nil {
		return true, err
	}
	switch k {
	case kInt:
		sortKeys(order, func(i int32) int64 { return by[i].n })
	case kFloat:
		for i := range by {
			if f := by[i].float(); f != f {
				return false, nil
			}
		}
		sortKeys(order, func(i int32) float64 { return by[i].float() })
	default:
		sortKeys(order, func(i int32) string { return by[i].o.(*Str).s })
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
		if err := t.step(1); err != nil {
			return false, err
		}
		return t.less(by[a], by[b])
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
