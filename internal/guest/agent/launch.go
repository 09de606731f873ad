package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// program is what guest-exec gets: what to execute and how little it may do.
type program struct {
	Argv       []string `json:"argv"`
	Env        []string `json:"env"`
	Path       string   `json:"path"` // where Argv[0] is looked up
	Dir        string   `json:"dir"`
	Cgroup     string   `json:"cgroup"` // folder of the pids group to join; empty: none
	Privileged bool     `json:"privileged"`
	Memory     int64    `json:"memory"` // address space, bytes; 0: no limit
	OpenFiles  int      `json:"open_files"`
	CPUs       int      `json:"cpus"`       // processors that it sees; 0: all that there are
	Namespaces bool     `json:"namespaces"` // it may make user namespaces
	Control    bool     `json:"control"`    // file descriptor 3 belongs to the program
	Seeded     bool     `json:"seeded"`     // its randomness follows from the session's seed
	Root       bool     `json:"root"`       // it is the root of the sandbox, to make an image
	Terminal   bool     `json:"terminal"`   // descriptor 0 is the terminal that it controls
}

// maxProgram bounds the text of a program, in bytes.
const maxProgram = 4 << 20

// launchTime is how long a program may take to be executed. It is long because
// the machine may be busy with the user's code.
const launchTime = 30 * time.Second

// execFD is the socket through which guest-exec learns what to do and reports
// why it could not. The program's own descriptors are 0 to 3.
const execFD = 4

// launch starts p in a session (setsid) of its own. files are its descriptors
// 0, 1, 2 and 3; a negative one is /dev/null. They stay the caller's.
func launch(r *reaper, p program, files [4]int) (*child, error) {
	text, err := json.Marshal(p)
	if err != nil {
		return nil, fmt.Errorf("cannot start program: %w", err)
	}
	if len(text) > maxProgram {
		return nil, failf("invalid", "Pass long texts through standard input or a file.", "cannot start program: arguments and environment have more than %d bytes", maxProgram)
	}
	null, err := syscall.Open("/dev/null", syscall.O_RDWR|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("cannot start program: /dev/null: %w", err)
	}
	defer closeAll(null)
	ours, theirs, err := socketPair()
	if err != nil {
		return nil, err
	}
	socket := os.NewFile(uintptr(ours), "guest-exec")
	defer socket.Close()
	attr := &syscall.ProcAttr{
		Dir: "/",
		Env: []string{"GOMAXPROCS=1", "GOGC=off"},
		Sys: &syscall.SysProcAttr{Setsid: true, Setctty: p.Terminal},
	}
	for _, fd := range files {
		if fd < 0 {
			fd = null
		}
		attr.Files = append(attr.Files, uintptr(fd))
	}
	attr.Files = append(attr.Files, uintptr(theirs))
	c, err := r.spawn("/proc/self/exe", []string{"praxis", "guest-exec"}, attr)
	closeAll(theirs)
	if err != nil {
		return nil, fmt.Errorf("cannot start program: %w", err)
	}
	if err := handOver(socket, text); err != nil {
		c.kill(syscall.SIGKILL)
		<-c.done
		return nil, err
	}
	return c, nil
}

// handOver sends the program to guest-exec and waits until it is executed,
// which closes the socket.
func handOver(socket *os.File, text []byte) error {
	_ = socket.SetDeadline(time.Now().Add(launchTime))
	if _, err := socket.Write(append(strconv.AppendInt(nil, int64(len(text)), 10), '\n')); err != nil {
		return fmt.Errorf("cannot start program: %w", err)
	}
	if _, err := socket.Write(text); err != nil {
		return fmt.Errorf("cannot start program: %w", err)
	}
	why, err := io.ReadAll(io.LimitReader(socket, 4<<10))
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return failf("unavailable", "End other programs of the session and try again.", "cannot start program: not running after %s", launchTime)
	case errors.Is(err, syscall.ECONNRESET):
		return errors.New("cannot start program: it was ended before it ran")
	case err != nil:
		return fmt.Errorf("cannot start program: %w", err)
	case len(why) > 0:
		kind, message, _ := strings.Cut(string(why), " ")
		return failf(kind, "", "cannot start program: %s", message)
	}
	return nil
}

// execMain is guest-exec: it gives up what the agent may do and executes the
// program. It returns only when that failed.
func execMain() error {
	runtime.LockOSThread() // limits of a thread must be those of the thread that executes
	syscall.CloseOnExec(execFD)
	socket := os.NewFile(execFD, "agent")
	p, err := readProgram(socket)
	if err == nil {
		err = become(p)
	}
	f := asFailure(err)
	fmt.Fprintf(socket, "%s %s", f.kind, f.message)
	return err
}

func readProgram(r io.Reader) (program, error) {
	var p program
	length := 0
	for digit := make([]byte, 1); ; length = length*10 + int(digit[0]-'0') {
		if _, err := io.ReadFull(r, digit); err != nil {
			return p, fmt.Errorf("cannot read program: %w", err)
		}
		if digit[0] == '\n' {
			break
		}
		if digit[0] < '0' || digit[0] > '9' || length > maxProgram {
			return p, errors.New("cannot read program: bad length")
		}
	}
	text := make([]byte, length)
	if _, err := io.ReadFull(r, text); err != nil {
		return p, fmt.Errorf("cannot read program: %w", err)
	}
	return p, json.Unmarshal(text, &p)
}

