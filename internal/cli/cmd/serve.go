package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"praxis/fault"
	"praxis/internal/app"
	"praxis/internal/cli/format"
	"praxis/internal/client"
	"praxis/internal/server"
	"praxis/internal/server/access"
	"praxis/internal/server/api"
	"praxis/internal/server/e2b"
	"praxis/internal/server/live"
	"praxis/internal/server/observe"
	"praxis/internal/server/oidc"
	"praxis/internal/server/rpc"
	"praxis/internal/server/trace"
)

const serveLong = `Serves sessions, runs and what is recorded of them over HTTP, for programs and for
several people. At the first start it makes a key with every right, prints it once,
and stores it in server/key below the data folder, readable for you alone.

  curl -H "Authorization: Bearer KEY" http://127.0.0.1:7411/v1/sessions -d '{}'

GET /v1/openapi.json describes every route. JSON-RPC 2.0 with the same names is at
/rpc, by POST or WebSocket; "praxis rpc" speaks it on standard input and output.
Clients of OpenAI's API take /openai/v1 as their base URL, those of MCP the address of
/mcp; "praxis mcp" speaks MCP on standard input and output. Programs that were written
for E2B's sandboxes are served with --e2b.

It listens on loopback. Another address needs --cert and --cert-key, or --in-clear
behind a proxy that speaks TLS. Under which names it may be asked, --name says.

A session that is idle is saved and its sandbox closed; the next call opens it
again. So are all sessions when the server stops (Ctrl-C or SIGTERM).

Beside keys it accepts tokens of an OpenID Connect issuer: --oidc-issuer says whose,
and --oidc-audience those that the issuer made for this server.

The tools and hosts of --tools, --policy and --allow-net are those of every run:
clients cannot name files of this machine.

With OTEL_EXPORTER_OTLP_ENDPOINT in the environment it sends traces to a collector of
OpenTelemetry, as OTLP over HTTP in JSON.`

// serveCommand holds the flags of "praxis serve".
type serveCommand struct {
	local    bool // the program's own caller alone is answered
	p        *program
	tools    toolFlags
	listen   string
	cert     string
	certKey  string
	inClear  bool
	names    []string
	ports    bool
	domain   string
	idle     flagValue[time.Duration]
	sessions int
	stored   int
	runs     int
	warm     int
	requests float64
	files    bool
	quotas   []string
	metrics  bool
	oidc     oidc.Config
	e2b      e2bFlags
}

// defaultListen is where a server listens unless it is said otherwise.
const defaultListen = "127.0.0.1:7411"

// sandboxesOfRun is how many sandboxes a run may have on the average: its own, those of its
// attempts and of what it begins.
const sandboxesOfRun = 8

// defaultWarm is a burst of two sessions. Each sandbox that waits takes the memory of one that
// is used, some 30 MB without packages.
const defaultWarm = 2

