package python

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"praxis/fault"
	"praxis/internal/tool/jsondoc"
	"praxis/internal/tool/toolfile"
)

// defined derives the function f and makes sure that the result is a definition.
func defined(t testing.TB, src string) *jsondoc.Object {
	t.Helper()
	doc, err := derive("x.py", "f", []byte(src))
	if err != nil {
		t.Fatalf("%s: %v", src, err)
	}
	full := clone(doc)
	for _, m := range []jsondoc.Member{{Name: "name", Value: "x.f"}, {Name: "version", Value: "1.0.0"}, {Name: "effects", Value: "pure"}} {
		full.Set(m.Name, m.Value)
	}
	if _, err := toolfile.Define("x", full); err != nil {
		t.Errorf("%s: no definition: %v", src, err)
	}
	return doc
}

func text(t testing.TB, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestHints checks the schema of one argument.
func TestHints(t *testing.T) {
	const head = `
import typing, datetime as dt, enum, dataclasses, collections.abc as abc
import typing as t
from typing import *
from typing import Optional as Opt
from datetime import date
from decimal import Decimal
from uuid import UUID
from enum import Enum
from dataclasses import dataclass
class Color(Enum):
    RED = "red"
    BLUE = "blue"
    ROT = RED
class Level(enum.IntEnum):
    LOW = enum.auto()
    HIGH = enum.auto()
class Word(enum.StrEnum):
    ONE = enum.auto()
    TWO = "zwei"
IDS = list[int]
type Rec = dict[str, float]
UserId = NewType("UserId", str)
LIMIT = 5
class Other: pass
`
	for _, c := range []struct{ hint, want string }{
		{"x", `{}`}, {"x: str", `{"type":"string"}`}, {"x: int", `{"type":"integer"}`}, {"x: float", `{"type":"number"}`}, {"x: bool", `{"type":"boolean"}`}, {"x: None", `{"type":"null"}`}, {"x: typing.Any", `{}`}, {"x: object", `{}`},
		{"x: list", `{"type":"array"}`}, {"x: list[int]", `{"type":"array","items":{"type":"integer"}}`}, {"x: 'list[\"int\"]'", `{"type":"array","items":{"type":"integer"}}`}, {"x: t.List[t.Any]", `{"type":"array"}`}, {"x: abc.Sequence[str]", `{"type":"array","items":{"type":"string"}}`},
		{"x: dict", `{"type":"object"}`}, {"x: dict[str, int]", `{"type":"object","additionalProperties":{"type":"integer"}}`}, {"x: dict[str, typing.Any]", `{"type":"object"}`},
		{"x: tuple[int, str]", `{"type":"array","prefixItems":[{"type":"integer"},{"type":"string"}],"minItems":2,"maxItems":2}`}, {"x: tuple[int, ...]", `{"type":"array","items":{"type":"integer"}}`}, {"x: tuple[()]", `{"type":"array","minItems":0,"maxItems":0}`},
		{"x: set[str]", `{"type":"array","items":{"type":"string"},"uniqueItems":true}`},
		{"x: Opt[int]", `{"type":["integer","null"]}`}, {"x: t.Optional[Color]", `{"anyOf":[{"enum":["red","blue"]},{"type":"null"}]}`}, {"x: int | str | None", `{"type":["integer","string","null"]}`}, {"x: t.Union[int, list[str]]", `{"anyOf":[{"type":"array","items":{"type":"string"}},{"type":"integer"}]}`}, {"x: t.Any | None", `{}`}, {"x: t.Union[int]", `{"type":"integer"}`},
		{"x: t.Literal['a', 1, None, True, 'a', -2]", `{"enum":["a",1,null,true,-2]}`}, {"x: t.Literal[Color.RED]", `{"enum":["red"]}`},
		{"x: t.Annotated[int, 'how many', 7]", `{"type":"integer","description":"how many"}`}, {"x: t.Annotated[int, Field(description='n', ge=1)]", `{"type":"integer","description":"n"}`}, {"x: t.Annotated[int, Doc('d')]", `{"type":"integer","description":"d"}`}, {"x: t.Annotated[int, 'n'] | None", `{"type":["integer","null"],"description":"n"}`},
		{"x: date", `{"type":"string","format":"date"}`}, {"x: UUID", `{"type":"string","format":"uuid"}`}, {"x: Decimal", `{"type":"string","description":"A decimal number."}`}, {"x: bytes", `{"type":"string","contentEncoding":"base64"}`},
		{"x: Color", `{"enum":["red","blue"]}`}, {"x: Level", `{"enum":[1,2]}`}, {"x: Word", `{"enum":["one","zwei"]}`}, {"x: IDS", `{"type":"array","items":{"type":"integer"}}`}, {"x: Rec", `{"type":"object","additionalProperties":{"type":"number"}}`}, {"x: UserId", `{"type":"string"}`}, {"x: Other", `{}`}, {"x: np.ndarray", `{}`}, {"x: LIMIT", `{}`}, {"x: lambda: 1", `{}`},
		{"x: int = 3", `{"type":"integer","default":3}`}, {"x: int = -3", `{"type":"integer","default":-3}`}, {"x: int = LIMIT", `{"type":"integer","default":5}`}, {"x: int = None", `{"type":["integer","null"],"default":null}`}, {"x = 'a'", `{"default":"a"}`}, {"x: int = 'a'", `{"type":"integer"}`}, {"x: date = dt.date.today()", `{"type":"string","format":"date"}`},
		{"x: Color = Color.BLUE", `{"enum":["red","blue"],"default":"blue"}`}, {"x: tuple[int, int] = (1, 2)", `{"type":"array","prefixItems":[{"type":"integer"},{"type":"integer"}],"minItems":2,"maxItems":2,"default":[1,2]}`}, {"x: dict = {'a': [1.5]}", `{"type":"object","default":{"a":[1.5]}}`}, {"x: float = float('inf')", `{"type":"number"}`}, {"x: float = 1e999", `{"type":"number"}`}, {"x: int = 10**9", `{"type":"integer"}`},
		{"x: t.Final[int]", `{"type":"integer"}`}, {"x: Color | None = None", `{"anyOf":[{"enum":["red","blue"]},{"type":"null"}],"default":null}`},
	} {
		doc := defined(t, head+"def f("+c.hint+"): pass")
		input, _ := doc.Get("input")
		properties, _ := input.(*jsondoc.Object).Get("properties")
		got, _ := properties.(*jsondoc.Object).Get("x")
		if text(t, got) != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.hint, text(t, got), c.want)
		}
	}
}

