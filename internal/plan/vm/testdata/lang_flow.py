for i in range(3):
    if i == 1: continue
    print(i)
else:
    print('else')
while True:
    break
else:
    print('no')
i = 0
while i < 2:
    i += 1
else:
    print('while else', i)
---
x = 5
print('big' if x > 3 else 'small', x > 3 and 'yes', x < 3 or 'no', not x, 1 < x < 10, 1 < x > 3 == 3)
---
print(0 or '' or None, 1 and 2 and 3, 0 and 1/0, 1 or 1/0)
---
def t(v):
    print('t', v); return v
print(t(1) < t(2) < t(0) < t(9))
print(t(0) and t(1) or t(2))
---
if (n := len('abc')) > 2: print(n)
while (n := n - 1): print(n)
---
d = {}
d['a'] = d.get('a', 0) + 1
d.setdefault('l', []).append(1)
print(d)
del d['a']
print(d, 'a' in d)
---
l = [1, 2, 3, 4]
l[1:3] = ['x']
del l[0]
l[-1] += 10
print(l, l[::-1], l[:1], l[5:])
---
x = 1
x += 2; x -= 1; x *= 5; x //= 3; x **= 2; x %= 7; x <<= 3; x |= 1; x &= 7; x ^= 2; x >>= 1
print(x)
y = 7
y /= 2
print(y)
---
a = [1]
b = a
b += [2]
print(a, a is b)
a = a + [3]
print(a is b)
t = (1, [2])
try:
    t[1] += [3]
except TypeError as e:
    print(e)
print(t)
---
def f():
    print('f'); return [0, 1]
f()[0] += 1
i = 0
l = [0, 0]
def idx():
    global i
    i += 1
    return i - 1
l[idx()] += 5
print(l, i)
---
class A: pass
a = A()
a.x = 1
a.x += 1
a.l = []
a.l += [1]
print(a.x, a.l)
---
match 5:
    case 1 | 2: print('low')
    case int(x) if x > 3: print('int', x)
    case _: print('other')
---
def f(v):
    match v:
        case None: return 'none'
        case True: return 'true'
        case 0: return 'zero'
        case 'a' | 'b': return 'ab'
        case -1: return 'minus'
        case 1.5: return 'f'
        case []: return 'empty'
        case [x]: return ('one', x)
        case [x, y]: return ('two', x, y)
        case [1, *rest]: return ('one+', rest)
        case (x, *_, y): return ('ends', x, y)
        case {'type': 't', 'v': v}: return ('dict', v)
        case {'k': [a, b]}: return ('k', a, b)
        case {}: return 'mapping'
        case str() as s: return ('str', s)
        case int() | float() as n: return ('num', n)
        case _: return 'other'
for v in (None, True, 0, 'a', -1, 1.5, [], [7], (7, 8), [1, 2, 3], [5, 6, 7], {'type': 't', 'v': 3}, {'k': [1, 2], 'z': 1}, {}, 'zz', 99, 2.25, {1}, b'x', False, range(2)):
    print(repr(v), f(v))
---
class P:
    __match_args__ = ('x', 'y')
    def __init__(self, x, y): self.x, self.y = x, y
def f(p):
    match p:
        case P(0, 0): return 'origin'
        case P(x=0, y=y): return ('y', y)
        case P(x, 0): return ('x', x)
        case P(x, y) if x == y: return ('diag', x)
        case P(): return 'point'
        case _: return 'no'
for p in (P(0, 0), P(0, 5), P(5, 0), P(2, 2), P(1, 2), 7): print(f(p))
---
class P: pass
match P():
    case P(1): pass
---
match 5:
    case int(1, 2): pass
---
match ('a', [1, {'b': 2}]):
    case (str(s), [n, {'b': m}]): print(s, n, m)
---
match {'a': 1}:
    case {'a': 2}: print('no')
    case {'b': _}: print('no')
    case {'a': int(x)}: print(x)
---
match [1, [2, [3]]]:
    case [a, [b, [c]]]: print(a, b, c)
---
match 'abc':
    case ['a', *_]: print('seq')
    case _: print('not a sequence')
---
def f(x):
    match x:
        case [a, b] | [a, b, _]: return a, b
        case _: return None
print(f([1, 2]), f([1, 2, 3]), f([1]))
---
x, y = 1, 2
del x
print(y)
x
---
def f():
    x = 1
    del x
    x
f()
---
global_x = 1
def f():
    global global_x, new_global
    global_x = 2
    new_global = 3
f()
print(global_x, new_global)
---
print(__name__)
if __name__ == '__main__': print('main')
---
pass
...
1; 2; print(3)
---
x: int = 5
y: list[int]
print(x, __annotations__ if False else '')
---
type X = int | str
print('ok')
---
lines = []
for a, (b, *c) in [(1, (2, 3, 4)), (5, (6,))]:
    lines.append((a, b, c))
