package tools

import (
	"os"
	"strconv"
	"testing"
)

// sandboxTests are of tools in sandboxes of their own: they see nothing of the
// caller's, and the caller nothing of theirs.
func sandboxTests(t *testing.T, w *world) {
	kernel, err := os.ReadFile("/proc/version")
	if err != nil {
		t.Fatal(err)
	}
	t.Run("python", func(t *testing.T) {
		w.expect(t, `
import os, json
from tools import box
open("/work/mine.txt", "w").write("the caller's")
open("/tmp/mine.txt", "w").write("the caller's")
got = box.peek(names=["/work/mine.txt", "/tmp/mine.txt", "/work", "`+w.dir+`", "`+w.home+`"])
print(got["seen"]["/work/mine.txt"], got["seen"]["/tmp/mine.txt"], got["seen"]["/work"], got["seen"]["`+w.dir+`"], got["seen"]["`+w.home+`"])
print(got["net"], got["environ"], got["calls"])
print(box.peek(names=[])["calls"], os.path.exists("/work/tool"))
`, "False False True False False", "Error [] 1", "2 False")
	})
	t.Run("mcp", func(t *testing.T) {
		w.expect(t, `
import json
from tools import boxed
HOST = `+strconv.QuoteToASCII(string(kernel))+`
for path in ["/work/mine.txt", "`+w.dir+`/mcp.secret", "/work/server.py", "`+w.home+`"]:
    got = json.loads(boxed.look(path=path))
    print(got["exists"], got["kernel"] == open("/proc/version").read() != HOST, got["here"])
`, "False True ['server.py']", "False True", "True True", "False True")
	})
}
