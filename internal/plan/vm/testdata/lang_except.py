try:
    1 / 0
except ZeroDivisionError as e:
    print(type(e), e, e.args)
---
try:
    int('x')
except (TypeError, ValueError) as e:
    print(e)
else:
    print('else')
finally:
    print('finally')
---
try:
    pass
except ValueError:
    print('no')
else:
    print('else')
finally:
    print('finally')
---
def f():
    try:
        return 'try'
    finally:
        print('cleanup')
print(f())
---
def f():
    try:
        return 'try'
    finally:
        return 'finally'
print(f())
---
def f():
    for i in range(5):
        try:
            if i == 1: continue
            if i == 3: break
            print('body', i)
        finally:
            print('fin', i)
    else:
        print('else')
    return i
print(f())
---
def f():
    while True:
        try:
            raise ValueError('x')
        except ValueError:
            break
        finally:
            print('f')
    print('done')
f()
---
raise ValueError
---
raise ValueError('a', 'b')
---
raise ValueError('msg') from None
---
try:
    raise KeyError('k')
except KeyError as e:
    raise ValueError('v') from e
---
try:
    try:
        raise KeyError('k')
    except KeyError as k:
        raise ValueError('v') from k
except ValueError as e:
    print(repr(e.__cause__))
---
try:
    raise ValueError('a')
except ValueError:
    try:
        raise
    except ValueError as e:
        print('again', e)
---
raise
---
def f():
    raise
try:
    raise ValueError('from outside')
except ValueError:
    f()
---
raise 5
---
raise ValueError from 5
---
class A: pass
raise A
---
try:
    1 / 0
except 5:
    pass
---
try:
    1 / 0
except (ValueError, 'x'):
    pass
---
try:
    x = 1
    assert x == 2, f'x is {x}'
except AssertionError as e:
    print(e)
assert x == 3
---
assert False, 'message'
---
try:
    [][1]
except LookupError as e:
    print(type(e).__name__, e)
---
try:
    {}['k']
except KeyError as e:
    print(e, repr(e), str(e), e.args)
---
{'a': 1}['b']
---
e = ValueError('x')
print(repr(e), str(e), e.args, [e])
e2 = ValueError()
print(repr(e2), str(e2) == '', repr(ValueError('a', 1)), str(ValueError('a', 1)))
---
def f():
    try:
        g()
    except ValueError as e:
        raise RuntimeError('wrapped') from e
def g():
    raise ValueError('inner')
f()
---
e = ValueError('x')
e.add_note('n1')
print(e.__notes__)
try:
    raise e
except ValueError as f:
    print(f is e)
---
try:
    raise StopIteration(5)
except StopIteration as e:
    print(e.value)
---
def f():
    try:
        1 / 0
    except ZeroDivisionError as e:
        pass
    print(e)
