package runsc

import (
	"testing"

	"praxis/internal/sandbox/gvisor/control"
)

// TestConfigExposesNothing wants gVisor's configuration to open no way out.
func TestConfigExposesNothing(t *testing.T) {
	conf, err := runscConfig(control.Helper{Dir: t.TempDir(), Disk: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	if conf.Network.String() != "none" || conf.EnableRaw || conf.AllowFlagOverride || conf.AllowSUID || conf.ProfileEnable || conf.Debug ||
		conf.HostUDS.AllowOpen() || conf.HostUDS.AllowCreate() || conf.HostFifo.AllowOpen() || conf.TestOnlyAllowRunAsCurrentUserWithoutChroot {
		t.Errorf("gVisor's configuration opens a way out: %v", conf.ToFlags())
	}
}
