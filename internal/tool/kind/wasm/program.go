package wasm

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"praxis/fault"
	"praxis/internal/safetext"
)

// cacheFormat names the folder of compiled modules; it changes with the library
// and with what readModule makes of a module.
const cacheFormat = "wazero-1.12.0-1"

// maxCached is how many compiled modules stay on disk.
const maxCached = 64

// program is a module that several tools may share, compiled at its first call.
type program struct {
	kind  *Kind
	key   programKey
	users int // guarded by the kind's mu

	mu      sync.Mutex
	mod     *module
	done    chan struct{} // closed when compiling has ended; nil before it begins
	made    bool          // compiling has ended
	unused  bool          // nobody needs it any more
	runtime wazero.Runtime
	code    wazero.CompiledModule
	err     error
}

// use returns the program of a module for one more user.
func (k *Kind) use(key programKey, mod *module) *program {
	k.mu.Lock()
	defer k.mu.Unlock()
	p := k.programs[key]
	if p == nil {
		p = &program{kind: k, key: key, mod: mod}
		k.programs[key] = p
	}
	p.users++
	return p
}

// release ends the use of a program.
func (p *program) release() error {
	p.kind.mu.Lock()
	p.users--
	last := p.users == 0
	if last {
		delete(p.kind.programs, p.key)
	}
	p.kind.mu.Unlock()
	if !last {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.unused = true
	if p.made {
		return p.free()
	}
	return nil // compiling cannot be stopped; it frees what it made when it has ended
}

func (p *program) free() error {
	ctx := context.Background()
	var err error
	if p.code != nil {
		err = p.code.Close(ctx)
	}
	if p.runtime != nil {
		err = cmp.Or(p.runtime.Close(ctx), err)
	}
	return err
}

// ready waits until the module is compiled. Whoever comes first has it compiled,
// and who gives up waiting leaves the work to those who come later.
func (p *program) ready(ctx context.Context) error {
	p.mu.Lock()
	if p.done == nil {
		p.done = make(chan struct{})
		go p.make(p.done)
	}
	done := p.done
	p.mu.Unlock()
	select {
	case <-done:
		return p.err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (p *program) make(done chan struct{}) {
	defer func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.made = true
		if p.unused {
			_ = p.free()
		}
		close(done)
	}()
	err := p.compile(p.kind.cfg.CacheDir != "")
	if err != nil && p.kind.cfg.CacheDir != "" {
		// What is wrong may be the folder: a full disk, a file that was cut off.
		_ = p.free()
		err = p.compile(false)
	}
	if err != nil {
		_ = p.free()
		p.runtime, p.code = nil, nil
		p.err = fault.New(fault.Invalid, "", "%v", err)
	}
	p.mod = nil
}

// compile compiles the module. The compiler is given bytes that anybody may have
// written: its panics are errors.
func (p *program) compile(disk bool) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the compiler failed: %s", firstLine(fmt.Sprint(r)))
		}
	}()
	cache, err := p.kind.cache(disk)
	if err != nil {
		return err
	}
	ctx := context.Background()
	p.runtime = wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfig().
		WithCoreFeatures(api.CoreFeaturesV2).
		WithMemoryLimitPages(p.key.pages).
		WithCloseOnContextDone(true).
		WithDebugInfoEnabled(false).
		WithCompilationCache(cache))
	if err := addHost(ctx, p.runtime); err != nil {
		return fmt.Errorf("cannot define the host's functions: %w", err)
	}
	p.code, err = p.runtime.CompileModule(ctx, p.mod.code)
	if err != nil {
		return fmt.Errorf("it cannot be compiled: %s", firstLine(err.Error()))
	}
	return nil
}

// cache returns the cache of compiled modules, on disk or in memory alone.
func (k *Kind) cache(disk bool) (wazero.CompilationCache, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	at := 1
	if disk {
		at = 0
	}
	if k.caches[at] != nil {
		return k.caches[at], nil
	}
	if !disk {
		k.caches[at] = wazero.NewCompilationCache()
		return k.caches[at], nil
	}
	if err := checkCacheDir(k.cfg.CacheDir); err != nil {
		return nil, err
	}
	dir := filepath.Join(k.cfg.CacheDir, cacheFormat)
	prune(dir)
	c, err := wazero.NewCompilationCacheWithDir(dir)
	if err != nil {
		return nil, fmt.Errorf("cannot open the folder of compiled modules: %w", err)
	}
	k.caches[at] = c
	return c, nil
}

// checkCacheDir makes the folder of compiled modules and faults when others may
// write to it.
func checkCacheDir(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("cannot make the folder of compiled modules: %w", err)
	}
	for _, name := range []string{dir, filepath.Join(dir, cacheFormat)} {
		info, err := os.Stat(name)
		if os.IsNotExist(err) {
			continue
		}
		if err != nil {
			return fmt.Errorf("cannot look at the folder of compiled modules: %w", err)
		}
		if !info.IsDir() || info.Mode()&0o022 != 0 || !owned(info) {
			return fault.New(fault.Denied, "Take the right to write to it from others: chmod go-w.",
				"cannot use the folder of compiled modules: others may write to it")
		}
	}
	return nil
}

// prune removes the oldest compiled modules when there are too many. What it
// cannot remove stays.
func prune(dir string) {
	type entry struct {
		path string
		at   time.Time
	}
	var all []entry
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil
		}
		if info, err := d.Info(); err == nil {
			all = append(all, entry{path, info.ModTime()})
		}
		return nil
	})
	slices.SortFunc(all, func(a, b entry) int { return b.at.Compare(a.at) })
	for _, e := range all[min(len(all), maxCached):] {
		_ = os.Remove(e.path)
	}
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return plain(safetext.Clip(s, 300))
}
