package tui

import (
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestOwner(t *testing.T) {
	var screen, pipe, notes strings.Builder
	o := &Owner{Notes: &notes}
	w, p := o.Writer(&screen, true), o.Writer(&pipe, false)
	write := func(text string) { w.Write([]byte(text)) }
	write("before ")
	release := o.Hold(nil)
	write("while ")
	p.Write([]byte("piped"))
	if screen.String() != "before " || pipe.String() != "" {
		t.Errorf("got %q, %q while a question was open", screen.String(), pipe.String())
	}
	write(strings.Repeat("x", maxQueued))
	write("late")
	var wg sync.WaitGroup
	wg.Go(func() { p.Write(make([]byte, maxQueued)) }) // waits, and loses nothing
	release()
	wg.Wait()
	write("after")
	if screen.String() != "before while after" || pipe.Len() != len("piped")+maxQueued {
		t.Errorf("got %q and %d bytes", screen.String(), pipe.Len())
	}
	if !strings.Contains(notes.String(), "1MiB of output that came while a question was open is not shown") || strings.Count(notes.String(), "praxis") != 1 {
		t.Errorf("got %q", notes.String())
	}
	restored := 0
	o.Restore()
	release = o.Hold(func() { restored++ })
	o.Restore()
	release()
	o.Restore()
	if restored != 1 {
		t.Errorf("restored %d times", restored)
	}
}

// TestStuckReader writes to a pipe that nobody reads: others are not kept waiting, and
// the write is given up when the program is to end.
func TestStuckReader(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	var o Owner
	stuck, beside := o.Writer(w, false), &strings.Builder{}
	wrote := make(chan error, 1)
	go func() {
		_, err := stuck.Write(make([]byte, 1<<20))
		wrote <- err
	}()
	if _, err := io.WriteString(o.Writer(beside, false), "beside"); err != nil || beside.String() != "beside" {
		t.Errorf("%q, %v", beside, err)
	}
	o.Stop()
	o.Stop()
	select {
	case err := <-wrote:
		if err == nil {
			t.Error("1 MiB went into a pipe that nobody reads")
		}
	case <-time.After(time.Minute):
		t.Fatal("the write waits for ever")
	}
	if _, err := stuck.Write([]byte("x")); err == nil {
		t.Error("it is written on after it was given up")
	}
}
