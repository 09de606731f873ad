// Package skill says what a skill is: a function that a run wrote, or a person, and that
// passed its tests. It reads and writes the files of one, finds those that fit a question,
// and packs them into a file that travels. It is pure: folders, sessions and tests are its
// caller's.
//
// # The files of a skill
//
// A skill is a folder that an Agent Skills reader understands, too. It is called like the
// function, with hyphens for underscores: find_outliers is in find-outliers.
//
//	find-outliers/
//	  SKILL.md        front matter in YAML, and how the function is used, for people and models
//	  skill.py        the function, with what it needs
//	  test_skill.py   its tests: assert statements, and functions test_*
//	  tool.yaml       of a WebAssembly module in the place of skill.py: its arguments, and the
//	  skill.wasm      manifest of what it may do, as a file of tools declares it (package toolfile)
//	  versions/1/     the same files of an older version
//
// The front matter has the name and the description that Agent Skills ask for; what is
// Praxis's own stands below metadata, as texts:
//
//	---
//	name: find-outliers
//	description: "Finds the rows whose value is far from the others"
//	metadata:
//	  praxis-version: "2"
//	  praxis-signature: "(frame, column, k=1.5)"
//	  praxis-run: "0c7e…"              the run that made it; without it, a person did
//	  praxis-step: "3"                 the step of that run
//	  praxis-python: "3.14.0"          what it was tested with
//	  praxis-packages: "pandas==2.3.1"
//	  praxis-uses: "to_rows==3b5d1c…"  the skills that its code imports, each with its hash
//	  praxis-hash: "9f86d0…"           SHA-256 of all that is run or that models read
//	---
//
// The hash says that the files are those that were tested. It is no signature: whoever
// changes a file can compute it anew.
package skill

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"praxis/fault"
	"praxis/internal/lazyregexp"
	"praxis/internal/safetext"
)

// The files of a skill.
const (
	Document = "SKILL.md"
	CodeFile = "skill.py"
	TestFile = "test_skill.py"
	ToolFile = "tool.yaml"
	Module   = "skill.wasm"
	// Versions is the folder of its older versions.
	Versions = "versions"
)

// Bounds of a skill.
const (
	MaxName        = 64
	MaxDescription = 1024      // characters
	MaxText        = 128 << 10 // bytes of the document, the code, the tests and the declaration, each
	MaxModule      = 8 << 20   // bytes
	maxSignature   = 300       // bytes
	maxPackages    = 50
	MaxUses        = 20 // skills that one imports, and these in turn
	maxVersion     = 1_000_000
)

// Skill is one version of a skill.
type Skill struct {
	Name        string // of its function, such as find_outliers
	Description string
	Signature   string // what stands behind the name in a call, such as "(frame, k=1.5)"
	Version     int    // counted from 1
	Origin      Origin
	Python      string            // the version that it was tested with
	Packages    map[string]string // that its code imports: the versions that it was tested with, by name
	Uses        map[string]string // the skills that its code imports: the hash of each, by name
	Code        string            // of a function in Python
	Tests       string
	Tool        string // of a WebAssembly module: what declares it
	Module      string // the module's bytes
}

// Origin says which run made a skill, and in which step. The zero value is a person's file.
type Origin struct {
	Run  string
	Step int
}

var hashRE = lazyregexp.New(`^[0-9a-f]{64}$`)

var nameRE = lazyregexp.New(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)

// reserved are names that code cannot import from the module "skills".
var reserved = lazyregexp.New(`^(?:keep_skill|os|sys|and|as|assert|async|await|break|class|continue|def|del|elif|else|except|finally|for|from|global|if|import|in|is|lambda|nonlocal|not|or|pass|raise|return|try|while|with|yield)$`)

// CheckName refuses what cannot name a skill.
func CheckName(name string) error {
	if len(name) > MaxName || !nameRE.MatchString(name) || reserved.MatchString(name) {
		return fault.New(fault.Invalid, "Name the function in words of lower case letters and digits with _ between them, at most 64 characters.",
			"cannot take the skill %s: that is no name of one", safetext.Quote(name))
	}
	return nil
}

// Folder is what the folder of a skill is called.
func Folder(name string) string { return strings.ReplaceAll(name, "_", "-") }

// NameOf is the name of the skill in a folder, or of one that is called as its folder is.
func NameOf(folder string) string { return strings.ReplaceAll(folder, "-", "_") }

// IsModule says whether the skill is a WebAssembly module.
func (s Skill) IsModule() bool { return s.Module != "" }

// Hash is the SHA-256 of all of the skill that is run or that models read, in hexadecimal.
func (s Skill) Hash() string {
	h := sha256.New()
	parts := []string{"1", s.Name, s.Description, s.Signature, s.Code, s.Tests, s.Tool, s.Module}
	if len(s.Uses) > 0 {
		parts = append(parts, s.uses())
	}
	for _, part := range parts {
		var n [8]byte
		binary.BigEndian.PutUint64(n[:], uint64(len(part)))
		h.Write(n[:])
		h.Write([]byte(part))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Validate says what is wrong with a skill, as a fault.
func (s Skill) Validate() error {
	if err := CheckName(s.Name); err != nil {
		return err
	}
	refuse := func(remedy, format string, args ...any) error {
		return fault.New(fault.Invalid, remedy, "cannot take the skill "+s.Name+": "+format, args...)
	}
	const change = "Change it, and keep the skill again."
	switch {
	case strings.TrimSpace(s.Description) == "":
		return refuse("Say in a sentence what it does and when it is of use.", "it has no description")
	case utf8.RuneCountInString(s.Description) > MaxDescription:
		return refuse(change, "its description is longer than %d characters", MaxDescription)
	case safetext.Line(s.Description) != s.Description || safetext.Line(s.Signature) != s.Signature:
		return refuse(change, "its description or its signature holds characters that are not shown")
	case len(s.Signature) > maxSignature:
		return refuse(change, "its signature is longer than %d bytes", maxSignature)
	case (s.Code == "") == (s.Module == "") || (s.Tool == "") != (s.Module == ""):
		return refuse("Give it a function in Python, or a WebAssembly module and what declares it.", "it is neither a function in Python nor a module")
	case strings.TrimSpace(s.Tests) == "":
		return refuse("Write assert statements that call it.", "it has no tests")
	case len(s.Module) > MaxModule:
		return refuse(change, "its module is longer than %s", safetext.Size(MaxModule))
	case s.Version < 0 || s.Version > maxVersion || s.Origin.Step < 0 || len(s.Packages) > maxPackages:
		return refuse(change, "its version or its step is out of range, or it names more than %d packages", maxPackages)
	}
	if len(s.Uses) > MaxUses || len(s.Uses) > 0 && s.IsModule() {
		return refuse(change, "it uses more than %d other skills, or is a module that uses some", MaxUses)
	}
	for name, hash := range s.Uses {
		if CheckName(name) != nil || name == s.Name || !hashRE.MatchString(hash) {
			return refuse(change, "what it uses of other skills cannot be read")
		}
	}
	for _, text := range []string{s.Code, s.Tests, s.Tool} {
		if len(text) > MaxText || !utf8.ValidString(text) {
			return refuse(change, "a file of it is longer than %s, or no text", safetext.Size(MaxText))
		}
	}
	for _, text := range append(slices.Collect(maps.Values(s.Packages)), append(slices.Collect(maps.Keys(s.Packages)), s.Python, s.Origin.Run)...) {
		if len(text) > 200 || strings.ContainsAny(text, " \t\n=") || safetext.Line(text) != text {
			return refuse(change, "what it was tested with, or the run that made it, cannot be read")
		}
	}
	return nil
}
