package tui

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/cli/format"
	"praxis/internal/safetext"
)

// maxArgument is how many characters of one argument of a tool are shown.
const maxArgument = 2000

// toolCalled shows what a tool is asked: the agent's own notes are tools too.
func (s *Screen) toolCalled(e event.ToolCalled) {
	if e.Line > 0 {
		s.planCalled(e)
		return
	}
	s.endOutput()
	if e.Origin != "" && s.calls.begin(e) {
		return
	}
	s.printf("  %s %s\n", s.Style.Paint(format.Cyan, "tool"), safetext.Line(e.Tool))
	for _, name := range slices.Sorted(maps.Keys(e.Arguments)) {
		s.paragraphs("    ", safetext.Line(name)+": "+safetext.Clip(argument(e.Arguments[name]), maxArgument))
	}
}

// argument is a text as it is and anything else as JSON.
func argument(v any) string {
	if text, ok := v.(string); ok {
		return text
	}
	data, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(data)
}

// toolReturned says that a tool is done. What it found is for the model, and in
// the transcript of the run.
func (s *Screen) toolReturned(e event.ToolReturned) {
	name, quiet := s.calls.returned(e)
	if quiet {
		return
	}
	took := fmt.Sprintf("%.2f s", time.Duration(e.Took).Seconds())
	switch {
	case strings.HasPrefix(e.Error, event.NotCalled): // the decision was shown
		return
	case e.Rehearsed != "" && e.Error != "":
		s.printf("    %s %s\n", s.Style.Paint(format.Red, "failed in rehearsal:"), safetext.Line(e.Error))
		return
	case e.Rehearsed != "":
		s.remark("  [rehearsed: not really called; answered from " + safetext.Line(e.Rehearsed) + "]")
		return
	}
	if e.Error != "" {
		s.printf("  %s %s\n", s.Style.Paint(format.Red, name+" failed after "+took+":"), safetext.Line(e.Error))
		return
	}
	s.remark(fmt.Sprintf("[%s: ok, %s, %s]", name, took, safetext.Size(int64(len(e.Result)))))
}

// condensed says that the model no longer sees the whole conversation.
func (s *Screen) condensed(e event.HistoryCondensed) {
	s.remark(fmt.Sprintf("[%s before this, %s, stand shortened in what the model is sent; it can read them whole]",
		safetext.Count(e.Messages, "message"), safetext.Size(int64(e.Bytes))))
}

// maxCalls is how many calls of one tool that one piece of code makes are shown
// one by one. Of those beyond, one line tells when the code is over.
const maxCalls = 5

// calls are the calls of tools under way, and those that are counted.
type calls struct {
	names map[string]string // of tools, by the ids of calls
	quiet map[string]bool   // calls that are only counted, by their ids
	tools []*counted        // in the order in which they were first called
}

// counted are the calls of one tool that code made.
type counted struct {
	name                             string
	calls, shown, ok, failed, denied int
	took                             time.Duration
}

// begin takes a call in and says whether it is only counted.
func (c *calls) begin(e event.ToolCalled) (quiet bool) {
	if c.names == nil {
		c.names, c.quiet = map[string]string{}, map[string]bool{}
	}
	c.names[e.ID] = e.Tool
	if e.Origin != event.OriginCode {
		return false
	}
	t := c.of(e.Tool)
	if t == nil {
		t = &counted{name: e.Tool}
		c.tools = append(c.tools, t)
	}
	if t.shown < maxCalls {
		t.shown++
		return false
	}
	t.calls++
	c.quiet[e.ID] = true
	return true
}

func (c *calls) of(tool string) *counted {
	for _, t := range c.tools {
		if t.name == tool {
			return t
		}
	}
	return nil
}

// returned takes the end of a call in: what the tool is called, and whether the
// call is only counted.
func (c *calls) returned(e event.ToolReturned) (name string, quiet bool) {
	name, known := c.names[e.ID]
	if !known {
		return "tool", false
	}
	quiet = c.quiet[e.ID]
	delete(c.names, e.ID)
	delete(c.quiet, e.ID)
	t := c.of(name)
	if !quiet || t == nil {
		return safetext.Line(name), quiet
	}
	t.took += time.Duration(e.Took)
	switch {
	case strings.HasPrefix(e.Error, event.NotCalled):
		t.denied++
	case e.Error != "":
		t.failed++
	default:
		t.ok++
	}
	return name, true
}

