# meetings that overlap
from datetime import datetime
meetings = [("2024-05-01T09:00", "2024-05-01T10:00", "standup"), ("2024-05-01T09:30", "2024-05-01T11:00", "review"), ("2024-05-01T11:00", "2024-05-01T12:00", "lunch")]
parsed = [(datetime.fromisoformat(a), datetime.fromisoformat(b), t) for a, b, t in meetings]
for i, (a, b, t) in enumerate(parsed):
    for c, d, u in parsed[i + 1:]:
        if a < d and c < b:
            print(t, 'overlaps', u, 'for', min(b, d) - max(a, c))
---
# free slots of a day
from datetime import datetime, timedelta
busy = [(9, 10), (11, 12), (13, 15)]
day = datetime(2024, 5, 1)
cursor = day + timedelta(hours=8)
for start, end in busy:
    s, e = day + timedelta(hours=start), day + timedelta(hours=end)
    if s > cursor:
        print(f"{cursor:%H:%M}-{s:%H:%M}", s - cursor)
    cursor = max(cursor, e)
print(f"{cursor:%H:%M}-18:00")
---
# a timesheet
from datetime import datetime
from collections import defaultdict
rows = ["2024-01-02 09:00,2024-01-02 17:30,ann", "2024-01-03 10:15,2024-01-03 16:00,ann", "2024-01-02 08:00,2024-01-02 12:00,bob"]
hours = defaultdict(float)
for row in rows:
    a, b, who = row.split(',')
    delta = datetime.strptime(b, '%Y-%m-%d %H:%M') - datetime.strptime(a, '%Y-%m-%d %H:%M')
    hours[who] += delta.total_seconds() / 3600
print(dict(hours))
---
# due dates, skipping weekends
from datetime import date, timedelta
def add_days(d, n):
    while n:
        d += timedelta(days=1)
        if d.weekday() < 5:
            n -= 1
    return d
print(add_days(date(2024, 5, 3), 1), add_days(date(2024, 5, 3), 10))
---
# the next birthday
from datetime import date
today = date(2024, 6, 15)
for name, born in {'ann': date(1990, 6, 14), 'bob': date(1985, 6, 15), 'cid': date(2000, 12, 31)}.items():
    nxt = born.replace(year=today.year)
    if nxt < today:
        nxt = nxt.replace(year=today.year + 1)
    print(name, nxt, (nxt - today).days, nxt.year - born.year)
---
# February 29
from datetime import date
try:
    print(date(2024, 2, 29).replace(year=2025))
except ValueError as e:
    print(e)
---
# weeks of a month
import calendar
for week in calendar.monthcalendar(2024, 5):
    print(' '.join(f'{d:2d}' if d else '  ' for d in week))
print(calendar.monthrange(2023, 2)[1], calendar.day_name[calendar.weekday(2000, 1, 1)])
---
# a duration as a person says it
from datetime import timedelta
def say(d):
    s = int(d.total_seconds())
    parts = []
    for name, size in (('day', 86400), ('hour', 3600), ('minute', 60), ('second', 1)):
        n, s = divmod(s, size)
        if n:
            parts.append(f"{n} {name}{'s' if n != 1 else ''}")
    return ', '.join(parts)
print(say(timedelta(days=1, hours=2, seconds=5)), '|', say(timedelta(minutes=90)))
---
# sorting and grouping by date
from datetime import date
from itertools import groupby
days = [date(2024, 3, 5), date(2023, 3, 9), date(2024, 1, 7), date(2023, 11, 2)]
for year, group in groupby(sorted(days), key=lambda d: d.year):
    print(year, [d.strftime('%d %b') for d in group])
