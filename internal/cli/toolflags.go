package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/app"
	"praxis/internal/config"
	"praxis/internal/egress"
	"praxis/internal/guest/wire"
	"praxis/internal/plan"
	"praxis/internal/planner"
	"praxis/internal/safetext"
	"praxis/internal/tool"
	"praxis/internal/tool/approval"
	"praxis/internal/tool/bridge"
	"praxis/internal/tool/gate"
	"praxis/internal/tool/registry"
)

// toolFlags say what carries tools out, who is asked, and what code may reach.
type toolFlags struct {
	approve     string
	patience    flagValue[time.Duration]
	net         []string
	credentials []string
}

func (f *toolFlags) register(cmd *cobra.Command) {
	f.patience = flagValue[time.Duration]{parse: config.Timeout.Parse, kind: "time"}
	fs := cmd.Flags()
	fs.StringVar(&f.approve, "approve", "", "who is asked about calls that need leave; `WHO` is terminal, never, a webhook's URL, or command:PROGRAM")
	fs.Var(&f.patience, "approve-timeout", "how long an answer is waited for before the call is denied (default 5m)")
}

// registerNet adds the flags of the network. They are for commands with code.
func (f *toolFlags) registerNet(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringArrayVar(&f.net, "allow-net", nil, "let code reach these `HOSTS`, such as api.example.com:443,*.example.org, or those that stand in @FILE, which is read again when it changes (may be repeated)")
	fs.StringArrayVar(&f.credentials, "credential", nil, "put the value of an environment variable into a header of requests of code to that host, over TLS alone; the code sees a placeholder: `HOST[/PATH]=HEADER:VARIABLE`")
}

// net flags are for code alone.
func netFlags() []string { return []string{"allow-net", "credential"} }

// tooling is what the calls of one run go through.
type tooling struct {
	p        *program
	flags    *toolFlags
	registry *registry.Registry
	held     plan.Options  // what plans are held against
	rules    planner.Rules // as they are kept with the run
	secrets  *registry.Secrets
	approver gate.Approver
	nobody   bool // nobody is asked, as there is no terminal and the command line names nobody
	egress   egress.Rules
	boxes    *lazyApp
	named    string // the flags that name the files again, for who goes on with a plan

	gate  *gate.Gate
	proxy *egress.Proxy
	desk  *bridge.Desk
	env   map[string]string // placeholders of credentials
	stop  context.CancelFunc
	tasks sync.WaitGroup // what goes on beside the run
}

// lazyApp makes sandboxes when a tool first needs one, unless the command has
// its own already.
type lazyApp struct {
	p      *program
	cfg    config.Config
	given  engine
	opened engine
}

func (l *lazyApp) open(ctx context.Context) (*app.App, error) {
	e := l.given
	if e == nil && l.opened == nil {
		var err error
		if l.opened, err = l.p.openEngine(ctx, l.cfg); err != nil {
			return nil, err
		}
	}
	if e == nil {
		e = l.opened
	}
	a, ok := e.(*appEngine)
	if !ok {
		return nil, fault.New(fault.Unavailable, "", "there are no sandboxes here")
	}
	return a.App, nil
}

func (l *lazyApp) Close() error {
	if l.opened == nil {
		return nil
	}
	return l.opened.Close()
}

