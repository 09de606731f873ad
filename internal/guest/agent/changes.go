package agent

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"

	"praxis/internal/guest/wire"
)

// Bounds of what is found out about changed files. How many there are and how
// long they are is the choice of the code. They count work and not time: what is
// recorded of an execution must not depend on what else the machine does.
const (
	hashAfter  = 256 << 20            // bytes hashed after an execution
	hashBefore = 64 << 20             // bytes hashed before one, so that what only looks changed is known
	maxOpened  = 12 * wire.MaxChanges // names opened on the way to the files that are hashed
)

// seen is what a file is recognised by. The code can set the time of
// modification, not that of change.
type seen struct {
	kind              uint32 // of the mode: a file, or a folder
	size              int64
	modified, changed syscall.Timespec
	inode             uint64
	sum               [sha256.Size]byte
	summed            bool // sum is known
}

// same reports whether a file seen twice was not written to in between.
func (a seen) same(b seen) bool {
	return a.size == b.size && a.modified == b.modified && a.changed == b.changed && a.inode == b.inode
}

// changes finds out what executions do to the files of the working folder, by
// comparing what is there with what was there at the last look.
type changes struct {
	writers atomic.Int64 // ops and processes that may write now
	others  atomic.Int64 // grows when one of them is over
	looked  atomic.Int64 // others at the last look, plus 1; 0: there was none

	watch atomic.Pointer[fileWatch] // rings when what last tells is not so any more; nil: there is none

	mu     sync.Mutex // one look at a time
	last   listing
	linked bool // a file had several names once: no watch notices all of them
	calm   bool // the last execution changed nothing
}

// workFolder is where an agent looks for changes.
func (s *server) workFolder() folder {
	s.mu.Lock()
	defer s.mu.Unlock()
	return folder{s.cfg.Workdir, s.cfg.privileged()}
}

// folder is one whose files are listed as the session's user sees them.
type folder struct {
	path       string
	privileged bool
}

// writing says that something else than an execution with changes may write
// from now on, until it calls over.
func (c *changes) writing() (over func()) {
	c.writers.Add(1)
	return func() {
		c.touch()
		c.writers.Add(-1)
	}
}

// touch says that something else than an execution with changes may have written.
func (c *changes) touch() { c.others.Add(1) }

// stale reports whether anybody may have written since the last look but
// executions that ask for their changes.
func (c *changes) stale() bool { return c.writers.Load() > 0 || c.looked.Load() != c.others.Load()+1 }

// before looks at the folder before an execution.
func (c *changes) before(dir folder) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.unchanged(dir, false) {
		return
	}
	now := c.look(dir)
	h := hasher{left: hashBefore, opens: maxOpened}
	now.hash(dir, now.unknown(c.last, false), &h)
	c.last = now
}

// after looks at the folder after an execution and returns what it changed.
// unlisted says why that is not, or not wholly, known. It need not look if the
// watch silent had not fired when the execution ended. listens says that who
// calls will close a watch that fires; it is set up after the second execution
// in a row that changed nothing, because that costs as much as a look.
func (c *changes) after(dir folder, silent *fileWatch, listens bool) (list wire.Changes, unlisted string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	calm := c.calm
	if c.calm = c.stillHolds(dir, silent) || c.unchanged(dir, listens && calm); c.calm {
		return nil, c.last.unlisted(hasher{}, 0)
	}
	old, now := c.last, c.look(dir)
	c.last = now
	switch {
	case now.why != "":
		return nil, now.why
	case old.files == nil || old.dir != now.dir:
		return nil, joinSentences(old.why, "what there was before the code ran is not known")
	}
	h := hasher{left: hashAfter, opens: maxOpened}
	names := now.unknown(old, true)
	now.hash(dir, names, &h)
	all := now.compare(old, names)
	for rel, f := range old.files { // what could not be looked at is not gone
		if _, there := now.files[rel]; there {
			continue
		}
		if now.hidden(rel) {
			now.files[rel] = f
			continue
		}
		all = append(all, wire.FileChange{Path: join(now.dir, rel), Kind: wire.Removed})
	}
	slices.SortFunc(all, func(a, b wire.FileChange) int { return strings.Compare(a.Path, b.Path) })
	all, more := bounded(all)
	return all, now.unlisted(h, more)
}

// unknown returns the names of the files of l whose content old does not tell,
// sorted, and takes the hashes of the others over. With unsummed, a file that is
// as it was is left alone though its hash was not known then.
func (l *listing) unknown(old listing, unsummed bool) []string {
	var names []string
	for rel, f := range l.files {
		if was, ok := old.files[rel]; ok && was.same(f) && (unsummed || was.summed) {
			l.files[rel] = was
		} else {
			names = append(names, rel)
		}
	}
	slices.Sort(names)
	return names
}

// hash hashes the files called names, as far as h allows.
func (l *listing) hash(dir folder, names []string, h *hasher) {
	if len(names) == 0 {
		return
	}
	err := dir.open(func(fd int, _ *syscall.Stat_t) error {
		for _, rel := range names {
			l.files[rel] = h.hash(fd, rel, l.files[rel])
		}
		return nil
	})
	if err != nil {
		h.unread += len(names)
	}
}

// compare tells what happened to the files called names, whose content may not
// be what it was in old. That of one with the same hash is.
func (l *listing) compare(old listing, names []string) wire.Changes {
	var all wire.Changes
	for _, rel := range names {
		f := l.files[rel]
		one := wire.FileChange{Path: join(l.dir, rel), Kind: wire.Created, Bytes: f.size}
		if f.summed {
			one.SHA256 = hex.EncodeToString(f.sum[:])
		}
		if was, existed := old.files[rel]; existed {
			if f.summed && was.summed && f.sum == was.sum {
				continue
			}
			one.Kind = wire.Altered
		}
		all = append(all, one)
	}
	return all
}

// bounded cuts changes to what may be sent and says how many are left out.
func bounded(all wire.Changes) (wire.Changes, int) {
	size := 0
	for i, f := range all {
		if size += len(f.Path); i == wire.MaxChanges || size > wire.MaxChangeBytes {
			return all[:i], len(all) - i
		}
	}
	return all, 0
}

// unlisted says what is not known of the changes. The same folder gives the
// same words, whatever the machine does.
func (l *listing) unlisted(h hasher, more int) string {
	text := ""
	say := func(n int, one, many string) {
		if n == 1 {
			text = joinSentences(text, one)
		} else if n > 1 {
			text = joinSentences(text, fmt.Sprintf(many, n))
		}
	}
	say(more, "one more file was changed", "%d more files were changed")
	say(l.unnamed, "one file has a name that cannot be shown", "%d files have names that cannot be shown")
	say(len(l.unread), "one folder could not be read", "%d folders could not be read")
	say(h.unread, "one changed file could not be read", "%d changed files could not be read")
	say(h.large, "one changed file is too large to be hashed", "%d changed files are too large to be hashed together")
	say(h.deep, "one changed file lies too deep to be hashed", "%d changed files lie too deep to be hashed together")
	return text
}
