// Package language says what a language is whose code sessions run: a value that
// the kernel's host, the agent's action formats, the records and the reports
// take their names and rules from. Python is one, in a folder of its own
// (language/python); a program lists those that it has in a [Table].
//
// A language has no state and starts nothing. What it says about its kernel is
// data: the guest's agent gets it with the setup of a session (guest/wire,
// Kernel) and knows no language itself. The contract between the agent and a
// kernel is the package comment of guest/agent.
package language

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Language is a language that kernels run. Its functions may be nil: a language
// without them is shown without colours and has no placeholders.
type Language struct {
	// Name is what records, requests and images call it, such as "python": a
	// lower case letter, then lower case letters and digits.
	Name    string
	Display string // for people and models, such as "Python"
	Version string // that kernels and prompts are written for, such as "3.14"

	// Extensions are the endings of its files, such as ".py". The first is written.
	Extensions []string
	// Fences tag its blocks in Markdown, in lower case. The first is written; a
	// version behind any of them, as in "python3.14", is read, too.
	Fences []string
	MIME   string // of its source, such as "text/x-python"
	// Notebook is what Jupyter calls its kernel; empty: as the language is called.
	Notebook Notebook

	// Highlight splits source into spans whose texts put together are the source.
	Highlight func(source string) []Span
	// Incomplete says that somebody who typed source has more to type.
	Incomplete func(source string) bool
	// Packages returns the packages that a program itself says it needs, as
	// requirements. The error is a fault: what it says cannot be read, or met. nil:
	// programs do not say.
	Packages func(source string) ([]string, error)
	// Cell returns the code of a notebook's cell. Its line, from 1, is the first that is
	// a command of a notebook and cannot be run, such as one for a shell; 0: all can.
	// nil: cells are nothing but code.
	Cell func(source string) (code string, line int, command string)

	// Refresh returns code that has a running interpreter find the packages in a
	// folder, and leaves no name in the session. nil: packages cannot be added to it.
	Refresh func(folder string) string

	// Host is the language whose kernels run this one, in their contexts and beside their
	// variables, and Translate what its code is for them. ReadOnly is Translate for code that
	// may change nothing; nil: there is no such thing. The files of Kernel lie beside those of
	// the host's kernel. "": it has kernels of its own.
	Host                string
	Translate, ReadOnly func(code string) string

	// Make returns the language of a runtime that an image itself describes. The line of a
	// table that has it is no language that code is in. Endings are the names of languages
	// that it may make, by the endings of their files.
	Make    func(Runtime) Language
	Endings map[string]string

	Kernel Kernel
	Model  Model
	Prompt Prompt
}

// Prompt is what a person at a prompt can do beside running code. Each function
// but Indent returns code for the kernel, which prints and leaves no name in the
// session; nil: the language has no such thing.
type Prompt struct {
	// Indent returns the blanks that the line after source begins with.
	Indent func(source string) string
	// Inspect shows the signature and the documentation of an expression's value.
	Inspect func(expression string) string
	// Shell runs a command line in the sandbox's shell.
	Shell func(command string) string
	// Time measures how long code takes.
	Time func(code string) string
}

// Kernel says how a kernel is started and prepared. All of it is data that is
// sent into the sandbox.
type Kernel struct {
	// Arguments stand behind the program that the image names, before the path
	// of Program, which is one of Files; "": no path is added.
	Arguments []string
	Program   string
	// Files are written below a folder of the language's own, by relative path.
	Files map[string]string
	// Environment is that of every program of the session, and Deterministic is
	// added to it where the same code must print the same bytes.
	Environment, Deterministic map[string]string
	// SearchVariable is an environment variable that lists folders of modules.
	// While tools are exposed, SearchFolder, a folder of Files, stands first in it.
	SearchVariable, SearchFolder string
	// Preload names modules that a template imports before its snapshot is
	// taken, so that they cost a session nothing.
	Preload []string
	// The names of the exceptions that say that memory ran out, and that code was
	// interrupted. "": there is none.
	MemoryException, InterruptException string
	Crash                               Crash
	// Reserve is the address space, in bytes, that the interpreter keeps for itself
	// without using it: its limit of address space is so much higher than the session's
	// memory, which is bounded all the same.
	Reserve int64
	// Framed says that what code prints comes in frames, and that an interrupt is a
	// frame beside the signal; see the contract.
	Framed bool
}

