import uuid
u = uuid.UUID("{12345678-1234-5678-1234-567812345678}")
print(u, repr(u), u.hex, u.int, u.bytes, u.version, int(u) == u.int)
print(uuid.UUID(bytes=u.bytes) == u, uuid.UUID(int=u.int) == u, u == "x", len({u, uuid.UUID("urn:uuid:" + str(u))}))
a = [uuid.uuid4() for i in range(20)]
print(len(set(a)), {x.version for x in a}, sorted(a) == sorted(a, key=lambda x: x.int))
for f in (lambda: uuid.UUID("x"), lambda: uuid.UUID(bytes=b"x"), lambda: uuid.UUID(int=-1), lambda: uuid.UUID("z" * 32), lambda: uuid.UUID(int=1, version=99)):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)
---
import timeit
n = []
print(timeit.timeit(lambda: n.append(1), number=3) >= 0, len(n), len(timeit.repeat(lambda: None, repeat=2, number=1)), n, timeit.default_timer() <= timeit.default_timer())
