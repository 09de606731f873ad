package event

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// Version is the version of the vocabulary.
const Version = 1

// Event is one record. The set is closed: only this package implements it.
type Event interface{ event() }

// Sink receives events in the order in which they happened. Emit must not
// block for long and must not keep the byte slices that it is given.
type Sink interface {
	Emit(Event)
}

// SinkFunc makes a function a Sink.
type SinkFunc func(Event)

// Emit calls f.
func (f SinkFunc) Emit(e Event) { f(e) }

// Discard is a Sink that drops everything.
var Discard Sink = SinkFunc(func(Event) {})

// Both returns a Sink that gives each event to first, and then to second.
func Both(first, second Sink) Sink {
	return SinkFunc(func(e Event) {
		first.Emit(e)
		second.Emit(e)
	})
}

// Record is an event with its place in a journal.
type Record struct {
	Seq   int64     // counts from 0, the header's; the first event has 1
	Time  time.Time // of the host's clock, in UTC
	Event Event
}

// Stream names an output stream of the guest.
type Stream uint8

// The streams.
const (
	Stdout Stream = iota + 1
	Stderr
)

// String returns "stdout" or "stderr".
func (s Stream) String() string {
	if s == Stderr {
		return "stderr"
	}
	return "stdout"
}

// MarshalText writes the name.
func (s Stream) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads a name.
func (s *Stream) UnmarshalText(b []byte) error {
	switch string(b) {
	case "stdout":
		*s = Stdout
	case "stderr":
		*s = Stderr
	default:
		return fmt.Errorf("cannot read stream %q: not one of stdout, stderr", b)
	}
	return nil
}

// Duration is a length of time that is written as a number of milliseconds,
// with three digits after the point at the most.
type Duration time.Duration

// MarshalJSON writes milliseconds.
func (d Duration) MarshalJSON() ([]byte, error) {
	return json.Marshal(float64(time.Duration(d).Microseconds()) / 1000)
}

// UnmarshalJSON reads milliseconds.
func (d *Duration) UnmarshalJSON(b []byte) error {
	var ms float64
	if err := json.Unmarshal(b, &ms); err != nil {
		return err
	}
	if math.Abs(ms) > float64(math.MaxInt64/int64(time.Millisecond)) {
		return fmt.Errorf("cannot read duration: %g milliseconds are too many", ms)
	}
	*d = Duration(math.Round(ms*1000) * float64(time.Microsecond))
	return nil
}

// String writes d as time.Duration does.
func (d Duration) String() string { return time.Duration(d).String() }

// Bundle maps a MIME type to its content: text as it is, binary types
// (image/png, image/jpeg) in standard base64. The key "text" holds text/plain.
type Bundle map[string]string

// AnswerMIME is the item of a displayed bundle in which code gives the answer of a run: the
// function answer() of the kernels makes it.
const AnswerMIME = "application/vnd.praxis.answer+json"

// FileMIME is the item of a displayed bundle that names the file of the session that the code
// saved the same picture in.
const FileMIME = "application/vnd.praxis.file"

// Progress says how far a long preparation is, such as the building of an image
// or the preparation of a template.
type Progress struct {
	Stage string `json:"stage"` // "image", "template", "session"
	Text  string `json:"text"`  // one line, no newline
}

// Notice is a message to a person that is no part of a command's result, such
// as that a server changed its tools while a run goes on.
type Notice struct {
	Text   string            `json:"text"`
	Remedy string            `json:"remedy,omitempty"` // what to do about it
	Code   string            `json:"code,omitempty"`   // of the remedy, as package fault names it
	Data   map[string]string `json:"data,omitempty"`   // of the code
}

// Kind says what a run is.
type Kind string

// The kinds of runs.
const (
	Ask  Kind = "ask"  // a question, answered by the agent
	Code Kind = "code" // a person's code, run once

	// ToolCall is one call of a tool that a person made.
	ToolCall Kind = "tool"
)

