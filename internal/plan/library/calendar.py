"""Days of months and weeks, and their names. Weeks begin on Monday."""

from datetime import date as _date

MONDAY, TUESDAY, WEDNESDAY, THURSDAY, FRIDAY, SATURDAY, SUNDAY = range(7)

day_name = [_date(2024, 1, i).strftime('%A') for i in range(1, 8)]
day_abbr = [n[:3] for n in day_name]
month_name = [''] + [_date(2024, i, 1).strftime('%B') for i in range(1, 13)]
month_abbr = [n[:3] for n in month_name]


def isleap(year):
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def weekday(year, month, day):
    return _date(year, month, day).weekday()


def monthrange(year, month):
    days = (31, 28 + isleap(year), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
    return weekday(year, month, 1), days[month - 1]


def monthcalendar(year, month):
    first, days = monthrange(year, month)
    cells = [0] * first + list(range(1, days + 1)) + [0] * (-(first + days) % 7)
    return [cells[i:i + 7] for i in range(0, len(cells), 7)]