---
# quarters
from datetime import date
print([f"Q{(date(2024, m, 1).month - 1) // 3 + 1}" for m in range(1, 13)])
---
# seconds of a day, midnight, end of a month
from datetime import datetime, timedelta, time, date
t = datetime(2024, 2, 10, 15, 45, 30)
print((t - t.replace(hour=0, minute=0, second=0)).seconds, datetime.combine(t.date(), time.min), datetime.combine(t, time.max))
print((t.replace(day=28) + timedelta(days=4)).replace(day=1) - timedelta(days=1))
---
# rounding a time to a quarter of an hour
from datetime import datetime, timedelta
def quarter(t):
    step = timedelta(minutes=15)
    start = t.replace(minute=0, second=0, microsecond=0)
    return start + round((t - start) / step) * step
print(quarter(datetime(2024, 1, 1, 10, 7)), quarter(datetime(2024, 1, 1, 10, 8)), quarter(datetime(2024, 1, 1, 10, 53)))
---
# a list of dates of a range, every second one
from datetime import date, timedelta
start, end = date(2024, 12, 28), date(2025, 1, 5)
print([(start + timedelta(n)).isoformat() for n in range(0, (end - start).days + 1, 2)])
---
# comparing a date with a datetime
from datetime import date, datetime
print(date(2024, 1, 1) == datetime(2024, 1, 1), datetime(2024, 1, 1).date() == date(2024, 1, 1))
date(2024, 1, 1) < datetime(2024, 1, 2)
---
from datetime import datetime
datetime.strptime('13/13/2024', '%d/%m/%Y')
---
from datetime import datetime
datetime(2024, 1, 1) + 5
---
from datetime import timedelta
timedelta(days='3')
---
from datetime import datetime, timezone
datetime.now(timezone.utc) - datetime(2024, 1, 1)
---
# time stamps of a log
from datetime import datetime, timezone, timedelta
for stamp in (0, 86399, 1700000000, 1.5, -1):
    print(datetime.fromtimestamp(stamp, tz=timezone.utc).isoformat(), datetime.fromtimestamp(stamp, timezone(timedelta(hours=2))).strftime('%H:%M:%S %z'))
---
# what kinds of things they are
from datetime import date, datetime, time, timedelta, timezone, tzinfo
print([isinstance(x, date) for x in (date.min, datetime.min, time.min)], type(datetime.min).__name__, issubclass(datetime, date), date, timedelta, isinstance(timezone.utc, tzinfo))
---
# dates as keys, in sets, in order
from datetime import date, timedelta
d = date(2024, 1, 1)
visits = {d: 1, d + timedelta(1): 2}
print(visits[date(2024, 1, 2)], date(2024, 1, 1) in visits, len({d, date(2024, 1, 1)}), max(visits), min(visits, key=visits.get))
---
# an order with items
from dataclasses import dataclass, field
from decimal import Decimal
@dataclass
class Item:
    name: str
    price: Decimal
    count: int = 1
    @property
    def total(self):
        return self.price * self.count
@dataclass
class Order:
    items: list[Item] = field(default_factory=list)
    discount: Decimal = Decimal('0')
    def add(self, *args):
        self.items.append(Item(*args))
        return self
    def total(self):
        return sum((i.total for i in self.items), Decimal()) * (1 - self.discount)
o = Order(discount=Decimal('0.1')).add('pen', Decimal('1.50'), 4).add('ink', Decimal('7.25'))
print(o.total(), o.items[0], f'{o.total():.2f}')
---
# a stack machine with an enumeration
from enum import Enum, auto
class Op(Enum):
    PUSH = auto()
    ADD = auto()
    MUL = auto()
def run(code):
    stack = []
    for op, *arg in code:
        match op:
            case Op.PUSH:
                stack.append(arg[0])
            case Op.ADD:
                stack.append(stack.pop() + stack.pop())
            case Op.MUL:
                stack.append(stack.pop() * stack.pop())
    return stack
print(run([(Op.PUSH, 2), (Op.PUSH, 3), (Op.ADD,), (Op.PUSH, 4), (Op.MUL,)]), [op.name for op in Op])
---
# a state machine
from enum import Enum
class State(Enum):
    IDLE = 'idle'
    RUNNING = 'running'
    DONE = 'done'
