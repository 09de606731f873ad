package app

import (
	"errors"
	"io"
	"strings"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/language"
	"praxis/internal/record/report"
	"praxis/internal/run"
	"praxis/internal/safetext"
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

// Spoken are the languages of a session of another process, in the versions of its image.
type Spoken struct {
	first language.Language
	all   language.Table
}

// SpokenBy returns the languages of an image.
func SpokenBy(img event.Image) Spoken {
	var has []language.Runtime
	for _, l := range img.Languages {
		has = append(has, language.Runtime{Language: l.Name, Version: safetext.OneLine(l.Version, 40)})
	}
	return Spoken{Languages().Of(has), Languages().In(has)}
}

// Language is the first one.
func (s Spoken) Language() language.Language { return s.first }

// Speaks returns the language that a word means.
func (s Spoken) Speaks(word string) (language.Language, error) {
	l, ok := s.all.Called(strings.ToLower(word))
	if !ok {
		return l, fault.Coded(fault.LanguageMissing, fault.Data{"language": safetext.Line(word), "known": strings.Join(s.all.Names(), ", ")},
			"cannot run %s: the session has no such language", safetext.Quote(word))
	}
	return l, nil
}

// SaveAs writes what fill writes into the file at path, or into one called name in the folder
// at path, whole, and returns where that is and how long it is. A file that is there is only
// replaced by force.
func SaveAs(path, name string, force bool, fill func(w io.Writer) error) (at string, bytes int64, err error) {
	if at, err = exportPath(path, name); err != nil {
		return "", 0, err
	}
	err = writeWhole(at, force, func(w io.Writer) error {
		counted := &boundedWriter{w: w, left: 1 << 62}
		err := fill(counted)
		bytes = counted.n
		return err
	})
	return at, bytes, err
}

// OpenNamed opens a file that a caller names, to send it elsewhere.
func OpenNamed(path string) (io.ReadCloser, error) {
	f, _, err := openExported(path)
	if err != nil {
		return nil, err
	}
	return f, nil
}
