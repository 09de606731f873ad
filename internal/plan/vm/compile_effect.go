package vm

// effect is how much an instruction adds to the stack when it does not jump;
// its comment in code.go says so in detail.
func effect(op Op, arg, word int) int {
	switch op {
	case opCall:
		return -arg
	case opCallMethod:
		return -arg - 1
	case opCallKw:
		return -arg
	case opCallMethodKw:
		return -arg - 1
	case opCallEx:
		return -1 - arg
	case opMakeFunction:
		// Closures are given as cells: see builder.makeFunction.
		return 1
	case opMakeClass:
		return -arg
	case opBuildTuple, opBuildList, opBuildSet, opBuildString:
		return 1 - arg
	case opBuildMap:
		return 1 - 2*arg
	case opBuildSlice:
		return 1 - arg
	case opUnpackSequence:
		return arg - 1
	case opUnpackEx:
		return arg&0xfff + arg>>12
	case opFormat:
		return -(arg >> 2 & 1)
	case opRaise, opAssertError:
		return -arg
	case opMakeClassEx:
		return -2
	}
	if int(op) < len(plainEffects) {
		return int(plainEffects[op])
	}
	return 0
}

// plainEffects are those that do not depend on the argument.
var plainEffects = [opCount]int8{
	opLoadConst: 1, opLoadInt: 1, opLoadNone: 1, opLoadTrue: 1, opLoadFalse: 1,
	opLoadFast: 1, opLoadFastCheck: 1, opStoreFast: -1,
	opLoadDeref: 1, opStoreDeref: -1, opLoadCell: 1,
	opLoadGlobal: 1, opStoreGlobal: -1, opLoadName: 1, opStoreName: -1,
	opPop: -1, opDup: 1, opDup2: 2,
	opAdd: -1, opSub: -1, opMul: -1, opFloorDiv: -1, opMod: -1, opBinary: -1, opInplace: -1, opCompare: -1,
	opSubscr: -1, opStoreSubscr: -3, opDeleteSubscr: -2,
	opStoreAttr: -2, opDeleteAttr: -1, opLoadSuperAttr: -1, opLoadMethod: 1,
	opJumpFalse: -1, opJumpTrue: -1, opJumpFalseKeep: -1, opJumpTrueKeep: -1, opJumpNone: -1, opJumpNotNone: -1,
	opForIter: 1, opPopIter: -1,
	opListAppend: -1, opSetAdd: -1, opMapAdd: -2, opListExtend: -1, opSetUpdate: -1, opDictUpdate: -1, opDictMerge: -1, opArgsExtend: -1,
	opReturn: -1, opYieldFrom: -1, opTypeAlias: 1,
	opReraise: -1, opPushExc: 1, opPopExc: -1, opWithEnter: 1, opWithExcept: 1,
	opMatchSequence: 1, opMatchMapping: 1, opMatchLen: 1, opMatchKeys: 1, opMatchClass: -1, opMatchRest: -1,
	opImport: 1, opImportFrom: 1, opImportStar: -1,
}