// plain says whether a decision goes without saying: no rule speaks of the call
// of the model or its code, and it may be made.
func (c *calls) plain(e event.DecisionMade) bool {
	_, known := c.names[e.ID]
	return known && e.Verdict == "allow" && e.Rule == "default"
}

// endCalls tells of the calls that were only counted.
func (s *Screen) endCalls() {
	for _, t := range s.calls.tools {
		if t.calls == 0 {
			continue
		}
		parts := []string{}
		for _, one := range []struct {
			n    int
			what string
		}{{t.ok, "ok"}, {t.failed, "failed"}, {t.denied, "denied"}, {t.calls - t.ok - t.failed - t.denied, "under way"}} {
			if one.n > 0 {
				parts = append(parts, safetext.Number(one.n)+" "+one.what)
			}
		}
		s.remark(fmt.Sprintf("[%s: %s, %s, %s]", safetext.Line(t.name), safetext.Count(t.calls, "further call"), strings.Join(parts, ", "), seconds(t.took)))
	}
	s.calls.tools = nil
}

// connections of the code, as the proxy tells of them.
func (s *Screen) connected(e event.ConnectionOpened) {
	if s.hosts == nil {
		s.hosts = map[string]string{}
	}
	s.hosts[e.ID] = fmt.Sprintf("%s:%d", e.Host, e.Port)
}

func (s *Screen) disconnected(e event.ConnectionClosed) {
	host, known := s.hosts[e.ID]
	if !known {
		return
	}
	delete(s.hosts, e.ID)
	t := s.traffic[host]
	if t == nil {
		t = &carried{}
		if s.traffic == nil {
			s.traffic = map[string]*carried{}
		}
		s.traffic[host] = t
	}
	t.connections++
	t.sent, t.received, t.injected = t.sent+e.Sent, t.received+e.Received, t.injected+e.Injected
}

// carried is what went over the connections to one host.
type carried struct {
	connections, injected int
	sent, received        int64
}

// endConnections tells what the code's connections carried.
func (s *Screen) endConnections() {
	for _, host := range slices.Sorted(maps.Keys(s.traffic)) {
		t := s.traffic[host]
		text := fmt.Sprintf("%s to %s: %s sent, %s received", safetext.Count(t.connections, "connection"), safetext.Line(host), safetext.Size(t.sent), safetext.Size(t.received))
		if t.injected > 0 {
			text += ", " + safetext.Count(t.injected, "request") + " with a credential"
		}
		s.remark("[" + text + "]")
	}
	s.traffic = nil
}

func (s *Screen) refused(e event.ConnectionRefused) {
	if s.turned++; s.turned > maxCalls {
		return
	}
	s.endOutput()
	host := safetext.Line(e.Host)
	if e.Port > 0 {
		host = fmt.Sprintf("%s:%d", host, e.Port)
	}
	if host != "" {
		host = " to " + host
	}
	s.printf("  %s %s\n", s.Style.Paint(format.Yellow, "connection"+host+" refused:"), safetext.Line(e.Reason))
	if remedy := format.Worded(fault.Code(e.Code), refusedData(e), e.Remedy); remedy != "" {
		s.paragraphs("    ", remedy)
	}
}

// refusedData are the data of the code of a refused connection.
func refusedData(e event.ConnectionRefused) fault.Data {
	host := e.Host
	if strings.Contains(host, ":") {
		host = "[" + host + "]" // as rules write an IPv6 address
	}
	return fault.Data{"host": host, "port": strconv.Itoa(e.Port)}
}

// endRefused tells of the connections that were refused besides.
func (s *Screen) endRefused() {
	if n := s.turned - maxCalls; n > 0 {
		s.remark("[" + safetext.Count(n, "further connection") + " refused]")
	}
	s.turned = 0
}
