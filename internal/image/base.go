package image

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"praxis/fault"
	"praxis/internal/bounded"
	"praxis/internal/image/oci"
	"praxis/internal/safetext"
)

// baseRecipe is raised whenever what is made of the layers of an image changes.
const baseRecipe = "3"

// Files of a base beside its tree.
const (
	configFile    = "config.json"   // as it came
	ociManifest   = "manifest.json" // as it came
	baseFile      = "base.json"
	launchDir     = "bin"  // laid over the folder of our interpreter, where the image has no C library that it runs with
	lettingDir    = "let"  // has the file that lets the image's own interpreter find what is put beside
	launchNodeDir = "node" // laid over that of Node, likewise
	maxDownloads  = 3
	guestRoot     = "/.praxis-root" // where our root file system is in a guest that has another
	guestProgram  = "/.praxis/praxis-guest"
	maxBaseFile   = 32 << 20
	maxVariables  = 512
	maxVariable   = 128 << 10
	minorOldest   = 11 // the oldest Python 3 that the kernel is tested with
	defaultPath   = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
	certificates  = "/etc/ssl/certs/ca-certificates.crt"
	timeZones     = "/usr/share/zoneinfo"
	imageWorkDir  = "IMAGE_WORKDIR"
	maxEtcFile    = 1 << 20
	sessionUser   = "user:x:1000:1000:user:/home/user:/bin/sh\n"
	sessionGroup  = "user:x:1000:\n"
	rootUserLine  = "root:x:0:0:root:/root:/bin/sh\n"
	rootGroupLine = "root:x:0:\n"
)

// baseInfo is what is known of a base beside what it came with.
type baseInfo struct {
	Layers []baseLayer `json:"layers"`
	// Python is the image's own interpreter, where it has one that kernels run on.
	Python *ownPython `json:"python,omitempty"`
	// Node is the image's own, where it has one that kernels run on, and Bash says that it
	// has that shell.
	Node *ownNode `json:"node,omitempty"`
	Bash bool     `json:"bash,omitempty"`
	// Certificates says that the image has a list of certificates.
	Certificates bool `json:"certificates,omitempty"`
	LeftOut      int  `json:"left_out,omitempty"` // devices, pipes and sockets
}

// baseLayer is a layer of a base.
type baseLayer struct {
	oci.Descriptor
	DiffID   string `json:"diff_id"`
	Unpacked int64  `json:"unpacked"` // bytes of its files
}

type ownPython struct {
	Program string `json:"program"` // absolute, in the image
	Version string `json:"version"`
	Jupyter bool   `json:"jupyter,omitempty"` // it has the package that drives kernels of Jupyter's
}

type ownNode struct {
	Program string `json:"program"` // absolute, in the image
	Version string `json:"version"` // the major one
}

// basePart is the root file system of a container image.
type basePart struct {
	part
	baseInfo
	manifest oci.Manifest
	config   oci.Config
}

// baseKey names the base of an image: the digest of its configuration has those of all
// that its layers hold.
func baseKey(m oci.Manifest) string { return m.Config.Hex()[:40] + "-" + baseRecipe }

// findBase returns the base with a key, if it is there and as it was sealed.
func (s *Store) findBase(ctx context.Context, key string) (basePart, bool) {
	p, ok := s.findPart(ctx, kindBase, key)
	if !ok {
		return basePart{}, false
	}
	return readBase(p)
}

// describeBase is findBase without a look at the files.
func (s *Store) describeBase(key string) (basePart, bool) {
	p, ok := s.describePart(kindBase, key)
	if !ok {
		return basePart{}, false
	}
	return readBase(p)
}

// readBase reads what stands beside the tree of a base.
func readBase(p part) (basePart, bool) {
	b := basePart{part: p}
	info, errInfo := bounded.ReadFile(filepath.Join(p.dir, baseFile), maxBaseFile)
	raw, errRaw := bounded.ReadFile(filepath.Join(p.dir, ociManifest), maxBaseFile)
	config, errConfig := bounded.ReadFile(filepath.Join(p.dir, configFile), maxBaseFile)
	if errors.Join(errInfo, errRaw, errConfig) != nil || json.Unmarshal(info, &b.baseInfo) != nil {
		return basePart{}, false
	}
	var err error
	if b.manifest, err = oci.ReadManifest(raw); err == nil {
		b.config, err = oci.ParseConfig(config, b.manifest)
	}
	return b, err == nil
}

