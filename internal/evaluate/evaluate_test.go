package evaluate_test

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"praxis/fault"
	"praxis/internal/evaluate"
)

func read(t *testing.T, text string) []evaluate.Case {
	t.Helper()
	cases, err := evaluate.Read("cases.jsonl", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return cases
}

func TestReadTakesWellKnownCollections(t *testing.T) {
	cases := read(t, `# made by hand
{"question": "How many?", "expect": 3}

{"id": 7, "question": "Which?", "target": "north", "extra": [1]}
{"id": "x", "question": "What?", "answer": {"json": {"a": 1}, "tolerance": 0.5}, "files": ["a.csv"], "with": ["pandas"]}
{"id": "p", "question": "Compute.", "code": "def solution():\n    return 2\n", "expected": 2.0}
`)
	if len(cases) != 4 || cases[0].ID != "2" || cases[1].ID != "7" || cases[0].Expect.Number.Value != 3 || cases[1].Expect.Text != "north" {
		t.Fatalf("got %+v", cases)
	}
	if c := cases[2]; string(c.Expect.JSON) != `{"a": 1}` || !slices.Equal(c.Files, []string{"a.csv"}) || !slices.Equal(c.With, []string{"pandas"}) {
		t.Errorf("got %+v", c)
	}
	if c := cases[3]; len(c.Replies) != 2 || !strings.Contains(c.Replies[0], "return 2") || !strings.Contains(c.Replies[1], "FINAL ANSWER") {
		t.Errorf("got %q", c.Replies)
	}
}

func TestReadNamesTheLineOfAMistake(t *testing.T) {
	for text, says := range map[string]string{
		"":                    "holds no case",
		"{}":                  "cases.jsonl:1: there is no question",
		"\n{\"question\": 1}": "cases.jsonl:2: it is no such JSON object",
		`{"question": "q"}`:   "0 of the fields",
		`{"question": "q", "expect": 1, "target": 2}`:                                                "2 of the fields",
		`{"question": "q", "expect": {}}`:                                                            "nothing is expected",
		`{"question": "q", "expect": " "}`:                                                           "is empty",
		`{"question": "q", "expect": null}`:                                                          "0 of the fields",
		`{"question": "q", "expect": [1]}`:                                                           "no number, no text and no object",
		`{"question": "q", "expect": {"nubmer": 1}}`:                                                 "nubmer",
		`{"question": "q", "expect": {"matches": "("}}`:                                              "no regular expression",
		`{"question": "q", "expect": {"number":1,"tolerance":-1}}`:                                   "tolerance is negative",
		`{"question": "q", "expect": 1}]`:                                                            "after the object",
		`{"question": "q", "expect": 1} x`:                                                           "after the object",
		"{\"id\":1,\"question\":\"q\",\"expect\":1}\n{\"id\":\"1\",\"question\":\"q\",\"expect\":1}": "line 1 has the id",
	} {
		_, err := evaluate.Read("cases.jsonl", strings.NewReader(text))
		if fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: got %v, want %q", text, err, says)
		}
	}
}

// verdict asks one case that is answered with a text.
func verdict(t *testing.T, expect, answer string) evaluate.Result {
	t.Helper()
	cases := read(t, fmt.Sprintf(`{"question": "q", "expect": %s}`, expect))
	out, err := evaluate.Run(t.Context(), evaluate.Config{Cases: cases, Models: []string{"m"},
		Ask: func(context.Context, evaluate.Case, string) (evaluate.Answered, error) {
			return evaluate.Answered{Run: "r", Text: answer}, nil
		},
		Assert: func(_ context.Context, e, a string, f []float64) (string, error) {
			if want := fmt.Sprint(a, f); e != want {
				return "got " + want, nil
			}
			return "", nil
		},
	})
	if err != nil || len(out) != 1 {
		t.Fatal(out, err)
	}
	return out[0]
}

