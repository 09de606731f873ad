package tools

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"praxis/event"
	"praxis/internal/session"
)

// disguises are the forms that a secret may turn up in. Base64 is cut to what
// does not depend on its surroundings.
func disguises(secret string) []string {
	inner := func(s string) string {
		data, err := json.Marshal(s)
		if err != nil {
			panic(err)
		}
		return string(data[1 : len(data)-1])
	}
	query := url.QueryEscape(secret)
	out := []string{secret, inner(secret), inner(inner(secret)), hex.EncodeToString([]byte(secret)), strings.ToUpper(hex.EncodeToString([]byte(secret))), query, strings.ReplaceAll(query, "+", "%20"), url.PathEscape(secret)}
	for shift := range 3 {
		code := base64.RawStdEncoding.EncodeToString([]byte("xyz"[:shift] + secret))
		code = code[(shift*8+5)/6 : (shift+len(secret))*8/6]
		out = append(out, code, strings.NewReplacer("+", "-", "/", "_").Replace(code))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// find looks for texts in a text and tells the first. What is looked at may be
// hundreds of megabytes, so that it looks for their beginnings first.
func find(data []byte, secrets map[string]string) (what, form string) {
	begins := map[string]map[string]string{}
	for what, secret := range secrets {
		for _, form := range disguises(secret) {
			head := form[:5]
			if begins[head] == nil {
				begins[head] = map[string]string{}
			}
			begins[head][form] = what
		}
	}
	for head, forms := range begins {
		for rest := data; ; rest = rest[1:] {
			i := bytes.Index(rest, []byte(head))
			if i < 0 {
				break
			}
			rest = rest[i:]
			for form, what := range forms {
				if bytes.HasPrefix(rest, []byte(form)) {
					return what, form
				}
			}
		}
	}
	return "", ""
}

// search looks into every file of a folder.
func search(t *testing.T, root string, secrets map[string]string) (looked int, found []string) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if !d.Type().IsRegular() || strings.HasPrefix(path, filepath.Join(root, "images")) && d.Name() != "image.json" {
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		looked++
		if what, form := find(data, secrets); what != "" {
			found = append(found, fmt.Sprintf("%s in %s: %q", what, path, form))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return looked, found
}

// canaryTests has every kind of secret used, by tools that repeat them in every
// form, in results and in errors, and then looks for them everywhere.
func canaryTests(t *testing.T, w *world) {
	argument, pin := w.canary("argument"), w.canary("marked argument")
	got := w.python(t, `
import tools, json, os
kept = {}
for name, args in [("web.site", {}), ("host.env", {}), ("host.fail", {}), ("mod.env", {}), ("boxed.leak", {}), ("boxed.fail", {}), ("remote.leak", {}), ("remote.fail", {}), ("bad.fail", {})]:
    try:
        kept[name] = json.dumps(tools.call(name, args))
    except tools.ToolError as exc:
        kept[name] = "ERROR " + str(exc)
    print(name, kept[name])
control = "".join(["found-", "in-", "memory-", "5f3a9c17"])
print(os.environ["SAFE_TOKEN"])
`)
	// Each was really used: what came back says so, with a mark in its place.
	for _, name := range []string{"web.site", "host.env", "host.fail", "mod.env", "boxed.leak", "boxed.fail", "remote.leak", "remote.fail", "bad.fail"} {
		_, line, _ := strings.Cut(got, name+" ")
		line, _, _ = strings.Cut(line, "\n")
		if !strings.Contains(line, "secret") || strings.HasSuffix(name, ".fail") != strings.HasPrefix(line, "ERROR") {
			t.Errorf("%s gave %q", name, line)
		}
	}
	if what, form := find([]byte(got), w.secrets); what != "" {
		t.Errorf("the code got the secret %s: %q", what, form)
	}
	// The result that is marked secret is the code's; no record has it. The
	// arguments that are marked secret come from the code.
	own := fmt.Sprintf("key = tools.call('bad.marked', {'token': %q, 'pin': %q})['key']\nprint(len(key))\ndel key", argument, pin)
	if x, err := w.s.Execute(t.Context(), own, session.Exec{}, event.Discard); err != nil || x.Status != event.OK {
		t.Fatalf("%v, %+v", err, x)
	}
	marked := map[string]string{}
	for _, what := range []string{"argument", "marked argument", "marked result"} {
		marked[what] = w.secrets[what]
	}
	w.mu.Lock()
	events := slices.Clone(w.events)
	w.mu.Unlock()
	for _, e := range events {
		text, err := event.Encode(e)
		if err != nil {
			t.Fatal(err)
		}
		if what, form := find(text, marked); what != "" {
			t.Errorf("%T tells the %s: %q", e, what, form)
		}
	}
	// The memory of the session, with the tools exposed to it, has no secret but
	// those that its own code wrote or was given.
	snap, err := w.s.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	others := map[string]string{}
	for what, secret := range w.secrets {
		if marked[what] == "" {
			others[what] = secret
		}
	}
	dir := filepath.Join(w.home, "snapshots", snap.ID)
	looked, found := search(t, dir, map[string]string{"control": "found-in-memory-5f3a9c17"})
	if looked == 0 || len(found) == 0 {
		t.Errorf("the looking finds nothing in %s, %d files: what is there cannot be found either", dir, looked)
	}
	w.rec.Emit(event.RunEnded{Status: "ok"})
	if err := w.rec.Close(); err != nil {
		t.Errorf("closing the journal: %v", err)
	}
	// Everything that was written, the snapshot too.
	looked, found = search(t, w.home, others)
	if looked < 10 || len(found) > 0 {
		t.Errorf("of %d files some hold secrets:\n%s", looked, strings.Join(found, "\n"))
	}
	for _, part := range []string{"journal", "blobs"} {
		looked, found := search(t, filepath.Join(w.home, part), w.secrets)
		if part == "journal" && looked == 0 || len(found) > 0 {
			t.Errorf("of the %s, %d files:\n%s", part, looked, strings.Join(found, "\n"))
		}
	}
	looked, found = search(t, filepath.Join(w.home, "journal"), map[string]string{"control": "bad.marked"})
	if looked == 0 || len(found) == 0 {
		t.Error("the journal does not name the tool that was called")
	}
}
