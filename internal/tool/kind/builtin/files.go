package builtin

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"praxis/fault"
	"praxis/internal/safetext"
	"praxis/internal/tool"
	"praxis/internal/tool/jsondoc"
	"praxis/internal/tool/toolfile"
)

// Bounds of one call.
const (
	maxRead    = 2 << 20  // bytes read
	maxWrite   = 8 << 20  // bytes written
	maxWritten = 64 << 20 // bytes of a file that is appended to
	maxPath    = 4096
)

type filesSettings struct {
	Root string `json:"root"`
}

const readDocument = `{"name": "files.read", "version": "1.0.0", "title": "Read a file", "effects": "read",
"input": {"type": "object", "required": ["path"], "additionalProperties": false, "properties": {
	"path": {"type": "string", "minLength": 1, "maxLength": 4096, "description": "Relative to the folder, with slashes."},
	"offset": {"type": "integer", "minimum": 0, "maximum": 9007199254740991, "default": 0, "description": "The byte to begin with."},
	"limit": {"type": "integer", "minimum": 1, "maximum": 2097152, "default": 262144, "description": "How many bytes at most."},
	"encoding": {"enum": ["auto", "text", "base64"], "default": "auto", "description": "auto: text where it is UTF-8."}}},
"output": {"type": "object", "required": ["path", "size", "next", "more"], "properties": {
	"path": {"type": "string"}, "size": {"type": "integer", "description": "Bytes of the whole file."},
	"text": {"type": "string"}, "base64": {"type": "string"},
	"next": {"type": "integer", "description": "The offset to go on with."}, "more": {"type": "boolean"}}}}`

const writeDocument = `{"name": "files.write", "version": "1.1.0", "title": "Write a file", "effects": "write",
"input": {"type": "object", "required": ["path", "content"], "additionalProperties": false, "properties": {
	"path": {"type": "string", "minLength": 1, "maxLength": 4096, "description": "Relative to the folder, with slashes. Folders that are missing are made."},
	"content": {"type": "string"},
	"mode": {"enum": ["create", "replace", "append"], "default": "create", "description": "create: there must be no such file yet."},
	"encoding": {"enum": ["text", "base64"], "default": "text"}}},
"output": {"type": "object", "required": ["path", "size", "created"], "properties": {
	"path": {"type": "string"}, "size": {"type": "integer", "description": "Bytes of the file now."}, "created": {"type": "boolean"},
	"where": {"type": "string", "description": "Where the file lies."}}}}`

// elsewhere says that a folder is none of a session's. Its path is the host's own affair.
const elsewhere = " of the machine that runs this tool, not of the session"

func describeRead(_ context.Context, b binding) (*jsondoc.Object, error) {
	name, err := rootName(b)
	if err != nil {
		return nil, err
	}
	return document(readDocument, "Reads a file, or a part of it, below the folder "+name+elsewhere+".")
}

func describeWrite(_ context.Context, b binding) (*jsondoc.Object, error) {
	name, err := rootName(b)
	if err != nil {
		return nil, err
	}
	return document(writeDocument, "Writes a file below the folder "+name+elsewhere+", whole or not at all.")
}

// rootName is what the root is called before a model, who need not know where
// it lies.
func rootName(b binding) (string, error) {
	root, err := rootPath(b)
	return filepath.Base(root), err
}

func rootPath(b binding) (string, error) {
	var s filesSettings
	if err := toolfile.DecodeSpec(b.with, &s); err != nil {
		return "", err
	}
	if s.Root == "" {
		return "", fault.New(fault.Invalid, "Write with: {root: FOLDER} beside go: "+b.name+".", "cannot use %s: no root is given", b.name)
	}
	return b.path(s.Root), nil
}

// folder is the root of a tool over files.
type folder struct {
	name, path string
	root       *os.Root
	bytes      int64
	mu         sync.Mutex // one writer at a time: to append reads and replaces
}

func openFolder(d *tool.Definition, b binding) (*folder, error) {
	path, err := rootPath(b)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, fault.New(fault.Invalid, "Make the folder, or correct root.", "cannot use %s: cannot open its root %s: %w", b.name, path, reason(err))
	}
	return &folder{name: b.name, path: path, root: root, bytes: bound(d)}, nil
}

func newReader(_ context.Context, d *tool.Definition, b binding) (tool.Implementation, error) {
	f, err := openFolder(d, b)
	if err != nil {
		return nil, err
	}
	return &reader{f}, nil
}

func newWriter(_ context.Context, d *tool.Definition, b binding) (tool.Implementation, error) {
	f, err := openFolder(d, b)
	if err != nil {
		return nil, err
	}
	return &writer{f}, nil
}

func (f *folder) Identity() string { return "go " + f.name + " " + f.path }

func (f *folder) Close() error { return f.root.Close() }

// reason drops the path of an error of a file: it names the host's folders.
func reason(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	var l *os.LinkError
	if errors.As(err, &l) {
		return l.Err
	}
	return err
}

