package wasm

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"github.com/tetratelabs/wazero"

	"praxis/fault"
	"praxis/internal/bounded"
	"praxis/internal/tool"
	"praxis/internal/tool/jsondoc"
)

// Config is what the kind needs of the program.
type Config struct {
	// Secrets gives the values of secrets in the environments of modules; nil: there
	// are none.
	Secrets tool.SecretSource
	// Dial connects to granted hosts; nil: a Dial that refuses names that lead
	// to addresses that are not public.
	Dial Dial
	// CacheDir is a folder for compiled modules, which are machine code that runs
	// in this process: nobody else may write to it. "": they stay in memory.
	CacheDir string
	// Parallel is how many instances run at once, of all tools; 0: two for each
	// processor.
	Parallel int
}

// Kind makes tools of WASI modules. It is safe for concurrent use.
type Kind struct {
	cfg   Config
	slots chan struct{}

	mu       sync.Mutex
	caches   [2]wazero.CompilationCache // on disk, in memory
	programs map[programKey]*program
}

// programKey says what is compiled once: the module with the greatest memory that
// its instances may have.
type programKey struct {
	sum   [sha256.Size]byte
	pages uint32
}

// New makes the kind.
func New(cfg Config) *Kind {
	if cfg.Parallel <= 0 {
		cfg.Parallel = 2 * runtime.GOMAXPROCS(0)
	}
	if cfg.Dial == nil {
		cfg.Dial = safeDial(lookup)
	}
	return &Kind{cfg: cfg, slots: make(chan struct{}, cfg.Parallel), programs: map[programKey]*program{}}
}

// Derive says nothing: a module does not describe its arguments.
func (k *Kind) Derive(context.Context, tool.Binding) (*jsondoc.Object, error) { return nil, nil }

// New makes a tool of a module. The file is read and looked through now and
// compiled at the first call.
func (k *Kind) New(_ context.Context, d *tool.Definition, b tool.Binding) (tool.Implementation, error) {
	s, g, err := readSettings(b)
	if err != nil {
		return nil, err
	}
	data, err := readFile(s.Module)
	if err != nil {
		return nil, err
	}
	file := filepath.Base(s.Module)
	sum := sha256.Sum256(data)
	text := hex.EncodeToString(sum[:])
	if s.SHA256 == "" {
		return nil, fault.New(fault.Invalid, "If it is the file that you mean, write sha256: "+text+".", "cannot use module %s: its SHA-256 is not written down", file)
	}
	pin, err := s.pin()
	if err != nil {
		return nil, err
	}
	if !bytes.Equal(pin, sum[:]) {
		return nil, fault.New(fault.Invalid, "Find out who changed the file. If the change is wanted, write sha256: "+text+".",
			"cannot use module %s: it is not the file that was pinned: it has SHA-256 %s", file, text)
	}
	mod, err := readModule(data)
	if err == nil {
		err = mod.checkRequirements(file, g)
	}
	if err != nil {
		return nil, moduleFault(file, err)
	}
	if err := k.checkGrant(mod, file, g); err != nil {
		return nil, err
	}
	if g.output > size(d.Limits.Bytes) && d.Limits.Bytes > 0 {
		g.output = size(d.Limits.Bytes)
	}
	return &implementation{
		kind: k, tool: d.Name, file: file, sum: sum, grant: g,
		program: k.use(programKey{sum: sum, pages: uint32(g.memory / page)}, mod),
		running: map[*context.CancelCauseFunc]struct{}{},
	}, nil
}

// checkGrant finds out now what could not be given at a call. Secrets are left to
// the call: a tool that is not used needs none.
func (k *Kind) checkGrant(mod *module, file string, g grant) error {
	for _, m := range g.mounts {
		info, err := os.Stat(m.path)
		if err != nil || !info.IsDir() {
			return fault.New(fault.Invalid, "Make the folder, or correct its path.", "cannot use module %s: the folder for %s is not there", file, m.at)
		}
	}
	if k.cfg.CacheDir != "" {
		return checkCacheDir(k.cfg.CacheDir)
	}
	return nil
}

// readFile reads a module, which has a bounded size.
func readFile(name string) ([]byte, error) {
	base := filepath.Base(name)
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fault.New(fault.Invalid, "Correct the path; it starts from the folder of the file of tools.", "cannot read module %s: there is no such file", base)
	case err == nil && !info.Mode().IsRegular():
		return nil, fault.New(fault.Invalid, "Name a .wasm file.", "cannot read module %s: it is not a file", base)
	case err == nil && info.Size() > maxModule:
		return nil, fault.New(fault.Invalid, "Strip it, or make it smaller.", "cannot read module %s: it has more than %v", base, size(maxModule))
	}
	data, err := bounded.ReadFile(name, maxModule)
	if err != nil {
		return nil, fault.New(fault.Invalid, "", "cannot read module %s: %w", base, err)
	}
	return data, nil
}

// moduleFault says what is wrong in a module.
func moduleFault(file string, err error) error {
	var m *moduleError
	if !errors.As(err, &m) {
		return err
	}
	return fault.New(fault.Invalid, m.remedy, "cannot use module %s: %w", file, m)
}

// Close frees what the kind keeps; its tools are closed before.
func (k *Kind) Close() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	var errs []error
	for i, c := range k.caches {
		if c != nil {
			errs = append(errs, c.Close(context.Background()))
			k.caches[i] = nil
		}
	}
	return errors.Join(errs...)
}
