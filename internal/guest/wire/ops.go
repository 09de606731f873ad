package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strings"
)

// The ops of a request. Each names the type of its arguments and of its reply;
// none means an object without fields.
const (
	OpSetup     = "setup"     // Setup → SetupReply
	OpQuiesce   = "quiesce"   // none → none, then silence until the next hello
	OpPing      = "ping"      // none → none
	OpExecute   = "execute"   // Execute → events, output, then Executed
	OpAttach    = "attach"    // Attach → events, output, then Executed
	OpInterrupt = "interrupt" // Interrupt → none
	OpRestart   = "restart"   // Context → none
	OpContexts  = "contexts"  // none → Contexts
	OpDrop      = "drop"      // Context → none
	OpComplete  = "complete"  // Complete → Completion
	OpRehearse  = "rehearse"  // Context → Executed
	OpRead      = "read"      // Path → data, end, then FileInfo
	OpWrite     = "write"     // Write, data, end → FileInfo
	OpList      = "list"      // List → events Files, then Listed
	OpStat      = "stat"      // Path → FileInfo
	OpRemove    = "remove"    // Path → none
	OpMove      = "move"      // Move → none
	OpMkdir     = "mkdir"     // Path → none
	OpArchive   = "archive"   // Archive → data, end, then none
	OpExtract   = "extract"   // Extract, data, end → none
	OpWatch     = "watch"     // Watch → events Change, never a response
	OpStart     = "start"     // Process → event Started, output, then Exit
	OpConnect   = "connect"   // Connect → event Started, output, then Exit
	OpSignal    = "signal"    // Signal → none
	OpResize    = "resize"    // Resize → none
	OpProcesses = "processes" // none → Processes
	OpLayer     = "layer"     // Layer → data, end, then none
	OpDial      = "dial"      // Dial → none
	OpForward   = "forward"   // Dial, data, end → data, end, then none
)

// Bounds on what the fields hold. Both sides check them.
const (
	MaxName       = 64        // bytes of a context's, an execution's or a process's name
	MaxPath       = 4096      // bytes of a path, as UTF-8; the guest tells no longer one
	MaxCode       = 768 << 10 // bytes of an execution's code
	MaxOutput     = 16 << 20  // the largest OutputBytes
	MaxBundle     = 16 << 20  // bytes of a bundle, keys and values
	MaxBundleKeys = 32
	MaxKernels    = 16       // languages of a session
	MaxText       = 64 << 10 // bytes of a message, a remedy, an exception's value
	MaxTraceback  = 256 << 10
	MaxHint       = 4 << 10 // of an exception
	MaxMatches    = 500
	MaxDisplays   = 1000 // displays of an execution

	MaxListed      = 100_000  // entries of a listing
	MaxListedBytes = 16 << 20 // bytes of their paths and targets together
	MaxSkip        = 16       // names that a listing passes over

	MaxChanges     = 10_000  // changed files of an execution
	MaxChangeBytes = 2 << 20 // bytes of their paths together
	MaxUnlisted    = 1 << 10 // bytes of why they are not wholly known
	MaxFileSize    = 1 << 50 // bytes of a changed file
)

// DefaultDate is when sessions with a seed begin by their clocks: 2026-01-01.
const DefaultDate = 1767225600

// DefaultWorkdir is the working folder of sessions that are set up as usual.
const DefaultWorkdir = "/work"

// Hello opens a stream. The guest's answer has Version and Epoch only.
type Hello struct {
	Version   int    `json:"version"`
	Epoch     uint64 `json:"epoch"`
	Reseed    string `json:"reseed,omitempty"` // hex, at most 128 digits
	NowUnixNS int64  `json:"now_unix_ns,omitempty"`
}

// Op is the part of a request that names what is asked for.
type Op struct {
	Op string `json:"op"`
}

// Fault is the body of a failure frame: what the caller did wrong or what the
// guest could not do. Kind is the name of a fault kind, such as "not_found".
type Fault struct {
	Kind    string `json:"kind"`
	Message string `json:"message"`
	Remedy  string `json:"remedy,omitempty"`
}

