package math

import (
	"math"

	"praxis/internal/plan/python/pytext"
)

// The gamma function by Lanczos' approximation with 13 terms, after Boost's
// choice of g: near enough to the right digits that CPython shows the same.
const lanczosG = 6.024680040776729583740234375

var lanczosNum = [...]float64{
	23531376880.410759688572007674451636754734846804940,
	42919803642.649098768957899047001988850926355848959,
	35711959237.355668049440185451547166705960488635843,
	17921034426.037209699919755754458931112671403265390,
	6039542586.3520280050642916443072979210699388420708,
	1439720407.3117216736632230727949123939715485786772,
	248874557.86205415651146038641322942321632125127801,
	31426415.585400194380614231628318205362874684987640,
	2876370.6289353724412254090516208496135991145378768,
	186056.26539522349504029498971604569928220784236328,
	8071.6720023658162106380029022722506138218516325024,
	210.82427775157934587250973392071336271166969580291,
	2.5066282746310002701649081771338373386264310793408,
}

var lanczosDen = [...]float64{0, 39916800, 120543840, 150917976, 105258076, 45995730, 13339535, 2637558, 357423, 32670, 1925, 66, 1}

// lanczosSum is the quotient of the two polynomials, for positive x.
func lanczosSum(x float64) float64 {
	num, den := 0.0, 0.0
	if x < 5 {
		for i := len(lanczosNum) - 1; i >= 0; i-- {
			num = float64(num*x) + lanczosNum[i]
			den = float64(den*x) + lanczosDen[i]
		}
	} else {
		for i := range lanczosNum {
			num = num/x + lanczosNum[i]
			den = den/x + lanczosDen[i]
		}
	}
	return num / den
}

// sinPi is sin(pi*x) for finite x, exact where the sine is.
func sinPi(x float64) float64 {
	y := math.Mod(math.Abs(x), 2)
	r := 0.0
	switch int(math.Round(2 * y)) {
	case 0:
		r = pytext.Sin(math.Pi * y)
	case 1:
		r = pytext.Cos(math.Pi * (y - 0.5))
	case 2:
		r = pytext.Sin(math.Pi * (1 - y))
	case 3:
		r = -pytext.Cos(math.Pi * (y - 1.5))
	default:
		r = pytext.Sin(math.Pi * (y - 2))
	}
	return math.Copysign(1, x) * r
}

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

func power(x, y float64) float64 {
	z, err := pytext.FloatPow(x, y)
	if err != nil {
		return math.Inf(1)
	}
	return z
}

func gamma(x float64) float64 {
	if x-x != 0 {
		return x
	}
	if x == math.Floor(x) && x <= 23 {
		r := 1.0
		for i := 2.0; i < x; i++ {
			r *= i
		}
		return r
	}
	abs := math.Abs(x)
	if abs < 1e-20 {
		return 1 / x
	}
	if abs > 200 {
		if x < 0 {
			return 0 / sinPi(x)
		}
		return math.Inf(1)
	}
	const off = lanczosG - 0.5
	y := abs + off
	z := 0.0
	if abs > off { // the error of the addition
		q := y - abs
		z = q - off
	} else {
		q := y - off
		z = q - abs
	}
	z = z * lanczosG / y
	r := 0.0
	if x < 0 {
		r = -math.Pi / sinPi(abs) / abs * pytext.Exp(y) / lanczosSum(abs)
		r -= float64(z * r)
		if abs < 140 {
			return r / power(y, abs-0.5)
		}
		p := power(y, abs/2-0.25)
		return r / p / p
	}
	r = lanczosSum(abs) / pytext.Exp(y)
	r += float64(z * r)
	if abs < 140 {
		return r * power(y, abs-0.5)
	}
	p := power(y, abs/2-0.25)
	return r * p * p
}

// lgamma is the logarithm of the absolute value of gamma.
func lgamma(x float64) float64 {
	if x-x != 0 {
		return math.Abs(x)
	}
	if x == 1 || x == 2 {
		return 0
	}
	abs := math.Abs(x)
	if abs < 1e-20 {
		return -pytext.Log(abs)
	}
	r := pytext.Log(lanczosSum(abs)) - lanczosG
	r += float64((abs - 0.5) * (pytext.Log(abs+lanczosG-0.5) - 1))
	if x < 0 {
		r = 1.144729885849400174143427351353058711647 - pytext.Log(math.Abs(sinPi(abs))) - pytext.Log(abs) - r
	}
	return r
}
