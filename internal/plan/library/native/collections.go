package native

import (
	"praxis/internal/plan/syntax"
	"praxis/internal/plan/value"
)

// collectionsNatives are what module collections wants quick.
func collectionsNatives() []*value.Native {
	return []*value.Native{
		{Name: "collections._count", Params: "mapping, iterable, /", Call: countElements, Precise: true},
	}
}

// countElements adds one to the count of each element.
func countElements(t *value.Thread, a *value.Args) (value.Value, error) {
	if t.Foreign(a.Pos[1]) {
		return t.InParts("collections._count", a.Pos[0], a.Pos[1])
	}
	self, ok := t.Payload(a.Pos[0], value.KDict)
	if !ok {
		return value.Value{}, t.FailOf(a.Pos[0], t.Types.TypeError, "a dict was expected")
	}
	d := self.Obj.(*value.Dict)
	s, err := t.Shaped(func() error {
		return t.Each(a.Pos[1], func(x value.Value) error {
			n, ok, err := d.Get(t, x)
			if err != nil {
				return err
			}
			one := value.Int(1).With(t.Join(x.Label, self.Label))
			if ok {
				if one, err = t.Binary(syntax.Add, n, one); err != nil {
					return err
				}
			}
			return d.Set(t, x, one)
		})
	})
	t.Mark(&d.Shape, t.Join(s, self.Label))
	return value.None, err
}
