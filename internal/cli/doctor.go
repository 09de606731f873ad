package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"praxis/internal/config"
	"praxis/internal/sandbox"
	"praxis/internal/session"
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
	return p.withEngine(ctx, cfg, func(e engine) error {
		h, err := e.host(ctx)
		if err != nil {
			return err
		}
		h.Limits, h.Findings = withTimes(h.Limits, cfg), orEmpty(h.Findings)
		if asJSON {
			err = p.printJSON(h)
		} else {
			err = p.emit(describeHost(h, cfg.Home))
		}
		if err != nil {
			return err
		}
		for _, f := range h.Findings {
			if f.Fatal {
				return fate{exitFailed}
			}
		}
		return nil
	})
}

// withTimes adds the bounds on time, which no part of the host keeps.
func withTimes(limits []sandbox.Enforcement, cfg config.Config) []sandbox.Enforcement {
	cpu := "of one execution; only when --cpu-time sets it"
	if cfg.Execution.CPU > 0 {
		cpu = "of one execution: " + cfg.Execution.CPU.String()
	}
	var out []sandbox.Enforcement
	for _, l := range limits {
		if l.Limit == "wall" && l.Note == "" {
			l.Note = "of one execution: " + cfg.Execution.Timeout.String()
		}
		out = append(out, l)
	}
	return append(out,
		sandbox.Enforcement{Limit: "cpu_time", By: "guest agent", Note: cpu},
		sandbox.Enforcement{Limit: "session_wall", By: "praxis", Note: "life of a session: " + session.DefaultWall.String()},
		sandbox.Enforcement{Limit: "session_idle", By: "praxis", Note: "time without a call: " + session.DefaultIdle.String()},
	)
}

func describeHost(h sandbox.Host, home string) string {
	var b strings.Builder
	user := "an unprivileged user"
	if h.Root {
		user = "root"
	}
	fmt.Fprintf(&b, "boundary   %s\nbackend    %s, platform %s\nrun as     %s\ndata       %s\n", h.Boundary, h.Backend, h.Platform, user, home)
	if len(h.Limits) > 0 {
		b.WriteString("\nlimits and what enforces them\n")
		t := headed("  LIMIT", "BY", "NOTE")
		for _, l := range h.Limits {
			t.add("  "+l.Limit, l.By, l.Note)
		}
		b.WriteString(t.String())
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
