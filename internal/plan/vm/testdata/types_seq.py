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

# lists
l = [10, 20, 30, 40, 50]
e(lambda: l[0])
e(lambda: l[-1])
e(lambda: l[True])
e(lambda: l[5])
e(lambda: l[-6])
e(lambda: l['a'])
e(lambda: l[1.5])
e(lambda: l[None])
kind(lambda: l[2**70])
e(lambda: l[1:3])
e(lambda: l[:])
e(lambda: l[::-1])
e(lambda: l[::2])
e(lambda: l[-2:])
e(lambda: l[:-2])
e(lambda: l[10:])
e(lambda: l[3:1])
e(lambda: l[4:0:-2])
e(lambda: l[-100:100])
e(lambda: l[100:-100:-1])
e(lambda: l[2**70:])
e(lambda: l[:-2**70:-1])
e(lambda: l[1:2:0])
e(lambda: l['a':])
e(lambda: l[:1.5])
e(lambda: l + [60])
e(lambda: l + (1,))
e(lambda: l + None)
e(lambda: l * 2)
e(lambda: 2 * l)
e(lambda: l * 0)
e(lambda: l * -1)
kind(lambda: l * 1.5)
kind(lambda: l * 'a')
kind(lambda: l * None)
e(lambda: 20 in l)
e(lambda: 25 in l)
e(lambda: 20 not in l)
e(lambda: l == [10, 20, 30, 40, 50])
e(lambda: l == (10, 20, 30, 40, 50))
e(lambda: l != [10])
e(lambda: l < [10, 20, 31])
e(lambda: l < [10, 20])
e(lambda: [] < [1])
e(lambda: [1, 'a'] < [1, 2])
e(lambda: [1, 2] < ['a'])
e(lambda: [1] < (1,))
e(lambda: [[1, 2], [3]] == [[1, 2], [3]])
e(lambda: l.index(30))
e(lambda: l.index(35))
e(lambda: l.index(10, 1))
e(lambda: l.index(30, -3))
e(lambda: l.index(30, 0, 2))
kind(lambda: l.index(30, "a"))
e(lambda: l.count(10))
e(lambda: l.count('x'))
e(lambda: [1, True, 1.0].count(1))
e(lambda: len(l))
e(lambda: repr(l))
e(lambda: repr([]))
e(lambda: hash(l))
e(lambda: -l)
e(lambda: l.x)
e(lambda: l())
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

# changing lists
l = [3, 1, 2]
e(lambda: l.append(4))
print(l)
e(lambda: l.extend([5, 6]))
e(lambda: l.extend('ab'))
e(lambda: l.extend({7: 8}))
e(lambda: l.extend(5))
print(l)
e(lambda: l.insert(0, 'x'))
e(lambda: l.insert(-1, 'y'))
e(lambda: l.insert(100, 'z'))
e(lambda: l.insert(-100, 'w'))
e(lambda: l.insert('a', 1))
e(lambda: l.insert(2**70, 'v'))
print(l)
e(lambda: l.pop())
e(lambda: l.pop(0))
e(lambda: l.pop(-2))
e(lambda: l.pop(100))
e(lambda: l.pop('a'))
e(lambda: l.pop(2**70))
print(l)
e(lambda: l.remove('x'))
e(lambda: l.remove('nothing'))
print(l)
e(lambda: l.reverse())
print(l)
e(lambda: l.copy())
e(lambda: l.clear())
print(l)
e(lambda: l.pop())
e(lambda: l.remove(1))
e(lambda: l.index(1))
l = [1, 2, 3, 4, 5, 6]
l[0] = 'a'
l[-1] = 'f'
print(l)
l[1:3] = ['x', 'y', 'z']
print(l)
l[1:1] = [0]
print(l)
l[::2] = [1, 2, 3, 4]
print(l)
l[:] = 'abc'
print(l)
l[5:] = range(3)
print(l)
l[::-1] = [1, 2, 3, 4, 5, 6]
print(l)
del l[0]
print(l)
del l[1:3]
print(l)
l = list(range(10))
del l[::3]
print(l)
del l[::-2]
print(l)
del l[:]
print(l)
l = [1, 2]
l += [3]
l += 'ab'
l *= 2
print(l)
l = [1]
l.append(l)
print(l)
e(lambda: l.__setitem__(5, 1))
kind(lambda: l.__setitem__('a', 1))
e(lambda: l.__setitem__(slice(0, 2, 2), [1, 2, 3]))
e(lambda: l.__setitem__(slice(0, 2), 5))
e(lambda: l.__setitem__(slice(0, 2, 2), 5))
e(lambda: l.__delitem__(5))
kind(lambda: l.__delitem__('a'))
---
def e(f):
    try:
        print(repr(f()))
    except Exception as x:
        print(type(x).__name__ + ": " + str(x))

# sorting
l = [3, 1, 2]
e(lambda: l.sort())
print(l)
e(lambda: l.sort(reverse=True))
print(l)
e(lambda: sorted([3, 1, 2]))
e(lambda: sorted('hello'))
e(lambda: sorted({'b': 1, 'a': 2}))
e(lambda: sorted([1, 'a']))
e(lambda: sorted([None, None]))
e(lambda: sorted([[2, 'b'], [1, 'c'], [1, 'a']]))
e(lambda: sorted([(1, 'x'), (0, 'y'), (1, 'a')], reverse=True))
e(lambda: sorted([1.5, 1, 2, -1]))
e(lambda: sorted([2**70, 1, -2**70]))
e(lambda: sorted([True, False, 2]))
e(lambda: sorted(['b', 'A', 'a', 'B'], key=str.lower))
e(lambda: sorted([3, -2, 1], key=abs))
e(lambda: sorted(['aaa', 'b', 'cc'], key=len, reverse=True))
e(lambda: sorted([1, 2, 3], key=None))
e(lambda: sorted([3, 1, 2, 5, 4, 9, 8, 7, 6, 0, 15, 14, 13, 12, 11, 10, 16, 20, 19, 18, 17]))
e(lambda: sorted([(i * 7919 % 31, i) for i in ()]))
e(lambda: sorted(['ab', 'a', 'abc', '']))
e(lambda: sorted([b'b', b'a']))
e(lambda: sorted([float('inf'), 1, float('-inf')]))
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

