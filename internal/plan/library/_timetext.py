"""Times as text. Numbers of days, what strftime writes and the matching of what
strptime reads are native: ordinal, from_ordinal, write, scan."""

DAYS = ('Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday')
MONTHS = ('January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September',
          'October', 'November', 'December')


def is_leap(year):
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def iso_calendar(n):
    """The ISO year, week and weekday of the day with this number."""
    weekday = (n - 1) % 7
    thursday = n - weekday + 3
    year, month, day = from_ordinal(thursday)
    return year, (thursday - ordinal(year, 1, 1)) // 7 + 1, weekday + 1


def offset_text(offset, colon):
    """An offset from UTC in microseconds as +HHMM, longer when it has seconds."""
    sign = '-' if offset < 0 else '+'
    seconds, micro = divmod(abs(offset), 1000000)
    text = f'{sign}{seconds // 3600:02d}{colon}{seconds // 60 % 60:02d}'
    if seconds % 60 or micro:
        text += f'{colon}{seconds % 60:02d}'
    if micro:
        text += f'.{micro:06d}'
    return text


def read(text, fmt):
    """Reads a time: (year, month, day, hour, minute, second, micro, weekday, yearday, offset
    in microseconds or None, name of the zone or None)."""
    if not isinstance(text, str):
        raise TypeError(f'strptime() argument 0 must be str, not {type(text)}')
    if not isinstance(fmt, str):
        raise TypeError(f'strptime() argument 1 must be str, not {type(fmt)}')
    found = scan(text, fmt)
    weekday = _weekday(found)
    year, month, day, yearday = _date(found)
    zone = found.get('Z')
    fraction = found.get('f', '')
    return (year, month, day, _hour(found), int(found.get('M', 0)), int(found.get('S', 0)),
            int(fraction + '0' * (6 - len(fraction))), weekday, yearday, _read_offset(found), zone)


_DAY_OF = {name[:n].lower(): i for i, name in enumerate(DAYS) for n in (3, len(name))}
_MONTH_OF = {name[:n].lower(): i + 1 for i, name in enumerate(MONTHS) for n in (3, len(name))}


def _hour(found):
    if 'H' in found:
        return int(found['H'])
    if 'I' in found:
        return int(found['I']) % 12 + {'': 0, 'am': 0, 'pm': 12}[found.get('p', '').lower()]
    return 0


def _weekday(found):
    if 'A' in found:
        return _DAY_OF[found['A'].lower()]
    if 'a' in found:
        return _DAY_OF[found['a'].lower()]
    return None


def _read_offset(found):
    text = found.get('z')
    if text is None:
        return None
    if text == 'Z':
        return 0
    micros = (int(text[1:3]) * 60 + int(text[-2:])) * 60000000
    return -micros if text[0] == '-' else micros


def _date(found):
    """The year, month, day and day of the year that the directives tell."""
    year = int(found['Y']) if 'Y' in found else None
    if 'y' in found:
        year = int(found['y'])
        year += 2000 if year <= 68 else 1900
    name = found.get('B', found.get('b', 'jan'))
    month = int(found['m']) if 'm' in found else _MONTH_OF[name.lower()]
    day = int(found.get('d', 1))
    yearday = int(found['j']) if 'j' in found else None
    guessed = year is None and month == 2 and day == 29
    if year is None:
        year = 1904 if guessed else 1900
    if yearday is not None:
        year, month, day = from_ordinal(ordinal(year, 1, 1) + yearday - 1)
    else:
        check_date(year, month, day)
        yearday = ordinal(year, month, day) - ordinal(year, 1, 1) + 1
    return (1900 if guessed else year), month, day, yearday


def iso_ordinal(year, week, weekday):
    """The number of a day of the ISO calendar."""
    if not 1 <= year <= 9999:
        raise ValueError(f'year must be in 1..9999, not {year}')
    if not 1 <= week <= 52:
        first = (ordinal(year, 1, 1) - 1) % 7
        if week != 53 or not (first == 3 or (first == 2 and is_leap(year))):
            raise ValueError(f'Invalid week: {week}')
    if not 1 <= weekday <= 7:
        raise ValueError(f'Invalid weekday: {weekday} (range is [1, 7])')
    fourth = ordinal(year, 1, 4)
    return fourth - (fourth - 1) % 7 + (week - 1) * 7 + weekday - 1


def days_in_month(year, month):
    return (31, 28 + is_leap(year), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)[month - 1]


def check_date(year, month, day):
    if not 1 <= year <= 9999:
        raise ValueError(f'year must be in 1..9999, not {year}')
    if not 1 <= month <= 12:
        raise ValueError(f'month must be in 1..12, not {month}')
    last = days_in_month(year, month)
    if not 1 <= day <= last:
        raise ValueError(f'day {day} must be in range 1..{last} for month {month} in year {year}')
