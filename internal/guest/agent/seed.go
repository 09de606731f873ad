package agent

import (
	"fmt"
	"sync"
)

// seeder tells the sandbox's kernel, in a session with a seed, what the programs' random
// bytes follow from: the seed, and a number that grows when an execution begins and when
// it has ended. The number lies in this process's memory, so it is saved, forked and
// rolled back with the session; after a restore it is said again. The agent's own
// randomness does not follow from it.
type seeder struct {
	mu     sync.Mutex
	on     bool // the session is deterministic, and in a sandbox
	seed   int64
	number uint64
}

// set begins what follows from a seed.
func (s *seeder) set(seed int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.on, s.seed = true, seed
	return s.tell()
}

// off is for a session without a seed. The sandbox of one gives true randomness.
func (s *seeder) off() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.on = false
}

// tell says where in its life the session is. s.mu is held.
func (s *seeder) tell() error {
	if e := setSeed(s.seed, s.number); e != 0 {
		return fmt.Errorf("cannot seed the sandbox: %w", e)
	}
	return nil
}

// again tells it once more, to a kernel that was made of a checkpoint.
func (s *seeder) again() { s.move(0) }

// next begins what the next execution draws, or what is drawn after it.
func (s *seeder) next() { s.move(1) }

func (s *seeder) move(by uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.on {
		return
	}
	s.number += by
	if err := s.tell(); err != nil {
		// It worked before. What goes on without a seed would claim to have one.
		panic(err)
	}
}
