"""Calendars as lists and as text."""

import datetime as _datetime
import enum as _enum
import _timetext as _text

__all__ = ['IllegalMonthError', 'IllegalWeekdayError', 'setfirstweekday', 'firstweekday', 'isleap', 'leapdays',
           'weekday', 'monthrange', 'monthcalendar', 'prmonth', 'month', 'prcal', 'calendar', 'timegm', 'month_name',
           'month_abbr', 'standalone_month_name', 'standalone_month_abbr', 'day_name', 'day_abbr', 'Calendar',
           'TextCalendar', 'weekheader', 'Day', 'Month', 'JANUARY', 'FEBRUARY', 'MARCH', 'APRIL', 'MAY', 'JUNE',
           'JULY', 'AUGUST', 'SEPTEMBER', 'OCTOBER', 'NOVEMBER', 'DECEMBER', 'MONDAY', 'TUESDAY', 'WEDNESDAY',
           'THURSDAY', 'FRIDAY', 'SATURDAY', 'SUNDAY']

error = ValueError


class IllegalMonthError(ValueError, IndexError):

    def __init__(self, month):
        self.month = month

    def __str__(self):
        return f'bad month number {self.month!r}; must be 1-12'


class IllegalWeekdayError(ValueError):

    def __init__(self, weekday):
        self.weekday = weekday

    def __str__(self):
        return f'bad weekday number {self.weekday!r}; must be 0 (Monday) to 6 (Sunday)'


class Month(_enum.IntEnum):
    JANUARY = 1
    FEBRUARY = 2
    MARCH = 3
    APRIL = 4
    MAY = 5
    JUNE = 6
    JULY = 7
    AUGUST = 8
    SEPTEMBER = 9
    OCTOBER = 10
    NOVEMBER = 11
    DECEMBER = 12

    def __repr__(self):
        return f'calendar.{self._name_}'


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


JANUARY, FEBRUARY, MARCH, APRIL, MAY, JUNE, JULY, AUGUST, SEPTEMBER, OCTOBER, NOVEMBER, DECEMBER = Month
MONDAY, TUESDAY, WEDNESDAY, THURSDAY, FRIDAY, SATURDAY, SUNDAY = Day


class _Names:
    """A sequence of names that is not changed."""

    def __init__(self, names):
        self._names = names

    def __getitem__(self, i):
        return self._names[i]

    def __len__(self):
        return len(self._names)

    def __iter__(self):
        return iter(self._names)

    def __contains__(self, name):
        return name in self._names

    def index(self, name):
        return self._names.index(name)


day_name = _Names(list(_text.DAYS))
day_abbr = _Names([n[:3] for n in _text.DAYS])
month_name = _Names([''] + list(_text.MONTHS))
month_abbr = _Names([''] + [n[:3] for n in _text.MONTHS])
standalone_month_name = month_name
standalone_month_abbr = month_abbr


