package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/app"
	"praxis/internal/safetext"
)

// The exit codes. exitTopic is their documentation: change both.
const (
	exitOK          = 0
	exitRaised      = 1   // the code raised, crashed its interpreter or broke its output limit
	exitNot         = 1   // what was asked is not so: a journal is damaged, runs differ
	exitUsage       = 2   // the command line, a file or a name is wrong
	exitUnfinished  = 3   // a run's journal is whole, but has no end
	exitUnverified  = 4   // figures of an answer were found nowhere, or it was given too early
	exitTimeout     = 124 // as timeout(1)
	exitFailed      = 125 // Praxis failed, as with docker run
	exitInterrupted = 130 // 128 + SIGINT
	exitKilled      = 137 // 128 + SIGKILL: memory, or killed
	exitPipe        = 141 // 128 + SIGPIPE: whoever read the output went away
)

const exitTopic = `Exit codes of every command:

  0    done
  1    the code raised an exception, crashed its interpreter, or broke the
       limit on output: look at the code itself; or what was asked is
       not so: a journal is damaged or signed by a key that is not trusted
       (verify), two runs differ (diff), a replay is not identical (replay,
       test), an assertion failed (assert), a plan was refused by its check or
       broke a limit (plan), a case of a policy fails (policy test), a file of
       tools is wrong (tools check), a call of a tool failed or was not made
       (tools call), an example fails (tools test), or a change of a tool breaks
       its users without saying so (tools diff)
  N    the code that was run ended itself with sys.exit(N), whatever N means here
       otherwise; with --json the object says which of both it was
  2    the command line, a file or a name is wrong, or asks for what a named
       session cannot take on: nothing was run
  3    what there is of a run's journal is whole, but the run was begun and
       not finished (verify, replay); or a plan waits for an answer and its
       state is stored (plan run, plan resume, ask); or an answer comes of a
       rehearsal: calls of its plan were not really made (ask)
  4    the answer holds figures that are found neither in what ran nor in the
       question, each of which is marked, or was given before the model was
       done, as a budget was used up (ask). With --strict such a figure leaves
       no answer. The tests of a project do not pass in the end (fix)
  124  the time limit ended the code
  125  Praxis failed, or something that it needs did: no image, no network,
       no model that is set up, a model that does not answer, a step budget used up, a session in a
       state that does not allow it, or what the code made could not be saved
  130  interrupted by Ctrl-C or SIGTERM
  137  the memory limit, the limit on processes or disk, or a signal ended
       the code
  141  whoever read the output went away

With --json the status is also in the object: ok 0, error 1, crashed 1,
output 1, timeout 124, memory 137, killed 137, interrupted 130; an error, too,
is 137 where "limit" is memory, processes or disk. The status
"failed" is that of a command that could not begin; "failure" then says why,
with kind, message and remedy, and with code and data where there are some, as
it does when what the code made could not be saved.
`

// statusCode maps what guest code did to an exit code.
func statusCode(s event.Status) int {
	switch s {
	case event.OK:
		return exitOK
	case event.Error, event.OutputLimit, event.Crashed:
		return exitRaised
	case event.Timeout:
		return exitTimeout
	case event.Memory, event.Killed:
		return exitKilled
	case event.Interrupted:
		return exitInterrupted
	}
	return exitFailed
}

// exitStatus ends a command whose code did not end well. The person knows already.
type exitStatus struct{ code int }

func (f exitStatus) Error() string { return fmt.Sprintf("exit code %d", f.code) }

// errInterrupted is the cause that cancels a command on Ctrl-C or SIGTERM.
var errInterrupted = errors.New("interrupted")

// executionCode maps what a piece of code did to an exit code. A limit may end it
// by an exception that it does not catch.
func executionCode(x event.Execution) int {
	code := statusCode(x.Status)
	switch x.Limit {
	case event.MemoryUse, event.ProcessCount, event.DiskSpace:
		if code == exitRaised {
			return exitKilled
		}
	}
	return code
}

// errorCode maps what a command returned to an exit code.
func errorCode(err error) int {
	var f exitStatus
	var u app.Unsaved
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &f):
		return f.code
	case errors.Is(err, syscall.EPIPE):
		return exitPipe
	case errors.Is(err, errInterrupted), errors.Is(err, context.Canceled):
		return exitInterrupted
	case errors.As(err, &u):
		return exitFailed
	}
	switch fault.CodeOf(err) {
	case fault.FiguresUntraced:
		return exitUnverified
	case fault.ModelUnchosen:
		return exitFailed // what the command needs is missing, not a word of the caller's
	case fault.FileExists, fault.SessionDiffers, fault.SessionExists, fault.ThreadExists:
		return exitUsage // the caller's own words ask for something else than what is there
	}
	switch fault.KindOf(err) {
	case fault.Invalid, fault.NotFound:
		return exitUsage
	case fault.Canceled:
		return exitInterrupted
	}
	return exitFailed
}

// report prints an error in the one voice: what failed and why, then what to do.
func report(w io.Writer, err error) {
	var f exitStatus
	if err == nil || errors.As(err, &f) || errors.Is(err, syscall.EPIPE) {
		return
	}
	if errorCode(err) == exitInterrupted {
		printMessage(w, interruption(err), remedyOf(err))
		return
	}
	printMessage(w, err.Error(), remedyOf(err))
}

// printMessage prints a message and its remedy. Both may quote a guest or a file name.
func printMessage(w io.Writer, message, remedy string) {
	fmt.Fprintf(w, "praxis: %s\n", indentRest(safetext.Text(message), "  "))
	if remedy != "" {
		fmt.Fprintf(w, "  → %s\n", indentRest(safetext.Text(remedy), "    "))
	}
}

// note prints a message to a person that is no part of the output.
func (p *program) note(format string, args ...any) error {
	_, err := fmt.Fprintf(p.stderr, "praxis: %s\n", safetext.Text(fmt.Sprintf(format, args...)))
	return err
}

// indentRest puts the lines after the first below it.
func indentRest(s, indent string) string {
	return strings.ReplaceAll(strings.TrimRight(s, "\n"), "\n", "\n"+indent)
}

// usage makes the fault of a wrong command line.
func usage(command, format string, args ...any) error {
	return fault.New(fault.Invalid, fmt.Sprintf("See %q.", strings.TrimSpace(command)+" --help"), "cannot read the command line: "+format, args...)
}