func TestClasses(t *testing.T) {
	doc := defined(t, `
from __future__ import annotations
from typing import TypedDict, NotRequired, Required, NamedTuple, ClassVar
import dataclasses
@dataclasses.dataclass(frozen=True)
class Node:
    """A node.

    Attributes:
        name: What it is called.
    """
    name: str
    kids: list[Node] = dataclasses.field(default_factory=list)
    up: "Node | None" = None
    count: ClassVar[int] = 0
class Base(TypedDict):
    a: int
class More(Base, total=False):
    b: NotRequired[int]
    c: Required[str]
    d: float
class Pair(NamedTuple):
    x: int
    y: int = 2
class Ärger(TypedDict):
    z: int
async def f(n: Node, /, m: More, *, p: Pair, q: Ärger) -> list[Node]: ...
`)
	want := `{"input":{"type":"object","properties":{"n":{"$ref":"#/$defs/Node"},"m":{"$ref":"#/$defs/More"},"p":{"$ref":"#/$defs/Pair"},"q":{"$ref":"#/$defs/%C3%84rger"}},"required":["n","m","p","q"],"additionalProperties":false,` +
		`"$defs":{"Node":{"type":"object","properties":{"name":{"type":"string","description":"What it is called."},"kids":{"type":"array","items":{"$ref":"#/$defs/Node"}},"up":{"anyOf":[{"$ref":"#/$defs/Node"},{"type":"null"}],"default":null}},"required":["name"],"additionalProperties":false,"description":"A node."},` +
		`"More":{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"},"c":{"type":"string"},"d":{"type":"number"}},"required":["a","c"],"additionalProperties":false},` +
		`"Pair":{"type":"object","properties":{"x":{"type":"integer"},"y":{"type":"integer","default":2}},"required":["x"],"additionalProperties":false},` +
		`"Ärger":{"type":"object","properties":{"z":{"type":"integer"}},"required":["z"],"additionalProperties":false}}},` +
		`"output":{"type":"array","items":{"$ref":"#/$defs/Node"},"$defs":{"Node":`
	if got := text(t, doc); !strings.HasPrefix(got, want) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestDocstrings(t *testing.T) {
	for _, c := range []struct{ doc, want string }{
		{"", `{"text":"","args":{},"returns":""}`},
		{"One line.", `{"text":"One line.","args":{},"returns":""}`},
		{"First.\n\n    More: of it.\n\n    Args:\n        a: An a.\n        b (int, optional): A b\n            that goes on: here.\n        *c: no\n\n    Returns:\n        dict[str, int]: What it is.\n\n    Raises:\n        ValueError: x\n", `{"text":"First.\n\nMore: of it.","args":{"a":"An a.","b":"A b that goes on: here.","c":"no"},"returns":"What it is."}`},
		{"First.\n\n    Parameters\n    ----------\n    a : int\n        An a.\n    b, c : {'x', 'y'}, optional\n        Both.\n\n        Twice.\n    d\n        A d.\n\n    Returns\n    -------\n    list of int\n        The result.\n\n    Notes\n    -----\n    a : not this\n", `{"text":"First.","args":{"a":"An a.","b":"Both. Twice.","c":"Both. Twice.","d":"A d."},"returns":"The result."}`},
		{"First.\n\n:param a: An a\n    that goes on\n:param int b: A b\n:type b: int\n:returns: The result\n:rtype: int\n:raises ValueError: x", `{"text":"First.","args":{"a":"An a that goes on","b":"A b"},"returns":"The result"}`},
		{"Returns: nothing\nof that kind.", `{"text":"Returns: nothing\nof that kind.","args":{},"returns":""}`},
		{"X.\n\nReturns:\n    The number of: things.", `{"text":"X.","args":{},"returns":"The number of: things."}`},
		{"X.\n\tArgs:\n\t\ta: tab\n", `{"text":"X.","args":{"a":"tab"},"returns":""}`},
		{"Args:\n", `{"text":"","args":{},"returns":""}`},
		{":param", `{"text":":param","args":{},"returns":""}`},
		{":param:", `{"text":"","args":{},"returns":""}`},
	} {
		w := readDocstring(c.doc)
		got := text(t, struct {
			Text    string            `json:"text"`
			Args    map[string]string `json:"args"`
			Returns string            `json:"returns"`
		}{w.text, w.arguments, w.returns})
		if got != c.want {
			t.Errorf("%q:\n got %s\nwant %s", c.doc, got, c.want)
		}
	}
}

func TestDeriveWhole(t *testing.T) {
	doc := defined(t, `"""module"""
try:
    import x
except ImportError:
    def g(): pass
if True:
    def f(a: int, b: str = "x") -> str:
        """Does it.

        Args:
            a: The a.

        Returns:
            str: The text.
        """
`)
	want := `{"description":"Does it.","input":{"type":"object","properties":{"a":{"type":"integer","description":"The a."},"b":{"type":"string","default":"x"}},"required":["a"],"additionalProperties":false},"output":{"type":"string","description":"The text."}}`
	if got := text(t, doc); got != want {
		t.Errorf("got %s", got)
	}
}

func TestNoFunction(t *testing.T) {
	for src, words := range map[string]string{
		"def g(): pass\ndef _h(): pass": "The file has: g.",
		"":                              "no function",
		"def f(:":                       "line 1",
		"class A:\n  def f(self): pass": "no function",
		"def f(*a): pass":               "*a have no names",
		"def f(**k): pass":              "*k have no names",
	} {
		_, err := derive("x.py", "f", []byte(src))
		if fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error()+fault.RemedyOf(err), words) {
			t.Errorf("%q: got %v (%s), want %q", src, err, fault.RemedyOf(err), words)
		}
	}
}

