package python

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"praxis/fault"
	"praxis/internal/plan/syntax"
	"praxis/internal/safetext"
	"praxis/internal/tool"
	"praxis/internal/tool/jsondoc"
	"praxis/internal/tool/toolfile"
)

// Bounds.
const (
	maxSource   = 1 << 20 // bytes of a file
	maxResult   = 16 << 20
	maxPackages = 100
	defaultIdle = 5 * time.Minute
)

//go:embed call.py
var caller string

// Sandbox is a session of a tool's own. Its calls come one after the other.
type Sandbox interface {
	// Folder is where the tool's files are in the sandbox: absolute, writable,
	// there.
	Folder() string
	// Execute runs code in the sandbox's interpreter, which keeps its names. When
	// ctx ends the code is interrupted. The error says that the sandbox is gone;
	// how the code ended is in the Status.
	Execute(ctx context.Context, code string) (Status, error)
	WriteFile(ctx context.Context, path string, data []byte) error
	// ReadFile reads a file; one of more than most bytes is an error.
	ReadFile(ctx context.Context, path string, most int64) ([]byte, error)
	Close() error
}

// Status is how code ended.
type Status struct {
	OK    bool
	Limit bool   // it met a bound: time, memory, output
	Why   string // in words when it is not OK: "memory: more than 512 MiB"
}

// Options say what sandbox a tool needs.
type Options struct {
	Tool     string        // its name, for messages
	Packages []string      // pinned: "pandas==2.3.3"
	Memory   int64         // bytes; 0: the default
	Timeout  time.Duration // of one execution; 0: the default
}

// Config is what the kind needs of others.
type Config struct {
	// Open opens a sandbox that lives until it is closed; ctx bounds the opening.
	Open func(ctx context.Context, o Options) (Sandbox, error)
	// Image returns the digest of the image that has the packages, for
	// identities. nil: it is not known.
	Image func(packages []string) string
	// Read reads a file. nil: from the host's file system, up to 1 MiB.
	Read func(path string) ([]byte, error)
	Idle time.Duration // after which a sandbox is closed; 0: 5 minutes
}

// Kind makes functions in files.
type Kind struct {
	cfg Config

	reads sync.Pool // of *bytes.Buffer, for files that are read again

	mu    sync.Mutex
	files map[string]*parsed // by path: one with many functions is read once
}

// maxParsed is how many files are cached.
const maxParsed = 32

// parsed is a file as it was read.
type parsed struct {
	text   []byte
	sum    [sha256.Size]byte
	module *deriver
}

var _ tool.Kind = (*Kind)(nil)

// New returns the kind.
func New(cfg Config) *Kind {
	if cfg.Idle <= 0 {
		cfg.Idle = defaultIdle
	}
	return &Kind{cfg: cfg, reads: sync.Pool{New: func() any { return new(bytes.Buffer) }}}
}

// text reads a file. The text of a file that has not changed is shared.
func (k *Kind) text(path string) ([]byte, error) {
	if k.cfg.Read != nil {
		return k.cfg.Read(path)
	}
	b := k.reads.Get().(*bytes.Buffer)
	defer k.reads.Put(b)
	b.Reset()
	if err := readFile(b, path); err != nil {
		return nil, err
	}
	k.mu.Lock()
	p := k.files[path]
	k.mu.Unlock()
	if p != nil && bytes.Equal(p.text, b.Bytes()) {
		return p.text, nil
	}
	return bytes.Clone(b.Bytes()), nil
}

func readFile(into *bytes.Buffer, path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return errors.New("it is no plain file")
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	into.Grow(int(min(info.Size(), maxSource)) + bytes.MinRead)
	_, err = into.ReadFrom(io.LimitReader(f, maxSource+1))
	return err
}

// spec is the settings of a tool in a file.
type spec struct {
	File     string        `json:"file"`
	Function string        `json:"function"`
	Packages []string      `json:"packages"`
	Timeout  time.Duration `json:"timeout"`
	Memory   any           `json:"memory"`
}

// source is a spec with the text of its file.
type source struct {
	spec
	path   string
	base   string // its last part
	text   []byte
	memory int64
}

// isPinned says whether a package is "NAME==VERSION" or "NAME[EXTRA,…]==VERSION":
// nothing that an installer could take for an option, an address or a file.
func isPinned(p string) bool {
	only := func(s, others string) bool {
		for _, c := range []byte(s) {
			if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && strings.IndexByte(others, c) < 0 {
				return false
			}
		}
		return s != ""
	}
	name, version, ok := strings.Cut(p, "==")
	if !ok || !only(version, ".!+_-") || !only(version[:1], "") {
		return false
	}
	if i := strings.IndexByte(name, '['); i >= 0 {
		extras, closed := strings.CutSuffix(name[i+1:], "]")
		if !closed || !only(extras, ",._-") {
			return false
		}
		name = name[:i]
	}
	return only(name, "._-") && only(name[:1], "") && only(name[len(name)-1:], "")
}

