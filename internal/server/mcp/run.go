package mcp

import (
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/safetext"
	"praxis/internal/server/api"
	"praxis/internal/server/live"
)

// Bounds of what a model gets of an execution.
const (
	maxOutput   = 20_000 // bytes of its outputs
	maxPictures = 8
)

// inSession names the session that a tool works in.
type inSession struct {
	Session string `json:"session,omitempty" jsonschema:"name of another session, which is made if it is not there; left out: your own"`
}

type runIn struct {
	Code     string   `json:"code"`
	Language string   `json:"language,omitempty" jsonschema:"python (default), bash or sql; javascript and typescript in a session that begins with them"`
	Packages []string `json:"packages,omitempty" jsonschema:"to install first, such as pandas==2.* or npm:lodash"`
	TimeoutS float64  `json:"timeout_s,omitempty"`
	inSession
}

type runOut struct {
	Status   string       `json:"status" jsonschema:"ok, error, timeout, memory, output, killed, interrupted or crashed"`
	Message  string       `json:"message,omitempty"`
	Stdout   string       `json:"stdout,omitempty"`
	Stderr   string       `json:"stderr,omitempty"`
	Result   string       `json:"result,omitempty" jsonschema:"value of the last expression"`
	Shown    []string     `json:"shown,omitempty" jsonschema:"what was displayed, as text"`
	Error    *raised      `json:"error,omitempty"`
	Pictures int          `json:"pictures,omitempty" jsonschema:"in the content"`
	Files    []fileChange `json:"files,omitempty" jsonschema:"that the code wrote or removed"`
	Output   string       `json:"output_file,omitempty" jsonschema:"file with the whole output, when it was cut"`
	Session  string       `json:"session"`
}

type raised struct {
	Name      string `json:"name"`
	Message   string `json:"message"`
	Traceback string `json:"traceback,omitempty"`
	Hint      string `json:"hint,omitempty"`
}

type fileChange struct {
	Path   string `json:"path"`
	Change string `json:"change" jsonschema:"created, changed or removed"`
	Bytes  int64  `json:"bytes"`
}

// addSessionTools adds the tools that work in a session.
func (d *Door) addSessionTools() {
	add(d, &mcp.Tool{
		Name: "run_code", Annotations: writes("Run code", false),
		Description: "Run code in your sandboxed session. Variables, imports and files (in /work) stay for later calls. The value of the last expression is returned, and so are plots, as pictures. There is no network.",
	}, d.runCode)
	d.addFileTools()
}

// runCode runs a piece of code, and reports what it prints meanwhile.
func (d *Door) runCode(ctx context.Context, req *mcp.CallToolRequest, in runIn) (*mcp.CallToolResult, runOut, error) {
	steps := newProgress(req)
	steps.say(ctx, "preparing the session")
	var x event.Execution
	at, err := d.within(ctx, in.Session, like(in.Language, in.Packages), func(at place) (err error) {
		if err = d.equip(ctx, at, in.Packages); err == nil {
			x, err = d.execute(ctx, at, in, steps)
		}
		return err
	})
	if err != nil {
		return nil, runOut{}, err
	}
	out := runOutOf(x)
	out.Session = at.id
	pictures := append(picturesOf(x.Displays), picturesOf([]event.Bundle{x.Result})...)
	res := &mcp.CallToolResult{IsError: x.Status != event.OK}
	note := at.note()
	if more := len(pictures) - maxPictures; more > 0 {
		note = strings.TrimSpace(fmt.Sprintf("[%d more pictures were shown] ", more) + note)
		pictures = pictures[:maxPictures]
	}
	out.Pictures = len(pictures)
	text := strings.TrimSuffix(out.text()+note, "\n")
	if text == "" && len(pictures) == 0 {
		text = "(no output)"
	}
	if text != "" {
		res.Content = append(res.Content, &mcp.TextContent{Text: text})
	}
	for _, p := range pictures {
		res.Content = append(res.Content, p)
	}
	return res, out, nil
}

