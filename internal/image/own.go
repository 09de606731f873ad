package image

import (
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"praxis/internal/image/oci"
	"praxis/internal/lazyregexp"
)

// maxHeader bounds how much is read of the file that says which Node an image has.
const maxHeader = 64 << 10

var pythonName = lazyregexp.New(`^python3\.([0-9]{1,3})$`)

// findPython returns the interpreter that programs of an image would find, if kernels run
// on it. Which version it is follows from the name of its file, or of the folder of its
// library: nothing of the image runs on the host.
func findPython(u *oci.Unpacker, searched string) *ownPython {
	for _, dir := range filepath.SplitList(searched) {
		for _, name := range []string{"python3", "python"} {
			program := path.Join("/", dir, name)
			at, st, err := u.Find(strings.TrimPrefix(program, "/"))
			if err != nil || !st.Mode().IsRegular() || st.Mode()&0o111 == 0 {
				continue
			}
			minor, ok := pythonMinor(u, at)
			if !ok || minor < minorOldest || !isProgram(u, at) {
				return nil
			}
			own := &ownPython{Program: program, Version: "3." + strconv.Itoa(minor)}
			own.Jupyter = hasClient(u, sitesOf(u, program, at, own.Version))
			return own
		}
	}
	return nil
}

// pythonMinor returns which Python 3 a file is, if its library is beside it.
func pythonMinor(u *oci.Unpacker, at string) (int, bool) {
	libraries := path.Join(path.Dir(path.Dir(at)), "lib")
	names := []string{path.Base(at)}
	if !pythonName.MatchString(names[0]) {
		names = nil
		if dir, st, err := u.Find(libraries); err == nil && st.IsDir() {
			names, _ = u.List(dir) // what cannot be listed has none
		}
	}
	found := -1
	for _, name := range names {
		m := pythonName.FindStringSubmatch(name)
		if m == nil {
			continue
		}
		if _, st, err := u.Find(path.Join(libraries, name, "os.py")); err != nil || !st.Mode().IsRegular() {
			continue
		}
		minor, err := strconv.Atoi(m[1])
		if err != nil || found >= 0 {
			return 0, false // there are several: which is meant is not known
		}
		found = minor
	}
	return found, found >= 0
}

// hasClient says whether an interpreter has the package that drives kernels of Jupyter's.
func hasClient(u *oci.Unpacker, sites []string) bool {
	for _, dir := range sites {
		if _, st, err := u.Find(path.Join(dir, clientModule, "__init__.py")); err == nil && st.Mode().IsRegular() {
			return true
		}
	}
	return false
}

var (
	nodeHeader = lazyregexp.New(`(?m)^#define NODE_MAJOR_VERSION ([0-9]{1,3})$`)
	nodeNumber = lazyregexp.New(`^([0-9]{1,3})\.[0-9.]+$`)
)

// findNode returns the Node that programs of an image would find, if kernels run on it:
// they use what is inside of one version. Which it is stands in its header, or in the
// variable that the images of its makers set.
func findNode(u *oci.Unpacker, env []string) *ownNode {
	for _, dir := range filepath.SplitList(variable(env, "PATH", defaultPath)) {
		program := path.Join("/", dir, "node")
		at, st, err := u.Find(strings.TrimPrefix(program, "/"))
		if err != nil || !st.Mode().IsRegular() || st.Mode()&0o111 == 0 {
			continue
		}
		major := ""
		if m := nodeNumber.FindStringSubmatch(variable(env, "NODE_VERSION", "")); m != nil {
			major = m[1]
		}
		header, st, err := u.Find(path.Join(path.Dir(path.Dir(at)), "include/node/node_version.h"))
		if err == nil && st.Mode().IsRegular() {
			if text, err := u.Head(header, maxHeader); err == nil {
				if m := nodeHeader.FindSubmatch(text); m != nil {
					major = string(m[1])
				}
			}
		}
		if major != nodeRuntime().Version || !isProgram(u, at) {
			return nil
		}
		return &ownNode{Program: program, Version: major}
	}
	return nil
}

// findBash says whether an image has bash where its kernel finds it.
func findBash(u *oci.Unpacker) bool {
	for _, name := range []string{"bin/bash", "usr/bin/bash"} {
		if at, st, err := u.Find(name); err == nil && st.Mode().IsRegular() && st.Mode()&0o111 != 0 && isProgram(u, at) {
			return true
		}
	}
	return false
}

// isProgram says whether a file is one that this processor executes.
func isProgram(u *oci.Unpacker, at string) bool {
	machine, ok := map[string]byte{"amd64": 62, "arm64": 183}[oci.Here().Architecture]
	head, err := u.Head(at, 20)
	return err == nil && ok && len(head) == 20 && string(head[:4]) == "\x7fELF" && head[4] == 2 && head[18] == machine && head[19] == 0
}
