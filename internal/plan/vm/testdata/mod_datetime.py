# one line each, part 1
import datetime as D
from datetime import date, time, datetime, timedelta, timezone, tzinfo
def tell(f):
    try:
        print(repr(f()))
    except Exception as e:
        print(type(e).__name__, e)
tell(lambda: date(2020,13,1))
tell(lambda: date(2020,2,30))
tell(lambda: date(0,1,1))
tell(lambda: date(10000,1,1))
tell(lambda: date('a',1,1))
tell(lambda: date(1.5,1,1))
tell(lambda: time(24))
tell(lambda: time(1,60))
tell(lambda: time(1,1,60))
---
# one line each, part 2
import datetime as D
from datetime import date, time, datetime, timedelta, timezone, tzinfo
def tell(f):
    try:
        print(repr(f()))
    except Exception as e:
        print(type(e).__name__, e)
tell(lambda: time(1,1,1,1000000))
tell(lambda: time('a'))
tell(lambda: datetime(2020,1,1,24))
tell(lambda: timedelta('x'))
tell(lambda: timedelta(days=10**9))
---
# one line each, part 3
import datetime as D
from datetime import date, time, datetime, timedelta, timezone, tzinfo
def tell(f):
    try:
        print(repr(f()))
    except Exception as e:
        print(type(e).__name__, e)
tell(lambda: timedelta(float('nan')))
tell(lambda: timedelta(float('inf')))
tell(lambda: date(2020,1,1)+1)
tell(lambda: date(2020,1,1)-1)
tell(lambda: 1-date(2020,1,1))
tell(lambda: date(2020,1,1)<1)
tell(lambda: date(2020,1,1)<datetime(2020,1,1))
tell(lambda: datetime(2020,1,1)<date(2020,1,1))
tell(lambda: datetime(2020,1,1)-date(2020,1,1))
tell(lambda: datetime(2020,1,1)<datetime(2020,1,1,tzinfo=timezone.utc))
tell(lambda: datetime(2020,1,1)-datetime(2020,1,1,tzinfo=timezone.utc))
tell(lambda: datetime(2020,1,1)==datetime(2020,1,1,tzinfo=timezone.utc))
---
# one line each, part 4
import datetime as D
from datetime import date, time, datetime, timedelta, timezone, tzinfo
def tell(f):
    try:
        print(repr(f()))
    except Exception as e:
        print(type(e).__name__, e)
tell(lambda: date.max+timedelta(1))
tell(lambda: datetime.max+timedelta(1))
tell(lambda: datetime.min-timedelta(1))
tell(lambda: date.fromordinal(10**7))
tell(lambda: date.fromisoformat('x'))
tell(lambda: datetime.fromisoformat('2020-13-01'))
tell(lambda: datetime.fromisoformat(3))
tell(lambda: date.fromisoformat('2020-01-01T00'))
tell(lambda: time.fromisoformat('25:00'))
tell(lambda: datetime.fromisoformat('2020-01-01T12:30:61'))
---
# one line each, part 5
import datetime as D
from datetime import date, time, datetime, timedelta, timezone, tzinfo
def tell(f):
    try:
        print(repr(f()))
    except Exception as e:
        print(type(e).__name__, e)
