// Package kernelspec finds the kernels of Jupyter's that the files of an image bring: the
// folders with a kernel.json that Jupyter itself looks for. Whoever made the image wrote
// them, so that everything in them is bounded and checked, and no link leads out of the
// image's folder.
package kernelspec

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"praxis/internal/language"
	"praxis/internal/safetext"
)

// Bounds of what is read.
const (
	maxFile    = 64 << 10 // bytes of a kernel.json
	maxKernels = 8        // of an image
	maxEntries = 256      // looked at in a folder
	maxArgs    = 64
	maxText    = 4 << 10 // bytes of an argument, a variable
	maxDisplay = 80
)

// Folders are where kernels lie in the files of an image, as Jupyter looks for them.
func Folders() []string {
	return []string{
		"usr/local/share/jupyter/kernels", "usr/share/jupyter/kernels", "opt/packages/share/jupyter/kernels",
		"opt/conda/share/jupyter/kernels", "opt/python/share/jupyter/kernels", "root/.local/share/jupyter/kernels",
	}
}

// Find returns the kernels below folders of root, a folder of this machine, as runtimes.
// guest is where root lies in the guest, program what starts the kernel's own program there
// (an interpreter of Python), and taken are the names of languages that are not to be given
// away again. What cannot be a kernel is left out.
func Find(root *os.Root, folders []string, guest, program string, taken []string) []language.Runtime {
	var out []language.Runtime
	for _, folder := range folders {
		for _, name := range list(root, folder) {
			if len(out) == maxKernels {
				return out
			}
			data, err := read(root, path.Join(folder, name, "kernel.json"))
			if err != nil {
				continue
			}
			r, err := Parse(name, data)
			if err != nil || slices.ContainsFunc(out, func(o language.Runtime) bool { return o.Spec.Name == name }) {
				continue // as in Jupyter the first of a name counts
			}
			for _, n := range []string{r.Language, "jupyter" + plain(name)} {
				if r.Language = n; !slices.Contains(taken, n) {
					break
				}
			}
			if !language.ValidName(r.Language) || slices.Contains(taken, r.Language) {
				continue
			}
			taken = append(slices.Clone(taken), r.Language)
			r.Program, r.Spec.Directory = program, path.Join(guest, folder, name)
			out = append(out, r)
		}
	}
	return out
}

// list returns the names in a folder in order.
func list(root *os.Root, folder string) []string {
	f, err := root.Open(folder)
	if err != nil {
		return nil
	}
	defer f.Close()
	names, err := f.Readdirnames(maxEntries)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil
	}
	slices.Sort(names)
	return names
}

func read(root *os.Root, name string) ([]byte, error) {
	info, err := root.Stat(name)
	if err != nil || !info.Mode().IsRegular() { // opening a pipe would wait
		return nil, errors.Join(err, fmt.Errorf("%s is no file", name))
	}
	f, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(data) > maxFile {
		err = fmt.Errorf("%s has more than %d bytes", name, maxFile)
	}
	return data, err
}

// Parse reads a kernel.json in a folder of that name. The runtime that it returns has no
// program yet.
func Parse(name string, data []byte) (language.Runtime, error) {
	var k struct {
		Argv      []string          `json:"argv"`
		Display   string            `json:"display_name"`
		Language  string            `json:"language"`
		Interrupt string            `json:"interrupt_mode"`
		Env       map[string]string `json:"env"`
	}
	wrong := func(format string, args ...any) (language.Runtime, error) {
		return language.Runtime{}, fmt.Errorf("cannot use kernelspec %s: "+format, append([]any{safetext.Quote(safetext.Clip(name, 100))}, args...)...)
	}
	if !utf8.Valid(data) || len(data) > maxFile {
		return wrong("it is no text of at most %d bytes", maxFile)
	}
	if err := json.Unmarshal(data, &k); err != nil {
		return wrong("it is no JSON that describes a kernel")
	}
	if len(k.Argv) == 0 || len(k.Argv) > maxArgs || k.Argv[0] == "" || len(k.Env) > maxArgs {
		return wrong("it has no command, or too long a one")
	}
	for _, a := range k.Argv {
		if len(a) > maxText || strings.Contains(a, "\x00") {
			return wrong("an argument of its command is too long")
		}
	}
	for n, v := range k.Env {
		if n == "" || len(n)+len(v) > maxText || strings.ContainsAny(n, "=\x00") || strings.Contains(v, "\x00") {
			return wrong("it sets an environment variable that cannot be")
		}
	}
	if len(name) > maxText || strings.ContainsAny(name, "/\x00") || name == "" {
		return wrong("its folder's name cannot be")
	}
	lang := plain(k.Language)
	if !language.ValidName(lang) {
		lang = plain(name)
	}
	if !language.ValidName(lang) {
		return wrong("its language has no name that can be used")
	}
	display := safetext.OneLine(k.Display, maxDisplay)
	if display == "" {
		display = lang
	}
	spec := language.Spec{Name: name, Display: display, Argv: k.Argv, Env: k.Env, Message: k.Interrupt == "message"}
	return language.Runtime{Language: lang, Spec: spec}, nil
}

// plain makes a name of a language of what a spec calls it: "C++17" is cpp17.
func plain(name string) string {
	name = strings.NewReplacer("+", "p", "#", "sharp").Replace(strings.ToLower(name))
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, name)
}
