package scripts

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/image"
	"praxis/internal/language/javascript"
	"praxis/internal/session"
	"praxis/internal/test/prepared"
)

// tgz makes a package of npm's of files, in the order in which they are given.
func tgz(t *testing.T, files ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for i := 0; i < len(files); i += 2 {
		if err := w.WriteHeader(&tar.Header{Name: files[i], Typeflag: tar.TypeReg, Mode: 0o644, Size: int64(len(files[i+1]))}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(files[i+1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// registry serves packages as npm's does.
func registry(t *testing.T, packages map[string][]byte, needs map[string]string) *httptest.Server {
	var server *httptest.Server
	server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, isFile := strings.CutSuffix(strings.TrimPrefix(r.URL.Path, "/"), ".tgz")
		data, ok := packages[name]
		switch {
		case !ok:
			http.Error(w, `{"error":"not found"}`, http.StatusNotFound)
			return
		case isFile:
			_, _ = w.Write(data)
			return
		}
		sum := sha512.Sum512(data)
		version := map[string]any{
			"name": name, "version": "1.0.0", "scripts": map[string]string{"install": "touch /tmp/praxis-ran", "postinstall": "touch /tmp/praxis-ran"}, "hasInstallScript": true,
			"dist": map[string]string{"tarball": server.URL + "/" + name + ".tgz", "integrity": "sha512-" + base64.StdEncoding.EncodeToString(sum[:])},
		}
		if need := needs[name]; need != "" {
			version["dependencies"] = map[string]string{need: "^1.0.0"}
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"name": name, "dist-tags": map[string]string{"latest": "1.0.0"}, "versions": map[string]any{"1.0.0": version}})
	}))
	t.Cleanup(server.Close)
	return server
}

// TestNPM resolves a package and what it needs, runs them, and has them again without a
// registry, here and in another store.
func TestNPM(t *testing.T) {
	served := registry(t, map[string][]byte{
		"outer":   tgz(t, "package/package.json", `{"name":"outer","version":"1.0.0","main":"i.js"}`, "package/i.js", "exports.six = 2 * require('@in/ner').three"),
		"@in/ner": tgz(t, "package/package.json", `{"name":"@in/ner","version":"1.0.0","type":"module","exports":"./i.js"}`, "package/i.js", "export const three = 3"),
	}, map[string]string{"outer": "@in/ner"})
	t.Setenv("npm_config_registry", served.URL+"/")
	t.Setenv("npm_config_userconfig", filepath.Join(t.TempDir(), "npmrc"))
	want := image.Request{Languages: []string{javascript.Name}, NPM: []string{"outer"}}
	img, err := images.Resolve(t.Context(), want, event.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if len(img.NPM) != 2 || img.NPM[0].Name != "@in/ner" || img.NPM[1].Name != "outer" || img.Name != "javascript+npm:outer" {
		t.Errorf("got %s with %+v", img.Name, img.NPM)
	}
	if _, err := os.Stat("/tmp/praxis-ran"); err == nil {
		t.Error("a script of a package ran")
	}
	if _, err := images.Resolve(t.Context(), image.Request{NPM: []string{"nothing"}}, event.Discard); fault.KindOf(err) != fault.NotFound {
		t.Errorf("a package that is not there: %v", err)
	}
	served.Close()
	again, err := images.Resolve(t.Context(), want, event.Discard)
	if err != nil || again.ID != img.ID {
		t.Errorf("without a registry: %s, %v, want %s", again.ID, err, img.ID)
	}
	m := manager(t)
	s, err := m.Create(t.Context(), session.Options{Image: img}, event.Discard)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if x := execute(t, s, "import {six} from 'outer'\nsix", false); x.Result["text"] != "6" {
		t.Errorf("got %+v %+v", x.Result, x.Error)
	}
	elsewhere(t, img)
}

// elsewhere makes an image from its recipe in another store.
func elsewhere(t *testing.T, img image.Image) {
	recipe, err := images.Recipe(t.Context(), img, event.Discard)
	if err != nil {
		t.Fatal(err)
	}
	other, _, err := prepared.JavaScript(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	for _, sum := range recipe.Files() {
		f, err := images.OpenWheel(sum)
		if err != nil {
			t.Fatal(err)
		}
		if err := other.AddWheel(sum, f); err != nil {
			t.Error(err)
		}
		_ = f.Close()
	}
	made, err := other.Make(t.Context(), recipe, event.Discard)
	if err != nil || made.ID != img.ID {
		t.Errorf("elsewhere: %s, %v, want %s", made.ID, err, img.ID)
	}
}
