from datetime import datetime, timedelta, timezone, date, time
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError
import zoneinfo
b, n, t = ZoneInfo("Europe/Berlin"), ZoneInfo("America/New_York"), ZoneInfo("Asia/Tokyo")
for d in [datetime(2026, 1, 15, 12), datetime(2026, 7, 15, 12), datetime(2026, 3, 29, 2, 30), datetime(2026, 3, 29, 3), datetime(2026, 3, 29, 1, 59, 59), datetime(2026, 10, 25, 2, 30), datetime(2026, 10, 25, 2, 30, fold=1), datetime(2026, 3, 29, 2, 30, fold=1), datetime(1950, 1, 1), datetime(2400, 7, 1)]:
    for z in (b, n, t, ZoneInfo("UTC")):
        x = d.replace(tzinfo=z)
        print(x, x.utcoffset(), x.dst(), x.tzname(), x.astimezone(timezone.utc), x.timestamp(), x.astimezone(n), x.astimezone(n).fold)
print(b, repr(b), b.key, ZoneInfo("Europe/Berlin") is b, b == n, datetime(2026, 6, 1, tzinfo=b) - datetime(2026, 6, 1, tzinfo=n), datetime(2026, 6, 1, tzinfo=b) < datetime(2026, 6, 1, tzinfo=n), datetime(2026, 6, 1, 12, tzinfo=b) == datetime(2026, 6, 1, 6, tzinfo=n))
for h in range(4):
    u = datetime(2026, 10, 25, h, 30, tzinfo=timezone.utc)
    print(u.astimezone(b), u.astimezone(b).fold, u.astimezone(b).strftime("%Z %z %H:%M"), u.astimezone(b).isoformat())
print(datetime(2026, 3, 28, 12, tzinfo=b) + timedelta(days=1), datetime.fromtimestamp(0, b), time(12, tzinfo=b), datetime.combine(date(2026, 7, 1), time(9), tzinfo=n))
for key in ("Nope/Where", "europe/berlin x"):
    try:
        ZoneInfo(key)
    except ZoneInfoNotFoundError as e:
        print(type(e).__name__, e, isinstance(e, KeyError))
