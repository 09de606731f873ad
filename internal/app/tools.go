package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/safetext"
	"praxis/internal/tool"
	"praxis/internal/tool/jsondoc"
	"praxis/internal/tool/pystub"
	"praxis/internal/tool/registry"
	"praxis/internal/tool/search"
	"praxis/internal/tool/toolfile"
)

// ToolsFile is the file of tools that is meant when none is named.
const ToolsFile = "praxis.tools.yaml"

// ToolFiles returns the files that are meant: those named, else the one of this
// folder.
func ToolFiles(named []string) ([]string, error) {
	if len(named) > 0 {
		return named, nil
	}
	if _, err := os.Stat(ToolsFile); errors.Is(err, fs.ErrNotExist) {
		return nil, fault.New(fault.NotFound, "Name a file, or write one.", "cannot find tools: there is no file %s in this folder", ToolsFile)
	}
	return []string{ToolsFile}, nil
}

// ToolFileSchema is the JSON Schema of files of tools, for editors.
func ToolFileSchema() string { return strings.TrimRight(string(toolfile.Schema()), "\n") + "\n" }

// ToolsQuery says which tools are listed.
type ToolsQuery struct {
	Files    []string // that declare them
	Commands bool     // tools and servers may run programs on this machine
	Search   string   // words that they fit; "": all of them
}

// Tool describes one version of a tool.
type Tool struct {
	Name        string `json:"name"`
	Version     string `json:"version"`
	Effects     string `json:"effects"`
	From        string `json:"from"` // what implements it; "nothing": plans can only rehearse it
	Approval    bool   `json:"approval"`
	Description string `json:"description"`
	Call        string `json:"call"` // how code calls it
	Hash        string `json:"hash"`
	Summary     string `json:"summary"` // what it does, in one sentence
}

// ID returns NAME@VERSION.
func (t Tool) ID() string { return t.Name + "@" + t.Version }

func toolOf(reg *registry.Registry, d *tool.Definition) Tool {
	return Tool{d.Name, string(d.Version), d.Effects.String(), implementation(reg, d), d.Approval, d.Description, pystub.Line(d), hashOf(d), firstSentence(d)}
}

// maxFound is how many tools a search lists.
const maxFound = 50

// ListTools returns the tools that files and their servers declare, by name, the
// newest version first; with words, those that fit, the best first.
func (a *App) ListTools(ctx context.Context, q ToolsQuery, sink event.Sink) ([]Tool, error) {
	out := []Tool{}
	err := a.withTools(ctx, opening{files: q.Files, commands: q.Commands, lenient: true}, sink, func(reg *registry.Registry, _ *registry.Secrets) error {
		found := allTools(reg.Set())
		if q.Search != "" {
			found = search.Search(found, q.Search, maxFound)
		}
		for _, d := range found {
			out = append(out, toolOf(reg, d))
		}
		return nil
	})
	return out, err
}

// ToolNames returns the tools whose names begin with a prefix, without asking any
// server, for a shell that completes a word.
func (a *App) ToolNames(ctx context.Context, files []string, prefix string) ([]Tool, error) {
	var out []Tool
	o := opening{files: files, commands: true, offline: true, report: func(jsondoc.Position, error) {}}
	err := a.withTools(ctx, o, event.Discard, func(reg *registry.Registry, _ *registry.Secrets) error {
		for d := range reg.Set().All() {
			if strings.HasPrefix(d.Name, prefix) {
				out = append(out, toolOf(reg, d))
			}
		}
		return nil
	})
	return out, err
}

// ToolDetails is all that is known of a tool.
type ToolDetails struct {
	Tool
	Title      string
	Arguments  []ToolArgument
	Returns    string // what it returns, in sentences
	Does       string // what a call does to the world
	Results    string // what its results are to rules about data
	Demands    []string
	Limits     string
	Secrets    string // names what is never shown
	Idempotent bool
	Identity   string // of what implements it
	Declared   string // where
	Signature  string // in Python
	Stub       string // the Python stub (.pyi)
	// Document is the definition as one JSON object.
	Document any
}

// ToolArgument is one argument of a tool.
type ToolArgument struct {
	Name, Type string
	Required   bool
	Default    string // as JSON; "": none
	What       string
}

// ShowTool returns all that is known of the tool NAME[@VERSION].
func (a *App) ShowTool(ctx context.Context, q ToolsQuery, id string, sink event.Sink) (out ToolDetails, err error) {
	err = a.withTools(ctx, opening{files: q.Files, commands: q.Commands, lenient: true}, sink, func(reg *registry.Registry, _ *registry.Secrets) error {
		d, err := findTool(reg.Set(), id)
		if err == nil {
			out = details(reg, d)
		}
		return err
	})
	return out, err
}

