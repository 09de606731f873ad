package battery

import (
	"testing"

	"praxis/event"
	"praxis/internal/session"
	"praxis/internal/test/kerneltest"
)

func TestBashKernel(t *testing.T) {
	kerneltest.Exam(t, kerneltest.Language{
		Name: "bash", New: fresh(manager(t)),
		Set: "n=41", Get: "echo $((n + 1))",
		Greet: "echo 'grüß dich 你好 🙂'\necho psst >&2",
		Lines: "for ((i = 1; i <= 2000; i++)); do echo $i; done",
		Shown: "echo $((42 * 42))",
		Fail:  "m=1\n((m += 1))\nls /nowhere", FailName: "ExitStatus", FailHas: "2",
		Syntax:  "if true; then\n)",
		Endless: "while :; do :; done",
		Sleep:   "sleep 3600",
		Grow:    "x=xxxxxxxxxxxxxxxx; while :; do x=$x$x; done",
		Big:     "head -c 10000000 /dev/zero | tr '\\0' x",
		Orphan:  "sh -c 'sleep 2; echo 1 > /work/orphan' &",
		Quit:    "exit 3",
		Random:  "echo $RANDOM $SRANDOM $SECONDS $BASHPID; date +%s%N; od -An -tx1 -N8 /dev/urandom; mktemp -u",
		Prefix:  "echo ${BASH_VERSIN", Completion: "BASH_VERSINFO",
		Lacks: map[string]string{"Display": "a shell prints text and nothing else"},
	})
}

// A shell that a program took the place of is replaced, and the result says so.
func TestBashReplaced(t *testing.T) {
	s := fresh(manager(t))(t, nil, 0)
	x, err := s.Execute(t.Context(), "n=1; exec sh -c 'exit 5'", session.Exec{Language: "bash"}, event.Discard)
	if err != nil || x.Status != event.Error || x.State == event.Intact || x.Error.Value != "5" {
		t.Errorf("got %+v, %v", x, err)
	}
	x, err = s.Execute(t.Context(), "echo \"[$n]\"", session.Exec{Language: "bash"}, event.Discard)
	if err != nil || x.Stdout != "[]\n" {
		t.Errorf("got %+v, %v", x, err)
	}
}