func (p *program) serveCommand() *cobra.Command {
	s := &serveCommand{p: p, idle: flagValue[time.Duration]{parse: app.ParseTimeout, kind: "time"}}
	cmd := &cobra.Command{
		Use: "serve", Short: "Serve sessions and runs over HTTP", Long: serveLong, Args: takes(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error { return s.run(cmd.Context()) },
	}
	fs := cmd.Flags()
	fs.StringVar(&s.listen, "listen", defaultListen, "`ADDRESS` to listen on; port 0 takes any that is free")
	fs.StringVar(&s.cert, "cert", "", "`FILE` with the certificates, PEM")
	fs.StringVar(&s.certKey, "cert-key", "", "`FILE` with their private key, PEM")
	fs.BoolVar(&s.inClear, "in-clear", false, "listen beyond loopback without certificates: keys and code can be read on the way")
	fs.StringArrayVar(&s.quotas, "quota", nil, "`NAME=NUMBER` that each tenant may use, such as tokens-day=1000000 (may be repeated; see praxis serve quota)")
	fs.BoolVar(&s.metrics, "open-metrics", false, "let clients on this machine read /metrics without a key")
	fs.StringArrayVar(&s.names, "name", nil, "`HOST` name under which clients may ask (may be repeated)")
	fs.BoolVar(&s.ports, "ports", false, "let clients open ports of sessions: a server in one answers as PORT-ID.localhost")
	fs.StringVar(&s.domain, "ports-domain", "localhost", "`DOMAIN` in the place of localhost; all names below it must lead here")
	s.registerOIDC(cmd)
	s.registerE2B(cmd)
	s.register(cmd)
	cmd.AddCommand(s.p.serveKeyCommand(), s.p.serveQuota(), s.p.serveSecret(), s.p.serveAudit())
	return cmd
}

// register adds the flags that "praxis rpc" and "praxis mcp" have, too.
func (s *serveCommand) register(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.Var(&s.idle, "idle", fmt.Sprintf("pause a session after this time without a call (default %s)", live.DefaultIdle))
	fs.IntVar(&s.sessions, "max-sessions", live.DefaultMost, "sessions of a tenant that have a sandbox at a time; others are paused")
	fs.IntVar(&s.stored, "max-stored", live.DefaultStored, "sessions of a tenant, those that are paused included")
	fs.IntVar(&s.runs, "max-runs", live.DefaultRuns, "runs of a tenant that go on at a time")
	fs.IntVar(&s.warm, "warm", defaultWarm, "sandboxes that are kept ready for each kind of session that was made lately; 0: none")
	fs.Float64Var(&s.requests, "max-requests", server.DefaultRequests, "requests of a tenant a second")
	fs.BoolVar(&s.files, "allow-file-models", false, "let clients name models of files, such as scripted:FILE")
	s.tools.registerFiles(cmd)
	s.tools.registerNet(cmd)
	s.tools.registerApproval(cmd)
	cmd.Flags().Lookup("approve").Usage = "who is asked about calls that need approval, in the place of keys with the right to approve; `WHO` is never, a webhook's URL, or command:PROGRAM"
}

// open makes the server that the flags describe.
func (s *serveCommand) open(log *slog.Logger) (*server.Server, error) {
	for flag, n := range map[string]int{"--max-sessions": s.sessions, "--max-stored": s.stored, "--max-runs": s.runs} {
		if n < 1 {
			return nil, usage("praxis serve", "%s must be at least 1", flag)
		}
	}
	if !(s.requests > 0) {
		return nil, usage("praxis serve", "--max-requests must be above 0")
	}
	if s.warm < 0 {
		return nil, usage("praxis serve", "--warm must not be below 0")
	}
	if s.tools.approve == "terminal" {
		return nil, usage("praxis serve", "--approve terminal: nobody sits at a server's terminal")
	}
	o, err := s.p.options()
	if err != nil {
		return nil, err
	}
	quota, err := quotaOf(s.quotas)
	if err != nil {
		return nil, err
	}
	o.Warm, o.MaxSessions = s.warm, s.sessions+sandboxesOfRun*s.runs
	domain := ""
	if s.ports {
		domain = s.domain
	}
	prices, err := app.LoadPrices(s.p.getenv)
	if err != nil {
		log.Warn("costs are not counted", "error", err)
	}
	traces, warnings := trace.Configure(s.p.getenv)
	for _, w := range warnings {
		log.Warn(w)
	}
	var idle time.Duration
	if s.idle.value != nil {
		idle = *s.idle.value
	}
	return server.New(server.Config{
		Local: s.local,
		Home:  o.Config.Home, Version: s.p.version, Hosts: lower(s.names), Ports: domain, Requests: s.requests, Burst: max(1, int(2*s.requests)),
		Quota: quota, OpenMetrics: s.metrics, OIDC: s.oidc, E2B: s.e2b.config(),
		Idle: idle, Sessions: s.sessions, Stored: s.stored, Runs: s.runs, FileModels: s.files, Prices: prices, Traces: traces,
		Tools: s.toolSpec(), Net: app.NetSpec{Hosts: s.tools.net, Credentials: s.tools.credentials},
		Served: func(r observe.Request) { logServed(log, r) },
		Failed: func(tenant, session string, err error) {
			text := "session failed"
			if session == "" {
				text = "failed"
			}
			log.Error(text, "tenant", tenant, "session", session, "error", err)
		},
		Models: func(ctx context.Context) []app.ProviderModels { return app.ListModels(ctx, s.p.getenv) },
		Open: func(t server.Tenant) (*app.App, error) {
			o := o
			if t.Home != o.Config.Home {
				o = withHome(o, t.Home)
			}
			o.Watch, o.Getenv, o.Environ = t.Watch, before(t.Environ, o.Getenv), slices.Concat(o.Environ, t.Environ)
			if t.Disk > 0 {
				o.Config.HomeQuota = t.Disk
			}
			return app.Open(o)
		},
	})
}

// withHome returns options for another data folder: its keys and runs are its own, the rest
// of the configuration is the same.
func withHome(o app.Options, home string) app.Options {
	o.Config.Home, o.Config.Run = home, filepath.Join(home, "run")
	o.Config.Journal.Key, o.Config.SealKey = "", ""
	return o
}

// toolSpec says what runs may call. Nobody sits at the server's terminal: a call that somebody
// has to agree to is an open question, unless the operator says who is asked.
func (s *serveCommand) toolSpec() app.ToolSpec {
	spec := app.ToolSpec{Files: s.tools.tools, Policy: s.tools.policy, Commands: s.tools.commands, Approval: app.ApprovalSpec{Who: s.tools.approve}}
	if v := s.tools.patience.value; v != nil {
		spec.Approval.Timeout = *v
	}
	return spec
}

// logServed writes a line of the log for a request: who asked for what, and what became of it.
// Its path, query and body are not in it, since they may hold what is secret.
func logServed(log *slog.Logger, r observe.Request) {
	level, text := slog.LevelInfo, "request"
	if r.Tenant == "" && r.Status == http.StatusOK {
		level = slog.LevelDebug // a probe, the document
	}
	attrs := []slog.Attr{
		slog.String("request", r.ID), slog.String("method", r.Method), slog.String("route", r.Route), slog.String("operation", r.Operation),
		slog.String("tenant", r.Tenant), slog.String("key", r.Key), slog.Int("status", r.Status), slog.Duration("took", r.Took),
	}
	if r.Object != "" {
		attrs = append(attrs, slog.String("object", r.Object))
	}
	if fault := r.Fault(); fault != "" {
		attrs = append(attrs, slog.String("fault", fault))
	}
	if r.Err != nil {
		level, text = slog.LevelError, "request failed"
		attrs = append(attrs, slog.Any("error", r.Err))
	}
	log.LogAttrs(context.Background(), level, text, attrs...)
}

func lower(names []string) []string {
	var out []string
	for _, n := range names {
		out = append(out, strings.ToLower(n))
	}
	return out
}

// stopWithin is how long saving the sessions may take when the server stops.
const stopWithin = 2 * time.Minute

func (s *serveCommand) run(ctx context.Context) (err error) {
	if (s.cert == "") != (s.certKey == "") {
		return usage("praxis serve", "--cert and --cert-key go together")
	}
	if err := errors.Join(s.checkOIDC(), s.checkE2B()); err != nil {
		return err
	}
	if err := server.CheckAddress(s.listen, s.cert != "", s.inClear); err != nil {
		return err
	}
	certificates, err := certificatesOf(s.cert, s.certKey)
	if err != nil {
		return err
	}
	srv, err := s.open(slog.New(slog.NewTextHandler(s.p.stderr, nil)))
	if err != nil {
		return err
	}
	defer func() { err = s.close(ctx, srv, err) }()
	listener, err := net.Listen("tcp", s.listen)
	if err != nil {
		return fault.New(fault.Conflict, "Choose another address with --listen.", "cannot listen on %s: %w", s.listen, err)
	}
	theirs, where, err := s.listenE2B()
	if err != nil {
		_ = listener.Close()
		return err
	}
	stop := func() {
		_ = listener.Close()
		if theirs != nil {
			_ = theirs.Close()
		}
	}
	key, file, made, err := srv.FirstKey()
	if err != nil {
		stop()
		return err
	}
	scheme := "http"
	if certificates != nil {
		scheme = "https"
	}
	text := fmt.Sprintf("Praxis answers at %s://%s (Ctrl-C stops it and saves its sessions).\n", scheme, listener.Addr()) + where
	if made {
		text += fmt.Sprintf("The first key, which has every right: %s\nIt is stored in %s. Make others with \"praxis serve key add\".\n", key, file)
	}
	if err := s.p.emit(text); err != nil {
		stop()
		return err
	}
	if err := srv.Recover(ctx); err != nil { // the other runs go on, and what is new begins
		report(s.p.stderr, err)
	}
	return s.serveBoth(ctx, srv, listener, certificates, theirs)
}

// close saves what lives. The command was stopped by then, so its context is over.
func (s *serveCommand) close(ctx context.Context, srv *server.Server, err error) error {
	bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopWithin)
	defer cancel()
	if closed := srv.Close(bounded); closed != nil {
		if err != nil {
			report(s.p.stderr, closed)
			return err
		}
		return closed
	}
	return err
}

