package agent

import (
	"path/filepath"
	"sync/atomic"
	"syscall"
)

// alarm rings when something happens to the working folder: an inotify
// descriptor with a watch on every folder and every file of a listing. Nobody
// reads what happened: that anything did is told by a poll, and a pump polls
// anyway, so that an execution that changes nothing pays for no system call at
// all. One costs some 20 µs in a sandbox that was at rest, whichever it is.
//
// The files need watches of their own: gVisor tells nobody else that a file got
// one more name. A write through another name rings nowhere in gVisor, so there
// is no alarm in a folder where a file has several.
//
// gVisor bounds neither watches nor the events that wait, so an alarm that rings
// is closed at once, by the pump that waits for it.
type fileWatch struct {
	fd    int
	fired atomic.Bool // and closed: fd may be another file by now
}

// What rings. Reading does not.
const (
	eventsInFolder = syscall.IN_CREATE | syscall.IN_DELETE | syscall.IN_MOVED_FROM | syscall.IN_MOVED_TO |
		syscall.IN_ATTRIB | syscall.IN_MOVE_SELF | syscall.IN_DELETE_SELF | syscall.IN_DONT_FOLLOW
	eventsForFile = syscall.IN_MODIFY | syscall.IN_ATTRIB | syscall.IN_DONT_FOLLOW
)

// newAlarm watches what l lists, or returns nil: where a watch cannot be had,
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

// close silences the alarm for good.
func (a *fileWatch) close() {
	if a.fired.CompareAndSwap(false, true) {
		closeAll(a.fd)
	}
}

// entry is what a poll asks. There may be no alarm.
func (a *fileWatch) entry() pollFD {
	if a == nil {
		return pollFD{fd: -1}
	}
	return pollFD{fd: int32(a.fd), events: pollIn}
}

// silent asks whether the alarm has not rung.
func (a *fileWatch) silent() bool {
	fds := []pollFD{a.entry()}
	err := poll(fds, 0)
	return err == nil && fds[0].revents == 0 && !a.fired.Load() // the last: was it the alarm that was asked?
}

// ring takes note that an alarm rang. What nobody listens to any more is nobody's loss.
func (c *changes) dropWatch(a *fileWatch) {
	c.watch.CompareAndSwap(a, nil)
	a.close()
}

// disarm is called by who listened and stops.
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

// heard reports whether the alarm a, which had not rung when the execution
// ended, speaks for what was there at the last look.
func (c *changes) stillHolds(dir folder, a *fileWatch) bool {
	return a != nil && a == c.watch.Load() && !c.stale() && c.last.dir == dir.path && c.inPlace(dir)
}

// quiet asks the alarm, if there is one.
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
