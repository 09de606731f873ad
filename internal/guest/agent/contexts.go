package agent

import (
	"cmp"
	"path/filepath"
	"slices"
	"syscall"

	"praxis/internal/guest/wire"
	"praxis/internal/safetext"
)

func killPID(pid int) { _ = syscall.Kill(pid, syscall.SIGKILL) }

// finishedExec is an execution kept after its end.
type finishedExec struct {
	name string
	size int
}

// execute begins an execution and follows it.
func (s *server) execute(req *request, args wire.Execute) error {
	switch {
	case !wire.ValidName(args.Exec):
		return failf("invalid", "", "cannot execute: bad name of an execution")
	case len(args.Code) > wire.MaxCode:
		return failf("invalid", "Put the data in a file of the session.", "cannot execute: the code has %s, the limit is %s", bytesText(int64(len(args.Code))), bytesText(wire.MaxCode))
	case args.WallMS < 0 || args.CPUMS < 0 || args.OutputBytes < 0 || args.OutputBytes > wire.MaxOutput || args.WallMS > 1<<40 || args.CPUMS > 1<<40 ||
		args.Columns != 0 && (args.Columns < 20 || args.Columns > 10000):
		return failf("invalid", "", "cannot execute: a limit is out of range")
	case args.Folder != "" && (!filepath.IsAbs(args.Folder) || filepath.Clean(args.Folder) != args.Folder || len(args.Folder) > wire.MaxPath):
		return failf("invalid", "Write an absolute path.", "cannot execute: %q is not a clean absolute path", safetext.Clip(args.Folder, 200))
	}
	if err := checkVariables(args.Environ); err != nil {
		return err
	}
	k, err := s.kernelFor(args.Context, args.Language, args.Folder)
	if err != nil {
		return err
	}
	s.mu.Lock()
	if s.execs[args.Exec] != nil {
		s.mu.Unlock()
		return failf("conflict", "", "cannot execute: there is an execution of that name")
	}
	s.counter++
	e := newExecution(args, s.counter, wholeFiles{temp: s.cfg.Temp, privileged: s.cfg.privileged()})
	s.execs[args.Exec] = e
	if args.Stamps {
		e.stamps = &wire.Stamps{Taken: req.came.UnixNano()}
	}
	e.waiting = args.Changes && s.changes.stale()
	waiting := e.waiting
	s.mu.Unlock()
	if err := e.follow(req, 0); err != nil {
		return err
	}
	if err := k.execute(e); err != nil {
		s.mu.Lock()
		delete(s.execs, args.Exec)
		s.mu.Unlock()
		return err
	}
	if waiting {
		s.wg.Add(1)
		go func() {
			defer s.wg.Done()
			s.changes.before(s.workFolder())
			k.release(e)
		}()
	}
	s.guard.nudge()
	return nil
}

func (s *server) attach(req *request, args wire.Attach) error {
	s.mu.Lock()
	e := s.execs[args.Exec]
	s.mu.Unlock()
	if e == nil {
		return failf("not_found", "", "cannot attach to execution %s: it does not exist or ended too long ago", safetext.Clip(args.Exec, wire.MaxName))
	}
	return e.follow(req, args.After)
}

// retire keeps an execution that is over for a while and lets go of older ones.
func (s *server) retire(e *execution) {
	if e.rehearsal {
		return
	}
	size := e.size()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.finished = append(s.finished, finishedExec{e.Exec, size})
	total := 0
	for _, f := range s.finished {
		total += f.size
	}
	// The newest stays whatever its size: its follower may be behind.
	for len(s.finished) > 1 && (len(s.finished) > maxFinished || total > maxLogBytes) {
		delete(s.execs, s.finished[0].name)
		total -= s.finished[0].size
		s.finished = s.finished[1:]
	}
}

func (s *server) interrupt(_ *request, args wire.Interrupt) (none, error) {
	k, err := s.kernelOf(args.Context)
	if err == nil {
		k.interrupt(args.Exec)
	}
	return none{}, err
}

func (s *server) restart(_ *request, args wire.Context) (none, error) {
	k, err := s.kernelOf(args.Context)
	if err == nil {
		err = k.restart()
	}
	return none{}, err
}

func (s *server) contexts(_ *request, _ none) (wire.Contexts, error) {
	s.mu.Lock()
	kernels := s.allKernels()
	s.mu.Unlock()
	out := wire.Contexts{Contexts: []wire.ContextInfo{}}
	for _, k := range kernels {
		out.Contexts = append(out.Contexts, k.info())
	}
	slices.SortFunc(out.Contexts, func(a, b wire.ContextInfo) int { return cmp.Compare(a.Name, b.Name) })
	return out, nil
}

// drop removes a context. main is restarted, not removed: it is always there.
func (s *server) drop(_ *request, args wire.Context) (none, error) {
	k, err := s.kernelOf(args.Context)
	if err != nil {
		return none{}, err
	}
	if k.name == wire.Main {
		return none{}, failf("conflict", "Restart it instead.", "cannot remove context main: every session has it")
	}
	k.close()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.kernels[k.name] == k {
		delete(s.kernels, k.name)
	}
	return none{}, nil
}

func (s *server) complete(req *request, args wire.Complete) error {
	if len(args.Code) > wire.MaxCode || args.Cursor < 0 {
		return failf("invalid", "", "cannot complete: the code is too long or the cursor is negative")
	}
	k, err := s.kernelOf(args.Context)
	if err != nil {
		return err
	}
	return k.complete(req, args)
}
