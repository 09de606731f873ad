package cmd

import (
	"bufio"
	"context"
	"errors"
	"io"
	"time"

	"github.com/spf13/cobra"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/app"
	"praxis/internal/cli/format"
	"praxis/internal/cli/tui"
	reports "praxis/internal/record/report"
)

const showLong = `Shows what happened in a run: its question or code, and step by step the
thoughts, the code, its output, what it changed, tokens, time and cost.

RUN is an id, the beginning of one, last, or last~2, or a FILE that praxis export
wrote; without one it is last. A run that has children, such as attempts side by
side, is shown with its tree; RUN.2 is its child 2, and RUN.2.1 the child 1 of that.
With --figures it is the table of the answer's figures: where each comes from,
and the number that it was found as, with its step and line.
Long output is shortened; --step N shows one step in full. --out DIR saves the
pictures that the code displayed.

With --json every event is one object a line, as the journal has it: "event" is
its name, "seq" its place in the journal, "time" when it was recorded.`

// showCommand is one praxis show.
type showCommand struct {
	p       *program
	step    int
	figures bool
	out     string
	json    bool
}

func (p *program) showCommand() *cobra.Command {
	s := &showCommand{p: p}
	cmd := &cobra.Command{
		Use: "show [RUN|FILE]", Short: "Show what happened in a run", Long: showLong, Args: takes(0, 1, ""),
		RunE: func(cmd *cobra.Command, args []string) error { return s.show(cmd.Context(), runRef(args)) },
	}
	fs := cmd.Flags()
	fs.IntVar(&s.step, "step", 0, "show step `N` alone, and all of it")
	fs.BoolVar(&s.figures, "figures", false, "show what each figure of the answer was found as")
	fs.StringVar(&s.out, "out", "", "save pictures into this `DIR`")
	fs.BoolVar(&s.json, "json", false, "print the events, one JSON object a line")
	return cmd
}

// runRef is the run that a command line names, or the last.
func runRef(args []string) string {
	if len(args) == 0 {
		return "last"
	}
	return args[0]
}

func (s *showCommand) show(ctx context.Context, ref string) error {
	if s.step < 0 {
		return fault.New(fault.Invalid, "Steps count from 1.", "cannot show step %d", s.step)
	}
	if s.json && s.out != "" {
		return fault.New(fault.Invalid, "Leave one of them out.", "cannot use --json and --out together: pictures are in the events")
	}
	if s.figures && (s.json || s.step > 0 || s.out != "") {
		return fault.New(fault.Invalid, "Leave the others out.", "cannot use --figures together with --json, --step or --out: it is a table of its own")
	}
	return on(s.p, func(a recorder) error {
		run, err := a.ReadTree(ctx, ref)
		if err != nil && run.Damage == "" {
			return err
		}
		if s.json {
			return errors.Join(s.events(run), err)
		}
		if prices, err := app.LoadPrices(s.p.getenv); err == nil {
			run.Cost = app.CostOf(prices)
		} else {
			printMessage(s.p.stderr, err.Error(), format.Remedy(err))
		}
		if s.figures {
			opt := reports.Options{Colour: s.p.colours(s.p.stdout)}
			return errors.Join(s.p.folded(func(w io.Writer) error { return reports.Figures(w, run, opt) }), err)
		}
		if s.out != "" {
			err := app.PrepareFolder(s.out)
			if err == nil {
				run.Saved, err = app.SavePictures(s.out, "", reports.Pictures(run), false)
			}
			if err != nil {
				return err
			}
		}
		opt := reports.Options{
			Step: s.step, Colour: s.p.colours(s.p.stdout),
			LeftOut: "praxis show shows them with --step", Picture: "praxis export " + run.ID + " --format html shows it",
			Page: "praxis show " + run.ID + " --out DIR saves it", GoOn: "praxis ask --resume " + run.ID + " goes on with it",
		}
		return errors.Join(s.p.folded(func(w io.Writer) error { return reports.Transcript(w, run, opt) }), err)
	})
}

// folded has a text written to standard output, its lines broken for a terminal.
func (p *program) folded(write func(io.Writer) error) error {
	if !isTerminal(p.stdout) {
		return write(p.stdout)
	}
	f := &tui.Folding{W: p.stdout, Width: width(p.stdout)}
	return errors.Join(write(f), f.Flush())
}

// events writes the events of a run, or of one of its steps.
func (s *showCommand) events(run reports.Run) error {
	s.p.printedObject = true
	w := bufio.NewWriterSize(s.p.stdout, 64<<10)
	step := 0
	for _, rec := range run.Records {
		switch e := rec.Event.(type) {
		case event.StepBegan:
			step = e.N
		case event.AnswerGiven, event.SessionEnded, event.RunEnded:
			if s.step > 0 {
				step = 0
			}
		}
		if s.step > 0 && step != s.step {
			continue
		}
		if err := writeEvent(w, rec); err != nil {
			return err
		}
	}
	return w.Flush()
}

// writeEvent writes one record as an object on a line of its own.
func writeEvent(w io.Writer, rec event.Record) error {
	line, err := format.WithEvent(struct {
		Event string    `json:"event"`
		Seq   int64     `json:"seq"`
		Time  time.Time `json:"time"`
	}{event.Name(rec.Event), rec.Seq, rec.Time}, rec.Event)
	if err != nil {
		return err
	}
	_, err = format.SafeJSON{W: w}.Write(append(line, '\n'))
	return err
}
