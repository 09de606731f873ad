package battery

import (
	"archive/tar"
	"errors"
	"testing"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/image"
	"praxis/internal/session"
	"praxis/internal/test/container"
	"praxis/internal/test/debian"
	"praxis/internal/test/prepared"
)

// olderPython is a Debian with a Python of another version than ours.
func olderPython(t *testing.T) container.Image {
	t.Helper()
	entries := debian.Entries(t, "testdata/python.json", debian.NotNeeded)
	entries = append(entries, container.Entry{Name: "usr/bin/python3", Kind: tar.TypeSymlink, Link: "python3.11"})
	return container.Image{Plain: true, Layers: [][]byte{container.Folder(t, "", defaultImage.Root), container.Layer(t, entries...)}, Config: map[string]any{"Env": []string{"PATH=/usr/bin"}}}
}

// with returns an image with what is asked for beside it.
func with(t *testing.T, req image.Request) image.Image {
	t.Helper()
	img, err := imageStore.Resolve(t.Context(), req, event.Discard)
	if fault.KindOf(err) == fault.Unavailable {
		t.Skip("the package index cannot be reached")
	}
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// shows runs code of a language whose value, or output where it has none, is known.
func shows(t *testing.T, s *session.Session, language, code, value string) {
	t.Helper()
	got, err := s.Execute(t.Context(), code, session.Exec{Language: language}, event.Discard)
	shown := got.Result["text"]
	if shown == "" {
		shown = got.Stdout
	}
	if err != nil || got.Status != event.OK || shown != value {
		t.Errorf("%q: got %+v, %v, want %s", code, got, err, value)
	}
}

// TestPackagesBesideOwnPython imports packages, one of them compiled, in an image's own
// Python, which programs of its see, too. A session is given more.
func TestPackagesBesideOwnPython(t *testing.T) {
	imported(t, "older:1", olderPython(t))
	img := with(t, image.Request{Image: "older:1", With: []string{"numpy", "pyjokes"}})
	s, err := manager(t).Create(t.Context(), session.Options{Image: img}, event.Discard)
	if err != nil {
		t.Fatal(err)
	}
	shows(t, s, "", "import sys; sys.version_info[:2], sys.executable, 'numpy' in sys.modules", "((3, 11), '/usr/bin/python3', True)")
	shows(t, s, "", "import numpy, subprocess; int(numpy.arange(10).sum()), numpy.__file__.startswith('/opt/packages/')", "(45, True)")
	shows(t, s, "", "subprocess.run(['python3', '-c', 'import numpy; print(numpy.ones(2).sum())'], capture_output=True, text=True).stdout", `'2.0\n'`)
	shows(t, s, "", "open('/opt/packages/bin/pyjokes').readline()", `'#!/usr/bin/python3\n'`)
	shows(t, s, "bash", "type -p pyjokes", "/opt/packages/bin/pyjokes\n")
	shows(t, s, "", "import importlib.util; importlib.util.find_spec('six') is None", "True")
	a, err := imageStore.Add(t.Context(), img, nil, image.Request{With: []string{"six"}}, event.Discard)
	if err == nil {
		err = errors.Join(s.AddPackages(t.Context(), a, nil), a.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	shows(t, s, "", "import six; six.__file__", "'/home/user/.packages/six.py'")
}

// TestNodeBesideContainer runs JavaScript, with packages of npm, on images that have no
// Node: one with a single static program, one whose C library is musl, and one with a Python
// of its own.
func TestNodeBesideContainer(t *testing.T) {
	node, _, err := prepared.JavaScript(t.TempDir())
	if fault.KindOf(err) == fault.Unavailable {
		t.Skip("the package index cannot be reached")
	}
	if err = errors.Join(err, node.Close()); err != nil {
		t.Fatal(err)
	}
	bare := container.Image{Layers: [][]byte{container.Layer(t, container.Entry{Name: "bin/hello", Text: staticProgram(t)})}, Config: map[string]any{"Env": []string{"PATH=/bin"}}}
	for name, c := range map[string]container.Image{
		"bare": bare, "own": {Layers: [][]byte{container.Folder(t, "", defaultImage.Root), container.Folder(t, "usr/local", defaultImage.Mounts[0].Source)},
			Config: map[string]any{"Env": []string{"PATH=/usr/local/bin:/usr/bin"}}},
		"musl": {Layers: [][]byte{container.Layer(t, debian.Entries(t, "testdata/musl.json", debian.NotNeeded)...)}},
	} {
		t.Run(name, func(t *testing.T) {
			imported(t, name+"-node:1", c)
			img := with(t, image.Request{Image: name + "-node:1", Languages: []string{"javascript"}, NPM: []string{"is-odd@3.0.1"}})
			if img.Name != name+"-node:1+first:javascript+npm:is-odd@3.0.1" || img.Runtimes[0].Language != "javascript" {
				t.Errorf("got %s and %+v", img.Name, img.Runtimes)
			}
			s, err := manager(t).Create(t.Context(), session.Options{Image: img}, event.Discard)
			if err != nil {
				t.Fatal(err)
			}
			shows(t, s, "", "const odd = require('is-odd'); [odd(3), (await import('is-odd')).default(4)]", "[ true, false ]")
			shows(t, s, "", "[process.versions.node.split('.')[0], process.execPath]", "[ '24', '/opt/node/bin/node' ]")
			shows(t, s, "", "require('child_process').execFileSync('node', ['-p', '6 * 7']).toString()", `'42\n'`)
			shows(t, s, "", "const w = require('child_process').execFileSync(process.execPath, ['-p', '1 + 1']).toString(); w", `'2\n'`)
			shows(t, s, "", "new TextDecoder().decode(new Uint8Array([0x61])) + require('crypto').createHash('sha256').update('x').digest('hex').slice(0, 4)", "'a2d71'")
			shows(t, s, "python", "6 * 7", "42")
		})
	}
}
