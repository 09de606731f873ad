package image

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"praxis/fault"
)

// fakeHost makes a host's root folder: names that end in "/" are folders,
// "a -> b" is a link, everything else a file.
func fakeHost(t *testing.T, names ...string) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range names {
		name, target, link := strings.Cut(n, " -> ")
		path := filepath.Join(root, name)
		err := os.MkdirAll(filepath.Dir(path), 0o755)
		switch {
		case link:
			err = errors.Join(err, os.Symlink(target, path))
		case strings.HasSuffix(n, "/"):
			err = errors.Join(err, os.MkdirAll(path, 0o755))
		default:
			err = errors.Join(err, os.WriteFile(path, []byte(n), 0o644))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// libc are the files of glibc in a folder.
func libc(dir, loader string) []string {
	out := []string{filepath.Join(dir, loader)}
	for _, p := range libcParts {
		out = append(out, filepath.Join(dir, p))
	}
	return out
}

func debian() []string {
	return append(libc("usr/lib/x86_64-linux-gnu", "ld-linux-x86-64.so.2"),
		"bin -> usr/bin", "sbin -> usr/sbin", "lib -> usr/lib", "lib64 -> usr/lib64",
		"usr/bin/bash", "usr/sbin/ldconfig", "usr/lib64/ld-linux-x86-64.so.2 -> /lib/x86_64-linux-gnu/ld-linux-x86-64.so.2",
		"usr/share/zoneinfo/UTC", "usr/share/secret/key", "usr/local/bin/own", "usr/local/etc/token", "usr/src/own.c",
		"etc/ld.so.cache", "etc/shadow", "etc/alternatives/awk -> /usr/bin/mawk", "etc/alternatives/own -> /usr/local/bin/own",
		"etc/alternatives/old -> /bin/old", "etc/alternatives/up -> /usr/bin/../../etc/shadow", "home/me/.ssh/id", "opt/app/x", "usr/lib/os-release")
}

func targets(sv *hostSurvey) []string {
	var out []string
	for _, m := range sv.mounts {
		out = append(out, m.Target)
	}
	slices.Sort(out)
	return out
}

func TestSurveyDebian(t *testing.T) {
	onlyAMD64(t)
	sv, err := surveyHost(fakeHost(t, debian()...))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"/usr/bin", "/usr/lib", "/usr/sbin", "/usr/share/zoneinfo"}
	if got := targets(sv); !slices.Equal(got, want) {
		t.Errorf("mounts %q, want %q", got, want)
	}
	wantLinks := []hostLink{
		{"/bin", "usr/bin"}, {"/sbin", "usr/sbin"}, {"/lib", "usr/lib"}, {"/lib64", "usr/lib64"},
		{"/usr/lib64/ld-linux-x86-64.so.2", "/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2"},
		{"/etc/alternatives/awk", "/usr/bin/mawk"}, {"/etc/alternatives/old", "/bin/old"},
	}
	if !slices.Equal(sv.links, wantLinks) {
		t.Errorf("links %v, want %v", sv.links, wantLinks)
	}
	if string(sv.cache) != "etc/ld.so.cache" {
		t.Errorf("cache %q", sv.cache)
	}
}

func TestSurveyUnmergedUsr(t *testing.T) {
	onlyAMD64(t)
	root := fakeHost(t, append(libc("lib/x86_64-linux-gnu", "ld-linux-x86-64.so.2"),
		"bin/sh", "sbin/init", "lib64/ld-linux-x86-64.so.2 -> /lib/x86_64-linux-gnu/ld-linux-x86-64.so.2", "usr/bin/env", "usr/lib/x")...)
	sv, err := surveyHost(root)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := targets(sv), []string{"/bin", "/lib", "/sbin", "/usr/bin", "/usr/lib"}; !slices.Equal(got, want) {
		t.Errorf("mounts %q, want %q", got, want)
	}
	tree := filepath.Join(t.TempDir(), "tree")
	if err := fillRoot(tree, sv); err != nil {
		t.Fatal(err)
	}
	if got, err := os.Readlink(filepath.Join(tree, "lib64/ld-linux-x86-64.so.2")); err != nil || got != "/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2" {
		t.Errorf("the loader's link: %q, %v", got, err)
	}
}

func TestSurveyLib64Folder(t *testing.T) {
	onlyAMD64(t)
	root := fakeHost(t, append(libc("usr/lib64", "ld-linux-x86-64.so.2"),
		"bin -> usr/bin", "sbin -> usr/sbin", "lib -> usr/lib", "lib64 -> usr/lib64", "usr/bin/bash", "usr/sbin -> bin", "usr/lib/x", "usr/libexec/git")...)
	sv, err := surveyHost(root)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := targets(sv), []string{"/usr/bin", "/usr/lib", "/usr/lib64"}; !slices.Equal(got, want) {
		t.Errorf("mounts %q, want %q", got, want)
	}
}

func TestSurveyWithoutGlibc(t *testing.T) {
	onlyAMD64(t)
	full := debian()
	drop := func(suffix string) []string {
		return slices.DeleteFunc(slices.Clone(full), func(n string) bool { return strings.HasSuffix(n, suffix) })
	}
	for name, root := range map[string]string{
		"musl":      fakeHost(t, "bin/busybox", "lib/ld-musl-x86_64.so.1", "usr/bin/env", "usr/lib/libz.so"),
		"dangling":  fakeHost(t, drop("x86_64-linux-gnu/ld-linux-x86-64.so.2")...),
		"no libm":   fakeHost(t, drop("libm.so.6")...),
		"elsewhere": fakeHost(t, append(libc("nix/store/glibc/lib", "ld-linux-x86-64.so.2"), "lib64/ld-linux-x86-64.so.2 -> /nix/store/glibc/lib/ld-linux-x86-64.so.2", "usr/bin/env")...),
	} {
		if _, err := surveyHost(root); fault.KindOf(err) != fault.Unavailable || !strings.Contains(fault.RemedyOf(err), "glibc") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestIdentityFollowsTheHost(t *testing.T) {
	onlyAMD64(t)
	root := fakeHost(t, debian()...)
	id := func() string {
		t.Helper()
		sv, err := surveyHost(root)
		if err != nil {
			t.Fatal(err)
		}
		return assemble("x", part{}, part{info: partInfo{Content: rootKey(sv)}}, nil, sv, nil).ID
	}
	first := id()
	if again := id(); again != first {
		t.Errorf("the same host gives %s and %s", first, again)
	}
	seen := map[string]string{first: "the beginning"}
	for _, change := range []struct {
		name string
		do   func() error
	}{
		{"another C library", func() error {
			return os.WriteFile(filepath.Join(root, "usr/lib/x86_64-linux-gnu/libc.so.6"), []byte("newer"), 0o644)
		}},
		{"another alternative", func() error {
			return os.Symlink("/usr/bin/gcc", filepath.Join(root, "etc/alternatives/cc"))
		}},
		{"another cache", func() error { return os.WriteFile(filepath.Join(root, "etc/ld.so.cache"), []byte("new"), 0o644) }},
		{"another folder", func() error {
			return errors.Join(os.MkdirAll(filepath.Join(root, "usr/share/fonts"), 0o755), os.WriteFile(filepath.Join(root, "usr/share/fonts/a"), nil, 0o644))
		}},
		{"another release", func() error {
			return os.WriteFile(filepath.Join(root, "usr/lib/os-release"), []byte("new"), 0o644)
		}},
	} {
		if err := change.do(); err != nil {
			t.Fatal(err)
		}
		now := id()
		if before, ok := seen[now]; ok {
			t.Errorf("%s changes nothing: the identity is still that of %s", change.name, before)
		}
		seen[now] = change.name
	}
}

func TestThisHostsRootHoldsNothingPrivate(t *testing.T) {
	_, img := sharedStore(t)
	for _, m := range img.Mounts {
		for _, private := range []string{"/etc", "/home", "/root", "/usr/local", "/usr/src", "/var", "/srv", "/mnt", "/media", "/boot"} {
			if m.Target == private || strings.HasPrefix(m.Target, private+"/") || strings.HasPrefix(private, m.Target+"/") {
				t.Errorf("%s is mounted and shows %s", m.Target, private)
			}
		}
	}
	passwd, err := os.ReadFile(filepath.Join(img.Root, "etc/passwd"))
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(string(passwd), "\n"); got != 3 {
		t.Errorf("passwd has %d lines, want root, user and nobody", got)
	}
	entries, err := os.ReadDir(filepath.Join(img.Root, "etc"))
	if err != nil {
		t.Fatal(err)
	}
	allowed := []string{"alternatives", "fonts", "group", "hosts", "ld.so.cache", "localtime", "mtab", "nsswitch.conf", "os-release", "passwd", "resolv.conf", "timezone"}
	for _, e := range entries {
		if !slices.Contains(allowed, e.Name()) {
			t.Errorf("/etc/%s is in the image", e.Name())
		}
	}
}

func onlyAMD64(t *testing.T) {
	t.Helper()
	if runtime.GOARCH != "amd64" {
		t.Skip("the made-up hosts are amd64")
	}
}
