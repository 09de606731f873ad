package cmd

import (
	"errors"
	"slices"
	"syscall"

	"github.com/spf13/cobra"

	"praxis/fault"
	"praxis/internal/cli/format"
	"praxis/internal/safetext"
)

// failureOf returns the fault in err, or nil. Its remedy is worded
// for the user of the command line, who reads the object.
func failureOf(err error) *fault.Error {
	var f exitStatus
	switch {
	case err == nil, errors.As(err, &f):
		return nil
	case errorCode(err) == exitInterrupted:
		return fault.New(fault.Canceled, remedyOf(err), "%s", interruption(err))
	}
	failure := fault.Of(err)
	failure.Remedy = remedyOf(err)
	return failure
}

// remedyOf words what to do about an error, and how a question that it broke off goes on.
func remedyOf(err error) string {
	remedy := format.Remedy(err)
	var b brokenOff
	if errors.As(err, &b) {
		remedy = b.remedy(remedy)
	}
	return remedy
}

// failedResult is the object of a command that failed before it had anything to
// say: whoever reads objects gets one in any case.
type failedResult struct {
	Status  string       `json:"status"` // "failed"
	Failure *fault.Error `json:"failure"`
}

// fail writes the object of a failure when cmd was to write objects and wrote none.
func (p *program) fail(cmd *cobra.Command, args []string, err error) error {
	f := failureOf(err)
	if f == nil || p.printedObject || errors.Is(err, syscall.EPIPE) || !jsonRequested(cmd, args) {
		return nil
	}
	return p.printJSON(failedResult{"failed", f})
}

// jsonRequested says whether a command line asks for objects. One that could not be
// read to its end is searched word by word.
func jsonRequested(cmd *cobra.Command, args []string) bool {
	if cmd != nil {
		if f := cmd.Flags().Lookup("json"); f != nil && f.Changed {
			return f.Value.String() == "true"
		}
	}
	if end := slices.Index(args, "--"); end >= 0 {
		args = args[:end]
	}
	return slices.ContainsFunc(args, func(a string) bool { return a == "--json" || a == "--json=true" })
}

// cut ends a run of the agent that was interrupted after some steps.
type cut struct{ steps int }

// Error says where.
func (c cut) Error() string { return "interrupted after " + safetext.Count(c.steps, "step") }

// Is makes it an interruption.
func (c cut) Is(target error) bool { return target == errInterrupted }

// interruption says that a command was interrupted, and where when it is known.
func interruption(err error) string {
	var c cut
	if errors.As(err, &c) {
		return c.Error()
	}
	return errInterrupted.Error()
}
