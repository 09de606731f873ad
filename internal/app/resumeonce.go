package app

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/record/journal"
)

// resumeWait bounds the wait for somebody who goes on with the same plan: until that
// run is recorded as begun, which takes no person and no network.
const resumeWait = 30 * time.Second

// resumeOnce refuses to go on twice with one plan: its calls would be made twice. Until
// begun is called, which may be often, nobody else goes on with a plan of the same state
// in this data folder; the process's end does the same.
func (a *App) resumeOnce(ctx context.Context, q ResumeRequest, s storedPlan) (begun func(), err error) {
	if begun, err = a.lockState(ctx, s.sum); err != nil || q.Again {
		return begun, err
	}
	id, err := a.resumedBy(ctx, s)
	switch {
	case err == nil && id == "":
		return begun, nil
	case err == nil && s.run == "":
		err = fault.Coded(fault.PlanResumed, fault.Data{"run": id}, "cannot go on with the plan: run %s did already, and what it did stays done", id)
	case err == nil:
		err = fault.Coded(fault.PlanResumed, fault.Data{"run": id}, "cannot go on with run %s: run %s did already, and what it did stays done", s.run, id)
	}
	begun()
	return nil, err
}

// resumedBy finds a run that went on with a plan: from the run that waits, or, where
// that is not recorded here, from the same state. "": there is none.
func (a *App) resumedBy(ctx context.Context, s storedPlan) (string, error) {
	query := journal.Query{Kind: event.Plan}
	if s.run != "" {
		known, err := a.records.Journal.Summary(ctx, s.run)
		if err != nil {
			return "", err
		}
		query.Since = known.Began
	}
	for r, err := range a.eachRun(ctx, query) {
		if err != nil {
			return "", err
		}
		if s.run != "" && r.Parent != nil && r.Parent.Run == s.run {
			return r.ID, nil
		}
		if s.run == "" && a.wentOn(ctx, r.ID, s.sum) {
			return r.ID, nil
		}
	}
	return "", nil
}

// wentOn says whether a run went on from a state. Which one it went on from stands before
// its first call. What of a log can be read decides: a run that cannot be read any further
// keeps no other from going on.
func (a *App) wentOn(ctx context.Context, run, state string) bool {
	for rec, err := range a.records.Journal.Records(ctx, run) {
		if err != nil {
			return false
		}
		switch e := rec.Event.(type) {
		case event.PlanResumed:
			return e.State == state
		case event.ToolCalled, event.ModelRequested, event.PlanEnded, event.RunEnded:
			return false
		}
	}
	return false
}

// lockState holds the lock of a state, or of a run, until it is given back, once.
func (a *App) lockState(ctx context.Context, sum string) (release func(), err error) {
	dir := filepath.Join(a.opt.Config.Home, "resumes")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, sum)
	ctx, cancel := context.WithTimeoutCause(ctx, resumeWait, fault.New(fault.Unavailable, "Try again.", "cannot go on: another process is about to go on with the same"))
	defer cancel()
	for {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return nil, err
		}
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil && stillThere(f, path) {
			return sync.OnceFunc(func() {
				os.Remove(path) // while the lock is held: who opened it before looks whether it is still there
				f.Close()
			}), nil
		}
		f.Close()
		if err != nil && !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			return nil, &fs.PathError{Op: "lock", Path: path, Err: err}
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// stillThere says whether a file that was opened is the one of that name now.
func stillThere(f *os.File, path string) bool {
	opened, err := f.Stat()
	if err != nil {
		return false
	}
	named, err := os.Stat(path)
	return err == nil && os.SameFile(opened, named)
}
