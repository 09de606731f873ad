package openai

import (
	"context"
	"encoding/base64"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"praxis/event"
	"praxis/internal/app"
	"praxis/internal/safetext"
	"praxis/internal/server/live"
)

// maxShown bounds what is shown of the output of one execution, in bytes.
const maxShown = 4000

// observer sees what happens in a run.
type observer interface {
	// reasoning receives a piece of what the model says before it acts, and of what becomes of it.
	reasoning(text string) error
	// codeBegan and codeEnded receive the executions of the model's code, one after the other.
	codeBegan(language, code string) error
	codeEnded(output string) error
	// idle is called when nothing happened for a while.
	idle() error
}

// transcript follows a run.
type transcript struct {
	to       observer
	running  bool // code of the model
	streamed strings.Builder
	last     byte   // of what was thought
	stage    string // of the preparation

	pictures []app.Picture // of the last execution that showed some
	files    map[string]event.Change
}

// follow reports what happens in a run until it ends. A client that goes away ends it.
func (x *turn) follow(ctx context.Context, to observer) (*transcript, error) {
	s := &transcript{to: to, files: map[string]event.Change{}}
	err := x.run.Log.Read(ctx, 0, live.Reader{
		Entry: func(e live.Entry) error {
			happened, err := event.Unmarshal(e.Name, e.Data)
			if err != nil {
				return nil // what a log holds beside events is for the server's own clients
			}
			return s.take(happened)
		},
		Still: to.idle,
	})
	if err != nil {
		x.run.Interrupt()
	}
	<-x.run.Done()
	return s, err
}

// take reports an event.
func (s *transcript) take(e event.Event) error {
	switch e := e.(type) {
	case event.ModelRequested:
		s.streamed.Reset()
	case event.ModelDelta:
		if e.Reasoning {
			s.streamed.WriteString(e.Text)
			return s.think(e.Text)
		}
	case event.ModelReplied:
		return s.replied(e)
	case event.ExecutionBegan:
		if s.running = e.Own(); s.running {
			return s.to.codeBegan(e.Language, e.Code)
		}
	case event.ExecutionEnded:
		if s.running {
			s.running = false
			s.made(e.Execution)
			return s.to.codeEnded(outputOf(e.Execution))
		}
	case event.ToolCalled:
		return s.paragraph("Calls " + safetext.Line(e.Tool) + ".")
	case event.ToolReturned:
		if e.Error != "" {
			return s.paragraph("The call failed: " + safetext.OneLine(e.Error, 300))
		}
	case event.ApprovalRequested:
		return s.paragraph("Waits until somebody agrees to the call: " + safetext.OneLine(e.Reason, 300))
	case event.ReplyRejected:
		return s.paragraph("The reply was sent back: " + safetext.OneLine(e.Reason, 300))
	case event.RunConcluding:
		return s.paragraph("The run may not go on: " + safetext.OneLine(e.Reason, 300))
	case event.ModelRetrying:
		return s.paragraph("The model is asked again: " + safetext.OneLine(e.Reason, 300))
	case event.Progress:
		if e.Stage != s.stage { // the first line says what the wait is for
			s.stage = e.Stage
			return s.paragraph(safetext.OneLine(e.Text, 300))
		}
	case event.Notice:
		return s.paragraph(safetext.OneLine(e.Text, 300))
	}
	return nil
}

// replied shows what of a reply was not shown while it came.
func (s *transcript) replied(e event.ModelReplied) error {
	thought, reasoning := strings.TrimSpace(e.Thought), strings.TrimSpace(e.Reasoning.Text)
	if reasoning != "" && s.streamed.Len() == 0 {
		if err := s.paragraph(reasoning); err != nil {
			return err
		}
	}
	// What a model without a word beside its action thought is its reasoning, cut.
	if beginning, _, _ := strings.Cut(thought, "\n"); thought == "" || reasoning != "" && strings.HasPrefix(reasoning, strings.TrimSuffix(beginning, "…")) {
		return nil
	}
	return s.paragraph(thought)
}

// paragraph reports a paragraph.
func (s *transcript) paragraph(text string) error {
	if s.last != 0 {
		text = "\n\n" + text
	}
	return s.think(text)
}

// think reports a piece of text that a model wrote. What would be a picture or a tag of HTML
// there is broken up: it may name any server.
func (s *transcript) think(text string) error {
	if text == "" {
		return nil
	}
	var b strings.Builder
	for i := range len(text) {
		c := text[i]
		if s.last == '!' && c == '[' || s.last == '<' && (c == '/' || c == '!' || 'a' <= c|0x20 && c|0x20 <= 'z') {
			b.WriteByte(' ')
		}
		b.WriteByte(c)
		s.last = c
	}
	return s.to.reasoning(b.String())
}

// made notes what an execution made.
func (s *transcript) made(x event.Execution) {
	shown := map[string]bool{}
	var pictures []app.Picture
	for _, b := range append(slices.Clone(x.Displays), x.Result) {
		if p, ok := app.PictureOf(b); ok && p.Ext != app.PageExt {
			pictures = append(pictures, p)
			shown[b[event.FileMIME]] = true
		}
	}
	if len(pictures) > 0 {
		s.pictures = pictures
	}
	for _, c := range x.Changes {
		if c.Kind == "removed" || shown[c.Path] {
			delete(s.files, c.Path)
		} else {
			s.files[c.Path] = c
		}
	}
}

