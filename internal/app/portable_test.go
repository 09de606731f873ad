package app

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"praxis/event"
	"praxis/fault"
)

// travelling exports a named session that was saved twice, and returns the file.
func travelling(t *testing.T) string {
	t.Helper()
	a := toyApp(t, nil)
	for _, code := range []string{"set x", "set y"} {
		s, err := a.OpenSession(t.Context(), SessionSpec{Name: "analysis"}, event.Discard)
		if err != nil {
			t.Fatal(err)
		}
		_, err = s.Execute(t.Context(), "", code, event.Bounds{}, event.Discard)
		_, saveErr := s.Save(t.Context(), "ran "+code)
		if err := errors.Join(err, saveErr, s.Close()); err != nil {
			t.Fatal(err)
		}
	}
	out, err := a.ExportSession(t.Context(), SessionExport{Name: "analysis", Path: t.TempDir() + "/"}, event.Discard)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(out.Path)
	if err != nil || info.Size() != out.Bytes || out.Snapshots != 2 || filepath.Base(out.Path) != "analysis"+sessionExtension {
		t.Fatalf("%+v, %v, %v", out, info, err)
	}
	if _, err := a.ExportSession(t.Context(), SessionExport{Name: "analysis", Path: out.Path}, event.Discard); fault.KindOf(err) != fault.Conflict && fault.KindOf(err) != fault.Invalid {
		t.Errorf("over a file that is there: %v", err)
	}
	return out.Path
}

// TestSessionTravels goes on with a session in another data folder, where it is and where
// it was before.
func TestSessionTravels(t *testing.T) {
	file := travelling(t)
	b := toyApp(t, nil)
	info, err := b.ImportSession(t.Context(), file, "", event.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if info.Name != "analysis" || len(info.Snapshots) != 2 || info.Snapshots[1].Label != "ran set y" || info.Snapshots[1].Parent != info.Snapshots[0].ID {
		t.Errorf("got %+v", info)
	}
	value := func() string {
		t.Helper()
		s, err := b.OpenSession(t.Context(), SessionSpec{Name: "analysis"}, event.Discard)
		if err != nil {
			t.Fatal(err)
		}
		out, err := s.Execute(t.Context(), "", "get y", event.Bounds{}, event.Discard)
		if err := errors.Join(err, s.Close()); err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(out.Stdout)
	}
	if got := value(); got != "y is true" {
		t.Errorf("it says %q", got)
	}
	if _, err := b.RollbackSession(t.Context(), "analysis", ""); err != nil {
		t.Fatal(err)
	}
	if got := value(); got != "y is false" {
		t.Errorf("before, it says %q", got)
	}
	if _, err := b.ImportSession(t.Context(), file, "", event.Discard); fault.CodeOf(err) != fault.SessionExists {
		t.Errorf("once more: %v", err)
	}
	if info, err := b.ImportSession(t.Context(), file, "again", event.Discard); err != nil || info.Name != "again" {
		t.Errorf("under another name: %+v, %v", info, err)
	}
}

// TestSessionFileThatIsNotWhole cuts and changes a session file: nothing is there
// afterwards, and every refusal is a fault.
func TestSessionFileThatIsNotWhole(t *testing.T) {
	whole, err := os.ReadFile(travelling(t))
	if err != nil {
		t.Fatal(err)
	}
	b := toyApp(t, nil)
	file := filepath.Join(t.TempDir(), "x")
	for i := range 40 {
		at := len(whole) * i / 40
		for what, data := range map[string][]byte{
			"cut":     whole[:at],
			"changed": append(append(bytes.Clone(whole[:at]), whole[at]^0xff), whole[at+1:]...),
		} {
			if err := os.WriteFile(file, data, 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := b.ImportSession(t.Context(), file, "", event.Discard)
			if kind := fault.KindOf(err); kind != fault.Invalid && kind != fault.Conflict {
				t.Fatalf("%s at %d of %d: %v", what, at, len(whole), err)
			}
		}
	}
	if all, err := b.NamedSessions(t.Context()); err != nil || len(all) > 0 {
		t.Errorf("there are %+v, %v", all, err)
	}
	if _, err := b.ImportSession(t.Context(), filepath.Join(t.TempDir(), "none"), "", event.Discard); fault.KindOf(err) != fault.NotFound {
		t.Errorf("a file that is not there: %v", err)
	}
	if err := os.WriteFile(file, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := b.ImportSession(t.Context(), file, "../out", event.Discard); fault.KindOf(err) != fault.Invalid {
		t.Errorf("a path for a name: %v", err)
	}
}
