"""Days of months and weeks, and their names. Weeks begin on Monday."""

import datetime as _datetime
import enum as _enum
import _timetext as _text


class Day(_enum.IntEnum):
    MONDAY = 0
    TUESDAY = 1
    WEDNESDAY = 2
    THURSDAY = 3
    FRIDAY = 4
    SATURDAY = 5
    SUNDAY = 6

    def __repr__(self):
        return f'calendar.{self._name_}'


MONDAY, TUESDAY, WEDNESDAY, THURSDAY, FRIDAY, SATURDAY, SUNDAY = Day

day_name = list(_text.DAYS)
day_abbr = [n[:3] for n in _text.DAYS]
month_name = [''] + list(_text.MONTHS)
month_abbr = [''] + [n[:3] for n in _text.MONTHS]


class IllegalMonthError(ValueError, IndexError):
    def __init__(self, month):
        self.month = month

    def __str__(self):
        return f'bad month number {self.month!r}; must be 1-12'


def isleap(year):
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def weekday(year, month, day):
    return Day(_datetime.date(year, month, day).weekday())


def monthrange(year, month):
    if not 1 <= month <= 12:
        raise IllegalMonthError(month)
    return weekday(year, month, 1), _text.days_in_month(year, month)


def monthcalendar(year, month):
    first, days = monthrange(year, month)
    cells = [0] * first + list(range(1, days + 1)) + [0] * (-(first + days) % 7)
    return [cells[i:i + 7] for i in range(0, len(cells), 7)]


def timegm(tuple):
    year, month, day, hour, minute, second = tuple[:6]
    days = _text.ordinal(year, month, 1) - 719163 + day - 1
    return ((days * 24 + hour) * 60 + minute) * 60 + second
