def kind(f):
    try:
        print(repr(f()))
    except Exception as x:
        print(type(x).__name__)

def e(f):
    try:
        print(repr(f()))
    except Exception as x:
        print(type(x).__name__ + ": " + str(x))

# classes that derive from built-in ones
class L(list):
    def total(self):
        return sum(self)
l = L([3, 1, 2])
print(l, len(l), l[0], l.total(), isinstance(l, list), type(l).__name__)
l.append(5)
l.sort()
print(l, l == [1, 2, 3, 5], [1, 2, 3, 5] == l, l + [1], type(l + [1]).__name__, l * 2)
print(l[1:], type(l[1:]).__name__, 3 in l, list(l), tuple(l), sorted(l, reverse=True))
l += [9]
print(l, type(l).__name__)
l[0] = 'x'
del l[1]
print(l, repr(l), str(l), f"{l}", bool(L()), L() == [])
for x in l:
    print(x)
e(lambda: hash(l))
e(lambda: l['a'])
kind(lambda: l + 5)
e(lambda: L(5))
print(L('ab'), L(), [*l], l.index('x'), l.count(9), l.copy(), type(l.copy()).__name__)

class D(dict):
    def __missing__(self, key):
        return key * 2
d = D(a=1)
print(d['a'], d['zz'], d.get('zz'), 'zz' in d, d, len(d), type(d).__name__, dict(d) == d)
d['b'] = 2
d.update(c=3)
print(d, list(d), list(d.items()), d.keys(), d | {'z': 1}, type(d | {}).__name__)
print({**d}, '%(a)s %(q)s' % d, '{a} {b}'.format(**d))
e(lambda: d.pop('nope'))
kind(lambda: d[[]])
e(lambda: hash(d))

class S(str):
    def shout(self):
        return self.upper() + '!'
s = S('abc')
print(s, s.shout(), len(s), s + 'd', type(s + 'd').__name__, s == 'abc', hash(s) == hash('abc'), {s: 1}['abc'])
print(repr(s), s[0], s[::-1], 'b' in s, s in ['abc'], ','.join([s, 'x']), f"{s:>5}", '%s' % s, s.split('b'), 'abc' < s, s < 'abd')
print(type(str(s)).__name__, str(s), s.replace('z', 'y'), type(s.replace('z', 'y')).__name__, {'abc': 5}[s], 'xabcx'.find(s))
e(lambda: S())
e(lambda: S(5))
kind(lambda: s + 1)
e(lambda: s[9])

class I(int):
    def __add__(self, other):
        return I(int(self) + int(other) + 1000)
    def double(self):
        return I(self * 2)
i = I(5)
print(i, i + 1, type(i + 1).__name__, 1 + i, i * 2, type(i * 2).__name__, i.double(), -i, abs(i), i == 5, i < 6, hash(i))
print([10, 20, 30, 40, 50, 60][i], 'a' * i, range(i), f"{i:03d}", '%d' % i, int(i), float(i), i.bit_length(), {5: 'five'}[i], i & 4, i / 2, i ** 2)
e(lambda: I('x'))
e(lambda: i + 'x')
e(lambda: i['a'])

class F(float):
    pass
f = F(1.5)
print(f, f + 1, f == 1.5, type(f * 2).__name__, f"{f:.2f}", round(f), f.is_integer(), int(f), '%f' % f)

class T(tuple):
    def __new__(cls, a, b):
        return super().__new__(cls, (a, b))
t = T(1, 2)
print(t, t[0], len(t), t == (1, 2), hash(t) == hash((1, 2)), t + (3,), type(t + ()).__name__, {(1, 2): 'x'}[t], *t)
a, b = t
print(a, b, isinstance(t, tuple), '%s-%s' % t)

class St(set):
    pass
st = St([1, 2, 2])
print(st, len(st), 1 in st, st | {3}, type(st | {3}).__name__, st == {1, 2}, sorted(st))
st.add(7)
print(sorted(st), St(), repr(St([1])))
class Fs(frozenset):
    pass
