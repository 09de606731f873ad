package pytext

import "math"

// Sum adds up floats as the builtin sum does: what the additions lose is added
// up beside them. The zero value is an empty sum.
type Sum struct{ high, lost float64 }

// Add adds f to the sum.
func (s *Sum) Add(f float64) {
	s.lost = Lost(s.lost, s.high, f)
	s.high += f
}

// Lost returns what the addition of f to high loses, with what was lost before
// (Neumaier, 1974).
func Lost(lost, high, f float64) float64 {
	t := high + f
	if math.Abs(high) >= math.Abs(f) {
		return lost + ((high - t) + f)
	}
	return lost + ((f - t) + high)
}

// Total returns the sum.
func (s *Sum) Total() float64 { return Regained(s.high, s.lost) }

// Regained is the sum high with what was lost on the way.
func Regained(high, lost float64) float64 {
	if lost != 0 && lost-lost == 0 {
		return high + lost
	}
	return high
}

// ExactSum is math.fsum: it keeps floats that do not overlap and whose sum is
// exact. The zero value is an empty sum.
type ExactSum struct {
	parts    []float64 // by rising size
	special  float64   // sum of the infinities and NaNs
	infinite float64   // sum of the infinities
	err      error
}

// Add adds f to the sum.
func (e *ExactSum) Add(f float64) {
	if f-f != 0 {
		if math.IsInf(f, 0) {
			e.infinite += f
		}
		e.special += f
		return
	}
	partials := 0
	for _, p := range e.parts {
		s := sum(f, p)
		if f = s.hi; s.lo != 0 {
			e.parts[partials] = s.lo
			partials++
		}
	}
	e.parts = e.parts[:partials]
	if math.IsInf(f, 0) || f != f {
		e.parts, e.err = nil, errorf(OverflowError, "intermediate overflow in fsum")
		return
	}
	if f != 0 {
		e.parts = append(e.parts, f)
	}
}

// Parts returns floats whose exact sum is e.
func (e *ExactSum) Parts() ([]float64, error) {
	parts := e.parts
	switch {
	case e.infinite != e.infinite:
		parts = append([]float64{math.Inf(1), math.Inf(-1)}, parts...)
	case e.infinite != 0:
		parts = append([]float64{e.infinite}, parts...)
	}
	if e.special != e.special && e.infinite == e.infinite {
		parts = append([]float64{math.NaN()}, parts...)
	}
	return parts, e.err
}

// Total returns the sum, rounded once.
func (e *ExactSum) Total() (float64, error) {
	switch {
	case e.err != nil:
		return 0, e.err
	case e.infinite != e.infinite:
		return 0, valueError("-inf + inf in fsum")
	case e.special != 0:
		return e.special, nil
	}
	n := len(e.parts)
	if n == 0 {
		return 0, nil
	}
	n--
	total, lost := e.parts[n], 0.0
	for n > 0 && lost == 0 {
		n--
		s := sum(total, e.parts[n])
		total, lost = s.hi, s.lo
	}
	// What follows decides a tie.
	if n > 0 && (lost < 0 && e.parts[n-1] < 0 || lost > 0 && e.parts[n-1] > 0) {
		if up := total + 2*lost; up-total == 2*lost {
			total = up
		}
	}
	return total, nil
}

// Hypot is math.hypot, for any number of coordinates.
func Hypot(v ...float64) float64 {
	most, nan := 0.0, false
	for _, x := range v {
		if nan = nan || x != x; math.Abs(x) > most {
			most = math.Abs(x)
		}
	}
	switch {
	case math.IsInf(most, 0):
		return most
	case nan:
		return math.NaN()
	case most == 0:
		return 0
	}
	_, e := math.Frexp(most)
	var squares double
	for _, x := range v {
		x = math.Ldexp(x, -e)
		squares = squares.plus(product(x, x))
	}
	return math.Ldexp(squareRoot(squares).hi, e)
}

// squareRoot returns the root of d, which is not negative.
func squareRoot(d double) double {
	root := math.Sqrt(d.hi)
	if root == 0 {
		return double{}
	}
	p := product(root, root)
	rest := d.plus(double{-p.hi, -p.lo})
	return quickSum(root, rest.hi/(2*root))
}
