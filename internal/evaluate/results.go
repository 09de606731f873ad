package evaluate

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"praxis/fault"
)

// The verdicts of results.
const (
	Passed = "passed"
	// Unverified is an answer that is as expected, and of which the run could not say where
	// its figures come from, or which was given before the model was done. It is not counted
	// as right: it may be right by luck.
	Unverified = "unverified"
	Failed     = "failed" // an answer that is wrong, or none
	Error      = "error"  // it could not be asked or graded: it counts for nothing, and is asked again
)

// Result is what one case came to with one model.
type Result struct {
	Case     string   `json:"case"`
	Sum      string   `json:"sum"` // of the case's line
	Model    string   `json:"model"`
	Verdict  string   `json:"verdict"`
	Why      string   `json:"why,omitempty"`
	Expected string   `json:"expected"`
	Answer   string   `json:"answer"`
	Status   string   `json:"status,omitempty"`
	Run      string   `json:"run,omitempty"`
	Steps    int      `json:"steps"`
	Tokens   int      `json:"tokens"`
	Cost     *float64 `json:"cost_usd,omitempty"`
	Seconds  float64  `json:"seconds"`
}

// key is what makes a result that of a case: a case that was changed is asked again.
func (r Result) key() [2]string { return [2]string{r.Sum, r.Model} }

// Store keeps results, a line of JSON each. It may be used by several goroutines.
type Store struct {
	mu   sync.Mutex
	file *os.File
	done map[[2]string]Result
}

// OpenStore opens the results of an evaluation, or begins them. A last line that was cut
// off is taken away; any other damage is a fault.Invalid.
func OpenStore(path string) (*Store, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fault.New(fault.Invalid, "Name a file that can be written.", "cannot open results: %w", err)
	}
	s := &Store{file: f, done: map[[2]string]Result{}}
	if err := s.load(path); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return s, nil
}

func (s *Store) load(path string) error {
	r := bufio.NewReader(s.file)
	whole := int64(0)
	for n := 1; ; n++ {
		text, err := r.ReadBytes('\n')
		if err == io.EOF {
			break // what stands here was not written to its end
		}
		if err != nil {
			return fmt.Errorf("cannot read results: %w", err)
		}
		var one Result
		if err := json.Unmarshal(text, &one); err != nil || one.Case == "" {
			return fault.New(fault.Invalid, "Name another file, or remove this one to begin anew.", "cannot read results %s:%d: it is no result of an evaluation", path, n)
		}
		s.done[one.key()] = one
		whole += int64(len(text))
	}
	if err := s.file.Truncate(whole); err != nil {
		return fmt.Errorf("cannot go on with results: %w", err)
	}
	_, err := s.file.Seek(whole, io.SeekStart)
	return err
}

// Done returns the result of a case that needs no asking any more.
func (s *Store) Done(sum, model string) (Result, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, ok := s.done[[2]string{sum, model}]
	return r, ok && r.Verdict != Error
}

// Add keeps a result: its line is written at once.
func (s *Store) Add(r Result) error {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done[r.key()] = r
	if _, err := s.file.Write(append(text, '\n')); err != nil {
		return fmt.Errorf("cannot keep a result: %w", err)
	}
	return nil
}

// Close closes the file.
func (s *Store) Close() error {
	return errors.Join(s.file.Sync(), s.file.Close())
}
