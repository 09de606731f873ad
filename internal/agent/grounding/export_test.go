package grounding

// Spans returns where the figures of a text stand, in bytes.
func Spans(text string) [][2]int {
	var out [][2]int
	for _, f := range figures(text) {
		out = append(out, [2]int{f.start, f.end})
	}
	return out
}
