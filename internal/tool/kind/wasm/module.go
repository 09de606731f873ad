package wasm

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"praxis/internal/safetext"
)

// Bounds of modules. A few bytes of a section can ask for much memory: a table
// of 2^27 entries takes six bytes and a gigabyte, a function's locals the same.
const (
	maxModule       = 64 << 20
	maxSection      = 1 << 20 // of every section but code and data
	maxSegments     = 100_000 // of data
	maxFunctions    = 200_000
	maxBody         = 8 << 20
	maxLocals       = 50_000 // of one function
	maxTables       = 16
	maxTable        = 1 << 20 // entries of all tables to begin with
	freeTable       = 1 << 16 // entries up to which any table may grow
	maxRequirements = 64 << 10
)

// The sections that are looked into.
const (
	sectionCustom = 0
	sectionImport = 2
	sectionTable  = 4
	sectionExport = 7
	sectionCode   = 10
	sectionData   = 11
	sectionLast   = 13
)

// wasi is the name of WASI preview 1, host that of what we add to it.
const (
	wasi     = "wasi_snapshot_preview1"
	host     = "praxis"
	httpCall = "http_request"
	entry    = "_start"
)

// module is a file that was looked through.
type module struct {
	code         []byte // what is to be compiled
	requirements []byte // the custom section "praxis", or nil
	start        bool   // it exports the function _start
	requests     bool   // it imports http_request
}

// errModule is the cause of all that is wrong in a module.
var errModule = errors.New("not a module that can be used")

// moduleError is what is wrong in a module, with what to do about it.
type moduleError struct{ what, remedy string }

func (e *moduleError) Error() string { return e.what }
func (e *moduleError) Unwrap() error { return errModule }

func broken(format string, args ...any) error {
	return &moduleError{what: fmt.Sprintf(format, args...)}
}

// readModule looks through the bytes of a module and makes the copy that is
// compiled: the same but for custom sections, which are left out, and tables,
// which get a greatest size. Instructions are left to the compiler to check.
func readModule(data []byte) (*module, error) {
	if len(data) > maxModule {
		return nil, broken("it has more than %v", size(maxModule))
	}
	if !bytes.HasPrefix(data, []byte("\x00asm")) {
		return nil, &moduleError{"it is not WebAssembly", "Compile it for WASI, with Go: GOOS=wasip1 GOARCH=wasm go build -o FILE.wasm."}
	}
	if len(data) < 8 || !bytes.Equal(data[4:8], []byte{1, 0, 0, 0}) {
		return nil, &moduleError{"it is a component, or of another version of WebAssembly", "Build a core module for WASI preview 1 (wasm32-wasip1)."}
	}
	m := &module{code: slices.Clone(data[:8])}
	m.code = slices.Grow(m.code, len(data))
	r := &reader{rest: data[8:]}
	once := -1 // a bit for each section that may still come
	for len(r.rest) > 0 {
		id := r.byte()
		body := r.take(r.u32())
		if r.bad {
			return nil, broken("it ends in the middle of section %d", id)
		}
		if id > sectionLast {
			return nil, broken("it has an unknown section %d", id)
		}
		// The standard's order is not that of the numbers for two of them; the
		// compiler checks it. Here it is enough that none comes twice.
		if id != sectionCustom {
			if once>>id&1 == 0 {
				return nil, broken("section %d comes twice", id)
			}
			once &^= 1 << id
		}
		if err := m.section(id, body); err != nil {
			return nil, err
		}
	}
	if !m.start {
		return nil, &moduleError{"it has no function " + entry, "Build it as a command, not as a library (reactor)."}
	}
	return m, nil
}

// section checks a section and appends it to the code.
func (m *module) section(id byte, body []byte) error {
	if id != sectionCode && id != sectionData && id != sectionCustom && len(body) > maxSection {
		return broken("section %d has more than %v", id, size(maxSection))
	}
	r := &reader{rest: body}
	var err error
	switch id {
	case sectionCustom:
		name := r.name()
		if name != host || r.bad {
			return nil
		}
		if m.requirements != nil || len(r.rest) > maxRequirements {
			return broken("there is more than one section %q, or it has more than %v", host, size(maxRequirements))
		}
		m.requirements = slices.Clone(r.rest)
		if m.requirements == nil {
			m.requirements = []byte{}
		}
		return nil
	case sectionImport:
		err = m.imports(r)
	case sectionTable:
		body, err = tables(r)
	case sectionExport:
		err = m.exports(r)
	case sectionCode:
		err = functions(r)
	case sectionData:
		if n := r.count(); n > maxSegments {
			err = broken("it has more than %d segments of data", maxSegments)
		}
	}
	if err != nil {
		return err
	}
	if r.bad {
		return broken("section %d is broken", id)
	}
	m.code = append(m.code, id)
	m.code = binary.AppendUvarint(m.code, uint64(len(body)))
	m.code = append(m.code, body...)
	return nil
}

// imports allows functions of WASI and http_request, nothing else.
func (m *module) imports(r *reader) error {
	for range r.count() {
		from, name, kind := r.name(), r.name(), r.byte()
		if r.bad {
			break
		}
		if kind != 0 {
			return broken("it imports %s.%s, which is not a function", safetext.Clip(from, 80), safetext.Clip(name, 80))
		}
		r.u32()
		_, known := slices.BinarySearch(wasiFunctions(), name)
		requests := from == host && name == httpCall
		if !requests && (from != wasi || !known) {
			return &moduleError{
				fmt.Sprintf("it imports the function %s.%s, which is not there", safetext.Clip(from, 80), safetext.Clip(name, 80)),
				"Build it for WASI preview 1 (wasm32-wasip1); the only other function is " + host + "." + httpCall + ".",
			}
		}
		m.requests = m.requests || requests
	}
	return nil
}

