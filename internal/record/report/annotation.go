package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"praxis/event"
	"praxis/internal/safetext"
)

// annotation is what all formats say in a line about an event that is neither
// prose nor code. The strings are not escaped yet; each format escapes them in
// its own way.
type annotation struct {
	Label string // such as "tool call"; our own words
	Text  string // one line
	Body  string // more lines, or empty
	Warn  bool   // something went wrong
}

const unfinished = "begun, not finished"

// annotate returns what to say about an item, if it is one of those.
func (s *timeline) annotate(it *item) (annotation, bool) {
	if r, ok := gated(it); ok {
		return r, r.Label != ""
	}
	if r, ok := ofChild(it); ok {
		return r, true
	}
	switch e := it.Event.(type) {
	case event.RunBegan:
		return annotation{"run", "a second beginning of the run is recorded", "", true}, true
	case event.AnswerGiven:
		return annotation{"answer", "a second answer is recorded", e.Text, true}, true
	case event.SessionBegan:
		return annotation{"session", "another session began: " + e.Session, "", false}, true
	case event.ModelRequested:
		return annotation{"model", e.Model + " was asked: " + unfinished, "", true}, it.lost
	case event.ModelRetrying:
		if e.Model != "" {
			return annotation{"model", e.Reason + ": " + e.Model + " was asked instead", "", true}, true
		}
		return annotation{"model", fmt.Sprintf("%s: attempt %d after %s", e.Reason, e.Attempt, seconds(e.After)), "", true}, true
	case event.ModelFailed:
		return annotation{"model failed", e.Reason + " (after " + seconds(e.Took) + ")", "", true}, true
	case event.ReplyRejected:
		if e.Draft != "" {
			return annotation{"draft not taken", e.Reason, e.Draft, true}, true
		}
		return annotation{"reply not usable", e.Reason, "", true}, true
	case event.OutlineWritten:
		if e.Revised {
			return annotation{"plan", "revised", e.Text, false}, true
		}
		return annotation{"plan", "in words", e.Text, false}, true
	case event.ReplyTrimmed:
		return annotation{"reply trimmed", e.Reason, "", true}, true
	case event.HistoryCondensed:
		text := fmt.Sprintf("%s (%s) shortened for the model, stored whole as %s", safetext.Count(e.Messages, "message"), safetext.Size(int64(e.Bytes)), short(e.Whole))
		return annotation{"history", text, e.Summary, false}, true
	case event.ExecutionBegan:
		return annotation{"code", unfinished + ": the end of this code is not recorded", "", true}, it.lost
	case event.ExecutionEnded:
		return s.filled(it, e)
	}
	if e, ok := it.Event.(event.ToolCalled); !ok || e.Line > 0 {
		if r, ok := planned(it); ok {
			return r, true
		}
	}
	return eventAnnotation(it)
}

// filled says how filling in an answer ended. The values come with the answer.
func (s *timeline) filled(it *item, e event.ExecutionEnded) (annotation, bool) {
	began, ok := it.opened.(event.ExecutionBegan)
	if !ok || began.Own() {
		return annotation{}, false
	}
	if began.Purpose != "" {
		return ofPurpose(began, e.Execution), true
	}
	what := safetext.Count(len(began.Fills), "figure")
	if x := e.Execution; x.Status != event.OK {
		return annotation{"filling in", what + " of the answer: " + statusText(x), strings.Join(began.Fills, "\n"), true}, true
	}
	return annotation{"filling in", what + " of the answer", "", false}, true
}

// ofPurpose says what came of code that is no step of a model's: a look at the inputs, or a check.
func ofPurpose(began event.ExecutionBegan, x event.Execution) annotation {
	label, what := "check", began.Check
	switch began.Purpose {
	case event.Profiling:
		label, what = "inputs", "looked at"
	case event.CheckingInput:
		label = "check of inputs"
	case event.Testing:
		return annotation{"tests", safetext.Line(what + ": " + statusText(x)), x.Stdout, x.Status != event.OK}
	}
	if x.Status == event.OK {
		return annotation{label, safetext.Line(what + ": " + statusText(x)), "", false}
	}
	more := ""
	if x.Error != nil {
		more = x.Error.Traceback
	}
	return annotation{label, safetext.Line(what + ": " + statusText(x)), more, true}
}

