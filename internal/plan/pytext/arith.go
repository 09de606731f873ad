package pytext

import (
	"math"
	"math/big"
)

// BigToFloat is float(v), rounded to the nearest float.
func BigToFloat(v *big.Int) (float64, error) {
	f, _ := v.Float64()
	if math.IsInf(f, 0) {
		return 0, errorf(OverflowError, "int too large to convert to float")
	}
	return f, nil
}