// local checks a path that a caller gave.
func local(path string) (string, error) {
	switch {
	case path == "" || len(path) > maxPath || strings.ContainsRune(path, 0) || !utf8.ValidString(path):
		return "", fault.New(fault.Invalid, "Give a path relative to the folder.", "cannot use the path: it is empty, too long or no text")
	case filepath.IsAbs(path):
		return "", fault.New(fault.Denied, "Give a path relative to the folder.", "cannot use the path %q: it is absolute", safetext.Clip(path, 200))
	case !filepath.IsLocal(path):
		return "", fault.New(fault.Denied, "Give a path below the folder.", "cannot use the path %q: it leads out of the folder", safetext.Clip(path, 200))
	}
	return filepath.Clean(path), nil
}

// refused says why a path could not be used.
func (f *folder) refused(verb, path string, err error) error {
	why := reason(err)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fault.New(fault.Invalid, f.nearby(path), "cannot %s %q: there is no such file", verb, safetext.Clip(path, 200))
	case errors.Is(err, fs.ErrExist):
		return fault.New(fault.Invalid, "Choose another name, or the mode replace or append.", "cannot %s %q: it is there already", verb, safetext.Clip(path, 200))
	case errors.Is(err, fs.ErrPermission):
		return fault.New(fault.Denied, "", "cannot %s %q: permission denied", verb, safetext.Clip(path, 200))
	case errors.Is(err, unix.ENOSPC), errors.Is(err, unix.EDQUOT):
		return fault.New(fault.Exhausted, "", "cannot %s %q: no space is left", verb, safetext.Clip(path, 200))
	case strings.Contains(why.Error(), "escapes from parent"):
		return fault.New(fault.Denied, "Give a path below the folder.", "cannot %s %q: it leads out of the folder", verb, safetext.Clip(path, 200))
	}
	return fault.New(fault.Invalid, "", "cannot %s %q: %w", verb, safetext.Clip(path, 200), why)
}

// nearby says what is there where a file was looked for.
func (f *folder) nearby(path string) string {
	dir := filepath.Dir(path)
	d, err := f.root.OpenFile(dir, os.O_RDONLY|unix.O_NONBLOCK|unix.O_DIRECTORY, 0)
	if err != nil {
		return ""
	}
	defer d.Close()
	const shown = 20
	list, err := d.ReadDir(shown + 1)
	if err != nil && len(list) == 0 {
		return ""
	}
	var names []string
	for _, e := range list[:min(shown, len(list))] {
		name := safetext.Clip(strings.ToValidUTF8(e.Name(), "?"), 200)
		if e.IsDir() {
			name += "/"
		}
		names = append(names, name)
	}
	if len(list) > shown {
		names = append(names, "…")
	}
	if dir == "." {
		return "There are: " + strings.Join(names, ", ") + "."
	}
	return "In " + safetext.Clip(dir, 200) + " there are: " + strings.Join(names, ", ") + "."
}

// open opens a plain file. Others, such as a pipe that would hang the call, are
// refused. Opening does not block, since a pipe may take the file's place meanwhile.
func (f *folder) open(path string) (*os.File, fs.FileInfo, error) {
	h, err := f.root.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, f.refused("read", path, err)
	}
	info, err := h.Stat()
	if err == nil && !info.Mode().IsRegular() {
		what, remedy := "it is no plain file", ""
		if info.IsDir() {
			what, remedy = "it is a folder", f.nearby(filepath.Join(path, "x"))
		}
		err = fault.New(fault.Invalid, remedy, "cannot read %q: %s", safetext.Clip(path, 200), what)
	}
	if err != nil {
		h.Close()
		return nil, nil, err
	}
	return h, info, nil
}

// reader is files.read.
type reader struct{ *folder }

func (r *reader) Call(ctx context.Context, c tool.Invocation) (any, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	path, err := local(textOf(c.Arguments, "path"))
	if err != nil {
		return nil, err
	}
	offset, err := wholeOf(c.Arguments, "offset", 0)
	if err != nil {
		return nil, err
	}
	limit, err := wholeOf(c.Arguments, "limit", 256<<10)
	if err != nil {
		return nil, err
	}
	limit = max(1, min(limit, maxRead, r.bytes/2))
	h, info, err := r.open(path)
	if err != nil {
		return nil, err
	}
	defer h.Close()
	data := make([]byte, min(limit, max(0, info.Size()-offset))+1)
	n, err := h.ReadAt(data, max(0, offset))
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, r.refused("read", path, err)
	}
	// One byte more than is returned is read, to know whether there is more.
	more := n == len(data)
	data = data[:min(n, len(data)-1)]
	return r.result(c.Arguments, path, info.Size(), offset, data, more)
}

func (r *reader) result(args *jsondoc.Object, path string, size, offset int64, data []byte, more bool) (any, error) {
	encoding := textOf(args, "encoding")
	text := data
	if more {
		text = wholeRunes(data)
	}
	asText := encoding != "base64" && utf8.Valid(text) && (len(text) > 0 || len(data) == 0)
	if encoding == "text" && !asText {
		return nil, fault.New(fault.Invalid, "Ask for base64.", "cannot read %q as text: it is not UTF-8", safetext.Clip(path, 200))
	}
	name, content := "base64", ""
	if asText {
		name, content, data = "text", string(text), text
	} else {
		content = base64.StdEncoding.EncodeToString(data)
	}
	return jsondoc.NewObject(jsondoc.Member{Name: "path", Value: filepath.ToSlash(path)}, jsondoc.Member{Name: "size", Value: size},
		jsondoc.Member{Name: name, Value: content},
		jsondoc.Member{Name: "next", Value: offset + int64(len(data))}, jsondoc.Member{Name: "more", Value: more}), nil
}

