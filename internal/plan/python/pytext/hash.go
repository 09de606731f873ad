package pytext

import (
	"math"
	"math/big"
)

// Numbers are hashed modulo a prime, so that equal numbers of different types
// have equal hashes, fractions and decimals too.
const (
	hashBits  = 61
	hashPrime = 1<<hashBits - 1
	hashInf   = 314159
)

// signedHash gives the hash its sign; -1 is no hash.
func signedHash(h uint64, negative bool) int64 {
	if negative {
		if h == 1 {
			return -2
		}
		return -int64(h)
	}
	return int64(h)
}

// HashInt is hash(v).
func HashInt(v int64) int64 {
	u := uint64(v)
	if v < 0 {
		u = -u
	}
	return signedHash(u%hashPrime, v < 0)
}

// HashBig is hash(v).
func HashBig(v *big.Int) int64 {
	h := new(big.Int).Abs(v)
	return signedHash(h.Mod(h, big.NewInt(hashPrime)).Uint64(), v.Sign() < 0)
}

// HashFloat is hash(f); a NaN has the hash 0.
func HashFloat(f float64) int64 {
	if f == math.Trunc(f) && math.Abs(f) < 1<<53 {
		return HashInt(int64(f))
	}
	switch {
	case f != f:
		return 0
	case math.IsInf(f, 0):
		return int64(math.Copysign(hashInf, f))
	}
	m, e := math.Frexp(math.Abs(f))
	e = (e - 53) % hashBits
	if e < 0 {
		e += hashBits
	}
	h := uint64(m * (1 << 53)) // times 2**e, modulo the prime
	return signedHash(h<<e&hashPrime|h>>(hashBits-e), f < 0)
}
