package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// member keeps one host running.
type member struct {
	soak     *soak
	k        int
	sessions int

	mu    sync.Mutex
	cmd   *exec.Cmd // nil while there is none
	input io.WriteCloser
}

// pid returns the process of the host that runs now; 0: none does.
func (m *member) pid() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.cmd == nil {
		return 0
	}
	return m.cmd.Process.Pid
}

// keep starts the host again whenever it was killed, until ctx is over.
func (m *member) keep(ctx context.Context) {
	for turn := 0; ctx.Err() == nil; turn++ {
		if err := m.once(ctx, turn); err != nil && !m.soak.report.excused(m.k, time.Now(), time.Now()) {
			m.soak.report.fail("host %d ended: %v", m.k, err)
		}
	}
}

// once starts the host and reads what it says until it ends.
func (m *member) once(ctx context.Context, turn int) error {
	s := m.soak
	config, err := json.Marshal(hostConfig{
		Home: s.home, Program: s.program, Tools: filepath.Join(s.dir, "tools.yaml"),
		Name: fmt.Sprintf("h%d", m.k), Sessions: m.sessions, Seed: s.seed + uint64(m.k*1000+turn),
	})
	if err != nil {
		return err
	}
	cmd := s.start("/proc/self/exe", hostArg, string(config))
	log, err := os.OpenFile(filepath.Join(s.dir, fmt.Sprintf("h%d.log", m.k)), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	cmd.Stderr = log
	input, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	output, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	m.mu.Lock()
	m.cmd, m.input = cmd, input
	m.mu.Unlock()
	defer context.AfterFunc(ctx, func() { input.Close() })()
	end, _ := ctx.Deadline()
	late := time.AfterFunc(time.Until(end)+2*hangTime, func() {
		s.report.fail("host %d does not end", m.k)
		_ = cmd.Process.Signal(unix.SIGQUIT)
	})
	defer late.Stop()
	for lines := json.NewDecoder(output); ; {
		var r record
		if lines.Decode(&r) != nil {
			break // it ended, maybe in the middle of a line
		}
		s.report.add(m.k, r)
	}
	m.mu.Lock()
	m.cmd = nil
	m.mu.Unlock()
	return cmd.Wait()
}

// start returns a process with nothing in its environment but where its files are.
func (s *soak) start(program string, args ...string) *exec.Cmd {
	cmd := exec.Command(program, args...)
	cmd.Dir = filepath.Join(s.dir, "out")
	cmd.Env = []string{"TMPDIR=" + filepath.Join(s.dir, "tmp"), "PRAXIS_HOME=" + s.home, "HOME=" + s.dir, "PATH=/usr/bin:/bin"}
	return cmd
}

// praxis runs the command, and returns its exit code and what it wrote.
func (s *soak) praxis(args ...string) (int, string) {
	cmd := s.start(s.program, args...)
	late := time.AfterFunc(hangTime, func() {
		s.report.fail("praxis %s does not end", strings.Join(args, " "))
		_ = cmd.Process.Signal(unix.SIGQUIT)
	})
	defer late.Stop()
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		return -1, err.Error()
	}
	return cmd.ProcessState.ExitCode(), string(out)
}