// RunBegan opens a run.
type RunBegan struct {
	Kind Kind `json:"kind"`
	// Mode says how a question is answered: "" by code, "plan" by plans, "tools" by
	// native calls alone, "both" by code and native calls.
	Mode string `json:"mode,omitempty"`
	// Style is how a question is worked at; "": step by step. Branches is how many attempts
	// at it are made side by side, as children; 0: the run is one itself.
	Style    string `json:"style,omitempty"`
	Branches int    `json:"branches,omitempty"`
	Question string `json:"question"` // for code, its first line
	Model    string `json:"model,omitempty"`
	// Fallbacks are the models that are asked when those before fail for good.
	Fallbacks []string `json:"fallbacks,omitempty"`
	Effort    string   `json:"effort,omitempty"` // how much the model is asked to reason
	Scripted  bool     `json:"scripted"`         // the model's replies come from a file
	Traits    Traits   `json:"traits,omitzero"`
	Files     []string `json:"files,omitempty"`
	MaxSteps  int      `json:"max_steps,omitempty"`
	Bounds    Bounds   `json:"bounds"`            // of each execution
	Budget    Budget   `json:"budget"`            // of the whole run, beside MaxSteps
	Seed      *int64   `json:"seed,omitempty"`    // makes the session deterministic
	Thread    string   `json:"thread,omitempty"`  // the conversation that it goes on with
	Parent    *Parent  `json:"parent,omitempty"`  // the run that it was branched or replayed from
	Caller    *Caller  `json:"caller,omitempty"`  // the run that it is a part of
	Program   string   `json:"program,omitempty"` // version of praxis
	User      string   `json:"user,omitempty"`    // who ran it: name and number
	Host      string   `json:"host,omitempty"`    // the machine's name
	Client    Client   `json:"client,omitzero"`   // of a server, on whose behalf it ran
	// Language is that of the code; "": the first that the session's image has.
	Language string   `json:"language,omitempty"`
	File     string   `json:"file,omitempty"` // that the code or the plan was read from, without its folder
	Args     []string `json:"args,omitempty"` // of the code, after its name
	// Untrusted says of code that a person runs that nobody vouches for the values
	// that it makes itself.
	Untrusted bool `json:"untrusted,omitempty"`
	// ShowChanges says that the model sees which variables each step made and changed.
	ShowChanges bool `json:"show_changes,omitempty"`
	// Strict says that an answer with a figure that is found nowhere is none.
	Strict bool `json:"strict,omitempty"`
	// Context is the file whose text is the variable of that name; empty: there is none.
	Context string `json:"context,omitempty"`
	// Subcalls says that code may query models and begin runs, and SubcallModels which models
	// beside its own it may name. Budget.Depth says how deep.
	Subcalls      bool     `json:"subcalls,omitempty"`
	SubcallModels []string `json:"subcall_models,omitempty"`
	// Learn says that the model may have functions kept for later runs.
	Learn bool `json:"learn,omitempty"`
	// Tools are those that the model or its code may call, sorted by name. The
	// texts of definitions and policy are file_given of their roles.
	Tools []ToolPin `json:"tools,omitempty"`
	// Net are the hosts that code may reach, as rules say them.
	Net []string `json:"net,omitempty"`
	// Schema is the JSON Schema that the answer must keep to.
	Schema json.RawMessage `json:"schema,omitempty"`
	// InputChecks are run before the model is asked, and Checks when it has answered.
	InputChecks []Check `json:"input_checks,omitempty"`
	Checks      []Check `json:"checks,omitempty"`
	// Repo is the project that the run works on; nil: it works on none.
	Repo *Repo `json:"repo,omitempty"`
}

// Client is who asked a server for something.
type Client struct {
	Tenant string `json:"tenant"`
	Key    string `json:"key"` // the id of the key, never the key itself
}

type clientKey struct{}

// WithClient returns a context of what is done on behalf of a client: runs that begin under
// it record that.
func WithClient(ctx context.Context, c Client) context.Context {
	return context.WithValue(ctx, clientKey{}, c)
}

// ClientOf returns on whose behalf something is done; the zero Client: nobody's but the user's.
func ClientOf(ctx context.Context) Client {
	c, _ := ctx.Value(clientKey{}).(Client)
	return c
}

// Parent names the run that another was made from.
type Parent struct {
	Run    string `json:"run"`
	Step   int    `json:"step,omitempty"` // the first step that was not taken over
	Change string `json:"change"`         // what is different, in one line
}

