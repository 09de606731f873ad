package oci

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"praxis/fault"
	"praxis/internal/test/container"
)

// What an image says of itself is refused or within bounds, whatever it is.
func FuzzManifest(f *testing.F) {
	f.Add([]byte(`{"schemaVersion":2,"config":{"digest":"sha256:`+zerosHex+`","size":2},"layers":[]}`), []byte(`{"rootfs":{"diff_ids":[]}}`))
	f.Add([]byte(`{"manifests":[{"mediaType":"application/vnd.oci.image.manifest.v1+json","digest":"sha256:`+zerosHex+`","size":1,"platform":{"os":"linux","architecture":"amd64"}}]}`), []byte(`[{"Config":"x","Layers":["a"]}]`))
	f.Fuzz(func(t *testing.T, manifest, config []byte) {
		m, err := parseManifest(manifest)
		if err == nil && (len(m.Layers) > maxLayers || m.Config.Size > maxConfig) {
			t.Errorf("out of bounds: %+v", m)
		}
		m.Config.Digest = Digest(config)
		if c, err := ParseConfig(config, m); err == nil && len(c.Layers) != len(m.Layers) {
			t.Errorf("%d layers, not %d", len(c.Layers), len(m.Layers))
		}
		all, err := parseIndex(manifest)
		if err == nil {
			_, err = choose(all, Here())
		}
		if err != nil && fault.KindOf(err) == fault.Internal {
			t.Errorf("no fault: %v", err)
		}
		if _, err := parseSaved(config); err != nil && fault.KindOf(err) == fault.Internal {
			t.Errorf("no fault: %v", err)
		}
	})
}

const zerosHex = "0000000000000000000000000000000000000000000000000000000000000000"

// A file that somebody imports is refused or read, whatever it holds.
func FuzzArchive(f *testing.F) {
	f.Add(container.Layer(f, entry{Name: "manifest.json", Text: `[{"Config":"c.json","Layers":["l"]}]`}, entry{Name: "c.json", Text: `{}`}))
	f.Add(container.Layer(f, entry{Name: "index.json", Text: `{"manifests":[]}`}, entry{Name: "oci-layout"}))
	f.Add(container.Layer(f, entry{Name: "etc/passwd", Text: "x"}))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte) {
		// What is compressed may be 200 times as large, and unpacking it all says nothing new.
		if len(data) > 32<<10 {
			return
		}
		file := filepath.Join(dir, fmt.Sprintf("%d.tar", os.Getpid())) // workers are processes
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		src, err := Open(t.Context(), file, dir)
		if err == nil {
			defer src.Close()
			var m Manifest
			if m, err = src.Manifest(t.Context(), Here()); err == nil {
				_, _, err = ReadConfig(t.Context(), src, m)
			}
		}
		if err != nil && fault.KindOf(err) == fault.Internal {
			t.Errorf("no fault: %v", err)
		}
	})
}

// What was compressed comes out as it was, and what is damaged ends with an error.
func FuzzDecompress(f *testing.F) {
	f.Add([]byte("\x1f\x8b\x08"))
	f.Add([]byte("\x28\xb5\x2f\xfd"))
	f.Add([]byte("plain"))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := Decompress(bytes.NewReader(data))
		if err != nil {
			return
		}
		_, _ = io.Copy(io.Discard, io.LimitReader(r, 1<<20)) // it may fail
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
}