// eventAnnotation describes the events of tools, approvals, snapshots, sessions
// and files.
func eventAnnotation(it *item) (annotation, bool) {
	switch e := it.Event.(type) {
	case event.ToolCalled:
		name := strings.TrimSpace(e.Tool + " " + e.Version)
		if it.lost {
			return annotation{"tool call", name + ": " + unfinished, arguments(e.Arguments), true}, true
		}
		return annotation{"tool call", name, arguments(e.Arguments), false}, true
	case event.ToolReturned:
		name := e.ID
		if called, ok := it.opened.(event.ToolCalled); ok {
			name = called.Tool
		}
		if called, ok := it.opened.(event.ToolCalled); ok && called.Line > 0 && strings.HasPrefix(e.Error, "not called: ") {
			return annotation{"call", name + " was not made", "", true}, true
		}
		if e.Error != "" {
			return annotation{"tool failed", name + " after " + seconds(e.Took), e.Error, true}, true
		}
		if e.Rehearsed != "" {
			return annotation{"rehearsed", name + " was not really called; answered from " + e.Rehearsed, e.Result, false}, true
		}
		return annotation{"tool result", name + " after " + seconds(e.Took), e.Result, false}, true
	case event.ApprovalRequested:
		if it.lost {
			return annotation{"approval", "asked for " + e.ID + ": " + unfinished, e.Reason, true}, true
		}
		return annotation{"approval", "asked for " + e.ID, e.Reason, false}, true
	case event.ApprovalGiven:
		verb := "refused"
		if e.Granted {
			verb = "granted"
		}
		return annotation{"approval", verb + " for " + e.ID + " by " + e.By, e.Reason, !e.Granted}, true
	case event.TestsRan:
		return testsRan(e), true
	case event.PatchMade:
		return patchMade(e), true
	case event.SnapshotTaken:
		return annotation{"snapshot", e.Snapshot + sized(e), "", false}, true
	case event.SessionForked:
		return annotation{"session", e.Session + " began as a fork of " + e.From + ", snapshot " + e.Snapshot, "", false}, true
	case event.SessionRolledBack:
		return annotation{"session", e.Session + " went back to the snapshot " + e.Snapshot, "", true}, true
	case event.FileSaved:
		return annotation{"saved", e.Path + " (" + safetext.Size(e.Bytes) + ")", "", false}, true
	}
	return skillAnnotation(it.Event) // the end of the session is the run's
}

// arguments writes a tool's arguments as JSON, keys in order.
func arguments(a map[string]any) string {
	if len(a) == 0 {
		return ""
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(a); err != nil {
		return fmt.Sprint(a) // it did not come from a record
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// statusText says how an execution ended that did not end well.
func statusText(x event.Execution) string {
	switch {
	case x.Error != nil:
		return strings.TrimSuffix(x.Error.Name+": "+x.Error.Value, ": ")
	case x.Message != "":
		return x.Status.String() + ": " + x.Message
	}
	return x.Status.String()
}

// raised is the traceback of an execution, or "".
func raised(x event.Execution) string {
	if x.Error == nil {
		return ""
	}
	if x.Error.Traceback != "" {
		return x.Error.Traceback
	}
	return strings.TrimSuffix(x.Error.Name+": "+x.Error.Value, ": ")
}

// stopped says in one voice why code did not end by itself, or "".
func stopped(x event.Execution) string {
	switch x.Status {
	case event.OK, event.Error:
		return x.Message
	case event.Interrupted:
		return strings.TrimSuffix("interrupted: "+x.Message, ": ")
	}
	if x.Message == "" {
		return "cannot finish the code: status " + x.Status.String()
	}
	return "cannot finish the code: " + x.Message
}

// used writes what an execution used, such as "12 ms, 35MiB".
func used(x event.Execution) string {
	text := fmt.Sprintf("%.0f ms, %s", x.Usage.WallMS, safetext.Size(x.Usage.PeakMemoryBytes))
	if x.State != "" && x.State != event.Intact {
		text += ", state " + string(x.State)
	}
	return text
}

// origin says in words where a figure of an answer comes from.
func origin(f event.Figure) string {
	switch f.Source {
	case "computed":
		return "computed"
	case "output":
		return "printed by the code"
	case "question":
		if f.Match.Described() {
			return "said about a file"
		}
		return "in the question"
	case "unverified":
		return "not traced to anything that ran"
	}
	return f.Source
}

// foundAs says in words what a figure was found as and where, or what is nearest to one
// that was not; or "".
func foundAs(f event.Figure) string {
	m, words := f.Match, ""
	if f.Typed > 0 {
		return fmt.Sprintf("typed in the code of step %d, not computed", f.Typed)
	}
	if f.Said != "" {
		return "from a model's reply (" + safetext.Line(f.Said) + "), not computed"
	}
	if m == nil {
		if m = f.Nearest; m == nil {
			return ""
		}
		words = "nearest is "
	}
	words += safetext.Clip(safetext.Line(m.Text), maxFigure)
	if where := m.Place(); where != "" {
		words += ", " + where
	}
	if m.Stated {
		words += ", which stands in the code, too"
	}
	return words
}

// doubtful returns the figures of an answer that are not traced to anything.
func doubtful(a *event.AnswerGiven) []string {
	var out []string
	for _, f := range a.Figures {
		if f.Untraced() {
			out = append(out, f.Text)
		}
	}
	return out
}
