package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"praxis/event"
	"praxis/fault"
)

// TestSaveNotebook saves over a notebook, and not over one that is another by now, or
// that would be longer than one may be.
func TestSaveNotebook(t *testing.T) {
	const text = `{"nbformat": 4, "cells": [{"cell_type": "code", "source": "x", "outputs": [], "execution_count": null}]}`
	path := filepath.Join(t.TempDir(), "a.ipynb")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	n, err := ReadNotebook(path, true)
	if err != nil {
		t.Fatal(err)
	}
	cells := NewCellCollector()
	cells.Emit(event.ExecutionBegan{Code: "x"})
	saved, err := n.Save(cells)
	want := strings.Replace(text, "null", "1", 1)
	if got, readErr := os.ReadFile(path); err != nil || readErr != nil || string(got) != want || saved.Bytes != int64(len(want)) {
		t.Errorf("%v, %v, %v\n%s", saved, err, readErr, got)
	}

	// The file is what was saved, and not what was read.
	if _, err := n.Save(cells); fault.KindOf(err) != fault.Conflict || !strings.Contains(err.Error(), "it was changed while its cells ran") {
		t.Errorf("saved over what somebody wrote: %v", err)
	}

	if n, err = ReadNotebook(path, true); err != nil {
		t.Fatal(err)
	}
	picture := event.Display{Bundle: event.Bundle{"image/svg+xml": strings.Repeat(" ", maxNotebook/4*3)}}
	cells.Emit(picture)
	if _, err := n.Save(cells); fault.KindOf(err) != fault.Exhausted {
		t.Errorf("saved more than can be read again: %v", err)
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != want {
		t.Errorf("%v\n%.200s", err, got)
	}

	if err := os.Truncate(path, maxNotebook+1); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadNotebook(path, false); fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), "longer than 64MiB") {
		t.Errorf("read a notebook that is too long: %v", err)
	}
}