// Limits bound what runs in the session.
type Limits struct {
	Memory    int64 `json:"memory"`    // bytes of everything in the sandbox; the memory guard's bound
	Kernel    int64 `json:"kernel"`    // bytes of address space of one process; 0: as Memory
	Processes int   `json:"processes"` // processes and threads of the user
	OpenFiles int   `json:"open_files"`
	// CPUs is how many processors programs may use. They see as many, rounded up, and start
	// no more threads; that they use no more is not the agent's. 0: all that there are.
	CPUs float64 `json:"cpus,omitempty"`
	// UserNamespaces is 1 when programs may make user namespaces, in which they have
	// every capability. It counts for programs that are started afterwards.
	UserNamespaces int `json:"user_namespaces,omitempty"`
}

// Setup prepares the session. It may be sent again, after a restore, to change
// limits (live processes get them too) and the seed; a kernel that was started
// with another Deterministic is restarted.
type Setup struct {
	Limits        Limits `json:"limits"`
	Deterministic bool   `json:"deterministic,omitempty"`
	Seed          *int64 `json:"seed,omitempty"`
	// Date is when the session begins by the clocks of its programs, in seconds since
	// 1970, if it has a seed; 0: DefaultDate.
	Date int64 `json:"date,omitempty"`
	// Kernels are the languages of the session. The first is that of the context
	// main, and of contexts that are made without naming one. A later setup
	// without any leaves them as they are.
	Kernels []Kernel          `json:"kernels,omitempty"`
	Workdir string            `json:"workdir"`         // absolute, one of Roots or below
	Roots   []string          `json:"roots,omitempty"` // what the file ops may touch; empty: /work, /tmp, /home/user
	Home    string            `json:"home,omitempty"`  // empty: /home/user
	Temp    string            `json:"temp,omitempty"`  // one of Roots; empty: /tmp
	Env     map[string]string `json:"env,omitempty"`
	Columns int               `json:"columns,omitempty"` // width for the repr of values; 0: 100
	Cgroup  string            `json:"cgroup,omitempty"`  // folder of the pids controller, or of unified groups; empty: what is below /sys/fs/cgroup
	// Unprivileged says that the agent is not root in a sandbox of its own, so
	// that changing users and counting processes are left out. Without it their
	// absence is an error.
	Unprivileged bool `json:"unprivileged,omitempty"`
	// Build says that the session makes an image: programs may be started as the root of
	// the sandbox, and changes of the root file system can be read. A later setup cannot
	// change it.
	Build bool `json:"build,omitempty"`
}

// Kernel says how the kernel of a language is started and prepared. The agent
// knows no language itself.
type Kernel struct {
	Language string `json:"language"` // its name
	// Command starts the kernel; its first word is the absolute path of the
	// interpreter. Program, one of Files, ends it; empty: nothing does.
	Command []string `json:"command"`
	Program string   `json:"program,omitempty"`
	// Files are written below a folder of the language's own, by relative path.
	Files map[string]string `json:"files,omitempty"`
	// Environment is that of every program of the session, and Deterministic is
	// added to it in a deterministic one.
	Environment   map[string]string `json:"environment,omitempty"`
	Deterministic map[string]string `json:"deterministic,omitempty"`
	// SearchVariable lists folders of modules in the environment. While tools are
	// exposed, SearchFolder, a folder of Files, stands first in it.
	SearchVariable string   `json:"search_variable,omitempty"`
	SearchFolder   string   `json:"search_folder,omitempty"`
	Preload        []string `json:"preload,omitempty"` // modules that the kernel of main imports when it starts
	// The names of the exceptions that say that memory ran out, and that code was
	// interrupted; empty: the language has none.
	MemoryException    string `json:"memory_exception,omitempty"`
	InterruptException string `json:"interrupt_exception,omitempty"`
	// CrashBegins is how an interpreter that crashes begins its report on the
	// control socket; empty: it sends none. Lines of the report that begin with
	// one of CrashHidden are left out; ProgramPath in them is the kernel's program.
	CrashBegins string   `json:"crash_begins,omitempty"`
	CrashHidden []string `json:"crash_hidden,omitempty"`
	// CrashMemory stands in what an interpreter writes to standard error when it ends
	// because memory ran out; empty: none does.
	CrashMemory string `json:"crash_memory,omitempty"`
	// Reserve is the address space, in bytes, that the interpreter keeps for itself
	// without using it: its limit of address space is so much higher.
	Reserve int64 `json:"reserve,omitempty"`
	// Framed says that the output of code comes in frames, and that an interrupt
	// reaches the kernel as a frame, too.
	Framed bool `json:"framed,omitempty"`
}