func (k *Kind) read(b tool.Binding) (*source, error) {
	s := &source{}
	if err := toolfile.DecodeSpec(b.Spec, &s.spec); err != nil {
		return nil, err
	}
	wrong := func(remedy, format string, args ...any) (*source, error) {
		return nil, fault.New(fault.Invalid, remedy, "cannot use a Python function: "+format, args...)
	}
	if s.File == "" || s.Function == "" {
		return wrong("Write python: {file: score.py, function: score}.", "file or function is missing")
	}
	if len(s.Packages) > maxPackages {
		return wrong("", "%d packages, more than %d", len(s.Packages), maxPackages)
	}
	for _, p := range s.Packages {
		if !isPinned(p) {
			return wrong("Write NAME==VERSION, such as pandas==2.3.3.", "the package %q has no exact version", safetext.Clip(p, 100))
		}
	}
	if s.Timeout < 0 {
		return wrong("Write a time such as 30s.", "the timeout is negative")
	}
	var ok bool
	if s.memory, ok = bytesOf(s.Memory); !ok {
		return wrong("Write bytes, or a text with a unit: 512MiB.", "the memory is no size")
	}
	path := s.File
	if !filepath.IsAbs(path) {
		path = filepath.Join(b.Dir, path)
	}
	s.path, s.base = path, filepath.Base(path)
	text, err := k.text(path)
	if err != nil {
		var p *os.PathError
		if errors.As(err, &p) {
			err = p.Err
		}
		return wrong("Correct the path; it starts from the folder of the tool's file.", "cannot read %s: %w", path, err)
	}
	if len(text) > maxSource {
		return wrong("Put what is large into a package.", "%s has more than %s", s.base, safetext.Size(maxSource))
	}
	s.text = text
	return s, nil
}

// bytesOf reads a size: a number of bytes, or a text with a unit.
func bytesOf(v any) (int64, bool) {
	if v == nil {
		return 0, true
	}
	text := strings.TrimSpace(fmt.Sprint(v))
	unit := int64(1)
	for _, u := range []struct {
		name  string
		bytes int64
	}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}} {
		if rest, ok := strings.CutSuffix(text, u.name); ok {
			text, unit = strings.TrimSpace(rest), u.bytes
			break
		}
	}
	n, err := strconv.ParseInt(text, 10, 64)
	return n * unit, err == nil && n > 0 && n <= math.MaxInt64/unit
}

// Derive reads the file and says what it says of the definition.
func (k *Kind) Derive(_ context.Context, b tool.Binding) (*jsondoc.Object, error) {
	s, err := k.read(b)
	if err != nil {
		return nil, err
	}
	d, f, _, err := k.parse(s)
	if err != nil {
		return nil, err
	}
	return d.define(f), nil
}

// parse finds a function in a file that it reads once, and gives the file's sum.
func (k *Kind) parse(s *source) (*deriver, *syntax.FunctionDef, [sha256.Size]byte, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	p, ok := k.files[s.path]
	if !ok || !bytes.Equal(p.text, s.text) {
		d, err := module(s.base, s.text)
		if err != nil {
			return nil, nil, [sha256.Size]byte{}, err
		}
		if k.files == nil || len(k.files) >= maxParsed {
			k.files = map[string]*parsed{}
		}
		p = &parsed{s.text, sha256.Sum256(s.text), d}
		k.files[s.path] = p
	}
	d := *p.module // what a definition uses up is its own
	f, err := d.find(s.base, s.Function)
	return &d, f, p.sum, err
}

// New makes the implementation. The file is as it is now for as long as that lives.
func (k *Kind) New(_ context.Context, d *tool.Definition, b tool.Binding) (tool.Implementation, error) {
	s, err := k.read(b)
	if err != nil {
		return nil, err
	}
	if k.cfg.Open == nil {
		return nil, fault.New(fault.Unavailable, "Run it where sandboxes can be made.", "cannot use %s: there is no sandbox for Python", d.Name)
	}
	_, f, sum, err := k.parse(s)
	if err != nil {
		return nil, err
	}
	var params []string
	for _, a := range slices.Concat(f.Args.PosOnlyArgs, f.Args.Args, f.Args.KwOnlyArgs) {
		params = append(params, a.Arg)
	}
	for _, name := range d.Input.Type().Names() {
		if !slices.Contains(params, name) {
			return nil, fault.New(fault.Invalid, "Its parameters are: "+strings.Join(params, ", ")+".", "cannot use %s: the function %s has no parameter %s", d.Name, s.Function, name)
		}
	}
	fn := &function{cfg: k.cfg, src: s, name: d.Name, most: maxResult, turn: make(chan struct{}, 1), closing: make(chan struct{})}
	if d.Limits.Bytes > 0 {
		fn.most = min(fn.most, d.Limits.Bytes)
	}
	fn.identity = fmt.Sprintf("python %s sha256:%x", s.base+"#"+s.Function, sum)
	if len(s.Packages) > 0 {
		fn.identity += " packages " + strings.Join(s.Packages, ",")
	}
	return fn, nil
}
