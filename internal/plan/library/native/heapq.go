package native

import "praxis/internal/plan/value"

// heapNatives are the functions of module heapq that change a heap. What an
// element's place depends on joins the list's shape.
func heapNatives() []*value.Native {
	var out []*value.Native
	add := func(name, params string, f func(t *value.Thread, l *value.List, a *value.Args) (value.Value, error)) {
		out = append(out, &value.Native{Name: "heapq." + name, Params: params, Call: onHeap(f), Precise: true})
	}
	add("heapify", "heap, /", heapify)
	add("heappush", "heap, item, /", heapPush)
	add("heappop", "heap, /", heapPop)
	add("heapreplace", "heap, item, /", heapReplace)
	add("heappushpop", "heap, item, /", heapPushPop)
	return out
}

// onHeap calls f with the list that is the heap: a binary tree in which the
// children of i are 2i+1 and 2i+2.
func onHeap(f func(t *value.Thread, l *value.List, a *value.Args) (value.Value, error)) value.NativeFunc {
	return func(t *value.Thread, a *value.Args) (value.Value, error) {
		self, ok := t.Payload(a.Pos[0], value.KList)
		if !ok {
			return value.Value{}, t.FailOf(a.Pos[0], t.Types.TypeError, "heap argument must be a list, not %s", t.ClassName(a.Pos[0]))
		}
		l := self.Obj.(*value.List)
		seen := t.Seen
		t.Seen = 0
		v, err := f(t, l, a)
		s := t.Seen
		t.Seen = seen
		t.Mark(&l.Shape, t.Join(s, self.Label))
		if err != nil {
			t.See(s)
			return value.Value{}, err
		}
		if v.Kind != value.KNone {
			v.Label = t.Join(v.Label, l.Shape)
		}
		return v, nil
	}
}

// less compares elements of a heap, whose size the comparison must not change.
func less(t *value.Thread, l *value.List, a, b value.Value) (bool, error) {
	n := len(l.Items)
	if err := t.Step(1); err != nil {
		return false, err
	}
	ok, err := t.Less(a, b)
	if err == nil && len(l.Items) != n {
		err = t.Raise(t.Types.RuntimeError, "list changed size during iteration")
	}
	return ok, err
}

// heapUp moves the element at i towards the root, no further than start.
func heapUp(t *value.Thread, l *value.List, start, i int) error {
	x := l.Items[i]
	for i > start {
		parent := (i - 1) / 2
		ok, err := less(t, l, x, l.Items[parent])
		if err != nil {
			return err
		}
		if !ok {
			break
		}
		l.Items[i], l.Items[parent] = l.Items[parent], x
		i = parent
	}
	return nil
}

// heapDown moves the element at i to a leaf along the better children, then up to its place.
func heapDown(t *value.Thread, l *value.List, i int) error {
	start, n := i, len(l.Items)
	for child := 2*i + 1; child < n; child = 2*i + 1 {
		if right := child + 1; right < n {
			ok, err := less(t, l, l.Items[child], l.Items[right])
			if err != nil {
				return err
			}
			if !ok {
				child = right
			}
		}
		l.Items[i], l.Items[child] = l.Items[child], l.Items[i]
		i = child
	}
	return heapUp(t, l, start, i)
}

func heapify(t *value.Thread, l *value.List, a *value.Args) (value.Value, error) {
	for i := len(l.Items)/2 - 1; i >= 0; i-- {
		if err := heapDown(t, l, i); err != nil {
			return value.Value{}, err
		}
	}
	return value.None, nil
}

func heapPush(t *value.Thread, l *value.List, a *value.Args) (value.Value, error) {
	if err := t.Push(l, t.Under(a.Pos[1])); err != nil {
		return value.Value{}, err
	}
	return value.None, heapUp(t, l, 0, len(l.Items)-1)
}

func heapPop(t *value.Thread, l *value.List, a *value.Args) (value.Value, error) {
	n := len(l.Items)
	if n == 0 {
		t.See(t.Join(l.Shape, a.Pos[0].Label))
		return value.Value{}, t.Raise(t.Types.IndexError, "index out of range")
	}
	last := l.Items[n-1]
	l.Items[n-1] = value.Value{}
	l.Items = l.Items[:n-1]
	if n == 1 {
		return last, nil
	}
	top := l.Items[0]
	l.Items[0] = last
	return top, heapDown(t, l, 0)
}

func heapReplace(t *value.Thread, l *value.List, a *value.Args) (value.Value, error) {
	if len(l.Items) == 0 {
		t.See(t.Join(l.Shape, a.Pos[0].Label))
		return value.Value{}, t.Raise(t.Types.IndexError, "index out of range")
	}
	top := l.Items[0]
	l.Items[0] = t.Under(a.Pos[1])
	return top, heapDown(t, l, 0)
}

func heapPushPop(t *value.Thread, l *value.List, a *value.Args) (value.Value, error) {
	x := t.Under(a.Pos[1])
	if len(l.Items) == 0 {
		return x, nil
	}
	if ok, err := less(t, l, l.Items[0], x); err != nil || !ok {
		return x, err
	}
	return heapReplace(t, l, a)
}