// HeapSize stands, in Kernel.Arguments, for the mebibytes that the interpreter's heap may
// have: less than the memory of the session, 0 when that is not bounded.
const HeapSize = "$HEAP"

// Crash describes what an interpreter that crashes writes to its control socket
// in the place of a frame.
type Crash struct {
	// Begins is how it begins, four bytes at least; "": it writes nothing. The
	// four bytes must not be a possible length of a frame.
	Begins string
	// Hidden are beginnings of lines that are not shown, such as the kernel's own
	// frames. In them ProgramPath stands for the path of the kernel's program.
	Hidden []string
	// Memory stands in what it writes to standard error when it ends because memory ran
	// out; "": it does not end so.
	Memory string
}

// ProgramPath stands for the path of the kernel's program.
const ProgramPath = "$PROGRAM"

// Notebook is a kernel as notebooks name it.
type Notebook struct{ Kernel, Display string }

// Model is what a model reads about the language, and what the agent runs beside
// the model's code.
type Model struct {
	Hello string // the shortest code that prints something
	// Library names what can be imported without a package, such as "the standard library".
	Library string
	// Beside says where another language is the main one what this one is good for, and what
	// the two have in common, in a sentence or two. "": models do not see it.
	Beside string
	// Placeholder says what stands between the braces of a placeholder, in a sentence.
	Placeholder string
	// Fill returns code whose value is what Filled reads back: the text of each
	// placeholder, each given as it stands between its braces. The code parses it as the
	// language does, and leaves no name in the session.
	Fill func(placeholders []string) string
	// Filled returns the JSON list that Fill's code had as its value, shown as the kernel
	// shows values: for each placeholder a list of its text, whether that was computed, and
	// what of it was typed.
	Filled func(shown string) (list string, ok bool)
	// Profile returns code that looks at files and displays, as the item ProfileMIME, a JSON
	// list of objects with the path, a text that says what the file is, and a note on what is
	// unusual about it. It leaves no name in the session. nil: the language has none.
	Profile func(paths []string) string
	// Check returns the code of a check: code that raises where something is wrong, or an
	// expression that must be true. It sees the session's variables and, beside them, names, a
	// JSON object, and leaves nothing of its own. nil: the language has none.
	Check func(name, code string, expression bool, names []byte) string
	// Answer is an example of code that gives the answer of a run; "": no code can.
	Answer string
	// Flow says what becomes of the values that functions are given. nil: it is not known, and
	// every number that code shows counts as computed.
	Flow *Flow
	// Rest is code that waits for the threads that code left, as an interpreter
	// does before it ends; its value, if it has one, is how many go on. "": none.
	Rest string
	// Missing is the name of the exception for a module that is not there, and
	// Undefined that for a name that is not. "": there is none.
	Missing, Undefined string
	// Changes is code that prints what became of the variables since it last ran, as a JSON
	// list of event.Variable, and leaves no name in the session. "": the language has none.
	Changes string
	// Last is an expression of the value that the code before had. "": there is none.
	Last string
	// Brief shortens the traceback of an exception to what a model needs to mend its code:
	// the lines of its own. nil: it is shown as it is. What is there in the place of what an
	// exception misses the kernel says (event.Raised, Hint).
	Brief func(traceback string) string
	// CrashLine returns the line of the code that was being executed outside of functions
	// when the interpreter crashed, as what it wrote says. nil: it says nothing.
	CrashLine func(report string) (line int, ok bool)
	// Looks says of a text that nothing marks as code whether it is likely code, and whether
	// it surely is, so that prose can be kept apart. nil: only what is marked is code.
	Looks func(text string) (likely, surely bool)
	// Invoke is code that is run before a program: its arguments are args, the first of
	// which is its name, and what it reads from standard input is the file stdin. Both
	// may be empty. nil: the language has no such thing.
	Invoke func(args []string, stdin string) string
	// Load is code that makes variables of files. nil: the language has no such thing.
	Load func(given []Given) string
	// Subcalls says that its code can query models and begin runs, where a run allows it.
	Subcalls bool
	// Exit is the name of the exception by which a program ends with an exit code of
	// its own, which is its value. "": there is none.
	Exit string
	// Package returns the module that an exception, by its name and its text,
	// says is missing, and the package to add; "": it misses none, or no package
	// has it. Both are fit for a command line. nil: it is not known.
	Package func(exception, text string) (module, pack string)
}

