package cli

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
	"praxis/internal/safetext"
)

// Bounds on the time that is spent on what code leaves behind. How many files
// there are and how long they are is the guest's choice.
const (
	listTime = 20 * time.Second // looking what there is
	copyTime = 60 * time.Second // copying all of it
	outTime  = 10 * time.Second // both, after the command was cancelled
)

// listing remembers what was in the working folder.
type listing map[string]guestFile

// listWork lists the regular files of the working folder. Symbolic links are
// left out: what they lead to is not a file that the code wrote here.
func listWork(ctx context.Context, w workspace) (listing, error) {
	files, err := w.list(ctx, workDir)
	if err != nil {
		return nil, fmt.Errorf("cannot list the session's files: %w", err)
	}
	out := listing{}
	for _, f := range files {
		rel, inside := strings.CutPrefix(f.path, workDir+"/")
		if f.regular && inside && rel != "" && !isCache(rel) {
			out[rel] = f
		}
	}
	return out, nil
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
		if now := l[name]; !was || old.size != now.size || !old.changed.Equal(now.changed) {
			out = append(out, name)
		}
	}
	return out
}

// saveFiles copies files of the working folder, as l tells of them.
func (o *outFolder) saveFiles(ctx context.Context, w workspace, l listing, names []string) error {
	for _, name := range names {
		if l[name].size > o.left {
			return o.failed(safeName(name), errTooMuch) // what is not begun need not be removed
		}
		err := o.save(name, func(to io.Writer) error { return w.get(ctx, path.Join(workDir, name), to) })
		if fault.KindOf(err) == fault.NotFound {
			continue // the code goes on in the background and removed it
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// within does what a guest may draw out, and says so when the time is up.
func within(ctx context.Context, d time.Duration, what string, f func(context.Context) error) error {
	inner, stop := context.WithTimeout(ctx, d)
	defer stop()
	err := f(inner)
	if err != nil && inner.Err() != nil && ctx.Err() == nil {
		return fault.New(fault.Exhausted, "Leave fewer and shorter files in "+workDir+": pack them into one archive in the code.",
			"cannot %s: it took longer than %s", what, d)
	}
	return err
}

// collector takes what an execution, or a run of several, leaves behind.
type collector struct {
	dir    string    // "" saves nothing and only counts
	guard  []ownFile // never overwritten
	before listing
	failed error  // why before is not known
	whole  string // the session's file of the whole output, when it was cut
}

// collected says what was found and saved.
type collected struct {
	files    int // files that were written or changed
	pictures int
	pages    int // of HTML
	saved    []savedFile
	named    bool  // a folder to save in was named
	unlisted error // why files is not known, when nothing was to be saved
}

// begin remembers how the working folder looks before the code runs. A folder
// that cannot be listed is no reason not to run the code: end tells of it.
func (c *collector) begin(ctx context.Context, w workspace) error {
	c.before, c.failed = list(ctx, w)
	return ctx.Err()
}

func list(ctx context.Context, w workspace) (l listing, err error) {
	err = within(ctx, listTime, "list the session's files", func(ctx context.Context) error {
		l, err = listWork(ctx, w)
		return err
	})
	return l, err
}

// noFiles says whether the files that the code wrote are gone with its state.
func noFiles(s event.State) bool {
	return s == event.Gone || s == event.Restored || s == event.Fresh
}

// end saves what is new. A session that is gone has nothing to save but the
// pictures, which are here already.
func (c *collector) end(ctx context.Context, w workspace, pics []picture, gone bool) (collected, error) {
	var after listing
	var names []string
	var err error
	if !gone {
		if err = c.failed; err == nil {
			after, err = list(ctx, w)
		}
		if err == nil {
			names = after.since(c.before)
		}
	}
	out := collected{files: len(names), named: c.dir != ""}
	for _, p := range pics {
		if p.ext == pageExt {
			out.pages++
		} else {
			out.pictures++
		}
	}
	if c.dir == "" {
		out.unlisted = err
		return out, nil
	}
	whole := c.whole
	if gone {
		whole = ""
	}
	if out.files+len(pics) == 0 && whole == "" {
		return out, err
	}
	o, openErr := openOut(c.dir, c.guard, w.disk())
	if openErr != nil {
		return out, errors.Join(err, openErr)
	}
	copyErr := within(ctx, copyTime, "save all of what the code made", func(ctx context.Context) error {
		if err := o.saveFiles(ctx, w, after, names); err != nil || whole == "" {
			return err
		}
		return o.save(wholeName, func(to io.Writer) error { return w.get(ctx, whole, to) })
	})
	picErr := o.savePictures(pics)
	out.saved = o.saved
	return out, errors.Join(err, copyErr, picErr, o.Close())
}

// hint says how to get what was made and not saved, or "".
func (c collected) hint() string {
	var parts []string
	for _, k := range [...]struct {
		n    int
		what string
	}{{c.pictures, "picture"}, {c.pages, "HTML page"}, {c.files, "file"}} {
		if k.n > 0 {
			parts = append(parts, safetext.Count(k.n, k.what))
		}
	}
	if c.unlisted != nil {
		return "what files the code made is not known: " + safetext.Line(c.unlisted.Error())
	}
	if len(parts) == 0 || c.named {
		return ""
	}
	them := "them"
	if c.pictures+c.pages+c.files == 1 {
		them = "it"
	}
	return "the code made " + strings.Join(parts, " and ") + ": add --out DIR to save " + them
}
