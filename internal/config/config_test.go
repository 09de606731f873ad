package config

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"praxis/event"
	"praxis/fault"
)

func env(pairs ...string) func(string) string {
	m := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i]] = pairs[i+1]
	}
	return func(k string) string { return m[k] }
}

func TestHome(t *testing.T) {
	for _, c := range []struct {
		name string
		env  func(string) string
		want string
	}{
		{"own variable wins", env("PRAXIS_HOME", "/p", "XDG_DATA_HOME", "/x", "HOME", "/h"), "/p"},
		{"xdg", env("XDG_DATA_HOME", "/x", "HOME", "/h"), "/x/praxis"},
		{"relative xdg is ignored", env("XDG_DATA_HOME", "x", "HOME", "/h"), "/h/.local/share/praxis"},
		{"home", env("HOME", "/h"), "/h/.local/share/praxis"},
	} {
		got, err := Default(c.env)
		if err != nil || got.Home != c.want || got.Run != c.want+"/run" {
			t.Errorf("%s: got %q, %q, %v, want %q", c.name, got.Home, got.Run, err, c.want)
		}
		if err := got.Validate(); err != nil {
			t.Errorf("%s: defaults are not valid: %v", c.name, err)
		}
	}
	if _, err := Default(env()); fault.KindOf(err) != fault.Invalid || fault.RemedyOf(err) == "" {
		t.Errorf("no environment: got %v, want an invalid fault with a remedy", err)
	}
}

func load(t *testing.T, text string) (Config, error) {
	t.Helper()
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "praxis"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "praxis", "config.json"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return Load(env("XDG_CONFIG_HOME", dir, "HOME", "/h"))
}

func TestLoad(t *testing.T) {
	got, err := load(t, `{"home": "/data", "limits": {"memory": "2GiB", "cpus": 0.5, "processes": 64},
		"execution": {"timeout": "1m30s", "cpu": "20", "output": "64KB"}, "ask": {"model": "openai:x", "max_steps": 3, "window": 5000, "fallback_models": ["gemini:y"], "sees": ["openai:qwen*"], "effort": "low", "silence": "15m"},
		"sessions": {"keep": 5, "keep_for": "30d"}, "home_quota": "20GiB",
		"journal": {"key": "/k.pem", "snapshots": false, "snapshot_bytes": "1GiB", "blob_bytes": "2GiB"}}`)
	if err != nil {
		t.Fatal(err)
	}
	want, err := Default(env("HOME", "/h"))
	if err != nil {
		t.Fatal(err)
	}
	want.Home, want.Run = "/data", "/data/run"
	want.Limits.Memory, want.Limits.CPUs, want.Limits.Processes = 2<<30, 0.5, 64
	want.Execution = event.Bounds{Timeout: event.Duration(90 * time.Second), CPU: event.Duration(20 * time.Second), OutputBytes: 64000}
	want.Ask = Ask{Model: "openai:x", MaxSteps: 3, Window: 5000, Fallbacks: []string{"gemini:y"}, Sees: []string{"openai:qwen*"}, Effort: "low", Silence: 15 * time.Minute}
	want.Sessions, want.HomeQuota = Sessions{Keep: 5, KeepFor: 720 * time.Hour}, 20<<30
	want.Journal = Journal{Key: "/k.pem", SnapshotBytes: 1 << 30, BlobBytes: 2 << 30}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
	if got, err := Load(env("XDG_CONFIG_HOME", t.TempDir(), "HOME", "/h")); err != nil || got.Ask.MaxSteps != 10 {
		t.Errorf("no file: got %+v, %v, want the defaults", got, err)
	}
	if got, err := load(t, " \n"); err != nil || got.Ask.MaxSteps != 10 {
		t.Errorf("empty file: got %+v, %v, want the defaults", got, err)
	}
}

