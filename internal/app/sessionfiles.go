package app

import (
	"context"
	"io"
	"path"
	"time"

	"praxis/fault"
	"praxis/internal/guest"
	"praxis/internal/guest/wire"
	"praxis/internal/safetext"
)

// FileInfo describes a file of a session, as the guest does: nothing of it can be trusted.
type FileInfo struct {
	Path    string    `json:"path"` // absolute
	Kind    string    `json:"kind"` // file, folder, symlink or other
	Bytes   int64     `json:"bytes"`
	Mode    uint32    `json:"mode"` // the bits of permission
	Changed time.Time `json:"changed"`
	Target  string    `json:"target,omitempty"` // of a symbolic link
}

// FileChange is a change that a watch saw: created, modified, removed, or rescan when some may
// have been missed.
type FileChange struct {
	Type string `json:"type"`
	Path string `json:"path"`
}

// Stat describes a file; a symbolic link is described itself.
func (s *Session) Stat(ctx context.Context, name string) (out FileInfo, err error) {
	err = s.s.Use(ctx, func(c *guest.Client) error {
		i, err := c.Stat(ctx, name)
		out = infoOf(i)
		return err
	})
	return out, err
}

func infoOf(i wire.FileInfo) FileInfo {
	return FileInfo{Path: path.Clean(i.Path), Kind: i.Kind, Bytes: i.Size, Mode: i.Mode, Changed: time.Unix(0, i.ModTime).UTC(), Target: i.Target}
}

// List describes what is in a folder; recursive describes what is below it, too.
func (s *Session) List(ctx context.Context, dir string, recursive bool) (out []FileInfo, err error) {
	err = s.s.Use(ctx, func(c *guest.Client) error {
		files, err := c.List(ctx, dir, recursive)
		for _, f := range files {
			out = append(out, infoOf(f))
		}
		return err
	})
	return out, err
}

// MoveFile renames a file or folder, and takes the place of a file that is there.
func (s *Session) MoveFile(ctx context.Context, from, to string) error {
	return s.s.Use(ctx, func(c *guest.Client) error { return c.Move(ctx, from, to) })
}

// RemoveFile removes a file or an empty folder; recursive removes what is in it, too.
func (s *Session) RemoveFile(ctx context.Context, name string, recursive bool) error {
	return s.s.Use(ctx, func(c *guest.Client) error { return c.Remove(ctx, name, recursive) })
}

// MakeFolder makes a folder and those above it. One that exists is no error.
func (s *Session) MakeFolder(ctx context.Context, name string) error {
	return s.s.Use(ctx, func(c *guest.Client) error { return c.Mkdir(ctx, name) })
}

// archiveFormat checks the format of an archive; "" is tar.
func archiveFormat(format string) (string, error) {
	switch format {
	case "", wire.Tar:
		return wire.Tar, nil
	case wire.Zip:
		return wire.Zip, nil
	}
	return "", fault.New(fault.Invalid, "The formats are tar and zip.", "cannot use an archive of the format %s", safetext.Clip(safetext.Line(format), 40))
}

// Archive copies a file or a folder as an archive, tar or zip, to to.
func (s *Session) Archive(ctx context.Context, format, name string, to io.Writer) error {
	format, err := archiveFormat(format)
	if err != nil {
		return err
	}
	return s.s.Use(ctx, func(c *guest.Client) error { return c.Archive(ctx, format, []string{name}, to) })
}

// Extract unpacks an archive, tar (compressed by gzip or not) or zip, into a folder.
func (s *Session) Extract(ctx context.Context, format, dir string, from io.Reader) error {
	format, err := archiveFormat(format)
	if err != nil {
		return err
	}
	return s.s.Use(ctx, func(c *guest.Client) error { return c.Extract(ctx, format, dir, from) })
}

// WatchFiles calls f for changes of a file, or of what is in a folder, until ctx is over or the
// sandbox is closed, which is an error. It keeps nothing waiting that closes it. The first
// call, and others when changes may have been missed, is of the type rescan.
func (s *Session) WatchFiles(ctx context.Context, name string, recursive bool, f func(FileChange)) error {
	c, err := s.s.Guest(ctx)
	if err != nil {
		return err
	}
	return c.Watch(ctx, name, recursive, func(w wire.Change) { f(FileChange{w.Type, safetext.Clip(w.Path, wire.MaxPath)}) })
}
