package runsc

import (
	"fmt"
	"path/filepath"

	"gvisor.dev/gvisor/runsc/config"
	"gvisor.dev/gvisor/runsc/flag"

	"praxis/internal/sandbox/gvisor/control"
)

// runscConfig is gVisor's configuration. Everything that opens a way to the
// host is named, even where it is gVisor's default today.
func runscConfig(h control.Helper) (*config.Config, error) {
	fs := flag.NewFlagSet("helper", flag.ContinueOnError)
	config.RegisterFlags(fs)
	for _, kv := range [][2]string{
		// The helper's working folder is the sandbox's: however long its path,
		// the name of the control socket in it stays short enough to connect to.
		{"root", "/proc/self/cwd"},
		{"network", "none"},
		{"gofer-network-namespace", "new"},
		{"platform", "systrap"},
		{"ignore-cgroups", "true"},
		// Inside, v1 charges a fork to one of its hierarchies at random: only v2 keeps pids.max.
		{"in-sandbox-cgroup", "v2"},
		{"overlay2", fmt.Sprintf("root:dir=%s,size=%d", h.Dir, h.Disk)},
		{"file-access", "exclusive"},
		{"file-access-mounts", "exclusive"},
		{"host-uds", "none"},
		{"host-fifo", "none"},
		{"character-device-policy", "emulated-only"},
		{"net-raw", "false"},
		{"host-settings", "ignore"},
		{"oci-seccomp", "false"},
		{"allow-flag-override", "false"},
		{"allow-suid", "false"},
		{"app-huge-pages", "false"},
		{"sidecar-usage-policy", "LEGACY_DEPRECATED_SLOW_EMBEDDED_FALLBACK"},
		{"panic-log", filepath.Join(h.Dir, control.PanicLog)},
	} {
		if err := fs.Set(kv[0], kv[1]); err != nil {
			return nil, fmt.Errorf("cannot set gVisor's %s: %w", kv[0], err)
		}
	}
	return config.NewFromFlags(fs)
}
