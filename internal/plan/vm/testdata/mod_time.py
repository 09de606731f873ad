import time
t = time.gmtime(1700000000)
print(t, t.tm_year, t[1], t.tm_wday, tuple(t), len(t), time.strftime('%Y-%m-%d %H:%M:%S', t), time.mktime(t), time.gmtime(0)[:3], time.gmtime(-1.5)[:6])
print(time.strptime('2024-03-01 10:20', '%Y-%m-%d %H:%M'), time.strftime('%a %j %U %p', time.strptime('5 Feb 24', '%d %b %y')), isinstance(t, tuple), t == tuple(t))
---
import time
time.strptime('x', '%Y')
---
from datetime import date, datetime, timezone
import time
print(date(2024, 1, 2).timetuple(), time.mktime(datetime(2024, 1, 2).timetuple()))
