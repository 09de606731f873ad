package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"praxis/internal/safetext"
	"praxis/internal/tool"
	"praxis/internal/tool/registry"
	"praxis/internal/tool/stub"
)

const toolsListLong = `Lists the tools that files declare, with every version. FROM is what carries a
tool out; "nothing" means that plans can only rehearse it. APPROVAL says that a
person has to agree to each call; policies may ask for more.

MCP servers are asked what they provide. One that is a program on this machine is
started with --allow-commands alone.`

// toolsListing is one praxis tools ls.
type toolsListing struct {
	p        *program
	search   string
	commands bool
	json     bool
}

func (p *program) toolsListCommand() *cobra.Command {
	l := &toolsListing{p: p}
	cmd := &cobra.Command{
		Use: "ls [FILE…]", Aliases: []string{"list"}, Short: "List the tools that files declare", Long: toolsListLong,
		Example: "  praxis tools ls\n  praxis tools ls crm.yaml mail.yaml --search 'find customers'",
		RunE:    func(cmd *cobra.Command, args []string) error { return l.list(cmd.Context(), args) },
	}
	fs := cmd.Flags()
	fs.StringVar(&l.search, "search", "", "those that fit these `WORDS`, the best first")
	allowCommands(cmd, &l.commands)
	fs.BoolVar(&l.json, "json", false, "print one JSON object instead")
	return cmd
}

// allowCommands adds the flag that lets tools run programs.
func allowCommands(cmd *cobra.Command, v *bool) {
	cmd.Flags().BoolVar(v, "allow-commands", false, "let tools and servers run programs on this machine, outside of any sandbox")
}

// toolLine is one tool of tools ls --json.
type toolLine struct {
	Name        string `json:"name"`
	Version     string `json:"version"`
	Effects     string `json:"effects"`
	From        string `json:"from"`
	Approval    bool   `json:"approval"`
	Description string `json:"description"`
	Call        string `json:"call"`
	Hash        string `json:"hash"`
}

// maxFound is how many tools a search lists.
const maxFound = 50

func (l *toolsListing) list(ctx context.Context, args []string) error {
	files, err := toolFiles(args)
	if err != nil {
		return err
	}
	return l.p.openTools(ctx, toolOpening{files: files, commands: l.commands, lenient: true}, func(reg *registry.Registry, _ *registry.Secrets) error {
		found := allTools(reg.Set())
		if l.search != "" {
			found = stub.Search(found, l.search, maxFound)
		}
		if l.json {
			lines := []toolLine{}
			for _, d := range found {
				lines = append(lines, toolLine{d.Name, string(d.Version), d.Effects.String(), where(reg, d), d.Approval, d.Description, stub.Line(d), hashOf(d)})
			}
			return l.p.printJSON(struct {
				Files []string   `json:"files"`
				Tools []toolLine `json:"tools"`
			}{files, lines})
		}
		if len(found) == 0 && l.search != "" {
			return l.p.emit("No tool fits these words.\n")
		}
		if len(found) == 0 {
			return l.p.emit("There are no tools in " + safetext.Line(strings.Join(files, ", ")) + ".\n")
		}
		t := table{{head: "TOOL"}, {head: "EFFECTS"}, {head: "FROM", drop: 2}, {head: "APPROVAL", drop: 1}, {head: "WHAT IT DOES"}}
		for _, d := range found {
			approval := ""
			if d.Approval {
				approval = "yes"
			}
			t.add(d.ID(), d.Effects.String(), where(reg, d), approval, firstSentence(d))
		}
		return l.p.emit(fitted(t, l.p.columns()))
	})
}

const toolsShowLong = `Shows all that is known of a tool: what it does, its arguments and its result,
what a call does to the world, what its results are to rules about data, its
bounds, what in it is secret (names alone), its hash as the journal has it, what
carries it out, and how code calls it.`

// toolsShowing is one praxis tools show.
type toolsShowing struct {
	p          *program
	commands   bool
	json, stub bool
}

func (p *program) toolsShowCommand() *cobra.Command {
	s := &toolsShowing{p: p}
	cmd := &cobra.Command{
		Use: "show NAME[@VERSION] [FILE…]", Short: "Show all that is known of a tool", Long: toolsShowLong,
		Example: "  praxis tools show crm.find\n  praxis tools show crm.find@1 tools.yaml --stub",
		Args:    takes(1, 1<<20, "the name of a tool"),
		RunE:    func(cmd *cobra.Command, args []string) error { return s.show(cmd.Context(), args) },
	}
	fs := cmd.Flags()
	fs.BoolVar(&s.stub, "stub", false, "print the Python stub (.pyi) instead")
	allowCommands(cmd, &s.commands)
	fs.BoolVar(&s.json, "json", false, "print the definition as one JSON object instead")
	return cmd
}

func (s *toolsShowing) show(ctx context.Context, args []string) error {
	if s.json && s.stub {
		return usage("praxis tools show", "--json and --stub are two forms of one output")
	}
	files, err := toolFiles(args[1:])
	if err != nil {
		return err
	}
	return s.p.openTools(ctx, toolOpening{files: files, commands: s.commands, lenient: true}, func(reg *registry.Registry, secrets *registry.Secrets) error {
		d, err := findTool(reg.Set(), args[0])
		switch {
		case err != nil:
			return err
		case s.json:
			doc := d.Document()
			doc.Set("hash", hashOf(d))
			doc.Set("identity", reg.Identity(d))
			return s.p.printJSON(doc)
		case s.stub:
			return s.p.emit(stub.File([]*tool.Definition{d}, ""))
		}
		return s.p.emit(s.text(reg, d))
	})
}

// text is a tool for a person.
func (s *toolsShowing) text(reg *registry.Registry, d *tool.Definition) string {
	st := s.p.styleOf(s.p.stdout)
	var b strings.Builder
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%s%s%s\n", st.paint(sgrBold, name), strings.Repeat(" ", max(1, 12-len(name))), safetext.Line(fmt.Sprintf(format, args...)))
	}
	title := safetext.Line(d.ID())
	if d.Title != "" {
		title += "  " + safetext.Line(d.Title)
	}
	b.WriteString(st.paint(sgrBold, title) + "\n")
	if text := strings.TrimSpace(d.Description); text != "" {
		b.WriteString("  " + strings.ReplaceAll(indentRest(safetext.Text(text), "  "), "\n  \n", "\n\n") + "\n")
	}
	b.WriteString("\n")
	b.WriteString(arguments(d))
	b.WriteString(result(d))
	line("effects", "%s", doesWords(d))
	line("results", "%s", resultWords(d))
	for _, a := range d.Labels.Arguments {
		line("", "%s", demandWords(a))
	}
	if text := limitWords(d.Limits); text != "" {
		line("limits", "%s", text)
	}
	if text := secretWords(d); text != "" {
		line("secrets", "%s", text)
	}
	if d.Approval {
		line("approval", "a person has to agree to each call")
	}
	if d.Idempotent {
		line("idempotent", "twice with the same arguments is as good as once")
	}
	line("from", "%s", where(reg, d))
	if id := reg.Identity(d); id != "" {
		line("identity", "%s", id)
	}
	line("declared", "%s", d.Pos)
	line("hash", "%s", hashOf(d))
	line("in Python", "%s", stub.Signature(d))
	return b.String()
}