// openTooling reads tools and policy and makes what carries tools out. e may be
// nil. Without files of tools there are none.
func (p *program) openTooling(ctx context.Context, cfg config.Config, records *app.Records, e engine, f *toolFlags, r *ruleFlags) (t *tooling, err error) {
	t = &tooling{p: p, flags: f, boxes: &lazyApp{p: p, cfg: cfg, given: e}, named: r.again()}
	defer func() {
		if err != nil {
			err = errors.Join(err, t.Close())
		}
	}()
	if t.egress, err = f.hosts(); err != nil {
		return t, err
	}
	if len(f.credentials) > 0 && len(f.net) == 0 {
		return t, usage("praxis run", "--credential is for hosts that --allow-net names")
	}
	rules, err := r.read()
	if err != nil {
		return t, err
	}
	var files []registry.File
	for _, text := range rules.Tools {
		files = append(files, registry.File{Name: text.Name, Text: []byte(text.Text)})
	}
	if t.secrets, err = app.ReadToolSecrets(files, p.getenv); err != nil {
		return t, err
	}
	if records != nil {
		hidden := t.secrets.Values()
		if hidden == nil {
			hidden = map[string]string{}
		}
		maps.Copy(hidden, f.credentialValues(p.getenv))
		records.Journal.Hide(hidden)
	}
	t.registry, err = app.OpenTools(ctx, cfg.Home, records, t.boxes.open, app.ToolOptions{
		Files: files, Secrets: t.secrets, Commands: r.commands, Servers: true, Sink: p.progress(),
	})
	p.settled()
	if err != nil {
		return t, planner.UnusableTools(err)
	}
	for _, text := range t.registry.Problems() {
		p.warn("%s", safetext.Text(text))
	}
	if err := t.hold(rules); err != nil {
		return t, err
	}
	t.approver, err = t.whoIsAsked()
	return t, err
}

// hold joins the tools and the policy over them.
func (t *tooling) hold(rules planner.Rules) error {
	set, err := plan.Tools(t.registry.Files()...)
	if err != nil {
		return err
	}
	if t.held, err = rules.Over(set); err != nil {
		return err
	}
	t.rules = rules
	if t.implemented() { // what was derived cannot be derived again where the files are not
		text, err := tool.WriteFiles(t.registry.Files()...)
		if err != nil {
			return err
		}
		t.rules.Tools = []planner.Text{{Name: "tools.json", Text: string(text)}}
	}
	return nil
}

// implemented says whether anything carries a tool out.
func (t *tooling) implemented() bool {
	for d := range t.held.Tools.All() {
		if t.registry.Implements(d) {
			return true
		}
	}
	return false
}

// options are what plans are held against.
func (t *tooling) options() plan.Options { return t.held }

// has says whether there are tools beside the quarantined model.
func (t *tooling) has() bool { return t.registry.Set().Len() > 0 }

// whoIsAsked makes the approver: as the command line says, else the terminal
// where there is one.
func (t *tooling) whoIsAsked() (gate.Approver, error) {
	spec := t.flags.approve
	if spec == "" {
		if !isTerminal(t.p.stdin) || !isTerminal(t.p.stderr) {
			t.nobody = true
			return approval.Never{Why: "a person has to agree, and there is no terminal to ask on"}, nil
		}
		spec = "terminal"
	}
	c := approval.Config{Secret: t.p.getenv("PRAXIS_APPROVE_SECRET"), Who: t.p.getenv("USER")}
	if token := t.p.getenv("PRAXIS_APPROVE_TOKEN"); token != "" {
		c.Headers = map[string]string{"Authorization": "Bearer " + token}
	}
	if v := t.flags.patience.value; v != nil {
		c.Timeout = *v
	}
	return approval.Parse(spec, c)
}

// begin makes the gate of a run, its desk and its way out.
func (t *tooling) begin(ctx context.Context, run string, sink event.Sink, redact func(string) string, caller gate.Caller, origins ...gate.Origin) error {
	set := t.held.Tools
	if !slices.Contains(origins, gate.Plan) {
		set = t.registry.Set() // the quarantined model is for plans
	}
	if caller == nil {
		caller = t.registry
	}
	var err error
	t.gate, err = gate.New(gate.Config{
		Run: run, Tools: set, Policy: t.held.Policy, Caller: caller, Approver: t.approver, Sink: sink, Redact: redact, Origins: origins,
	})
	if err != nil {
		return err
	}
	c := bridge.Config{}
	if t.has() {
		c.Gate = t.gate
	}
	if len(t.flags.net) > 0 {
		if t.proxy, err = t.newProxy(sink); err != nil {
			return err
		}
		c.Network = t.proxy
	}
	t.desk = bridge.New(c)
	ctx, t.stop = context.WithCancel(ctx)
	t.follow(ctx)
	if t.proxy != nil && slices.ContainsFunc(t.flags.net, fromFile) {
		t.tasks.Go(func() { t.followNet(ctx) })
	}
	return nil
}

