package runsc

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
	glog "gvisor.dev/gvisor/pkg/log"
	"gvisor.dev/gvisor/pkg/state/statefile"
	"gvisor.dev/gvisor/runsc/config"
	"gvisor.dev/gvisor/runsc/container"
	gsandbox "gvisor.dev/gvisor/runsc/sandbox"
	"gvisor.dev/gvisor/runsc/specutils"

	"praxis/internal/sandbox/gvisor/control"
)

// containerID is every guest's name inside gVisor. Each sandbox has a folder of
// its own, and a short name keeps paths short.
const containerID = "guest"

// helper is the process that owns one sandbox. It is PID 1 of its namespace.
type helper struct {
	sock *os.File
	cfg  control.Helper
	conf *config.Config

	sending sync.Mutex // one packet at a time

	mu  sync.Mutex // operations that change the container, one at a time
	box *container.Container
}

// runHelper is the whole life of a helper. It returns the exit code.
func runHelper(args []string) int {
	if err := unix.SetNonblock(control.FD, true); err != nil {
		return 1
	}
	if err := closeInherited(); err != nil {
		return 1
	}
	h := &helper{sock: os.NewFile(control.FD, "control")}
	// gVisor logs to standard error, which is the guest's.
	glog.SetTarget(glog.GoogleEmitter{Writer: &glog.Writer{Next: io.Discard}})
	if err := h.setUp(args); err != nil {
		h.send(control.Reply{Exit: &control.Exit{Code: -1, Error: err.Error()}})
		return 1
	}
	h.serve()
	return 0
}

// closeInherited closes the files that the owner inherited from whoever started
// it and so handed on unknowingly. They are those that outlived the exec: the
// Go runtime opens its own with close-on-exec.
func closeInherited() error {
	names, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return err
	}
	for _, n := range names {
		fd, err := strconv.Atoi(n.Name())
		if err != nil || fd <= control.FD {
			continue
		}
		flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
		if err != nil || flags&unix.FD_CLOEXEC != 0 {
			continue // the listing's own, closed by now; or the runtime's
		}
		if err := unix.Close(fd); err != nil {
			return err
		}
	}
	return nil
}

// setUp makes the helper's own world: mounts that do not spread, a /proc that
// shows its PID namespace only, and gVisor's configuration.
func (h *helper) setUp(args []string) error {
	if len(args) != 2 {
		return errors.New("cannot run helper: it is started by its owner only")
	}
	if err := json.Unmarshal([]byte(args[1]), &h.cfg); err != nil {
		return fmt.Errorf("cannot read helper's configuration: %w", err)
	}
	if h.cfg.Seeded && !patched {
		return errNotPatched
	}
	// Slave: what the host mounts later is seen here (a snapshot may lie on
	// it), nothing that is mounted here is seen there.
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_SLAVE, ""); err != nil {
		return fmt.Errorf("cannot detach mounts: %w", err)
	}
	if err := unix.Mount("proc", "/proc", "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, ""); err != nil {
		return fmt.Errorf("cannot mount /proc: %w", err)
	}
	var err error
	h.conf, err = runscConfig(h.cfg)
	return err
}

// serve obeys the owner until the socket ends. Nothing needs to be undone then:
// the end of PID 1 ends every process of the namespace.
func (h *helper) serve() {
	buf := make([]byte, control.MaxPacket)
	for {
		var r control.Request
		if err := control.Receive(h.sock, buf, &r); err != nil {
			return
		}
		go h.answer(r)
	}
}

func (h *helper) send(r control.Reply) {
	if strings.Contains(r.Error, unix.ENOSPC.Error()) {
		r.Error = unix.ENOSPC.Error() // gVisor puts whole structures before it
	}
	r.Error = r.Error[:min(len(r.Error), control.MaxErrorText)]
	h.sending.Lock()
	defer h.sending.Unlock()
	// A failure means that the owner is gone; serve sees that too.
	_ = control.Send(h.sock, r)
}

func (h *helper) answer(r control.Request) {
	out := control.Reply{ID: r.ID}
	began := time.Now()
	var err error
	if r.Op == control.Count {
		out.Count, err = h.count()
	} else {
		err = h.change(r)
	}
	out.TookNS = int64(time.Since(began))
	if err != nil {
		out.Error = err.Error()
	}
	h.send(out)
}

func (h *helper) change(r control.Request) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if (h.box == nil) != (r.Op == control.Create) {
		return fmt.Errorf("cannot %s: wrong order", r.Op)
	}
	switch r.Op {
	case control.Create:
		return h.create()
	case control.Start:
		return h.started(h.box.Start(h.conf))
	case control.Restore:
		// In the background: the guest goes on while its pages are still being
		// read; a page that it touches is read first.
		return h.started(h.box.Restore(h.conf, r.Dir, false, true, nil))
	case control.Checkpoint:
		return h.box.Checkpoint(h.conf, r.Dir, gsandbox.CheckpointOpts{
			Compression: statefile.CompressionLevelNone, Resume: true,
		})
	}
	return fmt.Errorf("cannot obey %q: unknown operation", r.Op)
}

func (h *helper) create() error {
	spec, err := specutils.ReadSpec(h.cfg.Dir, h.conf)
	if err != nil {
		return err
	}
	h.box, err = container.New(h.conf, container.Args{ID: containerID, Spec: spec, BundleDir: h.cfg.Dir, Attached: true})
	return err
}

func (h *helper) started(err error) error {
	if err != nil {
		return err
	}
	h.closeStdio()
	go h.wait(h.box)
	return nil
}

// closeStdio gives up the helper's copies of the guest's input and output: they
// end when the guest closes them. Standard error stays, for a last word.
func (h *helper) closeStdio() {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return
	}
	defer null.Close()
	for fd := range 2 {
		_ = unix.Dup3(int(null.Fd()), fd, 0)
	}
	runtime.KeepAlive(null)
}

// wait tells the owner how the guest ended.
func (h *helper) wait(box *container.Container) {
	ws, err := box.Sandbox.Wait(containerID)
	e := control.Exit{Code: -1}
	switch {
	case err != nil:
		e.Error = err.Error()
	case ws.Signaled():
		e.Signal = int(ws.Signal())
	default:
		e.Code = ws.ExitStatus()
	}
	h.send(control.Reply{Exit: &e})
}

// count asks the sentry for the guest's processes. It takes no lock: a
// measurement does not wait for a checkpoint.
func (h *helper) count() (int, error) {
	if !h.mu.TryLock() {
		return 0, errors.New("busy")
	}
	box := h.box
	h.mu.Unlock()
	if box == nil {
		return 0, errors.New("the guest was never started")
	}
	ev, err := box.Sandbox.Event(containerID)
	if err != nil {
		return 0, err
	}
	return int(ev.Event.Data.Pids.Current), nil
}