// TestBeyondPlans reads files of tools that use what plans leave out: Python itself runs them.
func TestBeyondPlans(t *testing.T) {
	for _, src := range []string{
		"def f[T: (int, str) = int](a: list[int]) -> str: ...",
		"class A[*Ts, **P](B): pass\ntype Pair[T] = tuple[T, T]\ndef f(a: list[int]): pass",
		"type Ints = list[int]\ndef f(a: Ints): pass",
		"try:\n    pass\nexcept* ValueError as e:\n    pass\ndef f(a: list[int]): pass",
		"x = t'{a!r:>{w}}' t\"{b}\"\ndef f(a: list[int]): return tr'{a}\\N{x}'",
		"x = '\\N{EM DASH}' f'\\N{EM DASH}{a}'; b'\\N{a}'\ndef f(a: list[int]): pass",
		"async def f(a: list[int]):\n    async with a as b:\n        async for c in b:\n            yield 2j",
	} {
		doc, err := derive("x.py", "f", []byte(src))
		if err != nil {
			t.Errorf("%s\n%v", src, err)
			continue
		}
		if text, err := doc.MarshalJSON(); err != nil || !strings.Contains(string(text), `"a":{"type":"array","items":{"type":"integer"}}`) {
			t.Errorf("%s\n got %s %v", src, text, err)
		}
	}
}

