package report

import (
	"fmt"
	"strings"

	"praxis/event"
	"praxis/internal/safetext"
)

// notCalled begins the recorded error of a call that was denied.
const notCalled = "not called: "

// maxAlike is how many calls of one tool by code are shown one by one in a step.
// More of them are summed up in one line.
const maxAlike = 8

// bundled is what one line says of many calls of a tool, or of many connections.
type bundled struct {
	tool                      string
	calls, ok, failed, denied int
	requested, granted, open  int
	took                      event.Duration
	turned                    bool // refused connections
	connections               bool
	sent, received            int64
	examples                  []string // why calls failed or were denied, without repetition
}

// newBundledTimeline reads a run's records for a person: many calls alike are
// summed up in one item.
func newBundledTimeline(run Run) *timeline {
	s := newTimeline(run)
	for _, p := range s.parts {
		p.bundle()
	}
	return s
}

// gatedCall returns the call that an event belongs to when the model or its code
// makes it; calls of plans are described by planned.
func (t *timelineBuilder) gatedCall(id string) *event.ToolCalled {
	it := t.open["tool "+id]
	if it == nil {
		return nil
	}
	if e, ok := it.Event.(event.ToolCalled); ok && e.Origin != "" && e.Line == 0 {
		return &e
	}
	return nil
}

// tools takes in what happens to calls and connections.
func (t *timelineBuilder) tools(it *item) {
	switch e := it.Event.(type) {
	case event.DecisionMade:
		it.call = t.gatedCall(e.ID)
	case event.ApprovalRequested:
		it.call = t.gatedCall(e.ID)
	case event.ApprovalGiven:
		it.call = t.gatedCall(e.ID)
	case event.ToolReturned:
		it.call = t.gatedCall(e.ID)
	case event.ConnectionOpened:
		t.open["connection "+e.ID] = it
	case event.ConnectionClosed:
		it.opened = t.take("connection " + e.ID)
	}
}

// bundleKey says of what an item is one of many, or "".
func bundleKey(it *item) string {
	switch e := it.Event.(type) {
	case event.ToolCalled:
		if e.Origin == "code" {
			return "tool " + e.Tool
		}
	case event.DecisionMade, event.ApprovalRequested, event.ApprovalGiven, event.ToolReturned:
		if it.call != nil && it.call.Origin == "code" {
			return "tool " + it.call.Tool
		}
	case event.ConnectionRefused:
		return "refused"
	case event.ConnectionOpened:
		return fmt.Sprintf("connection %s:%d", e.Host, e.Port)
	case event.ConnectionClosed:
		if o, ok := it.opened.(event.ConnectionOpened); ok {
			return fmt.Sprintf("connection %s:%d", o.Host, o.Port)
		}
	}
	return ""
}

// opens says whether an item is the first of those of its call or connection.
func opens(it *item) bool {
	switch it.Event.(type) {
	case event.ToolCalled, event.ConnectionOpened, event.ConnectionRefused:
		return true
	}
	return false
}

// bundle puts many calls alike into one item, which stands where the first stood.
func (p *part) bundle() {
	counts := map[string]int{}
	for _, it := range p.items {
		if key := bundleKey(it); key != "" && opens(it) {
			counts[key]++
		}
	}
	sums := map[string]*bundled{}
	remaining := p.items[:0]
	for _, it := range p.items {
		key := bundleKey(it)
		if key == "" || counts[key] <= maxAlike {
			remaining = append(remaining, it)
			continue
		}
		b := sums[key]
		if b == nil {
			kind, name, _ := strings.Cut(key, " ")
			b = &bundled{tool: name, connections: kind == "connection", turned: kind == "refused"}
			sums[key] = b
			remaining = append(remaining, &item{Record: it.Record, sum: b})
		}
		b.add(it)
	}
	p.items = remaining
}

func (b *bundled) add(it *item) {
	switch e := it.Event.(type) {
	case event.ToolCalled, event.ConnectionOpened:
		b.calls++
		if it.lost {
			b.open++
		}
	case event.DecisionMade:
		if e.Verdict == "deny" {
			b.example(strings.TrimSpace(notCalled + e.Reason + "\n" + e.Remedy))
		}
	case event.ApprovalGiven:
		b.requested++
		if e.Granted {
			b.granted++
		}
	case event.ToolReturned:
		b.took += e.Took
		switch {
		case strings.HasPrefix(e.Error, notCalled):
			b.denied++
		case e.Error != "":
			b.failed++
		default:
			b.ok++
		}
		b.example(strings.TrimSpace(e.Error + "\n" + e.Remedy))
	case event.ConnectionRefused:
		b.calls += max(1, e.Count)
		b.example(strings.TrimSpace(e.Reason + "\n" + e.Remedy))
	case event.ConnectionClosed:
		b.sent, b.received = b.sent+e.Sent, b.received+e.Received
	}
}

// maxExamples bounds the different failures that a line for many calls shows.
const maxExamples = 3

func (b *bundled) example(text string) {
	if text == "" || len(b.examples) == maxExamples {
		return
	}
	for _, known := range b.examples {
		if strings.HasPrefix(known, text) { // a denial was shown with its remedy
			return
		}
	}
	b.examples = append(b.examples, text)
}

