package vm

// asyncioNatives are what module asyncio cannot do in the plan language.
func asyncioNatives() []*Native {
	return []*Native{{name: "asyncio._wait", params: "coro, /", call: asyncioWait, precise: true}}
}

// asyncioWait runs a coroutine to its end, in the machine's own frames.
func asyncioWait(t *Thread, a *Args) (Value, error) {
	if t.classOf(a.Pos[0]) != t.types.Coroutine {
		return Value{}, t.failOf(a.Pos[0], t.types.TypeError, "a coroutine was expected, got %s", t.className(a.Pos[0]))
	}
	return t.tailGen(tailAwait, a.Pos[0], none)
}