// outputOf returns what is shown of what an execution did.
func outputOf(x event.Execution) string {
	var parts []string
	add := func(text string) {
		if text = strings.TrimSpace(text); text != "" {
			parts = append(parts, safetext.Text(safetext.Clip(text, maxShown)))
		}
	}
	add(x.Stdout)
	add(app.TextOf(x.Result))
	if x.Error != nil {
		add(x.Error.Name + ": " + x.Error.Value)
	} else if x.Status != event.OK {
		add(x.Status.String() + ": " + x.Cause())
	}
	return strings.Join(parts, "\n")
}

// fenced returns a block of Markdown that shows a text as it is, whatever stands in it.
func fenced(language, text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + language + "\n" + strings.TrimRight(text, "\n") + "\n" + fence
}

// Bounds of the pictures that stand in an answer, in bytes. What is larger is a file.
const (
	maxPicture  = 2 << 20
	maxPictures = 6 << 20
)

// What a client that draws Markdown would fetch when it shows a text.
var (
	foreignPicture = regexp.MustCompile(`!\[`)
	foreignTag     = regexp.MustCompile(`(?i)<((?:img|image|picture|source|video|audio|track|iframe|frame|embed|object|link|style|script|svg|input|base|meta)\b)`)
)

// tame returns an answer that fetches nothing from another server by being shown: a blank
// makes a picture a link, and a tag a text. Code is no exception, since what is code in Markdown
// is for each client to say; there the blank does no harm in most languages.
func tame(text string) string {
	return foreignTag.ReplaceAllString(foreignPicture.ReplaceAllString(text, "! ["), "< $1")
}

// answerText returns an answer as a client shows it, with the pictures that belong to it.
func (s *transcript) answerText(r app.AskResult, json bool) string {
	if json {
		if len(r.Value) > 0 {
			return string(r.Value)
		}
		return r.Text
	}
	var b strings.Builder
	b.WriteString(tame(r.Text))
	left := maxPictures
	for i, p := range s.pictures {
		kind := map[string]string{".png": "image/png", ".jpg": "image/jpeg", ".svg": "image/svg+xml"}[p.Ext]
		if kind == "" || len(p.Data) > maxPicture || len(p.Data) > left {
			fmt.Fprintf(&b, "\n\n(Picture %d is too large to be shown here: %s.)", i+1, safetext.Size(int64(len(p.Data))))
			continue
		}
		left -= len(p.Data)
		fmt.Fprintf(&b, "\n\n![Picture %d](data:%s;base64,%s)", i+1, kind, base64.StdEncoding.EncodeToString(p.Data))
	}
	if names := s.names(); len(names) > 0 {
		b.WriteString("\n\nFiles: ")
		for i, name := range names {
			if i == maxNamed {
				fmt.Fprintf(&b, " and %d more", len(names)-i)
				break
			}
			if i > 0 {
				b.WriteString(", ")
			}
			fmt.Fprintf(&b, "`%s` (%s)", strings.ReplaceAll(safetext.Line(strings.TrimPrefix(name, app.WorkDir+"/")), "`", "'"), safetext.Size(s.files[name].Bytes))
		}
	}
	return b.String()
}

// maxNamed bounds how many files an answer names.
const maxNamed = 20

// names returns the paths of the files that the run made, sorted.
func (s *transcript) names() []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(s.files)) {
		if strings.HasPrefix(name, app.WorkDir+"/") && path.Clean(name) == name {
			out = append(out, name)
		}
	}
	return out
}

// result is what is known of an answer beside its text: the member praxis of responses.
type result struct {
	Run        string         `json:"run"`              // on this server
	Record     string         `json:"record,omitempty"` // of the run
	Thread     string         `json:"thread"`
	Verified   bool           `json:"verified"`
	Incomplete string         `json:"incomplete,omitempty"`
	Unsaved    string         `json:"unsaved,omitempty"` // why the conversation cannot go on from here
	Steps      int            `json:"steps"`
	Figures    []event.Figure `json:"figures,omitempty"`
	Files      []madeFile     `json:"files,omitempty"`
}

// madeFile is a file that a run made.
type madeFile struct {
	ID    string `json:"id"` // GET files/ID/content
	Name  string `json:"filename"`
	Bytes int64  `json:"bytes"`
}

// resultOf describes an answer.
func (x *turn) resultOf(r app.AskResult, s *transcript, unsaved error) result {
	out := result{Run: x.run.ID, Record: r.Run, Thread: x.thread, Verified: r.Verified(), Incomplete: r.Incomplete, Steps: r.Steps, Figures: r.Figures}
	if unsaved != nil {
		out.Unsaved = failureOf(unsaved).Message
	}
	for _, name := range s.names() {
		out.Files = append(out.Files, madeFile{fileID(x.thread, name), strings.TrimPrefix(name, app.WorkDir+"/"), s.files[name].Bytes})
	}
	return out
}

// checked says what became of the figures of an answer. It ends what a client shows of how the
// answer came about.
func checked(r app.AskResult) string {
	traced := len(r.Figures) - len(event.Untraced(r.Figures))
	text := fmt.Sprintf("Checked: %s of %d traced to what code gave or the question says", safetext.Count(traced, "figure"), len(r.Figures))
	switch {
	case len(r.Figures) == 0:
		text = "Checked: the answer has no figures"
	case traced < len(r.Figures):
		text += "; the others are marked as unverified"
	}
	if r.Incomplete != "" {
		text += ". The answer is incomplete: " + safetext.OneLine(r.Incomplete, 300)
	}
	return text + ". Record " + r.Run + "."
}
