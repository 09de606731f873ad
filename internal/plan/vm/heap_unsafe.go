package vm

import (
	"unsafe"

	"praxis/internal/plan/value"
)

// visited is a set of objects by their addresses. It holds no references: what
// it is asked about is reachable from the program while the set is in use, and
// objects do not move.
type visited struct {
	slots []uintptr // open addressing; a power of two
	n     int
}

// add reports whether o was not in the set before.
func (s *visited) add(o value.Object) bool {
	p := uintptr((*[2]unsafe.Pointer)(unsafe.Pointer(&o))[1])
	if s.n*2 >= len(s.slots) {
		s.grow()
	}
	if !s.put(p) {
		return false
	}
	s.n++
	return true
}

// put enters an address, unless it is there.
func (s *visited) put(p uintptr) bool {
	mask := uintptr(len(s.slots) - 1)
	for i := (p >> 4) * 0x9e3779b97f4a7c15 >> 20 & mask; ; i = (i + 1) & mask {
		switch s.slots[i] {
		case 0:
			s.slots[i] = p
			return true
		case p:
			return false
		}
	}
}

func (s *visited) grow() {
	old := s.slots
	s.slots = make([]uintptr, max(2*len(old), 1024))
	for _, p := range old {
		if p != 0 {
			s.put(p)
		}
	}
}
