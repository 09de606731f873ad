from itertools import count, cycle, repeat, islice
print(list(islice(count(10), 5)), list(islice(count(1, 2), 3)), list(islice(count(0.5, 0.5), 3)))
print(list(islice(cycle("abc"), 7)), list(repeat(5, 3)), list(islice(repeat("x"), 2)), list(cycle([])))
---
from itertools import chain
print(list(chain([1, 2], (3,), "ab")), list(chain()), list(chain.from_iterable([[1], [2, 3]])))
---
import itertools
print(list(itertools.accumulate([1, 2, 3, 4])), list(itertools.accumulate([1, 2, 3], lambda a, b: a * b)))
print(list(itertools.accumulate([1, 2], initial=100)), list(itertools.accumulate([])), list(itertools.accumulate([], initial=3)))
print(list(itertools.accumulate([3, 1, 4], max)), list(itertools.accumulate("abc")))
---
from itertools import compress, dropwhile, takewhile, filterfalse, starmap
print(list(compress("ABCDEF", [1, 0, 1, 0, 1, 1])))
print(list(dropwhile(lambda x: x < 5, [1, 4, 6, 3, 8])), list(takewhile(lambda x: x < 5, [1, 4, 6, 3, 8])))
print(list(filterfalse(lambda x: x < 5, [1, 4, 6, 3, 8])), list(filterfalse(None, [0, 1, ""])), list(starmap(pow, [(2, 5), (3, 2)])))
---
from itertools import pairwise, islice
print(list(pairwise([1, 2, 3, 4])), list(pairwise([1])), list(pairwise([])))
print(list(islice("ABCDEFG", 2)), list(islice("ABCDEFG", 2, 4)), list(islice("ABCDEFG", 2, None)), list(islice("ABCDEFG", 0, None, 2)))
print(list(islice(range(10), 2, 9, 3)), list(islice([], 3)), list(islice([1, 2], 0)))
---
from itertools import islice
for args in [(-1,), (1, -1), (0, 1, 0), ("a",)]:
    try:
        islice([1], *args)
    except ValueError as e:
        print(e)
---
from itertools import islice
it = iter(range(10))
print(list(islice(it, 3)), list(it))
it = iter(range(10))
print(list(islice(it, 2, 5)), next(it))
---
from itertools import groupby
for k, g in groupby("AAAABBBCCDAABBB"):
    print(k, list(g), end=";")
print()
for k, g in groupby([1, 3, 2, 4, 5], key=lambda x: x % 2):
    print(k, list(g))
print([k for k, g in groupby("AAAABBBCCDAABBB")], [(k, len(list(g))) for k, g in groupby(sorted("mississippi"))])
---
from itertools import groupby
it = groupby([1, 1, 2, 2, 3])
k1, g1 = next(it)
print(k1, next(g1))
k2, g2 = next(it)
print(k2, list(g2))
print(list(it) != [], list(it))
---
from itertools import tee
a, b = tee([1, 2, 3])
print(list(a), list(b))
a, b, c = tee(iter("xyz"), 3)
print(next(a), next(a), next(b), list(c), list(a), list(b))
---
from itertools import zip_longest
print(list(zip_longest([1, 2, 3], "ab")), list(zip_longest([1], [], [2, 3], fillvalue="-")), list(zip_longest()))
---
from itertools import product
print(list(product("AB", [1, 2])), list(product([0, 1], repeat=2)), list(product()), list(product([1], [])), len(list(product(range(3), repeat=4))))
---
from itertools import permutations, combinations
print(list(permutations("ABC", 2)), list(permutations(range(3))), list(permutations([1], 2)), list(permutations([])), list(permutations([1, 2], 0)))
print(list(combinations("ABCD", 2)), list(combinations(range(4), 3)), list(combinations([1], 2)), list(combinations([1, 2], 0)))
---
from itertools import permutations, combinations
try:
    permutations([1], -1)
except ValueError as e:
    print(e)
try:
    combinations([1], -1)
except ValueError as e:
    print(e)
try:
    permutations([1], 1.5)
except TypeError as e:
    print(e)
print(len(list(permutations(range(6)))), len(list(combinations(range(10), 5))))
---
from itertools import chain, count, takewhile
primes = []
for n in count(2):
    if all(n % p for p in primes):
        primes.append(n)
    if len(primes) == 10:
        break
print(primes)
def gen():
    yield from chain([1], [2])
    return 5
print(list(gen()), next(chain([7])))
it = count(5)
print(next(it), next(it))