func TestLoadRefuses(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`{"memry": "1GiB"}`, `unknown field "memry"`},
		{`{"limits": {"memory": 12}}`, `limits.memory: expected a size in quotes`},
		{`{"limits": {"memory": "12 giga"}}`, "not one of B, KB"},
		{`{"limits": {"memry": "1GiB"}}`, `unknown field "limits.memry"`},
		{`{"limits": {"cpus": "2"}}`, "limits.cpus: expected a number"},
		{`{"limits": {"cpus": [2]}}`, "cannot unmarshal array"},
		{`{"limits": {"processes": 8.5}}`, "not a whole number"},
		{`{"limits": {"processes": 0}}`, "cannot use processes"},
		{`{"limits": {"cpus": -1}}`, "cannot use cpus"},
		{`{"limits": {"open_files": 1}}`, "cannot use open files"},
		{`{"execution": {"timeout": "-3s"}}`, "cannot use timeout"},
		{`{"ask": {"max_steps": 0}}`, "cannot use max steps"},
		{`{"ask": {"effort": "extreme"}}`, `cannot ask models with the effort "extreme"`},
		{`{"ask": {"silence": "10ms"}}`, "cannot use silence"},
		{`{"ask": {"fallback_models": ["a","a","a","a","a","a","a","a","a"]}}`, "cannot fall back on 9 models"},
		{`{"sessions": {"keep": 0}}`, "cannot use number of kept steps"},
		{`{"sessions": {"keep_for": "a week"}}`, `cannot use time of keeping "a week"`},
		{`{"sessions": {"keep_for": "40000d"}}`, "out of range"},
		{`{"sessions": {"keep_for": "-1d"}}`, "not a time"},
		{`{"home_quota": "1MiB"}`, "cannot use home quota"},
		{`{"home": "relative"}`, "not absolute"},
		{`{} {}`, "after the first object"},
		{`{`, "unexpected EOF"},
		{strings.Repeat(" ", maxFile+1), "longer than"},
	} {
		_, err := load(t, c.text)
		if fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.40s: got %v, want an invalid fault with %q", c.text, err, c.want)
		}
		if fault.RemedyOf(err) == "" {
			t.Errorf("%.40s: %v has no remedy", c.text, err)
		}
	}
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "praxis", "config.json"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(env("XDG_CONFIG_HOME", dir, "HOME", "/h")); fault.KindOf(err) != fault.Invalid {
		t.Errorf("folder instead of a file: got %v, want an invalid fault", err)
	}
}

// limit returns the line of a limit.
func limit(name string) event.LimitSpec {
	table := event.LimitTable()
	return table[slices.IndexFunc(table, func(s event.LimitSpec) bool { return s.Name == name })]
}

func TestSizes(t *testing.T) {
	for _, c := range []struct {
		text string
		want int64
	}{
		{"1GiB", 1 << 30}, {"1073741824", 1 << 30}, {"1.5GiB", 3 << 29}, {"512MiB", 512 << 20}, {"100 MB", 100e6},
		{"65536KiB", 64 << 20}, {"1TiB", 1 << 40}, {"0.0625GiB", 64 << 20}, {"67108864B", 64 << 20},
	} {
		if got, err := ParseLimit(limit("memory"), c.text); err != nil || int64(got) != c.want {
			t.Errorf("%q: got %v, %v, want %d", c.text, got, err, c.want)
		}
	}
	for _, text := range []string{"", "GiB", "1G", "1gib", "-1GiB", "1e9", "1GiB ", " 1GiB", "1,5GiB", "0", "63MiB", "2TiB",
		"99999999999999999999", "9999999999999999999TiB", "0x40000000", "1_000_000_000", "1.GiB", "NaN", "1GiB\n", "½GiB"} {
		got, err := ParseLimit(limit("memory"), text)
		if fault.KindOf(err) != fault.Invalid {
			t.Errorf("%q: got %v, %v, want an invalid fault", text, got, err)
			continue
		}
		if want := "from 64MiB to 1TiB"; !strings.Contains(fault.RemedyOf(err), want) {
			t.Errorf("%q: remedy %q does not name the range %q", text, fault.RemedyOf(err), want)
		}
	}
}

