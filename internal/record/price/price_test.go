package price_test

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/record/price"
)

func load(t *testing.T, text string) price.Table {
	t.Helper()
	path := filepath.Join(t.TempDir(), "prices.json")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	table, err := price.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func builtIn(t testing.TB) []byte {
	data, err := os.ReadFile("prices.json")
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestBuiltIn(t *testing.T) {
	table, err := price.Load("")
	if err != nil {
		t.Fatal(err)
	}
	million := event.Tokens{Input: 1e6, Output: 1e6}
	for model, want := range map[string]float64{
		"anthropic:claude-sonnet-4-5":          18,
		"anthropic:claude-sonnet-4-5-20250929": 18,
		"anthropic:claude-haiku-4-5-20251001":  6,
		"anthropic:claude-opus-4-5":            30,
		"anthropic:claude-opus-4-1-20250805":   90,
		"openai:gpt-5":                         11.25,
		"openai:gpt-5-mini-2025-08-07":         2.25,
		"openai:gpt-5-nano":                    0.45,
		"openai:gpt-4.1":                       10,
		"openai:gpt-4o":                        12.5,
		"openai:gpt-4o-2024-05-13":             20,
		"openai:gpt-4o-mini-2024-07-18":        0.75,
		"scripted:demo.txt":                    0,
		"recorded:20261121-031455-7f3a":        0,
	} {
		usd, known := table.Cost(model, million)
		if !known || math.Abs(usd-want) > 1e-9 {
			t.Errorf("%s: %g, known %v, want %g", model, usd, known, want)
		}
	}
	for _, model := range []string{"", "openai:gpt-5-pro", "openai:gpt-5.1", "openai:gpt-4o-realtime-preview", "openai:gpt-55",
		"anthropic:claude-sonnet-4-50", "anthropic:claude-sonnet", "claude-sonnet-4-5", "other:gpt-5"} {
		if usd, known := table.Cost(model, million); known || usd != 0 {
			t.Errorf("%s: %g, known %v: a guess", model, usd, known)
		}
	}
	for _, p := range table.Prices() {
		if p.AsOf == "" || p.Source == "" || p.Input <= 0 || p.Output <= p.Input {
			t.Errorf("%+v does not say where it is from, or has its prices the wrong way around", p)
		}
	}
	if again, err := price.Parse(builtIn(t)); err != nil || !reflect.DeepEqual(again, table) {
		t.Errorf("the built-in file read as a person's own: %v", err)
	}
}

func TestOwnFileGoesFirst(t *testing.T) {
	table := load(t, `{"prices": [
		{"model": "openai:gpt-5", "input": 1, "output": 2, "source": "contract"},
		{"model": "local:*", "input": 0, "output": 0},
		{"model": "*:big-*-v2", "input": 7, "output": 0.5}
	]}`)
	for model, want := range map[string]float64{"openai:gpt-5": 3, "local:anything": 0, "x:big-one-v2": 7.5, "openai:gpt-5-mini": 2.25} {
		if usd, known := table.Cost(model, event.Tokens{Input: 1e6, Output: 1e6}); !known || usd != want {
			t.Errorf("%s: %g, known %v, want %g", model, usd, known, want)
		}
	}
	if _, known := table.Cost("x:big-one-v3", event.Tokens{Input: 1}); known {
		t.Error("x:big-one-v3 is known")
	}
}

func TestMissingFile(t *testing.T) {
	want, err := price.Load("")
	if err != nil {
		t.Fatal(err)
	}
	got, err := price.Load(filepath.Join(t.TempDir(), "none", "prices.json"))
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("a missing file: %v", err)
	}
}

func TestBadFiles(t *testing.T) {
	one := func(entry string) string { return `{"prices": [` + "\n" + entry + "\n]}" }
	for name, tt := range map[string]struct{ text, want string }{
		"empty":       {"", "line 1: the file is empty"},
		"cut":         {`{"prices": [`, "the text ends too early"},
		"no object":   {`[]`, "cannot unmarshal array"},
		"syntax":      {"{\n\"prices\": [}\n}", "line 2: invalid character"},
		"key":         {one(`{"model": "a:b", "input": 1, "outptu": 2}`), `prices.json: unknown field "outptu"`},
		"text price":  {one(`{"model": "a:b", "input": "1", "output": 2}`), "line 2: cannot unmarshal string"},
		"two objects": {one("") + "\n{}", "line 4: there is text after the object"},
		"no model":    {one(`{"input": 1, "output": 2}`), `entry 1: "model" is missing`},
		"null":        {one(`null`), `entry 1: "model" is missing`},
		"no output":   {one(`{"model": "a:b", "input": 1}`), `entry 1: "a:b": "output" is missing`},
		"negative":    {one(`{"model": "a:b", "input": -1, "output": 2}`), "not a price from 0 to"},
		"too much":    {one(`{"model": "a:b", "input": 1, "output": 1e7}`), "not a price from 0 to"},
		"no number":   {one(`{"model": "a:b", "input": 1, "output": 1e999}`), "line 2: cannot unmarshal number"},
		"blank":       {one(`{"model": "a b", "input": 1, "output": 2}`), "no pattern of a model's name"},
		"no name":     {one(`{"model": "", "input": 1, "output": 2}`), "no pattern of a model's name"},
		"control":     {one(`{"model": "a:\u001b[2J", "input": 1, "output": 2}`), `"a:\x1b[2J" is no pattern`},
		"source":      {one(`{"model": "a:b", "input": 1, "output": 2, "source": "\u202e"}`), `"source" is no short line`},
		"twice": {one(`{"model": "a:b", "input": 1, "output": 2}, {"model": "a:b", "input": 1, "output": 2}`),
			`entry 2: "a:b" is already priced by entry 1`},
		"long": {one(strings.Repeat(" ", 1<<20)), "it is longer than 1048576 bytes"},
		"many": {one(strings.TrimSuffix(strings.Repeat("{},", 5001), ",")), "there are 5001 entries, and the bound is 5000"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "prices.json")
			if err := os.WriteFile(path, []byte(tt.text), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := price.Load(path)
			if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.HasPrefix(err.Error(), "cannot read prices from "+path) {
				t.Fatalf("got %v, want %q", err, tt.want)
			}
			if fault.KindOf(err) != fault.Invalid || fault.RemedyOf(err) == "" {
				t.Errorf("kind %v, remedy %q", fault.KindOf(err), fault.RemedyOf(err))
			}
		})
	}
	if _, err := price.Load(t.TempDir()); err == nil || fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), "no regular file") {
		t.Errorf("a folder: %v", err)
	}
}

