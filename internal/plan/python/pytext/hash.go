package pytext

import (
	"math"
	"math/big"
	"math/bits"
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

// reduce returns x modulo the prime.
func reduce(x uint64) uint64 {
	x = x&hashPrime + x>>hashBits
	if x >= hashPrime {
		x -= hashPrime
	}
	return x
}

// timesPower returns h * 2**n modulo the prime, for h below it.
func timesPower(h uint64, n uint) uint64 {
	n %= hashBits
	return h<<n&hashPrime | h>>(hashBits-n)
}

// HashInt is hash(v).
func HashInt(v int64) int64 {
	u := uint64(v)
	if v < 0 {
		u = -u
	}
	return signedHash(reduce(u), v < 0)
}

// HashBig is hash(v).
func HashBig(v *big.Int) int64 {
	h := uint64(0)
	words := v.Bits()
	for i := len(words) - 1; i >= 0; i-- {
		h = reduce(timesPower(h, bits.UintSize) + reduce(uint64(words[i])))
	}
	return signedHash(h, v.Sign() < 0)
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
	return signedHash(timesPower(uint64(m*(1<<53)), uint(e)), f < 0)
}
