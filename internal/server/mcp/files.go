package mcp

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"praxis/fault"
	"praxis/internal/app"
	"praxis/internal/safetext"
	"praxis/internal/server/api"
)

// Bounds of files.
const (
	maxFile   = 16 << 20 // bytes of one that is read
	maxText   = 48 << 10 // bytes of text that a model gets at once
	maxListed = 500      // files of a list
	maxLocal  = 1 << 30  // bytes of a file of this machine
)

type writeIn struct {
	Path   string `json:"path" jsonschema:"absolute, or below /work"`
	Text   string `json:"text,omitempty"`
	Base64 string `json:"base64,omitempty" jsonschema:"in the place of text"`
	inSession
}

type writeOut struct {
	Path    string `json:"path"`
	Bytes   int64  `json:"bytes"`
	Session string `json:"session"`
}

type readIn struct {
	Path   string `json:"path"`
	Offset int    `json:"offset,omitempty" jsonschema:"bytes to skip, of a long text"`
	inSession
}

type readOut struct {
	Path    string `json:"path"`
	Bytes   int64  `json:"bytes"`
	Type    string `json:"type" jsonschema:"MIME type"`
	Text    string `json:"text,omitempty"`
	Next    int    `json:"next,omitempty" jsonschema:"offset of the rest"`
	Session string `json:"session"`
}

type listIn struct {
	Folder string `json:"folder,omitempty" jsonschema:"left out: /work"`
	inSession
}

type listOut struct {
	Files   []listed `json:"files"`
	More    int      `json:"more,omitempty" jsonschema:"files that are left out"`
	Session string   `json:"session"`
}

type listed struct {
	Path  string `json:"path"`
	Bytes int64  `json:"bytes"`
}

type copyIn struct {
	Paths []string `json:"paths" jsonschema:"files of the user's computer"`
	inSession
}

type copyOut struct {
	Files   []listed `json:"files" jsonschema:"in the session"`
	Session string   `json:"session"`
}

func (d *Door) addFileTools() {
	add(d, &mcp.Tool{Name: "write_file", Description: "Write a file of your session.", Annotations: writes("Write a file", false)}, d.writeFile)
	add(d, &mcp.Tool{Name: "read_file", Description: "Read a file of your session: text, or a picture to look at.", Annotations: reads("Read a file")}, d.readFile)
	add(d, &mcp.Tool{Name: "list_files", Description: "List the files of your session.", Annotations: reads("List files")}, d.listFiles)
	if d.local != nil && len(d.local.Folders) > 0 {
		add(d, &mcp.Tool{
			Name: "copy_local_files", Annotations: writes("Copy files in", false),
			Description: "Copy files of the user's computer into /work of your session. Allowed folders: " + strings.Join(d.local.Folders, ", "),
		}, d.copyFiles)
	}
}

func (d *Door) writeFile(ctx context.Context, _ *mcp.CallToolRequest, in writeIn) (*mcp.CallToolResult, writeOut, error) {
	data := []byte(in.Text)
	if in.Base64 != "" {
		raw, err := base64.StdEncoding.DecodeString(in.Base64)
		if err != nil || in.Text != "" {
			return nil, writeOut{}, fault.New(fault.Invalid, "Give text, or base64 in its place.", "cannot write the file: its content cannot be read")
		}
		data = raw
	}
	at, err := d.within(ctx, in.Session, api.NewSession{}, func(at place) error { return d.put(ctx, at, in.Path, bytes.NewReader(data)) })
	if err != nil {
		return nil, writeOut{}, err
	}
	out := writeOut{absPath(in.Path), int64(len(data)), at.id}
	return said("wrote "+out.Path+", "+safetext.Size(out.Bytes), at.note()), out, nil
}

// put writes a file of a session.
func (d *Door) put(ctx context.Context, at place, name string, from io.Reader) error {
	return d.do(ctx, "files.write", &api.FileRef{SessionRef: api.SessionRef{Session: at.id}, Path: name}, nil, func(c *api.Call) { c.Body = from })
}

// absPath is a path as the session means it.
func absPath(name string) string {
	if path.IsAbs(name) {
		return path.Clean(name)
	}
	return path.Join(app.WorkDir, name)
}

