import re
m = re.match(r"(?P<year>\d{4})-(\d\d)", "2024-05-06")
print(m, m.group(), m.group(1), m.group("year"), m["year"], m[2], m.group(1, 2), m.groups(), m.groupdict(), m.start(), m.end(), m.span(2), m.lastindex, m.lastgroup, m.string)
print(m.re.pattern, bool(m))
---
import re
print(re.findall(r"\d+", "a1b22c333"), re.findall(r"(\w)(\d)", "a1b2"), re.findall(r"(\w)\d", "a1b2"), re.findall("x", "abc"), re.findall("", "ab"))
print(re.split(r",\s*", "a, b,c"), re.split("(,)", "a,b"), re.split(",", "a,b,c", maxsplit=1), re.split(r"\W+", "Words, words."), re.split("x*", "axbc"))
print([m.group() for m in re.finditer(r"\w+", "the quick fox")], [m.span() for m in re.finditer("a", "banana")])
---
import re
print(re.sub(r"\d", "#", "a1b2"), re.sub(r"(\w)(\d)", r"\2\1", "a1b2"), re.sub("a", "b", "aaaa", count=2), re.subn("a", "b", "aaa"), re.sub(r"(?P<x>\w+)", r"<\g<x>>", "hi yo"))
print(re.sub(r"\d+", lambda m: str(int(m.group()) * 2), "1 22 333"), re.sub("b*", "-", "abc"), re.subn("x", lambda m: "y", "axxa", count=1))
print(re.sub(r"[aeiou]", lambda m: m[0].upper(), "hello world"), re.sub("(a)|b", lambda m: m.group(1) or "none", "ab"))
---
import re
print(re.search("b", "abc").start(), re.search("z", "abc"), re.fullmatch("a+", "aaa") is not None, re.fullmatch("a+", "aab"), re.match("b", "ab"))
p = re.compile(r"([a-z]+)(\d+)?", re.I | re.M)
print(p.pattern, p.flags, p.groups, p, p.match("abc").groups(), p.match("abc").groups("none"), p.search("..AB12").group())
print(p.match("xAB", 1), p.search("abc", 1, 2).group(), p.findall("a1 b2"), p.split("a1-b2"), p.sub("X", "a1-b2"), p.fullmatch("ab12").span())
---
import re
def t(f):
    try:
        print(repr(f()))
    except Exception as e:
        print(type(e).__name__, e)
for f in [lambda: re.compile(5), lambda: re.match("a", 5), lambda: re.match("a", b"a"), lambda: re.compile(re.compile("a"), 2),
          lambda: re.match("(a)", "a").group(2), lambda: re.match("(a)", "a").group("x"), lambda: re.match("(a)", "a")["x"], lambda: re.match("(a)", "a")[1.5],
          lambda: re.compile("("), lambda: re.compile("a\n("), lambda: re.sub("a", 5, "a"), lambda: re.sub("a", lambda m: 5, "a"), lambda: re.sub("a", r"\2", "a"),
          lambda: re.compile("[z-a]"), lambda: re.compile("*a"), lambda: re.compile("a{2,1}"), lambda: re.compile(r"\q"), lambda: re.compile("(?P<n>a)(?P<n>b)")]:
    t(f)
---
import re
for v in [re.compile("a(b)?", re.I | re.M), re.compile("a").flags, re.compile("(?i)a").flags, int(re.ASCII | re.VERBOSE), bool(re.I), int(re.I), re.compile("x", 2 | 8), re.match("a", "a").re, re.error is re.PatternError]:
    print(repr(v))
---
import re
print(re.compile("a") == re.compile("a"), re.compile("a") == re.compile("b"), len({re.compile("a"), re.compile("a")}), re.escape("a.b-c d*"), re.escape("é_1"))
print(type(re.match("a", "a")), type(re.compile("a")), isinstance(re.compile("a"), re.Pattern), isinstance(re.match("a", "a"), re.Match))
---
import re
text = """line one
line two
LINE three"""
print(re.findall("^line", text, re.M), re.findall("^line", text, re.M | re.I), re.findall("one.line", text, re.S), re.findall(r"\w+$", text, re.MULTILINE), re.findall("e$", text))
p = re.compile(r"""
    (\w+)  # the name
    \s*=\s*
    (\d+)  # the number
""", re.VERBOSE)
print(p.findall("a = 1, bb=22"), dict(p.findall("a=1 b=2")))
---
import re
print(re.findall(r"(?<=\$)\d+", "$10 20 $30"), re.findall(r"\b\w{3}\b", "the cat sat down"), re.findall(r"(?:ab)+", "ababxab"), re.search(r"(\w)\1", "hello").group(), re.findall(r"a(?!b)", "abac"), re.match(r"(a+)+$", "a" * 10 + "b"))
print(re.findall("é.", "aéb éc"), re.search(r"\w+", "ñandú x").group(), re.sub("ü", "ue", "grün"), re.findall("[α-ω]+", "abc αβγ"), re.search("b", "éb").span())
---
import re
def tokenize(s):
    spec = [("NUM", r"\d+(\.\d*)?"), ("OP", r"[+\-*/()]"), ("WS", r"\s+"), ("BAD", r".")]
    rx = "|".join(f"(?P<{n}>{p})" for n, p in spec)
    for m in re.finditer(rx, s):
        if m.lastgroup != "WS":
            yield m.lastgroup, m.group()
print(list(tokenize("3.5 + (4*x)")))
print(re.sub(r"(\w+) (\w+)", r"\2 \1", "hello world"), re.sub(r"\s+", " ", "a  b \n c").strip(), re.sub("", "-", "abc"), re.sub("x", r"\\n\n", "axb"))
---
import re
try:
    re.compile("a(")
except re.error as e:
    print(e.msg, e.pattern, e.pos, e.lineno, e.colno, e)
email = re.compile(r"^[\w.+-]+@[\w-]+\.[\w.]+$")
print([bool(email.match(s)) for s in ("a@b.co", "a.b+c@d-e.org", "bad", "x@y")])
print(re.match(r"(\d+)?(\w+)?", "abc").groups(), re.match("(a)|(b)", "b").lastindex, re.match("a", "ab").lastgroup, re.search("$", "ab").span(), re.match("x?", "").group() == "")
m = re.search("(b)(c)?", "abd")
print(m.span(2), m.start(2), m.group(2), [*m.groups()])
if (k := re.match("q", "w")) is None:
    print("none", k)
