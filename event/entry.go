package event

import "slices"

// Entry is where data from outside enter a run.
type Entry struct {
	From string // what brings them: one of the From constants
	Name string // of the file or the host; else empty
}

// What brings data from outside into a run.
const (
	FromFile    = "file"    // a file that the run was given
	FromSession = "session" // the state that a session began with
	FromThread  = "thread"  // an earlier conversation
	FromNotes   = "notes"   // notes of other runs
	FromNetwork = "network" // a host that the code reached
	FromTool    = "tool"    // what a call returned, or why it failed
	FromChild   = "child"   // what a part of the run came to: it may have read anything
	FromCode    = "code"    // code for whose own values nobody vouches
)

// Entering returns where data from outside enter a run with an event; false
// says that none do. Nothing enters a run without an event, and an event is
// emitted before the data that it announces reach the model or its code. So
// whoever sees the events of a run knows everything that it may depend on.
func Entering(e Event) (Entry, bool) {
	switch e := e.(type) {
	case FileGiven:
		return Entry{FromFile, e.Name}, e.Role == "" // with a role it is no input of the code
	case SessionBegan:
		return Entry{FromSession, ""}, e.Snapshot != ""
	case SessionForked, SessionRolledBack:
		return Entry{FromSession, ""}, true
	case ConversationContinued:
		return Entry{FromThread, ""}, true
	case NotesFound:
		return Entry{FromNotes, ""}, true
	case ConnectionOpened:
		return Entry{FromNetwork, e.Host}, true
	case SkillsGiven:
		if slices.ContainsFunc(e.Skills, func(s Skill) bool { return s.Untrusted }) {
			return Entry{FromCode, ""}, true
		}
	case ExecutionBegan:
		if e.Untrusted {
			return Entry{FromCode, ""}, true
		}
	case ToolReturned:
		return Entry{FromTool, ""}, true
	case ChildEnded:
		return Entry{FromChild, ""}, true
	}
	return Entry{}, false
}