print(Fs([1]), hash(Fs([1])) == hash(frozenset([1])), {Fs([1]): 1})

class B(bytes):
    pass
print(B(b'ab'), B(b'ab')[0], B(b'ab') == b'ab', len(B(b'ab')))
---
def e(f):
    try:
        print(repr(f()))
    except Exception as x:
        print(type(x).__name__ + ": " + str(x))

# operators that classes define
class V:
    def __init__(self, x, y):
        self.x, self.y = x, y
    def __repr__(self):
        return f"V({self.x}, {self.y})"
    def __add__(self, o):
        if not isinstance(o, V):
            return NotImplemented
        return V(self.x + o.x, self.y + o.y)
    def __radd__(self, o):
        return V(self.x + o, self.y + o)
    def __sub__(self, o): return V(self.x - o.x, self.y - o.y)
    def __mul__(self, k): return V(self.x * k, self.y * k)
    def __rmul__(self, k): return ('r', self * k)
    def __truediv__(self, k): return V(self.x / k, self.y / k)
    def __floordiv__(self, k): return V(self.x // k, self.y // k)
    def __mod__(self, k): return V(self.x % k, self.y % k)
    def __pow__(self, k): return V(self.x ** k, self.y ** k)
    def __matmul__(self, o): return self.x * o.x + self.y * o.y
    def __lshift__(self, k): return V(self.x << k, self.y << k)
    def __rshift__(self, k): return V(self.x >> k, self.y >> k)
    def __and__(self, o): return 'and'
    def __or__(self, o): return 'or'
    def __xor__(self, o): return 'xor'
    def __neg__(self): return V(-self.x, -self.y)
    def __pos__(self): return self
    def __invert__(self): return V(~self.x, ~self.y)
    def __abs__(self): return (self.x ** 2 + self.y ** 2) ** 0.5
    def __eq__(self, o): return isinstance(o, V) and (self.x, self.y) == (o.x, o.y)
    def __lt__(self, o): return (self.x, self.y) < (o.x, o.y)
    def __le__(self, o): return (self.x, self.y) <= (o.x, o.y)
    def __bool__(self): return bool(self.x or self.y)
    def __len__(self): return 2
    def __getitem__(self, i): return (self.x, self.y)[i]
    def __contains__(self, v): return v in (self.x, self.y)
    def __iter__(self): return iter((self.x, self.y))
    def __hash__(self): return hash((self.x, self.y))
    def __int__(self): return self.x
    def __float__(self): return float(self.x)
    def __index__(self): return self.x
    def __round__(self, n=None): return ('round', n)
    def __divmod__(self, o): return ('divmod', o)
    def __format__(self, spec): return f"<{spec}>"
    def __call__(self, *a, **k): return (a, k)
v, w = V(1, 2), V(3, 4)
print(v + w, v - w, v * 2, 2 * v, v / 2, w // 2, w % 2, w ** 2, v @ w, v << 1, v >> 1, v & w, v | w, v ^ w)
print(-v, +v, ~v, abs(w), v == w, v == V(1, 2), v != w, v < w, v > w, v <= w, v >= w, bool(v), bool(V(0, 0)))
print(len(v), v[0], v[-1], 2 in v, 5 in v, list(v), [*v], {v: 1}[V(1, 2)], int(v), float(v), [9, 8, 7][v], hash(v) == hash((1, 2)))
print(round(v), round(v, 2), divmod(v, 3), f"{v:abc}", format(v), str(v), v(1, k=2), sum([v, w], V(0, 0)), max(v, w), sorted([w, v]))
print(5 + v, [1, 2, 3][:V(2, 0)], 'ab' * V(2, 0), range(V(3, 0)))
x = v
x += w
print(x, v)
e(lambda: v + 'a')
e(lambda: v + None)
e(lambda: v - 5)
e(lambda: v[5])
e(lambda: v < 5)
e(lambda: 'a' @ v)
a, b = w
print(a, b)
first, *rest = V(5, 6)
print(first, rest)
---
def kind(f):
    try:
        print(repr(f()))
    except Exception as x:
        print(type(x).__name__)

def e(f):
    try:
        print(repr(f()))
    except Exception as x:
        print(type(x).__name__ + ": " + str(x))

# what classes do not define
class N: pass
n, m = N(), N()
e(lambda: n + m)
e(lambda: n + 1)
e(lambda: 1 + n)
e(lambda: 'a' + n)
e(lambda: [1] + n)
e(lambda: -n)
e(lambda: ~n)
e(lambda: n < m)
e(lambda: n == m)
e(lambda: n == n)
e(lambda: n != m)
e(lambda: n[0])
e(lambda: len(n))
e(lambda: iter(n))
e(lambda: 1 in n)
e(lambda: n())
e(lambda: int(n))
kind(lambda: float(n))
e(lambda: [1][n])
kind(lambda: 'a' * n)
e(lambda: range(n))
e(lambda: abs(n))
e(lambda: round(n))
e(lambda: divmod(n, 1))
e(lambda: format(n, 'x'))
kind(lambda: '%d' % n)
e(lambda: '%f' % n)
e(lambda: bool(n))
e(lambda: {n: 1}[n])
e(lambda: {n: 1}[m] if m in {n: 1} else 'no')
e(lambda: next(n))
e(lambda: reversed(n))
e(lambda: sum([n]))
e(lambda: ''.join([n]))
e(lambda: sorted([n, m]))
e(lambda: dict([n]))
e(lambda: dict(n))
e(lambda: list(n))
def setit(): n[0] = 1
def delit(): del n[0]
def inpl():
    x = n
    x += 1
e(setit)
kind(delit)
e(inpl)
e(lambda: n.foo)
def delattr_(): del n.foo
e(delattr_)
e(lambda: N(1))
e(lambda: N.foo)

class BadEq:
    def __eq__(self, o): return True
e(lambda: hash(BadEq()))
kind(lambda: {BadEq()})
e(lambda: BadEq() == 5)
e(lambda: 5 == BadEq())
e(lambda: BadEq() in [1])
e(lambda: 1 in [BadEq()])
e(lambda: [1, 2].index(BadEq()))
class Rets:
    def __bool__(self): return 5
    def __len__(self): return -1
    def __hash__(self): return 'a'
    def __repr__(self): return 5
    def __str__(self): return None
    def __index__(self): return 'x'
    def __int__(self): return 1.5
    def __float__(self): return 1
    def __iter__(self): return 5
    def __contains__(self, x): return 'yes'
    def __format__(self, s): return 5
r = Rets()
e(lambda: bool(r))
e(lambda: len(r))
e(lambda: hash(r))
e(lambda: repr(r))
e(lambda: str(r))
e(lambda: [1][r])
e(lambda: int(r))
kind(lambda: float(r))
e(lambda: list(r))
e(lambda: 1 in r)
e(lambda: format(r))
e(lambda: f"{r}")
class Raises:
    def __eq__(self, o): raise ValueError('eq')
    def __hash__(self): return 1
    def __lt__(self, o): raise ValueError('lt')
    def __bool__(self): raise ValueError('bool')
    def __len__(self): raise ValueError('len')
    def __iter__(self): raise ValueError('iter')
    def __repr__(self): raise ValueError('repr')
    def __add__(self, o): raise ValueError('add')
    def __getitem__(self, i): raise ValueError('getitem')
q = Raises()
e(lambda: q == 1)
e(lambda: q in [1])
e(lambda: {q: 1, Raises(): 2})
e(lambda: sorted([q, q]))
e(lambda: not q)
e(lambda: len(q))
e(lambda: list(q))
e(lambda: repr(q))
e(lambda: [q].index(1))
e(lambda: q + 1)
e(lambda: q[1])
e(lambda: str([q]))
---
def e(f):
    try:
        print(repr(f()))
    except Exception as x:
        print(type(x).__name__ + ": " + str(x))

# sequences by protocol, iterators, reflected operators
class Seq:
    def __getitem__(self, i):
        if i >= 3: raise IndexError
        return i * 10
print(list(Seq()), 20 in Seq(), 5 in Seq(), [*Seq()], tuple(Seq()))
a, b, c = Seq()
print(a, b, c)
class Sized(Seq):
    def __len__(self): return 3
print(len(Sized()), bool(Sized()))
class Count:
    def __init__(self, n): self.n = n
    def __iter__(self): return self
    def __next__(self):
        if self.n <= 0: raise StopIteration
        self.n -= 1
        return self.n
print(list(Count(3)), sum(Count(4)), sorted(Count(4)), dict(zip(Count(2), Count(2))), set(Count(3)), 2 in Count(5), max(Count(3)))
print(list(map(str, Count(3))), ','.join(str(x) for x in Count(3)), [x for x in Count(3)], {x: x for x in Count(2)})
l = []
l.extend(Count(3))
l += Count(2)
l[1:2] = Count(3)
print(l)
class A:
    def __add__(self, o): return 'A.add'
    def __radd__(self, o): return 'A.radd'
    def __eq__(self, o): return 'A.eq'
class B(A):
    def __radd__(self, o): return 'B.radd'
class C:
    def __radd__(self, o): return NotImplemented
print(A() + B(), B() + A(), A() + 1, 1 + A(), A() + A(), A() == 1, 1 == A(), A() != 1)
e(lambda: 1 + C())
e(lambda: C() + C())
class Cmp:
    def __gt__(self, o): return 'gt'
    def __ge__(self, o): return 'ge'
print(1 < Cmp(), 1 <= Cmp(), Cmp() > 1)
e(lambda: 1 > Cmp())
class IAdd:
    def __init__(self): self.log = []
    def __iadd__(self, o):
        self.log.append(o)
        return self
i = IAdd()
i += 1
i += 'a'
print(i.log)
class Mut(list):
    def __getitem__(self, i): return ('got', i)
    def __len__(self): return 42
    def __contains__(self, x): return True
    def append(self, x): super().append((x, x))
m = Mut([1])
m.append(2)
print(m[5], len(m), 'zz' in m, m, list(m), m[1:2])
class Keyed(dict):
    def __setitem__(self, k, v): super().__setitem__(str(k).upper(), v)
    def __getitem__(self, k): return super().__getitem__(str(k).upper())
    def __contains__(self, k): return super().__contains__(str(k).upper())
k = Keyed()
k['a'] = 1
k['b'] = 2
print(k, k['A'], k['a'], 'B' in k, 'c' in k, len(k), list(k), k.get('a'))
e(lambda: k['zz'])
class Default(dict):
    def __getitem__(self, k):
        try:
            return super().__getitem__(k)
        except KeyError:
            return 'default'
print(Default(a=1)['a'], Default()['x'])
---
def e(f):
    try:
        print(repr(f()))
    except Exception as x:
        print(type(x).__name__ + ": " + str(x))

# exceptions that classes define
class E1(Exception): pass
class E2(ValueError):
    def __init__(self, code, text):
        super().__init__(text)
        self.code = code
class E3(Exception):
    def __str__(self): return 'E3 says ' + str(self.args)
class E4(KeyError): pass
class E5(Exception):
    def __init__(self, a): self.a = a
for x in (E1(), E1('a'), E1('a', 'b'), E2(5, 'five'), E3(1, 2), E4('k'), E5(7), E5('zz')):
    print(repr(x), '|', str(x), '|', x.args, isinstance(x, Exception))
print(E2(5, 'x').code, E5(7).a, E5(7).args, issubclass(E2, ValueError))
def f(): raise E2(1, 'boom')
e(f)
def g(): raise E4('missing')
e(g)
try:
    raise E1('a') from ValueError('b')
except E1 as x:
    print(repr(x.__cause__))
try:
    try:
        {}['k']
    except KeyError:
        [][1]
except IndexError as x:
    print(x.__cause__, str(x))
x = ValueError('n')
x.add_note('note 1')
x.add_note('note 2')
print(x.__notes__)
e(lambda: x.add_note(5))
e(lambda: ValueError('a').__notes__)
x.extra = 5
print(x.extra, x.args)
x.args = (1, 2)
print(repr(x), str(x))
try:
    int('zz')
except ValueError as x:
    print(x, x.args, type(x))
try:
    b'\xff'.decode()
except UnicodeDecodeError as x:
    print(x)
---
def e(f):
    try:
        print(repr(f()))
    except Exception as x:
        print(type(x).__name__ + ": " + str(x))

# recursion in what is written and compared
l = [1]
l.append(l)
print(l, repr(l), str([l]))
d = {}
d['d'] = d
d['l'] = l
print(d)
t = ([],)
t[0].append(t)
print(t)
class R:
    def __init__(self): self.items = [self]
    def __repr__(self): return 'R(%r)' % (len(self.items),)
print(R(), [R()])
a = []
b = []
a.append(b)
b.append(a)
print(a == a, a != a)
e(lambda: [a] == [a])
print(a is b[0], a == b[0])
x = [[]]
for _ in range(50):
    x = [x]
print(len(repr(x)))
s = {1: {2: {3: [4, (5, {6})]}}}
print(s)
print([None, True, 1.0, 'a', b'b', (1,), [2], {3: 4}, {5}, frozenset([6]), range(7), ..., int, slice(1, 2)])
print([print, len], [str.upper], str([1].append).split(' of ')[0], ''.join)if False else None
print([ValueError('x'), KeyError('y')], {'k': ValueError(1)})
---
def e(f):
    try:
        print(repr(f()))
    except Exception as x:
        print(type(x).__name__ + ": " + str(x))

# sets whose order shows
print({16, 1, 2, 3, 4}, {3, 1, 2}, {'b', 'a'}, {5.5, 2, -1, 100})
for x in {16, 1, 2, 3, 4}:
    print(x, end=' ')
print([x for x in {16, 1, 2, 3, 4}], {x * 7 % 31 for x in range(12)}, list({64, 1, 33}))
print(set([16, 1, 2, 3, 4]), {*[16, 1], 2, 3, 4}, set(range(5, 50, 7)), {(1, 2), (3, 4), (5, 6)}, {(1, 2), 3, 'x'})
n = 40
print({n, n + 1, n - 39}, {n, 1, 2}, {-1, -2, -3, n})
s = set()
for i in range(30):
    s.add(i * 37 % 101)
print(s)
for i in range(0, 30, 2):
    s.discard(i * 37 % 101)
print(s)
for i in range(5):
    s.add(i + 200)
print(s, s.pop(), s.pop(), len(s))
s -= set(range(50))
print(s)
s ^= {1, 2, 3}
s |= set(range(10, 13))
s &= set(range(200))
print(s, sorted(s))
w = 'the quick brown fox jumps over the lazy dog the end'.split()
print(sorted(set(w)), sorted(set(w) - {'the'}), sorted({x[0] for x in w}), {len(x) for x in w})
print([sorted(s) for s in (set('mississippi'), frozenset('abracadabra'), set('hello') & set('world'), set('hello') | set('world'), set('hello') ^ set('world'))])
print({True, 0, 2}, {1.0, 2.0, 3.5}, {None, 1}, {2**70, 1, -2**70}, set([1, 1.0, True]))
from_dict = set({'x': 1, 'y': 2, 'z': 3, 'w': 4, 'v': 5, 'u': 6, 't': 7})
print([sorted(s) for s in (from_dict, from_dict.copy(), set(from_dict), frozenset(from_dict), from_dict.union('abc'), from_dict.intersection('xyz'), from_dict.difference('xyz'))])
big = set(range(1000))
big -= set(range(0, 1000, 3))
print(sum(big), len(big), list(big)[:10], big.pop())