NEXT = {State.IDLE: {State.RUNNING}, State.RUNNING: {State.DONE, State.IDLE}, State.DONE: set()}
class Job:
    def __init__(self):
        self.state = State.IDLE
    def go(self, to):
        if to not in NEXT[self.state]:
            raise ValueError(f'{self.state.value} -> {to.value}')
        self.state = to
j = Job()
j.go(State.RUNNING)
j.go(State.DONE)
try:
    j.go(State.IDLE)
except ValueError as e:
    print(e, j.state)
---
# priorities
from enum import IntEnum
class Priority(IntEnum):
    LOW = 1
    MEDIUM = 5
    HIGH = 10
tasks = [('b', Priority.LOW), ('a', Priority.HIGH), ('c', Priority.MEDIUM)]
print([n for n, p in sorted(tasks, key=lambda t: -t[1])], Priority.HIGH > Priority.LOW, Priority['LOW'], Priority(5).name, max(p for _, p in tasks))
---
# values from text
from enum import Enum
class Unit(Enum):
    METRE = 'm'
    FOOT = 'ft'
    @property
    def factor(self):
        return {'m': 1.0, 'ft': 0.3048}[self.value]
def convert(text):
    n, u = text.split()
    return float(n) * Unit(u).factor
print(convert('10 ft'), convert('3 m'))
try:
    convert('1 mile')
except ValueError as e:
    print(e)
---
# members as dict keys in JSON
import json
from enum import Enum, IntEnum, StrEnum
class N(IntEnum):
    ONE = 1
class S(StrEnum):
    A = 'a'
print(json.dumps({'n': N.ONE, 's': S.A, 'list': [N.ONE, S.A]}))
---
# a tree of data classes
from __future__ import annotations
from dataclasses import dataclass
@dataclass
class Tree:
    value: int
    left: Tree | None = None
    right: Tree | None = None
    def insert(self, v):
        side = 'left' if v < self.value else 'right'
        child = getattr(self, side)
        if child is None:
            setattr(self, side, Tree(v))
        else:
            child.insert(v)
    def __iter__(self):
        if self.left:
            yield from self.left
        yield self.value
        if self.right:
            yield from self.right
t = Tree(5)
for v in (3, 8, 1, 9, 4):
    t.insert(v)
print(list(t), t.left)
---
# counting with a frozen key
from dataclasses import dataclass
from collections import Counter
@dataclass(frozen=True, order=True)
class Route:
    a: str
    b: str
c = Counter([Route('x', 'y'), Route('x', 'z'), Route('x', 'y')])
print(c.most_common(1), sorted(c), c[Route('x', 'y')])
---
# validation after init
from dataclasses import dataclass
@dataclass
class Email:
    address: str
    def __post_init__(self):
        if '@' not in self.address:
            raise ValueError(f'bad address: {self.address!r}')
        self.address = self.address.lower()
print(Email('A@B.C'))
Email('nobody')
---
# records to and from JSON
import json
from dataclasses import dataclass, asdict, field
@dataclass
class User:
    name: str
    tags: list[str] = field(default_factory=list)
    address: dict = field(default_factory=dict)
text = json.dumps(asdict(User('ann', ['x'], {'city': 'Ulm'})), sort_keys=True)
print(text, User(**json.loads(text)) == User('ann', ['x'], {'city': 'Ulm'}))
---
# an abstract shape
from abc import ABC, abstractmethod
from dataclasses import dataclass
class Shape(ABC):
    @abstractmethod
    def area(self): ...
@dataclass
class Square(Shape):
    side: float
    def area(self):
        return self.side ** 2
print(Square(3).area(), isinstance(Square(1), Shape))
try:
    Shape()
except TypeError as e:
    print(e)