const rpcLong = `Speaks JSON-RPC 2.0 on standard input and output, one message a line, for a program
that embeds Praxis and starts this as its child. The methods are the operations of
"praxis serve" (GET /v1/openapi.json names them): sessions.create, executions.start,
runs.ask and the others, with one object of parameters.

With "stream": true, events come as notifications of the method "event" before the
response; the method "cancel" with {"id": …} gives a request up. It ends when its
input does, and saves its sessions.

  {"jsonrpc":"2.0","id":1,"method":"sessions.create","params":{"id":"s"}}
  {"jsonrpc":"2.0","id":2,"method":"executions.start","params":{"session":"s","code":"6*7"}}`

func (p *program) rpcCommand() *cobra.Command {
	s := &serveCommand{p: p, local: true, idle: flagValue[time.Duration]{parse: app.ParseTimeout, kind: "time"}}
	cmd := &cobra.Command{
		Use: "rpc", Short: "Speak JSON-RPC on standard input and output", Long: rpcLong, Args: takes(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			srv, err := s.open(slog.New(slog.NewTextHandler(p.stderr, &slog.HandlerOptions{Level: slog.LevelWarn})))
			if err != nil {
				return err
			}
			defer func() { err = s.close(cmd.Context(), srv, err) }()
			if err := srv.Recover(cmd.Context()); err != nil { // the other runs go on, and what is new begins
				report(p.stderr, err)
			}
			in, stop := p.input(cmd.Context())
			defer stop()
			return srv.Local().Serve(cmd.Context(), rpc.NewLines(in, p.stdout))
		},
	}
	s.register(cmd)
	return cmd
}

