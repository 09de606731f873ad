package battery

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"praxis/event"
	"praxis/internal/guest"
	"praxis/internal/session"
)

var liveSessions = flag.Int("sessions", 8, "how many sessions TestManyLive has at once")

// TestManyLive has many sessions live in one process, and executes in each of them,
// in all at once: each answers with the variable that it was given.
func TestManyLive(t *testing.T) {
	m := manager(t)
	sessions := make([]*session.Session, *liveSessions)
	for i := range sessions {
		s, err := m.Create(t.Context(), session.Options{Image: defaultImage, Limits: event.Limits{Memory: 256 << 20}}, event.Discard)
		if err != nil {
			t.Fatalf("session %d: %v", i, err)
		}
		sessions[i] = s
	}
	for _, code := range []string{"mine = %d", "print(mine, mine == %d)"} {
		var all sync.WaitGroup
		for i, s := range sessions {
			all.Go(func() {
				got, err := s.Execute(t.Context(), fmt.Sprintf(code, i), session.Exec{}, event.Discard)
				if want := fmt.Sprintf("%d True\n", i); err != nil || got.Status != event.OK || code[0] == 'p' && got.Stdout != want {
					t.Errorf("session %d: %q, status %v, %v", i, got.Stdout, got.Status, err)
				}
			})
		}
		all.Wait()
	}
	if n := len(m.Sessions()); n != *liveSessions {
		t.Errorf("%d sessions live, want %d", n, *liveSessions)
	}
}

// TestNothingIsLeft closes a session whose code did what it could to stay, and
// looks for it on the host.
func TestNothingIsLeft(t *testing.T) {
	m := manager(t)
	before := len(descendants(os.Getpid()))
	s, err := m.Create(t.Context(), session.Options{Image: defaultImage}, event.Discard)
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.Execute(t.Context(), `
import os, signal, time
for i in range(5):
    if os.fork() == 0:
        os.setsid()
        for s in range(1, 32):
            try:
                signal.signal(s, signal.SIG_IGN)
            except OSError:
                pass
        if os.fork() == 0:
            os.setsid()
            while True:
                time.sleep(1)
        os._exit(0)
`, session.Exec{}, event.Discard)
	if err != nil || got.Status != event.OK {
		t.Fatalf("%+v %v", got, err)
	}
	if n := len(descendants(os.Getpid())); n <= before {
		t.Fatalf("%d processes of ours while a session lives, %d before", n, before)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for _, pid := range descendants(os.Getpid()) {
		line, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "cmdline"))
		if err == nil && bytes.Contains(line, []byte("sandbox")) {
			t.Errorf("process %d is left: %q", pid, line)
		}
	}
	sandboxes, err := filepath.Glob(filepath.Join(dataDir, "run", "o-*", "*", "config.json"))
	if err != nil || len(sandboxes) > 0 {
		t.Errorf("folders are left: %v %v", sandboxes, err)
	}
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil || bytes.Contains(mounts, []byte(dataDir)) {
		t.Errorf("mounts are left (%v)", err)
	}
	err = filepath.WalkDir("/sys/fs/cgroup", func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && strings.HasPrefix(d.Name(), "praxis-"+strconv.Itoa(os.Getpid())+"-") {
			t.Errorf("control group %s is left", path)
		}
		return nil // what cannot be read is not ours
	})
	if err != nil {
		t.Error(err)
	}
}

// TestSiblingsDoNotNotice breaks one session by every bomb while another works.
func TestSiblingsDoNotNotice(t *testing.T) {
	m := manager(t)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	opt := session.Options{Image: defaultImage}
	sibling, err := m.Create(ctx, opt, event.Discard)
	if err != nil {
		t.Fatal(err)
	}
	defer sibling.Close()
	if _, err := sibling.Execute(ctx, "n = 0", session.Exec{}, event.Discard); err != nil {
		t.Fatal(err)
	}
	opt.Limits.Memory, opt.Limits.Processes, opt.Limits.Disk = 200<<20, 64, 64<<20
	done := make(chan error, 1)
	go func() {
		for _, p := range parseProbes(t, probesText) {
			if !strings.HasPrefix(p.name, "bomb_memory") && p.name != "bomb_fork_exponential" && p.name != "bomb_disk" {
				continue
			}
			s, err := m.Create(ctx, opt, event.Discard)
			if err != nil {
				done <- err
				return
			}
			_, err = s.Execute(ctx, prelude+p.code, session.Exec{Bounds: event.Bounds{Timeout: event.Duration(5 * time.Second)}}, event.Discard)
			s.Close()
			if err != nil {
				done <- err
				return
			}
		}
		done <- nil
	}()
	for n := 1; ; n++ {
		got, err := sibling.Execute(ctx, "n += 1\nn", session.Exec{}, event.Discard)
		if err != nil || got.Status != event.OK || got.Result["text"] != strconv.Itoa(n) {
			t.Fatalf("the sibling noticed at %d: %+v %v", n, got, err)
		}
		select {
		case err := <-done:
			if err != nil {
				t.Fatal(err)
			}
			return
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// TestAnswersWhileBusy asks for health, files and an end while the code uses
// every cycle that it gets.
func TestAnswersWhileBusy(t *testing.T) {
	m := manager(t)
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	s, err := m.Create(ctx, session.Options{Image: defaultImage}, event.Discard)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	began := make(chan struct{})
	over := make(chan event.Execution, 1)
	go func() {
		out, err := s.Execute(ctx, `
import os
open("/work/x", "w").write("here")
for i in range(6):
    if os.fork() == 0:
        while True:
            pass
print("burning", flush=True)
while True:
    pass
`, session.Exec{Bounds: event.Bounds{Timeout: event.Duration(3 * time.Minute)}}, event.SinkFunc(func(e event.Event) {
			if o, ok := e.(event.Output); ok && bytes.Contains(o.Data, []byte("burning")) {
				close(began)
			}
		}))
		if err != nil {
			t.Error(err)
		}
		over <- out
	}()
	select {
	case <-began:
	case out := <-over:
		t.Fatalf("it ended at once: %+v", out)
	}
	for range 5 {
		err := s.Use(ctx, func(c *guest.Client) error {
			bounded, cancel := context.WithTimeout(ctx, 30*time.Second)
			defer cancel()
			if err := c.Ping(bounded); err != nil {
				return err
			}
			var b bytes.Buffer
			if _, err := c.ReadFile(bounded, "/work/x", &b); err != nil || b.String() != "here" {
				t.Errorf("read %q %v", b.String(), err)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Interrupt(ctx, ""); err != nil {
		t.Fatal(err)
	}
	if out := <-over; out.Status != event.Interrupted || out.State != event.Intact {
		t.Errorf("interrupted while busy: %+v", out)
	}
}
