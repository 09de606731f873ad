// Package container makes container images for tests, and a registry in memory to get
// them from.
package container

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/registry"
	"github.com/klauspost/compress/zstd"
)

// Entry is one entry of a layer. Kind is one of package tar; 0: a file.
type Entry struct {
	Name, Text string
	Kind       byte
	Link       string
	Mode       int64
	UID        int
}

// Layer makes a layer, which is not compressed.
func Layer(t testing.TB, entries ...Entry) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, e := range entries {
		h := &tar.Header{Name: e.Name, Typeflag: e.Kind, Linkname: e.Link, Mode: e.Mode, Uid: e.UID, Size: int64(len(e.Text)), ModTime: time.Unix(1e9, 0)}
		if e.Kind == 0 {
			h.Typeflag = tar.TypeReg
		}
		if h.Mode == 0 {
			h.Mode = 0o755
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, e.Text); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Folder makes a layer of a folder of the host, which is at in the image.
func Folder(t testing.TB, at, dir string) []byte {
	t.Helper()
	var entries []Entry
	err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil || file == dir {
			return err
		}
		name, err := filepath.Rel(dir, file)
		if err != nil {
			return err
		}
		st, err := d.Info()
		if err != nil {
			return err
		}
		e := Entry{Name: path.Join(at, name), Mode: int64(st.Mode().Perm())}
		switch d.Type() {
		case fs.ModeDir:
			e.Kind = tar.TypeDir
		case fs.ModeSymlink:
			e.Kind = tar.TypeSymlink
			e.Link, err = os.Readlink(file)
		default:
			var data []byte
			data, err = os.ReadFile(file)
			e.Text = string(data)
		}
		entries = append(entries, e)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return Layer(t, entries...)
}

// Zip compresses a layer.
func Zip(t testing.TB, layer []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(layer); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// packed compresses a layer with zstd, in two frames, as programs do that compress in pieces.
func packed(t testing.TB, layer []byte) []byte {
	t.Helper()
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	half := len(layer) / 2
	return z.EncodeAll(layer[half:], z.EncodeAll(layer[:half], nil))
}

// Image is an image that a test makes.
type Image struct {
	Layers [][]byte // not compressed
	Plain  bool     // the layers are stored so; otherwise they are compressed
	Zstd   bool     // with zstd, and not with gzip
	// Config is the part "config" of the configuration, such as Env and WorkingDir.
	Config       map[string]any
	Architecture string // "": this machine's
	Claims       []string
}

// Built is an image as it is stored.
type Built struct {
	Manifest, Config []byte
	Blobs            map[string][]byte // by digest, the configuration among them
	Digests          []string          // of the layers as they are stored
}

// Digest returns the digest of some bytes.
func Digest(data []byte) string {
	sum := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// Build makes the manifest and the configuration of an image.
func (i Image) Build(t testing.TB) Built {
	t.Helper()
	out := Built{Blobs: map[string][]byte{}}
	arch := i.Architecture
	if arch == "" {
		arch = runtime.GOARCH
	}
	ids, layers, history := []string{}, []map[string]any{}, []map[string]any{}
	for n, l := range i.Layers {
		ids = append(ids, Digest(l))
		history = append(history, map[string]any{"created_by": fmt.Sprintf("step %d", n+1), "created": "2026-01-02T03:04:05Z"})
		kind := "application/vnd.oci.image.layer.v1.tar"
		switch {
		case i.Zstd:
			l, kind = packed(t, l), kind+"+zstd"
		case !i.Plain:
			l, kind = Zip(t, l), kind+"+gzip"
		}
		out.Blobs[Digest(l)] = l
		out.Digests = append(out.Digests, Digest(l))
		layers = append(layers, map[string]any{"mediaType": kind, "digest": Digest(l), "size": len(l)})
	}
	copy(ids, i.Claims)
	history = append(history, map[string]any{"created_by": "CMD nothing", "empty_layer": true})
	out.Config = encode(t, map[string]any{
		"os": "linux", "architecture": arch, "config": i.Config, "rootfs": map[string]any{"type": "layers", "diff_ids": ids}, "history": history,
	})
	out.Blobs[Digest(out.Config)] = out.Config
	out.Manifest = encode(t, map[string]any{
		"schemaVersion": 2, "mediaType": manifestKind, "layers": layers,
		"config": map[string]any{"mediaType": "application/vnd.oci.image.config.v1+json", "digest": Digest(out.Config), "size": len(out.Config)},
	})
	return out
}

const (
	manifestKind = "application/vnd.oci.image.manifest.v1+json"
	indexKind    = "application/vnd.oci.image.index.v1+json"
)

func encode(t testing.TB, v any) []byte {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// Index makes the list of images for several platforms.
func Index(t testing.TB, images map[string]Built) []byte {
	t.Helper()
	var all []map[string]any
	for arch, b := range images {
		all = append(all, map[string]any{"mediaType": manifestKind, "digest": Digest(b.Manifest), "size": len(b.Manifest), "platform": map[string]any{"os": "linux", "architecture": arch}})
	}
	return encode(t, map[string]any{"schemaVersion": 2, "mediaType": indexKind, "manifests": all})
}

// Registry is a registry in memory.
type Registry struct {
	Host string
	t    testing.TB
	// Around stands in front of it, when it is set: what it does not answer, it passes on.
	Around func(next http.Handler, w http.ResponseWriter, r *http.Request)
}

// NewRegistry starts a registry that ends with the test.
func NewRegistry(t testing.TB) *Registry {
	t.Helper()
	out := &Registry{t: t}
	plain := registry.New(registry.Logger(log.New(io.Discard, "", 0)))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if out.Around != nil {
			out.Around(plain, w, r)
			return
		}
		plain.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	out.Host = strings.TrimPrefix(server.URL, "http://")
	return out
}

// Push puts an image into the registry, and returns its reference.
func (r *Registry) Push(repository, tag string, b Built) string {
	r.t.Helper()
	around := r.Around
	r.Around = nil
	defer func() { r.Around = around }()
	for digest, blob := range b.Blobs {
		r.send(http.MethodPost, path.Join("/v2", repository, "blobs", "uploads")+"/?digest="+digest, "application/octet-stream", blob)
	}
	r.send(http.MethodPut, path.Join("/v2", repository, "manifests", tag), manifestKind, b.Manifest)
	return r.Host + "/" + repository + ":" + tag
}

// PushIndex puts a list of images into the registry, and returns its reference.
func (r *Registry) PushIndex(repository, tag string, images map[string]Built) string {
	r.t.Helper()
	for _, b := range images {
		r.Push(repository, Digest(b.Manifest), b)
	}
	r.send(http.MethodPut, path.Join("/v2", repository, "manifests", tag), indexKind, Index(r.t, images))
	return r.Host + "/" + repository + ":" + tag
}

func (r *Registry) send(method, where, kind string, body []byte) {
	r.t.Helper()
	req, err := http.NewRequestWithContext(r.t.Context(), method, "http://"+r.Host+where, bytes.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	req.Header.Set("Content-Type", kind)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode/100 != 2 {
		text, _ := io.ReadAll(io.LimitReader(resp.Body, 1000))
		r.t.Fatalf("%s %s: %s: %s", method, where, resp.Status, text)
	}
}

// Save writes an image as "docker save" did before it wrote layouts.
func (b Built) Save(t testing.TB, file, name string) {
	t.Helper()
	var entries []Entry
	var names []string
	for _, d := range b.Digests {
		n := strings.TrimPrefix(d, "sha256:") + "/layer.tar"
		names = append(names, n)
		entries = append(entries, Entry{Name: n, Text: string(b.Blobs[d])})
	}
	config := strings.TrimPrefix(Digest(b.Config), "sha256:") + ".json"
	entries = append(entries, Entry{Name: config, Text: string(b.Config)},
		Entry{Name: "manifest.json", Text: string(encode(t, []map[string]any{{"Config": config, "RepoTags": []string{name}, "Layers": names}}))})
	if err := os.WriteFile(file, Layer(t, entries...), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Layout writes an image as a layout into a folder.
func (b Built) Layout(t testing.TB, dir string) {
	t.Helper()
	files := map[string][]byte{
		"oci-layout": []byte(`{"imageLayoutVersion":"1.0.0"}`), "index.json": Index(t, map[string]Built{runtime.GOARCH: b}),
		"blobs/sha256/" + strings.TrimPrefix(Digest(b.Manifest), "sha256:"): b.Manifest,
	}
	for digest, blob := range b.Blobs {
		files["blobs/sha256/"+strings.TrimPrefix(digest, "sha256:")] = blob
	}
	for name, data := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