func TestGrades(t *testing.T) {
	for _, c := range []struct {
		expect, answer string
		right          bool
	}{
		{`42`, "It is 42.", true},
		{`42`, "It is 43.", false},
		{`42`, "There are 7 of 42.", true},
		{`-9867630.0`, "She makes $-9,867,630 a day.", true},
		{`12.3456`, "about 12.346", true},
		{`12.3456`, "about 12.35", true},
		{`12.3456`, "about 12", false},
		{`3.509e-07`, "3.509051319567191e-07", true},
		{`3.509e-07`, "3.51e-04", false},
		{`0.5`, "0.6 of it", false},
		{`{"number": 100, "tolerance": 2}`, "101.5", true},
		{`{"number": 100, "tolerance": 2}`, "103", false},
		{`{"number": 100, "relative": 0.05}`, "96", true},
		{`{"number": 0.123}`, "12.3 %", true},
		{`"New  York"`, "It is new york.", true},
		{`"north"`, "south", false},
		{`{"matches": "^[0-9]+$"}`, "12", true},
		{`{"matches": "^[0-9]+$"}`, "12 or so", false},
		{`{"json": {"a": [1, 2.0]}}`, "```json\n{\"a\": [1.0, 2]}\n```", true},
		{`{"json": {"a": [1, 2]}}`, `{"a": [1, 3]}`, false},
		{`{"json": {"a": 1}}`, `{"a": 1, "b": 2}`, false},
		{`{"json": {"a": 1, "b": null}}`, `{"a": 1}`, false},
		{`{"json": [1]}`, `no JSON`, false},
		{`{"json": {"a": 1}}`, `{"a": 1}]`, false},
		{`{"json": {"a": 1}}`, `{"a": 1} {"a": 1}`, false},
		{`{"json": {"a": 1}}`, "```json\n{\"a\": 1}\n```\nThat is it.", false},
		{`{"json": {"a": 1}}`, `{"a": 2, "a": 1}`, false},
		{`{"json": 9007199254740993}`, `9007199254740993`, true},
		{`{"json": 9007199254740993}`, `9007199254740992`, false},
		{`{"json": [123456789]}`, `[123456790]`, false},
		{`{"json": [123456789]}`, `[123456789.0]`, true},
		{`{"json": 1e400}`, `1e400`, true},
		{`{"json": 1e400}`, `2e400`, false},
		{`{"json": 123456789, "tolerance": 1}`, `123456790`, true},
		{`123456789`, "It is 123456790.", false},
		{`123456789`, "It is 123,456,789.", true},
		{`123456789`, "It is 123456789.0000001.", true},
		{`123456789`, "It is 123.457 million.", true},
		{`9007199254740993`, "It is 9,007,199,254,740,993.", true},
		{`9007199254740993`, "It is 9007199254740992.", false},
		{`-9007199254740993`, "It is −9 007 199 254 740 993.", true},
		{`9007199254740993`, "It is 19007199254740993.", false},
		{`9007199254740993`, "It is 9.0072e15.", true},
		{`{"json": 3.0, "tolerance": 0.1}`, `3.05`, true},
		{`{"number": 3, "text": "days"}`, "3 weeks", false},
		{`{"assert": "2 of 3[2 3]"}`, "2 of 3", true},
		{`{"assert": "x"}`, "2 of 3", false},
	} {
		r := verdict(t, c.expect, c.answer)
		if (r.Verdict == evaluate.Passed) != c.right || (r.Why == "") != c.right {
			t.Errorf("%s answered by %q: %s %s", c.expect, c.answer, r.Verdict, r.Why)
		}
	}
}

func many(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `{"id": "c%d", "question": "q", "expect": %d}`+"\n", i, i%2)
	}
	return b.String()
}

// An evaluation that is cut off goes on with what is missing, whatever of it was written.
func TestRunGoesOn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results.jsonl")
	cases := read(t, many(20))
	var questions atomic.Int64
	run := func(ctx context.Context, stop func(n int64)) ([]evaluate.Result, int, error) {
		store, err := evaluate.OpenStore(path)
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := store.Close(); err != nil {
				t.Error(err)
			}
		}()
		again := 0
		out, err := evaluate.Run(ctx, evaluate.Config{Cases: cases, Models: []string{"a", "b"}, Jobs: 3, Store: store,
			Ask: func(ctx context.Context, c evaluate.Case, model string) (evaluate.Answered, error) {
				stop(questions.Add(1))
				if c.ID == "c3" {
					return evaluate.Answered{}, fault.New(fault.Unavailable, "", "no network")
				}
				return evaluate.Answered{Run: "r", Text: "It is 1.", Tokens: 5}, ctx.Err()
			},
			Each: func(_ evaluate.Result, was bool) {
				if was {
					again++
				}
			},
		})
		return out, again, err
	}
	ctx, cancel := context.WithCancel(t.Context())
	if _, _, err := run(ctx, func(n int64) {
		if n == 10 {
			cancel()
		}
	}); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = f.WriteString(`{"case":"c19","sum":"x`) // as a crash leaves it
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	out, again, err := run(t.Context(), func(int64) {})
	if err != nil || len(out) != 40 || again == 0 || questions.Load()+int64(again) > 52 {
		t.Fatalf("%d results, %d of before, %d questions, %v", len(out), again, questions.Load(), err)
	}
	scores := evaluate.Scores([]string{"a", "b"}, out)
	if s := scores[1]; s.Passed != 9 || s.Failed != 10 || s.Errors != 1 || s.Low > s.Share || s.High < s.Share || s.Tokens != 95 {
		t.Errorf("got %+v", s)
	}
	if _, again, err := run(t.Context(), func(int64) {}); err != nil || again != 38 {
		t.Errorf("%d of before: what could not be questions must be questions again: %v", again, err)
	}
	if err := os.WriteFile(path, []byte("{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := evaluate.OpenStore(path); fault.KindOf(err) != fault.Invalid {
		t.Errorf("another file was taken for results: %v", err)
	}
}

