package check_test

import (
	"strings"
	"testing"
)

// flows are programs and what is expected of their calls but the sources': a
// line each as brief writes it, reads left out.
var flows = []struct{ name, src, want string }{
	{"constant", `email.write("bob@acme.com", "hi")`, "1 email.write safe to= body=\n"},
	{"direct", `
e = calendar.read(today)
email.write(e["title"], "hi")`, "3 email.write violation to=today!+calendar.read! body=\n"},
	{"fixed address", `
e = calendar.read("x")
email.write("bob@acme.com", f"Hello {e['title']}")`, "3 email.write safe to= body=calendar.read!\n"},
	{"arms", `
e = calendar.read("x")
to = "bob@acme.com"
if len(e["title"]) > 3:
    to = e["title"]
email.write(to, "hi")`, "6 email.write possible to=calendar.read body=\n"},
	{"function", `
def send(who, what):
    email.write(to=who, body=what)
e = calendar.read("x")
send("bob@acme.com", e["title"])`, "3 email.write safe to= body=calendar.read!\n"},
	{"function twice", `
def send(who, what):
    email.write(to=who, body=what)
e = calendar.read("x")
send("bob@acme.com", e["title"])
send(e["title"], "x")`, "3 email.write possible to=calendar.read body=calendar.read\n"},
	{"list", `
e = calendar.read("x")
parts = ["a"]
parts.append(e["title"])
email.write("bob@acme.com", "".join(parts))
email.write(parts[0], "x")`, "5 email.write safe to= body=calendar.read\n6 email.write safe to= body=\n"},
	{"dict", `
e = calendar.read("x")
d = {"to": "bob@acme.com", "body": e["title"]}
email.write(d["to"], d["body"])
email.write(d["body"], d["to"])
email.write(**d)`, "4 email.write safe to= body=calendar.read!\n5 email.write violation to=calendar.read! body=\n6 email.write safe to= body=calendar.read!\n"},
	{"clock", `
import time, datetime
email.write("bob@acme.com", str(time.time()))
time.sleep(len(calendar.read("x")["title"]))
email.write(str(time.time_ns()), str(datetime.datetime.now()))
email.write("bob@acme.com", str(datetime.date.today()))`, "3 email.write safe to= body=calendar.read\n5 email.write possible to=calendar.read body=calendar.read\n6 email.write safe to= body=calendar.read\n"},
	{"loop", `
e = calendar.read("x")
text = ""
for g in e["guests"]:
    text = text + g
email.write("bob@acme.com", text)
for g in e["guests"]:
    email.write(g, "hi")`, "6 email.write safe to= body=calendar.read\n8 email.write violation to=calendar.read! body=\n"},
	{"loop carried", `
a = b = c = "x"
for i in range(5):
    c = b
    b = a
    a = calendar.read("x")["title"]
email.write(c, "hi")`, "7 email.write possible to=calendar.read body=\n"},
	{"recursion", `
def f(n, x):
    if n == 0:
        return x
    return f(n - 1, x + "a")
email.write(f(5, "b"), f(3, calendar.read("x")["title"]))`, "6 email.write safe to= body=calendar.read!\n"},
	{"closure", `
def make(x):
    def inner():
        return x
    return inner
f = make("bob")
g = make(calendar.read("x")["title"])
email.write(f(), g())`, "8 email.write safe to= body=calendar.read!\n"},
	{"class", `
class Mail:
    def __init__(self, to, body):
        self.to = to
        self.body = body
    def send(self):
        email.write(self.to, self.body)
m = Mail("bob", calendar.read("x")["title"])
m.send()`, "7 email.write safe to= body=calendar.read!\n"},
	{"dataclass", `
from dataclasses import dataclass
@dataclass
class Mail:
    to: str
    body: str = "x"
m = Mail("bob", calendar.read("x")["title"])
email.write(m.to, m.body)`, "8 email.write safe to= body=calendar.read\n"},
	{"generator", `
def gen():
    yield "bob"
    yield calendar.read("x")["title"]
for x in gen():
    email.write(x, "hi")`, "6 email.write possible to=calendar.read body=\n"},
	{"global", `
who = "bob"
def taint():
    global who
    who = calendar.read("x")["title"]
taint()
email.write(who, "hi")`, "7 email.write possible to=calendar.read body=\n"},
	{"exception", `
try:
    raise ValueError(calendar.read("x")["title"])
except ValueError as e:
    email.write(str(e), "hi")`, "5 email.write possible to=calendar.read body=\n"},
	{"sorted key", `
xs = calendar.read("x")["guests"]
names = ["a", "b"]
names.sort(key=lambda n: xs.index(n))
email.write(names[0], "x")`, "5 email.write possible to=calendar.read body=\n"},
	{"model", `
when = ask_llm("when?", calendar.read("x"), {"type": "string", "format": "date"})
email.write(when, "x")
free = ask_llm("who?", calendar.read("x"))
email.write(free, "x")`, "3 email.write safe to=calendar.read~+ask_llm~ body=\n5 email.write violation to=calendar.read!+ask_llm! body=\n"},
	{"model object", `
r = ask_llm("when?", calendar.read("x"), {"type": "object", "additionalProperties": False, "required": ["day", "who"], "properties": {"day": {"type": "string", "format": "date"}, "who": {"type": "string"}}})
email.write(r["day"], "x")
email.write(r["who"], "x")`, "3 email.write safe to=calendar.read~+ask_llm~ body=\n4 email.write violation to=calendar.read!+ask_llm!+calendar.read~+ask_llm~ body=\n"},
	{"unreached", `
def f():
    email.write("a", "b")
`, "3 email.write unreachable\n"},
	{"match", `
match calendar.read("x"):
    case {"title": t}:
        email.write(t, "x")
    case other:
        email.write("bob", other)`, "4 email.write violation to=calendar.read! body=\n6 email.write safe to= body=calendar.read!\n"},
	{"comprehension", `
ts = [calendar.read(d)["title"] for d in ["a", "b"]]
email.write("bob", ", ".join(t.upper() for t in ts))
email.write(len(ts), "x")`, "3 email.write safe to= body=calendar.read\n4 email.write safe to= body=\n"},
	{"input", `email.write(customer, note["text"])
email.write(note["to"], "x")`, "1 email.write safe to=customer! body=note!\n2 email.write violation to=note! body=\n"},
}