// SessionBegan says that the session of a run is ready.
type SessionBegan struct {
	Session string `json:"session"`
	Name    string `json:"name,omitempty"` // of a named session
	Image   Image  `json:"image"`
	Limits  Limits `json:"limits"`
	Seed    *int64 `json:"seed,omitempty"`
	// Date is when the session began by its clocks, if it has a seed.
	Date     time.Time `json:"date,omitzero"`
	Snapshot string    `json:"snapshot,omitempty"` // the state that it began with; empty: a fresh one
	// Added are the packages that it has beside its image's, in the order in which
	// they were added.
	Added []Package `json:"added,omitempty"`
}

// Packages returns all packages of the session.
func (e SessionBegan) Packages() []Package { return slices.Concat(e.Image.Packages, e.Added) }

// Image names a root file system by its content.
type Image struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// Languages are those that it has, the one first that code is in when nothing
	// else is said.
	Languages []Language `json:"languages,omitempty"`
	Packages  []Package  `json:"packages,omitempty"` // sorted by name
	NPM       []Package  `json:"npm,omitempty"`      // packages of npm, sorted by name
	// Digest is that of the manifest of the container image that it is made of.
	Digest string `json:"digest,omitempty"`
}

// Language is a programming language as an image has it.
type Language struct {
	Name    string `json:"name"` // such as "python"
	Version string `json:"version"`
}

// Package is one installed distribution.
type Package struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Hash    string `json:"hash,omitempty"` // of the wheel, "sha256:" and 64 hexadecimal digits
}

// SessionEnded says that the session of a run is over.
type SessionEnded struct {
	Session string `json:"session"`
}

// FileGiven says that an input was put into the session. With a role it is a
// file that a run is checked against or goes on from. The content is stored
// under its hash unless Withheld says why not.
type FileGiven struct {
	Name     string `json:"name"`           // on the person's side
	Path     string `json:"path"`           // in the session; empty with a role
	Role     string `json:"role,omitempty"` // of a plan's file: "tools", "policy", or "state" that was stored; of a skill: RoleSkill
	Bytes    int64  `json:"bytes"`
	SHA256   string `json:"sha256"`
	Withheld string `json:"withheld,omitempty"`
	// Variable is the name of the variable of which the content is the value, and Form how it
	// is read; empty: it is a file for code to open.
	Variable string `json:"variable,omitempty"`
	Form     string `json:"form,omitempty"`
}

// ConversationContinued says that the question of a run goes on with an earlier
// conversation, which the model is shown.
type ConversationContinued struct {
	Messages int `json:"messages"` // that the earlier conversation has
}

// NotesFound says that the model is shown notes of other runs.
type NotesFound struct {
	Step  int `json:"step"`
	Notes int `json:"notes"` // how many
}

// StepBegan opens one turn of Reason → Act → Observe. N counts from 1.
type StepBegan struct {
	N int `json:"step"`
}

// ModelRetrying says that a model failed in a way that may pass and is called
// again after a pause. Attempt counts from 1: it is the one that comes.
type ModelRetrying struct {
	Step    int      `json:"step"`
	Reason  string   `json:"reason"` // short, such as "429 slow down"
	After   Duration `json:"after_ms"`
	Attempt int      `json:"attempt"`
	Model   string   `json:"model,omitempty"` // another model that is asked from then on
}

// ModelDelta is a piece of the model's reply as it is streamed.
type ModelDelta struct {
	Step int    `json:"step"`
	Text string `json:"text"`
	// Reasoning says that it is no part of the reply but of what the model thinks before.
	Reasoning bool `json:"reasoning,omitempty"`
}

// Tokens counts what calls of a model used.
type Tokens struct {
	Input        int `json:"input"`                   // all of it, also what came from a cache
	Output       int `json:"output"`                  // reasoning included
	CacheRead    int `json:"cache_read,omitempty"`    // the part of Input that the provider had in its cache
	CacheWritten int `json:"cache_written,omitempty"` // the part of Input that it put there
	Reasoning    int `json:"reasoning,omitempty"`     // the part of Output that was reasoning, where the provider says it
	// Incomplete says that a reply came without its figures, so that more was
	// used than is counted here.
	Incomplete bool `json:"incomplete,omitempty"`
}