// makeBase returns the base of an image, and gets and unpacks what is missing of it.
func (s *Store) makeBase(ctx context.Context, src oci.Source, m oci.Manifest, say progress) (basePart, error) {
	if b, ok := s.findBase(ctx, baseKey(m)); ok {
		return b, nil
	}
	raw, config, err := oci.ReadConfig(ctx, src, m)
	if err != nil {
		return basePart{}, err
	}
	if got := config.Platform(); got != oci.Here() {
		return basePart{}, oci.WrongPlatform(safetext.Line(safetext.Clip(got.String(), 60)), oci.Here())
	}
	fill := func(ctx context.Context, dir string) (sums, error) {
		return s.fillBase(ctx, dir, src, m, raw, config, say)
	}
	p, err := s.makePartOf(ctx, kindBase, baseKey(m), say, fill)
	if fault.KindOf(err) == fault.Conflict || fault.KindOf(err) == fault.Invalid {
		// A layer that was kept may have been damaged since: then it is fetched once more.
		if again, dropErr := s.dropDamaged(m.Layers); dropErr == nil && again {
			p, err = s.makePartOf(ctx, kindBase, baseKey(m), say, fill)
		}
	}
	if err != nil {
		return basePart{}, err
	}
	b, ok := readBase(p)
	if !ok {
		return basePart{}, errors.New("cannot read the base that was just made")
	}
	return b, nil
}

// fillBase gets the layers and unpacks them, each as soon as it is there.
func (s *Store) fillBase(ctx context.Context, dir string, src oci.Source, m oci.Manifest, raw []byte, config oci.Config, say progress) (sums, error) {
	var missing int64
	for _, l := range m.Layers {
		if !s.hasBlob(l) {
			missing += l.Size
		}
	}
	if err := s.needSpace(missing); err != nil {
		return nil, err
	}
	tree := filepath.Join(dir, treeDir)
	if err := os.Mkdir(tree, 0o755); err != nil {
		return nil, err
	}
	u, err := oci.NewUnpacker(tree, oci.Bounds{})
	if err != nil {
		return nil, err
	}
	defer u.Close()
	began := time.Now()
	info := baseInfo{}
	group, working := errgroup.WithContext(ctx)
	there := make([]chan struct{}, len(m.Layers))
	for i := range there {
		there[i] = make(chan struct{})
	}
	slots := make(chan struct{}, maxDownloads)
	for i, l := range m.Layers {
		group.Go(func() error {
			select {
			case slots <- struct{}{}:
			case <-working.Done():
				return context.Cause(working)
			}
			defer func() { <-slots }()
			defer close(there[i])
			if !s.hasBlob(l) {
				say(fmt.Sprintf("getting layer %d of %d (%s)", i+1, len(m.Layers), safetext.Size(l.Size)))
			}
			return s.takeBlob(working, src, l, say)
		})
	}
	group.Go(func() error {
		for i, l := range m.Layers {
			select {
			case <-there[i]:
			case <-working.Done():
				return context.Cause(working)
			}
			if !s.hasBlob(l) {
				return nil // its own task says why
			}
			before := u.Bytes()
			if err := s.unpackLayer(working, u, l, config.Layers[i]); err != nil {
				return err
			}
			info.Layers = append(info.Layers, baseLayer{l, config.Layers[i], u.Bytes() - before})
		}
		return nil
	})
	if err := group.Wait(); err != nil {
		return nil, err
	}
	if err := completeBase(u, dir, config, &info); err != nil {
		return nil, fmt.Errorf("cannot complete the root file system: %w", err)
	}
	if err := writeBase(dir, m.Raw, raw, info); err != nil {
		return nil, err
	}
	say(fmt.Sprintf("unpacked %s in %.1f s", safetext.Size(u.Bytes()), time.Since(began).Seconds()))
	if info.LeftOut > 0 {
		say(fmt.Sprintf("left out %s that sessions do not have", safetext.Count(info.LeftOut, "device")))
	}
	return u.Sums(), s.share(ctx, kindBase, dir, s.relativeBases(baseKey(m), config), u.Sums())
}

func writeBase(dir string, manifest, config []byte, info baseInfo) error {
	described, err := json.MarshalIndent(info, "", "  ")
	if err != nil {
		return fmt.Errorf("cannot describe the base: %w", err)
	}
	for name, data := range map[string][]byte{ociManifest: manifest, configFile: config, baseFile: append(described, '\n')} {
		file := filepath.Join(dir, name)
		if err := errors.Join(os.WriteFile(file, data, 0o644), os.Chmod(file, 0o644)); err != nil {
			return fmt.Errorf("cannot describe the base: %w", err)
		}
	}
	return nil
}

// relativeBases returns the bases that have a layer in common with an image.
func (s *Store) relativeBases(key string, config oci.Config) (out []part) {
	entries, err := os.ReadDir(filepath.Join(s.dir, kindBase))
	if err != nil {
		return nil
	}
	for _, e := range entries {
		b, ok := s.describeBase(e.Name())
		if ok && e.Name() != key && slices.ContainsFunc(b.config.Layers, func(l string) bool { return slices.Contains(config.Layers, l) }) {
			out = append(out, b.part)
		}
	}
	return out
}

