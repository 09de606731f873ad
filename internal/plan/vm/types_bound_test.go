package vm

import (
	"strings"
	"testing"

	"praxis/internal/plan/value"
	"praxis/internal/test/cpython"
)

// hugeCases would take more time or memory than there is. Each must end soon:
// with the exception that CPython raises, or with a limit ("fault").
var hugeCases = []struct{ source, want string }{
	{"10 ** 10 ** 9", "fault"},
	{"10 ** 10 ** 100", "fault"},
	{"x = 3\nwhile True:\n    x = x * x", "fault"},
	{"x = 2\nwhile True:\n    x = x ** 2", "fault"},
	{"1 << 10 ** 12", "fault"},
	{"1 << 10 ** 30", "OverflowError"},
	{"x = 1 << 60000000\nfor i in range(10 ** 9):\n    x * x", "fault"},
	{"x = 1 << 60000000\nfor i in range(10 ** 9):\n    x // 12345678901234567890123 % 7", "fault"},
	{"x = 7 ** 400000\nfor i in range(10 ** 9):\n    x % (x - 5) // (x >> 300000)", "fault"},
	{"pow(3, 1 << 300000, (1 << 300000) + 1)", "fault"},
	{"str(10 ** 100000)", "ValueError"},
	{"int('9' * 10 ** 7)", "ValueError"},
	{"int('f' * 10 ** 9, 16)", "fault"},
	{"x = int('1' * 10 ** 7, 2)\nfor i in range(10 ** 9):\n    hex(x)", "fault"},
	{"'x' * 10 ** 12", "fault"},
	{"'x' * 10 ** 30", "OverflowError"},
	{"'xy' * (2 ** 63 - 1)", "MemoryError"},
	{"[0] * 10 ** 10", "fault"},
	{"[0] * 10 ** 18", "fault"},
	{"(1, 2) * (2 ** 62)", "MemoryError"},
	{"b'x' * 10 ** 12", "fault"},
	{"list(range(10 ** 12))", "fault"},
	{"tuple(range(10 ** 12))", "fault"},
	{"set(range(10 ** 12))", "fault"},
	{"sum(range(10 ** 12))", "fault"},
	{"sorted(range(10 ** 12))", "fault"},
	{"10 ** 12 in iter(range(10 ** 13))", "fault"},
	{"list(range(10 ** 30))", "OverflowError|fault"},
	{"'a'.ljust(10 ** 12)", "fault"},
	{"'a'.center(10 ** 30)", "OverflowError"},
	{"'a'.zfill(10 ** 12)", "fault"},
	{"'\\t'.expandtabs(2 ** 31 - 1)", "fault"},
	{"('\\t' * 100000).expandtabs(100000)", "fault"},
	{"format('a', '>10000000000')", "fault"},
	{"format(1.5, '.2000000000f')", "fault|ValueError"},
	{"'%10000000000d' % 5", "fault|ValueError"},
	{"'%.2000000000f' % 1.5", "fault|ValueError"},
	{"f'{5:>{10 ** 11}}'", "fault|ValueError"},
	{"'{:{}}'.format('a', 10 ** 11)", "fault|ValueError"},
	{"s = 'a' * 10 ** 6\ns.replace('a', s)", "fault"},
	{"s = 'a' * 10 ** 6\ns.replace('', s)", "fault"},
	{"s = 'a' * 10 ** 7\ns.join([s] * 10 ** 4)", "fault"},
	{"s = 'a' * 10 ** 6\n','.join([s] * 10 ** 6)", "fault"},
	{"s = ''\nwhile True:\n    s += 'x' * 1000", "fault"},
	{"s = ''\nwhile True:\n    s = 'x' * 1000 + s", "fault"},
	{"s = 'x'\nwhile True:\n    s = s + s", "fault"},
	{"l = [0]\nwhile True:\n    l += l", "fault"},
	{"l = [0]\nwhile True:\n    l.extend(l)", "fault"},
	{"l = [0]\nfor x in l:\n    l.append(x)", "fault"},
	{"l = list(range(10 ** 5))\nwhile True:\n    l.insert(0, 1)\n    l.pop(0)", "fault"},
	{"l = list(range(10 ** 5))\nwhile True:\n    -1 in l", "fault"},
	{"l = list(range(10 ** 5))\nwhile True:\n    l.sort()", "fault"},
	{"l = list(range(10 ** 5))\nwhile True:\n    l == list(l)", "fault"},
	{"s = 'a' * 10 ** 6\nwhile True:\n    'b' in s", "fault"},
	{"s = 'a' * 10 ** 6\nwhile True:\n    s.count('aab')", "fault"},
	{"s = 'a' * 10 ** 6\nwhile True:\n    s.upper()", "fault"},
	{"s = 'a ' * 10 ** 6\nwhile True:\n    s.split()", "fault"},
	{"s = 'é' * 10 ** 6\nwhile True:\n    s.find('x')\n    s[500000]\n    s[1:-1]\n    len(s)", "fault"},
	{"s = 'a' * 10 ** 6\nt = s + 'b'\nwhile True:\n    s < t", "fault"},
	{"s = 'a' * 10 ** 6\nwhile True:\n    hash(s + 'b')", "fault"},
	{"d = {}\ni = 0\nwhile True:\n    d[i] = i\n    i += 1", "fault"},
	{"s = set()\ni = 0\nwhile True:\n    s.add(i)\n    i += 1", "fault"},
	{"d = {i: i for i in range(10 ** 5)}\nwhile True:\n    d.copy()\n    d == dict(d)", "fault"},
	{"s = set(range(10 ** 5))\nwhile True:\n    s | s\n    s & s\n    s - s", "fault"},
	{"l = []\nfor i in range(60):\n    l = [l, l]\nrepr(l)", "fault"},
	{"l = []\nfor i in range(60):\n    l = [l, l]\nm = []\nfor i in range(60):\n    m = [m, m]\nl == m", "fault"},
	{"t = ()\nfor i in range(60):\n    t = (t, t)\nhash(t)", "fault"},
	{"l = []\nfor i in range(10 ** 5):\n    l = [l]\nrepr(l)", "RecursionError"},
	{"l = []\nfor i in range(10 ** 5):\n    l = [l]\nm = []\nfor i in range(10 ** 5):\n    m = [m]\nl == m", "RecursionError"},
	{"t = ()\nfor i in range(10 ** 5):\n    t = (t,)\nhash(t)", "RecursionError"},
	{"a = []\nb = []\na.append(b)\nb.append(a)\na == b", "RecursionError"},
	{"class C:\n    def __repr__(self):\n        return repr(self)\nrepr(C())", "RecursionError"},
	{"class C:\n    def __eq__(self, o):\n        return self == o\nC() == 1", "RecursionError"},
	{"class C:\n    def __getattr__(self, n):\n        return getattr(self, n + 'x')\nC().y", "RecursionError|fault"},
	{"class C:\n    def __hash__(self):\n        return 1\nd = {C(): i for i in range(10 ** 5)}", "fault"},
	{"d = {}\nfor i in range(10 ** 5):\n    d[i * (2 ** 61 - 1)] = i", "fault"},
	{"s = set()\nfor i in range(10 ** 5):\n    s.add(i * (2 ** 61 - 1))", "fault"},
	{"x = int | str\nfor i in range(60):\n    x = x | x", "fault"},
	{"t = ()\nfor i in range(60):\n    t = (t, t)\n{t: 1}", "fault"},
	{"bytes(10 ** 12)", "fault"},
	{"(5).to_bytes(10 ** 12)", "fault"},
	{"(5).to_bytes(2 ** 62)", "fault|MemoryError|OverflowError"},
	{"int.from_bytes(bytes(10 ** 6) * 10 ** 6)", "fault"},
	{"round(5, -(10 ** 18))", ""},
	{"round(12345, -(10 ** 30))", "OverflowError"},
	{"'abc'.translate({97: 'x' * 10 ** 6} ) * 10 ** 6", "fault"},
	{"[1, 2, 3][::10 ** 30]", ""},
	{"'abc'[-10 ** 30:10 ** 30]", ""},
	{"x = 1.5\nfor i in range(10 ** 9):\n    x * x", "fault"},
}

