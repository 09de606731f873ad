package grounding

// Spans returns where the figures of a text stand, in bytes.
func Spans(text string) [][2]int {
	var out [][2]int
	for _, f := range figures(text) {
		out = append(out, [2]int{f.start, f.end})
	}
	return out
}

// Tried returns how many numbers figures were compared with.
func (s *Sources) Tried() int { return s.outputs.tried + s.question.tried }
