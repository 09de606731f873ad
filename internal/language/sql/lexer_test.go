package sql

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// check reads texts at random with lexer.py: tokens put together are the text, statements lie
// in it in order, and a place is where it says.
const check = `
import random, sys
exec(compile(open(sys.argv[1], encoding="utf-8").read(), "lexer", "exec"))
parts = ["select", " ", "\n", ";", "'", '"', "--", "/*", "*/", "$", "$$", "$a$", "E'", "\\", "[", "]", "` + "`" + `", ":", "::", ":x", "$y", "?", "1", "1.5e", "é", "日", "\0",
         "create trigger t ", "begin ", "end", "(", ")", "a", "it''s", "\u2028", "\ud800", "x'ab'", "."]
chance = random.Random(1)
for n in range(4000):
    text = "".join(chance.choice(parts) for _ in range(chance.randrange(30)))
    for duck in (False, True):
        found = tokens(text, duck)
        assert "".join(text[a:b] for _, a, b in found) == text and all(b > a for _, a, b in found), (text, found)
        at = 0
        for s in statements(text, duck):
            assert s.start >= at and text[s.start : s.start + len(s.text)] == s.text, (text, s.text)
            at = s.start + len(s.text)
            s.names(), s.params(), s.words(3), s.find("a")
            line, column = place(text, s.start)
            assert text.split("\n")[line - 1][column - 1 :].startswith(s.text.split("\n")[0]), (text, line, column)
            pointed(text, s.start, at)
    assert len({u.casefold() for u in unique(text.split())}) == len(text.split())
for text, duck, want in [
    ("a;b", True, ["a", "b"]), (";;a;;", False, ["a"]), ("'a;''b';c", True, ["'a;''b'", "c"]), ("/* ; /* ; */ a; */ b; c", True, ["b", "c"]),
    ("/* ; /* ; */ a; b", False, ["a", "b"]), ("$t$ ; $$ $t$; a", True, ["$t$ ; $$ $t$", "a"]), ("[a;b]; c", False, ["[a;b]", "c"]),
    ("e'\\';' ; a", True, ["e'\\';'", "a"]), ("-- a;\nb; -- c;", True, ["b"]),
    ("create temp trigger t after insert on x begin select case when 1 then 2 end; delete from y; end; select 1", False,
     ["create temp trigger t after insert on x begin select case when 1 then 2 end; delete from y; end", "select 1"]),
]:
    assert [s.text for s in statements(text, duck)] == want, (text, [s.text for s in statements(text, duck)])
assert list(statements("select :a, x::b, l[1:c], {'k':d}, $e, ':f', :a", True)[0].params()) == [":a", "$e"]
assert heading("-- name: totals \n--share:x\nselect", "share") == "x" and heading("select -- name: a", "name") == ""
for long in ("'" * 100_001, "/*" * 100_000, "$" * 100_001, "(" * 100_000, "a;" * 50_000, "[" * 100_000):
    for duck in (False, True):
        statements(long, duck)
`

func TestLexer(t *testing.T) {
	t.Parallel()
	script := filepath.Join(t.TempDir(), "check.py")
	if err := os.WriteFile(script, []byte(check), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(rig.interpreter, "-X", "utf8", script, filepath.Join(rig.folder, "sql", "lexer.py")).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}
