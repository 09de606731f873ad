package vm

import "praxis/internal/plan/syntax"

// collectionsNatives are what module collections wants quick.
func collectionsNatives() []*Native {
	return []*Native{
		(&Native{name: "collections._count", params: "mapping, iterable, /", call: countElements, precise: true}).drain(1),
	}
}

// countElements adds one to the count of each element.
func countElements(t *Thread, a *Args) (Value, error) {
	self, ok := t.payload(a.Pos[0], kDict)
	if !ok {
		return Value{}, t.failOf(a.Pos[0], t.types.TypeError, "a dict was expected")
	}
	d := self.o.(*Dict)
	s, err := t.shaped(func() error {
		return t.each(a.Pos[1], func(x Value) error {
			n, ok, err := d.get(t, x)
			if err != nil {
				return err
			}
			one := intValue(1).with(t.join(x.l, self.l))
			if ok {
				if one, err = t.binary(syntax.Add, n, one); err != nil {
					return err
				}
			}
			return d.set(t, x, one)
		})
	})
	t.mark(&d.shape, t.join(s, self.l))
	return none, err
}
