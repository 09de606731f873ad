package gvisor

import (
	"bytes"
	"strings"
	"testing"

	"github.com/sirupsen/logrus"
	glog "gvisor.dev/gvisor/pkg/log"
)

// TestLogTo checks that what gVisor and its libraries log goes where it should.
func TestLogTo(t *testing.T) {
	target, level, out := glog.Log().Emitter, glog.Log().Level, logrus.StandardLogger().Out
	t.Cleanup(func() {
		glog.SetTarget(target)
		glog.SetLevel(level)
		logrus.SetOutput(out)
	})
	var b bytes.Buffer
	LogTo(&b)
	glog.Infof("of no interest")
	glog.Warningf("of gVisor")
	logrus.Warn("of a library")
	if got := b.String(); !strings.Contains(got, "of gVisor") || !strings.Contains(got, "of a library") || strings.Contains(got, "interest") {
		t.Errorf("got %q", got)
	}
}
