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

d = {'a': 1, 'b': 2}
e(lambda: d['a'])
e(lambda: d['z'])
e(lambda: d[1])
kind(lambda: d[[]])
kind(lambda: d[{}])
e(lambda: d.get('a'))
e(lambda: d.get('z'))
e(lambda: d.get('z', 5))
kind(lambda: d.get([]))
e(lambda: d.setdefault('a', 9))
e(lambda: d.setdefault('c', 9))
e(lambda: d.setdefault('n'))
print(d)
e(lambda: d.pop('a'))
e(lambda: d.pop('a'))
e(lambda: d.pop('a', None))
kind(lambda: d.pop([]))
e(lambda: d.popitem())
print(d)
e(lambda: d.update({'x': 1}))
e(lambda: d.update([('y', 2), ['z', 3]]))
e(lambda: d.update(k=5))
e(lambda: d.update(q=1, r=2))
e(lambda: d.update({'x': 9}, s=3))
e(lambda: d.update(['ab', 'cd']))
e(lambda: d.update(5))
e(lambda: d.update([1]))
e(lambda: d.update([(1,)]))
e(lambda: d.update([(1, 2, 3)]))
e(lambda: d.update(None))
print(d)
e(lambda: list(d.keys()))
e(lambda: list(d.values()))
e(lambda: list(d.items()))
e(lambda: d.keys())
e(lambda: d.values())
e(lambda: d.items())
e(lambda: d.copy())
e(lambda: d.clear())
print(d)
e(lambda: d.popitem())
e(lambda: len({1: 2, 3: 4}))
e(lambda: 1 in {1: 2})
e(lambda: 2 in {1: 2})
e(lambda: 2 not in {1: 2})
kind(lambda: [] in {})
e(lambda: {1: 2} == {1: 2})
e(lambda: {1: 2, 3: 4} == {3: 4, 1: 2})
e(lambda: {1: 2} == {1: 3})
e(lambda: {1: 2} != {})
e(lambda: {1: 2} == [1])
e(lambda: {1: 2} < {1: 3})
e(lambda: {1: 2} | {3: 4})
e(lambda: {1: 2} | {1: 4})
e(lambda: {1: 2} | [(3, 4)])
e(lambda: {1: 2} + {3: 4})
d = {1: 2}
d |= {3: 4}
d |= [(5, 6)]
print(d)
e(lambda: hash({}))
kind(lambda: {[]: 1})
kind(lambda: {{}: 1})
kind(lambda: {(1, []): 1})
e(lambda: {1: 'a', True: 'b', 1.0: 'c'})
e(lambda: {1.0: 'a', 1: 'b'})
e(lambda: {0: 'a', False: 'b', 0.0: 'c', -0.0: 'd'})
e(lambda: {None: 1, (): 2, 'a': 3, b'a': 4, ...: 5})
e(lambda: dict())
e(lambda: dict(a=1, b=2))
e(lambda: dict([(1, 2), (3, 4)]))
e(lambda: dict([[1, 2]]))
e(lambda: dict({'a': 1}, b=2))
e(lambda: dict({1: 2}))
e(lambda: dict(['ab']))
e(lambda: dict(5))
e(lambda: dict([1]))
e(lambda: dict([(1, 2, 3)]))
e(lambda: dict(None))
e(lambda: dict.fromkeys('abc'))
e(lambda: dict.fromkeys([1, 2], 0))
e(lambda: dict.fromkeys(5))
kind(lambda: dict.fromkeys([[]]))
e(lambda: dict(zip=1))
e(lambda: repr({}))
e(lambda: repr({'a': {'b': [1, (2,)]}}))
d = {}
d['self'] = d
print(d)
del d['self']
print(d)
e(lambda: d.__delitem__('x'))
e(lambda: d.__getitem__('x'))
e(lambda: d.__setitem__('x', 1))
kind(lambda: d.__setitem__([], 1))
e(lambda: d.__contains__('x'))
e(lambda: d.__len__())
e(lambda: d.__eq__({}))
e(lambda: d.__or__({1: 2}))
e(lambda: d.__or__(5))
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

# views
d = {'a': 1, 'b': 2, 'c': 3}
k = d.keys()
v = d.values()
i = d.items()
e(lambda: len(k))
e(lambda: 'a' in k)
e(lambda: 1 in v)
e(lambda: 5 in v)
e(lambda: ('a', 1) in i)
e(lambda: ('a', 2) in i)
e(lambda: ('z', 2) in i)
e(lambda: 'a' in i)
kind(lambda: [] in k)
e(lambda: k & {'a', 'z'})
e(lambda: k & ['a', 'b'])
e(lambda: k | ['q'])
e(lambda: k - {'a'})
e(lambda: k - ['a', 'b'])
e(lambda: {'a', 'z'} & k)
e(lambda: {'a', 'z'} - k)
e(lambda: ['a'] & k)
e(lambda: ['a', 'x'] - k)
e(lambda: k & 5)
e(lambda: v & {1})
e(lambda: i & {('a', 1)})
e(lambda: k == {'a', 'b', 'c'})
e(lambda: k == ['a', 'b', 'c'])
e(lambda: k == d.keys())
e(lambda: v == d.values())
e(lambda: i == {('a', 1), ('b', 2), ('c', 3)})
e(lambda: k < {'a', 'b', 'c', 'd'})
e(lambda: k <= {'a'})
e(lambda: k > {'a'})
e(lambda: k >= ['a'])
e(lambda: k.isdisjoint(['x']))
e(lambda: k.isdisjoint(['a']))
e(lambda: list(reversed(k)))
e(lambda: list(reversed(v)))
e(lambda: list(reversed(i)))
e(lambda: k[0])
e(lambda: hash(k))
d['d'] = 4
e(lambda: k)
e(lambda: v)
e(lambda: i)
---
def e(f):
    try:
        print(repr(f()))
    except Exception as x:
        print(type(x).__name__ + ": " + str(x))

# many entries, gaps and order
d = {}
d.update([(0, 0), (1, 1), (2, 2), (3, 3), (4, 4), (5, 5), (6, 6), (7, 7), (8, 8), (9, 9), (10, 10), (11, 11), (12, 12)])
del d[3]
del d[7]
del d[0]
d[3] = 'new'
e(lambda: d)
e(lambda: len(d))
e(lambda: d.popitem())
e(lambda: d.popitem())
d[100] = 1
e(lambda: d)
e(lambda: 7 in d)
e(lambda: 12 in d)
e(lambda: 11 in d)
e(lambda: dict.fromkeys(range(40)))
e(lambda: dict.fromkeys('the quick brown fox jumps over the lazy dog'))
