package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io/fs"

	"praxis/internal/bounded"
	"praxis/internal/image/embedded/archive"
)

const (
	listName = "files.json"
	maxFile  = 128 << 20 // bytes of one file
)

// listed is one entry of files.json.
type listed struct {
	Name       string      `json:"name"`
	Mode       fs.FileMode `json:"perm"`
	Symlink    string      `json:"symlink"`
	Compressed bool        `json:"compressed"`
}

// moduleEntries reads a distribution that comes as a folder of a Go module: files, some
// of them compressed one by one, and beside them files.json, the list of what belongs to
// the distribution. What d names is left out.
func moduleEntries(module fs.FS, d drop) ([]archive.Entry, error) {
	text, err := fs.ReadFile(module, listName)
	if err != nil {
		return nil, fmt.Errorf("cannot read the list of files: %w", err)
	}
	var list struct{ Files []listed }
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, fmt.Errorf("cannot read the list of files: %w", err)
	}
	var out []archive.Entry
	for _, l := range list.Files {
		if d.match(l.Name) {
			continue
		}
		e := archive.Entry{Name: l.Name, Mode: l.Mode, Link: l.Symlink}
		if l.Mode.IsRegular() {
			if e.Data, err = readListed(module, l); err != nil {
				return nil, fmt.Errorf("cannot read %s: %w", l.Name, err)
			}
		}
		out = append(out, e)
	}
	return out, nil
}

// readListed returns a file's content.
func readListed(module fs.FS, l listed) ([]byte, error) {
	if !l.Compressed {
		return fs.ReadFile(module, l.Name)
	}
	data, err := fs.ReadFile(module, l.Name+".gz")
	if err != nil {
		return nil, err
	}
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	return bounded.Read(z, maxFile)
}
