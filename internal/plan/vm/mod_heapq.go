package vm

// heapNatives are the functions of module heapq that change a heap. What an
// element's place depends on joins the list's shape.
func heapNatives() []*Native {
	var out []*Native
	for _, suffix := range []string{"", "_max"} {
		h := heapOrder{max: suffix != ""}
		add := func(name, params string, f nativeFunc) {
			out = append(out, &Native{name: "heapq." + name + suffix, params: params, call: f, precise: true})
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

func (h heapOrder) on(f func(t *Thread, l *List, a *Args) (Value, error)) nativeFunc {
	return func(t *Thread, a *Args) (Value, error) {
		self, ok := t.payload(a.Pos[0], kList)
		if !ok {
			return Value{}, t.failOf(a.Pos[0], t.types.TypeError, "heap argument must be a list, not %s", t.className(a.Pos[0]))
		}
		l := self.o.(*List)
		seen := t.seen
		t.seen = 0
		v, err := f(t, l, a)
		s := t.seen
		t.seen = seen
		t.mark(&l.shape, t.join(s, self.l))
		if err != nil {
			t.see(s)
			return Value{}, err
		}
		if v.k != kNone {
			v.l = t.join(v.l, l.shape)
		}
		return v, nil
	}
}

// before reports whether a belongs nearer to the root than b.
func (h heapOrder) before(t *Thread, a, b Value) (bool, error) {
	if err := t.step(1); err != nil {
		return false, err
	}
	if h.max {
		a, b = b, a
	}
	return t.less(a, b)
}

// up moves the element at i towards the root, no further than start.
func (h heapOrder) up(t *Thread, l *List, start, i int) error {
	x := l.items[i]
	for i > start {
		parent := (i - 1) / 2
		n := len(l.items)
		ok, err := h.before(t, x, l.items[parent])
		if err != nil {
			return err
		}
		if len(l.items) != n {
			return t.raise(t.types.RuntimeError, "list changed size during iteration")
		}
		if !ok {
			break
		}
		l.items[i], l.items[parent] = l.items[parent], x
		i = parent
	}
	return nil
}

// down moves the element at i to a leaf along the better children, then up to its place.
func (h heapOrder) down(t *Thread, l *List, i int) error {
	start, n := i, len(l.items)
	for child := 2*i + 1; child < n; child = 2*i + 1 {
		if right := child + 1; right < n {
			ok, err := h.before(t, l.items[child], l.items[right])
			if err != nil {
				return err
			}
			if len(l.items) != n {
				return t.raise(t.types.RuntimeError, "list changed size during iteration")
			}
			if !ok {
				child = right
			}
		}
		l.items[i], l.items[child] = l.items[child], l.items[i]
		i = child
	}
	return h.up(t, l, start, i)
}

func (h heapOrder) heapify(t *Thread, l *List, a *Args) (Value, error) {
	for i := len(l.items)/2 - 1; i >= 0; i-- {
		if err := h.down(t, l, i); err != nil {
			return Value{}, err
		}
	}
	return none, nil
}

func (h heapOrder) push(t *Thread, l *List, a *Args) (Value, error) {
	if err := t.push(l, t.under(a.Pos[1])); err != nil {
		return Value{}, err
	}
	return none, h.up(t, l, 0, len(l.items)-1)
}

func (h heapOrder) pop(t *Thread, l *List, a *Args) (Value, error) {
	n := len(l.items)
	if n == 0 {
		t.see(t.join(l.shape, a.Pos[0].l))
		return Value{}, t.raise(t.types.IndexError, "index out of range")
	}
	last := l.items[n-1]
	l.items[n-1] = Value{}
	l.items = l.items[:n-1]
	if n == 1 {
		return last, nil
	}
	top := l.items[0]
	l.items[0] = last
	return top, h.down(t, l, 0)
}

func (h heapOrder) replace(t *Thread, l *List, a *Args) (Value, error) {
	if len(l.items) == 0 {
		t.see(t.join(l.shape, a.Pos[0].l))
		return Value{}, t.raise(t.types.IndexError, "index out of range")
	}
	top := l.items[0]
	l.items[0] = t.under(a.Pos[1])
	return top, h.down(t, l, 0)
}

func (h heapOrder) pushPop(t *Thread, l *List, a *Args) (Value, error) {
	x := t.under(a.Pos[1])
	if len(l.items) == 0 {
		return x, nil
	}
	ok, err := h.before(t, l.items[0], x)
	if err != nil || !ok {
		return x, err
	}
	top := l.items[0]
	l.items[0] = x
	return top, h.down(t, l, 0)
}
