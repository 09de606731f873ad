// Command soak uses Praxis for a long time as programs and people do, while it
// breaks things at random: it kills hosts, commands, the helpers, sentries and
// guests of sandboxes, fills the disk, and sets the clock of the records back.
//
//	CGO_ENABLED=0 go run ./internal/test/soak -praxis bin/praxis -duration 30m -sessions 64
//
// Several hosts, programs that embed the Go library, have the sessions among
// them; beside them the command is run. Every operation has a result that is
// known beforehand and a bound in time. An operation that reports success must
// have that result. One that fails is a failure of the soak, too, where no fault
// can be the cause: the host called quiet has its processes left alone.
//
// At the end nothing may be left: processes, control groups, mounts, temporary
// files, open files and goroutines of hosts; and every journal must verify,
// before and after praxis gc. The seed repeats the choices, not their timing.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// hostArg makes this program a host.
const hostArg = "host"

func main() {
	if len(os.Args) == 3 && os.Args[1] == hostArg {
		if err := runHost(os.Args[2]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	s := &soak{report: newReport(), began: time.Now()}
	flag.StringVar(&s.program, "praxis", "bin/praxis", "the command")
	flag.DurationVar(&s.duration, "duration", 30*time.Minute, "how long faults come")
	flag.IntVar(&s.sessions, "sessions", 64, "live sessions of all hosts together")
	flag.IntVar(&s.hosts, "hosts", 4, "programs that have them; the first one is quiet")
	flag.DurationVar(&s.every, "every", 3*time.Second, "mean time between faults")
	flag.Uint64Var(&s.seed, "seed", uint64(time.Now().UnixNano()), "of all choices")
	flag.StringVar(&s.disk, "disk", "8g", "size of the data folder's own file system, which faults fill")
	flag.Parse()
	if !s.run() {
		os.Exit(1)
	}
}

// soak is one run of it.
type soak struct {
	program, disk   string
	duration, every time.Duration
	sessions, hosts int
	seed            uint64
	began           time.Time

	dir, home string
	mounted   bool
	report    *report

	members []*member
	groups  []string // control groups that there were before
}

// run returns whether all went well.
func (s *soak) run() bool {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	fmt.Printf("soak: seed %d, %d sessions in %d hosts, %v\n", s.seed, s.sessions, s.hosts, s.duration)
	if err := s.prepare(); err != nil {
		s.report.fail("cannot begin: %v", err)
	} else {
		s.work(ctx)
		s.check()
	}
	s.clean()
	s.report.print(os.Stdout, s.began)
	if len(s.report.failures) > 0 {
		fmt.Printf("soak: FAILED, seed %d\n", s.seed)
	}
	return len(s.report.failures) == 0
}

// prepare makes the data folder, on a file system of its own where that is
// possible, and its default image.
func (s *soak) prepare() (err error) {
	// What loses its parent becomes a child of this process, so that nothing can
	// be left over unseen.
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return err
	}
	if s.program, err = filepath.Abs(s.program); err != nil {
		return err
	}
	if s.dir, err = os.MkdirTemp("", "praxis-soak-"); err != nil {
		return err
	}
	s.groups = groups()
	s.home = filepath.Join(s.dir, "home")
	for _, d := range []string{s.home, filepath.Join(s.dir, "tmp"), filepath.Join(s.dir, "out")} {
		if err := os.Mkdir(d, 0o700); err != nil {
			return err
		}
	}
	if err := unix.Mount("praxis-soak", s.home, "tmpfs", 0, "size="+s.disk+",mode=0700"); err != nil {
		fmt.Printf("soak: the disk is never full: a file system of its own cannot be mounted here: %v\n", err)
	} else {
		s.mounted = true
	}
	files := map[string]string{
		"tools.yaml": "version: 1\ntools:\n  - name: sales.query\n    run: {go: sql.query, with: {sales: sales.csv}}\n    labels: {trusted: true}\n",
		"sales.csv":  "product,units\nkettle,40\nteapot,20\n",
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(s.dir, name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	if code, text := s.praxis("run", "-c", "print(6*7)"); code != 0 || !strings.HasSuffix(text, "42\n") {
		return fmt.Errorf("praxis run ended with %d: %s", code, text)
	}
	return nil
}

// work has hosts and commands work until the time is over, breaks what it can,
// and ends them in order.
func (s *soak) work(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, s.duration)
	defer cancel()
	var all sync.WaitGroup
	for k := range s.hosts {
		m := &member{soak: s, k: k, sessions: s.sessions / s.hosts}
		if k < s.sessions%s.hosts {
			m.sessions++
		}
		s.members = append(s.members, m)
		all.Go(func() { m.keep(ctx) })
	}
	all.Go(func() { s.chaos(ctx) })
	all.Go(func() { s.watch(ctx) })
	all.Wait()
}

// watch samples the memory of everything, and says how far it is.
func (s *soak) watch(ctx context.Context) {
	for tick := time.Tick(20 * time.Second); ; {
		var free uint64
		select {
		case <-ctx.Done():
			return
		case <-tick:
			free = s.report.sample()
		}
		if free < 1<<30 {
			s.report.fail("less than 1 GiB of memory is left on this machine")
			return
		}
		fmt.Printf("soak: %v: %s\n", time.Since(s.began).Round(time.Second), s.report.line())
	}
}

// clean removes everything, whatever happened.
func (s *soak) clean() {
	for _, p := range descendants(os.Getpid()) {
		_ = unix.Kill(p.pid, unix.SIGKILL)
	}
	if s.mounted {
		if err := unix.Unmount(s.home, 0); err != nil {
			s.report.fail("cannot unmount the data folder: %v", err)
			_ = unix.Unmount(s.home, unix.MNT_DETACH)
		}
	}
	if len(s.report.failures) > 0 {
		fmt.Printf("soak: what hosts wrote is kept in %s\n", s.dir)
		return
	}
	if s.dir != "" {
		_ = os.RemoveAll(s.dir)
	}
}