// follow tells the person when a server changes its tools: the run goes on with
// those that it began with.
func (t *tooling) follow(ctx context.Context) {
	t.tasks.Go(func() {
		t.registry.Follow(ctx, func(server string) {
			t.p.warn("the server %s changed its tools; this run goes on with those that it began with", server)
		})
	})
}

// netInterval is how often files of hosts are looked at.
const netInterval = time.Second

// followNet reads files of hosts again when they change. Live connections that
// the new rules do not allow are closed. A file that cannot be read leaves the
// rules as they are, and says so once.
func (t *tooling) followNet(ctx context.Context) {
	tick := time.NewTicker(netInterval)
	defer tick.Stop()
	told := ""
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		rules, err := t.flags.hosts()
		switch {
		case err != nil && err.Error() != told:
			told = err.Error()
			t.p.warn("the hosts that code may reach stay as they are: %s", safetext.Line(told))
		case err == nil && !slices.Equal(rules.Strings(), t.proxy.Rules().Strings()):
			told = ""
			t.proxy.SetRules(rules)
			t.p.warn("code may now reach %s", safetext.Line(strings.Join(rules.Strings(), ", ")))
		}
	}
}

// fromFile says whether a value of --allow-net names a file.
func fromFile(value string) bool { return strings.HasPrefix(value, "@") }

// hosts reads the rules of --allow-net.
func (f *toolFlags) hosts() (egress.Rules, error) {
	var texts []string
	for _, value := range f.net {
		if !fromFile(value) {
			texts = append(texts, value)
			continue
		}
		text, err := readBounded(value[1:], 64<<10)
		if err != nil {
			return egress.Rules{}, err
		}
		for line := range strings.Lines(string(text)) {
			line, _, _ = strings.Cut(line, "#")
			if line = strings.TrimSpace(line); line != "" {
				texts = append(texts, line)
			}
		}
	}
	return egress.ParseRules(texts)
}

// newProxy makes the way out.
func (t *tooling) newProxy(sink event.Sink) (*egress.Proxy, error) {
	cfg := egress.Config{Rules: t.egress, Sink: event.SinkFunc(func(e event.Event) {
		t.gate.Observe(e) // before a byte of a connection reaches the code
		sink.Emit(e)
	})}
	t.env = map[string]string{}
	for _, text := range t.flags.credentials {
		c, variable, err := credential(text)
		if err != nil {
			return nil, err
		}
		value := t.p.getenv(variable)
		if value == "" {
			return nil, fault.New(fault.Invalid, "Set it, or leave --credential out.", "the environment variable %s of --credential is not set", safetext.Line(variable))
		}
		c.Name, c.Placeholder = variable, egress.NewPlaceholder()
		c.Value = func() (string, error) { return value, nil }
		t.env[variable] = c.Placeholder
		cfg.Credentials = append(cfg.Credentials, c)
	}
	return egress.New(cfg)
}

// credentialValues are the secrets of --credential, by the names of their variables.
func (f *toolFlags) credentialValues(getenv func(string) string) map[string]string {
	out := map[string]string{}
	for _, text := range f.credentials {
		if _, variable, err := credential(text); err == nil {
			out[variable] = getenv(variable)
		}
	}
	return out
}

// credential reads HOST[:PORT][/PATH]=HEADER:VARIABLE.
func credential(text string) (egress.Credential, string, error) {
	target, what, ok := strings.Cut(text, "=")
	header, variable, ok2 := strings.Cut(what, ":")
	host, prefix, hasPath := strings.Cut(target, "/")
	bad := func() (egress.Credential, string, error) {
		return egress.Credential{}, "", usage("praxis run", "--credential %q is not HOST[/PATH]=HEADER:VARIABLE", safetext.Line(text))
	}
	if !ok || !ok2 || host == "" || header == "" || variable == "" {
		return bad()
	}
	c := egress.Credential{Host: host, Header: header}
	if hasPath {
		c.PathPrefix = "/" + prefix
	}
	if i := strings.LastIndexByte(host, ':'); i >= 0 && !strings.HasSuffix(host, "]") {
		c.Host = host[:i]
		if _, err := fmt.Sscanf(host[i+1:], "%d", &c.Port); err != nil || c.Port < 1 || c.Port > 65535 {
			return bad()
		}
	}
	return c, variable, nil
}

