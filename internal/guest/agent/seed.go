package agent

import (
	"fmt"
	"sync"
)

// seeder says to the sandbox's kernel, in a session with a seed, where in its life the
// session is: the seed and the date, a number that grows when an execution begins and when
// it has ended, and how much time has passed by the clocks of its programs. Their random
// bytes and what their clocks show follow from that. It lies in this process's memory, so
// it is saved, forked and rolled back with the session; after a restore it is said again.
// The agent's own randomness and clocks are true ones.
type seeder struct {
	mu sync.Mutex
	on bool // the session is deterministic, and in a sandbox
	seedState
}

// seedState is what the sandbox's kernel is given (package
// praxis/internal/sandbox/gvisor/patch).
type seedState struct {
	seed    int64
	number  uint64
	date    int64 // when the session began by its clocks, nanoseconds since 1970
	elapsed int64 // the least that passed since; the answer is what did
	flags   uint64
}

const (
	seedRound = 1 // go on at the next whole second
	seedWaits = 2 // sleeping takes its time: something outside may be waited for
)

// set begins what follows from a seed and a date.
func (s *seeder) set(seed, date int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.on, s.seed, s.date = true, seed, date
	return s.tell(seedRound)
}

// off is for a session without a seed. The sandbox of one gives true randomness.
func (s *seeder) off() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.on = false
}

// tell says where in its life the session is. s.mu is held.
func (s *seeder) tell(flags uint64) error {
	state := s.seedState
	state.flags |= flags
	if e := setSeed(&state); e != 0 {
		return fmt.Errorf("cannot seed the sandbox: %w", e)
	}
	s.elapsed = state.elapsed
	return nil
}

// again says it once more, to a kernel that was made of a checkpoint.
func (s *seeder) again() { s.move(0, 0) }

// next begins what the next execution draws, or what is drawn after it.
func (s *seeder) next() { s.move(1, seedRound) }

// outside notes that programs can reach something outside of the sandbox.
func (s *seeder) outside() {
	s.mu.Lock()
	s.flags |= seedWaits
	s.mu.Unlock()
	s.move(0, 0)
}

func (s *seeder) move(by, flags uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.on {
		return
	}
	s.number += by
	if err := s.tell(flags); err != nil {
		// It worked before. What goes on without a seed would claim to have one.
		panic(err)
	}
}
