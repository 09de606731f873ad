import calendar
print([int(n) for n in calendar.monthrange(2024, 2)], calendar.isleap(2024), calendar.isleap(1900), int(calendar.weekday(2024, 3, 15)), calendar.month_name[3], calendar.day_name[0], calendar.month_abbr[12], calendar.day_abbr[6])
print(list(calendar.month_name), list(calendar.day_abbr), int(calendar.FRIDAY), len(calendar.month_name))
print(calendar.monthcalendar(2024, 2), calendar.monthcalendar(2023, 10), calendar.monthcalendar(2021, 2))
---
# days of the week of a month, last Fridays
import calendar
from datetime import date
print([date(2024, m, max(w[calendar.FRIDAY] for w in calendar.monthcalendar(2024, m))).isoformat() for m in range(1, 13)])
