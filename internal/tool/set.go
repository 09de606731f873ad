package tool

import (
	"crypto/sha256"
	"iter"
	"path"
	"slices"
	"strings"

	"praxis/fault"
	"praxis/internal/safetext"
	"praxis/internal/tool/jsondoc"
	"praxis/internal/tool/schema"
)

// MaxTools is how many tools a set may hold.
const MaxTools = 10_000

// Set is an immutable collection of definitions, with the inputs and the
// principals of the files that they come from. It is safe for concurrent use.
type Set struct {
	byName     map[string][]*Definition // newest first
	names      []string                 // sorted
	namespaces map[string][]string      // "email" → names of its tools, sorted
	inputs     []Input
	principals Principals
}

// NewSet joins files. The same name and version may be declared in several
// files if the definitions are the same (have the same hash). Anything that
// contradicts is a fault of kind Conflict that names both places.
func NewSet(files ...*File) (*Set, error) {
	s := &Set{byName: map[string][]*Definition{}, namespaces: map[string][]string{}, principals: Principals{Me: Me}}
	var mePos jsondoc.Position
	var entries []FieldEntry
	var all []*Definition
	for _, f := range files {
		entries, all = append(entries, f.Fields...), append(all, f.Tools...)
	}
	for _, f := range files {
		if f.Me != "" {
			if s.principals.Me != Me && s.principals.Me != f.Me {
				return nil, conflict("Let one file say who the user is.", f.MePos, mePos, "me is %s here and %s there", safetext.Quote(f.Me), safetext.Quote(s.principals.Me))
			}
			s.principals.Me, mePos = f.Me, f.MePos
		}
		for _, name := range f.Principals {
			if !slices.Contains(s.principals.Names, name) {
				s.principals.Names = append(s.principals.Names, name)
			}
		}
		if err := s.addInputs(f); err != nil {
			return nil, err
		}
		for _, d := range f.Tools {
			if err := s.addTool(d.labelled(entries)); err != nil {
				return nil, err
			}
		}
	}
	for _, e := range entries {
		if err := e.lost(all); err != nil {
			return nil, err
		}
	}
	return s, s.finish()
}

func conflict(remedy string, here, there jsondoc.Position, format string, args ...any) error {
	f := fault.New(fault.Conflict, remedy, format, args...)
	f.Message = here.String() + ": " + f.Message + " (" + there.String() + ")"
	return f
}

func (s *Set) addInputs(f *File) error {
	for _, in := range f.Inputs {
		if old, ok := s.Input(in.Name); ok {
			if old.Schema.Hash() != in.Schema.Hash() || old.Trusted != in.Trusted {
				return conflict("Declare it once.", in.Pos, old.Pos, "the input %s is declared differently", safetext.Quote(in.Name))
			}
			continue
		}
		s.inputs = append(s.inputs, in)
	}
	return nil
}

func (s *Set) addTool(d *Definition) error {
	for _, old := range s.byName[d.Name] {
		if old.Version.Compare(d.Version) != 0 {
			continue
		}
		if old.Version != d.Version {
			return conflict("Give one of them another number.", d.Pos, old.Pos, "%s and version %s differ in build metadata only, which does not order them", d.ID(), old.Version)
		}
		if old.Hash() == d.Hash() {
			return nil
		}
		return conflict("Give what has changed a new version.", d.Pos, old.Pos, "%s is declared twice with different definitions", d.ID())
	}
	s.byName[d.Name] = append(s.byName[d.Name], d)
	return nil
}

