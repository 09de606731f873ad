package cmd

import (
	"context"

	"github.com/spf13/cobra"

	"praxis/internal/app"
	"praxis/internal/server/measure"
)

func (p *program) serverBenchCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "server",
		Short: "Measure what a server costs its clients",
		Long: `Measures a server with a client on the loopback: how long a session takes until its
first result, one by one, at a steady rate and fifty at once; a round trip beside the
engine's own; executions a second in fifty sessions; the call of a paused session; the
memory of 200 sessions and of clients that only follow. A Jupyter server (jupyter_server
and ipykernel from the index) is measured beside it.

The sessions have no packages. Everything is in a data folder of its own, which is
removed again.`,
		Args: takes(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error { return p.benchServer(cmd.Context(), asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object instead")
	return cmd
}

func (p *program) benchServer(ctx context.Context, asJSON bool) error {
	o, err := p.options()
	if err != nil {
		return err
	}
	return p.withApp(func(a *app.App) error {
		report, err := measure.Run(ctx, measure.Config{
			Dir: o.Config.Home, Sink: p.quiet(),
			Open: func(home string, warm, most int) (*app.App, error) {
				own := withHome(o, home)
				own.Warm, own.MaxSessions = warm, most
				return app.Open(own)
			},
			Jupyter: func(ctx context.Context) (*measure.Jupyter, error) {
				img, err := a.BenchImage(ctx, []string{"jupyter_server", "ipykernel"}, p.quiet())
				if err != nil {
					return nil, err
				}
				return measure.StartJupyter(ctx, o.Config.Home, img)
			},
		})
		p.settled()
		if err != nil {
			return err
		}
		if asJSON {
			return p.printJSON(report)
		}
		return p.emit(describeReport(report, measure.Names(), p.columns()))
	})
}

// describedServer says what a figure of a server means.
func describedServer(name string) meaning {
	switch name {
	case "server_create_ms":
		return meaning{"ms", "", "making a session over HTTP, until 1+1 answers; the next when that one is deleted"}
	case "server_steady_ms":
		return meaning{"ms", "", "the same, two a second"}
	case "server_burst_50_ms":
		return meaning{"ms", "", "the same, fifty at once"}
	case "server_create_misses", "server_steady_misses", "server_burst_50_misses":
		return meaning{"", "", "sessions of those for which no sandbox was ready"}
	case "server_trip_us":
		return meaning{"µs", "", "the smallest execution over HTTP, there and back"}
	case "engine_trip_us":
		return meaning{"µs", "", "the same without a server"}
	case "server_trip_ratio":
		return meaning{"×", "", "server_trip_us compared with engine_trip_us, round by round"}
	case "server_executions_per_second":
		return meaning{"1/s", "", "small executions over HTTP in 50 sessions, one at a time in each"}
	case "server_wake_ms":
		return meaning{"ms", "", "a call of a session that is paused, until its code has run"}
	case "server_alive":
		return meaning{"", "", "sessions that live at once, each with a variable"}
	case "server_session_mb":
		return meaning{"MB", "", "memory of each of them, what they share counted once"}
	case "server_follower_kb":
		return meaning{"KB", "", "memory of a client that follows a silent execution, client and server together, without the kernel's buffers"}
	case "server_churn_kb":
		return meaning{"KB", "", "what stays in the server's memory of each session that was made, used and deleted"}
	case "jupyter_server_create_ms":
		return meaning{"ms", "", "a kernel of a Jupyter server, until 1+1 answers"}
	case "jupyter_server_trip_us":
		return meaning{"µs", "", "the smallest execution over its WebSocket, there and back"}
	case "server_create_vs_jupyter":
		return meaning{"×", "", "server_create_ms compared with jupyter_server_create_ms, round by round"}
	case "server_trip_vs_jupyter":
		return meaning{"×", "", "server_trip_us compared with jupyter_server_trip_us, round by round"}
	}
	return meaning{}
}
