package agent

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"praxis/internal/guest/wire"
	"praxis/internal/safetext"
)

// maxReserve bounds the address space that an interpreter keeps for itself.
const maxReserve = 256 << 30

// checkKernels refuses languages that cannot be meant.
func checkKernels(kernels []wire.Kernel) error {
	if len(kernels) > wire.MaxKernels {
		return failf("invalid", "", "cannot set up session: %d languages, the limit is %d", len(kernels), wire.MaxKernels)
	}
	seen := map[string]bool{}
	for _, k := range kernels {
		switch {
		case !wire.ValidLanguage(k.Language) || seen[k.Language]:
			return failf("invalid", "", "cannot set up session: %q is no name of a language, or it is named twice", safetext.Clip(k.Language, 64))
		case len(k.Command) == 0 || !filepath.IsAbs(k.Command[0]) || filepath.Clean(k.Command[0]) != k.Command[0]:
			return failf("invalid", "", "cannot set up session: the interpreter of %s is not a clean absolute path", k.Language)
		case k.CrashBegins != "" && !possibleCrash(k.CrashBegins):
			return failf("invalid", "", "cannot set up session: a crash report of %s could be a control frame", k.Language)
		}
		if _, ok := k.Files[k.Program]; k.Program != "" && !ok {
			return failf("invalid", "", "cannot set up session: the kernel of %s has no file %q", k.Language, safetext.Clip(k.Program, 200))
		}
		for name := range k.Files {
			if !filepath.IsLocal(name) || filepath.Clean(name) != name || name == "." {
				return failf("invalid", "", "cannot set up session: %q is no name of a file", safetext.Clip(name, 200))
			}
		}
		if k.Reserve < 0 || k.Reserve > maxReserve {
			return failf("invalid", "", "cannot set up session: %s reserves %d bytes of address space", k.Language, k.Reserve)
		}
		for _, env := range []map[string]string{k.Environment, k.Deterministic} {
			if err := checkVariables(env); err != nil {
				return err
			}
		}
		seen[k.Language] = true
	}
	return nil
}

// writeKernels writes the files of the kernels. The user can read them and
// change none.
func (c config) writeKernels() error {
	for _, k := range c.Kernels {
		for _, name := range slices.Sorted(maps.Keys(k.Files)) { // in order: a seed fixes the files' numbers
			text, path := k.Files[name], c.fileOf(k, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				return fmt.Errorf("cannot set up session: %w", err)
			}
			if err := writeProgram(path, text); err != nil {
				return err
			}
		}
	}
	return nil
}

func writeProgram(path, text string) error {
	temp := path + ".new"
	if err := os.WriteFile(temp, []byte(text), 0o644); err != nil {
		return fmt.Errorf("cannot write a program of ours: %w", err)
	}
	if err := os.Rename(temp, path); err != nil {
		return fmt.Errorf("cannot write a program of ours: %w", err)
	}
	return nil
}

// fileOf is the path of a kernel's file.
func (c config) fileOf(k wire.Kernel, name string) string {
	return filepath.Join(c.folder, k.Language, name)
}

// languageOf returns how the kernel of a language is started; the empty name is
// the first language.
func (c config) languageOf(name string) (wire.Kernel, error) {
	for _, k := range c.Kernels {
		if name == "" || k.Language == name {
			return k, nil
		}
	}
	return wire.Kernel{}, failf("invalid", "Use a language of the session's image.", "cannot run %s: the session has no such language", safetext.Clip(name, 64))
}

// command is what starts a kernel.
func (c config) command(k wire.Kernel) []string {
	heap := strconv.FormatInt(c.memoryOfProcess()/2>>20, 10)
	var out []string
	for _, word := range k.Command {
		out = append(out, strings.ReplaceAll(word, wire.HeapSize, heap))
	}
	if k.Program != "" {
		out = append(out, c.fileOf(k, k.Program))
	}
	return out
}