---
# a cached property and a class variable
from dataclasses import dataclass, field
from functools import cached_property, total_ordering
from typing import ClassVar
@total_ordering
@dataclass(eq=False)
class Version:
    text: str
    count: ClassVar[int] = 0
    def __post_init__(self):
        Version.count += 1
    @cached_property
    def parts(self):
        return tuple(int(p) for p in self.text.split('.'))
    def __eq__(self, other):
        return self.parts == other.parts
    def __lt__(self, other):
        return self.parts < other.parts
print(Version('1.10') > Version('1.9'), Version('2.0') >= Version('2.0'), Version.count)
---
# compound interest to the cent
from decimal import Decimal, ROUND_HALF_EVEN
principal, rate = Decimal('2500.00'), Decimal('0.0375')
for year in range(1, 6):
    principal = (principal * (1 + rate)).quantize(Decimal('0.01'), ROUND_HALF_EVEN)
    print(year, f'{principal:,}')
---
# splitting a bill
from decimal import Decimal, ROUND_DOWN
total, people = Decimal('100.00'), 3
share = (total / people).quantize(Decimal('0.01'), rounding=ROUND_DOWN)
shares = [share] * people
left = total - sum(shares)
for i in range(int(left / Decimal('0.01'))):
    shares[i] += Decimal('0.01')
print(shares, sum(shares) == total)
---
# floats and decimals
from decimal import Decimal
print(0.1 + 0.2, Decimal('0.1') + Decimal('0.2'), Decimal(0.1), Decimal(str(0.1)), float(Decimal('0.1')) == 0.1, Decimal('1') / Decimal('3') * 3)
try:
    Decimal('1.1') * 1.1
except TypeError as e:
    print(e)
---
# conversions of currencies with names
from decimal import Decimal, getcontext, setcontext, Context
setcontext(Context())
rates = {'EUR': Decimal('1'), 'USD': Decimal('1.0842'), 'JPY': Decimal('163.27')}
amount = Decimal('49.99')
print({k: str((amount * r).quantize(Decimal('1') if k == 'JPY' else Decimal('0.01'))) for k, r in rates.items()}, getcontext().prec)
---
# the harmonic series, exactly
from fractions import Fraction
s = Fraction(0)
for n in range(1, 11):
    s += Fraction(1, n)
print(s, float(s), f'{s:.6f}')
---
# continued fractions
from fractions import Fraction
import math
def parts(x, n):
    out = []
    for _ in range(n):
        a = math.floor(x)
        out.append(a)
        if x == a:
            break
        x = 1 / (x - a)
    return out
print(parts(Fraction(415, 93), 10), parts(Fraction(math.pi), 6))
---
# egyptian fractions
from fractions import Fraction
import math
def egyptian(f):
    out = []
    while f:
        d = math.ceil(1 / f)
        out.append(d)
        f -= Fraction(1, d)
    return out
print(egyptian(Fraction(7, 15)), egyptian(Fraction(5, 121))[:3])
---
# a report of numbers
import statistics as st
scores = {'ann': [88, 92, 79], 'bob': [75, 80, 91], 'cid': [60, 61, 59]}
for name, xs in sorted(scores.items(), key=lambda kv: -st.mean(kv[1])):
    print(f"{name:<5}{st.mean(xs):>8.2f}{st.median(xs):>5}{st.stdev(xs):>8.3f}{st.pvariance(xs):>9.3f}")
