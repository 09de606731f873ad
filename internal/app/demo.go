package app

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"praxis/internal/demo"
)

// Demo is a question about real figures with scripted replies of a model, so that
// no key and no network are needed. The code in the replies really runs.
type Demo struct {
	Question string
	Data     string // path of the file that the question is about
	Model    string // that plays the replies
}

// WriteDemo writes the files of the demo into a folder.
func WriteDemo(dir string) (Demo, error) {
	data, script := filepath.Join(dir, demo.DataName), filepath.Join(dir, demo.ScriptName)
	if err := errors.Join(os.WriteFile(data, demo.Data, 0o600), os.WriteFile(script, demo.Script, 0o600)); err != nil {
		return Demo{}, fmt.Errorf("cannot write the demo's files: %w", err)
	}
	return Demo{strings.TrimSpace(demo.Question), data, "scripted:" + script}, nil
}
