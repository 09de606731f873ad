package compile

import "praxis/internal/plan/bytecode"

// effect is how much an instruction adds to the stack when it does not jump;
// its comment in package bytecode says so in detail.
func effect(op bytecode.Op, arg, word int) int {
	switch op {
	case bytecode.Call, bytecode.CallKw, bytecode.MakeClass, bytecode.Raise, bytecode.AssertError:
		return -arg
	case bytecode.CallMethod, bytecode.CallMethodKw, bytecode.CallEx:
		return -arg - 1
	case bytecode.BuildTuple, bytecode.BuildList, bytecode.BuildSet, bytecode.BuildString, bytecode.BuildSlice:
		return 1 - arg
	case bytecode.BuildMap:
		return 1 - 2*arg
	case bytecode.UnpackSequence:
		return arg - 1
	case bytecode.UnpackEx:
		return arg&0xfff + arg>>12
	case bytecode.Format:
		return -(arg >> 2 & 1)
	}
	return int(plainEffects[op])
}

// plainEffects are those that do not depend on the argument. The cells that
// MakeFunction takes are counted in builder.makeFunction.
var plainEffects = [bytecode.Count]int8{
	bytecode.LoadConst: 1, bytecode.LoadInt: 1, bytecode.LoadNone: 1, bytecode.MakeFunction: 1,
	bytecode.LoadFast: 1, bytecode.LoadFastCheck: 1, bytecode.StoreFast: -1,
	bytecode.LoadDeref: 1, bytecode.StoreDeref: -1, bytecode.LoadCell: 1,
	bytecode.LoadGlobal: 1, bytecode.StoreGlobal: -1, bytecode.LoadName: 1, bytecode.StoreName: -1,
	bytecode.Pop: -1, bytecode.Dup: 1, bytecode.Dup2: 2,
	bytecode.Add: -1, bytecode.Sub: -1, bytecode.Mul: -1, bytecode.FloorDiv: -1, bytecode.Mod: -1, bytecode.Binary: -1, bytecode.Inplace: -1, bytecode.Compare: -1,
	bytecode.Subscr: -1, bytecode.StoreSubscr: -3, bytecode.DeleteSubscr: -2,
	bytecode.StoreAttr: -2, bytecode.DeleteAttr: -1, bytecode.LoadSuperAttr: -1, bytecode.LoadMethod: 1,
	bytecode.JumpFalse: -1, bytecode.JumpTrue: -1, bytecode.JumpFalseKeep: -1, bytecode.JumpTrueKeep: -1, bytecode.JumpNone: -1, bytecode.JumpNotNone: -1,
	bytecode.ForIter: 1, bytecode.PopIter: -1,
	bytecode.ListAppend: -1, bytecode.SetAdd: -1, bytecode.MapAdd: -2, bytecode.ListExtend: -1, bytecode.SetUpdate: -1, bytecode.DictUpdate: -1, bytecode.DictMerge: -1, bytecode.ArgsExtend: -1,
	bytecode.Return: -1, bytecode.YieldFrom: -1,
	bytecode.Reraise: -1, bytecode.PushExc: 1, bytecode.PopExc: -1, bytecode.WithEnter: 1, bytecode.WithExcept: 1,
	bytecode.MatchSequence: 1, bytecode.MatchKeys: -1, bytecode.MatchClass: -1,
	bytecode.Import: 1, bytecode.ImportFrom: 1,
}
