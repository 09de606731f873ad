package gvisor

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/sirupsen/logrus"
	glog "gvisor.dev/gvisor/pkg/log"
	"gvisor.dev/gvisor/runsc/cli"
	"gvisor.dev/gvisor/runsc/cmd"
	"gvisor.dev/gvisor/runsc/cmd/sentry/sentrycmd"
	"gvisor.dev/gvisor/runsc/cmd/util"
)

// helperCommand is the first argument of a re-execution as a helper.
const helperCommand = "sandbox-helper"

// bootFile is the file in a sandbox's folder that holds its bootLimits.
const bootFile = "boot.json"

// bootLimits is what the guest sees of its size.
type bootLimits struct {
	Memory int64 `json:"memory"` // bytes, shown as MemTotal
	CPUs   int   `json:"cpus"`   // shown as the number of CPUs
}

// Dispatch must be the first thing that a program calls with os.Args. If the
// process is a re-execution as a sandbox's helper or as one of gVisor's own
// processes, Dispatch serves it and never returns; else it returns false.
//
//	func main() {
//		if gvisor.Dispatch(os.Args) {
//			return
//		}
//		…
//	}
func Dispatch(args []string) bool {
	switch {
	case len(args) < 2:
		return false
	case args[1] == helperCommand:
		quiet()
		deferCollection()
		os.Exit(runHelper())
	case args[0] == "runsc-sandbox":
		os.Args = withLimits(args)
	case args[0] == "runsc-gofer", args[0] == "/proc/self/exe" && args[1] == "umount":
	default:
		return false
	}
	quiet()
	deferCollection()
	if p, ok, err := loadSeccomp(); ok && err == nil {
		useSeccomp(p) // else gVisor compiles them
	}
	cli.Run(nil, map[util.SubCommand]string{
		new(sentrycmd.Boot):   "",
		new(cmd.Gofer):        "",
		new(sentrycmd.Umount): "",
	}, nil)
	return true
}

// While one of these processes starts, nearly all that it allocates stays: to
// collect garbage then is in vain. It cost a restore some 10 ms of CPU time.
const (
	startupHeap = 64 << 20        // collect even then beyond this
	startupTime = 3 * time.Second // collect as usual afterwards
)

// noCollection is the whole environment of a helper, and of the gofer, which
// inherits it: no collection before main either, where the variables of a large
// program's packages allocate enough for one. That saves 3 to 5 of 13 ms. gVisor
// starts the sentry without an environment.
const noCollection = "GOGC=off"

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

// LogTo lets what gVisor logs in this process, and the libraries that it uses, go
// to w alone.
func LogTo(w io.Writer) {
	quiet()
	glog.SetTarget(glog.GoogleEmitter{Writer: &glog.Writer{Next: w}})
	logrus.SetOutput(w)
}

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
		var l bootLimits
		b, err := os.ReadFile(filepath.Join(dir, bootFile))
		if err != nil || json.Unmarshal(b, &l) != nil || l.Memory <= 0 || l.CPUs <= 0 {
			os.Exit(1) // better no sandbox than one that believes it has the whole host
		}
		mem := strconv.FormatInt(l.Memory, 10)
		extra = append(extra, "--total-memory="+mem, "--total-host-memory="+mem, "--cpu-num="+strconv.Itoa(l.CPUs))
	}
	last := len(args) - 1
	out := append([]string{}, args[:last]...)
	return append(append(out, extra...), args[last])
}
