package guest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"praxis/fault"
	"praxis/internal/guest/wire"
)

// ReadFile writes the content of a file to w and returns what the file was. A
// guest can send without end: w returns an error when it has enough.
func (c *Client) ReadFile(ctx context.Context, path string, w io.Writer) (wire.FileInfo, error) {
	const what = "read file"
	body, err := c.download(ctx, what, wire.OpRead, wire.Path{Path: path}, w)
	if err != nil {
		return wire.FileInfo{}, err
	}
	return c.fileInfo(what, body)
}

// WriteFile writes what r brings to a file of the session's user, whole or not
// at all, with the folders above it. mode 0 means 0644.
func (c *Client) WriteFile(ctx context.Context, path string, r io.Reader, mode fs.FileMode) (wire.FileInfo, error) {
	const what = "write file"
	body, err := c.upload(ctx, what, wire.OpWrite, wire.Write{Path: path, Mode: uint32(mode.Perm())}, r)
	if err != nil {
		return wire.FileInfo{}, err
	}
	return c.fileInfo(what, body)
}

// Archive writes files and folders as one archive, tar or zip, to w.
func (c *Client) Archive(ctx context.Context, format string, paths []string, w io.Writer) error {
	_, err := c.download(ctx, "archive files", wire.OpArchive, wire.Archive{Format: format, Paths: paths}, w)
	return err
}

// Extract unpacks an archive, tar (compressed with gzip or not) or zip, into a
// folder. An entry that would lie outside of it is a fault, and the archive is
// not unpacked further.
func (c *Client) Extract(ctx context.Context, format, dir string, r io.Reader) error {
	_, err := c.upload(ctx, "extract archive", wire.OpExtract, wire.Extract{Format: format, Dir: dir}, r)
	return err
}

// Stat describes a file; a symbolic link is described itself.
func (c *Client) Stat(ctx context.Context, path string) (wire.FileInfo, error) {
	const what = "look at file"
	r, err := roundTrip[json.RawMessage](ctx, c, what, wire.OpStat, wire.Path{Path: path})
	if err != nil {
		return wire.FileInfo{}, err
	}
	return c.fileInfo(what, r)
}

// Remove removes a file or an empty folder; recursive removes what is in it too.
func (c *Client) Remove(ctx context.Context, path string, recursive bool) error {
	_, err := roundTrip[struct{}](ctx, c, "remove file", wire.OpRemove, wire.Path{Path: path, Recursive: recursive})
	return err
}

// Move renames a file or folder and takes the place of a file that is there.
func (c *Client) Move(ctx context.Context, from, to string) error {
	_, err := roundTrip[struct{}](ctx, c, "move file", wire.OpMove, wire.Move{From: from, To: to})
	return err
}

// Mkdir makes a folder and those above it. One that exists is no error.
func (c *Client) Mkdir(ctx context.Context, path string) error {
	_, err := roundTrip[struct{}](ctx, c, "make folder", wire.OpMkdir, wire.Path{Path: path})
	return err
}

// List returns what is in a folder, sorted by name, each folder before what is
// in it. A folder with more than a listing may hold is a fault, see wire.List.
func (c *Client) List(ctx context.Context, path string, recursive bool) ([]wire.FileInfo, error) {
	l, err := c.Find(ctx, wire.List{Path: path, Recursive: recursive})
	return l.Files, err
}

// Listing is what Find found.
type Listing struct {
	Files   []wire.FileInfo
	LeftOut int // what exists and is not in Files, see wire.Listed
}

// Find is List with a choice of what is listed.
func (c *Client) Find(ctx context.Context, args wire.List) (Listing, error) {
	const what = "list folder"
	end, err := c.begin(ctx, what, true)
	if err != nil {
		return Listing{}, err
	}
	defer end()
	k, err := c.openWhole(ctx, what, wire.OpList, args)
	if err != nil {
		return Listing{}, err
	}
	out, size := Listing{Files: []wire.FileInfo{}}, 0
	for {
		f, err := k.frame(ctx, what)
		if err != nil {
			return Listing{}, err
		}
		if f.Kind == wire.Response {
			var last wire.Listed
			if json.Unmarshal(f.Body, &last) != nil || last.LeftOut < 0 {
				return Listing{}, c.reject(what, violation("the end of a listing that cannot be read"))
			}
			out.LeftOut = last.LeftOut
			return out, nil
		}
		var batch wire.Files
		if f.Kind != wire.Event || json.Unmarshal(f.Body, &batch) != nil || len(batch.Files) == 0 {
			return Listing{}, c.reject(what, violation("a listing that cannot be read"))
		}
		for _, i := range batch.Files {
			if err := checkInfo(i); err != nil {
				return Listing{}, c.reject(what, err)
			}
			size += len(i.Path) + len(i.Target)
		}
		out.Files = append(out.Files, batch.Files...)
		if len(out.Files) > wire.MaxListed || size > wire.MaxListedBytes {
			return Listing{}, c.reject(what, violation("a listing that is too long"))
		}
	}
}

