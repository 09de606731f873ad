package vm

import (
	"math"

	"praxis/internal/plan/bytecode"
	"praxis/internal/plan/syntax"
	"praxis/internal/plan/value"
)

// run executes instructions until the frame that it was called for returns
// to Go, a tool is called (errHost) or something fails that no handler catches.
//
// It is one switch: what is frequent is done here, on integers, floats and
// caches; the rest is in [VM.rare]. Operands are addressed in the window of the
// frame, so that arithmetic changes them in place.
func (vm *VM) run() error {
	var (
		t      = &vm.t
		f      *Frame
		code   []bytecode.Instr
		st     []value.Value
		consts []value.Value
		sp, ip int
		err    error
		in     bytecode.Instr
		v      value.Value
		x, y   *value.Value
		op     syntax.Operator
	)
reload:
	f = vm.frames[vm.depth]
	code, st, consts = f.code.Instrs, f.st, f.code.Consts
	sp, ip = f.sp, f.ip
next:
	in = code[ip]
	ip++
	switch bytecode.Op(in) {
	case bytecode.Nop:

	case bytecode.LoadConst:
		st[sp] = consts[in>>8]
		sp++
	case bytecode.LoadInt:
		st[sp] = value.Value{Kind: value.KInt, N: int64(in >> 8)}
		sp++
	case bytecode.LoadNone:
		st[sp] = value.None
		sp++
	case bytecode.LoadFast:
		st[sp] = st[in>>8]
		sp++
	case bytecode.LoadFastCheck:
		if st[in>>8].Kind == value.KUnset {
			err = vm.unbound(f, in.Arg())
			goto fail
		}
		st[sp] = st[in>>8]
		sp++
	case bytecode.StoreFast:
		sp--
		st[in>>8] = st[sp]
	case bytecode.ClearFast:
		st[in>>8] = value.Value{}
	case bytecode.LoadDeref:
		v = st[in>>8].Obj.(*value.Cell).Val
		if v.Kind == value.KUnset {
			err = vm.unbound(f, in.Arg())
			goto fail
		}
		st[sp] = v
		sp++
	case bytecode.StoreDeref:
		sp--
		st[in>>8].Obj.(*value.Cell).Val = st[sp]
	case bytecode.LoadGlobal:
		s := &f.run.Sites[in>>8]
		g := &f.fn.Globals.Names
		switch {
		case s.Kind == value.SiteGlobal && s.Ver == g.Version:
			st[sp] = g.Entries[s.Pos].Val
		case s.Kind == value.SiteBuiltin && s.Ver == g.Version:
			st[sp] = s.Val
		default:
			if v, err = vm.loadGlobal(f, in.Arg()); err != nil {
				goto fail
			}
			st[sp] = v
		}
		sp++
	case bytecode.StoreGlobal:
		s := &f.run.Sites[in>>8]
		g := &f.fn.Globals.Names
		sp--
		if s.Kind == value.SiteGlobal && s.Ver == g.Version {
			g.Entries[s.Pos].Val = st[sp]
		} else {
			f.ip, f.sp = ip, sp
			if err = vm.storeGlobal(f, in.Arg(), st[sp]); err != nil {
				goto fail
			}
		}

	case bytecode.Pop:
		sp--
	case bytecode.Dup:
		st[sp] = st[sp-1]
		sp++
	case bytecode.Dup2:
		st[sp], st[sp+1] = st[sp-2], st[sp-1]
		sp += 2
	case bytecode.Swap:
		i := sp - in.Arg()
		st[sp-1], st[i] = st[i], st[sp-1]
	case bytecode.Rotate:
		i := sp - in.Arg()
		v = st[sp-1]
		copy(st[i+1:sp], st[i:sp-1])
		st[i] = v

	case bytecode.LoadFastFast:
		a, b := in.Pair()
		st[sp] = st[a]
		st[sp+1] = st[b]
		sp += 2
	case bytecode.LoadFastConst:
		a, b := in.Pair()
		st[sp] = st[a]
		st[sp+1] = consts[b]
		sp += 2
	case bytecode.StoreLoadFast:
		a, b := in.Pair()
		st[a] = st[sp-1]
		st[sp-1] = st[b]
	case bytecode.StoreStore:
		a, b := in.Pair()
		sp -= 2
		st[a] = st[sp+1]
		st[b] = st[sp]

	case bytecode.Add:
		x, y = &st[sp-2], &st[sp-1]
		if x.Kind == value.KInt && y.Kind == value.KInt {
			if s := x.N + y.N; (s > x.N) == (y.N > 0) {
				x.N = s
				goto computed
			}
		} else if x.Kind == value.KFloat && y.Kind == value.KFloat {
			x.N = int64(math.Float64bits(x.Float() + y.Float()))
			goto computed
		}
		op = syntax.Add
		goto binary
	case bytecode.Sub:
		x, y = &st[sp-2], &st[sp-1]
		if x.Kind == value.KInt && y.Kind == value.KInt {
			if s := x.N - y.N; (s < x.N) == (y.N > 0) {
				x.N = s
				goto computed
			}
		} else if x.Kind == value.KFloat && y.Kind == value.KFloat {
			x.N = int64(math.Float64bits(x.Float() - y.Float()))
			goto computed
		}
		op = syntax.Sub
		goto binary
	case bytecode.Mul:
		x, y = &st[sp-2], &st[sp-1]
		if x.Kind == value.KInt && y.Kind == value.KInt && uint64(x.N+1<<31) < 1<<32 && uint64(y.N+1<<31) < 1<<32 {
			x.N *= y.N
			goto computed
		} else if x.Kind == value.KFloat && y.Kind == value.KFloat {
			x.N = int64(math.Float64bits(x.Float() * y.Float()))
			goto computed
		}
		op = syntax.Mult
		goto binary
	case bytecode.FloorDiv:
		x, y = &st[sp-2], &st[sp-1]
		if x.Kind == value.KInt && y.Kind == value.KInt && y.N > 0 {
			q := x.N / y.N
			if x.N%y.N < 0 {
				q--
			}
			x.N = q
			goto computed
		}
		op = syntax.FloorDiv
		goto binary
	case bytecode.Mod:
		x, y = &st[sp-2], &st[sp-1]
		if x.Kind == value.KInt && y.Kind == value.KInt && y.N > 0 {
			if x.N %= y.N; x.N < 0 {
				x.N += y.N
			}
			goto computed
		}
		op = syntax.Mod
		goto binary
	case bytecode.Binary:
		op = syntax.Operator(in >> 8)
		goto binary
	case bytecode.Inplace:
		x, y = &st[sp-2], &st[sp-1]
		if x.Kind == value.KInt && y.Kind == value.KInt {
			switch syntax.Operator(in >> 8) {
			case syntax.Add:
				if s := x.N + y.N; (s > x.N) == (y.N > 0) {
					x.N = s
					goto computed
				}
			case syntax.Sub:
				if s := x.N - y.N; (s < x.N) == (y.N > 0) {
					x.N = s
					goto computed
				}
			}
		}
		f.ip, f.sp = ip, sp
		if v, err = t.Inplace(syntax.Operator(in>>8), *x, *y); err != nil {
			goto raise
		}
		sp--
		st[sp-1] = v
	case bytecode.Unary:
		f.ip, f.sp = ip, sp
		if v, err = t.Unary(syntax.UnaryOperator(in>>8), st[sp-1]); err != nil {
			goto raise
		}
		st[sp-1] = v
	case bytecode.Not, bytecode.Truth:
		x := &st[sp-1]
		if x.Kind != value.KBool {
			f.ip, f.sp = ip, sp
			if v, err = vm.truthValue(*x); err != nil {
				goto raise
			}
			*x = v
		}
		if bytecode.Op(in) == bytecode.Not {
			x.N ^= 1
		}
	case bytecode.Compare:
		f.ip, f.sp = ip, sp
		if v, err = t.Compare(syntax.CmpOperator(in>>8), st[sp-2], st[sp-1]); err != nil {
			goto raise
		}
		sp--
		st[sp-1] = v

	case bytecode.AddFastConst, bytecode.SubFastConst:
		a, b := in.Pair()
		x, y = &st[a], &consts[b]
		op = syntax.Add
		if bytecode.Op(in) == bytecode.SubFastConst {
			op = syntax.Sub
		}
		if x.Kind == value.KInt && y.Kind == value.KInt {
			n := y.N
			if op == syntax.Sub {
				n = -n
			}
			if s := x.N + n; n != math.MinInt64 && (s > x.N) == (n > 0) {
				st[sp] = value.Value{Kind: value.KInt, N: s, Label: x.Label}
				sp++
				goto next
			}
		}
		f.ip, f.sp = ip, sp
		if v, err = t.Binary(op, *x, *y); err != nil {
			goto raise
		}
		st[sp] = v
		sp++
	case bytecode.IncrFastConst:
		a, b := in.Pair()
		x, y := &st[a], &consts[b]
		if x.Kind == value.KInt && y.Kind == value.KInt {
			if s := x.N + y.N; (s > x.N) == (y.N > 0) {
				x.N = s
				goto next
			}
		}
		f.ip, f.sp = ip, sp
		if v, err = t.Inplace(syntax.Add, *x, *y); err != nil {
			goto raise
		}
		st[a] = v
	case bytecode.InplaceAddFast:
		a, b := in.Pair()
		x, y := &st[a], &st[b]
		if x.Kind == value.KInt && y.Kind == value.KInt {
			if s := x.N + y.N; (s > x.N) == (y.N > 0) {
				x.N = s
				if x.Label|y.Label != 0 {
					x.Label = t.Join(x.Label, y.Label)
				}
				goto next
			}
		} else if x.Kind == value.KFloat && y.Kind == value.KFloat {
			x.N = int64(math.Float64bits(x.Float() + y.Float()))
			if x.Label|y.Label != 0 {
				x.Label = t.Join(x.Label, y.Label)
			}
			goto next
		}
		f.ip, f.sp = ip, sp
		if v, err = t.Inplace(syntax.Add, *x, *y); err != nil {
			goto raise
		}
		st[a] = v
	case bytecode.SubscrFastFast:
		a, b := in.Pair()
		x, y := &st[a], &st[b]
		if x.Kind == value.KList && y.Kind == value.KInt {
			if l := x.Obj.(*value.List); uint64(y.N) < uint64(len(l.Items)) {
				st[sp] = l.Items[y.N]
				if j := x.Label | y.Label | l.Shape; j != 0 {
					j = t.Join(x.Label, t.Join(l.Shape, y.Label))
					t.Choose(&st[sp], j, *x)
					st[sp].Label = t.Join(st[sp].Label, j)
				}
				sp++
				goto next
			}
		}
		f.ip, f.sp = ip, sp
		if v, err = t.GetItem(*x, *y); err != nil {
			goto raise
		}
		st[sp] = v
		sp++
	case bytecode.Subscr:
		x, y := &st[sp-2], &st[sp-1]
		if x.Kind == value.KList && y.Kind == value.KInt {
			if l := x.Obj.(*value.List); uint64(y.N) < uint64(len(l.Items)) {
				j := x.Label | y.Label | l.Shape
				if j != 0 {
					j = t.Join(t.Join(x.Label, y.Label), l.Shape)
				}
				sp--
				if j != 0 {
					t.Choose(&l.Items[y.N], j, *x)
				}
				*x = l.Items[y.N]
				if j != 0 {
					x.Label = t.Join(x.Label, j)
				}
				goto next
			}
		}
		f.ip, f.sp = ip, sp
		if v, err = t.GetItem(*x, *y); err != nil {
			goto raise
		}
		sp--
		st[sp-1] = v
	case bytecode.StoreSubscr:
		f.ip, f.sp = ip, sp
		x, i := &st[sp-2], &st[sp-1]
		if x.Kind == value.KList && i.Kind == value.KInt && x.Label|i.Label|t.PC == 0 && len(t.Choices) == 0 {
			if l := x.Obj.(*value.List); uint64(i.N) < uint64(len(l.Items)) && l.Shape == 0 {
				l.Items[i.N] = st[sp-3]
				sp -= 3
				goto next
			}
		}
		if err = t.SetItem(*x, *i, st[sp-3]); err != nil {
			goto raise
		}
		sp -= 3

	case bytecode.LoadAttr:
		s := &f.run.Sites[in>>8]
		x, y = &st[sp-1], nil
		switch s.Kind {
		case value.SiteSlot:
			if o, ok := x.Obj.(*value.Instance); ok && o.Cls == s.Cls && s.Ver == vm.t.ClassVersion {
				if e := o.Attrs.Entries; int(s.Pos) < len(e) && sameName(&e[s.Pos].Key, s.Key) {
					y = &e[s.Pos].Val
					if x.Label != 0 && t.Hooks {
						t.Chosen(x.Label, value.Unknown)
					}
				}
			}
		case value.SiteModule:
			if m, ok := x.Obj.(*value.Module); ok && m == s.Mod && m.Names.Version == s.Ver {
				y = &m.Names.Entries[s.Pos].Val
			}
		case value.SiteClass:
			if c, ok := x.Obj.(*value.Class); ok && c == s.Cls && s.Ver == vm.t.ClassVersion {
				if e := s.Own.Attrs.Entries; int(s.Pos) < len(e) && sameName(&e[s.Pos].Key, s.Key) {
					y = &e[s.Pos].Val
				}
			}
		}
		if y != nil {
			l := x.Label
			*x = *y
			if l != 0 {
				x.Label = t.Join(x.Label, l)
			}
			goto next
		}
		f.ip, f.sp = ip, sp
		if err = vm.loadAttr(f, in.Arg()); err != nil {
			goto raise
		}
		goto reload
	case bytecode.StoreAttr:
		s := &f.run.Sites[in>>8]
		x := &st[sp-1]
		if s.Kind == value.SiteSlot && x.Label|t.PC == 0 {
			if o, ok := x.Obj.(*value.Instance); ok && o.Cls == s.Cls && s.Ver == vm.t.ClassVersion {
				if e := o.Attrs.Entries; int(s.Pos) < len(e) && sameName(&e[s.Pos].Key, s.Key) {
					sp -= 2
					e[s.Pos].Val = st[sp]
					goto next
				}
			}
		}
		if s.Kind == value.SiteAdd && x.Label|t.PC == 0 {
			if o, ok := x.Obj.(*value.Instance); ok && o.Cls == s.Cls && s.Ver == vm.t.ClassVersion {
				d := &o.Attrs
				if n := len(d.Entries); n == int(s.Pos) && n < cap(d.Entries) && n < value.SmallDict && !d.May(s.Hash) {
					sp -= 2
					d.Entries = d.Entries[:n+1]
					d.Entries[n] = value.Entry{Key: value.Value{Kind: value.KStr, Obj: s.Key}, Val: st[sp], Hash: s.Hash}
					d.Live++
					d.Version++
					goto next
				}
			}
		}
		f.ip, f.sp = ip, sp
		if err = vm.storeAttr(f, in.Arg()); err != nil {
			goto raise
		}
		goto reload
	case bytecode.LoadMethod:
		s := &f.run.Sites[in>>8]
		x := &st[sp-1]
		switch s.Kind {
		case value.SiteMethod:
			if o, ok := x.Obj.(*value.Instance); ok && o.Cls == s.Cls && s.Ver == vm.t.ClassVersion && !o.Attrs.May(s.Hash) && o.Attrs.Shape == 0 {
				st[sp] = *x
				*x = s.Val.With(x.Label)
				sp++
				goto next
			}
		case value.SiteNative:
			if x.Kind == s.Of {
				st[sp] = *x
				*x = s.Val
				sp++
				goto next
			}
		case value.SiteModule:
			if m, ok := x.Obj.(*value.Module); ok && m == s.Mod && m.Names.Version == s.Ver {
				l := x.Label
				*x = m.Names.Entries[s.Pos].Val
				if l != 0 {
					x.Label = t.Join(x.Label, l)
				}
				st[sp] = value.Value{}
				sp++
				goto next
			}
		}
		f.ip, f.sp = ip, sp
		if err = vm.loadMethod(f, in.Arg()); err != nil {
			goto raise
		}
		goto reload

	case bytecode.Jump:
		ip = in.Arg()
	case bytecode.JumpBack:
		n := in.Arg()
		t.Steps -= int64(ip - n)
		if ip = n; t.Steps < 0 {
			f.ip, f.sp = ip, sp
			if err = t.OutOfSteps(); err != nil {
				goto raise
			}
		}
	case bytecode.JumpFalse, bytecode.JumpTrue, bytecode.JumpFalseKeep, bytecode.JumpTrueKeep:
		o := bytecode.Op(in)
		x = &st[sp-1]
		r := x.N != 0
		if x.Kind != value.KBool {
			f.ip, f.sp = ip, sp
			if r, err = vm.truthJump(*x); err != nil {
				goto raise
			}
		} else if x.Label != 0 {
			f.decides(t, x.Label)
		}
		jumps := r == (o == bytecode.JumpTrue || o == bytecode.JumpTrueKeep)
		if jumps {
			ip = in.Arg()
		}
		if !jumps || o == bytecode.JumpFalse || o == bytecode.JumpTrue {
			sp--
		}
	case bytecode.JumpNone, bytecode.JumpNotNone:
		sp--
		if st[sp].Label != 0 {
			f.decides(t, st[sp].Label)
		}
		if (st[sp].Kind == value.KNone) == (bytecode.Op(in) == bytecode.JumpNone) {
			ip = in.Arg()
		}
	case bytecode.CompareJump, bytecode.CmpFastFast, bytecode.CmpFastConst:
		var x, y *value.Value
		var op int
		switch bytecode.Op(in) {
		case bytecode.CompareJump:
			op = in.Arg()
			x, y = &st[sp-2], &st[sp-1]
			sp -= 2
		case bytecode.CmpFastFast:
			var a, b int
			op, a, b = in.Triple()
			x, y = &st[a], &st[b]
		default:
			var a, b int
			op, a, b = in.Triple()
			x, y = &st[a], &consts[b]
		}
		to := int(code[ip])
		ip++
		var r bool
		if x.Kind == value.KInt && y.Kind == value.KInt {
			switch op & 7 {
			case 0:
				r = x.N == y.N
			case 1:
				r = x.N != y.N
			case 2:
				r = x.N < y.N
			case 3:
				r = x.N <= y.N
			case 4:
				r = x.N > y.N
			case 5:
				r = x.N >= y.N
			}
		} else {
			f.ip, f.sp = ip, sp
			if v, err = t.Compare(syntax.CmpOperator(op&7+1), *x, *y); err != nil {
				goto raise
			}
			if r = v.N != 0; v.Kind != value.KBool {
				if r, err = vm.truthJump(v); err != nil {
					goto raise
				}
			}
			x = &v
		}
		if x.Label|y.Label != 0 {
			f.decides(t, t.Join(x.Label, y.Label))
		}
		if r == (op&8 != 0) {
			ip = to
		}

	case bytecode.GetIter:
		x := &st[sp-1]
		f.ip, f.sp = ip, sp
		if x.Kind == value.KObject {
			if err = vm.getIter(f); err != nil {
				goto raise
			}
			goto reload
		}
		if v, err = t.Iter(*x); err != nil {
			goto raise
		}
		if v.Label != 0 {
			vm.goesOver(*x, v)
		}
		st[sp-1] = v
	case bytecode.ForIter, bytecode.ForIterFast:
		x := &st[sp-1]
		if it, ok := x.Obj.(*value.Iter); ok {
			var more bool
			switch {
			case it.Kind == value.IterRange:
				if more = it.N > 0; more {
					v = value.Value{Kind: value.KInt, N: it.At}
					it.At += it.Step
					it.N--
				}
			case it.Kind == value.IterList && it.Src.Kind == value.KList:
				l := it.Src.Obj.(*value.List)
				if more = it.At < int64(len(l.Items)); more {
					v = l.Items[it.At]
					it.At++
				} else {
					it.Src = value.Value{}
				}
			default:
				f.ip, f.sp = ip, sp
				if v, more, err = t.Advance(it); err != nil {
					goto raise
				}
			}
			if !more {
				if x.Label|it.Moved != 0 {
					f.decides(t, t.Join(x.Label, it.Moved))
				}
				sp--
				ip = in.Arg()
				goto next
			}
			if x.Label|it.Moved != 0 {
				v.Label = t.Join(v.Label, t.Join(x.Label, it.Moved))
			}
			if bytecode.Op(in) == bytecode.ForIterFast {
				st[code[ip]] = v
				ip++
			} else {
				st[sp] = v
				sp++
			}
			goto next
		}
		f.ip, f.sp = ip, sp
		if err = vm.forIter(f, in); err != nil {
			goto raise
		}
		goto reload
	case bytecode.PopIter:
		sp--

	case bytecode.BuildTuple, bytecode.BuildList:
		n := in.Arg()
		f.ip, f.sp = ip, sp
		if err = t.Alloc(int64(n+2) * value.ValueBytes); err != nil {
			goto raise
		}
		items := make([]value.Value, n)
		copy(items, st[sp-n:sp])
		sp -= n
		if bytecode.Op(in) == bytecode.BuildTuple {
			st[sp] = value.Value{Kind: value.KTuple, Obj: &value.Tuple{Items: items}}
		} else {
			st[sp] = value.Value{Kind: value.KList, Obj: &value.List{Items: items}}
		}
		sp++
	case bytecode.Format:
		if st[sp-1].Kind == value.KInt && in>>8 == 8 {
			goto next
		}
		f.ip, f.sp = ip, sp
		if err = vm.format(f, in.Arg()); err != nil {
			goto raise
		}
		sp = f.sp
	case bytecode.BuildString:
		n := in.Arg()
		f.ip, f.sp = ip, sp
		if v, err = vm.joinParts(st[sp-n : sp]); err != nil {
			goto raise
		}
		sp -= n
		st[sp] = v
		sp++
	case bytecode.ListAppend:
		sp--
		l := st[sp-in.Arg()].Obj.(*value.List)
		if len(l.Items) == cap(l.Items) {
			f.ip, f.sp = ip, sp+1
			if err = t.Alloc(int64(len(l.Items)+4) * value.ValueBytes); err != nil {
				goto raise
			}
		}
		l.Items = append(l.Items, st[sp])

	case bytecode.Call, bytecode.CallMethod:
		n := in.Arg()
		at := sp - 1 - n
		args := st[at+1 : sp]
		if bytecode.Op(in) == bytecode.CallMethod {
			at--
			if st[at+1].Kind != value.KUnset {
				args = st[at+1 : sp]
			}
		}
		switch x = &st[at]; x.Kind {
		case value.KFunc:
			fn := x.Obj.(*value.Func)
			if fn.Run.Fixed != len(args) {
				break
			}
			if t.Steps -= callSteps; t.Steps < 0 {
				f.ip, f.sp = ip, sp
				if err = t.OutOfSteps(); err != nil {
					goto raise
				}
			}
			f.ip, f.sp, f.high = ip, at, sp
			l := x.Label
			var g *Frame
			if g, err = vm.push(fn, retPush); err != nil {
				goto raise
			}
			copy(g.st, args)
			g.ret = l
			if l != 0 || fn.Run.Lib {
				self := value.Value{}
				if len(args) > n {
					self = args[0]
				}
				vm.called(g, f, self)
			}
			f, code, st, consts = g, g.code.Instrs, g.st, g.code.Consts
			sp, ip = g.sp, 0
			goto next
		case value.KClass:
			c := x.Obj.(*value.Class)
			m := c.Maker
			if m == nil || m.Ver != vm.t.ClassVersion || m.Fixed != len(args)+1 {
				break
			}
			if t.Steps -= 2 * callSteps; t.Steps < 0 {
				f.ip, f.sp = ip, sp
				if err = t.OutOfSteps(); err != nil {
					goto raise
				}
			}
			f.ip, f.sp, f.high = ip, at, sp
			l := x.Label
			chosen := l != 0 && vm.picks(*x, value.Value{})
			if v, err = vm.newInstance(c, m); err != nil {
				goto raise
			}
			v.Label = l
			var g *Frame
			if g, err = vm.push(m.Init, retInit); err != nil {
				goto raise
			}
			copy(g.st[1:], args)
			g.st[0] = v
			g.extra = v
			if chosen {
				vm.raise(g, t.PC, l)
			}
			f, code, st, consts = g, g.code.Instrs, g.st, g.code.Consts
			sp, ip = g.sp, 0
			goto next
		case value.KNative:
			f.ip, f.sp, f.high = ip, at, sp
			if x.Label != 0 && len(t.Choices) > 0 {
				vm.picks(*x, value.Value{})
			}
			v, err = vm.native(x.Obj.(*value.Native), value.Value{}, args, nil, nil, x.Label)
			if err == nil {
				sp = at + 1
				st[at] = v
				goto next
			}
			if err == value.ErrTail {
				if err = vm.again(retPush, value.Value{}); err == nil {
					goto reload
				}
			}
			goto raise
		}
		f.ip, f.sp, f.high = ip, at, sp
		if err = vm.invoke(*x, value.Value{}, args, nil, nil, retPush, value.Value{}); err != nil {
			goto raise
		}
		goto reload
	case bytecode.Return, bytecode.ReturnNone:
		if bytecode.Op(in) == bytecode.ReturnNone {
			v = value.None
		} else {
			v = st[sp-1]
		}
		if f.mode == retPush && f.gen == nil && !f.chosen || f.mode == retInit && v.Kind == value.KNone {
			if f.mode == retInit {
				v, f.extra = f.extra, value.Value{}
			}
			if f.ret != 0 {
				v.Label = t.Join(v.Label, f.ret)
			}
			vm.pop(f)
			f = vm.frames[vm.depth]
			code, st, consts = f.code.Instrs, f.st, f.code.Consts
			sp, ip = f.sp, f.ip
			st[sp] = v
			sp++
			goto next
		}
		f.ip, f.sp = ip, sp
		if err = vm.leave(f, v, false); err != nil {
			if err == errReturned {
				return nil
			}
			goto raise
		}
		goto reload
	case bytecode.Yield:
		f.ip, f.sp = ip, sp-1
		if err = vm.leave(f, st[sp-1], true); err != nil {
			if err == errReturned {
				return nil
			}
			goto raise
		}
		goto reload

	default:
		f.ip, f.sp = ip, sp
		if err = vm.rare(f, in); err != nil {
			if err == errReturned {
				return nil
			}
			goto raise
		}
		goto reload
	}
	goto next

computed: // x is the result of an operation with the operand at the top
	if x.Label|y.Label != 0 {
		x.Label = t.Join(x.Label, y.Label)
	}
	sp--
	goto next

binary: // op is done to the two operands at the top
	f.ip, f.sp = ip, sp
	if v, err = t.Binary(op, st[sp-2], st[sp-1]); err != nil {
		goto raise
	}
	sp--
	st[sp-1] = v
	goto next

fail:
	f.ip, f.sp = ip, sp
raise:
	if err = vm.unwind(err); err != nil {
		if err == errReturned {
			return nil
		}
		return err
	}
	goto reload
}

// sameName reports whether a key of a name space is this very string object.
func sameName(key *value.Value, name *value.Str) bool {
	s, ok := key.Obj.(*value.Str)
	return ok && s == name
}

// callSteps is what a call costs of the limit of steps.
const callSteps = 8
