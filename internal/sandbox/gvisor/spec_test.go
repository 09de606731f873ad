package gvisor

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"praxis/fault"
	"praxis/internal/sandbox"
)

func TestCheckMounts(t *testing.T) {
	root := newRoot(t)
	dir := newRoot(t)
	for _, d := range []string{"usr", "usr/share"} {
		if err := os.Mkdir(filepath.Join(root, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(dir, "usr", "inner"), 0o755); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "guest")
	for _, c := range []struct {
		name   string
		mounts []sandbox.Mount
		want   string // "" when it is good
	}{
		{"folder", []sandbox.Mount{{Source: dir, Target: "/usr"}}, ""},
		{"file", []sandbox.Mount{{Source: file, Target: "/guest"}}, ""},
		{"in an earlier mount", []sandbox.Mount{{Source: dir, Target: "/usr"}, {Source: dir, Target: "/usr/usr/inner"}}, ""},
		{"hidden by an earlier mount", []sandbox.Mount{{Source: dir, Target: "/usr"}, {Source: dir, Target: "/usr/share"}}, "no /usr/share"},
		{"no such source", []sandbox.Mount{{Source: "/no/such", Target: "/usr"}}, "no such file"},
		{"relative source", []sandbox.Mount{{Source: "usr", Target: "/usr"}}, "clean absolute"},
		{"unclean source", []sandbox.Mount{{Source: dir + "/../x", Target: "/usr"}}, "clean absolute"},
		{"linked source", []sandbox.Mount{{Source: link, Target: "/usr"}}, "leads to"},
		{"below a link", []sandbox.Mount{{Source: filepath.Join(link, "usr"), Target: "/usr"}}, "leads to"},
		{"a device", []sandbox.Mount{{Source: "/dev/null", Target: "/guest"}}, "neither a folder nor a file"},
		{"relative target", []sandbox.Mount{{Source: dir, Target: "usr"}}, "clean absolute"},
		{"target above", []sandbox.Mount{{Source: dir, Target: "/usr/../.."}}, "clean absolute"},
		{"root as target", []sandbox.Mount{{Source: dir, Target: "/"}}, "clean absolute"},
		{"proc", []sandbox.Mount{{Source: dir, Target: "/proc/x"}}, "/proc belongs to the sandbox"},
		{"sys", []sandbox.Mount{{Source: dir, Target: "/sys"}}, "/sys belongs to the sandbox"},
		{"no such target", []sandbox.Mount{{Source: dir, Target: "/opt/none"}}, "no /opt/none"},
		{"folder on file", []sandbox.Mount{{Source: dir, Target: "/guest"}}, "not of the type"},
		{"file on folder", []sandbox.Mount{{Source: file, Target: "/usr"}}, "not of the type"},
	} {
		spec := sandbox.Spec{ID: "x", Root: root, Args: []string{"/guest"}, Mounts: c.mounts}
		checked, err := checkSpec(spec)
		if err == nil {
			err = checkTargets(checked)
		} else if fault.KindOf(err) != fault.Invalid || fault.RemedyOf(err) == "" {
			t.Errorf("%s: %v is not an invalid fault with a remedy", c.name, err)
		}
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", c.name, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: got %v, want %q", c.name, err, c.want)
		}
	}
}

// TestSpecOffersNothing wants the guest's description to hold what it must and
// no way out.
func TestSpecExposesNothing(t *testing.T) {
	root := newRoot(t)
	spec, err := checkSpec(sandbox.Spec{ID: "x", Root: root, Args: []string{"/guest"}, Mounts: []sandbox.Mount{{Source: testExe(t), Target: "/guest"}}})
	if err != nil {
		t.Fatal(err)
	}
	s := ociSpec(spec)
	for _, c := range []string{"CAP_SYS_ADMIN", "CAP_NET_RAW", "CAP_NET_ADMIN", "CAP_SYS_PTRACE", "CAP_MKNOD", "CAP_SYS_MODULE", "CAP_DAC_READ_SEARCH"} {
		for _, set := range [][]string{s.Process.Capabilities.Bounding, s.Process.Capabilities.Effective, s.Process.Capabilities.Permitted, s.Process.Capabilities.Inheritable, s.Process.Capabilities.Ambient} {
			if slices.Contains(set, c) {
				t.Errorf("the guest has %s", c)
			}
		}
	}
	for _, m := range s.Mounts {
		if m.Type == "bind" && !slices.Contains(m.Options, "ro") {
			t.Errorf("%s can be written", m.Destination)
		}
		if m.Type == "tmpfs" && m.Destination != "/dev" && !slices.ContainsFunc(m.Options, func(o string) bool { return strings.HasPrefix(o, "size=") }) {
			t.Errorf("%s has no bound", m.Destination)
		}
	}
	if len(s.Annotations) != 0 || s.Hooks != nil || !s.Process.NoNewPrivileges {
		t.Errorf("annotations %v, hooks %v, no new privileges %v", s.Annotations, s.Hooks, s.Process.NoNewPrivileges)
	}
}

// TestVersionIsGoMods wants the release in checkpoints to be the one that is linked.
func TestVersionIsGoMods(t *testing.T) {
	b, err := os.ReadFile("../../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(b), "gvisor.dev/gvisor "+gvisorVersion) {
		t.Errorf("go.mod does not require gvisor.dev/gvisor %s: checkpoints would claim the wrong release", gvisorVersion)
	}
}

func TestSizes(t *testing.T) {
	for n, want := range map[int64]string{0: "0 bytes", 1023: "1023 bytes", 1 << 10: "1 KiB", 1536 << 10: "1.5 MiB", 1 << 30: "1 GiB", 3 << 40: "3 TiB"} {
		if got := size(n); got != want {
			t.Errorf("%d: got %q, want %q", n, got, want)
		}
	}
}

func TestLastLine(t *testing.T) {
	for in, want := range map[string]string{
		"":                       "",
		"\n \n":                  "",
		"one\ntwo\n\n":           "two",
		"a\x1b[31mred\x00":       "a[31mred",
		strings.Repeat("é", 300): strings.Repeat("é", 100),
		"\xff\xfebytes":          "bytes",
	} {
		if got := lastLine([]byte(in)); got != want {
			t.Errorf("%.20q: got %q, want %q", in, got, want)
		}
	}
}
