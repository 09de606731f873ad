package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/record/report"
)

// Bounds on the time that is spent on what code leaves behind, so that a guest
// cannot keep a run for ever. What is copied is decided by the bounds of a listing
// and by bytes: a busy machine reaches none of these.
const (
	listTime = 5 * time.Minute  // looking what there is
	copyTime = 15 * time.Minute // copying all of it
	outTime  = 30 * time.Second // both, after the run was cancelled
)

// source is a session that files are taken from.
type source interface {
	Files(ctx context.Context, dir string) ([]File, error)
	ReadFile(ctx context.Context, name string, to io.Writer) error
	Limits() event.Limits
}

// listing remembers what was in the working folder.
type listing map[string]File

// listWork lists the regular files of the working folder. Symbolic links are
// left out: what they lead to is not a file that the code wrote here.
func listWork(ctx context.Context, s source) (listing, error) {
	files, err := s.Files(ctx, WorkDir)
	if err != nil {
		return nil, fmt.Errorf("cannot list the session's files: %w", err)
	}
	return workFiles(files), nil
}

// workFiles are those of files that listWork lists.
func workFiles(files []File) listing {
	out := listing{}
	for _, f := range files {
		rel, inside := strings.CutPrefix(f.Path, WorkDir+"/")
		if f.Regular && inside && rel != "" && !isCache(rel) {
			out[rel] = f
		}
	}
	return out
}

// isCache says whether a file is bytecode that the interpreter left.
func isCache(rel string) bool {
	return strings.HasSuffix(rel, ".pyc") || strings.Contains("/"+rel, "/__pycache__/")
}

// since returns the names of the files that are new or were changed, sorted.
func (l listing) since(before listing) []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(l)) {
		old, was := before[name]
		if now := l[name]; !was || old.Bytes != now.Bytes || !old.Changed.Equal(now.Changed) {
			out = append(out, name)
		}
	}
	return out
}

// saveFiles copies files of the working folder, as l lists them. It goes on after
// one that cannot be saved, until the caller gives up.
func (o *Folder) saveFiles(ctx context.Context, s source, l listing, names []string) error {
	var lost unsavedFiles
	for _, name := range names {
		var err error
		if l[name].Bytes > o.left {
			err = o.failed(safeName(name), errTooMuch) // what is not begun need not be removed
		} else {
			err = o.Save(name, func(to io.Writer) error { return s.ReadFile(ctx, path.Join(WorkDir, name), to) })
		}
		if err == nil || fault.KindOf(err) == fault.NotFound {
			continue // or the code goes on in the background and removed it
		}
		if lost = append(lost, err); ctx.Err() != nil {
			break
		}
	}
	return lost.err(len(names))
}

// unsavedFiles are the errors of files that could not be saved.
type unsavedFiles []error

// maxUnsaved is how many files that could not be saved are named.
const maxUnsaved = 20

// err says which of so many files could not be saved, each with its reason. Of one
// alone it is the error itself.
func (u unsavedFiles) err(of int) error {
	switch len(u) {
	case 0:
		return nil
	case 1:
		return u[0]
	}
	var b strings.Builder
	for i, err := range u {
		if i == maxUnsaved {
			fmt.Fprintf(&b, "; and %d more", len(u)-i)
			break
		}
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString(strings.TrimPrefix(err.Error(), "cannot save "))
	}
	return fault.New(fault.KindOf(u[0]), fault.RemedyOf(u[0]), "cannot save %d of %d files: %s", len(u), of, b.String())
}

// within does what a guest may draw out, and says so when the time is up.
func within(ctx context.Context, d time.Duration, what string, f func(context.Context) error) error {
	inner, stop := context.WithTimeout(ctx, d)
	defer stop()
	err := f(inner)
	if err != nil && inner.Err() != nil && ctx.Err() == nil {
		return fault.New(fault.Exhausted, "Leave fewer and shorter files in "+WorkDir+": pack them into one archive in the code.",
			"cannot %s: it took longer than %s", what, d)
	}
	return err
}

// Output says where what code makes is saved.
type Output struct {
	Dir     string   // "": nothing is saved, and only counted
	As      string   // what is said in its place, where it says nothing to who reads it; "": Dir
	Protect []string // paths of files that are never overwritten
}

// Made says what code made: what of it was saved, and how much was not.
type Made struct {
	Files    int         // that were written or changed
	Pictures int         // that were displayed
	Pages    int         // of HTML
	Needs    []string    // hosts that the pages name and do not load from, sorted
	Saved    []SavedFile // empty when no folder was named
	Unlisted error       // why Files is not known, when nothing was to be saved
}