// Add returns the sum of two counts.
func (t Tokens) Add(u Tokens) Tokens {
	return Tokens{
		Input: t.Input + u.Input, Output: t.Output + u.Output,
		CacheRead: t.CacheRead + u.CacheRead, CacheWritten: t.CacheWritten + u.CacheWritten,
		Reasoning: t.Reasoning + u.Reasoning, Incomplete: t.Incomplete || u.Incomplete,
	}
}

// Sub returns what is left of a count without a part of it.
func (t Tokens) Sub(part Tokens) Tokens {
	return Tokens{
		Input: t.Input - part.Input, Output: t.Output - part.Output,
		CacheRead: t.CacheRead - part.CacheRead, CacheWritten: t.CacheWritten - part.CacheWritten,
		Reasoning: t.Reasoning - part.Reasoning, Incomplete: t.Incomplete,
	}
}

// Total returns how many tokens went in and out.
func (t Tokens) Total() int { return t.Input + t.Output }

// ReplyRejected says that a reply contained no action that could be used; Reason went back to the model.
type ReplyRejected struct {
	Step   int    `json:"step"`
	Reason string `json:"reason"`
	Draft  string `json:"draft,omitempty"` // the answer that was not taken, bounded; empty: it was none
}

// ReplyTrimmed says that a reply contained more than the one action that is taken.
type ReplyTrimmed struct {
	Step   int    `json:"step"`
	Reason string `json:"reason"` // what was taken and what was not
}

// OutlineWritten says in which steps the model means to work, in its own words: the plan of
// a run that is to have one before its first code. Revised says that it takes the place of
// an earlier one.
type OutlineWritten struct {
	Step    int    `json:"step"`
	Text    string `json:"text"` // bounded
	Revised bool   `json:"revised,omitempty"`
}

// RunConcluding says that a run may not go on, so that the model is asked once for
// the best answer that it can give. Reason says why. Budget is the part of the
// budget that is used up, one of [BudgetTime] and the names beside it; empty for others.
type RunConcluding struct {
	Step   int    `json:"step"` // the last that was taken before
	Reason string `json:"reason"`
	Budget string `json:"budget,omitempty"`
}

// HistoryCondensed says that the older part of the conversation was shortened
// for the model. The whole is the content with the hash Whole, a JSON array of
// messages.
type HistoryCondensed struct {
	Step     int    `json:"step"`
	Messages int    `json:"messages"` // that were condensed
	Bytes    int    `json:"bytes"`    // of their text
	Summary  string `json:"summary"`  // the text that replaces them
	Whole    string `json:"whole"`    // SHA-256, hexadecimal: the pointer that the model is given
}

// ExecutionBegan is emitted before code is sent to the guest. Step is 0 outside the agent.
type ExecutionBegan struct {
	Step     int      `json:"step"`
	Session  string   `json:"session,omitempty"`
	Context  string   `json:"context,omitempty"`
	Language string   `json:"language,omitempty"` // of the code, such as "python"
	Code     string   `json:"code"`
	File     string   `json:"file,omitempty"`  // the name of the code in errors; "": they number what was run
	Fills    []string `json:"fills,omitempty"` // the expressions whose values the code fills into an answer; nil for the model's own code
	// Untrusted says that nobody vouches for the values that the code itself makes.
	Untrusted bool `json:"untrusted,omitempty"`
	// Purpose says what code is for that neither a model nor a person's run brought, and
	// Check is the name of the check that it is.
	Purpose Purpose `json:"purpose,omitempty"`
	Check   string  `json:"check,omitempty"`
}

// Own says whether the code is what the run is about: the model's, or a person's.
func (e ExecutionBegan) Own() bool { return len(e.Fills) == 0 && e.Purpose == "" }

// Purpose says what an execution is for that is no step of a model and no code of a
// run's person. "" is none of them.
type Purpose string

// The purposes.
const (
	Profiling     Purpose = "profile"     // what the inputs are, before a model is asked
	CheckingInput Purpose = "input_check" // whether the inputs are what they should be
	Checking      Purpose = "check"       // whether the answer is
	Testing       Purpose = "test"        // whether the tests of a project pass, in a session of their own
)