---
# outliers
import statistics
data = [10, 12, 11, 13, 12, 95, 11]
q1, _, q3 = statistics.quantiles(data, n=4)
print(q1, q3, [x for x in data if x > q3 + 1.5 * (q3 - q1)], statistics.median(data), statistics.mode(data))
---
# z scores and a fit
import statistics
xs, ys = [1, 2, 3, 4, 5], [2.1, 3.9, 6.2, 7.8, 10.1]
m, s = statistics.mean(ys), statistics.stdev(ys)
print([round((y - m) / s, 4) for y in ys])
---
# dice, always the same
import random
random.seed(2024)
rolls = [random.randint(1, 6) for _ in range(20)]
print(rolls, random.choice(['a', 'b']), random.sample(range(50), 6), round(random.uniform(1, 2), 6))
deck = [f'{r}{s}' for s in 'SH' for r in 'AKQ']
random.shuffle(deck)
print(deck)
---
# Monte Carlo with a generator of its own
import random
rng = random.Random(99)
inside = sum(1 for _ in range(3000) if rng.random() ** 2 + rng.random() ** 2 <= 1)
print(round(4 * inside / 3000, 3), rng.getrandbits(16))
---
# weighted choices are fair enough
import random
from collections import Counter
rng = random.Random(5)
c = Counter(rng.choices(['red', 'green', 'blue'], weights=[6, 3, 1], k=1000))
print(sorted(c.items()))
---
# passwords and tokens from a fixed seed
import random, string
r = random.Random('secret')
print(''.join(r.choice(string.ascii_letters + string.digits) for _ in range(16)), r.randrange(0, 100, 5))
---
# a random walk
import random
random.seed(3)
pos, seen = 0, [0]
for _ in range(15):
    pos += random.choice((-1, 1))
    seen.append(pos)
print(seen, max(seen), min(seen))
---
# mixed sums
from fractions import Fraction
from decimal import Decimal
print(sum([Fraction(1, 2), 1, 0.5]), sum([Decimal('0.5'), 1]), max(Fraction(1, 3), 0.3), sorted([Decimal('2.5'), 2, Fraction(9, 4)]), round(Fraction(7, 3), 2), abs(Fraction(-1, 2)), pow(Fraction(2, 3), 2))
---
from fractions import Fraction
from decimal import Decimal
Fraction(1, 2) + Decimal(1)
---
from dataclasses import dataclass
@dataclass
class P:
    x: int
P(1).y
---
from dataclasses import dataclass
@dataclass(frozen=True)
class P:
    x: int
P(1).x = 2
---
from dataclasses import dataclass
@dataclass
class P:
    x: int
    y: int
P(1)
---
from dataclasses import dataclass
@dataclass
class P:
    x: int
    y: int
    z: int
P()
---
from dataclasses import dataclass
@dataclass(order=True)
class P:
    x: int
P(1) < (1,)
---
from enum import Enum
class E(Enum):
    A = 1
E.A + 1
---
from enum import Enum
class E(Enum):
    A = 1
E('A')
---
from enum import IntEnum
class E(IntEnum):
    A = 1
E(2)
---
import statistics
statistics.mean([])
---
import statistics
statistics.stdev([1])
---
import random
random.choice([])
---
import random
random.sample([1, 2], 5)
---
from fractions import Fraction
Fraction(1, 0)
---
from datetime import time
time(25)
---
from datetime import timezone, timedelta
timezone(timedelta(hours=25))
---
from datetime import date
date.fromisoformat('01/02/2024')
---
from datetime import datetime
datetime.fromisoformat('2024-01-01T10:00:00+25:00')
---
# private parts of modules are not there for programs
import dataclasses
try:
    dataclasses.nothing
except AttributeError as e:
    print(e)
---
# time zones written and read again
from datetime import datetime, timezone, timedelta
for h in (-11, -3.5, 0, 5.75, 14 - 0.25):
    z = timezone(timedelta(hours=h))
    t = datetime(2024, 3, 10, 6, 7, 8, tzinfo=z)
    text = t.strftime('%Y-%m-%dT%H:%M:%S%z')
    print(text, datetime.strptime(text, '%Y-%m-%dT%H:%M:%S%z') == t, t.tzname(), t.astimezone(timezone.utc).isoformat())