// become does the steps in the only order that works: the group needs root,
// giving up root needs capabilities, and the address space is limited last,
// because this program needs more than the user's may.
func become(p program) error {
	if len(p.Argv) == 0 {
		return failf("invalid", "", "no arguments")
	}
	_ = syscall.Setpriority(syscall.PRIO_PROCESS, 0, 0) // the agent's priority is not for its children
	if p.Cgroup != "" {
		pid := []byte(strconv.Itoa(os.Getpid()))
		if err := os.WriteFile(filepath.Join(p.Cgroup, "cgroup.procs"), pid, 0); err != nil {
			return fmt.Errorf("cannot join the group that counts processes: %w", err)
		}
	}
	if p.Privileged {
		leave := giveUp
		if p.Root {
			leave = keepRoot
		}
		if err := leave(); err != nil {
			return err
		}
	}
	if _, _, e := syscall.RawSyscall6(syscall.SYS_PRCTL, prSetNoNewPrivs, 1, 0, 0, 0, 0); e != 0 {
		return fmt.Errorf("cannot set no_new_privs: %w", e)
	}
	syscall.Umask(0o022)
	if err := syscall.Chdir(p.Dir); err != nil {
		return &os.PathError{Op: "chdir", Path: p.Dir, Err: err}
	}
	path, err := lookUp(p.Argv[0], p.Path)
	if err != nil {
		return err
	}
	if !p.Control {
		closeAll(3)
	}
	if err := setLimit(rlimitCore, 0); err != nil {
		return err
	}
	if p.OpenFiles > 0 {
		if err := setLimit(rlimitNoFile, uint64(p.OpenFiles)); err != nil {
			return err
		}
	}
	if p.CPUs > 0 {
		if err := allowCPUs(0, p.CPUs); err != nil {
			return fmt.Errorf("cannot choose processors: %w", err)
		}
	}
	if p.Seeded {
		if e := joinSession(); e != 0 {
			return fmt.Errorf("cannot take the session's seed: %w", e)
		}
	}
	if err := restrict(p.Namespaces); err != nil {
		return err
	}
	return &os.PathError{Op: "exec", Path: path, Err: execute(path, p.Argv, p.Env, p.Memory)}
}

// giveUp changes to the session's user for good and leaves no capability
// anywhere, also not in the bounding set.
func giveUp() error {
	if err := boundCapabilities(nil); err != nil {
		return err
	}
	if err := syscall.Setgroups([]int{}); err != nil {
		return fmt.Errorf("cannot drop groups: %w", err)
	}
	if err := syscall.Setresgid(groupID, groupID, groupID); err != nil {
		return fmt.Errorf("cannot change group: %w", err)
	}
	if err := syscall.Setresuid(userID, userID, userID); err != nil {
		return fmt.Errorf("cannot change user: %w", err)
	}
	if err := dropCapabilities(); err != nil {
		return fmt.Errorf("cannot drop capabilities: %w", err)
	}
	return nil
}

// buildCapabilities are what a package manager needs of root: it gives files to other
// users, and becomes one of them to fetch.
var buildCapabilities = []int{0 /* chown */, 1 /* dac_override */, 3 /* fowner */, 6 /* setgid */, 7 /* setuid */}

// keepRoot stays root with no more than the capabilities that making an image needs.
func keepRoot() error {
	if err := boundCapabilities(buildCapabilities); err != nil {
		return err
	}
	if err := syscall.Setgroups([]int{}); err != nil {
		return fmt.Errorf("cannot drop groups: %w", err)
	}
	if err := keepCapabilities(buildCapabilities); err != nil {
		return fmt.Errorf("cannot drop capabilities: %w", err)
	}
	return nil
}

// boundCapabilities leaves only some capabilities in the bounding set.
func boundCapabilities(keep []int) error {
	for c := range lastCapability + 1 {
		if slices.Contains(keep, c) {
			continue
		}
		_, _, e := syscall.RawSyscall6(syscall.SYS_PRCTL, prCapBSetDrop, uintptr(c), 0, 0, 0, 0)
		if e == syscall.EINVAL && c > 0 {
			break // the kernel knows no more capabilities
		}
		if e != 0 {
			return fmt.Errorf("cannot drop capability %d: %w", c, e)
		}
	}
	return nil
}

func setLimit(resource int, value uint64) error {
	var now syscall.Rlimit
	if err := syscall.Getrlimit(resource, &now); err != nil {
		return fmt.Errorf("cannot read limit %d: %w", resource, err)
	}
	value = min(value, now.Max) // a limit that is already lower stays
	if err := syscall.Setrlimit(resource, &syscall.Rlimit{Cur: value, Max: value}); err != nil {
		return fmt.Errorf("cannot set limit %d: %w", resource, err)
	}
	return nil
}

// lookUp finds a program as execvp(3) does, with the rights of this process.
func lookUp(name, path string) (string, error) {
	if strings.Contains(name, "/") {
		return name, nil
	}
	for dir := range strings.SplitSeq(path, ":") {
		full := filepath.Join(dir, name)
		var st syscall.Stat_t
		if syscall.Stat(full, &st) == nil && st.Mode&syscall.S_IFMT == syscall.S_IFREG && syscall.Access(full, 1) == nil {
			return full, nil
		}
	}
	return "", failf("not_found", "", "%s is not in %s", name, path)
}
