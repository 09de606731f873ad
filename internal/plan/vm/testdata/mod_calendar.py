import calendar
print(calendar.monthrange(2024, 2), calendar.isleap(2024), calendar.isleap(1900), calendar.leapdays(2000, 2025), calendar.weekday(2024, 3, 15), calendar.month_name[3], calendar.day_name[0], calendar.month_abbr[12], calendar.day_abbr[6])
print(list(calendar.month_name), list(calendar.day_abbr), calendar.MONDAY, repr(calendar.FEBRUARY), len(calendar.month_name))
print(calendar.monthcalendar(2024, 2))
print(calendar.timegm((2024, 1, 2, 3, 4, 5)), calendar.firstweekday())
---
import calendar
print(calendar.month(2024, 2))
print(calendar.TextCalendar(6).formatmonth(2023, 10, 4, 1))
print(calendar.calendar(2023))
calendar.prmonth(2025, 5)
print(calendar.weekheader(3), calendar.weekheader(10))
---
import calendar
c = calendar.Calendar(firstweekday=6)
print(list(c.iterweekdays()), c.monthdayscalendar(2024, 9), c.monthdays2calendar(2024, 9)[0])
print([str(d) for d in c.itermonthdates(2024, 2)][:9], list(c.itermonthdays4(2024, 1))[:3], len(c.yeardayscalendar(2024)), c.monthdatescalendar(2023, 12)[-1])
---
import calendar
calendar.monthrange(2024, 13)
---
import calendar
calendar.setfirstweekday(7)
---
import calendar
calendar.setfirstweekday(calendar.SUNDAY)
print(calendar.monthcalendar(2024, 2), calendar.firstweekday())
calendar.setfirstweekday(0)
---
# days of the week of a month, last Fridays
import calendar
from datetime import date
print([date(2024, m, max(w[calendar.FRIDAY] for w in calendar.monthcalendar(2024, m))).isoformat() for m in range(1, 13)])
print([m.name for m in calendar.Month][:2], calendar.Day.SUNDAY.value, calendar.Month(2).name)
