package battery

import (
	"slices"
	"testing"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/language"
	"praxis/internal/language/bash"
	"praxis/internal/language/python"
	"praxis/internal/session"
	"praxis/internal/test/tally"
)

// TestImageLanguage compares what the image has with what the program expects.
func TestImageLanguage(t *testing.T) {
	want := language.Table{python.Language(), bash.Language()}
	if len(defaultImage.Runtimes) != len(want) {
		t.Fatalf("the image has %+v", defaultImage.Runtimes)
	}
	for i, l := range want {
		if r := defaultImage.Runtimes[i]; r.Language != l.Name || r.Version != l.Version {
			t.Errorf("the image has %+v, the program knows %s %s", r, l.Name, l.Version)
		}
	}
}

// TestTwoLanguages runs code of two languages in one sandbox, and in what is
// made of its snapshots.
func TestTwoLanguages(t *testing.T) {
	both := defaultImage
	other := language.Runtime{Language: "tally", Version: "1.0", Program: both.Runtimes[0].Program}
	both.Runtimes = append(slices.Clone(both.Runtimes), other)
	m := manager(t)
	s, err := m.Create(t.Context(), session.Options{Image: both}, event.Discard)
	if err != nil {
		t.Fatal(err)
	}
	want := func(s *session.Session, x session.Exec, code, value string) {
		t.Helper()
		got, err := s.Execute(t.Context(), code, x, event.Discard)
		if err != nil || got.Status != event.OK || got.Result["text"] != value {
			t.Fatalf("%q: got %+v, %v, want %s", code, got, err, value)
		}
	}
	second := session.Exec{Context: "second", Language: "tally"}
	want(s, session.Exec{}, "n = 1; n", "1")
	want(s, second, "n = 2\nn", "2")
	want(s, session.Exec{Context: "second"}, "n", "2")
	want(s, session.Exec{}, "n", "1")
	if _, err := s.Execute(t.Context(), "n", session.Exec{Context: "main", Language: "tally"}, event.Discard); err == nil {
		t.Error("one context runs two languages")
	}
	own := session.Exec{Language: "tally"} // runs in the context that is called as it is
	want(s, own, "n = 9\nn", "9")
	want(s, session.Exec{Context: "tally"}, "n", "9")
	want(s, session.Exec{Language: "python"}, "n", "1")
	if _, err := s.Execute(t.Context(), "n", session.Exec{Language: "cobol"}, event.Discard); fault.CodeOf(err) != fault.LanguageMissing {
		t.Errorf("a language that the image does not have: %v", err)
	}
	fork, err := s.Fork(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want(fork, second, "n += 5\nn", "7")
	want(fork, session.Exec{}, "n", "1")
	want(s, second, "n", "2")

	alone := defaultImage
	alone.Runtimes = []language.Runtime{other}
	first, err := m.Create(t.Context(), session.Options{Image: alone, Seed: new(int64)}, event.Discard)
	if err != nil {
		t.Fatal(err)
	}
	want(first, session.Exec{}, "environment", "TALLY_FIXED TALLY_HOME")
	if _, err := first.Execute(t.Context(), "1", session.Exec{Context: "p", Language: "python"}, event.Discard); err == nil {
		t.Error("a language runs that the image does not have")
	}
	if l := first.Languages().Of(alone.Runtimes); l.Name != tally.Language().Name {
		t.Errorf("got %s", l.Name)
	}
}
