package image

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"praxis/fault"
	"praxis/internal/image/oci"
	"praxis/internal/lazyregexp"
)

// target is the interpreter that packages are for. Pip runs in ours on the host, also when
// it chooses for an interpreter of an image, of which nothing runs there: it has options for what
// that one is like.
type target struct {
	key     string    // names it in locks: all that the choice of wheels and their layout depend on
	version string    // such as "3.12"
	program string    // in the guest
	options []string  // that tell pip which wheels it takes; nil: it is the one that pip runs in
	markers []byte    // what markers of requirements find, as JSON; nil: as where pip runs
	there   []Package // that it has already
	lets    []string  // folders in which a file lets it find what is put beside
	session bool      // they are those of a session, and not of its image alone
}

// ourTarget is our own interpreter.
func ourTarget(py interpreter) target {
	return target{key: py.python.info.Key, version: pythonVersion, program: guestPython + "/bin/python3"}
}

// Bounds of what is read of an image to know its interpreter.
const (
	maxLibrary = 32 << 20 // bytes
	maxPresent = 5000     // packages that it has
	maxLoader  = 256      // bytes of the path of a program's loader
	maxProgram = 1 << 40  // where something of it may lie in its file
)

var (
	loaderName   = lazyregexp.New(`^/.*/ld-(musl|linux)[^/]*$`)
	glibcVersion = lazyregexp.New(`GNU C Library [^\n]{0,200} release version 2\.([0-9]{1,2})`)
	muslVersion  = lazyregexp.New(`\x001\.([0-9]{1,2})\.[0-9]{1,2}\x00`)
	fullVersion  = lazyregexp.New(`(?m)^#define PY_VERSION\s+"(3\.[0-9]{1,3}\.[0-9]{1,3})"`)
	presentName  = lazyregexp.New(`^([A-Za-z0-9](?:[A-Za-z0-9._]*[A-Za-z0-9])?)-([0-9][A-Za-z0-9.!+_]*)(?:-py3(?:\.[0-9]+)?)?\.(?:dist|egg)-info$`)
	// indexVersion is a version as an index has it (PEP 440, in its normal form).
	indexVersion = lazyregexp.New(`^(?:[0-9]+!)?[0-9]+(?:\.[0-9]+)*(?:(?:a|b|rc)[0-9]+)?(?:\.post[0-9]+)?(?:\.dev[0-9]+)?(?:\+[a-z0-9]+(?:[._][a-z0-9]+)*)?$`)
)

// libc is the C library that a program of an image runs with.
type libc struct {
	name  string // "glibc", "musl"; "": none that is known
	minor int    // of its version 2.x, or 1.x
}

// libraryOf finds the C library of a program by the loader that its file names.
func libraryOf(u *oci.Unpacker, at string) libc {
	m := loaderName.FindStringSubmatch(loaderOf(func(offset int64, n int) ([]byte, error) { return u.Piece(at, offset, n) }))
	if m == nil {
		return libc{}
	}
	loader, _, err := u.Find(strings.TrimLeft(m[0], "/"))
	if err != nil {
		return libc{}
	}
	name, file, version := "musl", loader, muslVersion // whose loader is the library
	if m[1] == "linux" {
		name, file, version = "glibc", path.Join(path.Dir(loader), "libc.so.6"), glibcVersion
	}
	at, st, err := u.Find(file)
	if err != nil || !st.Mode().IsRegular() {
		return libc{}
	}
	data, err := u.Read(at, maxLibrary)
	if err != nil {
		return libc{}
	}
	said := version.FindSubmatch(data)
	if said == nil {
		return libc{}
	}
	minor, _ := strconv.Atoi(string(said[1])) // two digits
	return libc{name, minor}
}

// loaderOf returns the path of the loader that a program's file names (ELF of 64 bits, the
// lower byte first); "": it names none, or is damaged. read reads a piece of the file.
func loaderOf(read func(offset int64, n int) ([]byte, error)) string {
	const header, segment, named = 64, 56, 3
	h, err := read(0, header)
	if err != nil || len(h) < header || string(h[:4]) != "\x7fELF" || h[4] != 2 || h[5] != 1 {
		return ""
	}
	number := binary.LittleEndian
	at, count := number.Uint64(h[32:]), int(number.Uint16(h[56:]))
	if at > maxProgram || number.Uint16(h[54:]) != segment || count > 256 {
		return ""
	}
	segments, err := read(int64(at), count*segment)
	if err != nil {
		return ""
	}
	for ; len(segments) >= segment; segments = segments[segment:] {
		at, size := number.Uint64(segments[8:]), number.Uint64(segments[32:])
		if number.Uint32(segments) != named || at > maxProgram || size > maxLoader {
			continue
		}
		name, err := read(int64(at), int(size))
		if err != nil {
			return ""
		}
		return strings.TrimRight(string(name), "\x00")
	}
	return ""
}

// platforms are the tags of wheels that run with a C library, the best first.
func (l libc) platforms() (out []string) {
	arch := map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[oci.Here().Architecture]
	switch l.name {
	case "glibc":
		old := map[int]string{17: "manylinux2014", 12: "manylinux2010", 5: "manylinux1"}
		for minor := l.minor; minor >= 5; minor-- {
			out = append(out, fmt.Sprintf("manylinux_2_%d_%s", minor, arch))
			if name, ok := old[minor]; ok {
				out = append(out, name+"_"+arch)
			}
		}
	case "musl":
		for minor := l.minor; minor >= 1; minor-- {
			out = append(out, fmt.Sprintf("musllinux_1_%d_%s", minor, arch))
		}
	}
	return append(out, "linux_"+arch)
}

