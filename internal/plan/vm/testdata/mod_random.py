# the same numbers for the same seed
import random
for s in (0, 1, 42, -5, 10**30, 'text', b'bytes', 2.5, '', True):
    random.seed(s)
    print(s, random.random(), random.getrandbits(5), random.getrandbits(70), random.randint(1, 6), random.randrange(10), random.randrange(3, 100, 7), random.uniform(1, 2))
---
import random
random.seed(7)
xs = list(range(20))
random.shuffle(xs)
print(xs, random.choice(xs), random.choice('abc'), random.choices('abc', k=5), random.choices([1, 2, 3], [10, 1, 1], k=8))
print(random.sample(range(100), 5), random.sample(xs, 20), random.sample(range(10**9), 3))
---
import random
random.seed(3)
print(random.gauss(0, 1), random.gauss(5, 2), random.gauss())
---
# generators of their own
import random
a, b = random.Random(1), random.Random(1)
print([a.random() for _ in range(3)] == [b.random() for _ in range(3)], a.randint(1, 10) == b.randint(1, 10))
class Mine(random.Random):
    def twice(self):
        return self.random() * 2
print(Mine(4).twice(), isinstance(Mine(), random.Random))
---
# errors
import random
def tell(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)
tell(lambda: random.choice([]))
tell(lambda: random.randint(5, 1))
tell(lambda: random.randrange(0))
tell(lambda: random.randrange(5, 5))
tell(lambda: random.randrange(1, 10, 0))
tell(lambda: random.randrange(10, 1, 2))
tell(lambda: random.randrange(1.5))
tell(lambda: random.randrange(5, step=2))
tell(lambda: random.sample([1, 2], 3))
tell(lambda: random.sample({1, 2}, 1))
tell(lambda: random.choices([1, 2], [1], k=2))
tell(lambda: random.choices([1, 2], [0, 0], k=2))
tell(lambda: random.seed([1]))
tell(lambda: random.getrandbits(-1))
---
# generated: many draws of all kinds
import random
random.seed(20240101)
for i in range(300):
    k = random.randrange(12)
    if k == 0: print(random.random())
    elif k == 1: print(random.randint(-i, i))
    elif k == 2: print(random.gauss(i, 2))
    elif k == 3: print(random.sample(range(i + 10), i % 9))
    elif k == 4: print(random.choices(range(i + 1), k=3))
    elif k == 5: print(random.getrandbits(i + 1))
    elif k == 6: print(random.gauss(0, i))
    else:
        xs = [1, 2, 3, 4, 5, 6]
        random.shuffle(xs)
        print(xs, random.choices('abc', weights=[i, 1, 2.5]))
---
# a simulation
import random
random.seed(42)
inside = sum(random.random() ** 2 + random.random() ** 2 <= 1 for _ in range(2000))
rolls = [random.randint(1, 6) + random.randint(1, 6) for _ in range(500)]
print(4 * inside / 2000, sum(rolls) / len(rolls), {n: rolls.count(n) for n in range(2, 13)})
