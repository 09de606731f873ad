package tui

import (
	"errors"
	"os"
	"sync"
	"syscall"
)

// keyboard is the terminal at standard input behind a pasteFilter.
type keyboard struct {
	*os.File // what the line editor reads

	tty, pipe *os.File
	wg        sync.WaitGroup
}

// openKeyboard opens the terminal at standard input once more: only so can a
// read that waits for a key be ended. It is not possible for the terminal of
// another user; the shell then does without.
func openKeyboard() (*keyboard, error) {
	// Not blocking belongs to this opening alone: the shell that we were called from has its own.
	tty, err := os.OpenFile("/proc/self/fd/0", os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOCTTY, 0)
	if err != nil {
		return nil, err
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, tty.Close())
	}
	k := &keyboard{File: r, tty: tty, pipe: w}
	k.wg.Add(1)
	go func() {
		defer k.wg.Done()
		_ = new(pasteFilter).pump(w, tty) // a terminal that is gone is the end of the input
		_ = w.Close()
	}()
	return k, nil
}

// Close ends reading.
func (k *keyboard) Close() error {
	err := errors.Join(k.tty.Close(), k.File.Close())
	k.wg.Wait()
	return err
}
