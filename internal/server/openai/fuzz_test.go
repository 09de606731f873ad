package openai

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"praxis/fault"
)

// Whatever is sent, a request is read or refused as invalid; what it attaches has names that
// stay in the working folder.
func FuzzRequest(f *testing.F) {
	f.Add([]byte(`{"model":"praxis","messages":[{"role":"user","content":[{"type":"text","text":"a"},{"type":"file","file":{"filename":"../x/..","file_data":"aGk="}},{"type":"image_url","image_url":{"url":"data:image/png;base64,aGk="}}]}],"stop":[],"response_format":{"type":"json_object"}}`))
	f.Add([]byte(`{"model":"a:b@tools","input":[{"role":"user","content":"a"},{"type":"function_call_output","output":"1"},{"role":"user","content":[{"type":"input_file","filename":"\\","file_data":"data:,x"}]}],"conversation":{"id":"c"}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		chat, _, chatErr := decodeChat(data)
		response, _, responseErr := decodeResponse(data)
		for q, err := range map[*request]error{chat: chatErr, response: responseErr} {
			if err != nil {
				if fault.KindOf(err) != fault.Invalid {
					t.Fatal(err)
				}
				continue
			}
			keyOf(q.all)
			seen := map[string]bool{}
			for _, file := range given(q.all, 0) {
				if !filepath.IsLocal(file.Name) || strings.ContainsAny(file.Name, "/\\\x00") || seen[file.Name] {
					t.Fatalf("%q", file.Name)
				}
				seen[file.Name] = true
			}
		}
	})
}

// A file of conversations that is damaged is refused, and the id of a file names one below
// the working folder.
func FuzzStored(f *testing.F) {
	f.Add([]byte(`[{"key":"a","thread":"t","run":"r"}]`), fileID("t", "/work/a b"))
	f.Fuzz(func(t *testing.T, data []byte, id string) {
		if points, err := decodePoints(data); err == nil {
			if _, err := json.Marshal(points); err != nil {
				t.Fatal(err)
			}
		}
		if thread, name, err := placeOf(id); err == nil && (thread == "" || !strings.HasPrefix(name, "/work/") || filepath.Clean(name) != name) {
			t.Fatalf("%q: %q %q", id, thread, name)
		}
	})
}

// An answer draws nothing of another server.
func FuzzTame(f *testing.F) {
	f.Add("a ![x](http://e.test/) `![x](y)` <IMG src=x> ``` ![z][y]")
	f.Fuzz(func(t *testing.T, text string) {
		got := tame(text)
		if foreignPicture.MatchString(got) || foreignTag.MatchString(got) || strings.ReplaceAll(got, " ", "") != strings.ReplaceAll(text, " ", "") {
			t.Fatalf("%q: %q", text, got)
		}
	})
}
