package scripts

import (
	"embed"
	"flag"
	"fmt"
	"strings"
	"testing"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/image"
	"praxis/internal/language/javascript"
	"praxis/internal/session"
)

// What pyarrow and polars write: every type, one that is refused, and one that is compressed.
//
//go:embed testdata
var shares embed.FS

// damages is how many damaged streams are read.
var damages = flag.Int("damages", 500, "how many damaged Arrow streams the reader is given")

// say runs code in a language, which must succeed, and returns what it shows.
func say(t *testing.T, s *session.Session, lang, code string) string {
	t.Helper()
	x, err := s.Execute(t.Context(), code, session.Exec{Language: lang, Bounds: event.Bounds{Timeout: event.Duration(120e9)}}, event.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if x.Status != event.OK {
		t.Fatalf("%s: %s\n%s: %+v %s", lang, code, x.Status, x.Error, x.Message)
	}
	return x.Result["text"]
}

// typed is a table with every type, as JavaScript makes it.
const typed = `const table = {
  columns: ["b", "i", {name: "big", type: "int64"}, "f", "s", "by", {name: "d", type: "date"}, {name: "t", type: "time"}, "ts",
    {name: "naive", type: "timestamp", zone: false}, {name: "dec", type: "decimal"}, "j", "none", "__proto__"],
  rows: [
    [true, 1, 9007199254740993n, 1.5, "é🙂\n\"", Buffer.from([0, 255]), new Date(Date.UTC(2026, 2, 1)), "12:00:01.000005",
      new Date(Date.UTC(2026, 2, 1, 12)), new Date(Date.UTC(2026, 2, 1, 12, 0, 0, 5)), "1.50", {a: [1, null, 2n ** 60n]}, null, 1],
    [null, null, null, NaN, null, null, null, null, null, null, null, [1], undefined, 2],
    [false, -5, -7, -Infinity, "", Buffer.alloc(0), "1969-12-31", "00:00:00", new Date(0), new Date(0), -2n, "text", null, 3],
  ],
}
praxis.share("table", table)
`

// TestShare passes values between the languages, without any package, and in a fork.
func TestShare(t *testing.T) {
	t.Parallel()
	s := fresh(manager(t))(t, nil, 0)
	say(t, s, "javascript", typed)
	say(t, s, "javascript", `praxis.share("deep", {a: [1, null, "é", {b: 2n ** 70n}], c: 1.5})`)
	fork, err := s.Fork(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer fork.Close()
	for _, s := range []*session.Session{s, fork} {
		say(t, s, "python", `
import praxis, datetime as d, math
from decimal import Decimal
rows = praxis.shared("table")
utc = d.timezone.utc
def same(got, want): assert got == want and type(got) is type(want), (got, want)
for key, want in {"b": True, "i": 1, "big": 2**53 + 1, "f": 1.5, "s": 'é🙂\n"', "by": b"\0\xff", "d": d.date(2026, 3, 1), "t": d.time(12, 0, 1, 5),
    "ts": d.datetime(2026, 3, 1, 12, tzinfo=utc), "naive": d.datetime(2026, 3, 1, 12, 0, 0, 5000), "dec": Decimal("1.50"), "j": {"a": [1, None, 2**60]}, "none": None, "__proto__": 1}.items():
    same(rows[0][key], want)
assert math.isnan(rows[1]["f"]) and rows[2]["f"] == -math.inf and all(rows[1][k] is None for k in rows[0] if k not in ("f", "j", "__proto__"))
same(rows[2]["dec"], Decimal(-2)); same(rows[2]["d"], d.date(1969, 12, 31))
same(praxis.shared("deep"), {"a": [1, None, "é", {"b": 2**70}], "c": 1.5})
praxis.share("back", {"n": 2**60, "l": [2**53 - 1, 0.5]})`)
		if got := say(t, s, "sql", `select s, d, i + 1 as next from "table" where b`); !strings.Contains(got, "2026-03-01") || !strings.Contains(got, "é🙂") {
			t.Errorf("SQL reads %s", got)
		}
		for code, want := range map[string]string{
			`praxis.shared("back")`:                      "{ n: 1152921504606846976n, l: [ 9007199254740991, 0.5 ] }",
			`praxis.names()`:                             "[ 'back', 'deep', 'table' ]",
			`praxis.shared("deep").a[3].b === 2n ** 70n`: "true",
			`require("fs").statSync("/tmp/.praxis-shared").mode.toString(8)`: "'40700'",
		} {
			if got := say(t, s, "javascript", code); got != want {
				t.Errorf("%s is %s, want %s", code, got, want)
			}
		}
		// What JavaScript reads, it writes again to the byte.
		if got := say(t, s, "javascript", `const raw = () => require("fs").readFileSync("/tmp/.praxis-shared/table", "utf8"); const before = raw()
const again = praxis.shared("table"); praxis.share("table", again); [raw() === before, again[0].big, again[0].ts, Object.keys(again[0]).length, again.columns.length]`); !strings.HasPrefix(got, "[ true, 9007199254740993n, 2026-03-01T12:00:00.000Z, 14, 14 ]") {
			t.Errorf("read again it is %s", got)
		}
	}
	say(t, s, "javascript", `praxis.unshare("deep"); praxis.share("table", [{n: 1}])`)
	if got := say(t, fork, "javascript", `[praxis.shared("deep").c, praxis.shared("table").length]`); got != "[ 1.5, 3 ]" {
		t.Errorf("the fork has %s", got)
	}
	x := execute(t, s, `interface Row { n: number }
praxis.share("typed", [{n: 1}, {n: 2}] satisfies Row[]); const got: Row[] = praxis.shared("typed"); got.map((r: Row) => r.n)`, true)
	if x.Result["text"] != "[ 1, 2 ]" {
		t.Errorf("TypeScript has %+v %+v", x.Result, x.Error)
	}
}

// TestShareRefuses has an error for what cannot be shared or read.
func TestShareRefuses(t *testing.T) {
	t.Parallel()
	s := fresh(manager(t))(t, nil, 0)
	say(t, s, "javascript", `
const fs = require("fs")
const message = (act) => { try { act() } catch (error) { return error.message } throw new Error("nothing was refused: " + act) }
const refused = (act, part) => { const text = message(act); if (!text.includes(part)) throw new Error(text + " lacks " + part) }
for (const name of ["", "a/b", "..", "a".repeat(65), "1a", "é", null, "a\n"]) refused(() => praxis.share(name, 1), "cannot name")
for (const value of [NaN, {a: Infinity}, () => 1, undefined, Symbol("x"), new Map(), {s: new Set()}, [1, new Float64Array(1)]]) message(() => praxis.share("x", value))
const loop = {}; loop.loop = loop; message(() => praxis.share("x", loop))
refused(() => praxis.share("x", {columns: ["a"], rows: [[1, 2]]}), "row 0 has 2 values")
refused(() => praxis.share("x", {columns: [{name: "a", type: "int64"}], rows: [[1], ["z"]]}), "a in row 1: it is no integer")
refused(() => praxis.share("x", {columns: [{name: "a", type: "what"}], rows: []}), "has no type")
refused(() => praxis.share("x", "y".repeat(257 << 20)), "more than")
refused(() => praxis.shared("x"), "nothing is shared as x; there is nothing")
if (praxis.names().length) throw new Error("a refused value is there: " + praxis.names())
praxis.share("first", [1])
fs.writeFileSync("/tmp/.praxis-shared/.other", ""); fs.writeFileSync("/tmp/.praxis-shared/no-name", "")
if (String(praxis.names()) !== "first") throw new Error(String(praxis.names()))
const bad = (text) => { fs.writeFileSync("/tmp/.praxis-shared/bad", text); refused(() => praxis.shared("bad"), "cannot read the shared value bad") }
for (const text of ["", "{}", "\n", '{"praxis":2,"kind":"json"}\n1', '{"praxis":1,"kind":"table","encoding":"x"}\n', "[1]\n", Buffer.from([255, 10]), "null\n",
  '{"praxis":1,"kind":"json"}\n{', '{"praxis":1,"kind":"table","encoding":"rows"}\n', '{"praxis":1,"kind":"table","encoding":"rows","columns":[{"name":"a","type":"int64"}]}\n[1,2]',
  '{"praxis":1,"kind":"table","encoding":"rows","columns":[{"name":"a","type":"bytes"}]}\n["*"]', '{"praxis":1,"kind":"table","encoding":"rows","columns":[{"name":"a","type":"timestamp"}]}\n["now"]',
  "x".repeat(5 << 20) + "\n1"]) bad(text)
fs.rmSync("/tmp/.praxis-shared/bad"); fs.mkdirSync("/tmp/.praxis-shared/bad"); refused(() => praxis.shared("bad"), "no file"); fs.rmdirSync("/tmp/.praxis-shared/bad")
fs.symlinkSync("/proc/1/mem", "/tmp/.praxis-shared/bad"); message(() => praxis.shared("bad")); fs.unlinkSync("/tmp/.praxis-shared/bad")
require("child_process").execSync("mkfifo /tmp/.praxis-shared/bad"); message(() => praxis.shared("bad")); fs.unlinkSync("/tmp/.praxis-shared/bad")
for (let i = 0; i < 999; i++) praxis.share("n" + i, i)
refused(() => praxis.share("more", 1), "1,000 values are shared")
praxis.share("n5", "again")
const left = fs.readdirSync("/tmp/.praxis-shared").filter((n) => n.startsWith(".javascript")); if (left.length) throw new Error(String(left))
`)
	// The name belongs to the program where it takes it.
	if got := say(t, s, "javascript", "const praxis = 5; praxis"); got != "5" {
		t.Errorf("a constant of that name is %s", got)
	}
}

// TestArrow reads what libraries write, and refuses what is damaged.
func TestArrow(t *testing.T) {
	t.Parallel()
	s := fresh(manager(t))(t, nil, 0)
	for _, name := range []string{"all", "polars", "list", "zstd"} {
		data, err := shares.ReadFile("testdata/" + name + ".arrow")
		if err != nil {
			t.Fatal(err)
		}
		say(t, s, "javascript", fmt.Sprintf(`require("fs").writeFileSync("/work/%s.arrow", Buffer.from(%q, "hex"))`, name, fmt.Sprintf("%x", data)))
	}
	say(t, s, "javascript", `praxis.share("first", 1)
const lay = (name) => require("fs").writeFileSync("/tmp/.praxis-shared/" + name, Buffer.concat([Buffer.from('{"praxis":1,"kind":"table","encoding":"arrow","rows":3}\n'), require("fs").readFileSync("/work/" + name + ".arrow")]))
for (const name of ["all", "polars", "list", "zstd"]) lay(name)`)
	for name, want := range map[string]string{
		"all": "b:bool:true,null,false i8:int64:-128,null,127 u32:int64:0,null,4294967295 i64:int64:9007199254740993,null,-5 u64:int64:18446744073709551615,null,7 " +
			"f16:float64:1.5,null,-0.25 f32:float64:0.5,null,Infinity f64:float64:NaN,null,-Infinity s:string:é🙂,null, ls:string:a,null,long enough to be elsewhere " +
			"sv:string:short,null,long enough to be elsewhere by:bytes:00ff,null, bv:bytes:" + strings.Repeat("78", 20) + ",null,79 fb:bytes:616263,null,646566 " +
			"d32:date:2026-03-01,null,1969-12-31 d64:date:2026-03-01,null,0001-01-01 t32:time:12:00:01,null,00:00:00 t64:time:23:59:59.000005,null,01:00:00 " +
			"ts:timestamp:2026-03-01T12:00:00.001Z,null,1960-01-01T00:00:00.000Z tz:timestamp:2026-03-01T12:00:00.000Z,null,1960-01-01T00:00:00.000Z " +
			"dec:decimal:1.50,null,-0.05 d256:decimal:123456789012345678901234567890123456789.5,null,-1.0 cat:string:x,null,y none:string:null,null,null __proto__:int64:1,2,3",
		"polars": "i:int64:1,9007199254740993,null s:string:é,null,long enough to be elsewhere c:string:p,q,p t:timestamp:2026-03-01T12:00:00.001Z,null,1960-01-01T00:00:00.000Z " +
			"dec:decimal:1.50,null,-2.25 by:bytes:61,null,7a tm:time:01:02:03,null,00:00:00 b:bool:true,null,false",
	} {
		x := execute(t, s, fmt.Sprintf(`{ const got = praxis.shared(%q)
console.log(got.columns.map((c) => c.name + ":" + c.type + ":" + got.map((r) => { const v = r[c.name]; return v === null ? "null" : v instanceof Date ? v.toISOString() : Buffer.isBuffer(v) ? v.toString("hex") : String(v) })).join(" ")) }`, name), false)
		if got := strings.TrimSpace(x.Stdout); got != want {
			t.Errorf("%s: %+v\n got %s\nwant %s", name, x.Error, got, want)
		}
	}
	for name, want := range map[string]string{"list": "of the type list", "zstd": "it is compressed"} {
		if x := execute(t, s, fmt.Sprintf("praxis.shared(%q)", name), false); x.Error == nil || !strings.Contains(x.Error.Value, want) || !strings.Contains(x.Error.Value, "arrow=False") {
			t.Errorf("%s: %+v", name, x.Error)
		}
	}
	damage, err := shares.ReadFile("testdata/damage.js")
	if err != nil {
		t.Fatal(err)
	}
	if got := say(t, s, "javascript", strings.Replace(string(damage), "ROUNDS", fmt.Sprint(*damages), 1)); got != "true" {
		t.Errorf("damaged streams: %s", got)
	}
}

// TestShareFrames passes frames of libraries from Python to JavaScript, to SQL, and back.
func TestShareFrames(t *testing.T) {
	t.Parallel()
	img, err := images.Resolve(t.Context(), image.Request{Languages: []string{javascript.Name}, With: []string{"pandas", "pyarrow"}}, event.Discard)
	if fault.KindOf(err) == fault.Unavailable {
		t.Skip("the package index cannot be reached")
	}
	if err != nil {
		t.Fatal(err)
	}
	s, err := manager(t).Create(t.Context(), session.Options{Image: img}, event.Discard)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	say(t, s, "python", `
import pandas as pd, praxis, datetime as d, math
from decimal import Decimal
zoned = pd.to_datetime(["2026-03-01 12:00:00.001", None], utc=True)
df = pd.DataFrame({"b": [True, False], "i": [1, 2**53 + 1], "f": [1.5, math.inf], "s": ["é🙂", None], "by": [b"\0\xff", None], "d": [d.date(2026, 3, 1), None], "t": [d.time(12, 0, 1), None],
    "ts": pd.to_datetime(["2026-03-01 12:00:00.001", None]), "tz": zoned, "dec": [Decimal("1.50"), None], "cat": pd.Categorical(["x", "y"])})
praxis.share("arrow", df)
praxis.share("rows", df, arrow=False)
def kept(got):
    assert list(got.columns) == list(df.columns), got.columns
    for name in df.columns:
        a, b = got[name], df[name]
        for x, y in zip(a.tolist(), b.tolist()):
            assert x == y or pd.isna(x) and pd.isna(y), (name, x, y)`)
	fork, err := s.Fork(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer fork.Close()
	for _, s := range []*session.Session{s, fork} {
		for _, name := range []string{"arrow", "rows"} {
			got := say(t, s, "javascript", fmt.Sprintf(`const %[1]s = praxis.shared(%[1]q); praxis.share("from_js", %[1]s); [%[1]s[1].i, %[1]s[0].ts, %[1]s[0].tz, %[1]s[0].by, %[1]s[1].f, %[1]s[1].s].map(v => require("util").inspect(v)).join(" ")`, name))
			if want := "'9007199254740993n 2026-03-01T12:00:00.001Z 2026-03-01T12:00:00.001Z <Buffer 00 ff> Infinity null'"; got != want {
				t.Errorf("%s in JavaScript is %s, want %s", name, got, want)
			}
			say(t, s, "python", `kept(praxis.shared("from_js"))`)
			if got := say(t, s, "sql", "select s, i, d, cat from from_js where i > 2 or s is not null order by cat"); !strings.Contains(got, "9007199254740993") || !strings.Contains(got, "2026-03-01") {
				t.Errorf("SQL reads %s", got)
			}
			if got := say(t, s, "python", "int(_['i'].max()), list(_['cat'])"); got != "(9007199254740993, ['x', 'y'])" {
				t.Errorf("Python has %s of it", got)
			}
		}
	}
}