// caBundle is where sessions find the certificates to trust.
const caBundle = "/tmp/praxis-ca.pem"

// offered gives a session what the desk offers.
func (t *tooling) offered(ctx context.Context, w workspace, tools bool) error {
	o := wire.Offer{Tools: tools && t.has(), Net: t.proxy != nil}
	if !o.Tools && !o.Net {
		if w.describe().Name == "" {
			return nil
		}
		return w.offer(ctx, o, t.desk) // takes back what an earlier command offered
	}
	if t.proxy != nil {
		bundle, err := putCAs(ctx, w, t.proxy.CA())
		if err != nil {
			return err
		}
		o.Environ = t.proxy.Environ(wire.ProxyPort, bundle)
		for name, placeholder := range t.env {
			o.Environ[name] = placeholder
		}
	}
	return w.offer(ctx, o, t.desk)
}

// putCAs writes the certificates that code is to trust into a session, which has
// none of its own, and returns where they are; "" when there are none.
func putCAs(ctx context.Context, w workspace, own []byte) (string, error) {
	text := usualCAs() + string(own)
	if text == "" {
		return "", nil
	}
	return caBundle, w.put(ctx, caBundle, strings.NewReader(text))
}

// usualCAs are the certificates that this machine trusts, or "".
func usualCAs() string {
	for _, name := range []string{"/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem"} {
		if text, err := os.ReadFile(name); err == nil && len(text) < 4<<20 {
			return string(text) + "\n"
		}
	}
	return ""
}

// pins are the tools of a run as they are recorded.
func (t *tooling) pins() []event.ToolPin {
	var out []event.ToolPin
	for d := range t.registry.Set().All() {
		sum := d.Hash()
		out = append(out, event.ToolPin{Name: d.Name, Version: string(d.Version), Hash: fmt.Sprintf("%x", sum)})
	}
	return out
}

// Close ends what carries tools out.
func (t *tooling) Close() error {
	var err error
	if t.stop != nil {
		t.stop()
		t.tasks.Wait()
	}
	if t.proxy != nil {
		err = t.proxy.Close()
	}
	if t.registry != nil {
		err = errors.Join(err, t.registry.Close())
	}
	if c, ok := t.approver.(interface{ Close() error }); ok {
		err = errors.Join(err, c.Close())
	}
	return errors.Join(err, t.boxes.Close())
}

// again returns the flags that let a call of a tool be made when its plan is gone
// on with; "" when nothing carries it out.
func (t *tooling) again(d *tool.Definition) string {
	if t == nil || t.registry == nil || !t.registry.Implements(d) {
		return ""
	}
	return t.named
}

// again writes the flags that name the files of tools.
func (f *ruleFlags) again() string {
	var b strings.Builder
	for _, file := range f.tools {
		b.WriteString(" --tools " + shellWord(file))
	}
	if f.commands && len(f.tools) > 0 {
		b.WriteString(" --allow-commands")
	}
	return b.String()
}

// shellWord writes a text so that a shell takes it as one word.
func shellWord(s string) string {
	s = safetext.Line(s)
	if s != "" && !strings.ContainsAny(s, " \t'\"\\$`*?[]{}()<>|&;#~!") {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// callers carries calls out by the registry, and rehearses those of tools that
// nothing implements or that replies were given for.
type callers struct {
	*registry.Registry
	rehearsal *planner.Rehearsal
}

// Call carries a call out.
func (c callers) Call(ctx context.Context, inv tool.Invocation) (any, error) {
	if c.Implements(inv.Tool) && !c.rehearsal.Answers(inv.Tool.Name) {
		return c.Registry.Call(ctx, inv)
	}
	return c.rehearsal.Call(ctx, inv)
}

// Prepare makes a tool ready that will really be called.
func (c callers) Prepare(ctx context.Context, d *tool.Definition) error {
	if c.Implements(d) && !c.rehearsal.Answers(d.Name) {
		return c.Registry.Prepare(ctx, d)
	}
	return nil
}

// Identity names what carries a tool out.
func (c callers) Identity(d *tool.Definition) string {
	if c.rehearsal.Answers(d.Name) {
		return ""
	}
	return c.Registry.Identity(d)
}
