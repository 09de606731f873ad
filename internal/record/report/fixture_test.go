package report_test

import (
	"encoding/base64"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"praxis/event"
	"praxis/internal/language"
	"praxis/internal/language/python"
	"praxis/internal/record/report"
)

// languages are those of the runs in these tests.
var languages = language.Table{python.Language()}

// at is when the records of the tests begin.
func at() time.Time { return time.Date(2026, 11, 21, 3, 14, 55, 123456789, time.UTC) }

// records gives events their places and times.
func records(events ...event.Event) []event.Record {
	var out []event.Record
	for i, e := range events {
		out = append(out, event.Record{Seq: int64(i + 1), Time: at().Add(time.Duration(i) * 250 * time.Millisecond), Event: e})
	}
	return out
}

// cost gives every token the same price.
func cost(model string, t event.Tokens) string {
	if model == "other:unpriced" {
		return ""
	}
	return fmt.Sprintf("$%.4f", float64(t.Input+t.Output)/1e5)
}

// chart is a picture in base64: testdata/chart.png.
func chart(t testing.TB) string {
	t.Helper()
	data, err := os.ReadFile("testdata/chart.png")
	if err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(data)
}

// pixel is a PNG of one pixel.
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

const frame = `<div>
<style scoped>
    .dataframe tbody tr th:only-of-type { vertical-align: middle; }
</style>
<table border="1" class="dataframe">
  <thead>
    <tr style="text-align: right;"><th></th><th>region</th><th>sales</th></tr>
  </thead>
  <tbody>
    <tr><th>0</th><td>North &amp; East</td><td>1204.50</td></tr>
    <tr><th>1</th><td>&lt;script&gt;alert(1)&lt;/script&gt;</td><td>-33.25</td></tr>
    <tr><th>2</th><td>a | b</td><td>870.00</td></tr>
  </tbody>
</table>
<p>3 rows × 2 columns</p>
</div>`

// hostile is what a model or its code may put anywhere.
const hostile = "\x1b[2J\x1b]0;title\x07</script><script>alert(1)</script>\u202egnp.exe\x00\xff```\n~~~\n<img src=x onerror=alert(1)>{{.}} ]]> --> $x$ ![p](http://h.example/?q) [l](javascript:alert(1)) &lt;b&gt;\r\u2028|"

