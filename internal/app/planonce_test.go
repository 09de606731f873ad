package app

import (
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"praxis/event"
	"praxis/fault"
)

const repeats = "repeat: the plan around this one, or one before it, made the same call, and what it did stays done"

// TestNestedRepeatsNothing asks before a nested plan repeats a call of the plan around it, or
// of an earlier nested one, and says why.
func TestNestedRepeatsNothing(t *testing.T) {
	send := fenced("mail.send('ann@acme.com', 'hello')\nprint('sent')")
	for name, c := range map[string]struct {
		replies   []string
		questions int
		sent      int
	}{
		"the plan around":  {[]string{fenced("mail.send('ann@acme.com', 'hello')\nprint(run_plan('Write to ann@acme.com'))"), send}, 1, 2},
		"another body":     {[]string{fenced("mail.send('ann@acme.com', 'hi')\nprint(run_plan('Write to ann@acme.com'))"), send}, 0, 2},
		"a nested one":     {[]string{fenced("run_plan('Write to ann@acme.com')\nprint(run_plan('Write to ann@acme.com'))"), send, send}, 1, 2},
		"data in the call": {[]string{fenced("mail.send('ann@acme.com', mail.read())\nprint(run_plan('Write to ann@acme.com'))"), send}, 1, 2},
	} {
		t.Run(name, func(t *testing.T) {
			p := newListWorld(t, c.replies...)
			p.file("policy.yaml", strings.Replace(listPolicy, "when: args.to.trusted()", "when: args.to.trusted() && (pc.trusted() || true)", 1))
			out, err := p.ask("Write to ann@acme.com", p.webhook)
			if err != nil || out.Text != "sent" || len(p.sent()) != c.sent || len(p.questions) != c.questions || c.questions > 0 && p.questions[0] != repeats {
				t.Errorf("%q, %v, sent %q, asked %q", out.Text, err, p.sent(), p.questions)
			}
			p.replays(out.Run)
			if c.questions == 0 {
				return
			}
			// What is approved beforehand is no approval of a repetition.
			p.replies = append(slices.Clone(c.replies), "I cannot.", "I cannot.")
			out, err = p.ask("Write to ann@acme.com", func(q *PlanAskRequest) { q.Plans, q.Host.Yes = 1, true })
			if err == nil || len(p.sent()) != c.sent+1 {
				t.Errorf("%q, %v, sent %q", out.Text, err, p.sent())
			}
		})
	}
}

// TestNestedRepeatsNothingLater does the same where the plan waited in between, in a folder
// that has no record of it.
func TestNestedRepeatsNothingLater(t *testing.T) {
	p := newListWorld(t, fenced("mail.send('ann@acme.com', 'hello')\nmail.send('ann@acme.com', 'later')\nprint(run_plan('Write to ann@acme.com'))"))
	p.file("policy.yaml", listPolicy+"  - {name: later, tools: [mail.send], when: args.body == 'later', decision: ask, reason: not now, remedy: Wait.}\n")
	state := filepath.Join(p.dir, "plan.state")
	out, err := p.ask("Write to ann@acme.com", func(q *PlanAskRequest) { q.Host.Later, q.Host.StateFile = true, state })
	if err != nil || out.Waiting == nil {
		t.Fatal(out, err)
	}
	yes, other := true, newPlanWorld(t, fenced("mail.send('ann@acme.com', 'hello')\nprint('sent')"))
	tools := ToolSpec{Files: []string{filepath.Join(p.dir, "tools.yaml")}, Policy: filepath.Join(p.dir, "policy.yaml"), Commands: true}
	tools.Approval.Who = other.url + "/approve"
	again, err := other.app.ResumePlan(p.Context(), ResumeRequest{Ref: state, Response: PlanResponse{Approve: &yes}, Tools: tools, Host: PlanHost{Model: "openai:m"}}, &other.events)
	if err != nil || again.Output != "sent\n" || !slices.Equal(other.questions, []string{repeats}) || len(p.sent()) != 3 {
		t.Errorf("%+v, %v, asked %q, sent %q", again, err, other.questions, p.sent())
	}
}