func TestFormat(t *testing.T) {
	for usd, want := range map[float64]string{
		0: "$0", 0.00001: "<$0.0001", 0.0001: "$0.0001", 0.01234: "$0.0123", 0.5: "$0.5000",
		1: "$1.00", 4.2: "$4.20", 999.994: "$999.99", 1234.5: "$1,234.50", 1234567.891: "$1,234,567.89",
	} {
		if got := price.Format(usd); got != want {
			t.Errorf("%g: %s, want %s", usd, got, want)
		}
	}
}

func TestSum(t *testing.T) {
	table := load(t, `{"prices": [{"model": "a:dear", "input": 10, "output": 20}, {"model": "a:cheap", "input": 1, "output": 2}]}`)
	second := event.Duration(time.Second)
	rows := []price.Row{
		{Model: "a:cheap", Day: "2026-11-20", Tokens: event.Tokens{Input: 1e6, Output: 5e5}, Took: second},
		{Model: "a:dear", Day: "2026-11-21", Tokens: event.Tokens{Input: 1e6, Output: 1e6}, Took: second},
		{Model: "a:dear", Day: "2026-11-20", Tokens: event.Tokens{Input: 1e5}, Took: 2 * second},
		{Model: "b:new", Day: "2026-11-21", Tokens: event.Tokens{Input: 100, Output: 7}, Took: second},
		{Model: "b:new", Day: "2026-11-21", Took: second}, // it failed before it was paid for
		{Model: "scripted:x", Day: "2026-11-21", Tokens: event.Tokens{Input: 5, Output: 5}, Took: second},
		{Model: "a:dear", Scripted: true, Day: "2026-11-21", Tokens: event.Tokens{Input: 1e6}},
		{Day: "2026-11-19", Took: second},
	}
	got := price.Sum(table, rows)
	unknown := price.Unknown{Runs: 1, Tokens: event.Tokens{Input: 100, Output: 7}}
	want := price.Costs{
		Models: []price.Line{
			{Name: "a:dear", Runs: 3, Tokens: event.Tokens{Input: 2100000, Output: 1e6}, Took: 3 * second, USD: 31, Scripted: 1},
			{Name: "a:cheap", Runs: 1, Tokens: event.Tokens{Input: 1e6, Output: 5e5}, Took: second, USD: 2},
			{Name: "b:new", Runs: 2, Tokens: event.Tokens{Input: 100, Output: 7}, Took: 2 * second, Unknown: unknown},
			{Name: "scripted:x", Runs: 1, Tokens: event.Tokens{Input: 5, Output: 5}, Took: second, Scripted: 1},
			{Name: "", Runs: 1, Took: second},
		},
		Days: []price.Line{
			{Name: "2026-11-21", Runs: 5, Tokens: event.Tokens{Input: 2000105, Output: 1000012}, Took: 4 * second, USD: 30, Scripted: 2, Unknown: unknown},
			{Name: "2026-11-20", Runs: 2, Tokens: event.Tokens{Input: 1100000, Output: 5e5}, Took: 3 * second, USD: 3},
			{Name: "2026-11-19", Runs: 1, Took: second},
		},
		Total: price.Line{Runs: 8, Tokens: event.Tokens{Input: 3100105, Output: 1500012}, Took: 8 * second, USD: 33, Scripted: 2, Unknown: unknown},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if none := price.Sum(table, nil); none.Models == nil || none.Days == nil || none.Total != (price.Line{}) {
		t.Errorf("of nothing: %+v", none)
	}
}

// FuzzParse checks that what is taken for a table of prices can be used as one.
func FuzzParse(f *testing.F) {
	f.Add(builtIn(f), "openai:gpt-5")
	f.Add([]byte(`{"prices": [{"model": "*a*b*", "input": 1, "output": 2}]}`), "xaxbx")
	f.Add([]byte(`{"prices": [{"model": "a", "input": 1e999, "output": -0}]}`), "a")
	f.Fuzz(func(t *testing.T, data []byte, model string) {
		table, err := price.Parse(data)
		if err != nil {
			if fault.KindOf(err) != fault.Invalid || strings.ContainsAny(err.Error(), "\x1b\r") {
				t.Fatalf("the refusal %q is of kind %v", err, fault.KindOf(err))
			}
			return
		}
		usd, known := table.Cost(model, event.Tokens{Input: 1e6, Output: 1e6})
		if math.IsNaN(usd) || usd < 0 || usd > 2e6 || (usd != 0 && !known) {
			t.Fatalf("%q costs %g, known %v", model, usd, known)
		}
		for _, p := range table.Prices() {
			if _, known := table.Cost(p.Model, event.Tokens{}); !known {
				t.Fatalf("the pattern %q does not match itself", p.Model)
			}
		}
		if bytes.Contains([]byte(price.Format(usd)), []byte("-")) {
			t.Fatalf("%g is written as %s", usd, price.Format(usd))
		}
	})
}
