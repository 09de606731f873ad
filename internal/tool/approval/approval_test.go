package approval

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/tool"
	"praxis/internal/tool/gate"
	"praxis/internal/tool/jsondoc"
	"praxis/internal/tool/toolfile"
)

const bound = "5f0c"

func definition(t testing.TB, description string) *tool.Definition {
	t.Helper()
	d, err := toolfile.Define("test", jsondoc.NewObject(
		jsondoc.Member{Name: "name", Value: "crm.delete"}, jsondoc.Member{Name: "version", Value: "1.2.0"},
		jsondoc.Member{Name: "description", Value: description}, jsondoc.Member{Name: "effects", Value: "write"}))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func deletion(t testing.TB) gate.Question {
	return gate.Question{
		Run: "r-1", ID: "c-7", Tool: definition(t, "Deletes a customer."), Origin: gate.Code, Line: 12,
		Arguments: jsondoc.NewObject(jsondoc.Member{Name: "customer", Value: "c-1"}, jsondoc.Member{Name: "why", Value: "asked by mail"}),
		Labels: map[string]event.DataLabel{
			"customer": {Sources: []string{"user"}, Trusted: true, Anyone: true},
			"why":      {Sources: []string{"mail.read", "user"}, Readers: []string{"me"}},
		},
		Rule: "writes-ask", Reason: "it deletes", Bound: bound,
	}
}

func answerOf(t testing.TB, a gate.Approver, q gate.Question) gate.Answer {
	t.Helper()
	answer, err := a.Approve(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

func TestDecode(t *testing.T) {
	q := deletion(t)
	for text, want := range map[string]gate.Answer{
		`{"granted":true,"bound":"5f0c"}`:                                              {Granted: true, Scope: gate.Once},
		`{"granted":true,"scope":"exact","bound":"5f0c","who":"ann"}`:                  {Granted: true, Scope: gate.Exact, Who: "ann"},
		`{"granted":true,"scope":"run","bound":"5f0c","reason":"as agreed","more":[]}`: {Granted: true, Scope: gate.Whole, Reason: "as agreed"},
		`{"granted":false,"bound":"5f0c","who":null,"reason":"a\u001b[2Jb\u202e"}`:     {Scope: gate.Once, Reason: `a\x1b[2Jb\u202e`},
	} {
		want.By = gate.ByProgram
		if got, err := decode([]byte(text), q); err != nil || got != want {
			t.Errorf("%s: got %+v, %v; want %+v", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		``:                                  "no JSON",
		`yes`:                               "no JSON",
		`true`:                              "no JSON object",
		`{}`:                                "granted",
		`{"granted":"true","bound":"5f0c"}`: "granted",
		`{"granted":1,"bound":"5f0c"}`:      "granted",
		`{"granted":true}`:                  `no "bound"`,
		`{"granted":true,"bound":"5F0C"}`:   "another call",
		`{"granted":true,"bound":"5f0c0"}`:  "another call",
		`{"granted":true,"bound":5}`:        "no text",
		`{"granted":true,"Bound":"5f0c"}`:   `no "bound"`,
		`{"granted":true,"bound":"5f0c","scope":"always"}`:  "scope is always",
		`{"granted":true,"bound":"5f0c","scope":["run"]}`:   "no text",
		`{"granted":false,"granted":true,"bound":"5f0c"}`:   "no JSON",
		`{"granted":true,"bound":"5f0c"}{"granted":false}`:  "no JSON",
		`{"granted":true,"bound":"5f0c","who":{}}`:          "no text",
		strings.Repeat(" ", maxAnswer) + `{"granted":true}`: "more than",
		strings.Repeat("[", 10000):                          "no JSON",
	} {
		if got, err := decode([]byte(text), q); err == nil || got.Granted || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s: got %+v, %v; want an error with %q", text, got, err, want)
		}
	}
	if _, err := decode([]byte(`{"granted":true,"bound":""}`), gate.Question{}); err == nil {
		t.Error("an answer to a question that is bound to nothing was accepted")
	}
}

func FuzzDecode(f *testing.F) {
	q := deletion(f)
	f.Add(`{"granted":true,"bound":"5f0c","scope":"run","who":"a","reason":"b"}`)
	f.Fuzz(func(t *testing.T, text string) {
		a, err := decode([]byte(text), q)
		if err != nil && a.Granted {
			t.Error("granted with an error")
		}
		if a.Granted && !strings.Contains(text, "true") {
			t.Errorf("%q grants", text)
		}
		if strings.ContainsAny(a.Who+a.Reason, "\x1b\n\u202e") || len(a.Who) > maxWho+3 || len(a.Reason) > maxReason+3 {
			t.Errorf("%q, %q in an answer", a.Who, a.Reason)
		}
	})
}

type approver func(context.Context, gate.Question) (gate.Answer, error)

func (f approver) Approve(ctx context.Context, q gate.Question) (gate.Answer, error) {
	return f(ctx, q)
}

func (f approver) Close() error { return nil }

func TestTimeout(t *testing.T) {
	q := deletion(t)
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		deaf := approver(func(context.Context, gate.Question) (gate.Answer, error) {
			<-release
			return gate.Answer{Granted: true}, nil
		})
		start := time.Now()
		a := answerOf(t, Timeout(deaf, time.Minute), q)
		if a.Granted || a.By != gate.ByTimeout || a.Reason == "" || time.Since(start) != time.Minute {
			t.Errorf("got %+v after %v", a, time.Since(start))
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if a, err := Timeout(deaf, time.Minute).Approve(ctx, q); err != nil || a.Granted || !strings.Contains(a.Reason, "given up") {
			t.Errorf("got %+v, %v", a, err)
		}
		close(release)
	})
	yes := approver(func(context.Context, gate.Question) (gate.Answer, error) {
		return gate.Answer{Granted: true, Scope: gate.Once, By: gate.ByPerson}, nil
	})
	if a := answerOf(t, Timeout(yes, time.Minute), q); !a.Granted || a.By != gate.ByPerson {
		t.Errorf("got %+v", a)
	}
	broken := approver(func(context.Context, gate.Question) (gate.Answer, error) { panic("broken") })
	if a := answerOf(t, Timeout(broken, time.Minute), q); a.Granted || !strings.Contains(a.Reason, "panicked: broken") {
		t.Errorf("got %+v", a)
	}
	later := approver(func(context.Context, gate.Question) (gate.Answer, error) { return gate.Answer{}, gate.ErrLater })
	if _, err := Timeout(later, time.Minute).Approve(t.Context(), q); !errors.Is(err, gate.ErrLater) {
		t.Errorf("got %v", err)
	}
}

func TestTimeoutCloses(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	a, err := Parse("terminal", Config{In: r, Out: io.Discard})
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Close(); err != nil {
		t.Error(err)
	}
	if a := answerOf(t, a, deletion(t)); a.Granted || a.By != gate.ByTimeout {
		t.Errorf("closed: got %+v", a)
	}
	if err := Timeout(Never{}, time.Second).Close(); err != nil {
		t.Error(err)
	}
}

func TestNever(t *testing.T) {
	if a := answerOf(t, Never{}, deletion(t)); a.Granted || a.By != gate.ByPolicy || !strings.Contains(a.Reason, "nobody is asked in this run") {
		t.Errorf("got %+v", a)
	}
}

func TestParse(t *testing.T) {
	var out strings.Builder
	for spec, want := range map[string]string{
		"terminal":                             "",
		" never ":                              "",
		"https://approve.example.com/ask?a=b":  "",
		"http://127.0.0.1:8080/":               "",
		"http://[::1]/":                        "",
		"http://localhost/":                    "",
		"command:true":                         "",
		`command:["true","a b"]`:               "",
		"":                                     "nothing is said",
		"always":                               "cannot approve everything",
		"all":                                  "cannot approve everything",
		"ask":                                  "not a way to ask",
		"\x1b[2J":                              `\\x1b`,
		"http://approve.example.com/":          "without encryption",
		"http://127.0.0.1.example.com/":        "without encryption",
		"https://":                             "address",
		"https://ann:hunter2@approve.example/": "credentials",
		"https://%zz":                          "address",
		"command:":                             "there is none",
		"command: ":                            "there is none",
		"command:no-such-program-anywhere":     "cannot be run",
		"command:true 'a b'":                   "no shell",
		"command:true; rm":                     "no shell",
		`command:["true"`:                      "not a JSON list",
		`command:[""]`:                         "there is none",
		`command:["true","\u0000"]`:            "null character",
	} {
		a, err := Parse(spec, Config{In: strings.NewReader(""), Out: &out, Secret: "hunter2", Headers: map[string]string{"Authorization": "Bearer hunter2"}})
		switch {
		case want == "" && (err != nil || a == nil):
			t.Errorf("%q: %v", spec, err)
		case want != "" && (fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), want)):
			t.Errorf("%q: got %v, want a fault with %q", spec, err, want)
		case err != nil && strings.Contains(err.Error()+fault.RemedyOf(err), "hunter2"):
			t.Errorf("%q: a secret is in %v", spec, err)
		}
	}
	a, err := Parse("never", Config{})
	if err != nil || answerOf(t, a, deletion(t)).By != gate.ByPolicy {
		t.Errorf("never: %v", err)
	}
}

// TestQuestionTravels checks that a question which went to another machine is shown there as it
// is here.
func TestQuestionTravels(t *testing.T) {
	q := deletion(t)
	q.Found = map[string][]gate.Found{"why": {{Text: "what mail.read returned", Quote: "asked by mail"}}}
	q.New = map[string][]string{"customer": {"c-1"}}
	facts, err := factsOf(q)
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(facts)
	if err != nil {
		t.Fatal(err)
	}
	var there Facts
	if err := json.Unmarshal(data, &there); err != nil {
		t.Fatal(err)
	}
	got, err := there.Question()
	if err != nil {
		t.Fatal(err)
	}
	screen := NewTerminal(strings.NewReader(""), io.Discard, 80, "ann")
	if here, there := screen.question(q), screen.question(got); here != there || !strings.Contains(here, "NEW") {
		t.Errorf("here:\n%s\nthere:\n%s", here, there)
	}
	for name, f := range map[string]Facts{"no effects": {Arguments: []byte(`{}`)}, "no object": {Effects: "read", Arguments: []byte(`[]`)}, "no JSON": {Effects: "read", Arguments: []byte(`{`)}, "nothing": {Effects: "read"}} {
		if _, err := f.Question(); err == nil {
			t.Errorf("%s: it is a question", name)
		}
	}
}

// FuzzQuestion checks that nothing of a question from elsewhere reaches a terminal as it is.
func FuzzQuestion(f *testing.F) {
	f.Add(`{"tool":"a.b","effects":"external","description":"\u001b[2J","arguments":{"x":"\u202e"},"labels":{"x":{"sources":["\u001b"]}},"new":{"x":["\u0007"]},"found":{"x":[{"text":"\u001b","quote":"\u009b"}]}}`)
	screen := NewTerminal(strings.NewReader(""), io.Discard, 80, "ann")
	f.Fuzz(func(t *testing.T, text string) {
		var facts Facts
		if json.Unmarshal([]byte(text), &facts) != nil {
			return
		}
		q, err := facts.Question()
		if err != nil {
			return
		}
		for _, shown := range []string{screen.question(q), screen.whole(q), screen.explanation(q, "word")} {
			if i := strings.IndexFunc(shown, func(r rune) bool { return r < ' ' && r != '\n' || r >= 0x7f && r < 0xa0 || r == 0x202e }); i >= 0 {
				t.Errorf("%q is shown", shown[i:min(len(shown), i+20)])
			}
		}
	})
}
