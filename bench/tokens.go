package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"

	"praxis/bench/workflow"
	"praxis/event"
	"praxis/internal/session"
)

// tokens runs the workflows, each by direct calls and in code.
func tokens(ctx context.Context, o options, out io.Writer) (err error) {
	e, err := open(ctx, o.sink)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.Close()) }()
	report, err := workflow.Measure(ctx, workflow.All(), func(ctx context.Context) (workflow.Session, error) {
		s, err := e.sessions.Create(ctx, session.Options{Image: e.image}, o.sink)
		if err != nil {
			return nil, err
		}
		return codeSession{s}, nil
	}, o.sink)
	if err != nil {
		return err
	}
	if o.json {
		return printJSON(out, report)
	}
	return printTokens(out, report)
}

// codeSession is a session as workflows have it.
type codeSession struct{ *session.Session }

// Execute runs code.
func (s codeSession) Execute(ctx context.Context, lang, code string, sink event.Sink) (event.Execution, error) {
	return s.Session.Execute(ctx, code, session.Exec{Language: lang}, sink)
}

// printTokens writes what tools in code save.
func printTokens(out io.Writer, r workflow.Report) error {
	fmt.Fprintf(out, "Tokens of the whole conversation, each counted once (%s): direct calls compared with tools in code.\n"+
		"The median saving is %.1f %% (aim ≥ 95 %%), the worst %.1f %% (aim ≥ 75 %%).\n\n", r.Tokenizer, 100*r.MedianSaving, 100*r.WorstSaving)
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "WORKFLOW\tDIRECT\tCODE\tSAVING\tTURNS\tBILLED DIRECT\tBILLED CODE\tCORRECT")
	wrong := ""
	for _, w := range r.Workflows {
		correct := "both ways"
		if !w.Correct {
			correct = "no"
			wrong += "\n" + w.Name + ": " + w.Wrong
		}
		fmt.Fprintf(t, "%s\t%d\t%d\t%.1f %%\t%d, %d\t%d\t%d\t%s\n",
			w.Name, w.DirectTokens, w.CodeTokens, 100*w.Saving, w.DirectTurns, w.CodeTurns, w.DirectBilled, w.CodeBilled, correct)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := io.WriteString(out, wrong)
	return err
}
