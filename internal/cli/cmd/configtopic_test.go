package cmd

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"testing"

	"praxis/internal/config"
)

// TestConfigTopic checks that the file that the help shows is one, that it holds
// the defaults, and that every key that is listed is taken.
func TestConfigTopic(t *testing.T) {
	dir := t.TempDir()
	getenv := func(k string) string { return map[string]string{"XDG_CONFIG_HOME": dir, "PRAXIS_HOME": dir}[k] }
	load := func(text string) (config.Config, error) {
		path := config.Path(getenv)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return config.Load(getenv)
	}
	want, err := config.Default(getenv)
	if err != nil {
		t.Fatal(err)
	}
	got, err := load(configExample)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("the example gives %+v, %v, want %+v", got, err, want)
	}
	values := map[string]any{
		"home": "/elsewhere", "image": "alpine:3.22", "pictures": "sixel", "run": "/elsewhere/run", "memory": "2GiB", "cpus": 2, "processes": 64, "disk": "2GiB", "open_files": 512, "user_namespaces": 1,
		"timeout": "1m", "cpu": "10s", "output": "2MiB", "model": "openai:x", "max_steps": 3, "window": 5000, "fallback_models": []string{"openai:y"}, "sees": []string{"openai:y*"}, "effort": "low", "style": "program", "silence": "15m",
		"max_cost": 0.5, "max_time": "5m", "max_execution_time": "1m", "max_tokens": 5000, "max_input_tokens": 5000, "max_output_tokens": 5000, "max_calls": 7, "max_attempts": 3, "max_total_steps": 40, "max_depth": 3, "max_sub_calls": 20,
		"home_quota": "20GiB", "keep": 5, "keep_for": "7d",
		"seal_key": "/elsewhere/seal.key", "key": "/elsewhere/key.pem", "snapshots": false, "snapshot_bytes": "1GiB", "blob_bytes": "1GiB",
	}
	listed := regexp.MustCompile(`(?m)^  (?:([a-z]+)\.)?([a-z_]+) `).FindAllStringSubmatch(configKeys, -1)
	if len(listed) != len(values) {
		t.Errorf("%d keys are listed, want %d", len(listed), len(values))
	}
	var seen []string
	for _, m := range listed {
		value, ok := values[m[2]]
		if !ok || slices.Contains(seen, m[2]) {
			t.Errorf("key %s is listed twice or not known here", m[2])
		}
		seen = append(seen, m[2])
		tree := map[string]any{m[2]: value}
		if m[1] != "" {
			tree = map[string]any{m[1]: tree}
		}
		text, err := json.Marshal(tree)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := load(string(text)); err != nil || reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %v, or nothing changed", text, err)
		}
	}
}