func (m *module) exports(r *reader) error {
	for range r.count() {
		name, kind := r.name(), r.byte()
		r.u32()
		m.start = m.start || (name == entry && kind == 0 && !r.bad)
	}
	return nil
}

// tables returns the section with a greatest size for each table, so that
// table.grow cannot go on for ever.
func tables(r *reader) ([]byte, error) {
	n := r.count()
	if n > maxTables {
		return nil, broken("it has more than %d tables", maxTables)
	}
	out := binary.AppendUvarint(nil, uint64(n))
	var sum uint64
	for range n {
		kind, limits := r.byte(), r.byte()
		if r.bad {
			return nil, nil
		}
		if (kind != 0x70 && kind != 0x6f) || limits > 1 {
			return nil, broken("it has a table of a kind that is not supported")
		}
		least := r.u32()
		most := max(least, freeTable)
		if limits == 1 {
			most = min(most, r.u32())
		}
		if sum += uint64(least); sum > maxTable {
			return nil, broken("its tables have more than %d entries", maxTable)
		}
		out = append(out, kind, 1)
		out = binary.AppendUvarint(out, uint64(least))
		out = binary.AppendUvarint(out, uint64(most))
	}
	if len(r.rest) > 0 {
		return nil, broken("section %d is broken", sectionTable)
	}
	return out, nil
}

// functions checks the sizes of functions, their locals, and how hard they are to
// compile.
func functions(r *reader) error {
	n := r.count()
	if n > maxFunctions {
		return broken("it has more than %d functions", maxFunctions)
	}
	var all uint64
	for i := range n {
		body := &reader{rest: r.take(r.u32())}
		if r.bad {
			return nil
		}
		if len(body.rest) > maxBody {
			return broken("function %d has more than %v", i, size(maxBody))
		}
		var locals uint64
		for range body.count() {
			locals += uint64(body.u32())
			if kind := body.byte(); kind == 0x63 || kind == 0x64 {
				return broken("function %d has locals of a kind that is not supported", i)
			}
			if locals > maxLocals {
				return broken("function %d has more than %d locals", i, maxLocals)
			}
		}
		takes, err := cost(body, locals)
		if err != nil {
			return err
		}
		r.bad = r.bad || body.bad
		if all += takes; all > maxCost {
			return &moduleError{
				fmt.Sprintf("it would take too long to compile (function %d takes %d%% of what is allowed)", i, takes*100/maxCost),
				"Split functions with very many branches.",
			}
		}
	}
	return nil
}

// reader reads WebAssembly's binary format; after a first mistake it is bad and
// gives zeros.
type reader struct {
	rest []byte
	bad  bool
}

func (r *reader) byte() byte {
	if len(r.rest) == 0 {
		r.bad = true
		return 0
	}
	b := r.rest[0]
	r.rest = r.rest[1:]
	return b
}

// u32 reads an unsigned LEB128 number of at most five bytes.
func (r *reader) u32() uint32 {
	var n uint64
	for shift := 0; shift < 35; shift += 7 {
		b := r.byte()
		n |= uint64(b&0x7f) << shift
		if b < 0x80 {
			if r.bad || n > 1<<32-1 {
				break
			}
			return uint32(n)
		}
	}
	r.bad, r.rest = true, nil
	return 0
}

// count reads how many items follow, each of which takes a byte at least.
func (r *reader) count() int {
	n := r.u32()
	if uint64(n) > uint64(len(r.rest)) {
		r.bad, r.rest = true, nil
		return 0
	}
	return int(n)
}

func (r *reader) take(n uint32) []byte {
	if uint64(n) > uint64(len(r.rest)) {
		r.bad, r.rest = true, nil
		return nil
	}
	b := r.rest[:n]
	r.rest = r.rest[n:]
	return b
}

func (r *reader) name() string {
	b := r.take(r.u32())
	if !utf8.Valid(b) {
		r.bad = true
		return ""
	}
	return string(b)
}

// wasiFunctions are the names of WASI preview 1, sorted.
func wasiFunctions() []string {
	return []string{
		"args_get", "args_sizes_get", "clock_res_get", "clock_time_get", "environ_get", "environ_sizes_get",
		"fd_advise", "fd_allocate", "fd_close", "fd_datasync", "fd_fdstat_get", "fd_fdstat_set_flags",
		"fd_fdstat_set_rights", "fd_filestat_get", "fd_filestat_set_size", "fd_filestat_set_times", "fd_pread",
		"fd_prestat_dir_name", "fd_prestat_get", "fd_pwrite", "fd_read", "fd_readdir", "fd_renumber", "fd_seek",
		"fd_sync", "fd_tell", "fd_write", "path_create_directory", "path_filestat_get", "path_filestat_set_times",
		"path_link", "path_open", "path_readlink", "path_remove_directory", "path_rename", "path_symlink",
		"path_unlink_file", "poll_oneoff", "proc_exit", "proc_raise", "random_get", "sched_yield", "sock_accept",
		"sock_recv", "sock_send", "sock_shutdown",
	}
}