// neededBlobs adds the digests of the blobs that a base came with.
func (s *Store) neededBlobs(key string, needed map[string]bool) {
	raw, err := bounded.ReadFile(filepath.Join(s.dir, kindBase, key, ociManifest), maxBaseFile)
	if err != nil {
		return // it is of no use to anybody
	}
	m, err := oci.ReadManifest(raw)
	if err != nil {
		return
	}
	for _, l := range m.Layers {
		needed[l.Hex()] = true
	}
}

// baseDirs are the folders that sessions need of a root file system, as real folders:
// the sandbox mounts on some, and the others are the guest's agent's.
var baseDirs = []struct {
	path string
	mode fs.FileMode
}{
	{"proc", 0o755}, {"dev", 0o755}, {"sys", 0o755}, {"sys/fs", 0o755}, {"sys/fs/cgroup", 0o755},
	{"tmp", 0o777 | fs.ModeSticky}, {"tmp/.disk", 0o755}, {"work", 0o777}, {"home", 0o755}, {"home/user", 0o777},
	{"opt", 0o755}, {"opt/python", 0o755}, {"opt/packages", 0o755}, {"opt/node", 0o755}, {"node_modules", 0o755}, {".praxis", 0o755}, {".praxis-root", 0o755},
}

// completeBase adds what sessions need, and finds what the image has.
func completeBase(u *oci.Unpacker, dir string, config oci.Config, info *baseInfo) error {
	var keep []string
	for _, d := range baseDirs {
		keep = append(keep, d.path)
	}
	for _, d := range baseDirs {
		// A folder of the image's own that we need keeps what it holds, but for its mode.
		if err := u.Folder(d.path, d.mode, keep); err != nil {
			return err
		}
	}
	if st, err := os.Lstat(filepath.Join(dir, treeDir)); err != nil || !st.IsDir() {
		return errors.Join(errors.New("it has no root"), err)
	}
	if err := os.Chmod(filepath.Join(dir, treeDir), 0o755); err != nil {
		return err
	}
	if err := completeEtc(u); err != nil {
		return err
	}
	info.LeftOut = u.LeftOut()
	if _, st, err := u.Find(strings.TrimPrefix(certificates, "/")); err == nil && st.Mode().IsRegular() {
		info.Certificates = true
	}
	info.Python = findPython(u, variable(config.Env, "PATH", defaultPath))
	info.Node, info.Bash = findNode(u, config.Env), findBash(u)
	if own := info.Python; own != nil {
		at, _, err := u.Find(strings.TrimPrefix(own.Program, "/"))
		if err == nil {
			err = letIn(u, own.Program, at, own.Version)
		}
		let := filepath.Join(dir, lettingDir)
		err = errors.Join(err, os.Mkdir(let, 0o755), os.WriteFile(filepath.Join(let, packagesFile), []byte(packagesPth), 0o644), os.Chmod(let, 0o755), os.Chmod(filepath.Join(let, packagesFile), 0o644))
		if err != nil {
			return err
		}
	}
	return launchers(dir)
}

// completeEtc gives the ordinary user a name, and the machine one.
func completeEtc(u *oci.Unpacker) error {
	for _, f := range []struct{ name, root, line string }{
		{"etc/passwd", rootUserLine, sessionUser}, {"etc/group", rootGroupLine, sessionGroup},
	} {
		text, err := etcFile(u, f.name)
		if err != nil {
			return err
		}
		if text == "" {
			text = f.root
		}
		if !hasNumber(text, "1000") {
			if err := u.Put(f.name, []byte(strings.TrimRight(text, "\n")+"\n"+f.line)); err != nil {
				return err
			}
		}
	}
	for _, f := range etcFiles {
		if f.name != "hosts" && f.name != "resolv.conf" && f.name != "nsswitch.conf" {
			continue
		}
		text, err := etcFile(u, "etc/"+f.name)
		if err == nil && text == "" {
			err = u.Put("etc/"+f.name, []byte(f.text))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// etcFile reads a small file; "": it is missing, or is none.
func etcFile(u *oci.Unpacker, name string) (string, error) {
	at, st, err := u.Find(name)
	if err != nil || !st.Mode().IsRegular() || st.Size() > maxEtcFile {
		return "", nil // a file of ours takes its place
	}
	data, err := u.Read(at, maxEtcFile)
	return string(data), err
}

// hasNumber says whether a line of passwd or group has this number.
func hasNumber(text, number string) bool {
	for line := range strings.Lines(text) {
		if fields := strings.Split(strings.TrimSpace(line), ":"); len(fields) > 2 && fields[2] == number {
			return true
		}
	}
	return false
}

// variable returns the last value of a variable.
func variable(env []string, name, other string) string {
	for _, kv := range slices.Backward(env) {
		if value, ok := strings.CutPrefix(kv, name+"="); ok {
			return value
		}
	}
	return other
}
