package native

import "praxis/internal/plan/value"

// heapNatives are the functions of module heapq that change a heap. What an
// element's place depends on joins the list's shape.
func heapNatives() []*value.Native {
	var out []*value.Native
	for _, suffix := range []string{"", "_max"} {
		h := heapOrder{max: suffix != ""}
		add := func(name, params string, f value.NativeFunc) {
			out = append(out, &value.Native{Name: "heapq." + name + suffix, Params: params, Call: f, Precise: true})
		}
		add("heapify", "heap, /", h.on(h.heapify))
		add("heappush", "heap, item, /", h.on(h.push))
		add("heappop", "heap, /", h.on(h.pop))
		add("heapreplace", "heap, item, /", h.on(h.replace))
		add("heappushpop", "heap, item, /", h.on(h.pushPop))
	}
	return out
}

// heapOrder orders a list as a binary tree: the children of i are 2i+1 and 2i+2.
type heapOrder struct{ max bool }

func (h heapOrder) on(f func(t *value.Thread, l *value.List, a *value.Args) (value.Value, error)) value.NativeFunc {
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

// before reports whether a belongs nearer to the root than b.
func (h heapOrder) before(t *value.Thread, a, b value.Value) (bool, error) {
	if err := t.Step(1); err != nil {
		return false, err
	}
	if h.max {
		a, b = b, a
	}
	return t.Less(a, b)
}

// up moves the element at i towards the root, no further than start.
func (h heapOrder) up(t *value.Thread, l *value.List, start, i int) error {
	x := l.Items[i]
	for i > start {
		parent := (i - 1) / 2
		n := len(l.Items)
		ok, err := h.before(t, x, l.Items[parent])
		if err != nil {
			return err
		}
		if len(l.Items) != n {
			return t.Raise(t.Types.RuntimeError, "list changed size during iteration")
		}
		if !ok {
			break
		}
		l.Items[i], l.Items[parent] = l.Items[parent], x
		i = parent
	}
	return nil
}

// down moves the element at i to a leaf along the better children, then up to its place.
func (h heapOrder) down(t *value.Thread, l *value.List, i int) error {
	start, n := i, len(l.Items)
	for child := 2*i + 1; child < n; child = 2*i + 1 {
		if right := child + 1; right < n {
			ok, err := h.before(t, l.Items[child], l.Items[right])
			if err != nil {
				return err
			}
			if len(l.Items) != n {
				return t.Raise(t.Types.RuntimeError, "list changed size during iteration")
			}
			if !ok {
				child = right
			}
		}
		l.Items[i], l.Items[child] = l.Items[child], l.Items[i]
		i = child
	}
	return h.up(t, l, start, i)
}

func (h heapOrder) heapify(t *value.Thread, l *value.List, a *value.Args) (value.Value, error) {
	for i := len(l.Items)/2 - 1; i >= 0; i-- {
		if err := h.down(t, l, i); err != nil {
			return value.Value{}, err
		}
	}
	return value.None, nil
}

func (h heapOrder) push(t *value.Thread, l *value.List, a *value.Args) (value.Value, error) {
	if err := t.Push(l, t.Under(a.Pos[1])); err != nil {
		return value.Value{}, err
	}
	return value.None, h.up(t, l, 0, len(l.Items)-1)
}

func (h heapOrder) pop(t *value.Thread, l *value.List, a *value.Args) (value.Value, error) {
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
	return top, h.down(t, l, 0)
}

func (h heapOrder) replace(t *value.Thread, l *value.List, a *value.Args) (value.Value, error) {
	if len(l.Items) == 0 {
		t.See(t.Join(l.Shape, a.Pos[0].Label))
		return value.Value{}, t.Raise(t.Types.IndexError, "index out of range")
	}
	top := l.Items[0]
	l.Items[0] = t.Under(a.Pos[1])
	return top, h.down(t, l, 0)
}

func (h heapOrder) pushPop(t *value.Thread, l *value.List, a *value.Args) (value.Value, error) {
	x := t.Under(a.Pos[1])
	if len(l.Items) == 0 {
		return x, nil
	}
	ok, err := h.before(t, l.Items[0], x)
	if err != nil || !ok {
		return x, err
	}
	top := l.Items[0]
	l.Items[0] = x
	return top, h.down(t, l, 0)
}
