package server

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"praxis/internal/server/access"
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

// A record from elsewhere is its maker's word: a plan does not go on by it, since what it says
// was approved, and which data are nobody's secret, could be made up.
func TestImportedPlansDoNotGoOn(t *testing.T) {
	w := newSavingWorld(t)
	mine, other := w.key("default"), w.key("other", access.Admin)
	plan := object{"text": "from tools import notes\nprint(notes.save(text='a'))\n", "later": true}
	record := w.must(mine, "POST", "/v1/plans/run", plan, 201)["record"]
	_, bundle := w.call(mine, "GET", fmt.Sprintf("/v1/records/%s/export", record), nil)
	w.must(other, "POST", "/v1/records/import", fmt.Sprint(bundle["text"]), 201)
	got := w.must(other, "POST", fmt.Sprintf("/v1/plans/%s/resume", record), object{"approve": true}, 400)
	if !strings.Contains(fmt.Sprint(got["detail"]), "made elsewhere") {
		t.Errorf("got %v", got)
	}
}