func details(reg *registry.Registry, d *tool.Definition) ToolDetails {
	doc := d.Document()
	doc.Set("hash", hashOf(d))
	doc.Set("identity", reg.Identity(d))
	out := ToolDetails{
		Tool: toolOf(reg, d), Title: d.Title, Arguments: arguments(d), Returns: returns(d), Does: doesWords(d), Results: resultWords(d),
		Limits: limitWords(d.Limits), Secrets: neverShown(d), Idempotent: d.Idempotent, Identity: reg.Identity(d), Declared: d.Pos.String(),
		Signature: pystub.Signature(d), Stub: pystub.File([]*tool.Definition{d}, ""), Document: doc,
	}
	for _, a := range d.Labels.Arguments {
		out.Demands = append(out.Demands, demandWords(a))
	}
	return out
}

// arguments are what a tool takes.
func arguments(d *tool.Definition) []ToolArgument {
	var out []ToolArgument
	types := hintsOf(d)
	for _, a := range d.Arguments() {
		arg := ToolArgument{Name: a.Name, Type: types[a.Name], Required: a.Required, What: a.Type.Description}
		if a.Type.HasDefault {
			arg.Default = asJSON(a.Type.Default)
		}
		if arg.What == "" {
			arg.What = a.Type.Title
		}
		if a.Type.Secret {
			arg.What = strings.TrimSpace(arg.What + " (secret)")
		}
		out = append(out, arg)
	}
	return out
}

// returns says what a tool gives.
func returns(d *tool.Definition) string {
	returns, _ := pystub.Spec(d).Get("returns")
	text, _ := returns.(string)
	if text == "" {
		text = "any value"
	}
	out := "It returns " + safetext.Line(text)
	if shape := pystub.Shape(d); strings.Contains(shape, "{") { // the name of a class alone says little
		out += ": " + safetext.Line(shape)
	}
	out += "."
	if what := d.Output.Type().Description; what != "" {
		out += " " + safetext.Line(what)
	}
	return out
}

// hintsOf are the Python types of a tool's arguments.
func hintsOf(d *tool.Definition) map[string]string {
	out := map[string]string{}
	list, _ := pystub.Spec(d).Get("parameters")
	items, _ := list.([]any)
	for _, item := range items {
		o, ok := item.(*jsondoc.Object)
		if !ok {
			continue
		}
		name, _ := o.Get("name")
		hint, _ := o.Get("type")
		key, _ := name.(string)
		out[key], _ = hint.(string)
	}
	return out
}

func doesWords(d *tool.Definition) string {
	if d.Model {
		return "answered by a model that calls nothing"
	}
	return map[tool.Effects]string{
		tool.Pure:     "pure: the result depends on the arguments alone",
		tool.Read:     "read: looks at a state and changes nothing",
		tool.Write:    "write: changes a state that is yours",
		tool.External: "external: reaches others",
	}[d.Effects]
}

func resultWords(d *tool.Definition) string {
	trust := "not trusted: they may not steer calls that demand trust"
	if d.Labels.Trusted {
		trust = "trusted"
	}
	trust += d.Labels.Exceptions()
	r := d.Labels.Readers
	who := "readable by " + strings.Join(r.Principals, ", ")
	switch {
	case r.Everyone:
		who = "readable by everyone"
	case len(r.Principals) == 0 && len(r.From) == 0:
		who = "readable by nobody"
	case len(r.Principals) == 0:
		who = "readable by those that the call names"
	case len(r.From) > 0:
		who += " and those that the call names"
	}
	return trust + "; " + who
}

func demandWords(a tool.ArgDemand) string {
	var parts []string
	if a.Trusted {
		parts = append(parts, "must come from trusted sources alone")
	}
	if len(a.ReadableBy) > 0 {
		parts = append(parts, "must be readable by whom "+strings.Join(a.ReadableBy, ", ")+" names")
	}
	return a.Argument + " " + strings.Join(parts, " and ")
}

func limitWords(l tool.Limits) string {
	var parts []string
	if l.Timeout > 0 {
		parts = append(parts, l.Timeout.String()+" a call")
	}
	if l.Bytes > 0 {
		parts = append(parts, safetext.Size(l.Bytes)+" a result")
	}
	if l.CallsPerRun > 0 {
		parts = append(parts, safetext.Count(l.CallsPerRun, "call")+" a run")
	}
	if l.Rate.Calls > 0 {
		parts = append(parts, l.Rate.String())
	}
	return strings.Join(parts, ", ")
}

// neverShown names what is never shown.
func neverShown(d *tool.Definition) string {
	var parts []string
	for _, a := range d.Arguments() {
		if a.Type.Secret {
			parts = append(parts, "the argument "+a.Name)
		}
	}
	for _, p := range d.Secrets.Input {
		parts = append(parts, "of the arguments "+string(p))
	}
	for _, p := range d.Secrets.Output {
		parts = append(parts, "of the result "+string(p))
	}
	return strings.Join(parts, ", ")
}

