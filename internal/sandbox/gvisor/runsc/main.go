// Package runsc is the program beside each sandbox: the helper that owns it, and the
// processes that gVisor executes this program as again, the sentry and the gofer. It is
// the only place that links gVisor. Package praxis/internal/sandbox/gvisor starts it and
// tells it what to do (package control).
package runsc

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	glog "gvisor.dev/gvisor/pkg/log"
	"gvisor.dev/gvisor/runsc/cli"
	"gvisor.dev/gvisor/runsc/cmd"
	"gvisor.dev/gvisor/runsc/cmd/sentry/sentrycmd"
	"gvisor.dev/gvisor/runsc/cmd/util"

	"praxis/internal/sandbox/gvisor/control"
)

// Main is the whole program: what it is follows from how it was started. It returns the
// exit code.
func Main(args []string) int {
	quiet()
	deferCollection()
	switch {
	case args[0] == "runsc-sandbox":
		os.Args = withLimits(args)
	case args[0] == "runsc-gofer", args[0] == "/proc/self/exe" && len(args) > 1 && args[1] == "umount":
	default:
		return runHelper(args)
	}
	if p, ok, err := loadSeccomp(); ok && err == nil {
		useSeccomp(p) // else gVisor compiles them
	}
	cli.Run(nil, map[util.SubCommand]string{
		new(sentrycmd.Boot):   "",
		new(cmd.Gofer):        "",
		new(sentrycmd.Umount): "",
	}, nil)
	return 0
}

// While one of these processes starts, nearly all that it allocates stays: to
// collect garbage then is in vain. It cost a restore some 10 ms of CPU time.
const (
	startupHeap = 64 << 20        // collect even then beyond this
	startupTime = 3 * time.Second // collect as usual afterwards
)

// deferCollection puts off the garbage collection of a process that starts. One
// that lives on then gives back what the start left over: 6 MB of a sentry.
func deferCollection() {
	debug.SetGCPercent(-1)
	unlimited := debug.SetMemoryLimit(startupHeap)
	time.AfterFunc(startupTime, func() {
		debug.SetMemoryLimit(unlimited)
		debug.SetGCPercent(100)
		debug.FreeOSMemory()
	})
}

// quiet keeps gVisor from writing log lines that nobody reads: it would format
// thousands at a checkpoint.
func quiet() { glog.SetLevel(glog.Warning) }

// withLimits adds to the sentry's arguments what gVisor would otherwise take
// from the host or from a cgroup of its own making: how much memory and how
// many CPUs the guest sees, and the machine's product name, which is the
// host's. The last of repeated flags counts; the last argument is the
// container's name.
func withLimits(args []string) []string {
	extra := []string{"--product-name=praxis", "--host-thp-shmem-enabled=never", "--host-thp-defrag=never"}
	for _, a := range args {
		dir, ok := strings.CutPrefix(a, "--bundle=")
		if !ok {
			continue
		}
		var l control.Size
		b, err := os.ReadFile(filepath.Join(dir, control.SizeFile))
		if err != nil || json.Unmarshal(b, &l) != nil || l.Memory <= 0 || l.CPUs <= 0 {
			os.Exit(1) // better no sandbox than one that believes it has the whole host
		}
		if l.Seeded && startSeeded() != nil {
			os.Exit(1) // the helper says so before it comes to this
		}
		mem := strconv.FormatInt(l.Memory, 10)
		extra = append(extra, "--total-memory="+mem, "--total-host-memory="+mem, "--cpu-num="+strconv.Itoa(l.CPUs))
	}
	last := len(args) - 1
	out := append([]string{}, args[:last]...)
	return append(append(out, extra...), args[last])
}
