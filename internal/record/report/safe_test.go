package report_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"praxis/event"
	"praxis/internal/record/report"
)

// checkPage reads a page as XML, which ends at the first tag that is not
// closed, and refuses any element, attribute or address that could do something.
func checkPage(page []byte) error {
	d := xml.NewDecoder(bytes.NewReader(page))
	depth := 0
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			if depth != 0 {
				return errors.New("the page ends inside an element")
			}
			return nil
		}
		if err != nil {
			return err
		}
		switch token := token.(type) {
		case xml.StartElement:
			depth++
			if err := checkElement(token); err != nil {
				return err
			}
		case xml.EndElement:
			depth--
		case xml.ProcInst:
			return fmt.Errorf("a processing instruction %q", token.Target)
		case xml.Comment:
			return errors.New("a comment")
		case xml.Directive:
			if string(token) != "doctype html" {
				return fmt.Errorf("a directive %q", token)
			}
		case xml.CharData:
			if err := checkText(string(token)); err != nil {
				return err
			}
		}
	}
}

func checkElement(e xml.StartElement) error {
	elements := strings.Fields("html head meta title style body main p span h1 h2 ul li section div dl dt dd table thead tbody tr th td br code pre " +
		"mark strong em figure img figcaption iframe details summary footer b")
	attributes := strings.Fields("lang charset http-equiv content name class id title alt src srcdoc sandbox referrerpolicy loading colspan rowspan open")
	if !slices.Contains(elements, e.Name.Local) || e.Name.Space != "" {
		return fmt.Errorf("an element <%s>", e.Name.Local)
	}
	sandboxed := false
	for _, a := range e.Attr {
		switch {
		case !slices.Contains(attributes, a.Name.Local):
			return fmt.Errorf("an attribute %s=%q", a.Name.Local, a.Value)
		case a.Name.Local == "src" && !regexp.MustCompile(`^data:image/(png|jpeg|svg\+xml);base64,[A-Za-z0-9+/]*=*$`).MatchString(a.Value):
			return fmt.Errorf("a source %.100q", a.Value)
		case a.Name.Local == "src" && e.Name.Local != "img", a.Name.Local == "srcdoc" && e.Name.Local != "iframe":
			return fmt.Errorf("an attribute %s of <%s>", a.Name.Local, e.Name.Local)
		case a.Name.Local == "sandbox":
			sandboxed = a.Value == ""
		case a.Name.Local == "http-equiv" && a.Value != "Content-Security-Policy":
			return fmt.Errorf("a header %q", a.Value)
		}
		if err := checkText(a.Value); err != nil && a.Name.Local != "srcdoc" {
			return fmt.Errorf("%s: %w", a.Name.Local, err)
		}
	}
	if e.Name.Local == "iframe" && !sandboxed {
		return errors.New("a frame without a sandbox")
	}
	return nil
}

// checkText refuses what acts on a terminal, hides or turns text around.
func checkText(s string) error {
	if !utf8.ValidString(s) {
		return errors.New("text that is not UTF-8")
	}
	for _, r := range s {
		if (unicode.IsControl(r) && r != '\n' && r != '\t') || unicode.Is(unicode.Bidi_Control, r) || r == 0x2028 || r == 0x2029 || r == 0xfeff {
			return fmt.Errorf("the character %U", r)
		}
	}
	return nil
}

// checkMarkdown refuses raw HTML and addresses outside of fences, which is all
// that Markdown can do.
func checkMarkdown(text string) error {
	if err := checkText(text); err != nil {
		return err
	}
	fence := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		ticks := line[:len(line)-len(strings.TrimLeft(line, "`"))]
		switch {
		case fence != "":
			if line == fence {
				fence = ""
			}
			continue
		case len(ticks) >= 3 && !strings.Contains(line[len(ticks):], "`"):
			fence = ticks
			continue
		}
		if m := regexp.MustCompile(`(^|[^\\])(<[A-Za-z/!?]|\]\(|!\[)`).FindString(line); m != "" && !savedPicture(line) {
			return fmt.Errorf("%q in %q", m, line)
		}
	}
	if fence != "" {
		return errors.New("a fence that does not end")
	}
	return nil
}

// savedPicture says whether a line is a picture that the caller saved.
func savedPicture(line string) bool {
	return regexp.MustCompile(`^!\[figure-\d+\.(png|jpg|svg)\]\(<[^<>]*>\)$`).MatchString(line)
}

func TestNothingIsActive(t *testing.T) {
	for name, run := range runs(t) {
		var page, md, text bytes.Buffer
		if err := errors.Join(report.HTML(&page, run), report.Markdown(&md, run), report.Transcript(&text, run, report.Options{})); err != nil {
			t.Fatal(err)
		}
		if err := checkPage(page.Bytes()); err != nil {
			t.Errorf("%s.html has %v", name, err)
		}
		if err := checkMarkdown(md.String()); err != nil {
			t.Errorf("%s.md has %v", name, err)
		}
		if err := checkText(text.String()); err != nil {
			t.Errorf("%s.txt has %v", name, err)
		}
	}
}

