package bench

import (
	"os"
	"os/exec"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// TestSameMemory compares this process with a thread of its own, which shares its
// memory, and with a child, which does not.
func TestSameMemory(t *testing.T) {
	tid := make(chan int)
	end := make(chan struct{})
	defer close(end)
	go func() {
		runtime.LockOSThread() // another thread than the main one, or that one: both share
		tid <- unix.Gettid()
		<-end
	}()
	if !sameMemory(os.Getpid(), <-tid) {
		t.Error("a thread does not share the memory of its process")
	}
	child := exec.Command("sleep", "60")
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = child.Process.Kill()
		_ = child.Wait()
	}()
	if sameMemory(os.Getpid(), child.Process.Pid) {
		t.Error("a child shares the memory of its parent")
	}
}
