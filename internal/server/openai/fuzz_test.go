package openai

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

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

func TestPieces(t *testing.T) {
	text := strings.Repeat("aé€😀", 9000)
	var whole strings.Builder
	for part := range pieces(text) {
		if len(part) > maxPiece || !utf8.ValidString(part) {
			t.Fatalf("a piece of %d bytes", len(part))
		}
		whole.WriteString(part)
	}
	if whole.String() != text {
		t.Error("the pieces are not the whole")
	}
}

// Blanks, an answer's pictures and the thoughts that clients write into it do not make another
// conversation; words and files do.
func TestKey(t *testing.T) {
	key := func(answer string, files ...file) string {
		return keyOf([]said{{person: true, text: "a", files: files}, {text: answer}})
	}
	same := key("It is 1.\n\n![Picture 1](data:image/png;base64,aGk=)")
	for _, answer := range []string{"It is 1.", "It  is 1.\n", "<think>x\ny</think>It is 1.", "It is 1. ![x](/files/1)"} {
		if key(answer) != same {
			t.Errorf("%q is another conversation", answer)
		}
	}
	if key("It is 2.") == same || key("It is 1.", newFile("a", nil)) == same {
		t.Error("another conversation is the same")
	}
}

// Too many answers are forgotten, but not where a thread of the door stands; a thread too many
// is the one that was used longest ago.
func TestForgotten(t *testing.T) {
	c, err := openConversations(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for i := range maxThreads {
		c.points = append(c.points, point{Thread: fmt.Sprint("t", i), Run: "r", Began: true})
	}
	for i := range maxPoints - maxThreads {
		c.points = append(c.points, point{Thread: "t0", Run: fmt.Sprint(i), Began: true})
	}
	if err := c.add(point{Thread: "t0", Run: "last", Response: "resp_1", Began: true}); err != nil {
		t.Fatal(err)
	}
	if len(c.points) != maxPoints || c.points[0].Thread != "t1" || c.tooMany() != "t1" {
		t.Errorf("%d answers, the oldest %+v; %q goes", len(c.points), c.points[0], c.tooMany())
	}
	c.take("t1")
	if got := c.tooMany(); got != "" { // the one that is busy does not count
		t.Errorf("%q goes", got)
	}
	if found, err := c.forgetResponse("resp_1"); !found || err != nil || c.points[maxPoints-1].Thread != "t0" {
		t.Errorf("got %v, %v", found, err)
	}
	again, err := openConversations(filepath.Dir(c.dir))
	if err != nil || len(again.points) != maxPoints {
		t.Errorf("%v", err)
	}
}