// usual is a run as it mostly goes.
func usual(t testing.TB) report.Run {
	seed := int64(42)
	usage := event.Usage{WallMS: 12.4, CPUMS: 10, PeakMemoryBytes: 35 << 20}
	return report.Run{ID: "20261121-031455-7f3a", Languages: languages, Cost: cost, Records: records(
		event.RunBegan{Kind: event.Ask, Question: "Which region sold the most, and how much of all sales is that?", Model: "anthropic:claude-sonnet-4-5",
			Files: []string{"sales.csv"}, MaxSteps: 20, Bounds: event.Bounds{Timeout: event.Duration(time.Minute), OutputBytes: 1 << 20},
			Seed: &seed, Thread: "sales", Parent: &event.Parent{Run: "20261120-101010-0001", Step: 2, Change: "another model"}, Program: "0.3.0"},
		event.SessionBegan{Session: "s-1", Image: event.Image{ID: "sha256:" + strings.Repeat("ab", 32), Name: "default", Languages: []event.Language{{Name: "python", Version: "3.14"}}, Packages: []event.Package{
			{Name: "numpy", Version: "2.3.4"}, {Name: "pandas", Version: "2.3.3"}}},
			Limits: event.Limits{Memory: 2 << 30, CPUs: 1.5, Processes: 64, Disk: 4 << 30, OpenFiles: 1024}, Seed: &seed},
		event.FileGiven{Name: "data/sales.csv", Path: "/work/sales.csv", Bytes: 48213, SHA256: strings.Repeat("0123456789abcdef", 4)},
		event.FileGiven{Name: "secret.env", Path: "/work/secret.env", Bytes: 90, SHA256: strings.Repeat("f", 64), Withheld: "it holds the value of API_KEY"},
		event.SnapshotTaken{Step: 1, Session: "s-1", Snapshot: "snap-0001", Bytes: 50 << 20},
		event.StepBegan{N: 1},
		event.ModelRequested{Step: 1, Model: "anthropic:claude-sonnet-4-5", System: "You compute in Python.\nAnswer with values.", Tools: []event.Tool{{Name: "python", Description: "Runs code."}},
			Messages: []event.Message{{Role: event.User, Text: "Which region sold the most?"}}, MaxTokens: 4096},
		event.ModelRetrying{Step: 1, Reason: "429 slow down", After: event.Duration(1500 * time.Millisecond), Attempt: 2},
		event.ModelReplied{Step: 1, Thought: "I read the file and look at **its columns**:\n\n- `region` is text\n- `sales` is a number, 2*3 of them\n", Text: "I read the file…\n```python\n…\n```",
			Tokens: event.Tokens{Input: 1842, Output: 131}, Took: event.Duration(1830 * time.Millisecond)},
		event.ExecutionBegan{Language: "python", Step: 1, Session: "s-1", Code: "import pandas as pd\n\n# sum up by region\ndf = pd.read_csv(\"/work/sales.csv\")\nprint(f\"{len(df)} rows\", df.sales.sum())\ndf.grupby(\"region\")\n"},
		event.ExecutionEnded{Step: 1, Execution: event.Execution{Status: event.Error, Stdout: "1204 rows 98213.75\n",
			Error: &event.Raised{Name: "AttributeError", Value: "'DataFrame' object has no attribute 'grupby'", Traceback: "Traceback (most recent call last):\n  line 6\n    df.grupby(\"region\")\nAttributeError: 'DataFrame' object has no attribute 'grupby'"},
			State: event.Intact, Usage: usage}},
		event.SnapshotTaken{Step: 2, Session: "s-1", Snapshot: "snap-0002", Bytes: 61 << 20},
		event.StepBegan{N: 2},
		event.ModelRequested{Step: 2, Model: "anthropic:claude-sonnet-4-5", Repeated: 1, Messages: []event.Message{{Role: event.Assistant, Text: "…"}, {Role: event.User, Text: "AttributeError"}}, MaxTokens: 4096},
		event.ModelReplied{Step: 2, Thought: "A typing error: it is `groupby`.", Tokens: event.Tokens{Input: 2101, Output: 164}, Took: event.Duration(2 * time.Second)},
		event.ReplyTrimmed{Step: 2, Reason: "the first of two pieces of code was taken"},
		event.ExecutionBegan{Language: "python", Step: 2, Session: "s-1", Code: "by = df.groupby(\"region\").sales.sum().sort_values()\nshare = by.iloc[-1] / by.sum()\nby.plot.barh()\nby.to_csv(\"/work/by.csv\")\nby"},
		event.ExecutionEnded{Step: 2, Execution: event.Execution{Status: event.OK, Stderr: "FutureWarning: …\n",
			Result:   event.Bundle{"text": "region\nNorth & East    1204.50\n", "text/html": frame},
			Displays: []event.Bundle{{"image/png": chart(t), "text": "<Axes: ylabel='region'>"}},
			State:    event.Intact, Usage: usage, Changes: []event.Change{
				{Path: "/work/by.csv", Kind: "created", Bytes: 77, SHA256: strings.Repeat("12", 32)}, {Path: "/work/tmp.db", Kind: "removed"}}}},
		event.StepBegan{N: 3},
		event.ModelRequested{Step: 3, Model: "anthropic:claude-sonnet-4-5", Repeated: 3, Messages: []event.Message{{Role: event.User, Text: "ok"}}, MaxTokens: 4096},
		event.ModelReplied{Step: 3, Thought: "", Tokens: event.Tokens{Input: 2400, Output: 80}, Took: event.Duration(time.Second)},
		event.ExecutionBegan{Language: "python", Step: 3, Session: "s-1", Code: "__figures__(…)", Fills: []string{"by.index[-1]", "share:.1%"}},
		event.ExecutionEnded{Step: 3, Execution: event.Execution{Status: event.OK, Result: event.Bundle{"text": "…"}, State: event.Intact, Usage: usage}},
		event.AnswerGiven{Text: "**North & East** sold the most: 1204.50, which is **1.2 %** of all sales.\n\n| region | sales |\n|---|---|\n| North & East | 1204.50 |\n| all | 98213.75 |\n\nIn 2031 it may be 40 %.",
			Figures: []event.Figure{{Text: "North & East", Expression: "by.index[-1]", Source: "computed"}, {Text: "1204.50", Source: "output"},
				{Text: "1.2 %", Expression: "share:.1%", Source: "computed"}, {Text: "98213.75", Source: "output"}, {Text: "40 %", Source: "unverified"}}},
		event.FileSaved{Path: "/home/me/by.csv", Bytes: 77},
		event.SnapshotTaken{Step: 4, Session: "s-1", Snapshot: "snap-0003", Bytes: 61 << 20},
		event.SessionEnded{Session: "s-1"},
		event.RunEnded{Status: event.Answered, Steps: 3, Tokens: event.Tokens{Input: 6343, Output: 375}, Took: event.Duration(9300 * time.Millisecond)},
	)}
}