// finish sorts the tools, and refuses names that a plan could not distinguish.
func (s *Set) finish() error {
	total := 0
	for name, versions := range s.byName {
		slices.SortFunc(versions, func(a, b *Definition) int { return b.Version.Compare(a.Version) })
		s.names = append(s.names, name)
		total += len(versions)
	}
	if total > MaxTools {
		return fault.New(fault.Exhausted, "Load fewer files.", "cannot hold %d tools: at most %d", total, MaxTools)
	}
	slices.Sort(s.names)
	for _, name := range s.names {
		for i := range name {
			if name[i] == '.' {
				s.namespaces[name[:i]] = append(s.namespaces[name[:i]], name)
			}
		}
	}
	for _, name := range s.names {
		if inside := s.namespaces[name]; inside != nil {
			a, b := s.byName[name][0], s.byName[inside[0]][0]
			return conflict("Rename one of them.", a.Pos, b.Pos, "%s is a tool, and the namespace of %s", name, b.Name)
		}
	}
	for _, in := range s.inputs {
		clash := s.namespaces[in.Name]
		if s.byName[in.Name] != nil {
			clash = []string{in.Name}
		}
		if clash != nil {
			return conflict("Rename one of them.", in.Pos, s.byName[clash[0]][0].Pos, "the input %s has the name of tools: %s", safetext.Quote(in.Name), clash[0])
		}
	}
	return nil
}

// Lookup returns the newest version of a tool, a release before a pre-release.
func (s *Set) Lookup(name string) (*Definition, bool) {
	versions := s.byName[name]
	if len(versions) == 0 {
		return nil, false
	}
	for _, d := range versions {
		if !d.Version.Prerelease() {
			return d, true
		}
	}
	return versions[0], true
}

// Resolve returns a tool by name and version: "" as Lookup does, "1" or "1.2"
// the newest release that begins so, or an exact version. The error is a fault
// of kind NotFound whose remedy names the nearest.
func (s *Set) Resolve(name, version string) (*Definition, error) {
	versions := s.byName[name]
	if len(versions) == 0 {
		return nil, fault.Coded(fault.ToolMissing, fault.Data{"tool": name, "near": s.Suggest(name)}, "there is no tool %s", safetext.Quote(name))
	}
	if version == "" {
		d, _ := s.Lookup(name)
		return d, nil
	}
	var known []string
	for _, d := range versions {
		known = append(known, string(d.Version))
		if string(d.Version) == version || (d.Version.matches(version) && !d.Version.Prerelease()) {
			return d, nil
		}
	}
	return nil, fault.Coded(fault.ToolVersionMissing, fault.Data{"tool": name, "version": version, "known": safetext.OneLine(strings.Join(known, ", "), 200)},
		"there is no version %s of %s", safetext.Quote(version), name)
}

// Names returns the names of the tools, sorted.
func (s *Set) Names() []string { return slices.Clone(s.names) }

// Len returns the number of names.
func (s *Set) Len() int { return len(s.names) }

// All iterates over the tools that Lookup gives, by name.
func (s *Set) All() iter.Seq[*Definition] {
	return func(yield func(*Definition) bool) {
		for _, name := range s.names {
			if d, ok := s.Lookup(name); ok && !yield(d) {
				return
			}
		}
	}
}

// Versions returns all versions of a tool, the newest first.
func (s *Set) Versions(name string) []*Definition { return slices.Clone(s.byName[name]) }

// IsNamespace reports whether tools begin with that name and a dot.
func (s *Set) IsNamespace(name string) bool { return s.namespaces[name] != nil }

// Namespace returns the tools below a namespace, at any depth, by name.
func (s *Set) Namespace(name string) []*Definition {
	var out []*Definition
	for _, n := range s.namespaces[name] {
		if d, ok := s.Lookup(n); ok {
			out = append(out, d)
		}
	}
	return out
}

// Namespaces returns the names before a dot, sorted.
func (s *Set) Namespaces() []string {
	out := make([]string, 0, len(s.namespaces))
	for name := range s.namespaces {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// wordsOf are the words of a name in the order of the alphabet.
func wordsOf(name string) []string {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return r == '.' || r == '_' })
	slices.Sort(words)
	return words
}

// Suggest returns the name of the tool that was probably meant, or "".
func (s *Set) Suggest(name string) string {
	if near := jsondoc.Nearest(name, s.names); near != "" {
		return near
	}
	// The right word in the wrong namespace or without one, or the words in another order.
	last, all := name[strings.LastIndexByte(name, '.')+1:], wordsOf(name)
	found := ""
	for _, n := range s.names {
		if n[strings.LastIndexByte(n, '.')+1:] == last || slices.Equal(wordsOf(n), all) {
			if found != "" {
				return ""
			}
			found = n
		}
	}
	return found
}