// Flow lists functions by what they do with their arguments: by their name, their path, such as
// "console.log", or as ".append" for a method of any value. Every other function computes with
// what it is given.
type Flow struct {
	Shows   []string // print it, or give it as the answer
	Passes  []string // give all of it back in another form, such as a list or the greatest of them
	Forms   []string // give the first argument back in another form; a method what it is called on
	Stores  []string // methods that put it into what they are called on
	Queries []string // query a model: what they give is its words
}

// ExitCode returns the exit code that a program chose which ended by an exception;
// chosen is false when it chose none. A text in its place is the code 1.
func (m Model) ExitCode(exception, value string) (code int, chosen bool) {
	if m.Exit == "" || exception != m.Exit {
		return 0, false
	}
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil {
		return 1, true
	}
	return int(n & 0xff), true
}

// ProfileMIME is the item of a display that says what files are.
const ProfileMIME = "application/vnd.praxis.profile+json"

// Given is a value that a session is given as a variable: what is in the file Path.
type Given struct {
	Name string `json:"name"`
	Path string `json:"path"` // in the session
	Form string `json:"form"` // one of the forms
}

// The forms of files of which variables are made.
const (
	FormText   = "text"   // the variable is the text, which is UTF-8
	FormShared = "shared" // a file as languages share values by, see docs/sharing.md
)

// GivenFolder is where the files of variables lie in a session.
const GivenFolder = "/tmp/.praxis-given"

// StdinPath is the file in a session that holds a program's standard input until it begins.
const StdinPath = "/tmp/.praxis-stdin"

// Class is what a span of source is.
type Class uint8

// The classes of spans.
const (
	Plain Class = iota
	Comment
	Text // a string
	Number
	Keyword
	Builtin
	Definition // a name where it is defined
	Decorator
)

// Span is a stretch of source of one class.
type Span struct {
	Class Class
	Text  string
}

// Spans splits source into spans; a language that cannot do it has one.
func (l Language) Spans(source string) []Span {
	switch {
	case source == "":
		return nil
	case l.Highlight == nil:
		return []Span{{Plain, source}}
	}
	return l.Highlight(source)
}

// NeedsMore says whether somebody who typed source has more to type.
func (l Language) NeedsMore(source string) bool { return l.Incomplete != nil && l.Incomplete(source) }

// Fence is the tag of a block of the language.
func (l Language) Fence() string { return first(l.Fences) }

// Extension is the ending of a file of the language.
func (l Language) Extension() string { return first(l.Extensions) }

// HasFence reports whether a block with this tag is one of the language.
func (l Language) HasFence(tag string) bool {
	tag = strings.ToLower(tag)
	return slices.Contains(l.Fences, tag) || slices.Contains(l.Fences, strings.TrimRight(tag, "0123456789."))
}

// Title is the name with the version, such as "Python 3.14".
func (l Language) Title() string { return strings.TrimSpace(l.Display + " " + l.Version) }

// Tool is the name of the native tool that runs code.
func (l Language) Tool() string { return "execute_" + l.Name }

func first(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[0]
}