// Watch calls f for changes of a file or of what is in a folder until ctx is
// done, and returns nil then. The first call, and another after a checkpoint,
// is of the type wire.Rescan: what happened before was not seen.
func (c *Client) Watch(ctx context.Context, path string, recursive bool, f func(wire.Change)) error {
	const what = "watch files"
	for {
		k, err := c.openSoon(ctx, what, wire.OpWatch, wire.Watch{Path: path, Recursive: recursive})
		if err != nil {
			return unlessCanceled(ctx, err)
		}
		err = c.watch(ctx, what, k, f)
		if !errors.Is(err, errLost) {
			return unlessCanceled(ctx, err)
		}
	}
}

func unlessCanceled(ctx context.Context, err error) error {
	if fault.KindOf(err) == fault.Canceled && ctx.Err() != nil {
		return nil
	}
	return err
}

func (c *Client) watch(ctx context.Context, what string, k *call, f func(wire.Change)) error {
	for {
		frame, err := k.next(ctx, what)
		if err != nil {
			if !errors.Is(err, errLost) {
				k.abandon()
			}
			return err
		}
		if frame.Kind == wire.Failure {
			return c.failure(what, frame.Body)
		}
		var change wire.Change
		if frame.Kind != wire.Event || json.Unmarshal(frame.Body, &change) != nil {
			return c.reject(what, violation("a change that cannot be read"))
		}
		switch change.Type {
		case wire.Created, wire.Modified, wire.Removed, wire.Rescan:
		default:
			return c.reject(what, violation("a change of a type that does not exist"))
		}
		if len(change.Path) > wire.MaxPath {
			return c.reject(what, violation("a path that is too long"))
		}
		f(change)
	}
}

// frame waits for the next frame of a request that a reopened stream ends.
// A failure is returned as its fault.
func (k *call) frame(ctx context.Context, what string) (wire.Frame, error) {
	f, err := k.nextSoon(ctx, what)
	switch {
	case errors.Is(err, errLost):
		return f, lostFault(what)
	case err != nil:
		k.abandon()
		return f, err
	case f.Kind == wire.Failure:
		return f, k.c.failure(what, f.Body)
	}
	return f, nil
}

// download copies a request's data to w and returns its response.
func (c *Client) download(ctx context.Context, what, op string, args any, w io.Writer) ([]byte, error) {
	end, err := c.begin(ctx, what, true)
	if err != nil {
		return nil, err
	}
	defer end()
	k, err := c.openWhole(ctx, what, op, args)
	if err != nil {
		return nil, err
	}
	over := false
	for {
		f, err := k.frame(ctx, what)
		if err != nil {
			return nil, err
		}
		switch f.Kind {
		case wire.Data:
			if _, err := w.Write(f.Body); err != nil {
				k.abandon()
				return nil, fmt.Errorf("cannot %s: %w", what, err)
			}
		case wire.End:
			over = true
		case wire.Response:
			if !over {
				return nil, c.reject(what, violation("a response before the end of the data"))
			}
			return f.Body, nil
		default:
			return nil, c.reject(what, violation("%s in a download", f.Kind))
		}
	}
}

// upload sends what r brings as a request's data and returns its response.
func (c *Client) upload(ctx context.Context, what, op string, args any, r io.Reader) ([]byte, error) {
	end, err := c.begin(ctx, what, true)
	if err != nil {
		return nil, err
	}
	defer end()
	k, err := c.openWhole(ctx, what, op, args)
	if err != nil {
		return nil, err
	}
	if err := k.sendAll(ctx, what, r); err != nil && !errors.Is(err, io.ErrClosedPipe) {
		if errors.Is(err, errLost) || errors.Is(err, errQuiet) {
			return nil, lostFault(what)
		}
		k.abandon()
		return nil, err
	}
	return k.response(ctx, what)
}

func (k *call) sendAll(ctx context.Context, what string, r io.Reader) error {
	buf := make([]byte, wire.Chunk)
	for {
		n, err := io.ReadFull(r, buf)
		if n > 0 {
			if err := k.soon(ctx, what, func(ctx context.Context) (int, error) { return n, k.send(ctx, what, buf[:n]) }); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return k.write(ctx, wire.End)
		}
		if err != nil {
			return fmt.Errorf("cannot %s: %w", what, err)
		}
	}
}

func (c *Client) fileInfo(what string, body []byte) (wire.FileInfo, error) {
	var i wire.FileInfo
	if json.Unmarshal(body, &i) != nil {
		return i, c.reject(what, violation("a description of a file that cannot be read"))
	}
	if err := checkInfo(i); err != nil {
		return wire.FileInfo{}, c.reject(what, err)
	}
	return i, nil
}

// checkInfo refuses descriptions of files that cannot be. Names may hold any
// character but a zero byte, as on every Unix.
func checkInfo(i wire.FileInfo) error {
	switch i.Kind {
	case wire.KindFile, wire.KindFolder, wire.KindSymlink, wire.KindOther:
	default:
		return violation("a file of a kind that does not exist")
	}
	if len(i.Path) == 0 || len(i.Path) > wire.MaxPath || i.Path[0] != '/' || len(i.Target) > wire.MaxPath || i.Size < 0 || i.Mode > 0o777 {
		return violation("a description of a file that cannot be")
	}
	return nil
}
