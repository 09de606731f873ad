package cmd

import (
	"context"

	"github.com/spf13/cobra"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/app"
)

const planResumeLong = `Goes on with a plan that waits: answers the call that it waits at, and goes
on from there, as a run of its own. RUN is the run that waits, FILE what --state
stored.

The policy and the definitions of the tools are those that the run was recorded
with; the call is decided again. --policy takes another one. What executes
tools is not recorded: calls are really made when --tools names the files, and wait
for their --result when it does not. A FILE whose run is not recorded here needs
--tools and --policy.

A result must fit the schema of the tool. It is as trustworthy as the tool's
definition says; --endorse says that you have checked it and vouch for it,
and why, which is recorded.`

// planResuming is one praxis plan resume.
type planResuming struct {
	p       *program
	host    hostFlags
	tools   toolFlags
	result  string
	failed  string
	approve bool
	deny    string
	endorse string
	again   bool
	json    bool
}

func (p *program) planResumeCommand() *cobra.Command {
	r := &planResuming{p: p}
	cmd := &cobra.Command{
		Use: "resume RUN|FILE", Short: "Answer the call that a plan waits at, and go on", Long: planResumeLong,
		Example: "  praxis plan resume last --result '{\"id\": \"m-1\"}'\n  praxis plan resume last --approve --tools tools.yaml\n  praxis plan resume mail.state --deny 'not today'",
		Args:    takes(1, 1, "the run that waits, or the file of its state"),
		RunE:    func(cmd *cobra.Command, args []string) error { return r.run(cmd, args[0]) },
	}
	fs := cmd.Flags()
	fs.StringVar(&r.result, "result", "", "what the call returned, as `JSON`")
	fs.StringVar(&r.failed, "error", "", "why the call failed, as `TEXT`")
	fs.BoolVar(&r.approve, "approve", false, "approve the call")
	fs.StringVar(&r.deny, "deny", "", "deny the call, and say why: `REASON`")
	fs.StringVar(&r.endorse, "endorse", "", "vouch for the result, and say `WHY`")
	fs.StringArrayVar(&r.tools.tools, "tools", nil, "`FILE` that declares the tools: what executes them is called (may be repeated)")
	fs.StringVar(&r.tools.policy, "policy", "", "`FILE` with other rules than those of the run")
	r.tools.registerCommands(cmd)
	r.host.answers(cmd)
	fs.StringVar(&r.host.model, "model", "", "the model that answers without tools, as `PROVIDER:NAME`")
	fs.StringVar(&r.host.state, "state", "", "store the state in this `FILE`, too, when the plan waits again")
	fs.BoolVar(&r.again, "again", false, "go on also when it was gone on with before")
	fs.BoolVar(&r.json, "json", false, "print one JSON object instead")
	return cmd
}

// response is what the command line says to the call.
func (r *planResuming) response(cmd *cobra.Command) (a app.PlanResponse, err error) {
	given := cmd.Flags().Changed
	switch { // a text that is empty says nothing, as if its flag were not there
	case r.approve && given("deny"):
		return a, usage("praxis plan resume", "--approve and --deny contradict each other")
	case given("error") && r.failed == "":
		return a, usage("praxis plan resume", "--error needs a text")
	case given("endorse") && r.endorse == "":
		return a, usage("praxis plan resume", "--endorse needs a reason")
	}
	a.Call = given("tools")
	a.Error, a.Endorse, a.Reason = r.failed, r.endorse, r.deny
	if a.Who = r.p.getenv("USER"); a.Who == "" {
		a.Who = "person"
	}
	if r.approve || given("deny") {
		a.Approve = &r.approve
	}
	if given("result") {
		a.Given = true
		if a.Result, err = app.DecodeJSON([]byte(r.result)); err != nil {
			return a, fault.New(fault.Invalid, `Write JSON; a text stands in quotes: --result '"text"'.`, "cannot use the result: %w", err)
		}
	}
	return a, nil
}

func (r *planResuming) run(cmd *cobra.Command, ref string) error {
	q := app.ResumeRequest{Ref: ref, Tools: r.tools.spec(r.p), Host: r.host.host(), Again: r.again}
	var err error
	if q.Response, err = r.response(cmd); err != nil {
		return err
	}
	return on(r.p, func(a planner) error {
		return r.p.showPlan(cmd.Context(), r.json, &r.tools, func(ctx context.Context, sink event.Sink) (app.PlanResult, error) {
			return a.ResumePlan(ctx, q, sink)
		})
	})
}
