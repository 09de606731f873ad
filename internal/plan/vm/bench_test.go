package vm

import "testing"

// benchmarks are the programs whose times are compared with CPython's.
var benchmarks = []struct{ name, src string }{
	{"fib", "def fib(n):\n    return n if n < 2 else fib(n - 1) + fib(n - 2)\nfib(20)\n"},
	{"loop", "def loop(n):\n    s = 0\n    for i in range(n):\n        s += i * 2 - 1\n        if i % 3 == 0:\n            s -= i\n    return s\nloop(100000)\n"},
	{"dicts", "def dicts(n):\n    d = {}\n    for i in range(n):\n        k = i % 1000\n        d[k] = d.get(k, 0) + i\n    return d\ndicts(50000)\n"},
	{"strings", "def strings(n):\n    out = []\n    for i in range(n):\n        out.append(f'item {i}: {i * 2:>8} {i / 3:.2f}')\n    return ''.join(out)\nstrings(10000)\n"},
	{"instances", "class P:\n    def __init__(self, x, y):\n        self.x = x\n        self.y = y\n    def add(self, o):\n        return P(self.x + o.x, self.y + o.y)\np, q = P(0, 0), P(1, 2)\nfor i in range(10000):\n    p = p.add(q)\n"},
	{"generators", "def gen(n):\n    for i in range(n):\n        yield i\ns = 0\nfor x in gen(50000):\n    s += x\n"},
	{"exceptions", "n = 0\nfor i in range(10000):\n    try:\n        raise ValueError(i)\n    except ValueError as e:\n        n += 1\n"},
	{"special methods", "class A:\n    def __init__(self, x): self.x = x\n    def __add__(self, o): return self.x + o\n    def __getitem__(self, i): return i\na = A(1)\nfor i in range(10000):\n    a + i\n    a[i]\n"},
}

func BenchmarkPrograms(b *testing.B) {
	for _, c := range benchmarks {
		b.Run(c.name, func(b *testing.B) {
			p := program(b, c.src, Env{}, Options{})
			for b.Loop() {
				vm, err := New(p, Config{})
				if err != nil {
					b.Fatal(err)
				}
				if out, err := vm.Run(); err != nil || out != (Done{}) {
					b.Fatal(out, err)
				}
			}
		})
	}
}

func BenchmarkStart(b *testing.B) {
	src := "import math\n\ndef area(r):\n    return math.pi * r ** 2\n\nclass Shape:\n    def __init__(self, r):\n        self.r = r\n\n    def area(self):\n        return area(self.r)\n\ntotal = 0\nfor i in range(3):\n    s = Shape(i)\n    total += s.area()\ncounts = {}\nfor w in 'a b c a'.split():\n    counts[w] = counts.get(w, 0) + 1\n"
	for b.Loop() {
		vm, err := New(program(b, src, Env{}, Options{}), Config{})
		if err != nil {
			b.Fatal(err)
		}
		if out, err := vm.Run(); err != nil || out != (Done{}) {
			b.Fatal(out, err)
		}
	}
}
