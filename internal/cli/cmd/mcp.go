package cmd

import (
	"log/slog"
	"time"

	"github.com/spf13/cobra"

	"praxis/internal/app"
)

const mcpLong = `Speaks the Model Context Protocol (MCP) on standard input and output, for an assistant
such as Claude Code, Claude Desktop, Cursor, VS Code or Codex, which starts it as its
child. The assistant's model runs code in a session that keeps its variables, writes
and reads the session's files, and sees its pictures.

The session goes when the assistant does; --session names one that stays. Files of
this machine are read only from the folders that --folder names, and nothing is
written to them. With --tools and --policy it can check and run plans; a call that
somebody has to agree to is put to the person at the assistant, if that can ask one,
and denied otherwise.

  claude mcp add praxis -- praxis mcp --folder ~/data

"praxis serve" answers MCP at /mcp, for several people and from afar.`

func (p *program) mcpCommand() *cobra.Command {
	s := &serveCommand{p: p, local: true, idle: flagValue[time.Duration]{parse: app.ParseTimeout, kind: "time"}}
	var session string
	var folders []string
	cmd := &cobra.Command{
		Use: "mcp", Short: "Speak MCP on standard input and output", Long: mcpLong, Args: takes(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			srv, err := s.open(slog.New(slog.NewTextHandler(p.stderr, &slog.HandlerOptions{Level: slog.LevelError})))
			if err != nil {
				return err
			}
			defer func() { err = s.close(cmd.Context(), srv, err) }()
			door, err := srv.LocalMCP(session, folders)
			if err != nil {
				return err
			}
			in, stop := p.input(cmd.Context())
			defer stop()
			return door.Serve(cmd.Context(), in, p.stdout)
		},
	}
	cmd.Flags().StringVar(&session, "session", "", "`NAME` of the session to work in, which stays; left out: one that goes with the assistant")
	cmd.Flags().StringArrayVar(&folders, "folder", nil, "`FOLDER` of this machine whose files the assistant may copy into its session (may be repeated)")
	s.register(cmd)
	return cmd
}