// target describes the image's own interpreter, by its files.
func (b basePart) target() (target, error) {
	// Sessions of a base that an earlier version made would not find what is put beside.
	if !strings.HasSuffix(b.info.Key, "-"+baseRecipe) {
		return target{}, fault.Coded(fault.ImageStale, fault.Data{"image": b.manifest.Digest}, "cannot put packages beside image %s: Praxis changed since it was made", b.manifest.Digest)
	}
	u, err := oci.NewUnpacker(b.tree(), oci.Bounds{})
	if err != nil {
		return target{}, err
	}
	defer u.Close()
	own := b.Python
	at, _, err := u.Find(strings.TrimPrefix(own.Program, "/"))
	if err != nil {
		return target{}, fmt.Errorf("cannot find the image's Python: %w", err)
	}
	library := libraryOf(u, at)
	full := wholeVersion(u, at, own.Version, b.config.Env)
	plain := strings.ReplaceAll(own.Version, ".", "")
	t := target{
		key:     fmt.Sprintf("cpython-%s-%s-%d-%s-%q", full, library.name, library.minor, oci.Here().Architecture, own.Program),
		version: own.Version, program: own.Program,
		options: []string{"--python-version", full, "--implementation", "cp", "--abi", "cp" + plain},
	}
	for _, p := range library.platforms() {
		t.options = append(t.options, "--platform", p)
	}
	t.markers, err = json.Marshal(map[string]string{
		"python_version": own.Version, "python_full_version": full, "implementation_version": full,
		// What the kernel below says is the host's matter where pip runs, and no image's.
		"platform_release": "", "platform_version": "",
	})
	sites := sitesOf(u, own.Program, at, own.Version)
	for _, dir := range sites {
		t.there = presentIn(u, dir, t.there)
	}
	t.lets = letting(u, sites, at)
	return t, err
}

// wholeVersion returns an interpreter's version with its third number: that of its header,
// or of the variable that the images of its makers set. Where neither says it, it is the
// first, for which every package is that is for all of the version.
func wholeVersion(u *oci.Unpacker, at, version string, env []string) string {
	header := path.Join(path.Dir(path.Dir(at)), "include", "python"+version, "patchlevel.h")
	if at, st, err := u.Find(header); err == nil && st.Mode().IsRegular() {
		if text, err := u.Head(at, maxHeader); err == nil {
			if m := fullVersion.FindSubmatch(text); m != nil && strings.HasPrefix(string(m[1]), version+".") {
				return string(m[1])
			}
		}
	}
	if v := variable(env, "PYTHON_VERSION", ""); strings.HasPrefix(v, version+".") && indexVersion.MatchString(v) && len(v) < 20 {
		return v
	}
	return version + ".0"
}

// sitesOf are the folders in which an interpreter looks for packages: that of its virtual
// environment alone, or that of its makers and those of Debian.
func sitesOf(u *oci.Unpacker, program, at, version string) []string {
	name := "python" + version
	environment := strings.TrimPrefix(path.Dir(path.Dir(program)), "/")
	if _, st, err := u.Find(path.Join(environment, "pyvenv.cfg")); err == nil && st.Mode().IsRegular() {
		return []string{path.Join(environment, "lib", name, "site-packages")}
	}
	libraries := path.Join(path.Dir(path.Dir(at)), "lib")
	return []string{
		path.Join(libraries, name, "site-packages"), path.Join(libraries, name, "dist-packages"), path.Join(libraries, "python3", "dist-packages"),
		path.Join("usr/local/lib", name, "dist-packages"), // where Debian's interpreter looks, too
	}
}

// presentIn adds the packages that a folder has, by the names of the folders that describe
// them. What no index could have is left out.
func presentIn(u *oci.Unpacker, dir string, known []Package) []Package {
	at, st, err := u.Find(dir)
	if err != nil || !st.IsDir() {
		return known
	}
	names, err := u.List(at)
	if err != nil {
		return known
	}
	for _, name := range names {
		m := presentName.FindStringSubmatch(name)
		if m == nil || !indexVersion.MatchString(m[2]) || len(name) > maxNameLen || len(known) == maxPresent {
			continue
		}
		p := Package{Name: normalName(m[1]), Version: m[2]}
		if !slices.ContainsFunc(known, func(k Package) bool { return k.Name == p.Name }) {
			known = append(known, p)
		}
	}
	return known
}

// letting are the folders of those that an interpreter looks in where a file lets it find
// what is put beside: the first, and where that was missing Debian's, which does not use it.
func letting(u *oci.Unpacker, sites []string, at string) []string {
	names, err := u.List(sites[0])
	made := err != nil || len(names) == 1 && names[0] == packagesFile
	if made && len(sites) > 1 && path.Dir(path.Dir(at)) == "usr" {
		return []string{sites[0], sites[len(sites)-1]}
	}
	return sites[:1]
}

// letIn lets an interpreter of an image find what is put beside it, as ours does.
func letIn(u *oci.Unpacker, program, at, version string) error {
	for _, dir := range letting(u, sitesOf(u, program, at, version), at) {
		if err := u.Put(path.Join(dir, packagesFile), []byte(packagesPth)); err != nil {
			return err
		}
	}
	return nil
}

// launchers are links to the guest's agent, which starts programs of ours for which an
// image has no C library (agent/load.go): a folder of them is laid over that of a program.
func launchers(dir string) error {
	for folder, names := range map[string][]string{launchDir: {"python", "python3", "python" + pythonVersion}, launchNodeDir: {"node"}} {
		folder = filepath.Join(dir, folder)
		if err := errors.Join(os.Mkdir(folder, 0o755), os.Chmod(folder, 0o755)); err != nil {
			return err
		}
		for _, name := range names {
			if err := os.Symlink(guestProgram, filepath.Join(folder, name)); err != nil {
				return err
			}
		}
	}
	return nil
}
