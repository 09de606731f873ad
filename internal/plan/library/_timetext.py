"""Times as text by a format with % directives: what strftime writes and strptime
reads, in the C locale, as CPython with glibc does."""

DAYS = ('Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday')
MONTHS = ('January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September',
          'October', 'November', 'December')


def ordinal(year, month, day):
    """The number of a day; 0001-01-01 is 1. Years are counted from March."""
    year -= month <= 2
    era = year // 400
    in_era = year - era * 400
    in_year = (153 * ((month + 9) % 12) + 2) // 5 + day - 1
    return era * 146097 + in_era * 365 + in_era // 4 - in_era // 100 + in_year - 305


def from_ordinal(n):
    """The year, month and day of the day with this number."""
    era, in_era = divmod(n + 305, 146097)
    year = (in_era - in_era // 1460 + in_era // 36524 - in_era // 146096) // 365
    in_year = in_era - (365 * year + year // 4 - year // 100)
    part = (5 * in_year + 2) // 153
    month = (part + 2) % 12 + 1
    return year + era * 400 + (month <= 2), month, in_year - (153 * part + 2) // 5 + 1


def is_leap(year):
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def iso_calendar(n):
    """The ISO year, week and weekday of the day with this number."""
    weekday = (n - 1) % 7
    thursday = n - weekday + 3
    year, month, day = from_ordinal(thursday)
    return year, (thursday - ordinal(year, 1, 1)) // 7 + 1, weekday + 1


class Fields:
    """What a time is written from. offset is in microseconds, or None; zone its name, or None."""

    def __init__(self, year, month, day, hour, minute, second, micro, weekday, yearday, offset, zone):
        self.year = year
        self.month = month
        self.day = day
        self.hour = hour
        self.minute = minute
        self.second = second
        self.micro = micro
        self.weekday = weekday
        self.yearday = yearday
        self.offset = offset
        self.zone = zone


# How numbers are written: what of the fields, how wide, with what it is filled.
_NUMBERS = {
    'C': (lambda f: f.year // 100, 2, '0'),
    'd': (lambda f: f.day, 2, '0'),
    'e': (lambda f: f.day, 2, ' '),
    'G': (lambda f: iso_calendar(ordinal(f.year, 1, 1) + f.yearday - 1)[0], 4, '0'),
    'g': (lambda f: iso_calendar(ordinal(f.year, 1, 1) + f.yearday - 1)[0] % 100, 2, '0'),
    'H': (lambda f: f.hour, 2, '0'),
    'I': (lambda f: (f.hour + 11) % 12 + 1, 2, '0'),
    'j': (lambda f: f.yearday, 3, '0'),
    'k': (lambda f: f.hour, 2, ' '),
    'l': (lambda f: (f.hour + 11) % 12 + 1, 2, ' '),
    'M': (lambda f: f.minute, 2, '0'),
    'm': (lambda f: f.month, 2, '0'),
    'S': (lambda f: f.second, 2, '0'),
    's': (lambda f: (ordinal(f.year, 1, 1) + f.yearday - 719164) * 86400 + f.hour * 3600 + f.minute * 60
          + f.second, 1, '0'),
    'U': (lambda f: (f.yearday + 6 - (f.weekday + 1) % 7) // 7, 2, '0'),
    'u': (lambda f: f.weekday + 1, 1, '0'),
    'V': (lambda f: iso_calendar(ordinal(f.year, 1, 1) + f.yearday - 1)[1], 2, '0'),
    'W': (lambda f: (f.yearday + 6 - f.weekday) // 7, 2, '0'),
    'w': (lambda f: (f.weekday + 1) % 7, 1, '0'),
    'Y': (lambda f: f.year, 4, '0'),
    'y': (lambda f: f.year % 100, 2, '0'),
}

_WORDS = {
    'A': lambda f: DAYS[f.weekday],
    'a': lambda f: DAYS[f.weekday][:3],
    'B': lambda f: MONTHS[f.month - 1],
    'b': lambda f: MONTHS[f.month - 1][:3],
    'h': lambda f: MONTHS[f.month - 1][:3],
    'p': lambda f: ('AM', 'PM')[f.hour >= 12],
    'P': lambda f: ('am', 'pm')[f.hour >= 12],
    'n': lambda f: '\n',
    't': lambda f: '\t',
    '%': lambda f: '%',
}

_COMPOUND = {
    'c': '%a %b %e %H:%M:%S %Y', 'D': '%m/%d/%y', 'F': '%Y-%m-%d', 'R': '%H:%M', 'r': '%I:%M:%S %p',
    'T': '%H:%M:%S', 'X': '%H:%M:%S', 'x': '%m/%d/%y',
}


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


def write(fmt, fields):
    """Writes the fields as fmt says."""
    out = []
    at = 0
    while True:
        found = fmt.find('%', at)
        if found < 0:
            out.append(fmt[at:])
            return ''.join(out)
        out.append(fmt[at:found])
        at, text = _directive(fmt, found + 1, fields)
        out.append(text)


def _directive(fmt, at, fields):
    """Writes the directive whose % is before at; returns where it ends, too."""
    start = at
    flag = ''
    while at < len(fmt) and fmt[at] in '-_0^#':
        flag = fmt[at]
        at += 1
    width = ''
    while at < len(fmt) and fmt[at] in '0123456789':
        width += fmt[at]
        at += 1
    if at < len(fmt) and fmt[at] in 'EO':
        at += 1
    if at >= len(fmt):
        return at, '%' + fmt[start:]
    letter = fmt[at]
    at += 1
    if at - start == 1:
        if letter == 'f':
            return at, f'{fields.micro:06d}'
        if letter == 'z':
            return at, '' if fields.offset is None else offset_text(fields.offset, '')
        if letter == 'Z':
            return at, fields.zone or ''
        if letter == ':' and fmt[at:at + 1] == 'z':
            return at + 1, '' if fields.offset is None else offset_text(fields.offset, ':')
    if letter in _NUMBERS:
        value, size, fill = _NUMBERS[letter]
        return at, _number(value(fields), size, fill, flag, width)
    if letter in _COMPOUND:
        text = write(_COMPOUND[letter], fields)
    elif letter in _WORDS:
        text = _WORDS[letter](fields)
    elif letter == 'Z':
        text = fields.zone or ''
    elif letter == 'z':
        text = '' if fields.offset is None else offset_text(fields.offset, '')
    else:
        return at, '%' + fmt[start:at]
    if flag == '^':
        text = text.upper()
    elif flag == '#':
        text = text.lower() if letter in 'pZ' else text.upper()
    if width:
        text = text.rjust(min(int(width), 1000), '0' if flag == '0' else ' ')
    return at, text


def _number(n, size, fill, flag, width):
    if flag == '-' and not width:
        return str(n)
    if flag == '_':
        fill = ' '
    elif flag == '0':
        fill = '0'
    if width:
        size = min(int(width), 1000)
    if n < 0:
        return '-' + str(-n).rjust(size - 1, fill)
    return str(n).rjust(size, fill)


# What strptime accepts for a directive: the texts in the order in which they are tried.
def _digits(text, at, low, high, *, space=False):
    """Where one or two digits that make a number from low to high may end: the longer first."""
    out = []
    two = text[at:at + 2]
    if len(two) == 2 and _decimal(two) and low <= int(two) <= high:
        out.append(at + 2)
    one = text[at:at + 1]
    if one and _decimal(one) and low <= int(one) <= high:
        out.append(at + 1)
    if space and len(two) == 2 and two[0] == ' ' and _decimal(two[1]) and low <= int(two[1]) <= high:
        out.append(at + 2)
    return out


def _decimal(text):
    """Whether all characters are decimal digits, of any script."""
    return text.isdecimal()


def _fixed(text, at, n):
    part = text[at:at + n]
    return [at + n] if len(part) == n and _decimal(part) else []


def _yearday(text, at):
    out = []
    three = text[at:at + 3]
    if len(three) == 3 and _decimal(three) and 1 <= int(three) <= 366:
        out.append(at + 3)
    return out + _digits(text, at, 1, 99)


def _fraction(text, at):
    end = at
    while end < len(text) and end < at + 6 and text[end] in '0123456789':
        end += 1
    return list(range(end, at, -1))


def _names(text, at, names):
    lower = text[at:at + 12].lower()
    return [at + len(n) for n in sorted(names, key=len, reverse=True) if lower.startswith(n.lower())]


def _offset(text, at):
    """±HH:MM with seconds and a fraction that may be left out, or Z."""
    if text[at:at + 1] == 'Z':
        return [at + 1]
    if text[at:at + 1] not in ('+', '-') or not _fixed(text, at + 1, 2):
        return []
    out = []
    at += 3
    for start in _after_colon(text, at):
        end = _sixty(text, start)
        if end is None:
            continue
        for second in _after_colon(text, end):
            last = _sixty(text, second)
            if last is None:
                continue
            if text[last:last + 1] == '.':
                stop = last + 1
                while stop < len(text) and stop < last + 7 and _decimal(text[stop]):
                    stop += 1
                out.extend(range(stop, last + 1, -1))
            out.append(last)
        out.append(end)
    return out


def _after_colon(text, at):
    return [at + 1, at] if text[at:at + 1] == ':' else [at]


def _sixty(text, at):
    part = text[at:at + 2]
    return at + 2 if len(part) == 2 and part[0] in '012345' and _decimal(part[1]) else None


_READ = {
    'd': lambda t, a: _digits(t, a, 1, 31, space=True),
    'f': _fraction,
    'H': lambda t, a: _digits(t, a, 0, 23, space=True),
    'I': lambda t, a: _digits(t, a, 1, 12, space=True),
    'G': lambda t, a: _fixed(t, a, 4),
    'j': _yearday,
    'm': lambda t, a: _digits(t, a, 1, 12),
    'M': lambda t, a: _digits(t, a, 0, 59),
    'S': lambda t, a: _digits(t, a, 0, 61),
    'U': lambda t, a: _digits(t, a, 0, 53),
    'W': lambda t, a: _digits(t, a, 0, 53),
    'w': lambda t, a: [e for e in _fixed(t, a, 1) if '0' <= t[a] <= '6'],
    'u': lambda t, a: [e for e in _fixed(t, a, 1) if '1' <= t[a] <= '7'],
    'V': lambda t, a: _digits(t, a, 0, 53),
    'y': lambda t, a: _fixed(t, a, 2),
    'Y': lambda t, a: _fixed(t, a, 4),
    'z': _offset,
    'A': lambda t, a: _names(t, a, DAYS),
    'a': lambda t, a: _names(t, a, [n[:3] for n in DAYS]),
    'B': lambda t, a: _names(t, a, MONTHS),
    'b': lambda t, a: _names(t, a, [n[:3] for n in MONTHS]),
    'p': lambda t, a: _names(t, a, ('am', 'pm')),
    'Z': lambda t, a: _names(t, a, ('utc', 'gmt')),
}

# Directives that stand for others.
_ALIAS = {'e': 'd', 'k': 'H', 'l': 'I', 'P': 'p'}
_EXPANDED = {
    'c': '%a %b %d %H:%M:%S %Y', 'x': '%m/%d/%y', 'X': '%H:%M:%S', 'T': '%H:%M:%S', 'R': '%H:%M',
    'r': '%I:%M:%S %p',
}


def _items(fmt, whole, used):
    """The format as a list of directives, ('%', letter), white space, (' ', ''), and characters."""
    out = []
    at = 0
    while at < len(fmt):
        c = fmt[at]
        at += 1
        if c.isspace():
            if not out or out[-1][0] != ' ':
                out.append((' ', ''))
            continue
        if c != '%':
            out.append(('=', c))
            continue
        while at < len(fmt) and fmt[at] in '-_0^#':
            at += 1
        while at < len(fmt) and fmt[at] in '0123456789':
            at += 1
        letter = fmt[at:at + 1]
        at += 1
        if letter == 'O' and fmt[at:at + 1] in tuple('dmyCHIMSwep'):
            letter = fmt[at]
            at += 1
        if letter == '' or letter.isspace():
            raise ValueError(f"stray % in format '{whole}'")
        if letter == '%':
            out.append(('=', '%'))
            continue
        letter = _ALIAS.get(letter, letter)
        if letter in _EXPANDED:
            out.extend(_items(_EXPANDED[letter], whole, used))
        elif letter in _READ:
            if letter in used:
                raise ValueError(f"redefinition of group name '{letter}' in format '{whole}'")
            used.add(letter)
            out.append(('%', letter))
        else:
            raise ValueError(f"'{letter}' is a bad directive in format '{whole}'")
    return out


def _match(items, text):
    """The values of the directives by letter, and where they end; None: no match."""
    ends = [[0]]
    dead = set()
    while True:
        i = len(ends) - 1
        if not ends[i]:
            ends.pop()
            if not ends:
                return None, 0
            ends[-1].pop(0)
            continue
        at = ends[i][0]
        if i == len(items):
            break
        if (i, at) in dead:
            ends[i].pop(0)
            continue
        dead.add((i, at))
        ends.append(_accepts(items[i], text, at))
    found = {}
    for i, item in enumerate(items):
        if item[0] == '%':
            found[item[1]] = text[ends[i][0]:ends[i + 1][0]]
    return found, ends[-1][0]


def _accepts(item, text, at):
    kind, what = item
    if kind == '=':
        c = text[at:at + 1]
        return [at + 1] if c and (c == what or c.lower() == what.lower()) else []
    if kind == ' ':
        end = at
        while end < len(text) and text[end].isspace():
            end += 1
        return list(range(end, at, -1))
    return _READ[what](text, at)


def read(text, fmt):
    """Reads a time: (year, month, day, hour, minute, second, micro, weekday, yearday, offset
    in microseconds or None, name of the zone or None)."""
    if not isinstance(text, str):
        raise TypeError(f'strptime() argument 0 must be str, not {type(text)}')
    if not isinstance(fmt, str):
        raise TypeError(f'strptime() argument 1 must be str, not {type(fmt)}')
    found, end = _match(_items(fmt, fmt, set()), text)
    if found is None:
        raise ValueError(f'time data {text!r} does not match format {fmt!r}')
    if end != len(text):
        raise ValueError(f'unconverted data remains: {text[end:]}')
    weekday = _weekday(found)
    year, month, day, yearday = _date(found, weekday)
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
    if 'w' in found:
        return (int(found['w']) + 6) % 7
    if 'u' in found:
        return int(found['u']) - 1
    return None


def _read_offset(found):
    text = found.get('z')
    if text is None:
        return None
    if text == 'Z':
        return 0
    plain = text
    if text[3] == ':':
        plain = text[:3] + text[4:]
        if len(plain) > 5:
            if plain[5] != ':':
                raise ValueError(f'Inconsistent use of : in {text}')
            plain = plain[:5] + plain[6:]
    fraction = plain[8:]
    micros = (int(plain[1:3]) * 3600 + int(plain[3:5]) * 60 + int(plain[5:7] or 0)) * 1000000
    micros += int(fraction + '0' * (6 - len(fraction)))
    return -micros if plain[0] == '-' else micros


def _check_iso(found, weekday):
    if 'G' in found:
        if 'j' in found:
            raise ValueError("Day of the year directive '%j' is not compatible with ISO year directive "
                             "'%G'. Use '%Y' instead.")
        if 'V' not in found or weekday is None:
            raise ValueError("ISO year directive '%G' must be used with the ISO week directive '%V' and a "
                             "weekday directive ('%A', '%a', '%w', or '%u').")
    elif 'V' in found:
        if ('Y' not in found and 'y' not in found) or weekday is None:
            raise ValueError("ISO week directive '%V' must be used with the ISO year directive '%G' and a "
                             "weekday directive ('%A', '%a', '%w', or '%u').")
        raise ValueError("ISO week directive '%V' is incompatible with the year directive '%Y'. "
                         "Use the ISO year '%G' instead.")


def _date(found, weekday):
    """The year, month, day and day of the year that the directives tell."""
    _check_iso(found, weekday)
    year = None
    if 'Y' in found:
        year = int(found['Y'])
    elif 'y' in found:
        year = int(found['y'])
        year += 2000 if year <= 68 else 1900
    month = 1
    if 'm' in found:
        month = int(found['m'])
    elif 'B' in found:
        month = _MONTH_OF[found['B'].lower()]
    elif 'b' in found:
        month = _MONTH_OF[found['b'].lower()]
    day = int(found.get('d', 1))
    yearday = int(found['j']) if 'j' in found else None
    guessed = year is None and month == 2 and day == 29
    if year is None:
        year = 1904 if guessed else 1900
    if yearday is None and weekday is not None:
        if 'U' in found or 'W' in found:
            yearday = _day_of_week(year, found, weekday)
            if yearday <= 0:
                year -= 1
                yearday += 365 + is_leap(year)
        elif 'G' in found:
            n = _iso_ordinal(int(found['G']), int(found['V']), weekday + 1)
            year, month, day = from_ordinal(n)
    if yearday is not None:
        year, month, day = from_ordinal(ordinal(year, 1, 1) + yearday - 1)
    else:
        check_date(year, month, day)
        yearday = ordinal(year, month, day) - ordinal(year, 1, 1) + 1
    return (1900 if guessed else year), month, day, yearday


def _day_of_week(year, found, weekday):
    first = (ordinal(year, 1, 1) - 1) % 7
    week = int(found['W'] if 'W' in found else found['U'])
    if 'W' not in found:
        first = (first + 1) % 7
        weekday = (weekday + 1) % 7
    if week == 0:
        return 1 + weekday - first
    return 1 + (7 - first) % 7 + 7 * (week - 1) + weekday


def _iso_ordinal(year, week, weekday):
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


iso_ordinal = _iso_ordinal


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
