package check

import (
	"praxis/internal/plan/syntax"
	"praxis/internal/plan/value"
)

// binary is what an operator makes of two values.
func (f *frame) binary(op syntax.Operator, a, b val, n syntax.Node) val {
	f.raises(union(a.may, b.may))
	f.risks(a, b)
	fl := f.operands(op, a, b, n)
	f.hook(a, b)
	out := val{}
	if a.objs == nil && b.objs == nil || a.fl&scalar != 0 && b.fl&scalar != 0 {
		out = plain(union(a.may, b.may), union(a.must, b.must))
		out.fl = reached | fl
	}
	if a.objs == nil && b.objs == nil {
		out.k = fold(op, a.k, b.k)
		return out
	}
	if op == syntax.Mod && a.fl&scalar != 0 {
		l := union(a.may, f.textOf(b, n).may)
		if f.mayRun(b) {
			f.stay(l) // which of them are asked for text
		}
		out = join(out, plain(l, a.must))
	}
	names := value.Operators[op]
	out = join(out, f.special(a, names.Plain, args{site: n, pos: []val{b}}))
	out = join(out, f.special(b, names.Reflected, args{site: n, pos: []val{a}}))
	out = join(out, f.combine(op, a, b, n))
	by := union(a.may, b.may)
	if op == syntax.Mult { // how often a sequence is repeated
		by = union(by, f.a.deep(join(f.special(a, "__index__", args{site: n}), f.special(b, "__index__", args{site: n}))))
	}
	out = join(out, f.opaqueOperands(n, a, b))
	if out.bottom() {
		out.fl = reached | fl
	}
	return out.with(by)
}

// fold computes what is simple.
func fold(op syntax.Operator, a, b *konst) *konst {
	if op != syntax.Add || a == nil || b == nil {
		return nil
	}
	if a.Kind == syntax.Str && b.Kind == syntax.Str && len(a.Str)+len(b.Str) < 1<<16 {
		return constantOf(a.Str + b.Str)
	}
	if a.Kind == syntax.Int && b.Kind == syntax.Int && a.Big == nil && b.Big == nil {
		if z := a.Int + b.Int; (z > a.Int) == (b.Int > 0) {
			return constantOf(z)
		}
	}
	return nil
}

// combine makes the container that an operator makes of containers.
func (f *frame) combine(op syntax.Operator, a, b val, n syntax.Node) val {
	var kinds [oWrap + 1]bool
	var elem, keys val
	shape := union(a.may, b.may)
	sets := false
	for _, v := range [2]val{a, b} {
		for o := range v.objs.each {
			switch o.kind {
			case oList, oTuple, oSet:
				kinds[o.kind] = true
				elem = join(elem, f.elements(o, v, n))
				sets = sets || o.kind == oSet
			case oDict:
				kinds[oDict] = true
				elem = join(elem, f.a.contents(o))
				keys = join(keys, o.dictKeys())
				sets = true
			case oData:
				kinds[oList], kinds[oDict] = true, kinds[oDict] || op == syntax.BitOr
				elem = join(elem, f.elements(o, v, n))
				keys = join(keys, plain(f.a.dataOwn(o), nil))
			case oIter: // views of dicts are sets
				kinds[oSet] = true
				elem = join(elem, f.a.contents(o))
				sets = true
			case oClass, oNative, oFunc: // int | str
				return plain(shape, nil)
			}
			shape = union(shape, o.shape)
		}
	}
	if sets {
		shape = union(shape, union(f.compares(n, a, b), f.a.deep(elem)))
	}
	var out val
	for _, kind := range [...]okind{oList, oTuple, oSet, oDict} {
		if !kinds[kind] {
			continue
		}
		r := f.copyOf(kind, n, shape, elem)
		if kind == oDict {
			f.a.grow(&f.a.objects[r.objs.ids[0]].keys, keys)
		}
		out = join(out, r)
	}
	if kinds[oList] && a.fl&scalar != 0 || kinds[oList] && b.fl&scalar != 0 {
		out = join(out, plain(shape, nil))
	}
	return out
}

// opaqueOperands is what operators make of opaque objects: something opaque.
func (f *frame) opaqueOperands(n syntax.Node, vs ...val) val {
	var in []val
	for _, v := range vs {
		for o := range v.objs.each {
			if o.kind == oOpaque || o.kind == oInst && len(o.of.class.nativeAll()) > 0 {
				in = vs
			}
		}
	}
	if in == nil {
		return val{}
	}
	return f.opaque(n, "operator", false, in...)
}

// inplace analyses x += y and the like.
func (f *frame) inplace(n *syntax.AugAssign, old, v val) val {
	a := f.a
	f.hook(old, v)
	f.touch(old, "")
	var out val
	by := union(union(old.may, v.may), f.pc)
	for o := range old.objs.each {
		self := ref(o).with(by)
		switch o.kind {
		case oList:
			if n.Op == syntax.Mult {
				a.shuffle(o, by)
				a.grow(&o.elem, a.contents(o))
			} else {
				f.extend(o, v, n)
			}
			out = join(out, self)
		case oSet:
			el := f.iterate(v, n)
			a.grow(&o.elem, el)
			a.growLab(&o.shape, union(by, union(a.deep(el), f.compares(n, old, v))))
			out = join(out, self)
		case oDict:
			f.update(o, v, n)
			out = join(out, self)
		case oData:
			el := f.iterate(v, n)
			a.grow(&o.elem, el)
			a.growLab(&o.shape, union(by, el.may))
			if n.Op == syntax.BitOr {
				f.update(o, v, n)
			}
			out = join(out, self)
		case oOpaque:
			out = join(join(out, self), f.opaque(n, "operator", true, self, v))
		case oInst:
			r, _ := f.specialOf(o, value.Operators[n.Op].Inplace, self, args{site: n, pos: []val{v}})
			out = join(out, r)
			if len(o.of.class.nativeAll()) > 0 {
				out = join(join(out, self), f.opaque(n, "operator", true, self, v))
			}
		}
	}
	return join(out, f.binary(n.Op, old, v, n)).with(old.may)
}

// extend puts the elements of v at the end of a list.
func (f *frame) extend(o *object, v val, n syntax.Node) {
	el := f.iterate(v, n)
	f.a.grow(&o.elem, el.with(f.pc))
	f.a.growLab(&o.shape, union(union(v.may, f.lengthOf(v)), f.pc))
}