// input is standard input until ctx is over.
func (p *program) input(ctx context.Context) (in io.Reader, stop func() bool) {
	from, to := io.Pipe()
	go func() { // ends with the input, or with the process: a read of a terminal cannot be given up
		_, err := io.Copy(to, p.stdin)
		_ = to.CloseWithError(err)
	}()
	return from, context.AfterFunc(ctx, func() { _ = to.CloseWithError(io.EOF) })
}

// keys has f use the keys of the server over the person's data folder, or of the one that
// was named.
func (p *program) keys(f func(keyer) error) error {
	if p.server != nil {
		return on(p, func(c *client.Client) error { return f(c) })
	}
	cfg, err := p.config()
	if err != nil {
		return err
	}
	keys, err := access.Open(filepath.Join(cfg.Home, server.Folder), nil)
	if err != nil {
		return err
	}
	return f(localKeys{keys})
}

func (p *program) serveKeyCommand() *cobra.Command {
	return group("key", "Keys of those who may ask the server", p.serveKeyAdd(), p.serveKeyList(), p.serveKeyRemove())
}

func (p *program) serveKeyAdd() *cobra.Command {
	var like access.Key
	var scopes, quotas []string
	var asJSON, forE2B bool
	lasts := flagValue[time.Duration]{parse: app.ParseTimeout, kind: "time"}
	cmd := &cobra.Command{
		Use: "add", Short: "Make a key; its text is printed once", Args: takes(0, 0, ""),
		Example: "  praxis serve key add --tenant team-a --scope run --scope read --name ci",
		RunE: func(cmd *cobra.Command, _ []string) error {
			for _, s := range scopes {
				like.Scopes = append(like.Scopes, access.Scope(s))
			}
			if lasts.value != nil {
				like.Expires = time.Now().UTC().Add(*lasts.value)
			}
			quota, err := quotaOf(quotas)
			if err != nil {
				return err
			}
			like.Quota = quota
			return p.keys(func(keys keyer) error {
				text, made, err := keys.AddKey(cmd.Context(), like)
				if err != nil {
					return err
				}
				if forE2B {
					text = e2b.KeyFor(text)
				}
				return p.done(asJSON, api.MadeKey{Key: made, Text: text}, text+"\n")
			})
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&like.Tenant, "tenant", access.DefaultTenant, "whose data it is for: each tenant has its own")
	fs.StringVar(&like.Name, "name", "", "what it is for, in your words")
	fs.StringArrayVar(&scopes, "scope", nil, "`RIGHT` that it gives: read, run, approve or admin (may be repeated; default read and run)")
	fs.StringArrayVar(&quotas, "quota", nil, "`NAME=NUMBER` that may be used with it (may be repeated; see praxis serve quota)")
	fs.BoolVar(&forE2B, "e2b", false, "write it as E2B's clients take it, e2b_…; the server takes either")
	fs.Var(&lasts, "lasts", "how long it is valid (default: until it is removed)")
	return oneObject(cmd, &asJSON)
}

func (p *program) serveKeyList() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "ls", Short: "List the keys", Args: takes(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.keys(func(keys keyer) error {
				list, err := keys.ListKeys(cmd.Context())
				if err != nil {
					return err
				}
				return p.listServerKeys(list, asJSON)
			})
		},
	}
	return objectLines(cmd, &asJSON)
}

