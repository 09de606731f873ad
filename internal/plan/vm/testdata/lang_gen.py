def g(n):
    for i in range(n):
        yield i
print(list(g(3)), sum(g(5)), [x * 2 for x in g(3)], tuple(g(2)), set(g(3)), max(g(4)), sorted(g(3), reverse=True))
print(dict((k, v) for k, v in zip('ab', g(2))), ','.join(str(x) for x in g(3)), any(x > 1 for x in g(3)), all(x < 2 for x in g(3)))
---
def g():
    x = yield 1
    print('got', x)
    y = yield 2
    print('got', y)
    return 'ret'
c = g()
print(next(c))
print(c.send('a'))
try:
    c.send('b')
except StopIteration as e:
    print('stop', e.value)
print(next(c, 'default'))
---
def g():
    yield 1
c = g()
c.send(5)
---
def g():
    yield 1
c = g()
next(c)
next(c)
---
def inner():
    x = yield 'i1'
    print('inner got', x)
    yield 'i2'
    return 'inner result'
def outer():
    r = yield from inner()
    print('r =', r)
    yield 'o'
o = outer()
print(next(o), o.send('S'), next(o))
---
def g():
    try:
        yield 1
        yield 2
    except GeneratorExit:
        print('exit')
        raise
    finally:
        print('fin')
c = g()
next(c)
c.close()
print(next(c, 'closed'))
---
def g():
    try:
        yield 1
    except GeneratorExit:
        yield 2
c = g()
next(c)
c.close()
---
def g():
    while True:
        try:
            x = yield
            print('x', x)
        except ValueError as e:
            print('caught', e)
c = g()
next(c)
c.send(1)
c.throw(ValueError('v'))
c.send(2)
c.throw(KeyError('k'))
---
def g():
    yield 1
    raise StopIteration
list(g())
---
def g():
    yield from [1, 2]
    yield from (x for x in 'ab')
    yield from {'k': 1}
    return 5
def h():
    v = yield from g()
    yield v
print(list(h()))
---
def g():
    yield from 5
list(g())
---
gen = (x * x for x in range(4))
print(next(gen), list(gen), list(gen))
---
def fib():
    a, b = 0, 1
    while True:
        yield a
        a, b = b, a + b
out = []
for x in fib():
    if x > 50: break
    out.append(x)
print(out)
---
def count(n):
    while n > 0:
        yield n
        n -= 1
for a in count(2):
    for b in count(2):
        print(a, b)
---
def tree(t):
    if t:
        l, v, r = t
        yield from tree(l)
        yield v
        yield from tree(r)
print(list(tree(((None, 1, None), 2, (None, 3, None)))))
---
def g():
    r = yield
    while r is not None:
        r = yield r * 2
c = g()
next(c)
print(c.send(1), c.send(5))
---
def g():
    yield
print(list(g()))
---
def g():
    return 1
    yield
print(list(g()))
---
def g(x):
    yield x
    x += 1
    yield x
a = g(1)
b = g(10)
print(next(a), next(b), next(a), next(b))
---
g = (print(i) for i in range(2))
print('start')
list(g)
---
print([(x, y) for x in range(3) for y in range(x)])
print([x for x in range(10) if x % 2 if x > 3])
print({x: x * x for x in range(3)}, {x % 2 for x in range(5)})
print([[y for y in range(x)] for x in range(3)])
print([x for x, in [(1,), (2,)]], [a + b for a, (b, c) in [(1, (2, 3))]])
print([*[1], *(2, 3)], {**{'a': 1}}, {*[1]})
---
x = 'outer'
print([x for x in range(2)], x)
print([(lambda: y)() for y in range(2)])
---
print([y := 1, y ** 2], [z := i for i in range(3)], z)
---
def f():
    return [i for i in range(n)]
n = 3
print(f())
---
print(list(zip(*[(1, 2), (3, 4)])), list(enumerate('ab', 1)), list(reversed([1, 2])), list(map(str, (i for i in range(2)))))
---
it = iter([1, 2, 3])
for x in it:
    print(x, next(it, None))
---
it = iter(lambda c=iter([1, 2, 0, 3]): next(c), 0)
print(list(it))
---
def g():
    try:
        yield 1
    except ValueError:
        return 'done'
c = g()
next(c)
try:
    c.throw(ValueError())
except StopIteration as e:
    print(e.value)
---
def g():
    c.send(None)
    yield
c = g()
next(c)
---
class C:
    def __iter__(self):
        yield 1
        yield 2
print(list(C()), [*C()], sum(C()), 2 in C())
a, b = C()
print(a, b)
for x in C(): print(x)
---
def chunks(l, n):
    for i in range(0, len(l), n):
        yield l[i:i + n]
print(list(chunks([1, 2, 3, 4, 5], 2)))
---
def g():
    with open_it() as x:
        yield x
class open_it:
    def __enter__(self): print('open'); return 'r'
    def __exit__(self, *a): print('close', a[0])
print(list(g()))
c = g()
next(c)
c.close()
---
def ints():
    n = 0
    while True:
        n += 1
        yield n
def take(n, it): return [x for _, x in zip(range(n), it)]
print(take(3, ints()))
---
async def f(): return 1
c = f()
try:
    c.send(None)
except StopIteration as e:
    print(e.value)
---
def f():
    l = []
    for i in range(3):
        l.append((yield i))
    return l
g = f()
next(g); g.send('a'); g.send('b')
try: g.send('c')
except StopIteration as e: print(e.value)
---
def numbers():
    yield 1
    yield 2
a, b = numbers()
first, *rest = numbers()
print(a, b, first, rest, *numbers())
print(max(numbers()), min(numbers(), default=0), list(map(lambda x: x + 1, numbers())), list(filter(lambda x: x > 1, numbers())))
l = [0]
l.extend(numbers())
l += numbers()
l[1:2] = numbers()
print(l, set(numbers()) | {5}, dict.fromkeys(numbers(), 0), frozenset(numbers()))
s = set()
s.update(numbers())
print(s, ''.join(str(x) for x in numbers()), bytes(numbers()))
print(1 in numbers(), list(zip(numbers(), numbers())), list(enumerate(numbers())), sorted(numbers(), key=lambda x: -x))
