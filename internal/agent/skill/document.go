package skill

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"praxis/fault"
	"praxis/internal/safetext"
	"praxis/internal/tool/jsondoc"
)

// The members of the front matter that are Praxis's own.
const (
	keyVersion   = "praxis-version"
	keySignature = "praxis-signature"
	keyRun       = "praxis-run"
	keyStep      = "praxis-step"
	keyPython    = "praxis-python"
	keyPackages  = "praxis-packages"
	keyUses      = "praxis-uses"
	keyHash      = "praxis-hash"
)

// Files are the files of a skill, by their names.
func (s Skill) Files() map[string]string {
	out := map[string]string{Document: s.document(), TestFile: s.Tests}
	if s.IsModule() {
		out[ToolFile], out[Module] = s.Tool, s.Module
	} else {
		out[CodeFile] = s.Code
	}
	return out
}

// FileNames are the names that the files of a skill have, and the most bytes of each.
func FileNames() map[string]int64 {
	return map[string]int64{Document: MaxText, CodeFile: MaxText, TestFile: MaxText, ToolFile: MaxText, Module: MaxModule}
}

// document writes SKILL.md.
func (s Skill) document() string {
	var b strings.Builder
	fmt.Fprintf(&b, "---\nname: %s\ndescription: %s\nmetadata:\n", Folder(s.Name), quoted(s.Description))
	for _, m := range [][2]string{
		{keyVersion, strconv.Itoa(s.Version)}, {keySignature, s.Signature}, {keyRun, s.Origin.Run}, {keyStep, nonzero(s.Origin.Step)},
		{keyPython, s.Python}, {keyPackages, pairs(s.Packages)}, {keyUses, s.uses()}, {keyHash, s.Hash()},
	} {
		if m[1] != "" {
			fmt.Fprintf(&b, "  %s: %s\n", m[0], quoted(m[1]))
		}
	}
	what := "a function in Python, in `" + CodeFile + "`"
	if s.IsModule() {
		what = "a WebAssembly module, `" + Module + "`, whose arguments and manifest are in `" + ToolFile + "`"
	}
	fmt.Fprintf(&b, "---\n\n# %s\n\n%s\n\n```python\nfrom skills import %s\n\n%s%s\n```\n\nIt is %s. Its tests are in `%s`.\n", s.Name, s.Description, s.Name, s.Name, s.Signature, what, TestFile)
	return b.String()
}

func nonzero(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// quoted writes a line of text as YAML and JSON have it.
func quoted(text string) string {
	var b bytes.Buffer
	jsondoc.WriteNode(&b, &jsondoc.Node{Kind: jsondoc.String, Text: text})
	return b.String()
}

// uses are the skills that it uses in one line.
func (s Skill) uses() string { return pairs(s.Uses) }

// pairs are names with what belongs to each, in one line.
func pairs(all map[string]string) string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		out = append(out, name+"=="+all[name])
	}
	return strings.Join(out, " ")
}

// paired reads what pairs wrote; nil: there are none.
func paired(line string) map[string]string {
	var out map[string]string
	for _, p := range strings.Fields(line) {
		if out == nil {
			out = map[string]string{}
		}
		name, with, _ := strings.Cut(p, "==")
		out[name] = with
	}
	return out
}

// Draft reads the files of the skill in a folder of that name as far as they say what is to be
// stored: it was not tested, and its document may be anybody's.
func Draft(folder string, files map[string]string) (Skill, error) {
	s, _, err := draft(folder, files)
	return s, err
}