func TestFlows(t *testing.T) {
	w := newWorld(t)
	for _, c := range flows {
		t.Run(c.name, func(t *testing.T) {
			r := w.check(t, c.src, false)
			got := ""
			for line := range strings.Lines(brief(r)) {
				if strings.Contains(line, "email.write") {
					got += line
				}
			}
			if got != c.want {
				t.Errorf("got\n%swant\n%s%s", got, c.want, r.Text())
			}
		})
	}
}

// TestNamesThatAreBoundLater follows what a name means before the program binds it.
func TestNamesThatAreBoundLater(t *testing.T) {
	w := newWorld(t)
	for _, src := range []string{
		"str = str(calendar.read('mon'))\nemail.write(str, 'b')",
		"def f(): return max(calendar.read('mon')['guests'])\nemail.write(f(), 'b')\nmax = 3",
		"if today: max = 3\nelse: email.write(max(calendar.read('mon')['guests']), 'b')",
		"l = [{'a': calendar.read('mon')}]\ns = slice(0, 1)\nfor x in l[s]: email.write(x['a'], 'b')",
		"class A:\n  len = len(calendar.read('mon'))\nemail.write(A.len, 'b')",
	} {
		r := w.check(t, src, false)
		for _, f := range r.Flows {
			if f.Tool == "email.write" && f.Verdict == "safe" {
				t.Errorf("%s\n%s", src, brief(r))
			}
		}
	}
}