---
# flight: departure, arrival, duration across zones
from datetime import datetime, timezone, timedelta
ny, berlin = timezone(timedelta(hours=-4), 'EDT'), timezone(timedelta(hours=2), 'CEST')
leave = datetime(2024, 7, 1, 18, 30, tzinfo=ny)
arrive = datetime(2024, 7, 2, 8, 15, tzinfo=berlin)
print(arrive - leave, leave.astimezone(berlin).strftime('%a %H:%M %Z'), (leave + (arrive - leave)).astimezone(berlin) == arrive)
---
# loan plan
from decimal import Decimal, ROUND_HALF_UP
rest, rate, pay = Decimal('1000'), Decimal('0.12') / 12, Decimal('88.85')
cent = Decimal('0.01')
n = 0
while rest > 0:
    n += 1
    interest = (rest * rate).quantize(cent, ROUND_HALF_UP)
    rest = max(rest + interest - pay, Decimal('0'))
print(n, rest, interest)
---
# roots by Newton's method, to 40 digits
from decimal import Decimal, localcontext
with localcontext() as c:
    c.prec = 40
    x = Decimal(2)
    for _ in range(8):
        x = (x + 2 / x) / 2
    print(x, x * x, Decimal(2).sqrt() == x)
print(+x)
---
# Unicode month names and spaces in formats
from datetime import datetime
t = datetime(2024, 3, 5)
print(t.strftime('Datum: %d. %B – %Y ✓'), datetime.strptime('5.  3.   2024', '%d. %m. %Y'), t.strftime('%%d'), f'{t:%Y年%m月%d日}')
---
# strptime of many spellings
from datetime import datetime
for text, f in [('Jan 5 2024', '%b %d %Y'), ('5 january 2024', '%d %B %Y'), ('20240105', '%Y%m%d'), ('2024-01-05T06:07:08Z', '%Y-%m-%dT%H:%M:%SZ'), ('6:07 PM', '%I:%M %p'), ('Friday, 05-Jan-24', '%A, %d-%b-%y'), ('2024/5', '%Y/%m'), ('1704434828', '%S')]:
    try:
        print(datetime.strptime(text, f))
    except ValueError as e:
        print(e)
---
# nested data classes, compared, sorted and hashed
from dataclasses import dataclass
@dataclass(frozen=True, order=True)
class Date:
    y: int
    m: int
@dataclass(frozen=True, order=True)
class Event:
    when: Date
    name: str = ''
es = [Event(Date(2024, 5), 'b'), Event(Date(2024, 5), 'a'), Event(Date(2023, 9))]
print(sorted(es)[0], max(es).name, len(set(es + es)), Event(Date(1, 2)) == Event(Date(1, 2)))
---
# a priority queue of data classes
import heapq
from dataclasses import dataclass, field
@dataclass(order=True)
class Job:
    priority: int
    name: str = field(compare=False)
q = []
for p, n in [(3, 'c'), (1, 'a'), (2, 'b'), (1, 'z')]:
    heapq.heappush(q, Job(p, n))
print([heapq.heappop(q).name for _ in range(4)])
---
# enumerations with several attributes
from enum import Enum
class Currency(Enum):
    EUR = ('€', 2)
    JPY = ('¥', 0)
    def __init__(self, sign, digits):
        self.sign = sign
        self.digits = digits
    def show(self, amount):
        return f'{self.sign}{amount:,.{self.digits}f}'
print(Currency.EUR.show(1234.5), Currency.JPY.show(1234.5), [c.sign for c in Currency], Currency(('€', 2)).name)
---
# members keep the order of definition, and aliases point to the first
from enum import Enum
class Shape(Enum):
    SQUARE = 2
    DIAMOND = 1
    CIRCLE = 3
    ALIAS_FOR_SQUARE = 2
print(list(Shape), Shape.ALIAS_FOR_SQUARE, Shape.__members__.keys() >= {'ALIAS_FOR_SQUARE'}, [n for n, m in Shape.__members__.items() if m.name != n])
---
# comparing identity and equality of enumerations
from enum import Enum
class A(Enum):
    X = 1
class B(Enum):
    X = 1
print(A.X is A(1), A.X == B.X, A.X != B.X, A.X == 1, A.X in (A.X, B.X), {A.X: 'a', B.X: 'b'}[B.X])
