package agent

import (
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"syscall"
)

const minProcs = 4

// Main runs the agent, or what the second word of the command line names, guest-exec, or
// the program of another root file system that a link to it stands for. It returns the
// exit code.
func Main() int {
	if base := filepath.Base(os.Args[0]); base != filepath.Base(agentFile) && base != "praxis" && base != "exe" && linked() {
		fmt.Fprintln(os.Stderr, "praxis:", loadMain(os.Args, os.Environ()))
		return 127
	}
	word := ""
	if len(os.Args) > 1 {
		word = os.Args[1]
	}
	switch word {
	case "":
		return agentMain()
	case "guest-exec":
		fmt.Fprintln(os.Stderr, "praxis:", execMain())
		return 127
	}
	fmt.Fprintf(os.Stderr, "praxis: cannot run %q: want nothing, or guest-exec\n", word)
	return 2
}

// linked says that the sandbox has a second root file system, for whose programs links to
// this executable stand.
func linked() bool {
	_, err := os.Stat(otherRoot)
	return err == nil
}

func agentMain() int {
	// The user's programs share the sandbox's memory: the agent keeps little.
	debug.SetGCPercent(50)
	debug.SetMemoryLimit(256 << 20)
	// A goroutine in a system call keeps its processor, and while none is idle
	// the runtime's monitor takes them away and polls every 20 µs, which costs
	// much in a sandbox. The reader and a pump wait all the time: leave some idle.
	runtime.GOMAXPROCS(max(minProcs, runtime.NumCPU()))
	syscall.Umask(0o022)
	raisePriority()
	// Without handlers the first process would be ended by a stray signal on a
	// host, and an ignored signal would stay ignored in what it starts.
	stray := make(chan os.Signal, 1)
	signal.Notify(stray, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGPIPE)
	defer signal.Stop(stray)

	s := newServer(os.Stdout)
	err := s.serve(os.Stdin)
	s.close()
	if err != nil {
		fmt.Fprintln(os.Stderr, "praxis: guest agent:", err)
		return 1
	}
	return 0
}
