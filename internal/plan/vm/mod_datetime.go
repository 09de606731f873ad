package vm

// clockNatives are what the modules about time ask the host's clock with.
func clockNatives() []*Native {
	return []*Native{
		{name: "datetime._now", params: "", call: func(t *Thread, a *Args) (Value, error) {
			return intValue(t.now.UnixMicro()), nil
		}, precise: true},
	}
}