print(lines)
---
d = {'x': 1, 'y': 2}
for k, v in d.items(): print(k, v)
for k in d: print(k)
for i, (k, v) in enumerate(d.items()): print(i, k, v)
---
d = {1: 1}
for k in d: d[k + 1] = 1
---
l = [1, 2, 3]
for x in l:
    if x < 3: l.append(x + 10)
print(l)
---
s = {1}
for x in s: s.add(x + 1)
---
print(f"{1+1} {'a' + 'b'} {[1,2][0]} {{}} {{{5}}}", f'{3.14159:.2f} {42:05d} {"x":>5}|{"y":<5}|{"z":^5}|', f'{1000000:,} {0.5:%} {255:x} {255:#b}')
w = 10; p = 3
print(f'{3.14159:{w}.{p}f}|{"s":{w}}|{"q":*^{w}}', f'{w=} {w + 1 = } {p=:>4}', f'{"a"!r:>5} {"é"!a}')
---
name = 'x'
print(f'{name!s} {name!r}' 'concat' f"{name}")
print(f'''multi
{name}''')
print(f"{', '.join(str(i) for i in range(3))} {(lambda x: x * 2)(4)} {'nested ' + f'{name}'}")
---
print([i for i in range(3)][-1], (1, 2)[0], 'abc'[1:], {1: 2}[1], {'a': {'b': 1}}['a']['b'])
---
print(1_000, 0x_ff, 0b11, 0o17, 1e3, .5, 5., 1_0.0_1, 10 ** 20, -7 // 2, -7 % 3, 7 // -2, 2 ** -1, 7 / 2)
---
print(1 == 1.0, 1 is 1, 'a' in 'abc', 3 not in [1], None is None, [] is not [], True + True, not 0)
---
print('a' 'b', r'\n', b'x\x00', 'é', '\u00e9', """t""", 'tab\t|')
---
print(*[1, 2], sep=',', end='!\n')
print()
print(1, 2, sep='')
print('a', end='')
print('b')
---
x = [3, 1, 2]
x.sort()
print(x, sorted(x, reverse=True), x.sort(key=lambda v: -v), x)
---
print(type(5), type('a'), type(None), type([]), type(print), type(lambda: 1), type(type), type(range(1)), type(...), type(NotImplemented))
---
with_ = 1
class CM:
    def __init__(self, n): self.n = n
    def __enter__(self): print('enter', self.n); return self.n
    def __exit__(self, t, v, tb): print('exit', self.n, t and t.__name__); return self.n == 1
with CM(1) as a, CM(2) as b:
    print(a, b)
    raise ValueError('swallowed by 1')
print('after')
with (CM(3) as a, CM(4)):
    print('x')
---
def f():
    with CM():
        return 'r'
class CM:
    def __enter__(self): pass
    def __exit__(self, *a): print('exit')
print(f())
for i in range(2):
    with CM():
        if i == 0: continue
        break
---
try:
    with CM():
        pass
except NameError as e:
    print('NameError', e)
---
lst = list(range(10))
print(lst[2:8:2], lst[::-3], lst[-3:], lst[:-3], lst[slice(1, 3)])
del lst[::2]
print(lst)
lst[::2] = ['a', 'b', 'c']
print(lst)
---
lst = [1, 2, 3]
lst[::2] = [1]
---
a = b = []
a.append(1)
print(b)
---
def f(x):
    if x > 0:
        return 'pos'
    elif x < 0:
        return 'neg'
    else:
        return 'zero'
print(f(1), f(-1), f(0))
---
result = []
for i in range(3):
    for j in range(3):
        if j == 1: break
        if i == 1: break
        result.append((i, j))
    else:
        result.append('else')
print(result)
---
n = 10
total = 0
while n:
    n -= 1
    if n % 2: continue
    total += n
print(total)
---
print((lambda f: f(f, 5))(lambda s, n: 1 if n == 0 else n * s(s, n - 1)))
---
print({True: 'a', 1: 'b', 1.0: 'c'}, {1, 1.0, True}, [1, 2] == [1.0, 2.0], (1,) < (1, 0))
---
print(sum(x for x in range(10) if x % 2 == 0), [*map(lambda p: p[0] * p[1], zip([1, 2], [3, 4]))])
---
def primes(n):
    sieve = [True] * (n + 1)
    for i in range(2, int(n ** 0.5) + 1):
        if sieve[i]:
            for j in range(i * i, n + 1, i):
                sieve[j] = False
    return [i for i in range(2, n + 1) if sieve[i]]
print(primes(50))