// Check is code that decides whether inputs or an answer are right: it is wrong where it
// raises. With Expression it is one expression, which must be true.
type Check struct {
	Name       string `json:"name"` // of its file, or the expression
	Code       string `json:"code"`
	Expression bool   `json:"expression,omitempty"`
}

// Output is a piece of a stream, in the order in which the guest wrote it. It may split a character.
type Output struct {
	Stream Stream
	Data   []byte
}

type outputJSON struct {
	Stream Stream `json:"stream"`
	Text   string `json:"text"`
}

// MarshalJSON writes the data as text.
func (o Output) MarshalJSON() ([]byte, error) {
	return Encode(outputJSON{o.Stream, string(o.Data)})
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (o *Output) UnmarshalJSON(b []byte) error {
	var v outputJSON
	if err := decode(b, &v); err != nil {
		return err
	}
	o.Stream, o.Data = v.Stream, []byte(v.Text)
	return nil
}

// Display is a rich value that the code displayed.
type Display struct {
	Bundle Bundle `json:"bundle"`
}

// ExecutionEnded closes what ExecutionBegan opened.
type ExecutionEnded struct {
	Step      int       `json:"step"`
	Execution Execution `json:"execution"`
}

// ToolCalled is emitted before a tool is called.
type ToolCalled struct {
	Step      int            `json:"step"`
	ID        string         `json:"id"` // unique in the run
	Tool      string         `json:"tool"`
	Version   string         `json:"version,omitempty"`
	Arguments map[string]any `json:"arguments"`
	// Of a call from a plan: the hash of the tool's definition, the line of the
	// call, what each argument depends on, and, in strict mode, that the call is made at all.
	Hash    string               `json:"hash,omitempty"`
	Line    int                  `json:"line,omitempty"`
	Labels  map[string]DataLabel `json:"labels,omitempty"`
	Control *DataLabel           `json:"control,omitempty"`
	// Origin says who calls: [OriginModel] and the constants beside it.
	Origin string `json:"origin,omitempty"`
	// By names what executes the call; it contains no secret.
	By string `json:"by,omitempty"`
	// Effects are those of the definition: "pure", "read", "write" or "external";
	// empty for the tools that every run has.
	Effects string `json:"effects,omitempty"`
}

// Who calls a tool.
const (
	OriginModel  = "model" // a native call of the model
	OriginCode   = "code"  // code in the sandbox
	OriginPlan   = "plan"
	OriginPerson = "person" // somebody at the command line
)

// How the error of a call begins of which there is nothing to tell.
const (
	NotCalled = "not called: " // it was denied, or the run was stopped before it
	GivenUp   = "given up: "   // it was made, and the run was stopped before its end
)

// Resumed is the Change of a run that goes on with one that broke off.
const Resumed = "resumed"

// How far an approval reaches.
const (
	ScopeOnce  = "once"  // this call alone
	ScopeExact = "exact" // this tool with these arguments and labels, in this run
	ScopeRun   = "run"   // this tool in this run, whatever the arguments
)

// ToolReturned closes what ToolCalled opened.
type ToolReturned struct {
	Step   int    `json:"step"`
	ID     string `json:"id"`
	Result string `json:"result,omitempty"`
	Error  string `json:"error,omitempty"` // why there is no result; of a call that was not made it begins with [NotCalled]
	// Of a failure, the kind and the code, as package fault names them, and the
	// remedy that the caller received.
	Kind   string   `json:"kind,omitempty"`
	Code   string   `json:"code,omitempty"`
	Remedy string   `json:"remedy,omitempty"`
	Raised string   `json:"raised,omitempty"` // the class of the exception that the tool's code raised
	Took   Duration `json:"took_ms"`
	// Cut says how much of what was asked for the result holds, such as "1,000 of 3,000
	// rows", when it is not all.
	Cut   string     `json:"cut,omitempty"`
	Label *DataLabel `json:"label,omitempty"` // of a result that a plan gets
	// Rehearsed says where the answer comes from when the tool was not really
	// called; empty: it was.
	Rehearsed string `json:"rehearsed,omitempty"`
}

// ApprovalRequested says that the call ID waits for somebody's approval.
type ApprovalRequested struct {
	ID     string `json:"id"`
	Reason string `json:"reason"`
	Bound  string `json:"bound,omitempty"` // SHA-256, hexadecimal, of what the answer is bound to: definition, arguments and labels
}

// ApprovalGiven closes what ApprovalRequested opened.
type ApprovalGiven struct {
	ID      string `json:"id"`
	Granted bool   `json:"granted"`
	By      string `json:"by"`              // "person", "program", "policy", "timeout", "nobody"
	Who     string `json:"who,omitempty"`   // the person or the program
	Scope   string `json:"scope,omitempty"` // [ScopeOnce], [ScopeExact] or [ScopeRun]
	Reason  string `json:"reason,omitempty"`
	Bound   string `json:"bound,omitempty"` // as in approval_requested
}

// SnapshotTaken says that a session's whole state was saved. Step is the first
// step whose effects are not in it.
type SnapshotTaken struct {
	Step     int    `json:"step"`
	Session  string `json:"session"`
	Snapshot string `json:"snapshot"`
	Bytes    int64  `json:"bytes"`
}

// SessionForked says that a session began with the state of another.
type SessionForked struct {
	Session  string `json:"session"` // the new one
	From     string `json:"from"`
	Snapshot string `json:"snapshot"`
}

// SessionRolledBack says that a session went back to a snapshot.
type SessionRolledBack struct {
	Session  string `json:"session"`
	Snapshot string `json:"snapshot"`
}

// FileSaved says that a file of the session was copied to the host.
type FileSaved struct {
	Path  string `json:"path"` // on the host
	Bytes int64  `json:"bytes"`
}

// AnswerGiven is the final answer, rendered from values in the sandbox. In its text
// every figure that was found nowhere is followed by " (unverified)", unless the
// text is a JSON object or list.
type AnswerGiven struct {
	Text    string   `json:"text"`
	Figures []Figure `json:"figures,omitempty"` // every value that was filled in or traced back
	// Rehearsed are tools that the answer relies on and that were not really called.
	Rehearsed []string `json:"rehearsed,omitempty"`
	// Value is the answer as JSON, where it is more than a text: what a schema asked for, or
	// data that code gave. A table is a list of objects.
	Value json.RawMessage `json:"value,omitempty"`
	// Files are what belongs to the answer, as paths in the session: a table as CSV, pictures.
	Files []string `json:"files,omitempty"`
	// Incomplete says why the model had to answer before it was done; empty: it was.
	Incomplete string `json:"incomplete,omitempty"`
}

// Figure is one value of an answer and where it comes from.
type Figure struct {
	Text       string `json:"text"`                 // as it stands in the answer
	Expression string `json:"expression,omitempty"` // evaluated in the sandbox, or empty
	Source     string `json:"source"`               // "computed", "output", "question"; "unverified" when it was found nowhere
	Match      *Match `json:"match,omitempty"`      // what it was found as
	Nearest    *Match `json:"nearest,omitempty"`    // of an unverified figure: the nearest number that was shown
	// Typed is the step whose code has an unverified figure, which is shown as it was typed
	// there and takes part in no computation; 0: none.
	Typed int `json:"typed,omitempty"`
	// Said is the query or the run whose words alone an unverified figure is, such as "query 2".
	Said string `json:"said,omitempty"`
	// Partial says of a figure that may rest on a result which was not the whole of what was
	// asked for how much that was, such as "sql.query: 1,000 of 3,000 rows".
	Partial string `json:"partial,omitempty"`
}

// Untraced says that the figure was found nowhere.
func (f Figure) Untraced() bool { return f.Source == UntracedSource }

// UntracedSource is the source of a figure that was found nowhere.
const UntracedSource = "unverified"

// Untraced returns the figures that were found nowhere.
func Untraced(figures []Figure) []Figure {
	var out []Figure
	for _, f := range figures {
		if f.Untraced() {
			out = append(out, f)
		}
	}
	return out
}

// Match is a number that a run was shown.
type Match struct {
	Text string `json:"text"`           // as it was printed, with its unit
	Step int    `json:"step,omitempty"` // whose output it stands in; 0: an earlier run's, or no output
	In   string `json:"in,omitempty"`   // "stdout", "stderr", "result", "display", "variables", "tool", "question" or "file"
	Line int    `json:"line,omitempty"` // of that text, counted from 1
	// Stated says that the number also stands in the code that printed it: it may have been
	// written there and not computed.
	Stated bool `json:"stated,omitempty"`
}

// Described says that the number stands in what was found out about a file, such as the range
// of a column: code of the run itself has not computed with it.
func (m *Match) Described() bool { return m != nil && m.In == "file" }

// Place says where the number stands, such as "step 2, line 4".
func (m Match) Place() string {
	var parts []string
	if m.Step > 0 {
		parts = append(parts, fmt.Sprintf("step %d", m.Step))
	}
	if m.In != "" && (m.In != "stdout" || m.Step == 0) {
		parts = append(parts, m.In)
	}
	if m.Line > 0 {
		parts = append(parts, fmt.Sprintf("line %d", m.Line))
	}
	return strings.Join(parts, ", ")
}

// RunStatus says how a run ended.
type RunStatus string

// The statuses of runs. A run of code has the status of its execution: ok, error,
// timeout, memory, output, killed, interrupted or crashed. A run of a plan has the
// status of the plan, which is ok, error, limit, waits or stopped, or it was refused.
const (
	Answered   RunStatus = "answered"
	Unanswered RunStatus = "unanswered" // Reason says why
	Failed     RunStatus = "failed"     // it could not be executed; Reason says why
	Unverified RunStatus = "unverified" // answered, but figures were found nowhere, or before the model was done; Reason says so
	Abandoned  RunStatus = "abandoned"  // the process that executed it ended first
	Refused    RunStatus = "refused"    // the check of the plan refused it: nothing ran
	Waiting    RunStatus = "waits"      // the plan waits at a call; its state is stored
	Limited    RunStatus = "limit"      // the plan broke a limit that it cannot catch
	Stopped    RunStatus = "stopped"    // the plan was ended from outside
)

// RunEnded closes a run.
type RunEnded struct {
	Status RunStatus `json:"status"`
	Reason string    `json:"reason,omitempty"`
	Steps  int       `json:"steps"`
	Tokens Tokens    `json:"tokens"`
	Took   Duration  `json:"took_ms"`
	// What a question without an answer came to: the last answer that could not be taken,
	// and the last output that its code gave, both bounded.
	Draft string `json:"draft,omitempty"`
	Found string `json:"found,omitempty"`
}

func (ChildBegan) event()            {}
func (ChildEnded) event()            {}
func (AttemptChosen) event()         {}
func (OutlineWritten) event()        {}
func (ConnectionOpened) event()      {}
func (ConnectionClosed) event()      {}
func (ConnectionRefused) event()     {}
func (PlanWritten) event()           {}
func (PlanChecked) event()           {}
func (DecisionMade) event()          {}
func (LabelLowered) event()          {}
func (PlanWaits) event()             {}
func (PlanResumed) event()           {}
func (PlanEnded) event()             {}
func (Progress) event()              {}
func (Notice) event()                {}
func (ConversationContinued) event() {}
func (NotesFound) event()            {}
func (RunBegan) event()              {}
func (SessionBegan) event()          {}
func (FileGiven) event()             {}
func (SkillsGiven) event()           {}
func (SkillSaved) event()            {}
func (StepBegan) event()             {}
func (ModelRequested) event()        {}
func (ModelRetrying) event()         {}
func (ModelDelta) event()            {}
func (ModelReplied) event()          {}
func (ModelFailed) event()           {}
func (ReplyRejected) event()         {}
func (ReplyTrimmed) event()          {}
func (RunConcluding) event()         {}
func (HistoryCondensed) event()      {}
func (ExecutionBegan) event()        {}
func (Output) event()                {}
func (Display) event()               {}
func (ExecutionEnded) event()        {}
func (ToolCalled) event()            {}
func (ToolReturned) event()          {}
func (ApprovalRequested) event()     {}
func (ApprovalGiven) event()         {}
func (SnapshotTaken) event()         {}
func (SessionForked) event()         {}
func (SessionRolledBack) event()     {}
func (TestsRan) event()              {}
func (PatchMade) event()             {}
func (SessionEnded) event()          {}
func (FileSaved) event()             {}
func (AnswerGiven) event()           {}
func (RunEnded) event()              {}
