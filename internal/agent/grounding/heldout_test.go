package grounding_test

import "testing"

// TestOtherHands counts the answers of testdata/heldout, which others wrote who had not seen
// the rules. Its bounds are what the rules give since they were changed by it; README.md there
// has the first count.
func TestOtherHands(t *testing.T) {
	for _, f := range []struct {
		name                string
		leastCaught, doubts int
	}{{"hand.txt", 300, 9}, {"generated.txt", 392, 0}, {"second.txt", 119, 16}} {
		var s score
		for _, c := range readAnswers(t, "../heldout/"+f.name) {
			s.add(t, c, true)
		}
		t.Logf("%s: %d texts; %d of %d invented figures caught; %d of %d true ones doubted", f.name, s.texts, s.caught, s.invented, s.doubted, s.true)
		if s.caught < f.leastCaught || s.doubted > f.doubts {
			t.Errorf("%s: at least %d are to be caught and at most %d doubted", f.name, f.leastCaught, f.doubts)
		}
	}
}