// TestRepeatDecidesByLabel lets what data put into a call of the plan around decide no
// call of a nested one that counts as trusted.
func TestRepeatDecidesByLabel(t *testing.T) {
	p := newListWorld(t, fenced("mail.send('ann@acme.com', mail.read())\nprint(run_plan('Write to ann@acme.com'))"), fenced("mail.send('ann@acme.com', 'bye')"))
	if _, err := p.ask("Write to ann@acme.com", p.webhook); err != nil {
		t.Fatal(err)
	}
	calls := eventsOf[event.ToolCalled](&p.events)
	last := calls[len(calls)-1]
	if last.Tool != "mail.send" || last.Control == nil || last.Control.Trusted {
		t.Errorf("that it is asked about depends on mail.read: %+v", last.Control)
	}
}

// TestFailedMayBeDone counts a call as made whose tool acts and then fails: the model learns
// that, and the next plan repeats it only when a person agrees.
func TestFailedMayBeDone(t *testing.T) {
	p := newPlanWorld(t, fenced(`mail.send("ann@acme.com", "hello")`), fenced(`mail.send("ann@acme.com", "hello")`), fenced("print('given up')"))
	p.file("tools.yaml", strings.Replace(mailTools, "echo sent", "exit 1", 1))
	out, err := p.ask("Write to ann@acme.com")
	if err != nil || out.Text != "given up" || len(p.sent()) != 1 {
		t.Fatalf("%q, %v, sent %q", out.Text, err, p.sent())
	}
	for _, want := range []string{`mail.send(to="ann@acme.com", body="hello") was called and failed: it may be done all the same`, "made only when a person agrees"} {
		if !strings.Contains(p.messages[1], want) {
			t.Errorf("the model is not told %q:\n%s", want, p.messages[1])
		}
	}
	// What was refused before it reached the program is not.
	p = newPlanWorld(t, fenced(`mail.send("ann@acme.com", "\0")`), fenced("print('given up')"))
	if out, err := p.ask("Write to ann@acme.com"); err != nil || !strings.Contains(p.messages[1], " failed\n") || strings.Contains(p.messages[1], "may be done") {
		t.Errorf("%+v, %v:\n%s", out, err, p.messages)
	}
}

// TestResumedOnce goes on with one plan from many sides at once, from its run and from the
// file of its state elsewhere: one of them does.
func TestResumedOnce(t *testing.T) {
	for _, elsewhere := range []bool{false, true} {
		p := newPlanWorld(t, fenced(`print(mail.send("ann@acme.com", "hello"))`))
		p.file("policy.yaml", strings.Replace(mailPolicy, "decision: allow", "decision: ask", 1))
		state := filepath.Join(p.dir, "plan.state")
		out, err := p.ask("Write to ann@acme.com", func(q *PlanAskRequest) { q.Host.Later, q.Host.StateFile = true, state })
		if err != nil || out.Waiting == nil {
			t.Fatal(out, err)
		}
		yes, app, ref := true, p.app, out.Run
		q := ResumeRequest{Response: PlanResponse{Approve: &yes}, Tools: ToolSpec{Files: []string{filepath.Join(p.dir, "tools.yaml")}, Commands: true}}
		if elsewhere {
			app, ref, q.Tools.Policy = newPlanWorld(t).app, state, filepath.Join(p.dir, "policy.yaml")
		}
		q.Ref = ref
		errs := make([]error, 8)
		var wg sync.WaitGroup
		for i := range errs {
			wg.Go(func() { _, errs[i] = app.ResumePlan(p.Context(), q, event.Discard) })
		}
		wg.Wait()
		done := 0
		for _, err := range errs {
			if err == nil {
				done++
			} else if fault.CodeOf(err) != fault.PlanResumed {
				t.Error(err)
			}
		}
		if sent := p.sent(); done != 1 || !slices.Equal(sent, []string{"ann@acme.com hello"}) {
			t.Errorf("elsewhere %v: %d went on, sent %q", elsewhere, done, sent)
		}
	}
}
