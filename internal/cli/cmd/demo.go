package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"praxis/internal/app"
)

func (p *program) demoCommand() *cobra.Command {
	a := &askCommand{p: p}
	cmd := &cobra.Command{
		Use: "demo", Short: "Ask a question about real figures, with scripted replies of a model", Args: takes(0, 0, ""),
		Long: `Asks a question about 66 years of carbon dioxide in the air. The replies of the
model are scripted, so that no key and no network are needed; the code in them
really runs in the sandbox, and the figures of the answer come from there.`,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.printFailure(a.demo(cmd.Context())) },
	}
	cmd.Flags().StringVar(&a.out, "out", "praxis-demo", "save the chart in this `DIR`")
	cmd.Flags().BoolVar(&a.json, "json", false, "print one JSON object an event, the answer last")
	a.flags.register(cmd)
	return cmd
}

// demo is ask with the files of package demo, put where ask can read them.
func (a *askCommand) demo(ctx context.Context) (err error) {
	dir, err := os.MkdirTemp("", "praxis-demo-")
	if err != nil {
		return fmt.Errorf("cannot make a folder for the demo: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	d, err := app.WriteDemo(dir)
	if err != nil {
		return err
	}
	a.files, a.model = []string{d.Data}, d.Model
	return a.run(ctx, d.Question)
}