// FuzzDerive checks that every program that is one gives a definition, or is refused.
func FuzzDerive(f *testing.F) {
	for _, name := range []string{"valid.txt", "broken.txt"} {
		data, err := os.ReadFile(filepath.Join("..", "..", "..", "plan", "syntax", "testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		parts := strings.Split(string(data), "\n---\n")
		for _, part := range parts[:min(len(parts), 400)] {
			f.Add(part)
		}
	}
	for _, s := range []string{
		"def f(a: 'list[\"list[int]\"]' = [[1]]) -> 'f': 'x'", "A = B\nB = A\ndef f(x: A = A): ...", "class A(A): pass\ndef f(x: A): pass", "class A(B, enum.Enum): x=1\nclass B(A): pass\ndef f(x: B): pass",
		"from typing import *\nclass A(TypedDict):\n a: 'A'\ndef f(x: A = {'a': {}}) -> A: pass", "type A = list[A]\ndef f(x: A): pass", "from enum import *\nclass E(Enum): a = {}; b = []\ndef f(x: E): pass",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		if _, err := derive("x.py", "f", []byte(src)); err != nil {
			if fault.KindOf(err) != fault.Invalid {
				t.Fatal(err)
			}
			return
		}
		defined(t, src)
	})
}

// FuzzDocstring checks that any text is read, and the names are those of arguments.
func FuzzDocstring(f *testing.F) {
	for _, s := range []string{":param *:000", "Args:\n a: b", ":param x: y\n z", "Parameters\n---\na : b\n  c", "Returns:\n\n\n", ":::", "Args:\nReturns:\nArgs:"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		w := readDocstring(s)
		for name, text := range w.arguments {
			if name == "" || text == "" || strings.ContainsAny(name, " \n") {
				t.Errorf("%q: %q: %q", s, name, text)
			}
		}
	})
}

// derive reads a module and makes the definition of a function in it.
func derive(file, name string, src []byte) (*jsondoc.Object, error) {
	d, err := module(file, src)
	if err != nil {
		return nil, err
	}
	f, err := d.find(file, name)
	if err != nil {
		return nil, err
	}
	return d.define(f), nil
}