func TestDurations(t *testing.T) {
	for _, c := range []struct {
		text string
		want time.Duration
	}{{"30s", 30 * time.Second}, {"30", 30 * time.Second}, {"1m30s", 90 * time.Second}, {"0.5", 500 * time.Millisecond}, {"24h", 24 * time.Hour}} {
		if got, err := Timeout.Parse(c.text); err != nil || got != c.want {
			t.Errorf("%q: got %v, %v, want %v", c.text, got, err, c.want)
		}
	}
	for _, text := range []string{"", "0", "-1s", "1ms", "25h", "1 s", "1d", "forever", "1e3", "+30s x"} {
		got, err := Timeout.Parse(text)
		if fault.KindOf(err) != fault.Invalid || !strings.Contains(fault.RemedyOf(err), "from 100ms to 24h,") {
			t.Errorf("%q: got %v, %v with remedy %q, want an invalid fault that names the range", text, got, err, fault.RemedyOf(err))
		}
	}
}

func TestNumbers(t *testing.T) {
	if got, err := ParseLimit(limit("cpus"), "1.5"); err != nil || got != 1.5 {
		t.Errorf("cpus 1.5: got %v, %v", got, err)
	}
	if got, err := ParseLimit(limit("processes"), "64"); err != nil || got != 64 {
		t.Errorf("processes 64: got %v, %v", got, err)
	}
	for _, text := range []string{"", "0", "-1", "NaN", "Inf", "0x2", "1_0", "257", "many"} {
		if got, err := ParseLimit(limit("cpus"), text); fault.KindOf(err) != fault.Invalid || !strings.Contains(fault.RemedyOf(err), "from 0.1 to 256") {
			t.Errorf("cpus %q: got %v, %v, want an invalid fault that names the range", text, got, err)
		}
	}
	if _, err := ParseLimit(limit("processes"), "8.5"); err == nil || !strings.Contains(err.Error(), "whole") {
		t.Errorf("processes 8.5: got %v, want it refused as not whole", err)
	}
}

func TestFormat(t *testing.T) {
	for d, want := range map[time.Duration]string{24 * time.Hour: "24h", 90 * time.Second: "1m30s", 10 * time.Minute: "10m",
		100 * time.Millisecond: "100ms", 30 * time.Second: "30s", 0: "0s"} {
		if got := FormatDuration(d); got != want {
			t.Errorf("FormatDuration(%v): got %q, want %q", int64(d), got, want)
		}
	}
}

// FuzzSize checks that whatever is accepted is in range and reads the same when written in bytes.
func FuzzSize(f *testing.F) {
	for _, s := range []string{"1GiB", "1.5GB", "67108864", "9999999999999999999TiB", "1..2", "-1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		v, err := ParseLimit(limit("memory"), s)
		if err != nil {
			if fault.KindOf(err) != fault.Invalid {
				t.Fatalf("%q: %v is not an invalid fault", s, err)
			}
			return
		}
		if spec := limit("memory"); v < spec.Min || v > spec.Max {
			t.Fatalf("%q: %v is out of range", s, v)
		}
	})
}

// FuzzFile checks that no configuration file can set a value that is out of range.
func FuzzFile(f *testing.F) {
	f.Add([]byte(`{"limits": {"memory": "2GiB"}}`))
	f.Add([]byte(`{"execution": {"timeout": null}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := Default(env("HOME", "/h"))
		if err != nil {
			t.Fatal(err)
		}
		if c.overlay(data) == nil && c.Validate() == nil {
			if float64(c.Limits.Memory) < limit("memory").Min || c.Execution.Timeout <= 0 || c.Ask.MaxSteps < 1 {
				t.Fatalf("accepted %s as %+v", data, c)
			}
		}
	})
}