// asJSON is a value in one line.
func asJSON(v any) string {
	text, err := jsondoc.Canonical(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(safetext.JSON(text))
}

// opening says how tools are opened to be read.
type opening struct {
	files    []string
	commands bool // programs may run on this machine
	offline  bool // servers are not asked
	lenient  bool // a tool is read also when nothing can implement it
	// report gets all that is wrong; nil: the first is an error, but for what
	// is only not permitted.
	report func(pos jsondoc.Position, err error)
}

// withTools opens what files of tools declare, for f. What can be done without
// goes to sink as notices.
func (a *App) withTools(ctx context.Context, o opening, sink event.Sink, f func(*registry.Registry, *registry.Secrets) error) (err error) {
	rules, err := ToolSpec{Files: o.files}.read()
	if err != nil {
		return err
	}
	secrets, err := a.readSecrets(rules.Tools)
	switch {
	case err == nil:
	case o.report == nil:
		return err
	case fault.KindOf(err) == fault.Conflict: // the rest is said again when the file is opened
		o.report(jsondoc.Position{}, err)
	}
	p := &problems{lenient: o.lenient, later: map[jsondoc.Position]error{}, sink: sink}
	report := o.report
	if report == nil {
		report = p.report
	}
	reg, err := a.openRegistry(ctx, registryOptions{texts: rules.Tools, secrets: secrets, commands: o.commands, servers: !o.offline, report: report}, sink)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, reg.Close()) }()
	if p.wrong != nil {
		return p.wrong
	}
	p.notifyRest(reg)
	if o.report == nil && !o.offline {
		for _, text := range reg.Problems() {
			sink.Emit(event.Notice{Text: text})
		}
	}
	return f(reg, secrets)
}

// problems sorts what is wrong in files of tools into what is an error and what
// can be done without.
type problems struct {
	lenient bool
	wrong   error                      // the first that is an error
	later   map[jsondoc.Position]error // reported unless the tool is there in spite of it
	sink    event.Sink
}

func (p *problems) report(pos jsondoc.Position, err error) {
	var ps jsondoc.Problems
	kind := fault.KindOf(err)
	switch {
	case kind == fault.Denied && p.lenient:
		p.later[pos] = err
	case kind == fault.Denied || kind == fault.Unavailable || p.lenient && pos.Line > 0 && !errors.As(err, &ps):
		p.notify(pos, err)
	case p.wrong == nil:
		p.wrong = atPlace(pos, err)
	}
}

func (p *problems) notify(pos jsondoc.Position, err error) {
	err = atPlace(pos, err)
	f := fault.Of(err)
	p.sink.Emit(event.Notice{Text: f.Message, Remedy: f.Remedy, Code: string(f.Code), Data: f.Data})
}

// notifyRest reports tools that are not there, in the order of the files.
func (p *problems) notifyRest(reg *registry.Registry) {
	for _, f := range reg.Files() {
		for _, b := range f.Bindings {
			delete(p.later, b.Pos)
		}
	}
	for _, pos := range slices.SortedFunc(maps.Keys(p.later), func(a, b jsondoc.Position) int { return strings.Compare(a.String(), b.String()) }) {
		p.notify(pos, p.later[pos])
	}
}

// atPlace names the place of what is wrong, unless it says so itself.
func atPlace(pos jsondoc.Position, err error) error {
	var f *fault.Error
	var ps jsondoc.Problems
	if pos.Line == 0 || errors.As(err, &ps) || strings.Contains(err.Error(), pos.String()) || !errors.As(err, &f) {
		return err
	}
	return fmt.Errorf("%s: %w", pos, err)
}

// implementation says what implements a tool, in a few words.
func implementation(reg *registry.Registry, d *tool.Definition) string {
	for _, f := range reg.Files() {
		if b, ok := f.Bindings[d.ID()]; ok {
			return strings.TrimSpace(b.Kind + " " + toolfile.Target(b))
		}
		if name, ok := strings.CutPrefix(f.Name, "server "); ok && d.Pos.File == f.Name {
			return "mcp " + name
		}
	}
	if d.Model {
		return "a model"
	}
	return "nothing"
}

// splitID reads NAME[@VERSION].
func splitID(s string) (name, version string) {
	name, version, _ = strings.Cut(s, "@")
	return name, version
}

// findTool returns the tool that a person names.
func findTool(set *tool.Set, id string) (*tool.Definition, error) {
	name, version := splitID(id)
	d, err := set.Resolve(name, version)
	if err != nil && set.Len() == 0 {
		return nil, fault.New(fault.NotFound, "Check the file.", "cannot find %s: the file gives no tools", safetext.Line(name))
	}
	return d, err
}

// allTools returns every version of every tool, by name, the newest first.
func allTools(set *tool.Set) []*tool.Definition {
	var out []*tool.Definition
	for _, name := range set.Names() {
		out = append(out, set.Versions(name)...)
	}
	return out
}

// firstSentence is what a tool does, in short.
func firstSentence(d *tool.Definition) string {
	text := strings.TrimSpace(d.Description)
	if text == "" {
		text = d.Title
	}
	text, _, _ = strings.Cut(text, "\n")
	if i := strings.Index(text, ". "); i >= 0 {
		text = text[:i+1]
	}
	return text
}

// hashOf is the hash of a definition as it stands in the journal.
func hashOf(d *tool.Definition) string { return fmt.Sprintf("%x", d.Hash()) }
