package journal

import (
	"errors"
	"fmt"

	"praxis/event"
	"praxis/fault"
)

// Damage says what is wrong with a journal, and where the first thing is that
// is. What stands before it is as it was written.
type Damage struct {
	Run     string `json:"run,omitempty"`
	Seq     int64  `json:"seq"`    // of the record
	Offset  int64  `json:"offset"` // of the record's first byte in the journal
	Problem string `json:"problem"`
}

// Error names the record and the problem.
func (d *Damage) Error() string {
	of := ""
	if d.Run != "" {
		of = " of run " + d.Run
	}
	return fmt.Sprintf("the journal%s is damaged at record %d, byte %d: %s", of, d.Seq, d.Offset, d.Problem)
}

// Unwrap makes it a Conflict.
func (d *Damage) Unwrap() error {
	return fault.Coded(fault.JournalDamaged, fault.Data{"run": d.Run}, "%s", d.Problem)
}

// Report is what a check found.
type Report struct {
	Run         string          `json:"run,omitempty"`
	Records     int64           `json:"records"` // up to the damage
	Bytes       int64           `json:"bytes"`
	Head        string          `json:"head,omitempty"`      // hash of the last record, when nothing is damaged
	Blobs       int             `json:"blobs"`               // different contents that records refer to
	Unchecked   int             `json:"unchecked,omitempty"` // those that a bare journal comes without
	Checkpoints int64           `json:"checkpoints"`
	Signed      int64           `json:"signed"` // records that the last checkpoint vouches for, itself among them
	Finished    bool            `json:"finished"`
	Running     bool            `json:"running,omitempty"` // a process writes it: this is what stood there by now
	Status      event.RunStatus `json:"status,omitempty"`
	Indexed     bool            `json:"indexed"` // the index knows the run, and agrees unless Damage says not
	Keys        []KeyReport     `json:"keys"`
	Damage      *Damage         `json:"damage,omitempty"`
}

// KeyReport is a key that a journal names.
type KeyReport struct {
	ID      string `json:"id"`
	Public  string `json:"public"`
	Known   bool   `json:"known"`             // it is trusted here
	Through string `json:"through,omitempty"` // the known key whose statement says so
	// After are the keys in whose place it was put, by their own statements.
	After []string `json:"after,omitempty"`
}

// OK says whether the journal is whole, has its end, and was signed by keys
// that are trusted here.
func (r Report) OK() bool {
	if r.Damage != nil || !r.Finished || len(r.Keys) == 0 {
		return false
	}
	for _, k := range r.Keys {
		if !k.Known {
			return false
		}
	}
	return true
}

// signedBy says whether all of a run was signed by some of these keys.
func (r Report) signedBy(keys map[string]bool) bool {
	for _, k := range r.Keys {
		if !keys[k.Public] {
			return false
		}
	}
	return r.Finished && len(r.Keys) > 0
}

// damageOf returns the damage that err is of, or nil.
func damageOf(err error) *Damage {
	var d *Damage
	errors.As(err, &d)
	return d
}
