package native

import (
	"math/big"

	"praxis/internal/plan/label"
	"praxis/internal/plan/python/random"
	"praxis/internal/plan/value"
)

// Dice is the generator behind a random.Random of the library.
type Dice struct {
	src   random.Source
	label label.ID // what the numbers depend on: the seed, and in strict mode who drew
}

func (d *Dice) Class(t *value.Thread) *value.Class { return t.Types.Object }

const diceBytes = 2600

// randomNatives are the generator's own operations; all else of module random is
// written in the plan language.
func randomNatives() []*value.Native {
	n := func(name, params string, f func(t *value.Thread, d *Dice, a *value.Args) (value.Value, error)) *value.Native {
		return &value.Native{Name: "random." + name, Params: params, Precise: true, Changes: true, Call: func(t *value.Thread, a *value.Args) (value.Value, error) {
			d, ok := a.Pos[0].Obj.(*Dice)
			if !ok {
				return value.Value{}, t.Raise(t.Types.TypeError, "%s needs a generator", name)
			}
			d.label = t.Join(d.label, t.PC)
			for _, x := range a.Pos[1:] {
				d.label = t.Join(d.label, x.Label)
			}
			v, err := f(t, d, a)
			v.Label = t.Join(v.Label, t.Join(a.Pos[0].Label, d.label))
			return v, err
		}}
	}
	return []*value.Native{
		{Name: "random._dice", Params: "", Precise: true, Call: func(t *value.Thread, a *value.Args) (value.Value, error) {
			return value.Value{Kind: value.KSpecial, Obj: &Dice{}}, t.Alloc(diceBytes)
		}},
		n("_seed", "dice, seed, /", seedDice),
		n("_random", "dice, /", func(t *value.Thread, d *Dice, a *value.Args) (value.Value, error) {
			return value.Float(d.src.Random()), nil
		}),
		n("_bits", "dice, k, /", func(t *value.Thread, d *Dice, a *value.Args) (value.Value, error) {
			k := a.Pos[1].N
			if k > random.MaxBits {
				return value.Value{}, t.OutOfMemory(k / 8)
			}
			if err := t.Alloc(k / 8); err != nil {
				return value.Value{}, err
			}
			if err := t.Step(k / 512); err != nil {
				return value.Value{}, err
			}
			b, err := d.src.GetRandBits(int(k))
			if err != nil {
				return value.Value{}, t.Raise(t.Types.ValueError, "%v", err)
			}
			return value.BigInt(b), nil
		}),
		n("_below", "dice, n, /", func(t *value.Thread, d *Dice, a *value.Args) (value.Value, error) {
			switch x := a.Pos[1]; x.Kind {
			case value.KInt, value.KBool:
				return value.BigInt(new(big.Int).SetUint64(d.src.Below(uint64(max(x.N, 0))))), nil
			case value.KBig:
				b, err := d.src.RandBelow(x.Obj.(*value.Big).Int)
				if err != nil {
					return value.Value{}, t.Raise(t.Types.ValueError, "%v", err)
				}
				return value.BigInt(b), t.Alloc(int64(b.BitLen() / 8))
			}
			return value.Value{}, t.Raise(t.Types.TypeError, "a limit must be an int")
		}),
		// _touch says that how often the generator is asked depends on x.
		n("_touch", "dice, x, /", func(*value.Thread, *Dice, *value.Args) (value.Value, error) { return value.None, nil }),
	}
}

// seedDice seeds a generator with an int, a str or bytes, or with None: then the
// seed of the run counts, and how many were seeded so before.
func seedDice(t *value.Thread, d *Dice, a *value.Args) (value.Value, error) {
	d.label = t.Join(a.Pos[1].Label, t.PC)
	switch x := a.Pos[1]; x.Kind {
	case value.KNone:
		n := new(big.Int).SetUint64(t.Seeds)
		n.Lsh(n, 64)
		d.src.Seed(n.Add(n, new(big.Int).SetUint64(t.Seed)))
		t.Change(0)
		d.label = t.Join(d.label, t.State)
		t.Seeds++
	case value.KInt, value.KBool:
		d.src.Seed(big.NewInt(x.N))
	case value.KBig:
		d.src.Seed(x.Obj.(*value.Big).Int)
	case value.KStr:
		d.src.SeedBytes([]byte(x.Obj.(*value.Str).Text))
	case value.KBytes:
		d.src.SeedBytes([]byte(x.Obj.(*value.Bytes).Data))
	default:
		return value.Value{}, t.Raise(t.Types.TypeError, "the seed has the wrong type")
	}
	return value.None, nil
}
