package gvisor

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"

	"praxis/internal/sandbox/gvisor/control"
)

// launcher starts helpers, all from one thread: a helper is killed when the
// thread that started it ends, so that thread must live as long as the backend.
type launcher struct {
	program *os.File // that helpers run: open, so that it stays when its file is removed
	jobs    chan func()
	done    chan struct{}
}

func newLauncher(program string) (*launcher, error) {
	f, err := os.Open(program)
	if err != nil {
		return nil, err
	}
	l := &launcher{program: f, jobs: make(chan func()), done: make(chan struct{})}
	go func() {
		defer close(l.done)
		runtime.LockOSThread() // and never unlocked: the thread ends with the goroutine
		for f := range l.jobs {
			f()
		}
	}()
	return l, nil
}

// close ends the thread. No start may be under way.
func (l *launcher) close() {
	close(l.jobs)
	<-l.done
	_ = l.program.Close()
}

// start runs cmd.Start on the thread, inside the cgroup unless that is nil.
func (l *launcher) start(cmd *exec.Cmd, g *cgroup) error {
	errc := make(chan error, 1)
	l.jobs <- func() { errc <- startIn(cmd, g) }
	return <-errc
}

func startIn(cmd *exec.Cmd, g *cgroup) error {
	switch {
	case g == nil:
		return cmd.Start()
	case g.version == 2:
		dir, err := os.Open(g.folders()[0])
		if err != nil {
			return fmt.Errorf("cannot enter cgroup: %w", err)
		}
		defer dir.Close()
		cmd.SysProcAttr.UseCgroupFD = true
		cmd.SysProcAttr.CgroupFD = int(dir.Fd())
		return cmd.Start()
	}
	leave, err := g.enter()
	if err != nil {
		return err
	}
	err = cmd.Start()
	if leaveErr := leave(); leaveErr != nil && err == nil {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		err = leaveErr
	}
	return err
}

// process is a started helper and the owner's ends of what joins them.
type process struct {
	cmd    *exec.Cmd
	stdin  *os.File
	stdout *os.File
	stderr *os.File
	sock   *os.File
}

func (p *process) closeFiles() {
	for _, f := range []*os.File{p.stdin, p.stdout, p.stderr, p.sock} {
		if f != nil {
			_ = f.Close()
		}
	}
}

// noCollection is the whole environment of a helper, and of the gofer, which
// inherits it: no collection before main, where the variables of a large
// program's packages allocate enough for one. gVisor starts the sentry without an
// environment.
const noCollection = "GOGC=off"

// launch starts the helper of the sandbox in cfg.Dir. Nothing of the caller
// reaches it but three pipes and the control socket: its environment is one setting of the Go runtime
// and every other file of ours is closed on exec.
func (l *launcher) launch(cfg control.Helper, g *cgroup) (*process, error) {
	arg, err := json.Marshal(cfg)
	if err != nil {
		return nil, err
	}
	p := &process{}
	var theirs []*os.File
	defer func() {
		for _, f := range theirs {
			_ = f.Close()
		}
	}()
	fail := func(err error) (*process, error) {
		p.closeFiles()
		return nil, fmt.Errorf("cannot start helper: %w", err)
	}
	var pipes [3]*os.File
	for i, mine := range []**os.File{&p.stdin, &p.stdout, &p.stderr} {
		r, w, err := os.Pipe()
		if err != nil {
			return fail(err)
		}
		if i == 0 {
			r, w = w, r // the guest reads its input
		}
		*mine, pipes[i] = r, w
		theirs = append(theirs, w)
	}
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return fail(err)
	}
	p.sock = os.NewFile(uintptr(fds[0]), "control")
	sock := os.NewFile(uintptr(fds[1]), "control of helper")
	theirs = append(theirs, sock)

	cmd := l.command(cfg.Dir, string(arg), pipes, sock)
	if err := l.start(cmd, g); err != nil {
		if errors.Is(err, unix.EPERM) || errors.Is(err, unix.ENOSPC) {
			return fail(fmt.Errorf("%w: this host does not let it make namespaces", err))
		}
		return fail(err)
	}
	p.cmd = cmd
	return p, nil
}

// command is a helper with its standard files and its control socket.
func (l *launcher) command(dir, arg string, pipes [3]*os.File, sock *os.File) *exec.Cmd {
	// The program is one of the files that are put in place, under a number of its own:
	// by that of ours it could have been replaced meanwhile. The helper closes it.
	cmd := exec.Command(fmt.Sprintf("/proc/self/fd/%d", control.FD+1), arg)
	cmd.Args[0] = "praxis-sandbox"
	cmd.Dir = dir
	cmd.Env = []string{noCollection} // and nothing of ours
	cmd.Stdin, cmd.Stdout, cmd.Stderr = pipes[0], pipes[1], pipes[2]
	cmd.ExtraFiles = []*os.File{sock, l.program}
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags: syscall.CLONE_NEWNS | syscall.CLONE_NEWPID,
		Pdeathsig:  syscall.SIGKILL,
		Setsid:     true, // a terminal's signals are for the owner
	}
	if os.Geteuid() != 0 {
		cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{HostID: os.Geteuid(), Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{HostID: os.Getegid(), Size: 1}}
	}
	return cmd
}
