package bench

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// Commands are how the program itself is started, to be measured as a whole process.
type Commands struct {
	Program string
	Home    string                     // the variable that names its data folder
	Once    []string                   // the smallest run
	Step    func(name string) []string // the same in a named session, which is made when it is missing
	Remove  func(name string) []string // removes the session
}

// process runs the program with a data folder.
func (b *bench) process(ctx context.Context, home string, args []string) error {
	cmd := exec.CommandContext(ctx, b.Commands.Program, args...)
	cmd.Env = append(os.Environ(), b.Commands.Home+"="+home)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("cannot run %s: %w: %.1000s", b.Commands.Program, err, out)
	}
	return nil
}

// processes measures what a person waits for: processes from their start to their end.
func (b *bench) processes(ctx context.Context, out map[string]Figure) (err error) {
	if b.Commands.Program == "" {
		for _, name := range []string{"run_ms", "first_run_ms", "step_ms"} {
			b.skipped[name] = "the program is not the command"
		}
		return nil
	}
	session := "bench-" + strings.ToLower(rand.Text())
	run := func() error { return b.process(ctx, b.Dir, b.Commands.Once) }
	step := func() error { return b.process(ctx, b.Dir, b.Commands.Step(session)) }
	if err := errors.Join(run(), step()); err != nil { // what is made once, is made
		return err
	}
	defer func() { err = errors.Join(err, b.process(ctx, b.Dir, b.Commands.Remove(session))) }()
	if err := inTurns(max(3, b.Rounds/2), []string{"run_ms", "step_ms"}, out, run, step); err != nil {
		return err
	}
	home, err := os.MkdirTemp(b.Dir, "bench-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(home)) }()
	return inTurns(max(1, b.Rounds/10), []string{"first_run_ms"}, out, func() error {
		empty, err := os.MkdirTemp(home, "")
		if err != nil {
			return err
		}
		return b.process(ctx, empty, b.Commands.Once)
	})
}