// ProgramPath stands for the path of a kernel's program in [Kernel.CrashHidden].
const ProgramPath = "$PROGRAM"

// HeapSize stands for the mebibytes that a kernel's heap may have, in its Command.
const HeapSize = "$HEAP"

// SetupReply answers Setup once the kernel of the context "main" is ready.
type SetupReply struct {
	Version       string            `json:"version"` // of the interpreter
	PreloadErrors map[string]string `json:"preload_errors,omitempty"`
}

// Context names a kernel. The empty name is "main".
type Context struct {
	Context string `json:"context,omitempty"`
}

// Interrupt stops what runs in a context: anything, or only the execution Exec.
type Interrupt struct {
	Context string `json:"context,omitempty"`
	Exec    string `json:"exec,omitempty"`
}

// ContextInfo describes a kernel.
type ContextInfo struct {
	Name          string            `json:"name"`
	Language      string            `json:"language"`
	State         string            `json:"state"`               // "starting", "idle", "busy", "dead"
	Execution     string            `json:"execution,omitempty"` // what runs, when busy
	PID           int               `json:"pid,omitempty"`
	Version       string            `json:"version,omitempty"`
	PreloadErrors map[string]string `json:"preload_errors,omitempty"`
	Lost          string            `json:"lost,omitempty"`       // why its variables were lost while nothing ran, until an execution has said it
	Folder        string            `json:"folder,omitempty"`     // that it was given; empty: the session's working folder
	Executions    int               `json:"executions,omitempty"` // of code, since its interpreter was started
}

// Contexts is the reply to the op of that name, sorted by name.
type Contexts struct {
	Contexts []ContextInfo `json:"contexts"`
}

// Execute runs code in a context, which is made when it does not exist. A context
// has one language for as long as it exists: another one is a failure "conflict".
type Execute struct {
	Exec        string `json:"exec"` // the host's name for the execution; guest.Client fills it in
	Context     string `json:"context,omitempty"`
	Language    string `json:"language,omitempty"` // empty: the context's own, or the first one
	Code        string `json:"code"`
	File        string `json:"file,omitempty"`         // the name of the code in errors; empty: they number what was run
	WallMS      int64  `json:"wall_ms,omitempty"`      // 0: no limit
	CPUMS       int64  `json:"cpu_ms,omitempty"`       // of the kernel and its children; 0: no limit
	OutputBytes int64  `json:"output_bytes,omitempty"` // shown of both streams together; 0: DefaultOutput
	Whole       bool   `json:"whole,omitempty"`        // OutputBytes bounds nothing: all output is sent, and waits for the window
	Silent      bool   `json:"silent,omitempty"`       // no value of the last expression
	Columns     int    `json:"columns,omitempty"`      // width for what is printed of values; 0: Setup.Columns
	Changes     bool   `json:"changes,omitempty"`      // the end tells which files were changed
	Stamps      bool   `json:"stamps,omitempty"`       // the end tells when it passed each place inside
	// Environ are variables that the code finds in its environment besides. The next
	// execution without them finds what was there before.
	Environ map[string]string `json:"environ,omitempty"`
	// Folder is where the context's kernel is started. One that runs already goes there, if
	// that is not the folder that it was given last; empty: it stays where it is.
	Folder string `json:"folder,omitempty"`
	// Rich says that values are shown in forms for programs, too, by kernels that have such.
	Rich bool `json:"rich,omitempty"`
}

// DefaultOutput is how much of its output an execution shows when the caller says nothing, in bytes.
const DefaultOutput = 1 << 20

// Attach follows an execution again. After is the last sequence number seen.
type Attach struct {
	Exec  string `json:"exec"`
	After uint64 `json:"after"`
}

// The kinds of an execution's events.
const (
	EventDisplay = "display" // Bundle
	EventCut     = "cut"     // Stdout, Stderr, File: what was left out; the tail follows as output
)

