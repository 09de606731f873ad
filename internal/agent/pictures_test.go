package agent_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"image"
	"image/png"
	"strings"
	"testing"

	"praxis/event"
	"praxis/internal/agent"
	"praxis/internal/language"
	"praxis/internal/llm"
	"praxis/internal/llm/scripted"
)

// showing is a session whose code displays pictures.
type showing []event.Bundle

func (s showing) Execute(context.Context, string, string, event.Sink) (event.Execution, error) {
	return event.Execution{Status: event.OK, State: event.Intact, Displays: s}, nil
}

func drawn(t *testing.T, width int) string {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, width, 1))); err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(b.Bytes())
}

// TestPictures shows pictures to a model that sees, bounded, and to no other.
func TestPictures(t *testing.T) {
	small := drawn(t, 3)
	all := showing{
		{"image/png": small}, {"text": "<b>"}, {"image/jpeg": small}, {"image/png": "aGk="}, {"image/png": strings.Repeat("AAAA", 400_000)}, {"image/png": drawn(t, 8001)},
		{"image/png": small}, {"image/png": small}, {"image/png": small}, {"image/png": small},
	}
	ask := func(sees bool, history []llm.Message) (llm.Request, agent.Answer) {
		script, err := scripted.Parse("case", strings.NewReader("=== reply\n```python\nshow()\n```\n=== reply\nFINAL ANSWER: Well."))
		if err != nil {
			t.Fatal(err)
		}
		var req llm.Request
		a, err := agent.Run(t.Context(), agent.Config{Languages: language.Table{py}, Model: traits{spy{script, &req}, event.Traits{Sees: sees}}, Session: all, History: history}, "Well?")
		if err != nil {
			t.Fatal(err)
		}
		return req, a
	}
	req, answer := ask(true, nil)
	last := req.Messages[len(req.Messages)-1]
	var names []string
	for _, p := range last.Pictures {
		if names = append(names, p.Name); p.Type != "image/png" || base64.StdEncoding.EncodeToString(p.Data) != small {
			t.Errorf("%s is another picture", p.Name)
		}
	}
	if got := strings.Join(names, ", "); got != "display 1 of step 1, display 7 of step 1, display 8 of step 1, display 9 of step 1" {
		t.Errorf("the model sees %s", got)
	}
	want := "status: ok\ndisplay 1: image/png (you see it)\ndisplay 2: a value\n<b>\ndisplay 3: image/jpeg (not shown: it is damaged)\ndisplay 4: image/png (not shown: it is damaged)\n" +
		"display 5: image/png (not shown: it has more than 1MiB; show a smaller one)\ndisplay 6: image/png (not shown: it is wider or higher than 8000 pixels)\n" +
		"display 7: image/png (you see it)\ndisplay 8: image/png (you see it)\ndisplay 9: image/png (you see it)\ndisplay 10: image/png (not shown: 4 pictures of a step are)"
	if last.Text != want {
		t.Errorf("the model reads\n%s\nwant\n%s", last.Text, want)
	}
	for _, m := range answer.Messages {
		if len(m.Pictures) > 0 {
			t.Error("pictures stay in the conversation that is kept")
		}
	}
	if req, _ := ask(false, nil); len(req.Messages[len(req.Messages)-1].Pictures) > 0 || !strings.Contains(req.Messages[len(req.Messages)-1].Text, "display 1: image/png\ndisplay 2") {
		t.Error("a model that does not see is shown pictures")
	}
}

// FuzzPicture checks that nothing that a guest shows as a picture breaks the agent.
func FuzzPicture(f *testing.F) {
	f.Add("image/png", "iVBORw0KGgo=")
	f.Add("image/jpeg", "/9j/4AAQ")
	f.Fuzz(func(t *testing.T, mime, text string) {
		script, err := scripted.Parse("case", strings.NewReader("=== reply\n```python\nshow()\n```\n=== reply\nFINAL ANSWER: Well."))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := agent.Run(t.Context(), agent.Config{
			Languages: language.Table{py}, Model: traits{script, event.Traits{Sees: true}}, Session: showing{{mime: text}},
		}, "Well?"); err != nil {
			t.Fatal(err)
		}
	})
}