def isleap(year):
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def leapdays(y1, y2):
    y1 -= 1
    y2 -= 1
    return (y2 // 4 - y1 // 4) - (y2 // 100 - y1 // 100) + (y2 // 400 - y1 // 400)


def weekday(year, month, day):
    if not 1 <= year <= 9999:
        year = 2000 + year % 400
    return Day(_datetime.date(year, month, day).weekday())


def _check_month(month):
    if not 1 <= month <= 12:
        raise IllegalMonthError(month)


def monthrange(year, month):
    _check_month(month)
    return weekday(year, month, 1), _length(year, month)


def _length(year, month):
    return _text.days_in_month(year, month)


def _before(year, month):
    return (year - 1, 12) if month == 1 else (year, month - 1)


def _after(year, month):
    return (year + 1, 1) if month == 12 else (year, month + 1)


class Calendar:

    def __init__(self, firstweekday=0):
        self.firstweekday = firstweekday

    def getfirstweekday(self):
        return self._firstweekday % 7

    def setfirstweekday(self, firstweekday):
        self._firstweekday = firstweekday

    firstweekday = property(getfirstweekday, setfirstweekday)

    def iterweekdays(self):
        for i in range(self.firstweekday, self.firstweekday + 7):
            yield i % 7

    def itermonthdays(self, year, month):
        first, days = monthrange(year, month)
        before = (first - self.firstweekday) % 7
        yield from [0] * before
        yield from range(1, days + 1)
        yield from [0] * ((self.firstweekday - first - days) % 7)

    def itermonthdays2(self, year, month):
        for i, d in enumerate(self.itermonthdays(year, month), self.firstweekday):
            yield d, i % 7

    def itermonthdays3(self, year, month):
        first, days = monthrange(year, month)
        before = (first - self.firstweekday) % 7
        y, m = _before(year, month)
        end = _length(y, m) + 1
        for d in range(end - before, end):
            yield y, m, d
        for d in range(1, days + 1):
            yield year, month, d
        y, m = _after(year, month)
        for d in range(1, (self.firstweekday - first - days) % 7 + 1):
            yield y, m, d

    def itermonthdays4(self, year, month):
        for i, (y, m, d) in enumerate(self.itermonthdays3(year, month)):
            yield y, m, d, (self.firstweekday + i) % 7

    def itermonthdates(self, year, month):
        for y, m, d in self.itermonthdays3(year, month):
            yield _datetime.date(y, m, d)

    def monthdatescalendar(self, year, month):
        return _weeks(list(self.itermonthdates(year, month)))

    def monthdays2calendar(self, year, month):
        return _weeks(list(self.itermonthdays2(year, month)))

    def monthdayscalendar(self, year, month):
        return _weeks(list(self.itermonthdays(year, month)))

    def yeardatescalendar(self, year, width=3):
        return _rows([self.monthdatescalendar(year, m) for m in range(1, 13)], width)

    def yeardays2calendar(self, year, width=3):
        return _rows([self.monthdays2calendar(year, m) for m in range(1, 13)], width)

    def yeardayscalendar(self, year, width=3):
        return _rows([self.monthdayscalendar(year, m) for m in range(1, 13)], width)


def _weeks(days):
    return [days[i:i + 7] for i in range(0, len(days), 7)]


def _rows(months, width):
    return [months[i:i + width] for i in range(0, len(months), width)]


class TextCalendar(Calendar):

    def prweek(self, theweek, width):
        print(self.formatweek(theweek, width), end='')

    def formatday(self, day, weekday, width):
        return (f'{day:2}' if day else '').center(width)

    def formatweek(self, theweek, width):
        return ' '.join([self.formatday(d, w, width) for d, w in theweek])

    def formatweekday(self, day, width):
        names = day_name if width >= 9 else day_abbr
        return names[day][:width].center(width)

    def formatweekheader(self, width):
        return ' '.join([self.formatweekday(i, width) for i in self.iterweekdays()])

    def formatmonthname(self, theyear, themonth, width, withyear=True):
        _check_month(themonth)
        text = month_name[themonth]
        return (f'{text} {theyear!r}' if withyear else text).center(width)

    def prmonth(self, theyear, themonth, w=0, l=0):
        print(self.formatmonth(theyear, themonth, w, l), end='')

    def formatmonth(self, theyear, themonth, w=0, l=0):
        w, l = max(2, w), max(1, l)
        lines = [self.formatmonthname(theyear, themonth, 7 * (w + 1) - 1).rstrip(), self.formatweekheader(w).rstrip()]
        for week in self.monthdays2calendar(theyear, themonth):
            lines.append(self.formatweek(week, w).rstrip())
        return ''.join([line + '\n' * l for line in lines])

    def formatyear(self, theyear, w=2, l=1, c=6, m=3):
        w, l, c = max(2, w), max(1, l), max(2, c)
        width = (w + 1) * 7 - 1
        gap = ' ' * c
        out = [repr(theyear).center(width * m + c * (m - 1)).rstrip(), '\n' * l]
        header = self.formatweekheader(w)
        for i, row in enumerate(self.yeardays2calendar(theyear, m)):
            months = range(m * i + 1, min(m * (i + 1) + 1, 13))
            out.append('\n' * l)
            out.append(gap.join([self.formatmonthname(theyear, k, width, False).center(width) for k in months]).rstrip())
            out.append('\n' * l)
            out.append(gap.join([header.center(width) for k in months]).rstrip())
            out.append('\n' * l)
            for j in range(max([len(weeks) for weeks in row])):
                cells = ['' if j >= len(weeks) else self.formatweek(weeks[j], w) for weeks in row]
                out.append(gap.join([cell.center(width) for cell in cells]).rstrip())
                out.append('\n' * l)
        return ''.join(out)

    def pryear(self, theyear, w=0, l=0, c=6, m=3):
        print(self.formatyear(theyear, w, l, c, m), end='')


_shared = TextCalendar()


def firstweekday():
    return _shared.firstweekday


def setfirstweekday(firstweekday):
    if not MONDAY <= firstweekday <= SUNDAY:
        raise IllegalWeekdayError(firstweekday)
    _shared.firstweekday = firstweekday


monthcalendar = _shared.monthdayscalendar
prweek = _shared.prweek
week = _shared.formatweek
weekheader = _shared.formatweekheader
prmonth = _shared.prmonth
month = _shared.formatmonth
calendar = _shared.formatyear
prcal = _shared.pryear

EPOCH = 1970


def timegm(tuple):
    year, month, day, hour, minute, second = tuple[:6]
    days = _text.ordinal(year, month, 1) - 719163 + day - 1
    return ((days * 24 + hour) * 60 + minute) * 60 + second