func (b *bundled) annotation() annotation {
	if b.turned {
		return annotation{"network refused", safetext.Count(b.calls, "connection"), strings.Join(b.examples, "\n"), true}
	}
	if b.connections {
		return annotation{"network", fmt.Sprintf("%s to %s: %s", safetext.Count(b.calls, "connection"), b.tool, traffic(b.sent, b.received)), "", false}
	}
	parts := []string{}
	for _, one := range []struct {
		n    int
		what string
	}{{b.ok, "ok"}, {b.failed, "failed"}, {b.denied, "denied"}, {b.open, "begun, not finished"}} {
		if one.n > 0 {
			parts = append(parts, safetext.Number(one.n)+" "+one.what)
		}
	}
	if b.requested > 0 {
		parts = append(parts, fmt.Sprintf("somebody was asked about %s and granted %s", safetext.Number(b.requested), safetext.Number(b.granted)))
	}
	text := fmt.Sprintf("%s of %s from code: %s, %s in all", safetext.Count(b.calls, "call"), b.tool, strings.Join(parts, ", "), seconds(b.took))
	return annotation{"tool calls", text, strings.Join(b.examples, "\n"), b.failed+b.denied+b.open > 0}
}

func traffic(sent, received int64) string {
	return safetext.Size(sent) + " sent, " + safetext.Size(received) + " received"
}

// gated describes calls that the model or its code makes, and connections. ok
// says that the item is one of those; an annotation without a label says that
// there is nothing to show.
func gated(it *item) (r annotation, ok bool) {
	if it.sum != nil {
		return it.sum.annotation(), true
	}
	switch e := it.Event.(type) {
	case event.ToolCalled:
		if e.Origin == "" || e.Line > 0 {
			return annotation{}, false
		}
		return gatedCalled(it, e), true
	case event.ConnectionOpened:
		if !it.lost {
			return annotation{}, true // described with its end
		}
		return annotation{"network", connectionText(e) + ": " + unfinished, "", true}, true
	case event.ConnectionClosed:
		return connectionClosed(it, e), true
	case event.ConnectionRefused:
		return connectionRefused(e), true
	}
	if it.call == nil {
		return annotation{}, false
	}
	return ofGated(it)
}

// ofGated says what became of a call.
func ofGated(it *item) (annotation, bool) {
	name := it.call.Tool
	switch e := it.Event.(type) {
	case event.DecisionMade:
		if e.Verdict == "allow" && e.Rule == "default" {
			return annotation{}, true
		}
		return decided(e), true
	case event.ApprovalRequested:
		if !it.lost {
			return annotation{}, true // the decision said why, and the answer comes
		}
		return annotation{"approval", "asked for " + name + ": " + unfinished, e.Reason, true}, true
	case event.ApprovalGiven:
		verb := "refused"
		if e.Granted {
			verb = "granted"
		}
		text := verb + " for " + name + " by " + strings.TrimSpace(e.By+" "+e.Who)
		if scope := scopeText(e.Scope); e.Granted && scope != "" {
			text += ", " + scope
		}
		return annotation{"approval", text, e.Reason, !e.Granted}, true
	case event.ToolReturned:
		return gatedReturned(name, e), true
	}
	return annotation{}, false
}

func scopeText(scope string) string {
	switch scope {
	case "once":
		return "for this call"
	case "exact":
		return "for these arguments"
	case "run":
		return "for the run"
	}
	return scope
}

func gatedCalled(it *item, e event.ToolCalled) annotation {
	who := "by the model"
	if e.Origin != "model" {
		who = "from " + e.Origin
	}
	text := strings.TrimSpace(e.Tool+" "+e.Version) + ", " + who
	if e.By != "" {
		text += ", executed by " + e.By
	}
	r := annotation{Label: "tool call", Text: text, Body: arguments(e.Arguments)}
	if it.lost {
		r.Text, r.Warn = r.Text+": "+unfinished, true
	}
	return r
}

func gatedReturned(name string, e event.ToolReturned) annotation {
	why := strings.TrimSpace(e.Error + "\n" + e.Remedy)
	switch {
	case strings.HasPrefix(e.Error, notCalled):
		return annotation{"tool denied", name + " was not called", strings.TrimPrefix(why, notCalled), true}
	case e.Error != "" && e.Rehearsed != "":
		return annotation{"tool failed", name + ", not really called: answered from " + e.Rehearsed, why, true}
	case e.Error != "":
		return annotation{"tool failed", name + " after " + seconds(e.Took), why, true}
	case e.Rehearsed != "":
		return annotation{"tool result", name + ", not really called: answered from " + e.Rehearsed, e.Result, false}
	}
	return annotation{"tool result", name + " after " + seconds(e.Took), e.Result, false}
}

func connectionText(e event.ConnectionOpened) string {
	return fmt.Sprintf("%s:%d (%s), by the rule %s, %s", e.Host, e.Port, e.Address, e.Rule, e.Via)
}

func connectionClosed(it *item, e event.ConnectionClosed) annotation {
	text := e.ID
	if o, ok := it.opened.(event.ConnectionOpened); ok {
		text = connectionText(o)
	}
	text += ": " + traffic(e.Sent, e.Received)
	if e.Protocol != "" {
		text += ", " + e.Protocol
	}
	if e.Requests > 0 {
		text += ", " + safetext.Count(e.Requests, "request")
	}
	if e.Injected > 0 {
		text += ", " + safetext.Number(e.Injected) + " with a credential"
	}
	return annotation{"network", text + " in " + seconds(e.Took), e.Reason, false}
}

func connectionRefused(e event.ConnectionRefused) annotation {
	text := "a connection"
	if e.Count > 1 {
		text = safetext.Count(e.Count, "connection")
	}
	if e.Host != "" {
		text += " to " + e.Host
		if e.Port > 0 {
			text += fmt.Sprintf(":%d", e.Port)
		}
	}
	return annotation{"network refused", text + ": " + e.Reason, e.Remedy, true}
}

// toolFacts are what the head says about tools and the network.
func (s *timeline) toolFacts(put func(name, value string)) {
	switch s.began.Mode {
	case "tools":
		put("mode", "tools: the model calls tools and has no code")
	case "both":
		put("mode", "both: the model calls tools and writes code")
	}
	put("network", strings.Join(s.began.Net, ", "))
}