// The check itself must find what it is there for.
func TestChecksFind(t *testing.T) {
	for _, bad := range []string{
		`<p>`, `<p></div>`, `<script>x</script>`, `<p onclick="x">x</p>`, `<a href="x">x</a>`, `<img src="http://h/x"/>`, `<img src="data:text/html;base64,AA"/>`,
		`<iframe srcdoc="x"></iframe>`, `<iframe sandbox="allow-scripts" srcdoc="x"></iframe>`, "<p>\u202e</p>", `<meta http-equiv="refresh" content="0"/>`, `<!-- x -->`,
	} {
		if checkPage([]byte(bad)) == nil {
			t.Errorf("%s passes", bad)
		}
	}
	for _, bad := range []string{"<b>x", "[x](y)", "![x](y)", "````text\n```\n", "> a </b", "\x1b"} {
		if checkMarkdown(bad) == nil {
			t.Errorf("%q passes", bad)
		}
	}
}

// FuzzReports checks that no text makes a report fail, or something in it active.
func FuzzReports(f *testing.F) {
	f.Add(hostile, frame, uint8(0))
	f.Add("# a\n- b\n1. c\n| x | y |\n|---|:-:|\n| `a` | **b** *c* |\n> q\n```\ncode", "<table><tr><td>1</td></tr></table>", uint8(1))
	f.Add("``` ` `` \\` **a** *b* 1,204.50 ]( ![", "<svg onload=x>", uint8(2))
	f.Add("'''\\", "<table><thead><tr><th colspan=3>&amp;<br></th></tr></table><p>x", uint8(3))
	f.Fuzz(func(t *testing.T, text, html string, kind uint8) {
		run := report.Run{ID: text, Languages: languages, Damage: text, Records: records(
			event.RunBegan{Kind: []event.Kind{event.Ask, event.Code, event.Plan}[kind%3], Question: text, Model: text, Parent: &event.Parent{Run: text, Change: text}},
			event.FileGiven{Name: text, Path: text, SHA256: text},
			event.FileGiven{Name: text, Role: "tools", SHA256: html, Withheld: text},
			event.PlanWritten{Code: text, Name: html, Mode: text, Inputs: map[string]json.RawMessage{text: json.RawMessage(`"<b>"`)}, Now: html},
			event.PlanChecked{Findings: []event.Finding{{Rule: text, Verdict: text, Message: html, Remedy: text, Path: []event.Place{{Line: 1, Text: html}}}}},
			event.PlanResumed{State: text, Run: html},
			event.StepBegan{N: int(kind)},
			event.ModelRequested{Model: text, System: text, Messages: []event.Message{{Text: text}}},
			event.ModelReplied{Thought: text, Text: html},
			event.ExecutionBegan{Language: "python", Code: text}, event.ExecutionEnded{}, event.ExecutionBegan{Language: html, Code: text},
			event.ToolCalled{ID: "1", Tool: text, Arguments: map[string]any{text: html}},
			event.ToolCalled{ID: "2", Line: 1, Tool: text, Arguments: map[string]any{text: html}, Labels: map[string]event.DataLabel{text: {Sources: []string{html}, Readers: []string{text}}}},
			event.DecisionMade{ID: "2", Tool: text, Verdict: html, Rule: text, Reason: html, Remedy: text},
			event.LabelLowered{ID: text, By: html, From: event.DataLabel{Sources: []string{text}}},
			event.ToolReturned{ID: "2", Result: html, Rehearsed: text},
			event.PlanWaits{ID: text, State: html, Output: text},
			event.PlanEnded{Status: text, Output: html, Error: text},
			event.ExecutionEnded{Execution: event.Execution{Status: event.Status(kind % 10), Stdout: text, Stderr: html, Result: event.Bundle{"text": text, "text/html": html},
				Displays: []event.Bundle{{"image/svg+xml": html}, {"text/html": html}, {"image/png": text}, {text: html}, {"text/markdown": text}},
				Error:    &event.Raised{Name: text, Value: html, Traceback: text}, Changes: []event.Change{{Path: text, Kind: text, SHA256: html}}}},
			event.AnswerGiven{Text: text, Figures: []event.Figure{{Text: html, Expression: text, Source: text}, {Text: text, Source: "computed"}, {Text: "1,204.50", Source: "unverified"}}},
			event.RunEnded{Status: event.RunStatus(text), Reason: text},
		)}
		cells := report.NewCells()
		for _, r := range run.Records {
			cells.Emit(r.Event)
			cells.Emit(event.Output{Stream: []event.Stream{event.Stdout, event.Stderr}[kind%2], Data: []byte(text)})
			cells.Emit(event.Display{Bundle: event.Bundle{"text": text, "text/html": html}})
		}
		if outputs, err := cells.Outputs(); err != nil || checkOutputs(outputs) != nil {
			t.Errorf("the cells have %v, %v", err, checkOutputs(outputs))
		}
		var page, md, book, transcript bytes.Buffer
		if err := errors.Join(report.HTML(&page, run), report.Markdown(&md, run), report.Notebook(&book, run), report.Transcript(&transcript, run, report.Options{})); err != nil {
			t.Fatal(err)
		}
		if err := checkPage(page.Bytes()); err != nil {
			t.Errorf("the page has %v", err)
		}
		if err := checkMarkdown(md.String()); err != nil {
			t.Errorf("the Markdown has %v", err)
		}
		if err := checkText(transcript.String()); err != nil {
			t.Errorf("the transcript has %v", err)
		}
		if err := checkNotebook(book.Bytes()); err != nil {
			t.Errorf("the notebook has %v", err)
		}
		if d := report.Lines(text, html); (d == "") != (text == html) || checkText(d) != nil {
			t.Errorf("the difference is %q", d)
		}
	})
}