f()
---
for i in range(3):
    try:
        print(10 // (i - 1))
    except ZeroDivisionError:
        print('div')
        continue
    finally:
        print('done', i)
---
def f(n):
    try:
        if n == 0: raise ValueError('deep')
        f(n - 1)
    finally:
        print('unwind', n)
try: f(3)
except ValueError as e: print(e)
---
try:
    try:
        1 / 0
    finally:
        [][0]
except Exception as e:
    print(type(e).__name__)
---
class MyErr(Exception): pass
class Sub(MyErr): pass
for c in (MyErr, Sub, ValueError):
    try:
        raise c('q')
    except Sub: print('sub')
    except MyErr: print('my')
    except Exception as e: print('other', e)
---
try:
    raise SystemExit(3)
except SystemExit as e:
    print(e.code)
---
try:
    exit_code = int('0x1f', 16)
    print(exit_code)
    int('zz')
except ValueError as e:
    print(e)
---
def f():
    try:
        raise ValueError(1)
    except ValueError:
        try:
            raise TypeError(2)
        except TypeError:
            pass
        raise
f()
---
x = 0
try:
    x = 1
    raise Exception
except:
    x = 2
print(x)
---
try:
    'a' + 1
except TypeError as e: print(e)
try:
    1 + 'a'
except TypeError as e: print(e)
try:
    [] + ()
except TypeError as e: print(e)
try:
    {} | 1
except TypeError as e: print(e)
try:
    -'a'
except TypeError as e: print(e)
try:
    'a' < 1
except TypeError as e: print(e)
try:
    None + 1
except TypeError as e: print(e)
try:
    len(5)
except TypeError as e: print(e)
try:
    for i in 5: pass
except TypeError as e: print(e)
try:
    5[0]
except TypeError as e: print(e)
try:
    5[0] = 1
except TypeError as e: print(e)
try:
    del 5[0]
except TypeError as e: print(e)
try:
    'abc'[0] = 'x'
except TypeError as e: print(e)
try:
    (1, 2)[0] = 3
except TypeError as e: print(e)
try:
    [1, 2]['a']
except TypeError as e: print(e)
try:
    {[]: 1}
except TypeError as e: print(e)
try:
    {}[[]]
except TypeError as e: print(e)
try:
    1 in 5
except TypeError as e: print(e)
---
a, b = 1, 2, 3
---
a, b = [1]
---
a, b = 5
---
a, *b, c = [1]
---
a, b = 'abc'
---
a, b = {1: 2, 3: 4, 5: 6}
---
[a, b], c = (1, 2), 3
print(a, b, c)
(a, b), c = 'xy', 'z'
print(a, b, c)
*a, b = range(4)
print(a, b)
a, *b = 'q'
print(a, b)
a = b = c = 5
print(a, b, c)
a, b = b, a
---
def g():
    yield 1
    yield 2
    yield 3
a, b = g()
---
def g():
    yield 1
a, b = g()
---
def g():
    yield 1
    yield 2
a, b = g()
print(a, b)
a, *b = g()
print(a, b)
---
try:
    a, b = g()
except NameError as e:
    print(e)
---
def f():
    x = 1
    def g():
        raise ValueError(x)
    return g
f()()
---
def f():
    try:
        import nonexistent
    finally:
        print("tried")
f()
---
try:
    import nothing_here
except ImportError as e:
    print(type(e).__name__, e)
---
try:
    raise ValueError('x').with_traceback(None)
except ValueError as e:
    print(e)
---
def check(v):
    match v:
        case int(): raise TypeError('int')
        case _: raise ValueError('other')
for v in (1, 'a'):
    try: check(v)
    except (TypeError, ValueError) as e: print(type(e).__name__, e)
---
try:
    try:
        raise ValueError('a')
    except ValueError as e:
        raise TypeError('b')
    finally:
        print('x')
except TypeError as t:
    print(t)
---
def f():
    try:
        yield 1
    except ValueError as e:
        print('caught', e)
        yield 'after'
g = f()
print(next(g))
print(g.throw(ValueError('thrown')))
---
class E(Exception):
    def __init__(self, a, b):
        self.a = a
        self.b = b
e = E(1, 2)
print(e.args, e, e.a)
raise e
---
class E(Exception): pass
raise E
---
class Outer:
    class E(Exception): pass
raise Outer.E('m')
---
print(issubclass(ZeroDivisionError, ArithmeticError), issubclass(KeyError, LookupError), issubclass(FileNotFoundError, OSError))
print(isinstance(ValueError(), Exception), ValueError.__name__)
---
try:
    raise KeyError
except KeyError as e:
    print(repr(str(e)), e.args)
---
def f():
    raise NotImplementedError
f()
---
def f():
    raise NotImplementedError('later')
f()
---
'%d' % 'x'
---
'{}'.format()
---
'{x}'.format(y=1)
---
float('abc')
---
int([])
---
[1, 2].index(5)
---
[1].remove(2)
---
'abc'.index('z')
---
{1, 2}.remove(3)
---
[].pop()
---
{}.popitem()
---
chr(-1)
---
ord('ab')
---
range(1, 2, 0)
---
'abc'.encode('ascii').decode('utf-8').foo()
---
max([])
---
(5).x
---
next(iter([]))
---
'a' * 'b'
---
2 ** 'a'
---
round('a')
---
sum(['a', 'b'])
---
sorted([1, 'a'])
---
list(5)
---
dict([1])
---
dict([(1, 2, 3)])
---
set([[]])
---
isinstance(1, 5)
---
issubclass(1, int)
---
getattr(5, 'foo')
---
setattr(5, 'foo', 1)
---
divmod(1, 0)
---
1 % 0
---
1.0 // 0
---
10 ** -1 / 0
---
pow(2, -1, 4)
---
abs('x')
---
"abc".join([1, 2])
---
zip(1)
---
enumerate(5)
---
reversed(5)
---
hash([])
---
int('1' * 5000)
---
# A finally is compiled twice, with the comprehensions in its functions and classes.
for bad in (False, True):
    try:
        try:
            if bad:
                raise ValueError("x")
        finally:
            class C:
                shared = [a + 1 for a in (1, 2)]
            def f(x):
                return {b: [c for c in range(b)] for b in x}
            print(C.shared, f((1, 2)))
    except ValueError as e:
        print("caught", e)
