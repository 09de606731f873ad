package journal

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/atomicfile"
	"praxis/internal/bounded"
)

const (
	anchorVersion = 1
	anchorText    = "praxis journal anchor 1\n"
	maxAnchor     = 4 << 10
)

// Anchor is what the chain of runs was at a time, to be kept where nobody who can
// change the data folder can change it.
type Anchor struct {
	Praxis    string `json:"praxis"` // "anchor"
	Version   int    `json:"version"`
	Time      string `json:"time"`
	Entries   int64  `json:"entries"`
	Head      string `json:"head"`      // the hash of the last of them
	Key       string `json:"key"`       // as Key.Public
	Signature string `json:"signature"` // of the anchor with an empty one
}

// parseAnchor reads an anchor, and checks its signature.
func parseAnchor(data []byte) (a Anchor, err error) {
	if err := strict(bytes.TrimSuffix(data, []byte("\n")), &a); err != nil {
		return Anchor{}, err
	}
	if a.Praxis != "anchor" || a.Version != anchorVersion || a.Entries < 1 || !validSum([]byte(a.Head)) {
		return Anchor{}, errors.New("a value in it cannot be")
	}
	raw, err := parsePublic(a.Key)
	if err != nil {
		return Anchor{}, err
	}
	sig, ok := parseSignature(a.Signature)
	unsigned := a
	unsigned.Signature = ""
	text, err := event.Encode(unsigned)
	if err != nil || !ok || !verifies(raw, anchorText+string(text), sig) {
		return Anchor{}, errors.New("its signature is wrong")
	}
	return a, nil
}

// ReadAnchor reads the anchor in a file; nil when there is no file.
func ReadAnchor(path string) (*Anchor, error) {
	data, err := bounded.ReadFile(path, maxAnchor)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read the anchor: %w", err)
	}
	a, err := parseAnchor(data)
	if err != nil {
		return nil, fault.New(fault.Invalid, "Name the file that was written as an anchor, or one that is not there to have it written.",
			"cannot use the anchor %s: %w", path, err)
	}
	return &a, nil
}

// WriteAnchor writes what a check found of the chain as an anchor into a file that
// is not there.
func (j *Journal) WriteAnchor(path string, r ChainReport) error {
	if r.Entries == 0 {
		return fault.New(fault.NotFound, "Run some code first.", "cannot anchor the chain of runs: there is none yet")
	}
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return fault.New(fault.Conflict, "Name another file.", "cannot anchor the chain of runs: %s is there already", path)
	}
	key, err := j.keys.signer()
	if err != nil {
		return err
	}
	a := Anchor{Praxis: "anchor", Version: anchorVersion, Time: j.now().Format(timeLayout), Entries: r.Entries, Head: r.Head, Key: key.Public}
	text, err := event.Encode(a)
	if err != nil {
		return err
	}
	a.Signature = key.signature(anchorText + string(text))
	data, err := event.Encode(a)
	if err == nil {
		err = atomicfile.WriteFile(path, append(data, '\n'))
	}
	if err != nil {
		return fmt.Errorf("cannot write the anchor: %w", err)
	}
	return nil
}
