package vm

import (
	"math/big"

	"praxis/internal/plan/label"
	"praxis/internal/plan/random"
)

// Dice is the generator behind a random.Random of the library.
type Dice struct {
	src   random.Source
	label label.ID // what the numbers depend on: the seed, and in strict mode who drew
}

func (d *Dice) class(t *Thread) *Class { return t.types.Object }

const diceBytes = 2600

// randomNatives are the generator's own operations; all else of module random is
// written in the plan language.
func randomNatives() []*Native {
	n := func(name, params string, f func(t *Thread, d *Dice, a *Args) (Value, error)) *Native {
		return &Native{name: "random." + name, params: params, precise: true, call: func(t *Thread, a *Args) (Value, error) {
			d, ok := a.Pos[0].o.(*Dice)
			if !ok {
				return Value{}, t.raise(t.types.TypeError, "%s needs a generator", name)
			}
			d.label = t.join(d.label, t.pc)
			v, err := f(t, d, a)
			v.l = t.join(v.l, t.join(a.Pos[0].l, d.label))
			for _, x := range a.Pos[1:] {
				v.l = t.join(v.l, x.l)
			}
			return v, err
		}}
	}
	return []*Native{
		{name: "random._dice", params: "", precise: true, call: func(t *Thread, a *Args) (Value, error) {
			return Value{k: kSpecial, o: &Dice{}}, t.alloc(diceBytes)
		}},
		n("_seed", "dice, seed, /", seedDice),
		n("_random", "dice, /", func(t *Thread, d *Dice, a *Args) (Value, error) {
			return floatValue(d.src.Random()), nil
		}),
		n("_bits", "dice, k, /", func(t *Thread, d *Dice, a *Args) (Value, error) {
			k := a.Pos[1].n
			if k > random.MaxBits {
				return Value{}, t.OutOfMemory(k / 8)
			}
			if err := t.alloc(k / 8); err != nil {
				return Value{}, err
			}
			if err := t.step(k / 512); err != nil {
				return Value{}, err
			}
			b, err := d.src.GetRandBits(int(k))
			if err != nil {
				return Value{}, t.raise(t.types.ValueError, "%v", err)
			}
			return bigValue(b), nil
		}),
		n("_below", "dice, n, /", func(t *Thread, d *Dice, a *Args) (Value, error) {
			switch x := a.Pos[1]; x.k {
			case kInt, kBool:
				return bigValue(new(big.Int).SetUint64(d.src.Below(uint64(max(x.n, 0))))), nil
			case kBig:
				b, err := d.src.RandBelow(x.o.(*Big).v)
				if err != nil {
					return Value{}, t.raise(t.types.ValueError, "%v", err)
				}
				return bigValue(b), t.alloc(int64(b.BitLen() / 8))
			}
			return Value{}, t.raise(t.types.TypeError, "a limit must be an int")
		}),
		n("_state", "dice, /", diceState),
		n("_set_state", "dice, state, /", setDiceState),
	}
}

// seedDice seeds a generator with an int, a str or bytes, or with None: then the
// seed of the run counts, and how many were seeded so before.
func seedDice(t *Thread, d *Dice, a *Args) (Value, error) {
	d.label = t.join(a.Pos[1].l, t.pc)
	switch x := a.Pos[1]; x.k {
	case kNone:
		n := new(big.Int).SetUint64(t.seeds)
		n.Lsh(n, 64)
		d.src.Seed(n.Add(n, new(big.Int).SetUint64(t.seed)))
		t.seeds++
	case kInt, kBool:
		d.src.Seed(big.NewInt(x.n))
	case kBig:
		d.src.Seed(x.o.(*Big).v)
	case kStr:
		d.src.SeedBytes([]byte(x.o.(*Str).s))
	case kBytes:
		d.src.SeedBytes([]byte(x.o.(*Bytes).b))
	default:
		return Value{}, t.raise(t.types.TypeError, "the seed has the wrong type")
	}
	return none, nil
}

func diceState(t *Thread, d *Dice, a *Args) (Value, error) {
	st := d.src.State()
	items := make([]Value, 0, len(st.Words)+1)
	for _, w := range st.Words {
		items = append(items, intValue(int64(w)))
	}
	items = append(items, intValue(int64(st.Index)))
	return t.tuple(items), t.alloc(int64(len(items)) * valueBytes)
}

func setDiceState(t *Thread, d *Dice, a *Args) (Value, error) {
	tu, ok := a.Pos[1].o.(*Tuple)
	var st random.State
	if !ok || len(tu.items) != len(st.Words)+1 {
		return Value{}, t.raise(t.types.ValueError, "state vector is the wrong size")
	}
	l := t.join(a.Pos[1].l, t.pc)
	for i, x := range tu.items {
		if x.k != kInt || x.n < 0 || x.n > 1<<32-1 {
			return Value{}, t.raise(t.types.TypeError, "an integer is required")
		}
		l = t.join(l, x.l)
		if i < len(st.Words) {
			st.Words[i] = uint32(x.n)
		} else {
			st.Index = uint32(x.n)
		}
	}
	if err := d.src.SetState(st); err != nil {
		return Value{}, t.raise(t.types.ValueError, "%v", err)
	}
	d.label = l
	return none, nil
}