// ExecEvent is an event of an execution. Its number is one of the log's, like an output frame's.
type ExecEvent struct {
	Seq    uint64 `json:"seq"`
	Type   string `json:"type"`
	Bundle Bundle `json:"bundle,omitempty"`
	Stdout int64  `json:"stdout,omitempty"` // bytes left out
	Stderr int64  `json:"stderr,omitempty"`
	File   string `json:"file,omitempty"` // where the whole can be read; empty when it could not be kept
}

// The limits that an execution may run into: names of package event's.
const (
	LimitWall      = "wall_time"
	LimitCPU       = "cpu_time"
	LimitMemory    = "memory"
	LimitOutput    = "output"
	LimitProcesses = "processes"
	LimitDisk      = "disk"
	LimitOpenFiles = "open_files"
)

// Executed is the end of an execution. Status and State are names of package event's.
type Executed struct {
	Status          string  `json:"status"`
	Message         string  `json:"message,omitempty"`
	Limit           string  `json:"limit,omitempty"` // one of Limit…: what the code ran into
	Result          Bundle  `json:"result,omitempty"`
	Error           *Raised `json:"error,omitempty"`
	State           string  `json:"state"`
	StateNote       string  `json:"state_note,omitempty"` // the part of Message about State, one line
	WallMS          float64 `json:"wall_ms"`
	CPUMS           float64 `json:"cpu_ms"`
	PeakMemoryBytes int64   `json:"peak_memory_bytes"`
	OutputFile      string  `json:"output_file,omitempty"`
	Changes         Changes `json:"changes,omitempty"`  // of an execution with Changes, sorted by path
	Unlisted        string  `json:"unlisted,omitempty"` // why Changes is not, or not wholly, known; one line
	Stamps          *Stamps `json:"stamps,omitempty"`   // of an execution with Stamps
}

// Stamps say when an execution passed each place inside, in nanoseconds of the
// guest's clock, which is not the host's. Where something is written, the stamp is of
// the moment before.
type Stamps struct {
	Taken    int64 `json:"taken"`    // the agent had read the request
	Handed   int64 `json:"handed"`   // the agent wrote the code to the kernel
	Read     int64 `json:"read"`     // the kernel had read it
	Begun    int64 `json:"begun"`    // the kernel began with it
	Done     int64 `json:"done"`     // the kernel wrote the result
	Noticed  int64 `json:"noticed"`  // the agent was awake to read it
	Answered int64 `json:"answered"` // the agent wrote the answer
}

// Altered is, besides Created and Removed, what an execution may have done to a file.
const Altered = "changed"

// FileChange is what an execution did to one regular file below the working folder.
type FileChange struct {
	Path   string `json:"path"` // absolute
	Kind   string `json:"kind"` // Created, Altered, Removed
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256,omitempty"` // 64 hexadecimal digits; empty when removed, or not read
}

// Changes are files that an execution changed.
type Changes []FileChange

// UnmarshalJSON reads a list and stops at the first entry too many.
func (c *Changes) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		*c = nil
		return nil
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	t, err := dec.Token()
	if err != nil {
		return err
	}
	if t != json.Delim('[') {
		return errors.New("cannot read changes: not a list")
	}
	var out Changes
	for dec.More() {
		if len(out) == MaxChanges {
			return fmt.Errorf("cannot read changes: more than %d", MaxChanges)
		}
		var one FileChange
		if err := dec.Decode(&one); err != nil {
			return fmt.Errorf("cannot read changes: %w", err)
		}
		out = append(out, one)
	}
	*c = out
	return nil
}

// Check says what is wrong with changes of the folder dir: an order that is not
// that of the paths, a path that is not below dir or not clean, a kind, a size
// or a hash that cannot be, too many.
func (c Changes) Check(dir string) error {
	size, last := 0, ""
	for _, f := range c {
		rel, below := strings.CutPrefix(f.Path, strings.TrimSuffix(dir, "/")+"/")
		switch {
		case len(f.Path) > MaxPath || !below || rel == "" || path.Clean(f.Path) != f.Path || !Showable(f.Path):
			return errors.New("a changed file has an impossible path")
		case f.Path <= last:
			return errors.New("changed files are not in order")
		case f.Kind != Created && f.Kind != Altered && f.Kind != Removed:
			return errors.New("a file was changed in a way that does not exist")
		case f.Bytes < 0 || f.Bytes > MaxFileSize || f.Kind == Removed && (f.Bytes != 0 || f.SHA256 != ""):
			return errors.New("a changed file has an impossible size")
		case f.SHA256 != "" && !validSum(f.SHA256):
			return errors.New("a changed file has an impossible hash")
		}
		size, last = size+len(f.Path), f.Path
	}
	if len(c) > MaxChanges || size > MaxChangeBytes {
		return errors.New("too many changed files")
	}
	return nil
}