// execute runs code in a session. When ctx is over, the code is interrupted, and what came of it
// is waited for.
func (d *Door) execute(ctx context.Context, at place, in runIn, steps *progress) (x event.Execution, err error) {
	q := api.NewExecution{SessionRef: api.SessionRef{Session: at.id}, Code: in.Code, Language: in.Language, TimeoutS: in.TimeoutS, OutputBytes: maxOutput, Stream: true}
	err = d.do(ctx, "executions.start", &q, func(ctx context.Context, _ *api.Call, out any) error {
		s := out.(*api.Stream)
		read := s.Log.Read(ctx, s.After, live.Reader{Entry: func(e live.Entry) error {
			if o, err := event.Unmarshal(e.Name, e.Data); err == nil {
				steps.event(ctx, o)
			}
			return nil
		}})
		if read != nil && s.Leave != nil {
			s.Leave()
		}
		done, _ := s.Final().(api.Execution)
		switch {
		case done.Failure != nil:
			return done.Failure
		case done.Execution == nil:
			return fault.New(fault.Canceled, "", "the code was not run: %w", context.Cause(ctx))
		}
		x = *done.Execution
		return nil
	})
	return x, err
}

func runOutOf(x event.Execution) runOut {
	out := runOut{Status: x.Status.String(), Message: x.Message, Stdout: x.Stdout, Stderr: x.Stderr, Result: textOf(x.Result), Output: x.OutputFile}
	for _, b := range x.Displays {
		if t := textOf(b); t != "" && len(picturesOf([]event.Bundle{b})) == 0 {
			out.Shown = append(out.Shown, t)
		}
	}
	if e := x.Error; e != nil {
		out.Error = &raised{e.Name, e.Value, e.Traceback, e.Hint}
	}
	for _, c := range x.Changes {
		out.Files = append(out.Files, fileChange{c.Path, c.Kind, c.Bytes})
	}
	return out
}

// text is what came of code, for a model: what it printed first, what is rare marked.
func (o runOut) text() string {
	var b strings.Builder
	line := func(format string, args ...any) {
		b.WriteString(strings.TrimSuffix(fmt.Sprintf(format, args...), "\n") + "\n")
	}
	part := func(mark, text string) {
		if text != "" {
			line("%s%s", mark, text)
		}
	}
	part("", o.Stdout)
	part("[stderr] ", o.Stderr)
	for _, s := range o.Shown {
		part("", s)
	}
	part("", o.Result)
	if e := o.Error; e != nil {
		line("%s", cmp.Or(e.Traceback, e.Name+": "+e.Message))
		part("[hint] ", e.Hint)
	}
	if o.Status != event.OK.String() && o.Status != event.Error.String() || o.Message != "" {
		line("[%s] %s", o.Status, o.Message)
	}
	part("[the whole output is in] ", o.Output)
	for _, f := range o.Files {
		if f.Change == "removed" {
			line("[removed %s]", f.Path)
		} else {
			line("[%s %s, %s]", f.Change, f.Path, safetext.Size(f.Bytes))
		}
	}
	return b.String()
}

// textOf is the best text that a value is shown as.
func textOf(b event.Bundle) string {
	return cmp.Or(b["text/markdown"], b["text"], b["text/plain"], b["application/json"])
}

// pictureTypes are those of pictures that models see.
func pictureTypes() []string { return []string{"image/png", "image/jpeg", "image/webp", "image/gif"} }

// picturesOf returns the pictures among some values.
func picturesOf(bundles []event.Bundle) []*mcp.ImageContent {
	var out []*mcp.ImageContent
	for _, b := range bundles {
		for _, mime := range pictureTypes() {
			data, err := base64.StdEncoding.DecodeString(b[mime])
			if err == nil && len(data) > 0 {
				out = append(out, &mcp.ImageContent{Data: data, MIMEType: mime})
				break
			}
		}
	}
	return out
}