// listServerKeys prints the keys of a server.
func (p *program) listServerKeys(list []access.Key, asJSON bool) error {
	t := format.Headed("ID", "TENANT", "SCOPES", "EXPIRES", "NAME")
	for _, k := range list {
		if asJSON {
			if err := p.printJSON(k); err != nil {
				return err
			}
			continue
		}
		expires := "never"
		if !k.Expires.IsZero() {
			expires = k.Expires.Local().Format(time.DateTime)
		}
		var scopes []string
		for _, s := range k.Scopes {
			scopes = append(scopes, string(s))
		}
		t.Add(k.ID, k.Tenant, strings.Join(scopes, ","), expires, k.Name)
	}
	switch {
	case asJSON:
		return nil
	case len(list) == 0:
		return p.emit("There is no key yet: the first start of the server makes one.\n")
	}
	return p.emit(format.Fitted(t, p.columns()))
}

func (p *program) serveKeyRemove() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "rm ID", Short: "Take a key away: it is not accepted any more", Args: takes(1, 1, "the id of a key"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.keys(func(keys keyer) error {
				if err := keys.RemoveKey(cmd.Context(), args[0]); err != nil || !asJSON {
					return err
				}
				return p.printJSON(removed{args[0]})
			})
		},
	}
	return oneObject(cmd, &asJSON)
}
