package guest_test

import (
	"strings"
	"testing"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/guest"
	"praxis/internal/guest/wire"
	"praxis/internal/language"
	"praxis/internal/test/tally"
)

// Two languages run side by side, each context in one of them.
func TestTwoLanguages(t *testing.T) {
	t.Parallel()
	b := start(t, func(s *wire.Setup) {
		r := language.Runtime{Program: s.Kernels[0].Command[0]}
		s.Kernels = append(s.Kernels, guest.Kernel(tally.Language(), r))
		s.Deterministic = true
	})
	b.want("n = 20; n + 1", "21")
	in := func(context, name, code string) event.Execution {
		return b.exec(wire.Execute{Context: context, Language: name, Code: code})
	}
	for _, step := range []struct{ context, language, code, value string }{
		{"other", "tally", "n = 3 ; not Python's\nn += 4\nn", "7"},
		{"other", "", "n += 1\nn", "8"},
		{"main", "python", "n", "20"},
		{"third", "python", "'n' in globals()", "False"},
		{"other", "tally", "environment", "TALLY_FIXED TALLY_HOME"},
	} {
		if x := in(step.context, step.language, step.code); x.Status != event.OK || x.Result["text"] != step.value {
			t.Errorf("%q in %s: got %+v, want %s", step.code, step.context, x, step.value)
		}
	}
	if x := in("other", "tally", "say one two\nmissing"); x.Status != event.Error || x.Stdout != "one two\n" || x.Error.Name != "Unknown" || x.State != event.Intact {
		t.Errorf("got %+v", x)
	}
	b.want("import os; os.environ['TALLY_HOME']", "'/work'")

	for _, c := range []struct {
		context, language string
		kind              fault.Kind
	}{
		{"other", "python", fault.Conflict}, {"main", "tally", fault.Conflict}, {"new", "cobol", fault.Invalid}, {"new", "../x", fault.Invalid},
	} {
		_, err := b.Execute(b.ctx(), wire.Execute{Context: c.context, Language: c.language, Code: "1"}, nil)
		if fault.KindOf(err) != c.kind || fault.RemedyOf(err) == "" {
			t.Errorf("%s in %s: got %v", c.language, c.context, err)
		}
	}
	contexts, err := b.Contexts(b.ctx())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range contexts {
		got = append(got, c.Name+" "+c.Language)
	}
	if list := strings.Join(got, ", "); list != "main python, other tally, third python" {
		t.Errorf("got %s", list)
	}
	if err := b.Restart(b.ctx(), "other"); err != nil {
		t.Fatal(err)
	}
	if x := in("other", "", "n"); x.Status != event.Error {
		t.Errorf("after a restart: got %+v", x)
	}
	if c, err := b.Complete(b.ctx(), "other", "x", 1); err != nil || len(c.Matches) != 0 {
		t.Errorf("got %v, %v: only the kernel of main imports anything", c, err)
	}
}

// The first language is that of main, and what its kernel preloads is there.
func TestFirstLanguage(t *testing.T) {
	t.Parallel()
	b := start(t, func(s *wire.Setup) {
		r := language.Runtime{Program: s.Kernels[0].Command[0], Preload: []string{"numbers"}}
		s.Kernels = []wire.Kernel{guest.Kernel(tally.Language(), r)}
	})
	b.want("ready", "0")
	b.want("numbers", "0")
	if _, err := b.Execute(b.ctx(), wire.Execute{Language: "python", Code: "1"}, nil); fault.KindOf(err) != fault.Conflict {
		t.Errorf("got %v", err)
	}
	x := b.exec(wire.Execute{Code: "sleep 60", WallMS: 200})
	if x.Status != event.Timeout || x.State != event.Intact {
		t.Errorf("got %+v", x)
	}
	b.want("ready", "0")
}