// rare is a run with every other event and hostile texts everywhere, that ends
// in the middle of a tool's call.
func rare(t testing.TB) report.Run {
	many := strings.Repeat("a line of output that goes on\n", 3000)
	bounds := event.Bounds{Timeout: event.Duration(time.Minute)}
	return report.Run{ID: "20261121-040000-00ff", Languages: languages, Cost: cost, Damage: "record 31 was changed " + hostile,
		Saved: map[string]string{"figure-1.png": "out/<figure> 1.png"},
		Records: records(
			event.RunBegan{Kind: event.Ask, Question: "What " + hostile + "\n# is it?", Model: "other:unpriced", MaxSteps: 9, Bounds: bounds, Program: hostile},
			event.SessionBegan{Session: hostile, Name: hostile, Image: event.Image{ID: hostile, Name: hostile}, Snapshot: hostile},
			event.FileGiven{Name: hostile, Path: hostile, Bytes: -1, SHA256: hostile, Withheld: hostile},
			event.StepBegan{N: 1},
			event.HistoryCondensed{Step: 1, Messages: 12, Bytes: 70000, Summary: "so far: " + hostile, Whole: strings.Repeat("9", 64)},
			event.ModelRequested{Step: 1, Model: hostile, System: hostile, Tools: []event.Tool{{Name: hostile, Description: hostile}},
				Messages: []event.Message{{Role: event.User, Text: hostile, Results: []event.Result{{Text: hostile}}}, {Role: event.Assistant, Calls: []event.Call{{Name: hostile, Raw: hostile}, {Name: "python", Input: map[string]any{"code": hostile}}}}}},
			event.ModelFailed{Step: 1, Reason: "500 " + hostile, Took: event.Duration(time.Second)},
			event.ModelRequested{Step: 1, Model: "other:unpriced"},
			event.ModelReplied{Step: 1, Thought: hostile + "\n## Step 9\n> quoted\n````\nopen fence " + hostile, Text: hostile, Calls: []event.Call{{Name: "python", Raw: hostile}}, Cut: true, Tokens: event.Tokens{Input: 10, Output: 20}},
			event.ReplyRejected{Step: 1, Reason: "it holds no action: " + hostile},
			event.StepBegan{N: 2},
			event.ToolCalled{Step: 2, ID: "call-1", Tool: "search", Version: "v2", Arguments: map[string]any{"q": hostile, "n": 3}},
			event.ApprovalRequested{ID: "call-1", Reason: "it sends data: " + hostile},
			event.ApprovalGiven{ID: "call-1", Granted: true, By: "person", Reason: "fine"},
			event.ToolReturned{Step: 2, ID: "call-1", Result: hostile, Took: event.Duration(120 * time.Millisecond)},
			event.ToolCalled{Step: 2, ID: "call-2", Tool: "mail"},
			event.ApprovalGiven{ID: "call-2", By: "policy", Reason: hostile},
			event.ToolReturned{Step: 2, ID: "call-2", Error: "denied " + hostile},
			event.ExecutionBegan{Language: "python", Step: 2, Code: "x = 1 # safe\r__import__('os') # " + hostile + "\n\"\"\"" + hostile},
			event.ExecutionEnded{Step: 2, Execution: event.Execution{Status: event.Timeout, Limit: event.WallTime, Message: "1 minute is over " + hostile,
				Stdout: many + hostile, Stderr: hostile, OutputFile: "/work/.out/" + hostile, State: event.Lost, Unlisted: "too many files " + hostile,
				Result: event.Bundle{"text": "<demo.Page object at 0x7f00>", "text/html": "<h1>Hi</h1><script>alert(1)</script>" + hostile},
				Displays: []event.Bundle{
					{"image/png": pixel, "text": hostile},
					{"image/png": "PHNjcmlwdD4=", "text": hostile},
					{"image/jpeg": "not base64 " + hostile},
					{"image/svg+xml": `<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>` + hostile},
					{"text/html": "<b>" + hostile + "</b>", "text": "a text that says something"},
					{"text/html": `<table onclick="x"><tr><td colspan="2">` + hostile + `</td></tr></table>`, "text": hostile},
					{"text/markdown": "# " + hostile}, {"text/latex": "$$" + hostile}, {"application/json": hostile}, {},
				},
				Error:   &event.Raised{Name: hostile, Value: hostile, Traceback: ""},
				Changes: []event.Change{{Path: "/work/" + hostile, Kind: "changed", Bytes: 1 << 40, SHA256: hostile}}}},
			event.SkillsGiven{Skills: []event.Skill{{Name: hostile, Version: 2, Hash: hostile, Signature: hostile, Description: hostile, Untrusted: true}, {Name: "by_region", Version: 1}}},
			event.FileGiven{Name: hostile, Path: hostile, Role: event.RoleSkill, Bytes: 90, SHA256: hostile},
			event.SkillSaved{Step: 2, Name: "share_of", Version: 1, Hash: strings.Repeat("ab", 32)},
			event.SkillSaved{Step: 2, Name: hostile, Refused: hostile, Output: hostile},
			event.SnapshotTaken{Step: 7, Session: "s", Snapshot: hostile, Bytes: 1},
			event.SessionForked{Session: "s2", From: "s", Snapshot: hostile},
			event.SessionRolledBack{Session: "s2", Snapshot: hostile},
			event.Progress{Stage: "image", Text: hostile}, event.ModelDelta{Text: hostile}, event.Output{Data: []byte(hostile)}, event.Display{},
			event.ExecutionBegan{Language: "python", Step: 2, Code: "fill()", Fills: []string{hostile}},
			event.ExecutionEnded{Step: 2, Execution: event.Execution{Status: event.Error, Error: &event.Raised{Name: "NameError", Value: hostile}, State: event.Intact}},
			event.StepBegan{N: 3},
			event.ModelRequested{Step: 3, Model: "other:unpriced"},
			event.ToolCalled{Step: 3, ID: "call-3", Tool: "search", Arguments: map[string]any{"q": hostile}},
			event.ApprovalRequested{ID: "call-3", Reason: hostile},
			event.ExecutionBegan{Language: "python", Step: 3, Code: "while True: pass"},
		)}
}

// code is a run of a person's code.
func code() report.Run {
	return report.Run{ID: "20261121-050000-0c0d", Languages: languages, Seal: report.Seal{Hash: "5ea1", Key: "0123456789abcdef", Signature: "c2ln<"}, Records: records(
		event.RunBegan{Kind: event.Code, Question: "print(6 * 7)", Bounds: event.Bounds{Timeout: event.Duration(time.Minute)}, Program: "0.3.0",
			User: "ada (1000)", Host: "engine", File: "six.py"},
		event.SessionBegan{Session: "s-9", Name: "sales", Image: event.Image{ID: "sha256:ef", Name: "default", Languages: []event.Language{{Name: "python", Version: "3.14"}}}, Snapshot: "snap-9"},
		event.ExecutionBegan{Language: "python", Session: "s-9", Code: "print(6 * 7)\n"},
		event.ExecutionEnded{Execution: event.Execution{Status: event.OK, Stdout: "42\n", State: event.Intact, Usage: event.Usage{WallMS: 1.2, PeakMemoryBytes: 9 << 20}}},
		event.SessionEnded{Session: "s-9"},
		event.RunEnded{Status: "ok", Steps: 1, Took: event.Duration(300 * time.Millisecond)},
	)}
}
