package math

import "math"

func isPole(x float64) bool { return x <= 0 && x == math.Floor(x) }

func gammaDomain(x float64) string {
	if isPole(x) {
		return "expected a noninteger or positive integer, got %s"
	}
	return ""
}

func lgammaDomain(x float64) string {
	if isPole(x) && !math.IsInf(x, 0) {
		return "expected a noninteger or positive integer, got %s"
	}
	return ""
}

// gamma is exact where it is a factorial that a float holds.
func gamma(x float64) float64 {
	if x != math.Floor(x) || x < 1 || x > 23 {
		return math.Gamma(x)
	}
	r := 1.0
	for i := 2.0; i < x; i++ {
		r *= i
	}
	return r
}

// lgamma is the logarithm of the absolute value of gamma.
func lgamma(x float64) float64 {
	y, _ := math.Lgamma(x)
	return y
}