# tuples
t = (1, 2, 3)
e(lambda: t[0])
e(lambda: t[-1])
e(lambda: t[3])
e(lambda: t['a'])
e(lambda: t[1:])
e(lambda: t[::-1])
e(lambda: t + (4,))
kind(lambda: t + [4])
e(lambda: t * 2)
e(lambda: 2 * t)
kind(lambda: t * 'a')
e(lambda: 2 in t)
e(lambda: t == (1, 2, 3))
e(lambda: t == [1, 2, 3])
e(lambda: t < (1, 2, 4))
e(lambda: t < (1, 2))
e(lambda: t.index(2))
e(lambda: t.index(9))
e(lambda: t.index(1, 1))
e(lambda: t.count(1))
e(lambda: len(t))
e(lambda: repr(()))
e(lambda: repr((1,)))
e(lambda: repr((1, (2, [3]))))
e(lambda: hash((1, 2, 3)))
e(lambda: hash(()))
e(lambda: hash((1, [])))
e(lambda: tuple())
e(lambda: tuple([1, 2]))
e(lambda: tuple('ab'))
e(lambda: tuple({1: 2}))
e(lambda: tuple(5))
e(lambda: tuple((1, 2)))
e(lambda: list())
e(lambda: list('abc'))
e(lambda: list((1, 2)))
e(lambda: list({1: 2}))
e(lambda: list(range(3)))
e(lambda: list(5))
e(lambda: list(None))
e(lambda: t.__setitem__)
e(lambda: t.__contains__(1))
e(lambda: t.__add__((1,)))
e(lambda: t.__getitem__(0))
e(lambda: t.__len__())
e(lambda: t.__eq__(t))
e(lambda: t.__lt__((5,)))
e(lambda: t.__hash__())
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

# ranges and slices
r = range(2, 20, 3)
e(lambda: r[0])
e(lambda: r[-1])
e(lambda: r[6])
e(lambda: r[-7])
kind(lambda: r['a'])
e(lambda: r[1:3])
e(lambda: r[::-1])
kind(lambda: r[2**70])
e(lambda: len(r))
e(lambda: 5 in r)
e(lambda: 6 in r)
e(lambda: 5.0 in r)
e(lambda: 'a' in r)
e(lambda: r == range(2, 20, 3))
e(lambda: r == range(2, 19, 3))
e(lambda: r == range(2, 21, 3))
e(lambda: range(0) == range(5, 5))
e(lambda: range(0, 3, 2) == range(0, 4, 2))
e(lambda: r == [2, 5])
e(lambda: r < range(3))
e(lambda: r.start)
e(lambda: r.stop)
e(lambda: r.step)
e(lambda: list(r))
e(lambda: list(range(5, 0, -2)))
e(lambda: list(range(0, 5, -1)))
e(lambda: list(reversed(r)))
e(lambda: list(reversed(range(0))))
e(lambda: repr(r))
e(lambda: repr(range(3)))
e(lambda: range(1.5))
e(lambda: range('a'))
e(lambda: range(1, 2, 0))
kind(lambda: range())
kind(lambda: range(1, 2, 3, 4))
e(lambda: range(True))
kind(lambda: len(range(2**70)))
e(lambda: bool(range(0)))
e(lambda: bool(range(1)))
e(lambda: slice(1))
e(lambda: slice(1, 2))
e(lambda: slice(1, 2, 3))
kind(lambda: slice())
e(lambda: slice(1).stop)
e(lambda: slice(1, 2, 3).step)
e(lambda: [1, 2, 3][slice(1)])
---
def e(f):
    try:
        print(repr(f()))
    except Exception as x:
        print(type(x).__name__ + ": " + str(x))

# iterators
i = iter([1, 2])
e(lambda: next(i))
e(lambda: next(i))
e(lambda: next(i))
e(lambda: next(i))
e(lambda: next(iter([])))
e(lambda: iter(5))
e(lambda: next([]))
e(lambda: list(iter('héllo')))
e(lambda: list(iter(b'ab')))
e(lambda: list(iter({'a': 1})))
e(lambda: list(reversed([1, 2, 3])))
e(lambda: list(reversed('abc')))
e(lambda: list(reversed((1, 2))))
e(lambda: list(reversed({'a': 1, 'b': 2})))
e(lambda: reversed(5))
e(lambda: reversed({1, 2}))
e(lambda: list(iter(range(3))))
e(lambda: iter([1]).__next__())
e(lambda: iter([1]).__iter__().__next__())
e(lambda: list(iter(iter([1, 2]))))
e(lambda: [1, 2].__iter__().__next__())
d = {'a': 1}
i = iter(d)
d['b'] = 2
e(lambda: next(i))
e(lambda: next(i))
d = {'a': 1, 'b': 2}
i = iter(d)
e(lambda: next(i))
del d['a']
d['c'] = 3
e(lambda: next(i))
e(lambda: next(i))
s = {1, 2}
i = iter(s)
s.add(3)
e(lambda: next(i))
l = [1]
i = iter(l)
e(lambda: next(i))
l.append(2)
e(lambda: next(i))
e(lambda: next(i))
l.append(3)
e(lambda: next(i))
