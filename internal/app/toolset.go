package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/bounded"
	"praxis/internal/egress"
	"praxis/internal/plan"
	"praxis/internal/planner"
	"praxis/internal/record/replay"
	"praxis/internal/safetext"
	"praxis/internal/store"
	"praxis/internal/tool"
	"praxis/internal/tool/approval"
	"praxis/internal/tool/gate"
	"praxis/internal/tool/jsondoc"
	"praxis/internal/tool/registry"
	"praxis/internal/tool/toolfile"
)

// ToolSpec says which tools a run may call, by which rules, and who is asked.
type ToolSpec struct {
	Files    []string // paths of files that declare tools
	Policy   string   // path of the rules for calls; "": the defaults
	Strict   bool     // of plans: implicit flows count, too
	Commands bool     // tools and servers may run programs on this machine
	Approval ApprovalSpec

	policy *planner.Text  // the rules themselves, in the place of a file
	skills []planner.Text // declarations of skills that are modules
}

// ApprovalSpec says who is asked about a call that somebody has to approve.
type ApprovalSpec struct {
	// Who is "terminal", "never", a webhook's URL or "command:PROGRAM"; "": the
	// terminal where there is one.
	Who      string
	Terminal bool          // a person sits at a terminal
	Timeout  time.Duration // after which a call is denied; 0: the default
	// Approver decides in the place of Who; nil: that.
	Approver Approver
	// Hold keeps everything else off the terminal while a question is open, until
	// release is called; restore gives the question up and takes it away before
	// that. nil: nothing else is written there.
	Hold func(restore func()) (release func())
}

// NetSpec says which hosts the code of a run may reach.
type NetSpec struct {
	// Hosts are rules such as "api.example.com:443" or "*.example.org", or @FILE
	// with one rule a line, which is read again when it changes.
	Hosts []string
	// Only says that a run that goes on reaches no hosts but these, whatever is recorded.
	Only bool
	// Credentials put the value of an environment variable into a header of
	// requests to a host: HOST[/PATH]=HEADER:VARIABLE[:FIELDS]. Code sees a
	// placeholder, and with FIELDS, such as "id,items.name", or "-" for none, only the
	// status and these fields of what the host answers in JSON.
	Credentials []string
}

// toolset is what the calls of a run are made with: the tools that files and
// servers declare, the rules over them, who is asked, and the way out.
type toolset struct {
	app      *App
	registry *registry.Registry
	options  plan.Options  // the definitions and the policy
	rules    planner.Rules // the texts of both, as they are kept with the run
	approver approval.Approver
	// unattended says that nobody is asked, as there is no terminal and nobody
	// else was named.
	unattended bool
	net        NetSpec
	hosts      egress.Rules
	sink       event.Sink
	again      *replay.Calls // of a run that goes on; nil: it is the first
	children   *subcalls     // what its code may begin; nil: nothing
}

// openTools reads tools and policy and makes what implements the tools. Without
// files there are none. What a person should know goes to sink as notices.
func (a *App) openTools(ctx context.Context, spec ToolSpec, net NetSpec, sink event.Sink) (*toolset, error) {
	hosts, err := net.rules()
	if err != nil {
		return nil, err
	}
	if len(net.Credentials) > 0 && len(net.Hosts) == 0 {
		return nil, fault.New(fault.Invalid, "Allow the host, too.", "cannot use a credential: no host is allowed")
	}
	rules, err := spec.read()
	if err != nil {
		return nil, err
	}
	approver, unattended, err := a.approver(spec.Approval)
	if err != nil {
		return nil, err
	}
	reg, err := a.openRegistry(ctx, registryOptions{texts: rules.Tools, commands: spec.Commands, servers: true, hidden: net.secrets(a.opt.Getenv)}, sink)
	if err != nil {
		return nil, errors.Join(planner.UnusableTools(err), approver.Close())
	}
	t := &toolset{app: a, registry: reg, approver: approver, unattended: unattended, net: net, hosts: hosts, sink: sink}
	for _, text := range reg.Problems() {
		sink.Emit(event.Notice{Text: text})
	}
	if t.options, t.rules, err = join(reg, rules); err != nil {
		return nil, errors.Join(err, t.close())
	}
	return t, nil
}

// read reads the files of a spec.
func (s ToolSpec) read() (planner.Rules, error) {
	out := planner.Rules{Strict: s.Strict, Policy: s.policy}
	for _, name := range s.Files {
		text, err := ReadText(name, jsondoc.MaxFile)
		if err != nil {
			return out, err
		}
		out.Tools = append(out.Tools, planner.Text{Name: name, Text: string(text)})
	}
	out.Tools = append(out.Tools, s.skills...)
	if s.Policy != "" {
		text, err := ReadText(s.Policy, maxPolicy)
		if err != nil {
			return out, err
		}
		out.Policy = &planner.Text{Name: s.Policy, Text: string(text)}
	}
	return out, nil
}

// maxPolicy bounds a policy in bytes.
const maxPolicy = 4 << 20

// join joins the tools of a registry and the policy over them. The texts that it
// returns can be kept: what was derived cannot be derived again where the files
// are not, so it is written out.
func join(reg *registry.Registry, rules planner.Rules) (plan.Options, planner.Rules, error) {
	set, err := plan.Tools(reg.Files()...)
	if err != nil {
		return plan.Options{}, rules, err
	}
	options, err := rules.Over(set)
	if err != nil {
		return plan.Options{}, rules, err
	}
	for d := range options.Tools.All() {
		if reg.Implements(d) {
			text, err := toolfile.Write(reg.Files()...)
			if err != nil {
				return plan.Options{}, rules, err
			}
			rules.Tools = []planner.Text{{Name: "tools.json", Text: string(text)}}
			break
		}
	}
	return options, rules, nil
}

