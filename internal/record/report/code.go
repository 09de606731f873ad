package report

import (
	"strings"

	"praxis/event"
	"praxis/internal/language"
	"praxis/internal/safetext"
)

// planLanguage is the language that plans are written in a subset of.
const planLanguage = "python"

// visibleCode is safetext.Text for source. A carriage return ends a line there,
// so what follows it gets a line of its own: it is no part of a comment before it.
func visibleCode(code string) string {
	return safetext.Text(strings.NewReplacer("\r\n", "\n", "\r", `\r`+"\n").Replace(code))
}

// shownCode is what is shown of code.
func shownCode(code string) string { return strings.TrimRight(visibleCode(code), "\n ") }

// colouredSpan is a stretch of code in the page. Class is one of its style sheet.
type colouredSpan struct{ Class, Text string }

// sheetClass is a class of spans as the page's style sheet calls it; plain text has none.
func sheetClass(c language.Class) string {
	switch c {
	case language.Comment:
		return "c"
	case language.Text:
		return "s"
	case language.Number:
		return "n"
	case language.Keyword:
		return "k"
	case language.Builtin:
		return "b"
	case language.Definition, language.Decorator:
		return "d"
	}
	return ""
}

// maxHighlit bounds the code that is coloured.
const maxHighlit = 256 << 10

// spans splits code that is shown.
func spans(l language.Language, code string) []language.Span {
	if len(code) > maxHighlit {
		return []language.Span{{Class: language.Plain, Text: code}}
	}
	return l.Spans(code)
}

// coloured splits code for the page.
func coloured(l language.Language, code string) []colouredSpan {
	var out []colouredSpan
	for _, s := range spans(l, shownCode(code)) {
		out = append(out, colouredSpan{sheetClass(s.Class), s.Text})
	}
	return out
}

// named returns the language that a record names.
func (s *timeline) named(name string) language.Language { return s.run.Languages.Named(name) }

// main is the language of the run's code: that of the first execution, or else
// the one that the image has first.
func (s *timeline) main() language.Language {
	var has []event.Language
	if s.session != nil {
		has = s.session.Image.Languages
	}
	name := ""
	for _, r := range s.run.Records {
		if e, ok := r.Event.(event.ExecutionBegan); ok {
			name = e.Language
			break
		}
	}
	if name == "" && len(has) > 0 {
		name = has[0].Name
	}
	l := s.named(name)
	for _, h := range has {
		if h.Name == l.Name {
			l.Version = h.Version
		}
	}
	return l
}
