print(list(enumerate("ab")), list(enumerate(["x"], 5)), list(enumerate("ab", start=-1)), list(enumerate([])), dict(enumerate("ab")), list(enumerate((c for c in "xy"), 10**9)))
for i, (a, b) in enumerate([(1, 2), (3, 4)]):
    print(i, a, b)
e = enumerate("abc")
print(next(e), list(e), next(e, "end"))
---
print(list(zip([1, 2], "ab")), list(zip()), list(zip([1])), list(zip([1, 2, 3], [4])), dict(zip("ab", [1, 2])), list(zip(*[[1, 2], [3, 4]])), list(zip(range(3), (x for x in "abc"), "xyz")))
print(list(zip([1, 2], [3, 4], strict=True)), [a + b for a, b in zip([1, 2], [10, 20])], list(zip([1], [2], strict=False)))
for args in (([1], [1, 2]), ([1, 2], [1]), ([1], [1], [1, 2]), ([], [1]), ([1, 2], [1, 2], [1])):
    try:
        print(list(zip(*args, strict=True)))
    except ValueError as e:
        print(type(e).__name__, "zip()" in str(e))
---
def g(n):
    for i in range(n):
        yield i
for args in ((g(1), g(2)), (g(2), g(1)), (g(1), g(1), g(2))):
    try:
        print(list(zip(*args, strict=True)))
    except ValueError as e:
        print(type(e).__name__, "zip()" in str(e))
print(list(zip(g(3), g(2))), list(zip(g(2), [5, 6, 7])), list(zip([5, 6, 7], g(2))))
it = iter([1, 2, 3, 4])
print(list(zip(it, it)), list(zip(iter("ab"), g(5))))
---
print(list(map(str, [1, 2])), list(map(lambda x: x * 2, [1, 2])), list(map(lambda a, b: a + b, [1, 2], [10, 20, 30])), list(map(int, "123")), list(map(len, ["a", "bb"])), list(map(max, [1, 5], [3, 2])))
print(sum(map(int, "99")), list(map(str.upper, ["a"])), list(map("x".join, [["a", "b"]])), list(map(pow, [2, 3], [3, 2])), max(map(abs, [-5, 3])), ",".join(map(str, range(3))), list(map(lambda *a: a, [1], [2], [3])), list(map({1: "one"}.get, [1, 2])))
m = map(lambda x: x + 1, iter([1, 2, 3]))
print(next(m), list(m), list(m))
---
print(list(filter(None, [0, 1, "", "a", None, []])), list(filter(lambda x: x > 1, [1, 2, 3])), list(filter(str.isdigit, "a1b2")), list(filter(bool, [0, 2])), "".join(filter(str.isalpha, "a-b")), list(filter(lambda x: x, (i for i in [0, 3]))), next(filter(lambda x: x > 5, [1, 9]), None))
for f in (lambda: map(), lambda: map(len), lambda: filter(None), lambda: list(map(len, 5)), lambda: list(filter(None, 5)), lambda: zip(1), lambda: enumerate(5), lambda: list(map(5, [1])), lambda: list(filter(5, [1])), lambda: enumerate(), lambda: list(map(int, ["x"])), lambda: zip([1], foo=2), lambda: reversed(5), lambda: reversed({1}), lambda: iter(5), lambda: iter(5, 6), lambda: next(5), lambda: next([]), lambda: next(iter([]))):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, "" if isinstance(e, TypeError) else e)
---
print(any([0, 1]), any([]), all([1, 0]), all([]), any(x > 2 for x in range(4)), all(x < 2 for x in range(4)), any("a"), all({"": 1}), any({}), all([[1], (2,)]))
seen = []
def note(x):
    seen.append(x)
    return x > 1
print(any(note(x) for x in range(5)), seen, all(not note(x) for x in range(5)), seen, any(map(note, [3])), all(map(note, [])))
for f in (lambda: any(5), lambda: all(), lambda: any([1], [2])):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, "" if isinstance(e, TypeError) else e)
---
print(sorted([3, 1, 2]), sorted("hello"), sorted({"b": 1, "a": 2}), sorted([3, 1], reverse=True), sorted(["bb", "a"], key=len), sorted(x for x in [2, 1]), sorted([(1, "b"), (1, "a"), (0, "z")]), sorted(["B", "a", "C"], key=str.lower), sorted([1, -2, 3], key=abs, reverse=True), sorted([]), sorted([True, 0, 2.5]))
people = [("bob", 30), ("al", 25), ("cy", 30)]
print(sorted(people, key=lambda p: p[1]), sorted(people, key=lambda p: (-p[1], p[0])), sorted(people, key=lambda p: p[1], reverse=True), sorted({3: "a", 1: "b"}.items()), sorted([[2], [1, 5], [1]]))
for f in (lambda: sorted([1, "a"]), lambda: sorted(5), lambda: sorted([1], 2), lambda: sorted([{}, {}]), lambda: sorted(), lambda: sorted([1, 2], key=5), lambda: sorted([None, 1])):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, "" if isinstance(e, TypeError) else e)
---
print(list(reversed([1, 2, 3])), list(reversed("ab")), list(reversed(range(5))), list(reversed((1, 2))), list(reversed({"a": 1, "b": 2})), list(reversed({"a": 1}.items())), list(reversed({"x": 5}.values())), "".join(reversed("abc")))
class R:
    def __reversed__(self):
        yield 1
        yield 2
