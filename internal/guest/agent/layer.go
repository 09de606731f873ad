package agent

import (
	"archive/tar"
	"bytes"
	"cmp"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"praxis/internal/guest/wire"
)

// Bounds of the root file system of a session that makes an image.
const (
	maxNoted      = 1 << 19  // entries
	maxNotedNames = 96 << 20 // bytes of their paths
)

// layerTime is when everything in a layer was changed last: 1980-01-01, the first day that
// every archive can say. Two builds of the same are the same then.
const layerTime = 315532800

// layers knows how the root file system was when it was looked at last.
type layers struct {
	mu    sync.Mutex
	noted map[string]stamp // by path; nil: it was never looked at
}

// stamp is what changes when a file does. Folders have no times and no size here: what is
// in them has its own.
type stamp struct {
	mode, uid, gid           uint32
	size, written, attribute int64 // written and attribute are times of the last change
}

// layer writes what changed since the last call.
func (s *server) layer(req *request, args wire.Layer) (none, error) {
	cfg, err := s.config()
	if err != nil {
		return none{}, err
	}
	if !cfg.Build || !cfg.privileged() {
		return none{}, failf("denied", "", "cannot make a layer: the session does not make an image")
	}
	s.layers.mu.Lock()
	defer s.layers.mu.Unlock()
	if !args.Note {
		s.endOthers()
	}
	now, err := lookAtRoot(cfg)
	if err != nil {
		return none{}, err
	}
	before := s.layers.noted
	s.layers.noted = now
	if !args.Note {
		if before == nil {
			return none{}, failf("conflict", "Take note of how things are first.", "cannot make a layer: nothing is known of before")
		}
		out := tar.NewWriter(req)
		if err := writeLayer(out, cfg, before, now); err != nil {
			return none{}, err
		}
		if err := out.Close(); err != nil {
			return none{}, err
		}
	}
	req.link.send(req.epoch, wire.End, req.id)
	return none{}, nil
}

// endOthers ends every program but the agent and the kernels: what a step left running
// would go on to change files, and is not in the image.
func (s *server) endOthers() {
	s.mu.Lock()
	kernels := s.allKernels()
	s.mu.Unlock()
	for range 20 {
		all := processes()
		keep := map[int]bool{os.Getpid(): true}
		for _, k := range kernels {
			for _, p := range tree(all, k.info().PID) {
				keep[p.pid] = true
			}
		}
		left := 0
		for _, p := range all {
			if !keep[p.pid] && !p.zombie {
				left++
				_ = syscall.Kill(p.pid, syscall.SIGKILL)
			}
		}
		if left == 0 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// lookAtRoot takes note of everything in the root file system that an image keeps.
func lookAtRoot(cfg config) (map[string]stamp, error) {
	skip, err := mountPoints()
	if err != nil {
		return nil, err
	}
	// What is the session's alone: temporary files, and what the agent has for itself.
	for _, dir := range []string{cfg.folder, cfg.Temp, "/.praxis", "/.praxis-root"} {
		skip[dir] = true
	}
	out, names := map[string]stamp{}, 0
	err = filepath.WalkDir("/", func(file string, d fs.DirEntry, err error) error {
		if skip[file] {
			return fs.SkipDir
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return at(err, file)
		}
		info, err := d.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return at(err, file)
		}
		if names += len(file); len(out) >= maxNoted || names > maxNotedNames {
			return failf("exhausted", "Make the image of fewer files.", "cannot make a layer: the root file system has more than %d entries", maxNoted)
		}
		if st, ok := stampOf(info); ok {
			out[file] = st
		}
		return nil
	})
	return out, err
}

// stampOf is the stamp of a file, a folder or a link: an image has nothing else.
func stampOf(info fs.FileInfo) (stamp, bool) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return stamp{}, false
	}
	out := stamp{mode: st.Mode, uid: st.Uid, gid: st.Gid}
	switch info.Mode().Type() {
	case fs.ModeDir:
		return out, true
	case 0, fs.ModeSymlink:
		out.size, out.written, out.attribute = st.Size, st.Mtim.Nano(), st.Ctim.Nano()
		return out, true
	}
	return stamp{}, false
}

