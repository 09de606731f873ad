"""Dates and times. There is no time zone of the host: local time is UTC."""

import _timetext as _text
from _labels import depend as _depend

__all__ = ['date', 'datetime', 'time', 'timedelta', 'timezone', 'tzinfo', 'MINYEAR', 'MAXYEAR', 'UTC']

MINYEAR = 1
MAXYEAR = 9999
_MAX_ORDINAL = 3652059
_EPOCH = 719163
_DAY = 86400000000
_missing = object()


def _index(n):
    """n as an int, by __index__ alone."""
    if type(n) is int:
        return n
    if isinstance(n, int):
        return int(n)
    if isinstance(n, float) or not hasattr(n, '__index__'):
        raise TypeError(f"'{_shown(type(n))}' object cannot be interpreted as an integer")
    return n.__index__()


def _shown(cls):
    return f'datetime.{cls.__name__}' if cls.__module__ == 'datetime' else cls.__name__


def _required(n, name, pos):
    if n is _missing:
        raise TypeError(f"function missing required argument '{name}' (pos {pos})")
    return _index(n)


def _fixed(name, kind, get):
    def refuse(self, value):
        raise AttributeError(f"attribute '{name}' of 'datetime.{kind}' objects is not writable")
    return property(get, refuse)


def _round_half_even(n, d):
    """n / d as the nearest int, half to even; d is positive."""
    q, r = divmod(n, d)
    return q + (2 * r > d or (2 * r == d and q % 2 == 1))


class _Ordered:
    """What is compared by the pair of values that _pair makes of it and another; None: it cannot be."""
    __slots__ = ()

    def __eq__(self, other):
        pair = self._pair(other, True)
        return NotImplemented if pair is None else pair[0] == pair[1]

    def __lt__(self, other):
        pair = self._pair(other, False)
        return NotImplemented if pair is None else pair[0] < pair[1]

    def __le__(self, other):
        pair = self._pair(other, False)
        return NotImplemented if pair is None else pair[0] <= pair[1]

    def __gt__(self, other):
        pair = self._pair(other, False)
        return NotImplemented if pair is None else pair[0] > pair[1]

    def __ge__(self, other):
        pair = self._pair(other, False)
        return NotImplemented if pair is None else pair[0] >= pair[1]

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self


class timedelta(_Ordered):
    __slots__ = ('_micros',)
    _qualified_ = True

    def __new__(cls, days=0, seconds=0, microseconds=0, milliseconds=0, minutes=0, hours=0, weeks=0):
        total = 0
        rest = 0.0
        for name, value, factor in (('microseconds', microseconds, 1), ('milliseconds', milliseconds, 1000),
                                    ('seconds', seconds, 1000000), ('minutes', minutes, 60000000),
                                    ('hours', hours, 3600000000), ('days', days, _DAY),
                                    ('weeks', weeks, 7 * _DAY)):
            if isinstance(value, int):
                total += value * factor
            elif isinstance(value, float):
                whole = int(value)
                part = factor * (value - whole)
                total += whole * factor + int(part)
                rest += part - int(part)
            else:
                raise TypeError(f'unsupported type for timedelta {name} component: {_shown(type(value))}')
        if rest:
            whole = _half_away(rest)
            if abs(whole - rest) == 0.5:
                odd = total & 1
                whole = 2 * _half_away((rest + odd) * 0.5) - odd
            total += whole
        return _delta(total, cls)

    def total_seconds(self):
        return self._micros / 1000000

    def __repr__(self):
        parts = [f'{name}={value}' for name, value in (('days', self.days), ('seconds', self.seconds),
                                                       ('microseconds', self.microseconds)) if value]
        return f'{_class_path(self)}({", ".join(parts) or "0"})'

    def __str__(self):
        days, seconds, micros = self.days, self.seconds, self.microseconds
        text = f'{seconds // 3600}:{seconds // 60 % 60:02d}:{seconds % 60:02d}'
        if days:
            text = f'{days} day{"" if days in (1, -1) else "s"}, {text}'
        if micros:
            text += f'.{micros:06d}'
        return text

    def __add__(self, other):
        if isinstance(other, timedelta):
            return _delta(self._micros + other._micros)
        return NotImplemented

    __radd__ = __add__

    def __sub__(self, other):
        if isinstance(other, timedelta):
            return _delta(self._micros - other._micros)
        return NotImplemented

    def __rsub__(self, other):
        if isinstance(other, timedelta):
            return _delta(other._micros - self._micros)
        return NotImplemented

    def __neg__(self):
        return _delta(-self._micros)

    def __pos__(self):
        return _delta(self._micros)

    def __abs__(self):
        return _delta(abs(self._micros))

    def __mul__(self, other):
        if isinstance(other, int):
            return _delta(self._micros * other)
        if isinstance(other, float):
            n, d = other.as_integer_ratio()
            return _delta(_round_half_even(self._micros * n, d))
        return NotImplemented

    __rmul__ = __mul__

    def __truediv__(self, other):
        if isinstance(other, timedelta):
            return _quotient(self._micros, other._micros)
        if isinstance(other, int):
            if other == 0:
                raise ZeroDivisionError('division by zero')
            return _delta(_round_half_even(self._micros, other) if other > 0
                          else _round_half_even(-self._micros, -other))
        if isinstance(other, float):
            n, d = other.as_integer_ratio()
            if n == 0:
                raise ZeroDivisionError('division by zero')
            return _delta(_round_half_even(self._micros * d, n) if n > 0
                          else _round_half_even(-self._micros * d, -n))
        return NotImplemented

    def __floordiv__(self, other):
        if isinstance(other, timedelta):
            return _floor(self._micros, other._micros)
        if isinstance(other, int):
            return _delta(_floor(self._micros, other))
        return NotImplemented

    def __mod__(self, other):
        if isinstance(other, timedelta):
            return _delta(self._micros - _floor(self._micros, other._micros) * other._micros)
        return NotImplemented

    def __divmod__(self, other):
        if isinstance(other, timedelta):
            q = _floor(self._micros, other._micros)
            return q, _delta(self._micros - q * other._micros)
        return NotImplemented

    def _pair(self, other, equality):
        return (self._micros, other._micros) if isinstance(other, timedelta) else None

    def __hash__(self):
        return hash((self.days, self.seconds, self.microseconds))

    def __bool__(self):
        return self._micros != 0


