package grounding

// Number is one meaning of a figure: its value, and the bounds of what it is equal to at
// the precision at which it is written.
type Number struct{ Value, From, To float64 }

// Numbers returns the figures of a text that are numbers, in order, each with the numbers
// that it may mean: "12.5 %" is 12.5 or 0.125.
func Numbers(text string) [][]Number {
	var out [][]Number
	for _, f := range figures(text) {
		var all []Number
		for _, r := range f.readings {
			all = append(all, Number{r.value, r.from, r.to})
		}
		if len(all) > 0 {
			out = append(out, all)
		}
	}
	return out
}
