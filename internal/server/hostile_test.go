package server

import (
	"path/filepath"
	"strings"
	"testing"

	"praxis/internal/server/api"
)

// No operation asks a model whose replies lie in a file of the server, whatever else it
// says: such a model reads any file, or writes one.
func TestModelsOfFilesAreTheOperators(t *testing.T) {
	w := newWorld(t)
	w.s.shared.FileModels = false
	key := w.key("default")
	record := w.must(key, "POST", "/v1/runs/code", object{"code": "print 1"}, 201)["record"]
	made := filepath.Join(t.TempDir(), "made")
	tried := 0
	for _, o := range api.Table() {
		if f, names := o.In.FieldByName("Model"); !names || f.Tag.Get("in") != "" { // it looks for one
			continue
		}
		for _, mode := range []string{"", "tools", "both", "plan"} {
			body := object{"model": "record:" + made + "=openai:any"}
			if _, modes := o.In.FieldByName("Mode"); modes {
				body["question"], body["mode"] = "What is it?", mode
			} else if mode != "" {
				continue
			}
			w.must(key, o.Method, strings.ReplaceAll(o.Path, "{record}", record.(string)), body, 403)
			tried++
		}
	}
	w.must(key, "POST", "/v1/runs", object{"question": "What is it?", "mode": "plan", "fallback_models": []string{"scripted:" + made}}, 403)
	if tried < 7 {
		t.Errorf("%d requests name a model", tried)
	}
}