// wholeRunes cuts off a character that is not whole at the end.
func wholeRunes(b []byte) []byte {
	for i := 1; i <= min(utf8.UTFMax-1, len(b)); i++ {
		if tail := b[len(b)-i:]; utf8.RuneStart(tail[0]) {
			if !utf8.FullRune(tail) {
				return b[:len(b)-i]
			}
			break
		}
	}
	return b
}

// writer is files.write.
type writer struct{ *folder }

func (w *writer) Call(ctx context.Context, c tool.Invocation) (any, error) {
	path, err := local(textOf(c.Arguments, "path"))
	if err != nil {
		return nil, err
	}
	content := []byte(textOf(c.Arguments, "content"))
	if textOf(c.Arguments, "encoding") == "base64" {
		if content, err = base64.StdEncoding.DecodeString(string(content)); err != nil {
			return nil, fault.New(fault.Invalid, "Encode the content with the standard alphabet and its padding.", "cannot write %q: the content is no base64", safetext.Clip(path, 200))
		}
	}
	if len(content) > maxWrite {
		return nil, fault.New(fault.Exhausted, "Write it in parts, with the mode append.", "cannot write %q: %d bytes, more than %d", safetext.Clip(path, 200), len(content), maxWrite)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	size, created, err := w.write(path, content, textOf(c.Arguments, "mode"))
	if err != nil {
		return nil, err
	}
	return jsondoc.NewObject(jsondoc.Member{Name: "path", Value: filepath.ToSlash(path)}, jsondoc.Member{Name: "size", Value: size}, jsondoc.Member{Name: "created", Value: created},
		jsondoc.Member{Name: "where", Value: filepath.ToSlash(filepath.Join(filepath.Base(w.folder.path), path)) + elsewhere}), nil
}

func (w *writer) write(path string, content []byte, mode string) (size int64, created bool, err error) {
	if path == "." {
		return 0, false, fault.New(fault.Invalid, "Give the path of a file.", "cannot write %q: it is the folder itself", path)
	}
	perm := fs.FileMode(0o644)
	info, err := w.root.Lstat(path)
	switch {
	case err == nil && mode != "replace" && mode != "append":
		return 0, false, w.refused("write", path, fs.ErrExist)
	case err == nil && !info.Mode().IsRegular():
		return 0, false, fault.New(fault.Invalid, "Choose another name.", "cannot write %q: it is a folder, a link or another thing that is no plain file", safetext.Clip(path, 200))
	case err == nil:
		perm = info.Mode().Perm()
	case errors.Is(err, fs.ErrNotExist):
		created = true
		if err := w.root.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return 0, false, w.refused("write", path, err)
		}
	default:
		return 0, false, w.refused("write", path, err)
	}
	temp := filepath.Join(filepath.Dir(path), ".praxis-"+rand.Text())
	h, err := w.root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return 0, false, w.refused("write", path, err)
	}
	defer w.root.Remove(temp)
	size, err = w.fill(h, path, content, mode == "append" && !created)
	if err == nil {
		err = errors.Join(h.Chmod(perm), h.Sync())
	}
	if err := errors.Join(err, h.Close()); err != nil {
		if _, ours := errors.AsType[*fault.Error](err); ours {
			return 0, false, err
		}
		return 0, false, w.refused("write", path, err)
	}
	if mode == "replace" || mode == "append" {
		err = w.root.Rename(temp, path)
	} else {
		// A link, unlike a name that moves, never takes another's place.
		err = w.root.Link(temp, path)
	}
	if err != nil {
		return 0, false, w.refused("write", path, err)
	}
	w.sync(filepath.Dir(path))
	return size, created, nil
}

// fill writes the new file: what was there, when it is appended to, and the content.
func (w *writer) fill(h *os.File, path string, content []byte, keep bool) (int64, error) {
	var before int64
	if keep {
		old, info, err := w.open(path)
		if err != nil {
			return 0, err
		}
		defer old.Close()
		if info.Size()+int64(len(content)) > maxWritten {
			return 0, fault.New(fault.Exhausted, "Begin another file.", "cannot append to %q: it would have more than %d bytes", safetext.Clip(path, 200), maxWritten)
		}
		if before, err = io.Copy(h, io.LimitReader(old, maxWritten)); err != nil {
			return 0, err
		}
	}
	n, err := h.Write(content)
	return before + int64(n), err
}

// sync makes a new name last. The file itself is safe; what a folder cannot do
// is no failure of the call.
func (w *writer) sync(dir string) {
	if d, err := w.root.Open(dir); err == nil {
		_ = d.Sync()
		d.Close()
	}
}
