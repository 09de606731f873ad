package interpreter

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"praxis/event"
	"praxis/internal/language/python"
)

// lines writes the lines of an answer. It is safe for concurrent use.
type lines struct {
	w     http.ResponseWriter
	gone  func()           // called when the client cannot be written to
	now   func() time.Time // the machine's clock
	mu    sync.Mutex
	last  time.Time // when a line was written
	fails bool
	parts [3][]byte // of a stream: the beginning of a character whose end has not come yet
}

// put writes a line.
func (l *lines) put(v any) {
	data, err := json.Marshal(v)
	if err != nil {
		return // nothing of ours has such a form
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.writeLocked(data)
}

func (l *lines) writeLocked(data []byte) {
	if l.fails {
		return
	}
	c := http.NewResponseController(l.w)
	_ = c.SetWriteDeadline(time.Now().Add(slowClient)) // a writer of a test has none
	_, err := l.w.Write(append(data, '\n'))
	if err == nil {
		err = c.Flush()
	}
	if err != nil {
		l.fails = true
		l.gone()
	}
	l.last = time.Now()
}

// still writes a keepalive when there was silence for so long, and returns when to look again.
func (l *lines) still(quiet time.Duration) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	if left := quiet - time.Since(l.last); left > 0 {
		return left
	}
	l.writeLocked([]byte(`{"type":"keepalive"}`))
	return quiet
}

// Emit writes what happens in an execution, its end excepted.
func (l *lines) Emit(v event.Event) {
	switch v := v.(type) {
	case event.Output:
		l.output(v)
	case event.Display:
		l.rest()
		l.put(resultOf(v.Bundle, false))
	}
}

type outputLine struct {
	Type      string `json:"type"` // stdout, stderr
	Text      string `json:"text"`
	Timestamp string `json:"timestamp"`
}

// output writes what came of a stream, but for a character that has not come whole.
func (l *lines) output(v event.Output) {
	if v.Stream != event.Stdout && v.Stream != event.Stderr {
		return
	}
	data := append(l.parts[v.Stream], v.Data...)
	whole := len(data) - unfinished(data)
	l.parts[v.Stream] = bytes.Clone(data[whole:])
	l.text(v.Stream, data[:whole])
}

// rest writes what has not come whole, and does not any more.
func (l *lines) rest() {
	for _, s := range []event.Stream{event.Stdout, event.Stderr} {
		l.text(s, l.parts[s])
		l.parts[s] = nil
	}
}

func (l *lines) text(s event.Stream, data []byte) {
	if len(data) == 0 {
		return
	}
	kind := "stdout"
	if s == event.Stderr {
		kind = "stderr"
	}
	l.put(outputLine{kind, strings.ToValidUTF8(string(data), "\uFFFD"), l.now().UTC().Format("2006-01-02T15:04:05.000000Z")})
}

// unfinished is how many bytes at the end are the beginning of a character.
func unfinished(data []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(data); n++ {
		if b := data[len(data)-n]; utf8.RuneStart(b) {
			if !utf8.FullRune(data[len(data)-n:]) {
				return n
			}
			return 0
		}
	}
	return 0
}

// result is a value or a display in E2B's words.
type result struct {
	Type       string                     `json:"type"` // result
	Text       *string                    `json:"text,omitempty"`
	HTML       string                     `json:"html,omitempty"`
	Markdown   string                     `json:"markdown,omitempty"`
	SVG        string                     `json:"svg,omitempty"`
	PNG        string                     `json:"png,omitempty"`
	JPEG       string                     `json:"jpeg,omitempty"`
	PDF        string                     `json:"pdf,omitempty"`
	LaTeX      string                     `json:"latex,omitempty"`
	JSON       json.RawMessage            `json:"json,omitempty"`
	JavaScript string                     `json:"javascript,omitempty"`
	Data       json.RawMessage            `json:"data,omitempty"`
	Chart      json.RawMessage            `json:"chart,omitempty"`
	Extra      map[string]json.RawMessage `json:"extra,omitempty"`
	Main       bool                       `json:"is_main_result"`
}

// savedFile is what a bundle of Python says of the file that a picture lies in.
const savedFile = "application/vnd.praxis.file"

// resultOf writes a bundle in E2B's words. The guest made it: what says that it is JSON and is
// not is left out.
func resultOf(b event.Bundle, main bool) result {
	out := result{Type: "result", Main: main}
	if text, ok := b["text"]; ok && (main || text != "") {
		text = unquoted(text)
		out.Text = &text
	}
	texts := map[string]*string{
		"text/html": &out.HTML, "text/markdown": &out.Markdown, "image/svg+xml": &out.SVG, "image/png": &out.PNG, "image/jpeg": &out.JPEG,
		"application/pdf": &out.PDF, "text/latex": &out.LaTeX, "application/javascript": &out.JavaScript,
	}
	values := map[string]*json.RawMessage{"application/json": &out.JSON, python.DataType: &out.Data, python.ChartType: &out.Chart}
	for kind, text := range b {
		switch {
		case kind == "text" || kind == savedFile:
		case texts[kind] != nil:
			*texts[kind] = text
		case values[kind] != nil:
			if v := value(text); v != nil && (kind == "application/json" || v[0] == '{') {
				*values[kind] = v
			}
		default:
			if out.Extra == nil {
				out.Extra = map[string]json.RawMessage{}
			}
			v := value(text)
			if v == nil || !strings.HasSuffix(kind, "+json") {
				v, _ = json.Marshal(text) // a string has a form
			}
			out.Extra[kind] = v
		}
	}
	return out
}

// value is a JSON value on one line, nil for what is none.
func value(text string) json.RawMessage {
	var b bytes.Buffer
	if json.Compact(&b, []byte(text)) != nil || b.Len() == 0 {
		return nil
	}
	return b.Bytes()
}

// unquoted takes the quotes off the text of a string: it is shown as it is.
func unquoted(text string) string {
	if n := len(text); n >= 2 && text[0] == text[n-1] && (text[0] == '\'' || text[0] == '"') {
		return text[1 : n-1]
	}
	return text
}

type errorLine struct {
	Type      string `json:"type"` // error
	Name      string `json:"name"`
	Value     string `json:"value"`
	Traceback string `json:"traceback"`
}

// The names of errors that no code raised.
const (
	restarted = "ContextRestarting" // the interpreter ended, and its variables are gone
	aborted   = "ExecutionAborted"
)

// end writes how an execution ended. language is that of its code.
func (l *lines) end(x event.Execution, language string) {
	l.rest()
	if x.Result != nil {
		l.put(resultOf(x.Result, true))
	}
	switch e := x.Error; {
	case x.Status == event.OK:
	case e != nil && (x.State == event.Intact || x.State == ""):
		trace := e.Traceback
		if language == python.Name {
			trace = ipython(e.Name, trace)
		}
		l.put(errorLine{"error", e.Name, e.Value, trace})
	case x.State != event.Intact && x.State != "":
		l.put(errorLine{"error", restarted, "Context was restarted: " + x.Message, ""})
	default:
		l.put(errorLine{"error", aborted, "Execution was aborted: " + x.Message, ""})
	}
	l.put(typed{"end_of_execution"})
}

type typed struct {
	Type string `json:"type"`
}

type countLine struct {
	Type  string `json:"type"` // number_of_executions
	Count int    `json:"execution_count"`
}
