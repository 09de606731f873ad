package agent

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"

	"praxis/internal/guest/wire"
	"praxis/internal/safetext"
)

// openTerminal makes a terminal for the process and returns its own end three times. The
// agent's end is opened as the session's user, to whom the terminal belongs then: programs
// open /dev/tty by its name.
func (p *process) openTerminal(privileged bool, size wire.Size) (theirs [4]int, err error) {
	theirs = [4]int{-1, -1, -1, -1}
	err = asUser(privileged, func() error {
		if p.out, err = unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0); err != nil {
			return fmt.Errorf("/dev/ptmx: %w", err)
		}
		number, err := unix.IoctlGetInt(p.out, unix.TIOCGPTN)
		if err != nil {
			return err
		}
		if err := unix.IoctlSetPointerInt(p.out, unix.TIOCSPTLCK, 0); err != nil {
			return err
		}
		if err := setSize(p.out, size); err != nil {
			return err
		}
		theirs[0], err = unix.Open("/dev/pts/"+strconv.Itoa(number), unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
		return err
	})
	for i := 1; i < 3 && err == nil; i++ {
		theirs[i], err = unix.FcntlInt(uintptr(theirs[0]), unix.F_DUPFD_CLOEXEC, 0)
	}
	typed := -1
	if err == nil { // a descriptor of its own: what waits to be read by a poll is not closed by a write
		typed, err = unix.FcntlInt(uintptr(p.out), unix.F_DUPFD_CLOEXEC, 0)
	}
	if err != nil {
		closeAll(theirs[:]...)
		return [4]int{-1, -1, -1, -1}, fmt.Errorf("cannot open terminal: %w", err)
	}
	p.stdin = os.NewFile(uintptr(typed), "terminal")
	return theirs, nil
}

func setSize(fd int, size wire.Size) error {
	return unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: uint16(size.Rows), Col: uint16(size.Cols)})
}

// resize gives the terminal of a process another size.
func (s *server) resize(_ *request, args wire.Resize) (none, error) {
	p, err := s.processOf(args.Proc)
	switch {
	case err != nil:
		return none{}, err
	case !args.Possible():
		return none{}, failf("invalid", "Use 1 to 10000 rows and columns.", "cannot resize terminal: it has no such size")
	case !p.terminal:
		return none{}, failf("conflict", "Start it with a terminal.", "cannot resize terminal: the process has none")
	}
	raw, err := p.stdin.SyscallConn()
	if err != nil {
		return none{}, err
	}
	failed := raw.Control(func(fd uintptr) { err = setSize(int(fd), args.Size) })
	if failed != nil { // it was closed
		return none{}, failf("conflict", "", "cannot resize terminal: the process is over")
	}
	return none{}, err
}

// shownArgv is what others see of the arguments of a process.
func shownArgv(argv []string) []string {
	var out []string
	left := wire.MaxArgv
	for _, a := range argv {
		if left <= 0 {
			break
		}
		a = safetext.Clip(a, left)
		out, left = append(out, a), left-len(a)-1
	}
	return out
}

// processes lists those that run, and those whose end nobody received yet.
func (s *server) processes(_ *request, _ none) (wire.Processes, error) {
	s.mu.Lock()
	var all []*process
	for _, p := range s.procs {
		if p.child != nil {
			all = append(all, p)
		}
	}
	s.mu.Unlock()
	out := wire.Processes{Processes: []wire.ProcessInfo{}}
	for _, p := range all {
		p.mu.Lock()
		known := p.exit != nil && p.known || p.closing
		p.mu.Unlock()
		if !known {
			out.Processes = append(out.Processes, wire.ProcessInfo{Proc: p.name, PID: p.child.pid, Argv: p.argv, Cwd: p.dir, Stdin: p.stdin != nil, Terminal: p.terminal})
		}
	}
	slices.SortFunc(out.Processes, func(a, b wire.ProcessInfo) int { return cmp.Compare(a.PID, b.PID) })
	return out, nil
}
