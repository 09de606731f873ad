package vm

// asyncioNatives are what module asyncio cannot do in the plan language.
func asyncioNatives() []*Native {
	return []*Native{{name: "asyncio._wait", params: "coro, /", call: asyncioWait, precise: true}}
}

// asyncioWait runs a coroutine to its end, in the machine's own frames.
func asyncioWait(t *Thread, a *Args) (Value, error) {
	g, ok := a.Pos[0].o.(*Gen)
	if !ok || !g.coroutine {
		return Value{}, t.failOf(a.Pos[0], t.types.TypeError, "a coroutine was expected, got %s", t.className(a.Pos[0]))
	}
	return t.tailGen(genResume, a.Pos[0], none, nil, retAwait, Value{})
}
