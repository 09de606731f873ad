// Package random is the generator behind Python's random module: the Mersenne
// Twister MT19937 of Matsumoto and Nishimura, seeded and read as CPython 3.14
// does it, so that a seed gives the same numbers in a plan as there.
//
// It holds what everything else in that module is made of. There is no seed
// from the host: who wants one has to give it.
package random

import (
	"crypto/sha512"
	"encoding/binary"
	"errors"
	"math/big"
	"math/bits"
)

const (
	size   = 624 // words of state
	middle = 397 // the word that is mixed with the first one
)

// MaxBits is the greatest number of bits that [Source.GetRandBits] gives.
const MaxBits = 1 << 30

// ErrBits refuses a number of bits that is negative or too large.
var ErrBits = errors.New("the number of random bits is out of range")

// Source is a generator. The zero value is seeded with 0 when it is first used.
// It is not safe for concurrent use.
type Source struct {
	words  [size]uint32
	index  uint32 // how many of the words have been used
	seeded bool
}

// Seed is random.seed of an int, whose sign does not count, and of the hash of a
// float as an unsigned number.
func (s *Source) Seed(n *big.Int) {
	b := n.Bytes()
	key := make([]uint32, max(1, (len(b)+3)/4))
	for i := range b {
		key[i/4] |= uint32(b[len(b)-1-i]) << (8 * (i % 4))
	}
	s.seed(key)
}

// SeedBytes is random.seed of a bytes object, and of a str as UTF-8.
func (s *Source) SeedBytes(b []byte) {
	sum := sha512.Sum512(b)
	s.Seed(new(big.Int).SetBytes(append(append([]byte{}, b...), sum[:]...)))
}

// seed fills the state from a key, as the authors' init_by_array does.
func (s *Source) seed(key []uint32) {
	w := &s.words
	w[0] = 19650218
	for i := 1; i < size; i++ {
		w[i] = 1812433253*(w[i-1]^w[i-1]>>30) + uint32(i)
	}
	i, j := 1, 0
	next := func() {
		if i++; i >= size {
			w[0] = w[size-1]
			i = 1
		}
	}
	for range max(size, len(key)) {
		w[i] = (w[i] ^ (w[i-1]^w[i-1]>>30)*1664525) + key[j] + uint32(j)
		next()
		if j++; j >= len(key) {
			j = 0
		}
	}
	for range size - 1 {
		w[i] = (w[i] ^ (w[i-1]^w[i-1]>>30)*1566083941) - uint32(i)
		next()
	}
	w[0] = 1 << 31
	s.index = size
	s.seeded = true
}

func (s *Source) ready() {
	if !s.seeded {
		s.seed([]uint32{0})
	}
}

// word is the next 32 bits.
func (s *Source) word() uint32 {
	s.ready()
	if s.index >= size {
		s.turn()
	}
	y := s.words[s.index]
	s.index++
	y ^= y >> 11
	y ^= y << 7 & 0x9d2c5680
	y ^= y << 15 & 0xefc60000
	return y ^ y>>18
}

// turn makes the next 624 words.
func (s *Source) turn() {
	w := &s.words
	for i := range size {
		y := w[i]&0x80000000 | w[(i+1)%size]&0x7fffffff
		w[i] = w[(i+middle)%size] ^ y>>1 ^ -(y&1)&0x9908b0df
	}
	s.index = 0
}

// Random is a float of [0, 1) with 53 random bits.
func (s *Source) Random() float64 {
	high := s.word() >> 5
	low := s.word() >> 6
	return (float64(high)*(1<<26) + float64(low)) / (1 << 53)
}

// GetRandBits is a number of k random bits. The caller has checked that there
// is memory for them.
func (s *Source) GetRandBits(k int) (*big.Int, error) {
	if k < 0 || k > MaxBits {
		return nil, ErrBits
	}
	if k <= 64 {
		return new(big.Int).SetUint64(s.Bits(k)), nil
	}
	b := make([]byte, (k+31)/32*4)
	for i := len(b); i > 0; i -= 4 {
		w := s.word()
		if k < 32 {
			w >>= 32 - k
		}
		k -= 32
		binary.BigEndian.PutUint32(b[i-4:], w)
	}
	return new(big.Int).SetBytes(b), nil
}

// Bits is GetRandBits for k from 0 to 64.
func (s *Source) Bits(k int) uint64 {
	switch {
	case k <= 0:
		return 0
	case k <= 32:
		return uint64(s.word() >> (32 - k))
	}
	low := s.word()
	return uint64(s.word()>>(64-min(k, 64)))<<32 | uint64(low)
}

// RandBelow is a number of [0, n), as CPython's randrange and its kin draw it; 0
// if n is not positive.
func (s *Source) RandBelow(n *big.Int) (*big.Int, error) {
	if n.Sign() <= 0 {
		return new(big.Int), nil
	}
	if n.IsUint64() {
		return new(big.Int).SetUint64(s.Below(n.Uint64())), nil
	}
	for {
		r, err := s.GetRandBits(n.BitLen())
		if err != nil || r.Cmp(n) < 0 {
			return r, err
		}
	}
}

// Below is RandBelow for a small n.
func (s *Source) Below(n uint64) uint64 {
	if n == 0 {
		return 0
	}
	k := bits.Len64(n)
	r := s.Bits(k)
	for r >= n {
		r = s.Bits(k)
	}
	return r
}