// Inputs returns the inputs in declared order.
func (s *Set) Inputs() []Input { return slices.Clone(s.inputs) }

// Input returns the input of that name.
func (s *Set) Input(name string) (Input, bool) {
	for _, in := range s.inputs {
		if in.Name == name {
			return in, true
		}
	}
	return Input{}, false
}

// Principals returns who the files know.
func (s *Set) Principals() *Principals { return &s.principals }

// Hash returns the SHA-256 over the hashes of the tools that Lookup gives, by name.
func (s *Set) Hash() [sha256.Size]byte {
	h := sha256.New()
	for d := range s.All() {
		sum := d.Hash()
		h.Write([]byte(d.ID() + "\x00"))
		h.Write(sum[:])
	}
	return [sha256.Size]byte(h.Sum(nil))
}

// ServerEntry is a server of tools as a file declares it.
type ServerEntry struct {
	Name string // the namespace of its tools, unless Spec says otherwise
	Spec *jsondoc.Object
	Pos  jsondoc.Position
}

// SecretEntry is a secret as a file declares it: where its value is, never the
// value.
type SecretEntry struct {
	Name string
	Env  string // the environment variable that holds it, or ""
	File string // the file that holds it, or ""
	Pos  jsondoc.Position
}

// File is what one file of tools declares.
type File struct {
	Name       string
	Me         string   // the user's own name as a principal, "" when the file does not say
	Principals []string // names or patterns "*@example.com"
	Inputs     []Input
	Tools      []*Definition
	Bindings   map[string]Binding // how tools are implemented, by their IDs; not every tool is
	Servers    []ServerEntry
	Secrets    []SecretEntry
	Fields     []FieldEntry // labels of parts of results of tools, wherever these are declared
	MePos      jsondoc.Position
}

// FieldEntry labels parts of the results of the tools whose names match a pattern, as
// path.Match has them. It counts before what the definitions say.
type FieldEntry struct {
	Tools string
	Parts []PartLabel
	Pos   jsondoc.Position
}

// lost returns a fault if the entry labels a part that no result of its tools can have:
// a misspelt path would leave the part with another label than it was meant to have.
func (e FieldEntry) lost(tools []*Definition) error {
	for _, p := range e.Parts {
		missing, remedy, found := "", "", false
		for _, d := range tools {
			if ok, err := path.Match(e.Tools, d.Name); err != nil || !ok || d.Model {
				continue
			}
			seg, instead := d.Output.Type().Lacks(p.Path)
			if found = found || seg == ""; !found && missing == "" {
				missing, remedy = seg, instead
			}
		}
		if missing != "" && !found {
			return fault.New(fault.Invalid, remedy, "%s: fields: %s: the results of %s have no %s", e.Pos, p.Path, safetext.Quote(e.Tools), safetext.Quote(missing))
		}
	}
	return nil
}

// labelled returns a definition with the labels that entries of files give to it.
func (d *Definition) labelled(entries []FieldEntry) *Definition {
	out := d
	for _, e := range entries {
		if ok, err := path.Match(e.Tools, d.Name); err != nil || !ok || d.Model {
			continue
		}
		if out == d {
			c := *d
			out = &c
			out.Labels.Fields = nil
		}
		out.Labels.Fields = append(out.Labels.Fields, e.Parts...)
	}
	if out == d {
		return d
	}
	out.Labels.Fields = OverParts(out.Labels.Fields, d.Labels.Fields)
	return out
}

// Input is a name that a plan is given from outside.
type Input struct {
	Name        string
	Description string
	Schema      *schema.Schema
	Default     any
	HasDefault  bool
	Trusted     bool    // true unless the file says otherwise: it is the user's
	Readers     Readers // everyone unless the file says otherwise; never with From
	Pos         jsondoc.Position
}
