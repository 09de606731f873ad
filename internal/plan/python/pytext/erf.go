package pytext

import "math"

// The error function by the rational approximations of W. J. Cody's kind that
// Sun's fdlibm made known, with terms summed in glibc's order, so that the last
// digit is C's. Products are converted before they are added, so that no
// machine fuses them.

const erfOne = 8.45062911510467529297e-01 // erf(1), rounded to a few bits

// The coefficients of numerators and denominators by rising power, for |x|
// below 0.84375, below 1.25, below 1/0.35, and beyond.
var (
	erfP0 = [...]float64{1.28379167095512558561e-01, -3.25042107247001499370e-01, -2.84817495755985104766e-02,
		-5.77027029648944159157e-03, -2.37630166566501626084e-05}
	erfQ0 = [...]float64{1, 3.97917223959155352819e-01, 6.50222499887672944485e-02, 5.08130628187576562776e-03,
		1.32494738004321644526e-04, -3.96022827877536812320e-06}
	erfP1 = [...]float64{-2.36211856075265944077e-03, 4.14856118683748331666e-01, -3.72207876035701323847e-01,
		3.18346619901161753674e-01, -1.10894694282396677476e-01, 3.54783043256182359371e-02, -2.16637559486879084300e-03}
	erfQ1 = [...]float64{1, 1.06420880400844228286e-01, 5.40397917702171048937e-01, 7.18286544141962662868e-02,
		1.26171219808761642112e-01, 1.36370839120290507362e-02, 1.19844998467991074170e-02}
	erfP2 = [...]float64{-9.86494403484714822705e-03, -6.93858572707181764372e-01, -1.05586262253232909814e+01,
		-6.23753324503260060396e+01, -1.62396669462573470355e+02, -1.84605092906711035994e+02, -8.12874355063065934246e+01,
		-9.81432934416914548592e+00}
	erfQ2 = [...]float64{1, 1.96512716674392571292e+01, 1.37657754143519042600e+02, 4.34565877475229228821e+02,
		6.45387271733267880336e+02, 4.29008140027567833386e+02, 1.08635005541779435134e+02, 6.57024977031928170135e+00,
		-6.04244152148580987438e-02}
	erfP3 = [...]float64{-9.86494292470009928597e-03, -7.99283237680523006574e-01, -1.77579549177547519889e+01,
		-1.60636384855821916062e+02, -6.37566443368389627722e+02, -1.02509513161107724954e+03, -4.83519191608651397019e+02}
	erfQ3 = [...]float64{1, 3.03380607434824582924e+01, 3.25792512996573918826e+02, 1.53672958608443695994e+03,
		3.19985821950859553908e+03, 2.55305040643316442583e+03, 4.74528541206955367215e+02, -2.24409524465858183362e+01}
)

// inPairs evaluates a polynomial two terms at a time.
func inPairs(c []float64, x float64) float64 {
	x2 := float64(x * x)
	power := x2
	sum := c[0] + float64(x*c[1])
	for i := 2; i < len(c); i += 2 {
		pair := c[i]
		if i+1 < len(c) {
			pair += float64(x * c[i+1])
		}
		sum += float64(power * pair)
		switch i {
		case 2:
			power = float64(x2 * x2)
		case 4:
			power = float64(float64(x2*x2) * x2)
		case 6:
			power = float64(float64(x2*x2) * float64(x2*x2))
		}
	}
	return sum
}

// Erf is the error function.
func Erf(x float64) float64 {
	a := math.Abs(x)
	switch {
	case math.IsNaN(x):
		return x
	case a < 0.84375:
		if a < 1.0/(1<<28) {
			if a < 2.848094538889218e-306 {
				return 0.125 * (float64(8*x) + float64(1.02703333676410069053e+00*x))
			}
			return x + float64(1.28379167095512586316e-01*x)
		}
		z := float64(x * x)
		return x + float64(x*(inPairs(erfP0[:], z)/inPairs(erfQ0[:], z)))
	case a < 1.25:
		s := a - 1
		return math.Copysign(erfOne+inPairs(erfP1[:], s)/inPairs(erfQ1[:], s), x)
	case a >= 6:
		return math.Copysign(1, x)
	}
	return math.Copysign(1-erfTail(a)/a, x)
}

// Erfc is 1 less the error function.
func Erfc(x float64) float64 {
	a := math.Abs(x)
	switch {
	case math.IsNaN(x):
		return x
	case a < 0.84375:
		if a < 1.0/(1<<56) {
			return 1 - x
		}
		z := float64(x * x)
		y := inPairs(erfP0[:], z) / inPairs(erfQ0[:], z)
		if x < 0.25 {
			return 1 - (x + float64(x*y))
		}
		return 0.5 - (float64(x*y) + (x - 0.5))
	case a < 1.25:
		s := a - 1
		y := inPairs(erfP1[:], s) / inPairs(erfQ1[:], s)
		if x < 0 {
			return 1 + (erfOne + y)
		}
		return 1 - erfOne - y
	case x < -6:
		return 2
	case a >= 28:
		return 0
	case x < 0:
		return 2 - erfTail(a)/a
	}
	return erfTail(a) / a
}

// erfTail is erfc(x) times x, for x from 1.25 on.
func erfTail(x float64) float64 {
	s := 1 / float64(x*x)
	p, q := erfP3[:], erfQ3[:]
	if math.Float64bits(x)>>32 < 0x4006DB6D {
		p, q = erfP2[:], erfQ2[:]
	}
	ratio := inPairs(p, s) / inPairs(q, s)
	z := math.Float64frombits(math.Float64bits(x) &^ (1<<32 - 1))
	return float64(Exp(float64(-z*z)-0.5625) * Exp(float64((z-x)*(z+x))+ratio))
}
