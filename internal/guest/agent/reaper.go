package agent

import (
	"os"
	"os/signal"
	"sync"
	"syscall"
)

// reaper is the only caller of wait4: it collects every process that ends,
// those that lost their parent included, and hands the status of those that
// the agent started to their owners.
type reaper struct {
	signals chan os.Signal
	stop    chan struct{}
	wg      sync.WaitGroup

	mu       sync.Mutex
	children map[int]*child
}

// child is a process that the agent started.
type child struct {
	pid  int
	done chan struct{} // closed once status and usage are there

	mu     sync.Mutex // held to signal, so that the pid is not another's
	over   bool
	onExit func()
	status syscall.WaitStatus
	usage  syscall.Rusage
}

func newReaper() *reaper {
	r := &reaper{signals: make(chan os.Signal, 1), stop: make(chan struct{}), children: map[int]*child{}}
	signal.Notify(r.signals, syscall.SIGCHLD)
	r.wg.Add(1)
	go r.run()
	return r
}

// spawn starts a process. The lock is held from before it exists until it is
// in the table, so that its end cannot be collected unseen.
func (r *reaper) spawn(path string, argv []string, attr *syscall.ProcAttr) (*child, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	pid, err := syscall.ForkExec(path, argv, attr)
	if err != nil {
		return nil, err
	}
	c := &child{pid: pid, done: make(chan struct{})}
	r.children[pid] = c
	return c, nil
}

func (r *reaper) run() {
	defer r.wg.Done()
	for {
		select {
		case <-r.signals:
			r.collect()
		case <-r.stop:
			return
		}
	}
}

func (r *reaper) collect() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for {
		var status syscall.WaitStatus
		var usage syscall.Rusage
		pid, err := syscall.Wait4(-1, &status, syscall.WNOHANG, &usage)
		if err == syscall.EINTR {
			continue
		}
		if err != nil || pid <= 0 {
			return
		}
		if c := r.children[pid]; c != nil {
			delete(r.children, pid)
			c.finish(status, usage)
		}
	}
}

func (r *reaper) close() {
	signal.Stop(r.signals)
	close(r.stop)
	r.wg.Wait()
}

func (c *child) finish(status syscall.WaitStatus, usage syscall.Rusage) {
	c.mu.Lock()
	c.over, c.status, c.usage = true, status, usage
	f := c.onExit
	c.mu.Unlock()
	close(c.done)
	if f != nil {
		f()
	}
}

// notify calls f once the process is over, at once if it already is. f must not wait.
func (c *child) notify(f func()) {
	c.mu.Lock()
	over := c.over
	if !over {
		c.onExit = f
	}
	c.mu.Unlock()
	if over {
		f()
	}
}

// kill signals the process alone.
func (c *child) kill(sig syscall.Signal) { c.send(c.pid, sig) }

// killGroup signals the process's group.
func (c *child) killGroup(sig syscall.Signal) { c.send(-c.pid, sig) }

func (c *child) send(pid int, sig syscall.Signal) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.over || pid < 0 {
		_ = syscall.Kill(pid, sig) // gone is what was wanted
	}
}

func (c *child) ended() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.over
}
