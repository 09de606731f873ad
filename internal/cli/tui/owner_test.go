package tui

import (
	"strings"
	"sync"
	"testing"
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
