package cmd

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"praxis/internal/app"
	"praxis/internal/cli/format"
	"praxis/internal/safetext"
)

const toolsListLong = `Lists the tools that files declare, with every version. FROM is what executes
a tool; "nothing" means that plans can only rehearse it. APPROVAL says that a
person has to agree to each call; policies may ask for more.

MCP servers are asked what they provide. One that is a program on this machine is
started with --allow-commands alone.`

// toolsListing is one praxis tools ls.
type toolsListing struct {
	p      *program
	search string
	files  toolFiles
	json   bool
}

func (p *program) toolsListCommand() *cobra.Command {
	l := &toolsListing{p: p}
	cmd := &cobra.Command{
		Use: "ls", Aliases: []string{"list"}, Short: "List the tools that files declare", Long: toolsListLong,
		Example: "  praxis tools ls\n  praxis tools ls --tools crm.yaml --tools mail.yaml --search 'find customers'",
		Args:    noFiles(0, 0),
		RunE:    func(cmd *cobra.Command, _ []string) error { return l.list(cmd.Context()) },
	}
	fs := cmd.Flags()
	fs.StringVar(&l.search, "search", "", "those that fit these `WORDS`, the best first")
	l.files.register(cmd)
	fs.BoolVar(&l.json, "json", false, "print one JSON object instead")
	return cmd
}

// allowCommands adds the flag that lets tools run programs.
func allowCommands(cmd *cobra.Command, v *bool) {
	cmd.Flags().BoolVar(v, "allow-commands", false, "let tools and servers run programs on this machine, outside of any sandbox")
}

func (l *toolsListing) list(ctx context.Context) error {
	var query app.ToolsQuery
	if l.p.server == nil { // whose files they are otherwise
		var err error
		if query, err = l.files.query(); err != nil {
			return err
		}
	}
	query.Search = l.search
	return on(l.p, func(a tooler) error {
		found, err := a.ListTools(ctx, query, l.p.quiet())
		l.p.settled()
		switch {
		case err != nil:
			return err
		case l.json:
			return l.p.printJSON(struct {
				Files []string   `json:"files"`
				Tools []app.Tool `json:"tools"`
			}{orEmpty(query.Files), found})
		case len(found) == 0 && l.search != "":
			return l.p.emit("No tool fits these words.\n")
		case len(found) == 0 && l.p.server != nil:
			return l.p.emit("The server has no tools.\n")
		case len(found) == 0:
			return l.p.emit("There are no tools in " + safetext.Line(strings.Join(query.Files, ", ")) + ".\n")
		}
		t := format.Table{{Head: "TOOL"}, {Head: "EFFECTS"}, {Head: "FROM", Drop: 2}, {Head: "APPROVAL", Drop: 1}, {Head: "WHAT IT DOES"}}
		for _, d := range found {
			approval := ""
			if d.Approval {
				approval = "yes"
			}
			t.Add(d.ID(), d.Effects, d.From, approval, d.Summary)
		}
		return l.p.emit(format.Fitted(t, l.p.columns()))
	})
}

const toolsShowLong = `Shows all that is known of a tool: what it does, its arguments and its result,
what a call does to the world, what its results are to rules about data, its
bounds, what in it is secret (names alone), its hash as the journal has it, what
executes it, and how code calls it.`

// toolsShowing is one praxis tools show.
type toolsShowing struct {
	p          *program
	files      toolFiles
	json, stub bool
}

func (p *program) toolsShowCommand() *cobra.Command {
	s := &toolsShowing{p: p}
	cmd := &cobra.Command{
		Use: "show NAME[@VERSION]", Short: "Show all that is known of a tool", Long: toolsShowLong,
		Example: "  praxis tools show crm.find\n  praxis tools show crm.find@1 --tools tools.yaml --stub",
		Args:    noFiles(1, 1),
		RunE:    func(cmd *cobra.Command, args []string) error { return s.show(cmd.Context(), args) },
	}
	fs := cmd.Flags()
	fs.BoolVar(&s.stub, "stub", false, "print the Python stub (.pyi) instead")
	s.files.register(cmd)
	fs.BoolVar(&s.json, "json", false, "print the definition as one JSON object instead")
	return cmd
}

func (s *toolsShowing) show(ctx context.Context, args []string) error {
	if s.json && s.stub {
		return usage("praxis tools show", "--json and --stub are two forms of one output")
	}
	query, err := s.files.query()
	if err != nil {
		return err
	}
	return s.p.withApp(func(a *app.App) error {
		d, err := a.ShowTool(ctx, query, args[0], s.p.quiet())
		s.p.settled()
		switch {
		case err != nil:
			return err
		case s.json:
			return s.p.printJSON(d.Document)
		case s.stub:
			return s.p.emit(d.Stub)
		}
		return s.p.emit(s.text(d))
	})
}

// text is a tool for a person.
func (s *toolsShowing) text(d app.ToolDetails) string {
	st := s.p.styleOf(s.p.stdout)
	var b strings.Builder
	line := func(name, text string) {
		if text != "" {
			fmt.Fprintf(&b, "%s%s%s\n", st.Paint(format.Bold, name), strings.Repeat(" ", max(1, 12-len(name))), safetext.Line(text))
		}
	}
	title := safetext.Line(d.ID())
	if d.Title != "" {
		title += "  " + safetext.Line(d.Title)
	}
	b.WriteString(st.Paint(format.Bold, title) + "\n")
	if text := strings.TrimSpace(d.Description); text != "" {
		b.WriteString("  " + strings.ReplaceAll(indentRest(safetext.Text(text), "  "), "\n  \n", "\n\n") + "\n")
	}
	b.WriteString("\n" + argumentTable(d.Arguments, s.p.columns()) + d.Returns + "\n\n")
	line("effects", d.Does)
	line("results", d.Results)
	for _, demand := range d.Demands {
		line("", demand)
	}
	line("limits", d.Limits)
	line("secrets", d.Secrets)
	if d.Approval {
		line("approval", "a person has to agree to each call")
	}
	if d.Idempotent {
		line("idempotent", "twice with the same arguments is as good as once")
	}
	line("from", d.From)
	line("identity", d.Identity)
	line("declared", d.Declared)
	line("hash", d.Hash)
	line("in Python", d.Signature)
	return b.String()
}

// argumentTable is a table of what a tool takes.
func argumentTable(args []app.ToolArgument, width int) string {
	if len(args) == 0 {
		return "It takes no arguments.\n\n"
	}
	t := format.Table{{Head: "ARGUMENT"}, {Head: "TYPE"}, {Head: "REQUIRED"}, {Head: "DEFAULT", Drop: 1}, {Head: "WHAT IT IS", Wrap: true}}
	for _, a := range args {
		required := ""
		if a.Required {
			required = "yes"
		}
		t.Add(a.Name, a.Type, required, safetext.Clip(a.Default, 40), a.What)
	}
	return format.Fitted(t, width) + "\n"
}
