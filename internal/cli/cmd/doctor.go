package cmd

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"praxis/internal/app"
	"praxis/internal/cli/format"
)

func (p *program) doctorCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "doctor", Short: "Say what this host gives: boundary, limits, shortcomings", Args: takes(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error { return p.doctor(cmd.Context(), asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object instead")
	return cmd
}

func (p *program) doctor(ctx context.Context, asJSON bool) error {
	cfg, err := p.config()
	if err != nil {
		return err
	}
	return p.withApp(func(a *app.App) error {
		h, err := a.Host(ctx)
		if err != nil {
			return err
		}
		if asJSON {
			err = p.printJSON(h)
		} else {
			err = p.emit(describeHost(h, cfg.Home, p.columns()))
		}
		if err != nil {
			return err
		}
		for _, f := range h.Findings {
			if f.Fatal {
				return exitStatus{exitFailed}
			}
		}
		return nil
	})
}

func describeHost(h app.Host, home string, width int) string {
	var b strings.Builder
	user := "an unprivileged user"
	if h.Root {
		user = "root"
	}
	fmt.Fprintf(&b, "boundary   %s\nbackend    %s, platform %s\nrun as     %s\ndata       %s\n", h.Boundary, h.Backend, h.Platform, user, home)
	if len(h.Limits) > 0 {
		b.WriteString("\nlimits and what enforces them\n")
		t := format.Table{{Head: "  LIMIT"}, {Head: "BY"}, {Head: "NOTE", Wrap: true}}
		for _, l := range h.Limits {
			t.Add("  "+l.Limit, l.By, l.Note)
		}
		b.WriteString(format.Fitted(t, width))
	}
	if len(h.Findings) == 0 {
		b.WriteString("\nNothing is missing.\n")
		return b.String()
	}
	b.WriteString("\nwhat is missing\n")
	for _, f := range h.Findings {
		mark := "  ! "
		if f.Fatal {
			mark = "  ✗ "
		}
		fmt.Fprintf(&b, "%s%s\n      → %s\n", mark, f.What, f.Remedy)
	}
	return b.String()
}
