package subset

import (
	"strconv"
	"strings"
	"testing"

	"praxis/internal/plan/syntax"
)

func TestUnsupported(t *testing.T) {
	cases := []struct{ src, want string }{
		{"async def f():\n    async for x in y:\n        pass", "2:4 async for"},
		{"async def f():\n    async with x:\n        pass", "2:4 async with"},
		{"async def f():\n    return [x async for x in y]", "2:14 an asynchronous comprehension"},
		{"async def f():\n    yield 1", "2:4 an asynchronous generator"},
		{"x = 1 + 2j", "1:8 a complex number"},
		{"from math import *", ""},
		{"def f():\n    from math import *", "2:21 import *"},
		{"from nowhere import *", "1:0 the module nowhere; 1:20 import *"},
		{"import os, math\nfrom numpy.linalg import x", "1:7 the module os; 2:0 the module numpy.linalg"},
		{"import nope as math\nimport _random", "1:7 the module nope; 2:7 the module _random"},
		{"try:\n    import numpy as np\nexcept ImportError:\n    np = None", ""},
		{"import sys\nprint(sys.maxsize, sys.stdin.read())", "2:19 sys.stdin"},
		{"import sys\nsys = x\nprint(sys.stdin)", ""},
		{"from contextlib import suppress, redirect_stdout", "1:33 contextlib.redirect_stdout"},
		{"import pprint, queue\nfrom io import BytesIO", "1:7 the module pprint; 1:15 the module queue; 2:15 io.BytesIO"},
		{"from enum import Enum\nE = Enum('E', 'A B')\nprint(E('A'))", "2:4 making a class with Enum"},
		{"from typing import Mapping as M\nclass A(M): pass\nclass B(Mapping): pass", "2:8 deriving from M"},
		{"import math\ntry:\n    math.nope\nexcept AttributeError:\n    pass", ""},
		{"from collections import abc\nimport collections.abc\nfrom __future__ import annotations", ""},
		{"from . import a", "1:0 a relative import"},
		{"class A(metaclass=M): pass", "1:8 a metaclass"},
		{"class A(*bases): pass", "1:0 a class statement with stars"},
		{"class A(**kw): pass", "1:0 a class statement with stars"},
		{"class A:\n    def __await__(self): yield", "2:4 the method __await__"},
		{"e.__context__", "1:0 the attribute __context__"},
		{"class D:\n    def __get__(self, o, c=None): pass\n    if 1:\n        __set__ = f", "2:4 the method __get__; 3:4 the method __set__"},
		{"class A:\n    def __getattribute__(self, n):\n        return super().__getattribute__(n)", "2:4 the method __getattribute__; 3:15 the attribute __getattribute__"},
		{"class A:\n    def __init_subclass__(cls): pass\n    def __getattr__(self, n): pass\n    def __eq__(self, o): pass", "2:4 the method __init_subclass__"},
		{"dir(x)\nraise ExceptionGroup('g', [])", "1:0 the name dir; 2:6 the name ExceptionGroup"},
		{"class A(metaclass=abc.ABCMeta): pass", ""},
		{"().__class__.__mro__[1].__subclasses__()", "1:0 the attribute __subclasses__; 1:0 the attribute __mro__"},
		{"print(x.__class__.__name__, x.__class__(1), x.__class__ is y.__class__)", ""},
		{"x.__class__ = y", "1:0 the attribute __class__"},
		{"x.__dict__ = {}", "1:0 the attribute __dict__"},
		{"print(x.__dict__, x.__dict__ == y.__dict__, x.__dict__['a'], x.__dict__.items(), f'{x.__dict__}')", ""},
		{"x.__dict__.update(a=1)", "1:0 changing attributes through vars(x) or x.__dict__"},
		{"vars(x)['a'] = 1\ndel x.__dict__['a']", "1:0 changing attributes through vars(x) or x.__dict__; 2:4 changing attributes through vars(x) or x.__dict__"},
		{"d = x.__dict__", "1:4 keeping the attribute __dict__"},
		{"f.__globals__", "1:0 the attribute __globals__"},
		{"f.__code__.co_consts", "1:0 the attribute __code__"},
		{"getattr(x, '__globals__')", "1:0 the attribute __globals__"},
		{"getattr(x, '__name__')", ""},
		{"eval('1')", "1:0 the name eval"},
		{"e = eval", "1:4 the name eval"},
		{"def compile(x):\n    return x\ncompile(1)", ""},
		{"open('f')", "1:0 the name open"},
		{"vars()", "1:0 the name vars"},
		{"vars(x)", ""},
		{"__import__('os')", "1:0 the name __import__"},
		{"__builtins__", "1:0 the name __builtins__"},
		{"type('A', (), {})", "1:0 making a class with type"},
		{"class A:\n    def f(self):\n        super().f(); super(A, self).g()", ""},
		{"class A:\n    def f(self):\n        super().f()\n        return super().g + self.__init__.__doc__", ""},
		{"class A:\n    def f(self):\n        s = super()", "3:12 the name super"},
	}
	for _, c := range cases {
		m, errs := syntax.Parse([]byte(c.src), syntax.Options{})
		if len(errs) > 0 {
			t.Fatalf("%q: %v", c.src, errs[0])
		}
		var got []string
		for _, r := range Unsupported(m) {
			if r.Remedy == "" || !strings.HasSuffix(r.Remedy, ".") || !r.Pos.Before(r.End) {
				t.Errorf("%q: %+v has no remedy or no place", c.src, r)
			}
			got = append(got, strconv.Itoa(int(r.Pos.Line))+":"+strconv.Itoa(int(r.Pos.Col))+" "+r.Feature)
		}
		if text := strings.Join(got, "; "); text != c.want {
			t.Errorf("%q:\n got %s\nwant %s", c.src, text, c.want)
		}
	}
}

// TestHintsOfModules gives the reason of a module's absence; modules that need
// neither files nor the network are there.
func TestHintsOfModules(t *testing.T) {
	for src, want := range map[string]string{"import csv, urllib.parse": "", "import urllib.request": "network", "import sqlite3": "files", "import pandas": "sandbox"} {
		m, _ := syntax.Parse([]byte(src+"\n"), syntax.Options{})
		list := Unsupported(m)
		if want == "" && len(list) > 0 || want != "" && (len(list) != 1 || !strings.Contains(list[0].Remedy, want)) {
			t.Errorf("%s: %+v", src, list)
		}
	}
}