// collector takes what an execution, or a run of several, leaves behind.
type collector struct {
	dir    string    // "" saves nothing and only counts
	as     string    // what is said in its place
	guard  []ownFile // never overwritten
	before listing
	failed error    // why before is not known
	whole  []string // the session's files of whole outputs that were cut

	pictures []Picture
	bytes    int  // of the pictures
	gone     bool // the session's files are

	made Made
	err  error // why not all of it is saved
}

// newCollector makes one that never overwrites what a run was given to read.
func newCollector(o Output, spec SessionSpec, inputs []Input) *collector {
	paths := append(slices.Clone(o.Protect), spec.Requirements)
	for _, in := range inputs {
		paths = append(paths, in.Path)
	}
	return &collector{dir: o.Dir, as: o.As, guard: ownFiles(paths...)}
}

// maxPictures bounds the memory that pictures of one run take, in bytes.
const maxPictures = 256 << 20

// Emit keeps the pictures of the executions that pass by.
func (c *collector) Emit(e event.Event) {
	x, ok := e.(event.ExecutionEnded)
	if !ok {
		return
	}
	for _, p := range Pictures(x.Execution) {
		if c.bytes += len(p.Data); c.bytes <= maxPictures {
			c.pictures = append(c.pictures, p)
		}
	}
	c.gone = c.gone || x.Execution.State == event.Gone
}

// begin remembers how the working folder looks before the code runs. A folder
// that cannot be listed is no reason not to run the code: end reports it.
func (c *collector) begin(ctx context.Context, s source) error {
	c.before, c.failed = list(ctx, s)
	return ctx.Err()
}

func list(ctx context.Context, s source) (l listing, err error) {
	err = within(ctx, listTime, "list the session's files", func(ctx context.Context) error {
		l, err = listWork(ctx, s)
		return err
	})
	return l, err
}

// end saves what is new, and says so in the record. A session that is gone has
// nothing to save but the pictures, which are here already. What was made is
// saved even when the run was cancelled, but not for ever.
func (c *collector) end(ctx context.Context, s source, sink event.Sink) {
	if ctx.Err() != nil {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(context.WithoutCancel(ctx), outTime)
		defer stop()
	}
	c.made, c.err = c.save(ctx, s)
	for _, f := range c.made.Saved {
		sink.Emit(event.FileSaved{Path: f.Path, Bytes: f.Bytes})
	}
}

func (c *collector) save(ctx context.Context, s source) (Made, error) {
	var after listing
	var names []string
	var err error
	if !c.gone {
		if err = c.failed; err == nil {
			after, err = list(ctx, s)
		}
		if err == nil {
			names = after.since(c.before)
		}
	}
	out := Made{Files: len(names)}
	for _, p := range c.pictures {
		if p.Ext == PageExt {
			out.Pages++
			out.Needs = append(out.Needs, report.Hosts(string(p.Data))...)
		} else {
			out.Pictures++
		}
	}
	slices.Sort(out.Needs)
	out.Needs = slices.Compact(out.Needs)
	if c.dir == "" {
		out.Unlisted = err
		return out, nil
	}
	whole := c.whole
	if c.gone {
		whole = nil
	}
	if out.Files+len(c.pictures)+len(whole) == 0 {
		return out, err
	}
	o, openErr := openFolder(c.dir, c.guard, s.Limits().Disk)
	if openErr != nil {
		return out, errors.Join(err, openErr)
	}
	if c.as != "" {
		o.dir = c.as
	}
	copyErr := within(ctx, copyTime, "save all of what the code made", func(ctx context.Context) error {
		err := o.saveFiles(ctx, s, after, names)
		if len(whole) > 0 && ctx.Err() == nil {
			err = errors.Join(err, o.Save(WholeOutput, func(to io.Writer) error {
				for _, name := range whole {
					if err := s.ReadFile(ctx, name, to); err != nil {
						return err
					}
				}
				return nil
			}))
		}
		return err
	})
	picErr := o.SavePictures(c.pictures)
	out.Saved = o.saved
	return out, errors.Join(err, copyErr, picErr, o.Close())
}

// WholeOutput is the file of an output folder that holds output which was cut: of a notebook, that of
// each cell whose output was.
const WholeOutput = "output.txt"

// WorkFiles lists the regular files of the working folder, sorted by name.
// Bytecode that the interpreter left is not among them.
func (s *Session) WorkFiles(ctx context.Context) ([]File, error) {
	files, err := s.Files(ctx, WorkDir)
	if err != nil {
		return nil, fmt.Errorf("cannot list the session's files: %w", err)
	}
	return WorkFiles(files), nil
}

// WorkFiles are those of a session's files that lie in its working folder, as
// Session.WorkFiles returns them.
func WorkFiles(files []File) []File {
	l := workFiles(files)
	var out []File
	for _, name := range l.since(nil) {
		out = append(out, l[name])
	}
	return out
}