// mountPoints are the folders that belong to other file systems.
func mountPoints() (map[string]bool, error) {
	text, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return nil, err
	}
	out := map[string]bool{}
	for line := range bytes.Lines(text) {
		if f := strings.Fields(string(line)); len(f) > 4 && f[4] != "/" {
			out[unescape(f[4])] = true
		}
	}
	return out, nil
}

// unescape reads a path as mountinfo writes it: blanks are octal numbers.
func unescape(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+3 < len(s) {
			if n, err := strconv.ParseUint(s[i+1:i+4], 8, 8); err == nil {
				b.WriteByte(byte(n))
				i += 3
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// writeLayer writes what is new or another, and says what is gone, in the order of paths.
func writeLayer(out *tar.Writer, cfg config, before, now map[string]stamp) error {
	var paths []string
	for p, st := range now {
		if old, ok := before[p]; p != "/" && (!ok || old != st) {
			paths = append(paths, p)
		}
	}
	for p := range before {
		_, there := now[p]
		_, above := now[path.Dir(p)]
		if !there && above { // what was in a folder goes with it
			paths = append(paths, p)
		}
	}
	slices.SortFunc(paths, func(a, b string) int { return cmp.Compare(a, b) })
	first := map[uint64]string{} // the first name in the layer of a file with several
	for _, p := range paths {
		st, there := now[p]
		h := &tar.Header{Name: strings.TrimPrefix(p, "/"), ModTime: time.Unix(layerTime, 0), Format: tar.FormatPAX}
		if !there {
			h.Typeflag, h.Name = tar.TypeReg, strings.TrimPrefix(path.Join(path.Dir(p), ".wh."+path.Base(p)), "/")
			if err := out.WriteHeader(h); err != nil {
				return err
			}
			continue
		}
		if strings.HasPrefix(path.Base(p), ".wh.") {
			continue // it would say that something is gone
		}
		h.Mode, h.Uid, h.Gid = int64(st.mode&0o7777), int(st.uid), int(st.gid)
		for _, root := range append(slices.Clone(cfg.Roots), cfg.Home) {
			if p == root || strings.HasPrefix(p, root+"/") { // it is the session's user's in every session
				h.Uid, h.Gid = userID, groupID
			}
		}
		if err := writeChanged(out, p, st, h, first); err != nil {
			return err
		}
	}
	return nil
}

// writeChanged writes an entry of something that is there.
func writeChanged(out *tar.Writer, p string, st stamp, h *tar.Header, first map[uint64]string) error {
	switch st.mode & syscall.S_IFMT {
	case syscall.S_IFDIR:
		h.Typeflag, h.Name = tar.TypeDir, h.Name+"/"
		return out.WriteHeader(h)
	case syscall.S_IFLNK:
		target, err := os.Readlink(p)
		if err != nil {
			return at(err, p)
		}
		h.Typeflag, h.Linkname = tar.TypeSymlink, target
		return out.WriteHeader(h)
	}
	f, err := os.OpenFile(p, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return at(err, p)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return failf("conflict", "Build it again.", "cannot make a layer: %s changed meanwhile", p)
	}
	if own, ok := info.Sys().(*syscall.Stat_t); ok && own.Nlink > 1 {
		if other, ok := first[own.Ino]; ok {
			h.Typeflag, h.Linkname = tar.TypeLink, other
			return out.WriteHeader(h)
		}
		first[own.Ino] = h.Name
	}
	h.Typeflag, h.Size = tar.TypeReg, st.size
	if err := out.WriteHeader(h); err != nil {
		return err
	}
	// Exactly as much as was announced, also when the file changes meanwhile.
	_, err = io.CopyBuffer(struct{ io.Writer }{out}, io.LimitReader(io.MultiReader(f, zeros{}), st.size), make([]byte, wire.Chunk))
	return err
}