// said is a result of some lines.
func said(parts ...string) *mcp.CallToolResult {
	text := strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "\n")
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}
}

// content reads a file of a session. It is refused when it is long.
func (d *Door) content(ctx context.Context, session, name string) ([]byte, error) {
	var b limited
	err := d.do(ctx, "files.read", &api.FileRef{SessionRef: api.SessionRef{Session: session}, Path: name}, func(_ context.Context, _ *api.Call, out any) error {
		return out.(*api.Content).Write(&b)
	})
	return b.Bytes(), err
}

// limited holds as much as a file that is read may have.
type limited struct{ bytes.Buffer }

// Write adds a piece.
func (b *limited) Write(p []byte) (int, error) {
	if b.Len()+len(p) > maxFile {
		return 0, fault.New(fault.Exhausted, "Read a part of it with code.", "cannot read the file: it has more than %s", safetext.Size(maxFile))
	}
	return b.Buffer.Write(p)
}

func (d *Door) readFile(ctx context.Context, _ *mcp.CallToolRequest, in readIn) (*mcp.CallToolResult, readOut, error) {
	var data []byte
	at, err := d.within(ctx, in.Session, api.NewSession{}, func(at place) (err error) {
		data, err = d.content(ctx, at.id, in.Path)
		return err
	})
	if err != nil {
		return nil, readOut{}, err
	}
	out := readOut{Path: absPath(in.Path), Bytes: int64(len(data)), Type: typeOf(in.Path, data), Session: at.id}
	switch {
	case slices.Contains(pictureTypes(), out.Type):
		res := said(out.Path+", "+safetext.Size(out.Bytes), at.note())
		res.Content = append(res.Content, &mcp.ImageContent{Data: data, MIMEType: out.Type})
		return res, out, nil
	case !utf8.Valid(data):
		res := said(out.Path+", "+safetext.Size(out.Bytes)+" that are no text", at.note())
		res.Content = append(res.Content, &mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: fileURI(at.id, out.Path), MIMEType: out.Type, Blob: data}})
		return res, out, nil
	case in.Offset < 0 || in.Offset > len(data):
		return nil, readOut{}, fault.New(fault.Invalid, fmt.Sprintf("Give 0 to %d.", len(data)), "cannot skip %d bytes of the file: it has %d", in.Offset, len(data))
	}
	rest := data[in.Offset:]
	for len(rest) > 0 && !utf8.RuneStart(rest[0]) { // the offset is within a character
		rest = rest[1:]
	}
	out.Text = string(rest)
	note := ""
	if len(rest) > maxText {
		cut := maxText
		for !utf8.RuneStart(rest[cut]) {
			cut--
		}
		out.Text, out.Next = string(rest[:cut]), len(data)-len(rest)+cut
		note = fmt.Sprintf("[%d of %d bytes; read on with offset %d]", cut, len(data), out.Next)
	}
	return said(cmp.Or(out.Text, "(empty)"), note, at.note()), out, nil
}

// typeOf is the MIME type of a file.
func typeOf(name string, data []byte) string {
	if strings.HasSuffix(strings.ToLower(name), ".svg") && utf8.Valid(data) {
		return "image/svg+xml"
	}
	mime, _, _ := strings.Cut(http.DetectContentType(data), ";")
	return mime
}

func (d *Door) listFiles(ctx context.Context, _ *mcp.CallToolRequest, in listIn) (*mcp.CallToolResult, listOut, error) {
	var out listOut
	at, err := d.within(ctx, in.Session, api.NewSession{}, func(at place) (err error) {
		out.Files, out.More, err = d.files(ctx, at.id, in.Folder)
		return err
	})
	if err != nil {
		return nil, listOut{}, err
	}
	out.Session = at.id
	var b strings.Builder
	for _, f := range out.Files {
		fmt.Fprintf(&b, "%s  %s\n", f.Path, safetext.Size(f.Bytes))
	}
	if out.More > 0 {
		fmt.Fprintf(&b, "[%d more]\n", out.More)
	}
	return said(cmp.Or(strings.TrimSuffix(b.String(), "\n"), "(no files)"), at.note()), out, nil
}

