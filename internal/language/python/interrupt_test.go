package python

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"praxis/internal/test/rawkernel"
)

// interruptAt makes the kernel be interrupted once the cell has printed the
// word, and again while it does not end: a signal that comes just before a
// system call blocks does not wake it, in any Python program.
func interruptAt(k *kernel, word string) {
	var last time.Time
	k.During = func(k *kernel, o *cellResult) {
		if strings.Contains(o.Stdout, word) && time.Since(last) >= rawkernel.Nudge {
			last = time.Now()
			k.Interrupt()
		}
	}
}

func TestInterrupt(t *testing.T) {
	t.Parallel()
	k := start(t, nil)
	k.Text("import time, asyncio, subprocess, threading, sys\nkept = 1")
	for name, code := range map[string]string{
		"a loop":            "print('go')\nwhile True: pass",
		"a sleep":           "print('go')\ntime.sleep(100)",
		"a lock":            "print('go')\nthreading.Event().wait()",
		"a subprocess":      "print('go')\nsubprocess.run(['sleep', '100'])",
		"a flood of output": "print('go')\nwhile True: print('x' * 1000)",
		"asyncio.run":       "print('go')\nasyncio.run(asyncio.sleep(100))",
		"await":             "print('go')\nawait asyncio.sleep(100)",
		"a busy coroutine":  "async def f():\n    print('go')\n    while True: pass\nawait f()",
		"a repr":            "class R:\n    def __repr__(self):\n        print('go')\n        time.sleep(100)\nR()",
		"displays":          "print('go')\nwhile True: display(5)",
		"a nested try":      "print('go')\nwhile True:\n    try: time.sleep(100)\n    except Exception: pass",
	} {
		t.Run(name, func(t *testing.T) {
			k.T = t
			interruptAt(k, "go")
			o := k.Run(code)
			k.During = nil
			if o.Done.Status != "error" || !o.Done.Interrupted || o.Done.Error.Name != "KeyboardInterrupt" {
				t.Errorf("%+v %+v", o.Done, o.Done.Error)
			}
			// Between two statements there is no line of the user's to show. The kernel's own never are.
			trace := o.Done.Error.Traceback
			if trace != "KeyboardInterrupt\n" && !strings.HasPrefix(trace, "Traceback") || strings.Contains(trace, rig.program) {
				t.Errorf("traceback %s", trace)
			}
			if got := k.Text("kept, await asyncio.sleep(0, 2)"); got != "(1, 2)" {
				t.Errorf("afterwards: %s", got)
			}
		})
	}
	k.T = t
}

func TestInterruptThatIsCaught(t *testing.T) {
	t.Parallel()
	k := start(t, nil)
	interruptAt(k, "go")
	o := k.Run("import time\ntry:\n    print('go')\n    time.sleep(100)\nexcept KeyboardInterrupt:\n    print('caught')\n5")
	if o.Done.Status != "ok" || o.Done.Interrupted || o.Done.Result["text"] != "5" || !strings.HasSuffix(o.Stdout, "caught\n") {
		t.Errorf("%+v %q", o.Done, o.Stdout)
	}
	k.During = nil
	if o = k.Run("raise KeyboardInterrupt"); o.Done.Interrupted {
		t.Error("an exception of the program's own counts as an interrupt")
	}
}

func TestInterruptWhenIdle(t *testing.T) {
	t.Parallel()
	k := start(t, nil)
	for range 20 {
		k.Interrupt()
	}
	if got := k.Text("1 + 1"); got != "2" {
		t.Errorf("got %s", got)
	}
	k.Text("import asyncio\nasync def forever():\n    while True: await asyncio.sleep(0.001)\ntask = asyncio.create_task(forever());")
	for range 20 {
		k.Interrupt()
	}
	if got := k.Text("task.done()"); got != "False" {
		t.Errorf("the background task is done: %s", got)
	}
}

// TestInterruptStorm sends interrupts at every moment of many short cells: each
// ends in one of two ways, and no frame is cut.
func TestInterruptStorm(t *testing.T) {
	t.Parallel()
	k := start(t, nil)
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			case <-time.After(300 * time.Microsecond):
				_ = k.Cmd.Process.Signal(syscall.SIGINT)
			}
		}
	}()
	interrupted := 0
	for i := range 600 {
		code := []string{
			"sum(range(2000))",
			"display('x' * 5000)\nprint('y' * 100)",
			"[str(i) for i in range(500)]",
			"import asyncio\nawait asyncio.sleep(0)",
			"1 / 0",
			"x = (",
		}[i%6]
		o := k.Run(code)
		switch {
		case o.Done.Interrupted && o.Done.Status == "error" && o.Done.Error.Name == "KeyboardInterrupt":
			interrupted++
		case o.Done.Interrupted:
			t.Errorf("interrupted, but %+v %+v", o.Done, o.Done.Error)
		case i%6 < 4 && o.Done.Status != "ok", i%6 >= 4 && o.Done.Status != "error":
			t.Errorf("cell %d: %+v %+v", i, o.Done, o.Done.Error)
		}
	}
	close(stop)
	<-stopped
	if got := k.Text("1 + 1"); got != "2" {
		t.Errorf("afterwards 1 + 1 is %s", got)
	}
	t.Logf("%d of 600 cells were interrupted", interrupted)
}