print(list(reversed(R())), list(reversed(list(reversed([1])))))
---
it = iter([1, 2])
print(next(it), next(it), next(it, "done"), next(it, None))
class C:
    def __init__(self):
        self.n = 0
    def __iter__(self):
        return self
    def __next__(self):
        self.n += 1
        if self.n > 3:
            raise StopIteration
        return self.n
print(list(C()), sum(C()), max(C()), sorted(C(), reverse=True), tuple(C()), set(C()), [*C()], list(map(str, C())), list(zip(C(), "abcd")), any(C()), list(enumerate(C())), dict(zip(C(), C())), min(C(), key=lambda x: -x))
c = C()
print(next(c), next(c), next(c), next(c, "x"))
a, b, d = C()
print(a, b, d, 2 in C(), 9 in C(), list(filter(lambda x: x % 2, C())), ",".join(str(x) for x in C()))
---
vals = [3, 2, 1, 0]
print(list(iter(vals.pop, 0)), vals)
n = 0
def step():
    global n
    n += 1
    return n
print(list(iter(step, 4)), n)
def gen():
    x = yield 1
    print("got", x)
    yield 2
g = gen()
print(next(g), g.send("hi"), next(g, "end"), iter(g) is g)
print(list(iter("ab")), list(iter({"k": 1})), sorted(iter({3, 1})), list(iter(range(2))))
---
print(type(map(str, [])).__name__, type(zip()).__name__, type(enumerate([])).__name__, type(filter(None, [])).__name__, type(reversed("")).__name__)
print(isinstance(map(str, []), map), isinstance(zip(), zip), callable(map), list(map(list, ["ab", "c"])), list(map(tuple, [[1], [2]])), list(map(set, ["aa"])), list(map(dict, [[("a", 1)]])))
z = zip([1, 2], [3, 4])
print(next(z), next(z), next(z, "end"), list(z))
print([x for x in map(lambda x: x, [1, 2]) if x > 1], {k: v for k, v in zip("ab", range(2))}, list(map(lambda t: t[0], zip([1], [2]))), list(zip(map(str, [1]), filter(None, [2]), enumerate("z"))))
---
print(*map(str, range(3)), sep="-")
print(list(zip("abc", reversed("abc"))), list(enumerate(reversed([1, 2]))), list(map(lambda p: p[0] * p[1], enumerate([5, 6]))), sum(1 for _ in zip(range(10), range(5))))
matrix = [[1, 2, 3], [4, 5, 6]]
print(list(map(list, zip(*matrix))), [sum(r) for r in zip(*matrix)], list(map(sum, matrix)), max(map(max, matrix)), [list(r) for r in reversed(matrix)])
def chunks(s, n):
    return list(zip(*[iter(s)] * n))
print(chunks("abcdef", 2), next(zip("ab", "cd")))
---
its = [iter("abc"), iter("d"), iter("")]
print(list(map(next, its)), list(map(next, its)), list(map(next, [])))
def turns(*sequences):
    waiting = [iter(s) for s in sequences]
    while waiting:
        for x in map(next, waiting):
            yield x
        waiting.pop()
print(list(turns("ab", "cde")))
---
def stops(x):
    if x > 1:
        raise StopIteration(x)
    return x
print(list(map(stops, [1, 2, 3])), [x for x in filter(stops, [1, 2, 3])], next(map(stops, [5]), "none"), sum(map(stops, [1, 1, 2])))
print(list(map(next, [iter([1, 2]), iter([]), iter([3])])), [*map(lambda a, b: stops(a) + b, [1, 2], [3, 4])])
i = iter([1, 2, 3])
print(list(iter(lambda: next(i), 9)))
---
for f in (lambda: max(nope=1), lambda: min(), lambda: max(1, 2, nope=1)):
    try:
        f()
    except Exception as e:
        print(type(e).__name__, "" if isinstance(e, TypeError) else e)