// Raised is an exception of the guest's code.
type Raised struct {
	Name      string `json:"name"`
	Value     string `json:"value"`
	Traceback string `json:"traceback"`
	Hint      string `json:"hint,omitempty"` // for who mends it: names that are there
}

// Complete asks for completions of code at a cursor.
type Complete struct {
	Context string `json:"context,omitempty"`
	Code    string `json:"code"`
	Cursor  int    `json:"cursor"` // in code points
}

// Completion says that each of Matches may take the place of code[Start:End], in code points.
type Completion struct {
	Start   int      `json:"start"`
	End     int      `json:"end"`
	Matches []string `json:"matches"`
}

// Path names a file of the session: absolute below one of the roots, or
// relative to the working folder. Recursive is for remove.
type Path struct {
	Path      string `json:"path"`
	Recursive bool   `json:"recursive,omitempty"`
}

// Write writes a whole file. The content follows as data.
type Write struct {
	Path string `json:"path"`
	Mode uint32 `json:"mode,omitempty"` // permission bits; 0: 0644
}

// List lists a folder. A folder with more than MaxListed entries, or with more
// than MaxListedBytes of paths and link targets, is a failure "exhausted":
// what FilesOnly leaves out is counted, what lies in a folder of Skip is not.
type List struct {
	Path      string   `json:"path"`
	Recursive bool     `json:"recursive,omitempty"`
	FilesOnly bool     `json:"files_only,omitempty"` // regular files, nothing else
	Skip      []string `json:"skip,omitempty"`       // names of folders to pass over with all that is in them; at most MaxSkip
}

// Files is an event of a listing: the next entries.
type Files struct {
	Files []FileInfo `json:"files"`
}

// Listed ends a listing.
type Listed struct {
	// LeftOut counts what exists and is not in the listing: entries whose path
	// is longer than MaxPath, and the insides of folders that may not be read or
	// lie too deep, each counted once.
	LeftOut int `json:"left_out,omitempty"`
}

// The kinds of files.
const (
	KindFile    = "file"
	KindFolder  = "folder"
	KindSymlink = "symlink"
	KindOther   = "other"
)

// FileInfo describes a file. A symbolic link is described itself, not what it points to.
type FileInfo struct {
	Path    string `json:"path"` // absolute
	Kind    string `json:"kind"`
	Size    int64  `json:"size"`        // bytes; of files only
	Mode    uint32 `json:"mode"`        // permission bits
	ModTime int64  `json:"mod_time_ns"` // Unix time
	Target  string `json:"target,omitempty"`
}

// Move renames a file or folder and takes the place of a file that is there.
type Move struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// The formats of archives.
const (
	Tar = "tar"
	Zip = "zip"
)

// Archive reads files and folders as one archive. Names in it are relative to
// the folder that holds each path.
type Archive struct {
	Format string   `json:"format"`
	Paths  []string `json:"paths"`
}

// Extract unpacks an archive into a folder. The content follows as data.
type Extract struct {
	Format string `json:"format"`
	Dir    string `json:"dir"`
}

// Watch reports changes of a file or of what is in a folder.
type Watch struct {
	Path      string `json:"path"`
	Recursive bool   `json:"recursive,omitempty"`
}

// The kinds of changes.
const (
	Created  = "created"
	Modified = "modified"
	Removed  = "removed"
	Rescan   = "rescan" // changes may have been missed: look at the whole again
)

// Change is one event of a watch. Something that lives for less than the
// watch's interval, about a quarter of a second, may go unseen.
type Change struct {
	Type string `json:"type"`
	Path string `json:"path"`
}

