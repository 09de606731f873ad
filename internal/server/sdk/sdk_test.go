package sdk

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"praxis/internal/server/rest"
)

var update = flag.Bool("update", false, "write the generated parts of the clients anew")

// The clients are those of the server as it is.
func TestClientsAreFresh(t *testing.T) {
	files, err := Files(rest.Document(""))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		path := filepath.Join("..", "..", "..", "clients", filepath.FromSlash(name))
		if *update {
			if err := os.WriteFile(path, want, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
			t.Errorf("clients/%s is not what the server's document says (%v): run \"make clients\"", name, err)
		}
	}
}

// What a client could not call is refused, and not left out.
func TestUnknownDocuments(t *testing.T) {
	for text, want := range map[string]string{
		`{`: "the document is not read",
		`{"paths":{"/v1/a":{"get":{"operationId":"alone"}}}}`:                                                                            "group.verb",
		`{"paths":{"/v1/a":{"get":{"operationId":"a.b","parameters":[{"name":"x","in":"cookie","schema":{}}]}}}}`:                        `stands in "cookie"`,
		`{"paths":{"/v1/a":{"get":{"operationId":"a.b","responses":{"200":{"content":{"image/png":{}}}}}}}}`:                             "answers with image/png",
		`{"paths":{"/v1/a":{"post":{"operationId":"a.b","requestBody":{"content":{"application/json":{"schema":{"type":"object"}}}}}}}}`: "no component",
	} {
		if text != "{" {
			text = text[:len(text)-1] + `,"components":{"schemas":{"Event":{}}}}`
		}
		if _, err := Files([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
}

// Whatever a document says, files are written of it or it is refused.
func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"paths":{"/v1/a/{b}":{"get":{"operationId":"a.b","parameters":[{"name":"b","in":"path"}]}}},"components":{"schemas":{"Event":{"oneOf":[{}]},"A":{"properties":{"in":{"type":[1]},"x":null}}}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, err := Files(data); err != nil && !strings.HasPrefix(err.Error(), "cannot write the clients: ") {
			t.Fatal(err)
		}
	})
}
