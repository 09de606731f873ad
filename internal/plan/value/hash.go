package value

import (
	"hash/fnv"
	"math"
	"math/big"
	"math/bits"

	"praxis/internal/plan/python/pytext"
)

// The hashes of numbers and tuples are CPython's own, so that the order of a set
// of them is the same there and here.

const hashNone = 0xfca86420

// hashResult keeps -1 free, as CPython does.
func hashResult(h int64) uint64 {
	if h == -1 {
		h = -2
	}
	return uint64(h)
}

// HashInt is the hash of an int.
func HashInt(n int64) uint64 { return uint64(pytext.HashInt(n)) }

func hashBig(n *big.Int) uint64 { return uint64(pytext.HashBig(n)) }

// HashStr returns the hash of a string object and remembers it.
func HashStr(s *Str) uint64 {
	if s.hash == 0 {
		s.hash = hashString(s.Text)
	}
	return s.hash
}

// hashString is FNV-1a: what CPython has for a string differs from run to run.
func hashString(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return hashResult(int64(h))
}

// hashText is HashStr, and accounts for the work.
func (t *Thread) hashText(s *Str) (uint64, error) {
	if s.hash == 0 && len(s.Text) > 64 {
		if err := t.Step(int64(len(s.Text)) / 32); err != nil {
			return 0, err
		}
	}
	return HashStr(s), nil
}

// Hash returns the hash of v and sees all that it depends on.
func (t *Thread) Hash(v Value) (uint64, error) {
	t.See(v.Label)
	switch v.Kind {
	case KStr:
		return t.hashText(v.Obj.(*Str))
	case KInt, KBool:
		return HashInt(v.N), nil
	case KFloat:
		return uint64(pytext.HashFloat(v.Float())), nil
	case KNone:
		return hashNone, nil
	case KBig:
		return hashBig(v.Obj.(*Big).Int), nil
	case KBytes:
		b := v.Obj.(*Bytes).Data
		return hashString(b), t.Step(int64(len(b)) / 32)
	case KTuple:
		if err := t.Mixed(v.Obj.(*Tuple).Items); err != nil {
			return 0, err
		}
		return t.hashItems(v.Obj.(*Tuple).Items)
	case KSet:
		if s := v.Obj.(*Set); s.Frozen {
			return t.hashSet(s)
		}
	case KObject, KSpecial:
		return t.hashObject(v)
	case KList, KDict:
	case KView:
		if v.Obj.(*View).Kind == ViewValues {
			return hashResult(int64(t.Identity(v))), nil
		}
	default:
		return hashResult(int64(t.Identity(v))), nil
	}
	return 0, t.unhashable(v)
}

func (t *Thread) unhashable(v Value) error {
	return t.Raise(t.Types.TypeError, "unhashable type: '%s'", t.ClassName(v))
}

// hashObject is hash of an instance: what its class says, or its identity.
func (t *Thread) hashObject(v Value) (uint64, error) {
	fn, ok := t.Override(v, "__hash__")
	if !ok {
		if b := t.Base(v); b.Kind != v.Kind {
			if b.Kind == KList || b.Kind == KDict || b.Kind == KSet && !b.Obj.(*Set).Frozen {
				return 0, t.unhashable(v)
			}
			return t.Hash(b)
		}
		return hashResult(int64(t.Identity(v))), nil
	}
	if fn.Kind == KNone {
		return 0, t.unhashable(v)
	}
	r, _, err := t.OwnAs(v, "__hash__", KInt, "__hash__ method should return an integer")
	if t.Hooks && r.Label != 0 {
		t.Stick(r.Label) // with which others it is compared
	}
	if r.Kind == KBig {
		return hashBig(r.Obj.(*Big).Int), err
	}
	return hashResult(r.N), err
}

// hashItems is the hash of a tuple.
func (t *Thread) hashItems(items []Value) (uint64, error) {
	if err := t.Enter(" while hashing"); err != nil {
		return 0, err
	}
	defer t.Leave()
	if err := t.Step(1 + int64(len(items))/4); err != nil {
		return 0, err
	}
	const p1, p2, p5 = 11400714785074694791, 14029467366897019727, 2870177450012600261
	acc := uint64(p5)
	for _, x := range items {
		h, err := t.Hash(x)
		if err != nil {
			return 0, err
		}
		acc = bits.RotateLeft64(acc+h*p2, 31) * p1
	}
	acc += uint64(len(items)) ^ (p5 ^ 3527539)
	if acc == math.MaxUint64 {
		return 1546275796, nil
	}
	return acc, nil
}

func (t *Thread) hashSet(s *Set) (uint64, error) {
	t.See(s.Shape)
	if err := t.Step(int64(len(s.Table)) / 2); err != nil {
		return 0, err
	}
	var h uint64
	for i := range s.Table {
		if e := &s.Table[i]; e.Key.Kind != KUnset {
			h ^= (e.hash ^ 89869747 ^ e.hash<<16) * 3644798167
		}
	}
	h ^= (uint64(s.Used) + 1) * 1927868237
	h ^= h>>11 ^ h>>25
	h = h*69069 + 907133923
	if h == math.MaxUint64 {
		h = 590923713
	}
	return h, nil
}

// Identity is what hash and repr show in place of the address of v's object. All
// objects of a kind share it: numbers in the order of creation or of use would
// show how many there were before, which may depend on data that nothing labels.
func (t *Thread) Identity(v Value) uint64 {
	if v.Obj == nil {
		return uint64(v.N)*31 + uint64(v.Kind)
	}
	name := ""
	switch o := v.Obj.(type) {
	case *Class:
		name = "class " + o.Module + "." + o.Qual
	case *Func:
		name = "function " + o.Qual
	case *Native:
		name = "function " + o.Name
	default:
		cls := t.ClassOf(v)
		name = cls.Module + "." + cls.Qual
	}
	h := fnv.New32a()
	h.Write([]byte(name))
	return uint64(h.Sum32())
}

// Number is a number that v's object alone has. Only the library sees it, which
// shows it to nobody: it would tell how many others were asked before.
func (t *Thread) Number(v Value) uint64 {
	if v.Obj == nil {
		return t.Identity(v)
	}
	n, ok := t.ids[v.Obj]
	if !ok {
		if t.ids == nil {
			t.ids = map[Object]uint64{}
		}
		n = uint64(len(t.ids)) + 1
		t.ids[v.Obj] = n
	}
	return n
}