// Runtime is a language as an image has it: which version, and the program that
// kernels are started with.
type Runtime struct {
	Language string   `json:"language"`
	Version  string   `json:"version"`
	Program  string   `json:"program"`           // absolute path inside the guest
	Preload  []string `json:"preload,omitempty"` // modules of the image's packages that a template imports
	// Spec describes a language that the program need not know: a kernel of Jupyter's.
	Spec Spec `json:"spec,omitzero"`
}

// Spec is a kernel of Jupyter's as its kernelspec describes it, checked and bounded. The
// zero value is none.
type Spec struct {
	Name      string            `json:"name"`                // of its folder
	Display   string            `json:"display_name"`        // for people, one line
	Argv      []string          `json:"argv"`                // {connection_file} and {resource_dir} stand for paths
	Env       map[string]string `json:"env,omitempty"`       // beside the session's
	Message   bool              `json:"message,omitempty"`   // it is interrupted by a message, not by a signal
	Directory string            `json:"directory,omitempty"` // where the spec lies, in the guest
}

// Table lists the languages of a program. The first is the one that is meant
// where none is named.
type Table []Language

// Find returns the language of that name.
func (t Table) Find(name string) (Language, bool) {
	for _, l := range t {
		if l.Name == name {
			return l, true
		}
	}
	return Language{}, false
}

// Named returns the language of that name, the first when the name is empty. A
// name that the table does not have, as records of other programs may hold one,
// gives a language that has nothing but that name.
func (t Table) Named(name string) Language {
	if name == "" && len(t) > 0 {
		return t[0]
	}
	if l, ok := t.Find(name); ok {
		return l
	}
	l := Language{Name: name, Display: name}
	if ValidName(name) {
		l.Fences = []string{name}
	}
	return l
}

// Of returns the language that code of an image is in when nothing else is said:
// the first that the image has, in the version that it has.
func (t Table) Of(image []Runtime) Language {
	if len(image) == 0 {
		return t.Named("")
	}
	l := t.Named(image[0].Language)
	l.Version = image[0].Version
	return l
}

// Runs returns the language of a runtime, in the version that it has.
func (t Table) Runs(r Runtime) (Language, bool) {
	if r.Spec.Name != "" {
		for _, l := range t {
			if l.Make != nil {
				return l.Make(r), true
			}
		}
		return Language{}, false
	}
	l, ok := t.Find(r.Language)
	l.Version = r.Version
	return l, ok && l.Make == nil
}

// In returns the languages that code of an image can be in: those that it has, in its
// order and in the versions that it has, and those that their kernels run, too.
func (t Table) In(image []Runtime) Table {
	var out Table
	for _, r := range image {
		l, ok := t.Runs(r)
		if !ok {
			continue
		}
		out = append(out, l)
		for _, hosted := range t {
			if hosted.Host == r.Language {
				out = append(out, hosted)
			}
		}
	}
	return out
}

// Hosting returns a language with the files of those that its kernels run beside its own.
func (t Table) Hosting(l Language) Language {
	l.Kernel.Files = maps.Clone(l.Kernel.Files)
	for _, hosted := range t {
		if hosted.Host == l.Name {
			maps.Copy(l.Kernel.Files, hosted.Kernel.Files)
		}
	}
	return l
}

// Called returns the language that somebody means by a word: its name, one of its
// fences, or the ending of a file. Of a language that only an image can bring it has
// nothing but the name.
func (t Table) Called(word string) (Language, bool) {
	if l, ok := t.Find(word); ok {
		return l, true
	}
	for _, l := range t {
		if word != "" && (l.HasFence(word) || slices.Contains(l.Extensions, word)) {
			return l, true
		}
		if name := l.Endings[word]; name != "" {
			return t.Named(name), true
		}
	}
	return Language{}, false
}

// Names lists the names of the languages.
func (t Table) Names() []string {
	out := make([]string, 0, len(t))
	for _, l := range t {
		if l.Make == nil {
			out = append(out, l.Name)
		}
	}
	return out
}

// ValidName reports whether s may name a language.
func ValidName(s string) bool {
	if len(s) == 0 || len(s) > 32 || s[0] < 'a' || s[0] > 'z' {
		return false
	}
	return strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789") == ""
}
