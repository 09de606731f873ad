package run

import (
	"context"
	"encoding/json"
	"strings"

	"praxis/event"
	"praxis/internal/agent"
	"praxis/internal/language"
	"praxis/internal/safetext"
)

// Bounds of what is said about inputs. The bytes are the guest's.
const (
	maxProfiles = 1 << 20 // bytes, of all files
	maxProfile  = 8 << 10 // bytes, of one
	maxNote     = 200     // bytes, of what is unusual about one
)

// profile looks at the inputs in the session and returns what the model is shown of them.
// Where that fails, a file is shown as it came.
func (t Task) profile(ctx context.Context, s Session, rec Recorder) ([]agent.File, error) {
	files := t.files()
	var paths []string
	for _, f := range files {
		if f.Variable == "" { // what a variable is, code finds out
			paths = append(paths, f.Path)
		}
	}
	look := t.Profile
	if look == nil {
		l, ok := t.first(s, func(l language.Language) bool { return l.Model.Profile != nil })
		if !t.ProfileInputs || !ok || len(paths) == 0 {
			return files, nil
		}
		look = &Piece{Language: l.Name, Code: l.Model.Profile(paths)}
	}
	x, err := beside(ctx, s, event.ExecutionBegan{Language: look.Language, Code: look.Code, Purpose: event.Profiling}, t.Began.Bounds, rec)
	if err != nil {
		return nil, err
	}
	if x.State == event.Fresh {
		return files, t.prepare(ctx, s)
	}
	for _, d := range x.Displays {
		text := d[language.ProfileMIME]
		var found []struct{ Path, Text, Note string }
		if len(text) > maxProfiles || json.Unmarshal([]byte(text), &found) != nil {
			continue
		}
		for i := range files {
			for _, p := range found {
				if p.Path != files[i].Path {
					continue
				}
				if p.Text != "" && len(p.Text) <= maxProfile {
					files[i].Profile = strings.ToValidUTF8(p.Text, "\uFFFD")
				}
				if note := safetext.OneLine(p.Note, maxNote); note != "" && files[i].Note == "" {
					files[i].Note = note
					if t.Profile == nil { // else it is a replay, and the person knows
						rec.Emit(event.Notice{Text: "file " + files[i].Name + " " + note})
					}
				}
			}
		}
	}
	return files, nil
}