// files lists regular files of a session, and says how many there are beside.
func (d *Door) files(ctx context.Context, session, folder string) (out []listed, more int, err error) {
	all, err := get[api.Files](ctx, d, "files.list", &api.Folder{SessionRef: api.SessionRef{Session: session}, Path: folder})
	out = []listed{}
	for _, f := range all.Files {
		switch {
		case !f.Regular:
		case len(out) == maxListed:
			more++
		default:
			out = append(out, listed{f.Path, f.Bytes})
		}
	}
	return out, more, err
}

// absolute returns the folders of this machine by their real names.
func absolute(folders []string) ([]string, error) {
	var out []string
	for _, f := range folders {
		dir, err := filepath.Abs(f)
		if err == nil {
			dir, err = filepath.EvalSymlinks(dir)
		}
		info := fs.FileInfo(nil)
		if err == nil {
			info, err = os.Stat(dir)
		}
		if err != nil || !info.IsDir() {
			return nil, fault.New(fault.Invalid, "Give a folder that is there.", "cannot let files of %s be read: it is no folder", safetext.Quote(safetext.Line(f)))
		}
		out = append(out, dir)
	}
	return out, nil
}

// openLocal opens a file of this machine that lies in one of the folders. A link that leads out
// of its folder is not followed.
func openLocal(folders []string, name string) (*os.File, error) {
	refused := fault.New(fault.Denied, "Name a file in one of the allowed folders.", "cannot read %s: it is in none of the folders that may be read", safetext.Quote(safetext.Line(name)))
	for _, dir := range folders {
		within := name
		if filepath.IsAbs(name) {
			rel, err := filepath.Rel(dir, filepath.Clean(name))
			if err != nil || !filepath.IsLocal(rel) {
				continue
			}
			within = rel
		} else if !filepath.IsLocal(name) {
			return nil, refused
		}
		f, err := openWithin(dir, within)
		if errors.Is(err, fs.ErrNotExist) && !filepath.IsAbs(name) {
			continue // it may be in the next
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fault.New(fault.NotFound, "Look at its name.", "cannot find %s", safetext.Quote(safetext.Line(name)))
		}
		return f, err
	}
	return nil, refused
}

// openWithin opens a regular file below a folder.
func openWithin(dir, name string) (*os.File, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	bad := fault.New(fault.Invalid, "Name a regular file that is not larger than "+safetext.Size(maxLocal)+".", "cannot read %s", safetext.Quote(safetext.Line(name)))
	// A pipe would be waited for until somebody writes to it.
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, err
	case err != nil:
		return nil, bad
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() || info.Size() > maxLocal {
		_ = f.Close()
		return nil, bad
	}
	return f, nil
}

// maxCopied are the files that a call copies.
const maxCopied = 100

func (d *Door) copyFiles(ctx context.Context, _ *mcp.CallToolRequest, in copyIn) (*mcp.CallToolResult, copyOut, error) {
	if len(in.Paths) == 0 || len(in.Paths) > maxCopied {
		return nil, copyOut{}, fault.New(fault.Invalid, fmt.Sprintf("Name 1 to %d files.", maxCopied), "cannot copy %d files", len(in.Paths))
	}
	out := copyOut{Files: []listed{}}
	at, err := d.within(ctx, in.Session, api.NewSession{}, func(at place) error {
		out.Files = out.Files[:0]
		for _, name := range in.Paths {
			f, err := openLocal(d.local.Folders, name)
			if err != nil {
				return err
			}
			n := &counted{Reader: io.LimitReader(f, maxLocal)}
			to := path.Join(app.WorkDir, filepath.Base(name))
			if err := errors.Join(d.put(ctx, at, to, n), f.Close()); err != nil {
				return err
			}
			out.Files = append(out.Files, listed{to, n.bytes})
		}
		return nil
	})
	if err != nil {
		return nil, copyOut{}, err
	}
	out.Session = at.id
	var lines []string
	for _, f := range out.Files {
		lines = append(lines, "copied "+f.Path+", "+safetext.Size(f.Bytes))
	}
	return said(append(lines, at.note())...), out, nil
}

// counted counts what is read.
type counted struct {
	io.Reader
	bytes int64
}

// Read reads a piece.
func (c *counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.bytes += int64(n)
	return n, err
}