// What would fail for every case ends the evaluation at once.
func TestRunEndsWhereNothingCanBeDone(t *testing.T) {
	questions := 0
	_, err := evaluate.Run(t.Context(), evaluate.Config{Cases: read(t, many(20)), Models: []string{"a"},
		Ask: func(context.Context, evaluate.Case, string) (evaluate.Answered, error) {
			questions++
			return evaluate.Answered{}, fault.New(fault.Denied, "", "no key")
		}})
	if fault.KindOf(err) != fault.Denied || questions != 1 {
		t.Errorf("%d questions, %v", questions, err)
	}
}

// The intervals are those of the formula: 10 of 10, and 15 of 30, computed by hand.
func TestScores(t *testing.T) {
	results := func(passed, failed int) (out []evaluate.Result) {
		for range passed {
			out = append(out, evaluate.Result{Model: "m", Verdict: evaluate.Passed})
		}
		for range failed {
			out = append(out, evaluate.Result{Model: "m", Verdict: evaluate.Failed})
		}
		return out
	}
	for _, c := range []struct {
		passed, failed int
		low, high      float64
	}{{10, 0, 0.7225, 1}, {15, 15, 0.3315, 0.6685}, {0, 0, 0, 1}} {
		s := evaluate.Scores([]string{"m"}, results(c.passed, c.failed))[0]
		if diff := max(s.Low-c.low, c.low-s.Low, s.High-c.high, c.high-s.High); diff > 1e-4 {
			t.Errorf("%d of %d: [%.4f, %.4f]", c.passed, c.passed+c.failed, s.Low, s.High)
		}
	}
}

func TestReports(t *testing.T) {
	hostile := "<script>alert(1)</script>\x1b[31m]]>"
	results := []evaluate.Result{
		{Case: "c1", Model: "a", Verdict: evaluate.Passed, Answer: "1"},
		{Case: "c1", Model: "b", Verdict: evaluate.Failed, Why: hostile, Answer: hostile, Expected: "1", Run: "r1"},
		{Case: "c2", Model: "a", Verdict: evaluate.Error, Why: "no network"},
	}
	models := []string{"a", "b"}
	r := evaluate.Report{Name: "cases.jsonl", Models: models, Scores: evaluate.Scores(models, results), Results: results}
	var junit, page bytes.Buffer
	if err := errors.Join(r.JUnit(&junit), r.HTML(&page)); err != nil {
		t.Fatal(err)
	}
	var parsed struct {
		Suites []struct {
			Name     string `xml:"name,attr"`
			Tests    int    `xml:"tests,attr"`
			Failures int    `xml:"failures,attr"`
			Errors   int    `xml:"errors,attr"`
			Cases    []struct {
				Failure *string `xml:"failure"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal(junit.Bytes(), &parsed); err != nil {
		t.Fatal(err, junit.String())
	}
	if s := parsed.Suites; len(s) != 2 || s[0].Tests != 2 || s[0].Errors != 1 || s[1].Failures != 1 || s[1].Cases[0].Failure == nil || !strings.Contains(*s[1].Cases[0].Failure, "<script>") {
		t.Errorf("got %+v of\n%s", parsed, junit.String())
	}
	if text := page.String(); strings.Contains(text, "<script>") || strings.Contains(text, "\x1b") || !strings.Contains(text, "&lt;script&gt;") || !strings.Contains(text, "no network") {
		t.Errorf("the page is\n%s", text)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"question": "q", "expect": {"number": 1, "tolerance": 2, "json": [1], "matches": "a+"}}`), "1.5 %")
	f.Add([]byte("{\"question\": \"q\", \"target\": \"x\"}\n# a\n{\"question\": \"p\", \"expect\": 1e-7}"), "{}")
	f.Fuzz(func(t *testing.T, text []byte, answer string) {
		cases, err := evaluate.Read("f", bytes.NewReader(text))
		if err != nil {
			return
		}
		results, err := evaluate.Run(t.Context(), evaluate.Config{Cases: cases, Models: []string{"m"},
			Ask: func(context.Context, evaluate.Case, string) (evaluate.Answered, error) {
				return evaluate.Answered{Run: "r", Text: answer}, nil
			},
			Assert: func(context.Context, string, string, []float64) (string, error) { return "", nil },
		})
		if err != nil || len(results) != len(cases) {
			t.Fatalf("%d results for %d cases, %v", len(results), len(cases), err)
		}
		if _, err := json.Marshal(results); err != nil {
			t.Fatal(err)
		}
	})
}