timedelta.days = _fixed('days', 'timedelta', lambda self: self._micros // _DAY)
timedelta.seconds = _fixed('seconds', 'timedelta', lambda self: self._micros // 1000000 % 86400)
timedelta.microseconds = _fixed('microseconds', 'timedelta', lambda self: self._micros % 1000000)


def _half_away(x):
    whole = int(x)
    return whole + (1 if x - whole >= 0.5 else -1 if x - whole <= -0.5 else 0)


def _floor(a, b):
    if b == 0:
        raise ZeroDivisionError('division by zero')
    return a // b


def _quotient(a, b):
    if b == 0:
        raise ZeroDivisionError('division by zero')
    return a / b


def _delta(micros, cls=timedelta):
    days = micros // _DAY
    if not -999999999 <= days <= 999999999:
        if not -2147483648 <= days <= 2147483647:
            raise OverflowError('Python int too large to convert to C int')
        raise OverflowError(f'days={days}; must have magnitude <= 999999999')
    made = object.__new__(cls)
    made._micros = micros
    return made


def _class_path(self):
    cls = type(self)
    if cls.__module__ == '__main__':
        return cls.__qualname__
    return f'{cls.__module__}.{cls.__qualname__}'


timedelta.min = _delta(-999999999 * _DAY)
timedelta.max = _delta(1000000000 * _DAY - 1)
timedelta.resolution = _delta(1)


class tzinfo:
    _qualified_ = True

    def utcoffset(self, dt):
        raise NotImplementedError('a tzinfo subclass must implement utcoffset()')

    def dst(self, dt):
        raise NotImplementedError('a tzinfo subclass must implement dst()')

    def tzname(self, dt):
        raise NotImplementedError('a tzinfo subclass must implement tzname()')

    def fromutc(self, dt):
        dt += dt.utcoffset() - dt.dst()
        return dt + dt.dst()


class timezone(tzinfo):
    __slots__ = ('_offset', '_name')

    def __new__(cls, offset, name=_missing):
        if not isinstance(offset, timedelta):
            raise TypeError(f'timezone() argument 1 must be datetime.timedelta, not {_shown(type(offset))}')
        if name is _missing:
            if not offset:
                return _depend(timezone.utc, offset)
            name = None
        elif not isinstance(name, str):
            raise TypeError(f'timezone() argument 2 must be str, not {_shown(type(name))}')
        if not -_DAY < offset._micros < _DAY:
            raise ValueError('offset must be a timedelta strictly between -timedelta(hours=24) and '
                             f'timedelta(hours=24), not {offset!r}')
        return _zone(offset, name)

    def __repr__(self):
        if self is timezone.utc:
            return 'datetime.timezone.utc'
        if self._name is None:
            return f'{_class_path(self)}({self._offset!r})'
        return f'{_class_path(self)}({self._offset!r}, {self._name!r})'

    def __str__(self):
        return self.tzname(None)

    def __eq__(self, other):
        if isinstance(other, timezone):
            return self._offset == other._offset
        return NotImplemented

    def __hash__(self):
        return hash(self._offset)

    def utcoffset(self, dt):
        _zone_argument('utcoffset', dt)
        return self._offset

    def tzname(self, dt):
        _zone_argument('tzname', dt)
        if self._name is not None:
            return self._name
        if not self._offset:
            return _depend('UTC', self._offset)
        return 'UTC' + _text.offset_text(self._offset._micros, ':')

    def dst(self, dt):
        _zone_argument('dst', dt)
        return None

    def fromutc(self, dt):
        if not isinstance(dt, datetime):
            raise TypeError('fromutc: argument must be a datetime instance, not ' + _shown(type(dt)))
        if dt.tzinfo is not self:
            raise ValueError('fromutc: dt.tzinfo is not self')
        return dt + self._offset


def _zone_argument(method, dt):
    if dt is not None and not isinstance(dt, datetime):
        raise TypeError(f'{method}(dt) argument must be a datetime instance or None, not {_shown(type(dt))}')


def _zone(offset, name):
    made = object.__new__(timezone)
    made._offset = offset
    made._name = name
    return made


timezone.utc = UTC = _zone(_delta(0), None)
timezone.min = _zone(_delta(-_DAY + 60000000), None)
timezone.max = _zone(_delta(_DAY - 60000000), None)


class IsoCalendarDate(tuple):
    _qualified_ = True

    @property
    def year(self):
        return self[0]

    @property
    def week(self):
        return self[1]

    @property
    def weekday(self):
        return self[2]

    def __repr__(self):
        return f'datetime.IsoCalendarDate(year={self[0]}, week={self[1]}, weekday={self[2]})'


def _check_zone(zone):
    if zone is not None and not isinstance(zone, tzinfo):
        raise TypeError(f"tzinfo argument must be None or of a tzinfo subclass, not type '{_shown(type(zone))}'")


def _check_clock(hour, minute, second, micro, fold):
    if not 0 <= hour <= 23:
        raise ValueError(f'hour must be in 0..23, not {hour}')
    if not 0 <= minute <= 59:
        raise ValueError(f'minute must be in 0..59, not {minute}')
    if not 0 <= second <= 59:
        raise ValueError(f'second must be in 0..59, not {second}')
    if not 0 <= micro <= 999999:
        raise ValueError(f'microsecond must be in 0..999999, not {micro}')
    if fold not in (0, 1):
        raise ValueError(f'fold must be either 0 or 1, not {fold}')


def _ask_zone(zone, method, dt):
    """What a tzinfo answers, checked: a timedelta of less than a day, or None."""
    if zone is None:
        return None
    answer = getattr(zone, method)(dt)
    if answer is None:
        return None
    if not isinstance(answer, timedelta):
        raise TypeError(f'tzinfo.{method}() must return None or a timedelta, not {_shown(type(answer))!r}')
    if not -_DAY < answer._micros < _DAY:
        raise ValueError('offset must be a timedelta strictly between -timedelta(hours=24) and '
                         f'timedelta(hours=24), not {answer!r}.')
    return answer


def _ask_name(zone, dt):
    if zone is None:
        return None
    answer = zone.tzname(dt)
    if answer is not None and not isinstance(answer, str):
        raise TypeError(f"tzinfo.tzname() must return None or a string, not '{_shown(type(answer))}'")
    return answer


def _format_spec(self, spec):
    if not isinstance(spec, str):
        raise TypeError(f'__format__() argument 1 must be str, not {_shown(type(spec))}')
    return self.strftime(spec) if spec else str(self)


def _strftime_argument(fmt):
    if not isinstance(fmt, str):
        raise TypeError(f'strftime() argument 1 must be str, not {_shown(type(fmt))}')


class date(_Ordered):
    __slots__ = ('_year', '_month', '_day')
    _qualified_ = True

    def __new__(cls, year=_missing, month=_missing, day=_missing):
        year, month, day = _required(year, 'year', 1), _required(month, 'month', 2), _required(day, 'day', 3)
        _text.check_date(year, month, day)
        return _date(cls, year, month, day)

    @classmethod
    def today(cls):
        return cls.fromtimestamp(_now() // 1000000)

    @classmethod
    def fromtimestamp(cls, timestamp, /):
        year, month, day = _text.from_ordinal(_EPOCH + _stamp(timestamp) // _DAY)
        return _made(cls, year, month, day)

    @classmethod
    def fromordinal(cls, ordinal, /):
        ordinal = _index(ordinal)
        if ordinal < 1:
            raise ValueError('ordinal must be >= 1')
        year, month, day = _text.from_ordinal(ordinal)
        if year > 9999:
            raise ValueError(f'year must be in 1..9999, not {year}')
        return _made(cls, year, month, day)

    @classmethod
    def fromisoformat(cls, date_string, /):
        if not isinstance(date_string, str):
            raise TypeError('fromisoformat: argument must be str')
        found = _iso_date(date_string)
        if found is None or found[3] != len(date_string):
            raise ValueError(f'Invalid isoformat string: {date_string!r}')
        _text.check_date(found[0], found[1], found[2])
        return _depend(_made(cls, found[0], found[1], found[2]), date_string)

    @classmethod
    def fromisocalendar(cls, year, week, day):
        year, month, day = _text.from_ordinal(_text.iso_ordinal(_index(year), _index(week), _index(day)))
        return _made(cls, year, month, day)

    def replace(self, year=_missing, month=_missing, day=_missing):
        return type(self)(self._year if year is _missing else year, self._month if month is _missing else month,
                          self._day if day is _missing else day)

    __replace__ = replace

    def toordinal(self):
        return _text.ordinal(self._year, self._month, self._day)

    def weekday(self):
        return (self.toordinal() + 6) % 7

    def isoweekday(self):
        return (self.toordinal() + 6) % 7 + 1

    def isocalendar(self):
        return IsoCalendarDate(_text.iso_calendar(date.toordinal(self)))

    def isoformat(self):
        return f'{self._year:04d}-{self._month:02d}-{self._day:02d}'

    def __str__(self):
        return self.isoformat()

    def __repr__(self):
        return f'{_class_path(self)}({self._year}, {self._month}, {self._day})'

    def __format__(self, format_spec, /):
        return _format_spec(self, format_spec)

    def strftime(self, format):
        _strftime_argument(format)
        return _text.write(format, self._fields())

    def _fields(self):
        n = date.toordinal(self)
        return (self._year, self._month, self._day, 0, 0, 0, 0, (n - 1) % 7,
                            n - _text.ordinal(self._year, 1, 1) + 1, None, None)

    def timetuple(self):
        f = self._fields()
        return _struct(f, -1)

    def __add__(self, other):
        if isinstance(other, timedelta):
            return _shifted(self, other._micros // _DAY)
        return NotImplemented

    __radd__ = __add__

    def __sub__(self, other):
        if isinstance(other, timedelta):
            return _shifted(self, -(other._micros // _DAY))
        if isinstance(other, date) and not isinstance(other, datetime):
            return _delta((self.toordinal() - other.toordinal()) * _DAY)
        return NotImplemented

    def _pair(self, other, equality):
        if isinstance(other, date) and not isinstance(other, datetime):
            return (self._year, self._month, self._day), (other._year, other._month, other._day)
        return None

    def __hash__(self):
        return hash((self._year, self._month, self._day))


date.year = _fixed('year', 'date', lambda self: self._year)
date.month = _fixed('month', 'date', lambda self: self._month)
date.day = _fixed('day', 'date', lambda self: self._day)


def _date(cls, year, month, day):
    made = object.__new__(cls)
    made._year = year
    made._month = month
    made._day = day
    return made


def _made(cls, year, month, day):
    """A date whose fields are known to be right; subclasses are called."""
    if cls is date:
        return _date(cls, year, month, day)
    return cls(year, month, day)


def _shifted(d, days):
    n = date.toordinal(d) + days
    if not 1 <= n <= _MAX_ORDINAL:
        raise OverflowError('date value out of range')
    year, month, day = _text.from_ordinal(n)
    return _made(type(d), year, month, day)


def _struct(f, dst):
    import time as clock
    return clock.struct_time((*f[:6], f[7], f[8], dst))


def _stamp(timestamp):
    """Seconds since 1970 in whole microseconds, rounded half to even."""
    if isinstance(timestamp, int):
        micros = timestamp * 1000000
    elif isinstance(timestamp, float):
        if timestamp != timestamp:
            raise ValueError('Invalid value NaN (not a number)')
        if abs(timestamp) > 9223372036854775807:
            raise OverflowError('timestamp out of range for platform time_t')
        whole = int(timestamp)
        part = round((timestamp - whole) * 1e6)
        micros = whole * 1000000 + part
    else:
        raise TypeError(f'argument must be int or float, not {_shown(type(timestamp))}')
    if not -62135596800000000 <= micros < 253402300800000000:
        year = _text.from_ordinal(_EPOCH + micros // _DAY)[0]
        raise ValueError(f'year must be in 1..9999, not {year}' if micros > 0 else f'year {year} is out of range')
    return micros


def _strptime_arguments(text, fmt):
    for i, given in enumerate((text, fmt)):
        if not isinstance(given, str):
            raise TypeError(f'strptime() argument {i + 1} must be str, not {_shown(type(given))}')


def _number(text, at, n):
    """The n digits at a place as an int, or None."""
    part = text[at:at + n]
    if len(part) != n or not part.isascii() or not part.isdigit():
        return None
    return int(part)


def _iso_date(text):
    """The year, month and day at the start of text, and where they end; None: there are none."""
    year = _number(text, 0, 4)
    if year is None:
        return None
    dash = text[4:5] == '-'
    at = 4 + dash
    month = _number(text, at, 2)
    if month is None:
        return None
    at += 2
    if dash:
        if text[at:at + 1] != '-':
            return None
        at += 1
    day = _number(text, at, 2)
    if day is None:
        return None
    return year, month, day, at + 2


def _iso_clock(text):
    """The fields of a time of the day, [hour, minute, second, microsecond]; None: it is none."""
    fields = [0, 0, 0, 0]
    at = 0
    colon = text[2:3] == ':'
    for i in range(3):
        n = _number(text, at, 2)
        if n is None:
            return None
        fields[i] = n
        at += 2
        c = text[at:at + 1]
        if c == '' or i == 2:
            break
        if c == ':':
            if not colon:
                return None
            at += 1
        elif colon:
            return None
    if at < len(text):
        if text[at] not in '.,' or i != 2:
            return None
        digits = text[at + 1:]
        if not digits or not digits.isascii() or not digits.isdigit():
            return None
        fields[3] = int((digits + '00000')[:6])
    return fields


def _iso_time(text):
    """The fields of a time with its zone, (hour, minute, second, microsecond, zone); None: it is none."""
    cut = -1
    for i, c in enumerate(text):
        if c in '+-Z':
            cut = i
            break
    if cut < 0:
        fields = _iso_clock(text)
        return None if fields is None else (*fields, None)
    fields = _iso_clock(text[:cut])
    if fields is None:
        return None
    sign, rest = text[cut], text[cut + 1:]
    if sign == 'Z':
        return None if rest else (*fields, UTC)
    offset = _iso_clock(rest)
    if offset is None:
        return None
    if offset[1] > 59 or offset[2] > 59:
        what, n = ('minute', offset[1]) if offset[1] > 59 else ('second', offset[2])
        raise ValueError(f'{what} must be in 0..59, not {n}')
    micros = (offset[0] * 3600 + offset[1] * 60 + offset[2]) * 1000000 + offset[3]
    return (*fields, timezone(_delta(-micros if sign == '-' else micros)))


def _clock_text(hour, minute, second, micro, timespec):
    if timespec == 'auto':
        timespec = 'microseconds' if micro else 'seconds'
    if timespec == 'hours':
        return f'{hour:02d}'
    if timespec == 'minutes':
        return f'{hour:02d}:{minute:02d}'
    if timespec == 'seconds':
        return f'{hour:02d}:{minute:02d}:{second:02d}'
    if timespec == 'milliseconds':
        return f'{hour:02d}:{minute:02d}:{second:02d}.{micro // 1000:03d}'
    if timespec == 'microseconds':
        return f'{hour:02d}:{minute:02d}:{second:02d}.{micro:06d}'
    raise ValueError('Unknown timespec value')


def _clock_repr(self):
    """The fields that repr shows last: seconds and microseconds where there are any."""
    out = f'{self._hour}, {self._minute}'
    if self._micro:
        out += f', {self._second}, {self._micro}'
    elif self._second:
        out += f', {self._second}'
    return out


def _zone_repr(self):
    out = ''
    if self._zone is not None:
        out = f', tzinfo={self._zone!r}'
    if self._fold:
        out += f', fold={self._fold}'
    return out


class time(_Ordered):
    __slots__ = ('_hour', '_minute', '_second', '_micro', '_zone', '_fold')
    _qualified_ = True

    def __new__(cls, hour=0, minute=0, second=0, microsecond=0, tzinfo=None, *, fold=0):
        hour, minute, second, micro = _index(hour), _index(minute), _index(second), _index(microsecond)
        _check_zone(tzinfo)
        _check_clock(hour, minute, second, micro, fold)
        return _clock(object.__new__(cls), hour, minute, second, micro, tzinfo, fold)

    @classmethod
    def fromisoformat(cls, time_string, /):
        if not isinstance(time_string, str):
            raise TypeError('fromisoformat: argument must be str')
        text = time_string[1:] if time_string[:1] == 'T' else time_string
        found = _iso_time(text)
        if found is None:
            raise ValueError(f'Invalid isoformat string: {time_string!r}')
        if found[:4] == (24, 0, 0, 0):
            found = (0, 0, 0, 0, found[4])
        return _depend(cls(*found), time_string)

    def replace(self, hour=_missing, minute=_missing, second=_missing, microsecond=_missing, tzinfo=_missing, *,
                fold=_missing):
        return type(self)(self._hour if hour is _missing else hour, self._minute if minute is _missing else minute,
                          self._second if second is _missing else second,
                          self._micro if microsecond is _missing else microsecond,
                          self._zone if tzinfo is _missing else tzinfo,
                          fold=self._fold if fold is _missing else fold)

    __replace__ = replace

    def utcoffset(self):
        return _ask_zone(self._zone, 'utcoffset', None)

    def dst(self):
        return _ask_zone(self._zone, 'dst', None)

    def tzname(self):
        return _ask_name(self._zone, None)

    def isoformat(self, timespec='auto'):
        text = _clock_text(self._hour, self._minute, self._second, self._micro, timespec)
        offset = self.utcoffset()
        return text if offset is None else text + _text.offset_text(offset._micros, ':')

    def __str__(self):
        return self.isoformat()

    def __repr__(self):
        return f'{_class_path(self)}({_clock_repr(self)}{_zone_repr(self)})'

    def __format__(self, format_spec, /):
        return _format_spec(self, format_spec)

    def strftime(self, format):
        _strftime_argument(format)
        offset = self.utcoffset()
        return _text.write(format, (1900, 1, 1, self._hour, self._minute, self._second, self._micro, 0, 1,
                                                None if offset is None else offset._micros, self.tzname()))

    def _pair(self, other, equality):
        if not isinstance(other, time):
            return None
        mine, theirs = self.utcoffset(), other.utcoffset()
        a = ((self._hour * 60 + self._minute) * 60 + self._second) * 1000000 + self._micro
        b = ((other._hour * 60 + other._minute) * 60 + other._second) * 1000000 + other._micro
        return _aware_pair(a, mine, b, theirs, equality, 'times')

    def __hash__(self):
        offset = self.utcoffset()
        micros = ((self._hour * 60 + self._minute) * 60 + self._second) * 1000000 + self._micro
        return hash(('time', micros if offset is None else micros - offset._micros))


def _add_clock(cls, kind):
    cls.hour = _fixed('hour', kind, lambda self: self._hour)
    cls.minute = _fixed('minute', kind, lambda self: self._minute)
    cls.second = _fixed('second', kind, lambda self: self._second)
    cls.microsecond = _fixed('microsecond', kind, lambda self: self._micro)
    cls.tzinfo = _fixed('tzinfo', kind, lambda self: self._zone)
    cls.fold = _fixed('fold', kind, lambda self: self._fold)


_add_clock(time, 'time')


def _aware_pair(a, mine, b, theirs, equality, kinds):
    """Two clocks less their offsets; they are never equal when only one has any."""
    if (mine is None) != (theirs is None):
        if not equality:
            raise TypeError(f"can't compare offset-naive and offset-aware {kinds}")
        return 0, 1
    return (a, b) if mine is None else (a - mine._micros, b - theirs._micros)


def _clock(made, hour, minute, second, micro, zone, fold):
    made._hour = hour
    made._minute = minute
    made._second = second
    made._micro = micro
    made._zone = zone
    made._fold = fold
    return made


def _read_zone(f):
    """The zone that strptime read."""
    if f[9] is None:
        return None
    offset = _delta(f[9])
    return timezone(offset) if f[10] is None else timezone(offset, f[10])


class datetime(date):
    __slots__ = ('_hour', '_minute', '_second', '_micro', '_zone', '_fold')
    _qualified_ = True

    def __new__(cls, year=_missing, month=_missing, day=_missing, hour=0, minute=0, second=0, microsecond=0,
                tzinfo=None, *, fold=0):
        year, month, day = _required(year, 'year', 1), _required(month, 'month', 2), _required(day, 'day', 3)
        hour, minute, second, micro = _index(hour), _index(minute), _index(second), _index(microsecond)
        _check_zone(tzinfo)
        _text.check_date(year, month, day)
        _check_clock(hour, minute, second, micro, fold)
        return _clock(_date(cls, year, month, day), hour, minute, second, micro, tzinfo, fold)

    @classmethod
    def now(cls, tz=None):
        _check_zone(tz)
        return _from_micros(cls, _now(), tz)

    @classmethod
    def today(cls):
        return cls.now()

    @classmethod
    def utcnow(cls):
        return _from_micros(cls, _now(), None)

    @classmethod
    def fromtimestamp(cls, timestamp, tz=None):
        _check_zone(tz)
        return _from_micros(cls, _stamp(timestamp), tz)

    @classmethod
    def utcfromtimestamp(cls, timestamp, /):
        return _from_micros(cls, _stamp(timestamp), None)

    @classmethod
    def combine(cls, date, time, tzinfo=_missing):
        if not isinstance(date, _date_class):
            raise TypeError(f'combine() argument 1 must be datetime.date, not {_shown(type(date))}')
        if not isinstance(time, _time_class):
            raise TypeError(f'combine() argument 2 must be datetime.time, not {_shown(type(time))}')
        return cls(date._year, date._month, date._day, time._hour, time._minute, time._second, time._micro,
                   time._zone if tzinfo is _missing else tzinfo, fold=time._fold)

    @classmethod
    def fromordinal(cls, ordinal, /):
        d = _date_class.fromordinal(ordinal)
        return cls(d._year, d._month, d._day)

    @classmethod
    def fromisocalendar(cls, year, week, day):
        d = _date_class.fromisocalendar(year, week, day)
        return cls(d._year, d._month, d._day)

    @classmethod
    def fromisoformat(cls, date_string, /):
        if not isinstance(date_string, str):
            raise TypeError('fromisoformat: argument must be str')
        found = _iso_date(date_string)
        clock = (0, 0, 0, 0, None)
        if found is not None and found[3] < len(date_string):
            clock = _iso_time(date_string[found[3] + 1:])
        if found is None or clock is None:
            raise ValueError(f'Invalid isoformat string: {date_string!r}')
        year, month, day = found[:3]
        if clock[0] == 24:
            _text.check_date(year, month, day)
            if clock[1:4] != (0, 0, 0):
                raise ValueError('minute, second, and microsecond must be 0 when hour is 24')
            year, month, day = _text.from_ordinal(_text.ordinal(year, month, day) + 1)
            clock = (0, 0, 0, 0, clock[4])
        return _depend(cls(year, month, day, *clock), date_string)

    @classmethod
    def strptime(cls, date_string, format, /):
        _strptime_arguments(date_string, format)
        f = _text.read(date_string, format)
        return _depend(cls(*f[:7], _read_zone(f)), date_string, format)

    def date(self):
        return _date(_date_class, self._year, self._month, self._day)

    def time(self):
        return _clock(object.__new__(_time_class), self._hour, self._minute, self._second, self._micro, None, self._fold)

    def timetz(self):
        return _clock(object.__new__(_time_class), self._hour, self._minute, self._second, self._micro, self._zone,
                      self._fold)

    def replace(self, year=_missing, month=_missing, day=_missing, hour=_missing, minute=_missing, second=_missing,
                microsecond=_missing, tzinfo=_missing, *, fold=_missing):
        return type(self)(self._year if year is _missing else year, self._month if month is _missing else month,
                          self._day if day is _missing else day, self._hour if hour is _missing else hour,
                          self._minute if minute is _missing else minute,
                          self._second if second is _missing else second,
                          self._micro if microsecond is _missing else microsecond,
                          self._zone if tzinfo is _missing else tzinfo,
                          fold=self._fold if fold is _missing else fold)

    __replace__ = replace

    def astimezone(self, tz=None):
        if tz is None:
            tz = UTC
        _check_zone(tz)
        if self._zone is tz:
            return self
        offset = self.utcoffset()
        micros = _micros(self) - (0 if offset is None else offset._micros)
        made = _depend(_from_epoch(type(self), micros, tz), self)
        return tz.fromutc(made)

    def utcoffset(self):
        return _ask_zone(self._zone, 'utcoffset', self)

    def dst(self):
        return _ask_zone(self._zone, 'dst', self)

    def tzname(self):
        return _ask_name(self._zone, self)

    def timestamp(self):
        offset = self.utcoffset()
        return (_micros(self) - (0 if offset is None else offset._micros)) / 1000000

    def timetuple(self):
        saving = self.dst()
        return _struct(self._fields(), -1 if saving is None else int(bool(saving)))

    def isoformat(self, sep='T', timespec='auto'):
        if not isinstance(sep, str):
            raise TypeError(f'isoformat() argument 1 must be a unicode character, not {_shown(type(sep))}')
        if len(sep) != 1:
            raise TypeError('isoformat() argument 1 must be a unicode character, '
                            f'not a string of length {len(sep)}')
        text = (f'{self._year:04d}-{self._month:02d}-{self._day:02d}{sep}'
                + _clock_text(self._hour, self._minute, self._second, self._micro, timespec))
        offset = self.utcoffset()
        return text if offset is None else text + _text.offset_text(offset._micros, ':')

    def __str__(self):
        return self.isoformat(' ')

    def __repr__(self):
        return (f'{_class_path(self)}({self._year}, {self._month}, {self._day}, {_clock_repr(self)}'
                f'{_zone_repr(self)})')

    def _fields(self):
        n = _date_class.toordinal(self)
        offset = self.utcoffset()
        return (self._year, self._month, self._day, self._hour, self._minute, self._second, self._micro,
                            (n - 1) % 7, n - _text.ordinal(self._year, 1, 1) + 1,
                            None if offset is None else offset._micros, self.tzname())

    def __add__(self, other):
        if isinstance(other, timedelta):
            return _from_epoch(type(self), _micros(self) + other._micros, self._zone)
        return NotImplemented

    __radd__ = __add__

    def __sub__(self, other):
        if isinstance(other, timedelta):
            return _from_epoch(type(self), _micros(self) - other._micros, self._zone)
        if not isinstance(other, datetime):
            return NotImplemented
        if self._zone is other._zone:
            return _delta(_micros(self) - _micros(other))
        mine, theirs = self.utcoffset(), other.utcoffset()
        if (mine is None) != (theirs is None):
            raise TypeError("can't subtract offset-naive and offset-aware datetimes")
        if mine is None:
            return _delta(_micros(self) - _micros(other))
        return _delta(_micros(self) - mine._micros - _micros(other) + theirs._micros)

    def _pair(self, other, equality):
        if not isinstance(other, datetime):
            return (0, 1) if equality and isinstance(other, _date_class) else None
        a, b = _micros(self), _micros(other)
        if self._zone is other._zone:
            return a, b
        return _aware_pair(a, self.utcoffset(), b, other.utcoffset(), equality, 'datetimes')

    def __hash__(self):
        offset = self.utcoffset()
        return hash(('datetime', _micros(self) - (0 if offset is None else offset._micros)))


_add_clock(datetime, 'datetime')

_date_class = date
_time_class = time


def _micros(dt):
    """Microseconds since 1970 of what the clock of dt shows."""
    return (((_text.ordinal(dt._year, dt._month, dt._day) - _EPOCH) * 24 + dt._hour) * 60 + dt._minute) * 60000000 \
        + dt._second * 1000000 + dt._micro


def _from_epoch(cls, micros, zone):
    days, rest = divmod(micros, _DAY)
    n = days + _EPOCH
    if not 1 <= n <= _MAX_ORDINAL:
        raise OverflowError('date value out of range')
    year, month, day = _text.from_ordinal(n)
    if cls is not datetime:
        return cls(year, month, day, rest // 3600000000, rest // 60000000 % 60, rest // 1000000 % 60, rest % 1000000,
                   zone)
    return _clock(_date(cls, year, month, day), rest // 3600000000, rest // 60000000 % 60, rest // 1000000 % 60,
                  rest % 1000000, zone, 0)


def _from_micros(cls, micros, zone):
    made = _from_epoch(cls, micros, zone)
    return made if zone is None else zone.fromutc(made)


date.min = _date(date, 1, 1, 1)
date.max = _date(date, 9999, 12, 31)
date.resolution = timedelta(days=1)
time.min = time(0)
time.max = time(23, 59, 59, 999999)
time.resolution = timedelta.resolution
datetime.min = datetime(1, 1, 1)
datetime.max = datetime(9999, 12, 31, 23, 59, 59, 999999)
datetime.resolution = timedelta.resolution

# What has another name in messages.
for _method in (timedelta.__new__, date.replace, time.replace, datetime.replace):
    _method.__qualname__ = _method.__name__