tell(lambda: timedelta(1)/0)
tell(lambda: timedelta(1)//timedelta(0))
tell(lambda: timedelta(1)%timedelta(0))
tell(lambda: timedelta(1)*'a')
tell(lambda: timedelta(1)+1)
tell(lambda: timedelta(1)<1)
tell(lambda: timedelta(1)==1)
tell(lambda: timezone(3))
tell(lambda: timezone(timedelta(1)))
tell(lambda: timezone(timedelta(hours=1),3))
tell(lambda: timezone(timedelta(hours=-5,minutes=-30)))
tell(lambda: str(timezone(timedelta(hours=-5,minutes=-30,seconds=5))))
---
# one line each, part 6
import datetime as D
from datetime import date, time, datetime, timedelta, timezone, tzinfo
def tell(f):
    try:
        print(repr(f()))
    except Exception as e:
        print(type(e).__name__, e)
tell(lambda: timezone(timedelta(hours=1),'X'))
tell(lambda: timezone.utc)
tell(lambda: timezone(timedelta(0)))
tell(lambda: timezone(timedelta(0)) is timezone.utc)
tell(lambda: date(2020,1,1).isocalendar())
tell(lambda: date(2020,1,1).year.foo)
tell(lambda: date(2020,1,1).foo)
tell(lambda: date.foo)
---
# one line each, part 7
import datetime as D
from datetime import date, time, datetime, timedelta, timezone, tzinfo
def tell(f):
    try:
        print(repr(f()))
    except Exception as e:
        print(type(e).__name__, e)
tell(lambda: datetime(2020,1,1).isoformat(timespec='x'))
tell(lambda: datetime(2020,1,1).utcoffset())
tell(lambda: datetime.strptime('2020','%Y-%m'))
tell(lambda: datetime.strptime('2020-01-011','%Y-%m-%d'))
tell(lambda: datetime.strptime('2020','%q'))
tell(lambda: datetime.strptime('2020','%'))
tell(lambda: datetime.strptime('30 Feb 2023','%d %b %Y'))
tell(lambda: datetime.strptime('29 Feb','%d %b'))
tell(lambda: datetime.strptime(3,'%Y'))
tell(lambda: datetime.fromtimestamp('a'))
---
# one line each, part 8
import datetime as D
from datetime import date, time, datetime, timedelta, timezone, tzinfo
def tell(f):
    try:
        print(repr(f()))
    except Exception as e:
        print(type(e).__name__, e)
tell(lambda: date(2020,1,1).replace(month=13))
tell(lambda: date(2020,1,1).strftime(3))
tell(lambda: datetime.combine(1,2))
tell(lambda: datetime.combine(date(2020,1,1),3))
tell(lambda: hash(date(2020,1,1))==hash(date(2020,1,1)))
tell(lambda: date(2020,1,1)==datetime(2020,1,1))
tell(lambda: datetime(2020,1,1)==date(2020,1,1))
tell(lambda: timedelta(1).foo)
tell(lambda: abs(timedelta(-1)))
---
# one line each, part 9
import datetime as D
from datetime import date, time, datetime, timedelta, timezone, tzinfo
def tell(f):
    try:
        print(repr(f()))
    except Exception as e:
        print(type(e).__name__, e)
tell(lambda: divmod(timedelta(10),timedelta(3)))
tell(lambda: +timedelta(1))
tell(lambda: -timedelta(1,2,3))
tell(lambda: bool(timedelta(0)))
tell(lambda: timedelta(hours=1.5)/timedelta(minutes=7))
tell(lambda: timedelta(1)*1.5)
tell(lambda: 2*timedelta(1))
tell(lambda: timedelta(1)/2.5)
tell(lambda: timedelta(microseconds=3)/2)
tell(lambda: timedelta(microseconds=5)//2)
tell(lambda: timedelta(microseconds=-5)//2)
tell(lambda: timedelta(microseconds=0.5))
---
# one line each, part 10
import datetime as D
from datetime import date, time, datetime, timedelta, timezone, tzinfo
def tell(f):
    try:
        print(repr(f()))
    except Exception as e:
        print(type(e).__name__, e)
tell(lambda: timedelta(microseconds=1.5))
tell(lambda: timedelta.max)
tell(lambda: timedelta(1).total_seconds())
tell(lambda: D.UTC)
tell(lambda: (D.MINYEAR, D.MAXYEAR))
tell(lambda: f"{date(2020,1,5):%d/%m/%y}")
tell(lambda: f"{date(2020,1,5)}")
tell(lambda: f"{datetime(2020,1,5):}")
tell(lambda: format(timedelta(1),'x'))
tell(lambda: datetime.utcnow and 1)
---
# one line each, part 11
import datetime as D
from datetime import date, time, datetime, timedelta, timezone, tzinfo
def tell(f):
    try:
        print(repr(f()))
    except Exception as e:
        print(type(e).__name__, e)
tell(lambda: datetime(2020,1,1,1,2,3,4,timezone.utc))
tell(lambda: datetime(2020,1,1,fold=1))
tell(lambda: time())
tell(lambda: time(1,2,3))
tell(lambda: str(time(1,2,3,4)))
tell(lambda: bool(time(0)))
tell(lambda: datetime(2020,1,1).timestamp())
tell(lambda: datetime(2020,1,1,0,0,0,5,timezone.utc).timestamp())
tell(lambda: datetime.fromtimestamp(1.5))
tell(lambda: datetime.fromtimestamp(0.1234567))
tell(lambda: datetime.fromtimestamp(-0.5,timezone.utc))
---
# one line each, part 12
import datetime as D
from datetime import date, time, datetime, timedelta, timezone, tzinfo
def tell(f):
    try:
        print(repr(f()))
    except Exception as e:
        print(type(e).__name__, e)
tell(lambda: date.fromtimestamp(86400*3))
tell(lambda: datetime.fromisoformat('2020-01-01 00:00:00+05:30'))
tell(lambda: datetime.fromisoformat('20200101T000000.5Z'))
tell(lambda: time.fromisoformat('T04:05:06,789'))
tell(lambda: time.fromisoformat('04'))
tell(lambda: time.fromisoformat('0405'))
---
# one line each, part 13
import datetime as D
from datetime import date, time, datetime, timedelta, timezone, tzinfo
def tell(f):
    try:
        print(repr(f()))
    except Exception as e:
        print(type(e).__name__, e)
tell(lambda: datetime(1,1,1).strftime('%Y %y %G'))
tell(lambda: datetime(2020,1,5,15,4,5,6).strftime('%-d %-m %-I %e %p %D %F %T %R %r %h %q %c %x %X %U %W %w %u %j %f %% %:z %z|%Z|%+|%'))
tell(lambda: datetime(2020,1,5,15,tzinfo=timezone(timedelta(hours=-3,minutes=-30))).strftime('%z %:z %Z'))
tell(lambda: date(2020,1,5).strftime('%H:%M %f %z'))
tell(lambda: time(5,6).strftime('%Y-%m-%d %H:%M %j %a'))
tell(lambda: date(2020,1,5).strftime('é€'))
tell(lambda: date(2020,1,5).strftime(''))
---
# a plan of a week
from datetime import date, timedelta
start = date(2024, 2, 26)
for i in range(7):
    d = start + timedelta(days=i)
    print(d.strftime('%A %d %B %Y'), d.isoformat(), d.weekday(), d.isoweekday(), (d - start).days)
---
# arithmetic of dates
from datetime import date, timedelta
a, b = date(2024, 3, 1), date(2023, 3, 1)
print(a - b, (a - b).days, a > b, max(a, b), sorted([a, b]), a.replace(year=2020), b + timedelta(weeks=2), a - timedelta(1))
print(a.year, a.month, a.day, a.toordinal(), date.fromordinal(738000))
print(date.min, date.max, {a: 1}[date(2024, 3, 1)], a == date(2024, 3, 1), a != b, hash(a) == hash(date(2024, 3, 1)))
---
# arithmetic of datetimes
from datetime import datetime, timedelta
t = datetime(2024, 12, 31, 23, 59, 59, 999999)
print(t + timedelta(microseconds=1), t - timedelta(hours=36), t - datetime(2024, 1, 1), t.date(), t.time(), t.replace(minute=0))
print(datetime(2024, 1, 1) + timedelta(days=1.5, hours=2.25), datetime.combine(t.date(), t.time()) == t, t > datetime(2024, 1, 1))
print((datetime(2024, 3, 10, 14) - datetime(2024, 3, 9, 9, 30)).total_seconds() / 3600, t.isoformat(), t.isoformat(' ', 'minutes'), t.isoformat(timespec='milliseconds'))
---
# time zones
from datetime import datetime, timedelta, timezone, UTC
est = timezone(timedelta(hours=-5), 'EST')
ist = timezone(timedelta(hours=5, minutes=30))
a = datetime(2024, 6, 1, 12, 0, tzinfo=UTC)
b = a.astimezone(est)
c = a.astimezone(ist)
print(a, b, c, a == b == c, b.tzname(), c.tzname(), b.utcoffset(), c.isoformat(), b - a, hash(a) == hash(b))
print(repr(b), a.timestamp() == c.timestamp(), b.date(), a.astimezone(est).hour, sorted([c, b, a]) == [c, b, a])
print(datetime.fromtimestamp(1700000000, tz=UTC), datetime.fromtimestamp(1700000000, ist), datetime(2024, 1, 1, tzinfo=est) < a)
---
# what subclasses keep
from datetime import date, datetime, timedelta
class Day(date):
    def weekend(self):
        return self.weekday() >= 5
d = Day(2024, 6, 1)
e = d + timedelta(1)
print(d.weekend(), type(e).__name__, e.weekend(), repr(e), d.replace(day=3).weekend(), Day.fromisoformat('2024-06-03').weekend(), isinstance(d, date))
class Stamp(datetime):
    pass
s = Stamp(2024, 1, 1, 5)
print(repr(s + timedelta(hours=1)), type(Stamp.strptime('2024', '%Y')).__name__, repr(s.date()))
---
# age
from datetime import date
def age(born, on):
    return on.year - born.year - ((on.month, on.day) < (born.month, born.day))
print(age(date(1990, 5, 17), date(2024, 5, 16)), age(date(1990, 5, 17), date(2024, 5, 17)))
---
# working days, groups by month
from datetime import date, timedelta
d, n = date(2024, 1, 1), 0
while d < date(2024, 4, 1):
    n += d.weekday() < 5
    d += timedelta(days=1)
print(n)
months = {}
for i in range(0, 400, 13):
    x = date(2023, 11, 20) + timedelta(i)
    months.setdefault(x.strftime('%Y-%m'), []).append(x.day)
print(months)
---
# formats
from datetime import datetime
t = datetime(2024, 2, 3, 4, 5, 6, 78)
for f in ('%Y-%m-%dT%H:%M:%S.%fZ', '%d/%m/%y %I:%M %p', '%a %b %e', '%A, %B %-d', '%j %U %W %V %G %u %w', '%c|%x|%X', '%H%M%S', '100%%', '', 'no directive', '%y%m%d', "o'clock %-I"):
    print(t.strftime(f), f"{t:%d.%m.%Y}", format(t, '%H:%M'))
---
# parsing
from datetime import datetime, date, time
for text, f in [('2024-02-03', '%Y-%m-%d'), ('03/02/24', '%d/%m/%y'), ('Feb 3, 2024 4:05 PM', '%b %d, %Y %I:%M %p'), ('saturday 3 FEBRUARY 2024', '%A %d %B %Y'),
                ('20240203T040506', '%Y%m%dT%H%M%S'), ('2024-034', '%Y-%j'), ('12:30:01.5', '%H:%M:%S.%f'),
                ('2024-02-03 04:05:06+0530', '%Y-%m-%d %H:%M:%S%z'), ('2024-02-03 04:05:06-03:30', '%Y-%m-%d %H:%M:%S%z'), ('2024-02-03Z', '%Y-%m-%d%z'), ('12 AM', '%I %p'), ('12 PM', '%I %p'),
                ('  2024   1', ' %Y %m'), ('1 1 1', '%d %m %H'), ('11', '%m%d'), ('111', '%m%d'), ('69 68', '%y %m'), ('99', '%y'), ('10:61', '%H:%M'), ('1999-1-1x', '%Y-%m-%d'),
                ('2024 UTC', '%Y %Z'), ('Mon', '%a'), ('2024-13', '%Y-%m'), ('', '%Y'), ('5%', '%d%%'), ('2024-02-30', '%Y-%m-%d'), ('Tue Feb  3 04:05:06 2024', '%c'), ('02/03/24', '%x'), ('2024-366', '%Y-%j'), ('2023-366', '%Y-%j'), ('x', 'x'), ('X', 'x')]:
    try:
        print(text, repr(datetime.strptime(text, f)))
    except ValueError as e:
        print(text, e)
---
# errors that are caught
from datetime import datetime, date
def parse(s):
    for f in ('%Y-%m-%d', '%d.%m.%Y', '%B %d, %Y'):
        try:
            return datetime.strptime(s, f).date()
        except ValueError:
            pass
    return None
print([parse(s) for s in ('2024-01-05', '5.1.2024', 'January 5, 2024', 'nope')])
---
# generated: dates and ordinals
from datetime import date, timedelta
n = 7
for i in range(400):
    n = (n * 1103515245 + 12345) % 2147483648
    k = n % 3652059 + 1
    d = date.fromordinal(k)
    assert d.toordinal() == k
    print(d, d.weekday(), tuple(d.isocalendar()), d.strftime('%j %U %W %a %b %V %G'), d.replace(day=1))
---
# generated: arithmetic
from datetime import datetime, timedelta
n = 11
def draw(k):
    global n
    n = (n * 6364136223846793005 + 1442695040888963407) % 2 ** 64
    return (n >> 33) % k
for i in range(300):
    a = datetime(1900 + draw(200), 1 + draw(12), 1 + draw(28), draw(24), draw(60), draw(60), draw(1000000))
    b = datetime(1900 + draw(200), 1 + draw(12), 1 + draw(28), draw(24), draw(60), draw(60))
    d = a - b
    k = draw(50) - 25
    f = (draw(2000) - 1000) / 64
    print(a, d, b + d == a, d.days, d.seconds, d.microseconds, d * k, d * f, d // 7, d / 3, repr(a - d / 2), d.total_seconds(), a < b)
    print(a.strftime('%y%m%d %I%p %H:%M:%S.%f %c'), a.isoformat(timespec='milliseconds'), datetime.fromisoformat(a.isoformat()) == a, datetime.strptime(str(b), '%Y-%m-%d %H:%M:%S') == b, b.timestamp())
    e = timedelta(days=draw(100) / 7, hours=draw(1000) / 3, microseconds=draw(1000) / 2)
    print(repr(e), str(-e), d % timedelta(hours=5), divmod(d, timedelta(days=3)))
---
# generated: time zones
from datetime import datetime, timedelta, timezone
n = 5
def draw(k):
    global n
    n = (n * 6364136223846793005 + 1442695040888963407) % 2 ** 64
    return (n >> 33) % k
for i in range(150):
    z = timezone(timedelta(minutes=draw(2879) - 1439))
    y = timezone(timedelta(seconds=draw(172799) - 86399))
    a = datetime(1970 + draw(80), 1 + draw(12), 1 + draw(28), draw(24), draw(60), draw(60), draw(1000000), tzinfo=z)
    b = a.astimezone(y)
    print(a, b, a == b, b.isoformat(), a.timestamp(), b.strftime('%z %Z %:z'), datetime.fromisoformat(b.isoformat()) == a, a - datetime(2000, 1, 1, tzinfo=y), datetime.fromtimestamp(a.timestamp(), y))
---
# ISO texts
from datetime import datetime, date, time
for s in ['2024-01-05', '2024-001', '2024-1-5', '2024-01-05T10', '2024-01-05T10:20', '2024-01-05T1020', '2024-01-05T10:20:30', '2024-01-05 10:20:30.5', '2024-01-05T10:20:30,123456789',
          '2024-01-05T10:20Z', '2024-01-05T10:20+01', '2024-01-05T10:20+01:30:15', '2024-01-05T10:20-0130', '2024-01-05T', '2024-01-05T10:2', '2024-01-05T25:00', '2024-01-05T10:20:30+24:00', '2024-01-05x10:20', '2024-01-05T10:20:30Zx', '', '2024', 'T10']:
    for kind in (date, datetime, time):
        try:
            print(s, repr(kind.fromisoformat(s)))
        except ValueError as e:
            print(s, kind.__name__, e)