// has says whether there are tools beside the quarantined model.
func (t *toolset) has() bool { return t.registry.Set().Len() > 0 }

// pins are the tools of a run as they are recorded.
func (t *toolset) pins() []event.ToolPin {
	var out []event.ToolPin
	for d := range t.registry.Set().All() {
		out = append(out, toolPin(d))
	}
	return out
}

// toolPin is a definition as a run records it.
func toolPin(d *tool.Definition) event.ToolPin {
	return event.ToolPin{Name: d.Name, Version: string(d.Version), Hash: fmt.Sprintf("%x", d.Hash())}
}

func (t *toolset) close() error {
	return errors.Join(t.registry.Close(), t.approver.Close())
}

// approver makes who is asked: as the spec says, else the terminal where there
// is one. unattended says that there is nobody.
func (a *App) approver(spec ApprovalSpec) (_ approval.Approver, unattended bool, err error) {
	memory := approved{a.records.DB.KV()}
	if spec.Approver != nil {
		return approval.Remember(spec.Approver, memory), false, nil
	}
	if spec.Who == "" {
		if !spec.Terminal {
			return approval.Never{Why: "a person has to agree, and there is no terminal to ask on"}, true, nil
		}
		spec.Who = "terminal"
	}
	c := spec.terminal(a.opt.Getenv)
	c.Secret = a.opt.Getenv("PRAXIS_APPROVE_SECRET")
	if token := a.opt.Getenv("PRAXIS_APPROVE_TOKEN"); token != "" {
		c.Headers = map[string]string{"Authorization": "Bearer " + token}
	}
	approver, err := approval.Parse(spec.Who, c)
	if err != nil {
		return nil, false, err
	}
	return approval.Remember(approver, memory), false, nil
}

// terminal is how the terminal is asked on.
func (s ApprovalSpec) terminal(getenv func(string) string) approval.Config {
	return approval.Config{Who: getenv("USER"), Timeout: s.Timeout, Hold: s.Hold, Plain: slices.Contains([]string{"", "dumb"}, getenv("TERM"))}
}

// approved is the memory of what was approved.
type approved struct{ kv store.KV }

// Get returns what is stored of a tool.
func (s approved) Get(ctx context.Context, tool string) ([]byte, error) {
	v, err := s.kv.Get(ctx, "approved", tool)
	if fault.KindOf(err) == fault.NotFound {
		return nil, nil
	}
	return v.Data, err
}

// Set stores what is known of a tool.
func (s approved) Set(ctx context.Context, tool string, data []byte) error {
	_, err := s.kv.Set(ctx, "approved", tool, data, store.Any)
	return err
}

// ReadText reads a whole file of at most most bytes that a caller names.
func ReadText(name string, most int64) ([]byte, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, FileFault(name, err)
	}
	if info.IsDir() {
		return nil, fault.New(fault.Invalid, "Name a file.", "cannot read %s: it is a folder", safetext.Line(name))
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, FileFault(name, err)
	}
	data, err := bounded.ReadClose(f, most)
	switch long := (*bounded.TooLong)(nil); {
	case errors.As(err, &long):
		return nil, fault.New(fault.Invalid, "Give a shorter file.", "cannot read %s: it is longer than %s", safetext.Line(name), safetext.Size(most))
	case err != nil:
		return nil, FileFault(name, err)
	}
	return data, nil
}

// caller implements the calls of a plan: by the registry, or rehearsed where
// nothing implements the tool or replies were given for it.
type caller struct {
	*registry.Registry
	rehearsal *planner.Rehearsal
}

var _ gate.Caller = caller{}

// really says whether a call is really made.
func (c caller) really(d *tool.Definition) bool {
	return c.Implements(d) && !c.rehearsal.Answers(d.Name)
}

// Call makes a call, or rehearses it. Nothing is really changed once an example was
// taken for a result: what would be sent or paid could be invented.
func (c caller) Call(ctx context.Context, inv tool.Invocation) (any, error) {
	if !c.really(inv.Tool) {
		return c.rehearsal.Call(ctx, inv)
	}
	if example := c.rehearsal.Example; example != "" && inv.Tool.Effects.Acts() {
		return nil, gate.RehearsedFailure{
			Err:  fault.Coded(fault.PlanExample, fault.Data{"tool": inv.Tool.Name, "example": example}, "cannot call %s: the plan goes on from an example of %s, which was not called", inv.Tool.Name, example),
			From: planner.FromExamples,
		}
	}
	return c.Registry.Call(ctx, inv)
}

// Prepare makes a tool ready that will really be called.
func (c caller) Prepare(ctx context.Context, d *tool.Definition) error {
	if c.really(d) {
		return c.Registry.Prepare(ctx, d)
	}
	return nil
}

// Identity names what implements a tool.
func (c caller) Identity(d *tool.Definition) string {
	if c.rehearsal.Answers(d.Name) {
		return ""
	}
	return c.Registry.Identity(d)
}

// origins are who may call in each mode of a question.
func origins(mode string) []gate.Origin {
	switch mode {
	case ModeTools:
		return []gate.Origin{gate.Model}
	case ModeBoth:
		return []gate.Origin{gate.Code, gate.Model}
	}
	return []gate.Origin{gate.Code}
}

// callable returns the tools that a gate with these origins lets through: the
// quarantined model is for plans alone.
func (t *toolset) callable(who []gate.Origin) *tool.Set {
	if slices.Contains(who, gate.Plan) {
		return t.options.Tools
	}
	return t.registry.Set()
}