// draft is Draft, and what of the front matter is Praxis's own; it may be nil.
func draft(folder string, files map[string]string) (Skill, *jsondoc.Node, error) {
	s := Skill{Name: NameOf(folder), Code: files[CodeFile], Tests: files[TestFile], Tool: files[ToolFile], Module: files[Module]}
	if Folder(s.Name) != folder {
		s.Name = folder // it has an underscore, which no folder of a skill has
	}
	if err := CheckName(s.Name); err != nil || strings.Contains(folder, "_") {
		return Skill{}, nil, fault.New(fault.Invalid, "Call the folder as the function is called, with hyphens for underscores.", "cannot read a skill: the name of its folder, %s, is no name of one", safetext.Quote(folder))
	}
	front, err := frontMatter(files[Document])
	if err != nil {
		return Skill{}, nil, unreadable(s.Name, "%w", err)
	}
	if name := text(front, "name"); name != folder {
		return Skill{}, nil, unreadable(s.Name, "its document names %s, and its folder is %s", safetext.Quote(name), folder)
	}
	s.Description = strings.Join(strings.Fields(text(front, "description")), " ")
	own := front.Get("metadata")
	if own != nil && own.Kind != jsondoc.Map {
		own = nil
	}
	return s, own, nil
}

// unreadable says why the files of a skill cannot be read.
func unreadable(name, format string, args ...any) error {
	return fault.New(fault.Invalid, "Add the skill again, or remove its folder.", "cannot read the skill %s: "+format, append([]any{name}, args...)...)
}

// Read reads the files of the skill in a folder of that name, which may be anybody's. One
// whose files are not those that its hash names is refused with a fault of the kind Conflict.
func Read(folder string, files map[string]string) (Skill, error) {
	s, own, err := draft(folder, files)
	if err != nil {
		return Skill{}, err
	}
	if own == nil || text(own, keyHash) == "" {
		return Skill{}, unreadable(s.Name, "its document does not say that it was tested: it is none of Praxis's")
	}
	s.Signature, s.Python, s.Origin.Run = text(own, keySignature), text(own, keyPython), text(own, keyRun)
	if s.Version, err = number(own, keyVersion); err == nil {
		s.Origin.Step, err = number(own, keyStep)
	}
	if err != nil || s.Version == 0 {
		return Skill{}, unreadable(s.Name, "its version or its step is no number")
	}
	s.Packages, s.Uses = paired(text(own, keyPackages)), paired(text(own, keyUses))
	if err := s.Validate(); err != nil {
		return Skill{}, err
	}
	if s.Hash() != text(own, keyHash) {
		return Skill{}, fault.New(fault.Conflict, "Add its folder as a skill, which tests it and makes a version of it; or restore its files.",
			"cannot use the skill %s: its files are not those that were tested", s.Name)
	}
	return s, nil
}

// frontMatter reads the YAML at the head of a document.
func frontMatter(document string) (*jsondoc.Node, error) {
	if len(document) > MaxText {
		return nil, fmt.Errorf("%s is longer than %s", Document, safetext.Size(MaxText))
	}
	rest, found := strings.CutPrefix(strings.ReplaceAll(document, "\r\n", "\n"), "---\n")
	head, _, closed := strings.Cut(rest, "\n---\n")
	if !found || !closed {
		return nil, fmt.Errorf("%s does not begin with front matter between two lines of ---", Document)
	}
	r := &jsondoc.Report{File: Document}
	front := jsondoc.Read(r, []byte(head+"\n"))
	if front == nil || front.Kind != jsondoc.Map {
		return nil, fmt.Errorf("the front matter of %s is no YAML of names and values", Document)
	}
	return front, nil
}

// text is a member of a mapping that is a text or a number; "" where it is none.
func text(n *jsondoc.Node, key string) string {
	v := n.Get(key)
	if v == nil || v.Kind != jsondoc.String && v.Kind != jsondoc.Number {
		return ""
	}
	return v.Text
}

// number is a member that counts; 0 where there is none.
func number(n *jsondoc.Node, key string) (int, error) {
	t := text(n, key)
	if t == "" {
		return 0, nil
	}
	v, err := strconv.Atoi(t)
	if err == nil && v < 0 {
		err = strconv.ErrRange
	}
	return v, err
}