// TestHuge runs them with small limits: what is not bounded by them never ends.
func TestHuge(t *testing.T) {
	t.Parallel()
	for _, c := range hugeCases {
		vm := newVM(t, c.source, Env{}, Options{}, Config{Limits: value.Limits{Steps: 1_500_000, Memory: 64 << 20}})
		out, err := vm.Run()
		got := ended(vm, out, err).Error
		ok := c.want == "" && got == ""
		for _, w := range strings.Split(c.want, "|") {
			ok = ok || w != "" && strings.HasPrefix(got, w)
		}
		if !ok {
			t.Errorf("%s\n ended with %.200q, want %s", c.source, got, c.want)
		}
	}
}

// TestHashesAreCPythons compares the hashes of numbers and what holds them with CPython's.
func TestHashesAreCPythons(t *testing.T) {
	py := cpython.Start(t)
	for _, expr := range []string{
		"0", "1", "-1", "2**61-1", "-(2**61)", "10**50", "-10**50", "1.5", "-0.0", "1e308", "5e-324", "float('inf')", "float('-inf')",
		"()", "(1,)", "(1, 3, (2.5, None))", "frozenset()", "frozenset(range(20))", "frozenset([8, (1, 2)])",
		"None", "True",
	} {
		source := "print(hash(" + expr + "))"
		want := py.Exec(t, source)
		if got := runPlan(source, false); got.Out != want.Out || got.Error != want.Error {
			t.Errorf("hash(%s) = %s%s, want %s%s", expr, got.Out, got.Error, want.Out, want.Error)
		}
	}
}
