package agent

import (
	"path/filepath"
	"sync/atomic"
	"syscall"
)

// fileWatch fires when something happens to the working folder: it is an inotify
// descriptor with a watch on every folder and every file of a listing. Nobody
// reads what happened: a poll says that anything did, and a pump polls
// anyway, so that an execution that changes nothing pays for no system call at
// all. One costs some 20 µs in a sandbox that was at rest, whichever it is.
//
// The files need watches of their own: gVisor tells nobody else that a file got
// one more name. A write through another name fires no watch in gVisor, so there
// is none in a folder where a file has several.
//
// gVisor bounds neither watches nor the events that wait, so a watch that fires
// is closed at once, by the pump that waits for it.
type fileWatch struct {
	fd    int
	fired atomic.Bool // and closed: fd may be another file by now
}

// What fires. Reading does not.
const (
	eventsInFolder = syscall.IN_CREATE | syscall.IN_DELETE | syscall.IN_MOVED_FROM | syscall.IN_MOVED_TO |
		syscall.IN_ATTRIB | syscall.IN_MOVE_SELF | syscall.IN_DELETE_SELF | syscall.IN_DONT_FOLLOW
	eventsForFile = syscall.IN_MODIFY | syscall.IN_ATTRIB | syscall.IN_DONT_FOLLOW
)

// newFileWatch watches what l lists, or returns nil: where a watch cannot be had,
// looking is all that is left. What happens before it returns may be missed, so
// l has to be compared with what is there afterwards. That also tells whether
// all the watches are where they belong, for a name that led elsewhere meanwhile
// has left its folder with other times.
func newFileWatch(l *listing) *fileWatch {
	if len(l.files)+len(l.folders) > maxWatches {
		return nil
	}
	fd, err := syscall.InotifyInit1(syscall.IN_CLOEXEC | syscall.IN_NONBLOCK)
	if err != nil {
		return nil
	}
	a := &fileWatch{fd: fd}
	for _, all := range []struct {
		names map[string]seen
		mask  uint32
	}{{l.folders, eventsInFolder}, {l.files, eventsForFile}} {
		for rel := range all.names {
			if _, err := syscall.InotifyAddWatch(fd, join(l.dir, rel), all.mask); err != nil {
				a.close()
				return nil
			}
		}
	}
	return a
}

// close ends the watch.
func (a *fileWatch) close() {
	if a.fired.CompareAndSwap(false, true) {
		closeAll(a.fd)
	}
}

// entry is what a poll waits for. There may be no watch.
func (a *fileWatch) entry() pollFD {
	if a == nil {
		return pollFD{fd: -1}
	}
	return pollFD{fd: int32(a.fd), events: pollIn}
}

// silent reports whether the watch has not fired.
func (a *fileWatch) silent() bool {
	fds := []pollFD{a.entry()}
	err := poll(fds, 0)
	return err == nil && fds[0].revents == 0 && !a.fired.Load() // the last: its descriptor may be another file by now
}

// dropWatch closes a watch that fired, and forgets it if it is the one in use.
func (c *changes) dropWatch(a *fileWatch) {
	c.watch.CompareAndSwap(a, nil)
	a.close()
}

// stopWatching is called by the pump that waited for the watch and ends.
func (c *changes) stopWatching() {
	if a := c.watch.Load(); a != nil {
		c.dropWatch(a)
	}
}

// inPlace reports whether the path of the folder still leads to it. Of the
// folders above, only the first one is known to be out of the code's reach.
func (c *changes) inPlace(dir folder) bool {
	if filepath.Dir(dir.path) == "/" {
		return true
	}
	var st syscall.Stat_t
	return lstatAt(atWorkingFolder, dir.path, &st) == nil && seenAs(&st).same(c.last.folders[""])
}

// stillHolds reports whether the last look still says what is there: a is the
// watch that was set up after it, and had not fired when the execution ended.
func (c *changes) stillHolds(dir folder, a *fileWatch) bool {
	return a != nil && a == c.watch.Load() && !c.stale() && c.last.dir == dir.path && c.inPlace(dir)
}

// quiet reports whether nothing happened since the last look, as far as a watch says so.
func (c *changes) quiet(dir folder) bool {
	a := c.watch.Load()
	if a == nil {
		return false
	}
	if a.silent() && c.inPlace(dir) {
		return true
	}
	c.dropWatch(a)
	return false
}
