package registry

import (
	"bytes"
	"errors"
	"io/fs"
	"maps"
	"path/filepath"
	"strings"

	"praxis/fault"
	"praxis/internal/tool"
	"praxis/internal/tool/toolfile"
)

// maxSecret bounds a secret in bytes.
const maxSecret = 64 << 10

// Secrets are the values of the secrets that files declare. They are read once,
// when a command begins, so that they can be taken out of records and results.
// Printing them shows their names alone.
type Secrets struct {
	values map[string]string
	absent map[string]error
}

var _ tool.SecretSource = (*Secrets)(nil)

// Places is where secrets are looked for.
type Places struct {
	Getenv   func(name string) string
	ReadFile func(name string, limit int64) ([]byte, error)
	Home     string // for paths that begin with "~/"; "": it is not known
}

// ReadSecrets reads the secrets that files declare. Files that cannot be loaded
// are left to [Open], which says what is wrong with them. A secret without a
// value is no error until it is used.
func ReadSecrets(p Places, files []File) (*Secrets, error) {
	s := &Secrets{values: map[string]string{}, absent: map[string]error{}}
	where := map[string]tool.SecretEntry{}
	for _, f := range files {
		// Most files declare none, and reading one takes as long as opening it. A
		// key that is not written out has a backslash in it.
		if !bytes.Contains(f.Text, []byte("secrets")) && !bytes.Contains(f.Text, []byte(`\`)) {
			continue
		}
		entries, err := toolfile.SecretEntries(f.Name, f.Text)
		if err != nil {
			return s, err
		}
		for _, e := range entries {
			if old, ok := where[e.Name]; ok && (old.Env != e.Env || old.File != e.File) {
				return s, fault.New(fault.Conflict, "Rename one of them.", "%s: the secret %s is declared differently (%s)", e.Pos, e.Name, old.Pos)
			}
			where[e.Name] = e
			s.read(p, e, filepath.Dir(f.Name))
		}
	}
	return s, nil
}

func (s *Secrets) read(p Places, e tool.SecretEntry, dir string) {
	if e.Env != "" {
		if value := p.Getenv(e.Env); value != "" {
			s.values[e.Name] = value
			return
		}
		s.absent[e.Name] = fault.New(fault.Denied, "Set it.", "the secret %s has no value: the environment variable %s is not set", e.Name, e.Env)
		return
	}
	path := e.File
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		if p.Home == "" {
			s.absent[e.Name] = fault.New(fault.Denied, "Set HOME, or write the whole path.", "the secret %s has no value: the home folder of %s is not known", e.Name, e.File)
			return
		}
		path = filepath.Join(p.Home, rest)
	} else if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	text, err := p.ReadFile(path, maxSecret)
	value := strings.TrimRight(string(text), "\r\n")
	switch {
	case errors.Is(err, fs.ErrNotExist):
		s.absent[e.Name] = fault.New(fault.Denied, "Write it there.", "the secret %s has no value: there is no file %s", e.Name, e.File)
	case err != nil:
		s.absent[e.Name] = fault.New(fault.Denied, "", "the secret %s has no value: the file %s cannot be read", e.Name, e.File)
	case value == "":
		s.absent[e.Name] = fault.New(fault.Denied, "Write it there.", "the secret %s has no value: the file %s is empty", e.Name, e.File)
	default:
		s.values[e.Name] = value
	}
}

// Secret returns the value of a secret.
func (s *Secrets) Secret(name string) (string, error) {
	if s == nil {
		return "", fault.New(fault.Denied, "Declare it: secrets: {"+name+": {env: …}}.", "there is no secret %s", name)
	}
	if value, ok := s.values[name]; ok {
		return value, nil
	}
	if err := s.absent[name]; err != nil {
		return "", err
	}
	return "", fault.New(fault.Invalid, "Declare it: secrets: {"+name+": {env: …}}.", "there is no secret %s", name)
}

// Values returns the values by name, for what keeps them out of texts.
func (s *Secrets) Values() map[string]string {
	if s == nil {
		return nil
	}
	return maps.Clone(s.values)
}

// String shows that there are secrets, and none of them.
func (s *Secrets) String() string { return "secrets" }

// GoString is String.
func (s *Secrets) GoString() string { return "secrets" }
