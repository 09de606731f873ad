package agent

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"praxis/event"
	"praxis/internal/agent/action"
	"praxis/internal/language"
	"praxis/internal/lazyregexp"
	"praxis/internal/safetext"
)

// Bounds of what the model sees of one execution, in bytes. It sees the head and
// the tail, and learns where the whole is.
const (
	maxStdout    = 8000
	maxStderr    = 2000
	maxResult    = 4000
	maxTraceback = 2500
	maxHint      = 1000
	maxDisplay   = 1500
	maxDisplays  = 12
)

// nothingShown is what the model reads of code that shows nothing.
const nothingShown = "The code printed nothing and its last line has no value. Print what you need to see."

// observation is what the model sees of what its code did. Pictures go to g; nil: the model
// sees none.
func observation(x event.Execution, lang string, cfg Config, g *gallery) string {
	var parts []string
	add := func(title, text string) {
		if text = strings.TrimRight(strings.ToValidUTF8(text, "\uFFFD"), "\n"); text != "" {
			parts = append(parts, title+":\n"+text)
		}
	}
	head := "status: " + x.Status.String()
	if x.Message != "" {
		head += " (" + safetext.OneLine(x.Message, 300) + ")"
	}
	parts = append(parts, head)
	whole := "print only the part that you need"
	if x.OutputFile != "" {
		whole = "the whole output is in " + x.OutputFile + " in the session"
	}
	add("stdout", shorten(x.Stdout, maxStdout, whole))
	add("stderr", shorten(x.Stderr, maxStderr, whole))
	l := cfg.Languages.Named(lang)
	add("result", shorten(plainText(x.Result), maxResult, wholeValue(l)))
	if seen := g.take(x.Result, "the result"); seen != "" {
		parts = append(parts, "the result is a picture"+seen)
	}
	parts = append(parts, displays(x.Displays, g)...)
	add("variables", variables(x.Variables))
	if x.Error != nil {
		text := x.Error.Traceback
		switch {
		case text == "":
			text = statusLine(x)
		case l.Model.Brief != nil:
			text = l.Model.Brief(text)
		}
		add("error", shorten(text, maxTraceback, ""))
		if text := safetext.OneLine(x.Error.Hint, maxHint); text != "" {
			parts = append(parts, text)
		}
		if h := hint(*x.Error, l, cfg); h != "" {
			parts = append(parts, h)
		}
	}
	switch x.State {
	case event.Lost:
		parts = append(parts, "The interpreter was restarted: variables and imports are gone, files are kept.")
	case event.Fresh:
		parts = append(parts, "The session was started anew: variables and files of earlier steps are gone; the files that were given are in place again.")
	case event.Restored:
		parts = append(parts, "The session went back to its last snapshot: variables, imports and files are as they were then, and what was done since is gone, files too.")
	}
	if len(parts) == 1 && x.Status == event.OK {
		parts = append(parts, nothingShown)
	}
	return unmarked(strings.Join(parts, "\n"))
}

// wholeValue says where the whole of a value is that is shown in part.
func wholeValue(l language.Language) string {
	if l.Model.Last == "" {
		return "print only the part that you need"
	}
	return "until code has another value, the whole is " + l.Model.Last
}

// ownLineRE finds the lines by which the agent tells the parts of a message apart.
var ownLineRE = lazyregexp.New(`(^|[\n\r])([ \t]*(?:` + strings.Join([]string{
	ownLine(markQuestion), ownLine(markShown), ownLine(markNext), ownLine(markDirections), ownLine(markChanged), ownLine(markAttempt),
}, "|") + `))`)

func ownLine(mark string) string { return regexp.QuoteMeta(strings.TrimSpace(mark)) }

// unmarked is a text with parts of the guest. The lines that mark what the person said and
// read, and what the agent says, are the agent's alone: others are quoted.
func unmarked(text string) string { return ownLineRE.ReplaceAllString(text, "$1| $2") }

// displays names the rich values that the code displayed.
func displays(all []event.Bundle, g *gallery) []string {
	var out []string
	for i, d := range all {
		if i == maxDisplays {
			return append(out, fmt.Sprintf("… and %d more displays", len(all)-i))
		}
		kind := "a value"
		for _, mime := range []string{"image/png", "image/svg+xml", "image/jpeg", "text/html", "text/markdown", "text/latex", "application/json"} {
			if _, ok := d[mime]; ok {
				kind = mime
				break
			}
		}
		line := fmt.Sprintf("display %d: %s", i+1, kind) + g.take(d, fmt.Sprintf("display %d", i+1))
		if text := strings.TrimSpace(strings.ToValidUTF8(plainText(d), "\uFFFD")); text != "" {
			line += "\n" + shorten(text, maxDisplay, "")
		}
		out = append(out, line)
	}
	return out
}

// plainText is the text of a bundle, or "".
func plainText(b event.Bundle) string {
	for _, k := range []string{"text", "text/plain", "text/markdown"} {
		if t := b[k]; t != "" {
			return t
		}
	}
	return ""
}

// hint adds what a model cannot know to errors that it often makes.
func hint(e event.Raised, l language.Language, cfg Config) string {
	module, pack := "", ""
	if l.Model.Package != nil {
		module, pack = l.Model.Package(e.Name, e.Value)
	}
	if pack != "" {
		return fmt.Sprintf("Nothing can be installed: there is no network. Available: %s. Do without %s; if nothing else will do, say that the user can add the package %s.", available(cfg), module, pack)
	}
	switch e.Name {
	case "":
	case l.Model.Missing:
		return "Nothing can be installed: there is no network. Available: " + available(cfg) + "."
	case l.Model.Undefined:
		if strings.Contains(e.Value, action.ToolAnswer) || strings.Contains(e.Value, l.Tool()) {
			return action.ToolAnswer + " and " + l.Tool() + " are tools and no " + l.Display + " functions: call the tool, or write a line that begins with FINAL ANSWER:."
		}
	}
	return ""
}

// shorten keeps the head and the tail of a long text, whole lines where it can,
// and says how much is left out and where the whole is.
func shorten(text string, bound int, whole string) string {
	if len(text) <= bound {
		return text
	}
	head, tail := text[:bound/2], text[len(text)-bound/2:]
	if i := strings.LastIndexByte(head, '\n'); i > bound/4 {
		head = head[:i+1]
	}
	if i := strings.IndexByte(tail, '\n'); i >= 0 && i < bound/4 {
		tail = tail[i+1:]
	}
	head, tail = strings.ToValidUTF8(head, ""), strings.ToValidUTF8(tail, "")
	left := utf8.RuneCountInString(text) - utf8.RuneCountInString(head) - utf8.RuneCountInString(tail)
	note := fmt.Sprintf("[… %d characters left out", left)
	if whole != "" {
		note += ": " + whole
	}
	if strings.Contains(text, "\n") {
		return strings.TrimRight(head, "\n") + "\n" + note + " …]\n" + tail
	}
	return head + note + " …]" + tail
}
