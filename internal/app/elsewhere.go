package app

import (
	"errors"
	"io"

	"praxis/event"
	"praxis/internal/record/report"
	"praxis/internal/run"
)

// What follows is for who shows what another process did, such as a server, as this one would.

// RecordedRun is a run as its record has it, with those that it began.
type RecordedRun = report.Run

// SaveMade saves in the folder of o what was made elsewhere: fill gives each file to save,
// which goes on after one that cannot be saved. inputs are never overwritten.
func SaveMade(o Output, limits event.Limits, inputs []Input, fill func(save func(name string, from io.Reader) error) error) (saved []SavedFile, err error) {
	c := newCollector(o, SessionSpec{}, inputs)
	f, err := openFolder(c.dir, c.guard, limits.WithDefaults().Disk+maxPictures)
	if err != nil {
		return nil, err
	}
	var lost unsavedFiles
	n := 0
	err = fill(func(name string, from io.Reader) error {
		n++
		var broken error
		err := f.Save(name, func(to io.Writer) error {
			_, err := io.Copy(to, failing{from, &broken})
			return err
		})
		if err != nil && broken == nil {
			lost = append(lost, err)
			return nil
		}
		return err
	})
	return f.Saved(), errors.Join(err, lost.err(n), f.Close())
}

// failing remembers that reading failed, which no other file survives.
type failing struct {
	io.Reader
	broken *error
}

// Read reads on.
func (f failing) Read(p []byte) (int, error) {
	n, err := f.Reader.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		*f.broken = err
	}
	return n, err
}

// AsUnsaved marks an error as one that came after the code.
func AsUnsaved(err error) error { return asUnsaved(err) }

// SchemaJSON returns the JSON Schema of an answer, which may be written in YAML, as JSON.
func SchemaJSON(t Text) ([]byte, error) {
	_, text, err := run.AnswerSchema(t.Name, []byte(t.Text))
	return text, err
}

// CheckedPlan is what the check of a plan found with the plan's text, which what is shown of
// it points into.
func CheckedPlan(found *PlanCheck, src PlanSource) *PlanCheck { return found.Of(src.Text) }