// Process starts a program as the session's user.
type Process struct {
	Proc  string            `json:"proc"` // the host's name for the process; guest.Client fills it in
	Argv  []string          `json:"argv"` // Argv[0] is looked up in PATH
	Env   map[string]string `json:"env,omitempty"`
	Cwd   string            `json:"cwd,omitempty"`   // empty: the working folder
	Stdin bool              `json:"stdin,omitempty"` // false: standard input is empty
	// Terminal gives it a terminal of its own, which its standard input, output and error
	// are: what it writes is all of stream 1, and the request's data is what is typed. The
	// end of the data says nothing to it.
	Terminal *Size `json:"terminal,omitempty"`
	// Root starts it as the root of the sandbox, with the capabilities that a package
	// manager needs. Only a session that was set up with Build allows it.
	Root bool `json:"root,omitempty"`
}

// Layer asks for what changed in the root file system since the last one, as an archive
// of the layer of an image; every other program is ended first. With Note it only takes
// note of how things are: nothing is sent before the end. It needs Setup.Build.
type Layer struct {
	Note bool `json:"note,omitempty"`
}

// Dial asks whether a port of the sandbox's own address takes a connection. A failure
// "unavailable" says that it does not. The op "forward" keeps the connection: the request's
// data is what is sent and received, the end of either side is the end of that. It does not
// live through a checkpoint.
type Dial struct {
	Port int `json:"port"`
}

// Connect follows a process again. After is the last sequence number seen.
type Connect struct {
	Proc  string `json:"proc"`
	After uint64 `json:"after"`
}

// Started is the first event of a process that is followed.
type Started struct {
	PID int `json:"pid"`
}

// Size is that of a terminal, in characters.
type Size struct {
	Rows int `json:"rows"` // 1 to MaxSize
	Cols int `json:"cols"` // 1 to MaxSize
}

// MaxSize bounds the rows and columns of a terminal.
const MaxSize = 10_000

// Possible says whether a terminal can have the size.
func (s Size) Possible() bool {
	return s.Rows > 0 && s.Rows <= MaxSize && s.Cols > 0 && s.Cols <= MaxSize
}

// Resize gives the terminal of a process another size. The process gets SIGWINCH.
type Resize struct {
	Proc string `json:"proc"`
	Size
}

// ProcessInfo describes a process that runs, or whose end nobody received yet.
type ProcessInfo struct {
	Proc     string   `json:"proc"`
	PID      int      `json:"pid"`
	Argv     []string `json:"argv"` // the first MaxArgv bytes of it
	Cwd      string   `json:"cwd"`
	Stdin    bool     `json:"stdin,omitempty"` // it has a standard input, or a terminal
	Terminal bool     `json:"terminal,omitempty"`
}

// MaxArgv bounds the arguments that are listed of a process, in bytes, and MaxProcesses the
// processes that are.
const (
	MaxArgv      = 256
	MaxProcesses = 256
)

// Processes is the reply to the op of that name, sorted by pid.
type Processes struct {
	Processes []ProcessInfo `json:"processes"`
}

// Signal sends a signal to a process and its group.
type Signal struct {
	Proc   string `json:"proc"`
	Signal int    `json:"signal"` // its number, 1 to 31
}

// Exit is how a process ended.
type Exit struct {
	Code   int    `json:"code"`             // -1 when a signal ended it
	Signal int    `json:"signal,omitempty"` // the signal that ended it
	Reason string `json:"reason,omitempty"` // why the agent ended it, such as the memory limit
}

// Bundle is event.Bundle as it is read from bytes that nobody vouches for: it
// refuses more than MaxBundleKeys keys while it reads.
type Bundle map[string]string

// UnmarshalJSON reads a bundle and stops at the first key too many.
func (b *Bundle) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		*b = nil
		return nil
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	t, err := dec.Token()
	if err != nil {
		return err
	}
	if t != json.Delim('{') {
		return errors.New("cannot read bundle: not an object")
	}
	out := Bundle{}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return err
		}
		var value string
		if err := dec.Decode(&value); err != nil {
			return fmt.Errorf("cannot read bundle: %w", err)
		}
		name, _ := key.(string)
		if out[name] = value; len(out) > MaxBundleKeys {
			return fmt.Errorf("cannot read bundle: more than %d keys", MaxBundleKeys)
		}
	}
	*b = out
	return nil
}
