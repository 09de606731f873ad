"""Dates and times. There is no time zone of the host: local time is UTC.

Calendar arithmetic by the number of a day, and times as text, are in Go, in _timetext.
"""

import _timetext as _text
from _labels import depend as _depend

__all__ = ['date', 'datetime', 'time', 'timedelta', 'timezone', 'tzinfo', 'MINYEAR', 'MAXYEAR', 'UTC']

MINYEAR = 1
MAXYEAR = 9999
_EPOCH = 719163
_DAY = 86400000000
_missing = object()


def _round(n, d):
    """n / d as the nearest int, half to even."""
    if d < 0:
        n, d = -n, -d
    q, r = divmod(n, d)
    return q + (2 * r > d or (2 * r == d and q % 2 == 1))


def _shown(self):
    """The name of an object's class as repr shows it."""
    cls = type(self)
    return cls.__qualname__ if cls.__module__ == '__main__' else f'datetime.{cls.__name__}'


def _readable(cls, names):
    """Lets programs read fields, and not change them."""
    for name in names.split():
        setattr(cls, name, _field(f'_{name}'))


def _replaced(self, **fields):
    return type(self)(**{n: getattr(self, f'_{n}') if v is _missing else v for n, v in fields.items()})


def _field(name):
    return property(lambda self: getattr(self, name))


class _Ordered:
    """What is compared by the pair of values that _pair makes of it and another; None: it cannot be."""

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
                raise TypeError(f'unsupported type for timedelta {name} component: {type(value).__name__}')
        if rest:
            odd = total & 1  # half to even is of the sum
            total += round(rest + odd) - odd
        return _delta(total)

    @property
    def days(self):
        return self._micros // _DAY

    @property
    def seconds(self):
        return self._micros // 1000000 % 86400

    @property
    def microseconds(self):
        return self._micros % 1000000

    def total_seconds(self):
        return self._micros / 1000000

    def __repr__(self):
        parts = [f'{name}={value}' for name, value in (('days', self.days), ('seconds', self.seconds),
                                                       ('microseconds', self.microseconds)) if value]
        return f'datetime.timedelta({", ".join(parts) or "0"})'

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

    def __sub__(self, other):
        if isinstance(other, timedelta):
            return _delta(self._micros - other._micros)
        return NotImplemented

    def __neg__(self):
        return _delta(-self._micros)

    def __pos__(self):
        return self

    def __abs__(self):
        return _delta(abs(self._micros))

    def __mul__(self, other):
        if isinstance(other, (int, float)):
            n, d = other.as_integer_ratio()
            return _delta(_round(self._micros * n, d))
        return NotImplemented

    __rmul__ = __mul__

    def __truediv__(self, other):
        if isinstance(other, timedelta):
            return self._micros / other._micros
        if isinstance(other, (int, float)):
            n, d = other.as_integer_ratio()
            return _delta(_round(self._micros * d, n))
        return NotImplemented

    def __floordiv__(self, other):
        if isinstance(other, timedelta):
            return self._micros // other._micros
        if isinstance(other, int):
            return _delta(self._micros // other)
        return NotImplemented

    def __mod__(self, other):
        if isinstance(other, timedelta):
            return _delta(self._micros % other._micros)
        return NotImplemented

    def __divmod__(self, other):
        if isinstance(other, timedelta):
            q, r = divmod(self._micros, other._micros)
            return q, _delta(r)
        return NotImplemented

    def _pair(self, other, equality):
        return (self._micros, other._micros) if isinstance(other, timedelta) else None

    def __hash__(self):
        return hash(self._micros)

    def __bool__(self):
        return self._micros != 0


def _delta(micros):
    days = micros // _DAY
    if not -999999999 <= days <= 999999999:
        raise OverflowError(f'days={days}; must have magnitude <= 999999999')
    made = object.__new__(timedelta)
    made._micros = micros
    return made


timedelta.min = _delta(-999999999 * _DAY)
timedelta.max = _delta(1000000000 * _DAY - 1)


class tzinfo:
    """What timezone and ZoneInfo have in common."""
    _qualified_ = True


class timezone(tzinfo):
    def __new__(cls, offset, name=None):
        if not isinstance(offset, timedelta):
            raise TypeError(f'timezone() argument 1 must be datetime.timedelta, not {type(offset).__name__}')
        if name is not None and not isinstance(name, str):
            raise TypeError(f'timezone() argument 2 must be str, not {type(name).__name__}')
        if not -_DAY < offset._micros < _DAY:
            raise ValueError('offset must be a timedelta strictly between -timedelta(hours=24) and '
                             f'timedelta(hours=24), not {offset!r}')
        if name is None and not offset:
            return _depend(timezone.utc, offset)
        return _zone(offset, name)

    def __repr__(self):
        if self is timezone.utc:
            return 'datetime.timezone.utc'
        return f'datetime.timezone({self._offset!r}{"" if self._name is None else f", {self._name!r}"})'

    def __str__(self):
        return self.tzname(None)

    def __eq__(self, other):
        if isinstance(other, timezone):
            return self._offset == other._offset
        return NotImplemented

    def __hash__(self):
        return hash(self._offset)

    def utcoffset(self, dt):
        return self._offset

    def tzname(self, dt):
        if self._name is not None:
            return self._name
        if not self._offset:
            return _depend('UTC', self._offset)
        return _text.write('UTC%:z', (1900, 1, 1, 0, 0, 0, 0, self._offset._micros, None))

    def dst(self, dt):
        return None

    def fromutc(self, dt):
        return dt + self._offset


def _zone(offset, name):
    made = object.__new__(timezone)
    made._offset = offset
    made._name = name
    return made


timezone.utc = UTC = _zone(_delta(0), None)


def _read_zone(offset, name):
    """The zone that was read from a text, as microseconds and a name."""
    return None if offset is None else timezone(_delta(offset), name)


# The classes of time zones: what a class of the program answered could be anything.
_zones = [timezone]


def _check_zone(zone):
    if zone is not None and type(zone) not in _zones:
        raise TypeError('a time zone is a datetime.timezone, a zoneinfo.ZoneInfo or None, '
                        f'not of the class {type(zone).__name__}')


class IsoCalendarDate(tuple):
    _qualified_ = True
    year = property(lambda self: self[0])
    week = property(lambda self: self[1])
    weekday = property(lambda self: self[2])

    def __repr__(self):
        return f'datetime.IsoCalendarDate(year={self[0]}, week={self[1]}, weekday={self[2]})'


class date(_Ordered):
    _qualified_ = True

    def __new__(cls, year, month, day):
        _text.check(year, month, day, 0, 0, 0, 0)
        made = object.__new__(cls)
        made._year, made._month, made._day = +year, +month, +day
        return made

    @classmethod
    def today(cls):
        return cls.fromtimestamp(_now() // 1000000)

    @classmethod
    def fromtimestamp(cls, timestamp, /):
        return cls.fromordinal(_EPOCH + _stamp(timestamp) // _DAY)

    @classmethod
    def fromordinal(cls, ordinal, /):
        return cls(*_text.from_ordinal(ordinal))

    @classmethod
    def fromisoformat(cls, date_string, /):
        return _depend(cls(*_text.read_iso(date_string, 'date')[:3]), date_string)

    def replace(self, year=_missing, month=_missing, day=_missing):
        return _replaced(self, year=year, month=month, day=day)

    def toordinal(self):
        return _text.ordinal(self._year, self._month, self._day)

    def weekday(self):
        return (self.toordinal() + 6) % 7

    def isoweekday(self):
        return (self.toordinal() + 6) % 7 + 1

    def isocalendar(self):
        weekday = self.weekday()
        thursday = self.toordinal() - weekday + 3
        year = _text.from_ordinal(thursday)[0]
        return IsoCalendarDate((year, (thursday - _text.ordinal(year, 1, 1)) // 7 + 1, weekday + 1))

    def isoformat(self):
        return f'{self._year:04d}-{self._month:02d}-{self._day:02d}'

    def __str__(self):
        return self.isoformat()

    def __repr__(self):
        return f'{_shown(self)}({self._year}, {self._month}, {self._day})'

    def __format__(self, format_spec, /):
        return self.strftime(format_spec) if format_spec else str(self)

    def strftime(self, format):
        return _text.write(format, self._fields())

    def _fields(self):
        return self._year, self._month, self._day, 0, 0, 0, 0, None, None

    def timetuple(self):
        return _struct(self._fields(), -1)

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


_readable(date, 'year month day')


def _shifted(d, days):
    n = d.toordinal() + days
    if not 1 <= n <= 3652059:
        raise OverflowError('date value out of range')
    return type(d)(*_text.from_ordinal(n))


def _struct(f, dst):
    import time as clock
    n = _text.ordinal(*f[:3])
    return clock.struct_time((*f[:6], (n - 1) % 7, n - _text.ordinal(f[0], 1, 1) + 1, dst))


def _stamp(timestamp):
    """Seconds since 1970 in whole microseconds, rounded half to even."""
    if not isinstance(timestamp, (int, float)):
        raise TypeError(f'argument must be int or float, not {type(timestamp).__name__}')
    n, d = timestamp.as_integer_ratio()
    micros = _round(n * 1000000, d)
    if not -62135596800000000 <= micros < 253402300800000000:
        raise ValueError(f'timestamp {timestamp} is out of range: it counts seconds')
    return micros


# How isoformat writes the time of the day.
_CLOCKS = {'hours': '%H', 'minutes': '%H:%M', 'seconds': '%H:%M:%S', 'milliseconds': '%H:%M:%S.%f',
           'microseconds': '%H:%M:%S.%f'}


def _clock_text(fields, timespec):
    if timespec == 'auto':
        timespec = 'microseconds' if fields[6] else 'seconds'
    if timespec not in _CLOCKS:
        raise ValueError('Unknown timespec value')
    text = _text.write(_CLOCKS[timespec], fields)
    return (text[:-3] if timespec == 'milliseconds' else text) + _text.write('%:z', fields)


class time(_Ordered):
    _qualified_ = True

    def __new__(cls, hour=0, minute=0, second=0, microsecond=0, tzinfo=None):
        _text.check(1, 1, 1, hour, minute, second, microsecond)
        return _set_clock(object.__new__(cls), hour, minute, second, microsecond, tzinfo)

    @classmethod
    def fromisoformat(cls, time_string, /):
        f = _text.read_iso(time_string, 'time')
        return _depend(cls(*f[3:7], _read_zone(*f[7:])), time_string)

    def replace(self, hour=_missing, minute=_missing, second=_missing, microsecond=_missing, tzinfo=_missing):
        return _replaced(self, hour=hour, minute=minute, second=second, microsecond=microsecond, tzinfo=tzinfo)

    def utcoffset(self):
        return None if self._tzinfo is None else self._tzinfo.utcoffset(None)

    def dst(self):
        return None if self._tzinfo is None else self._tzinfo.dst(None)

    def tzname(self):
        return None if self._tzinfo is None else self._tzinfo.tzname(None)

    def isoformat(self, timespec='auto'):
        return _clock_text(self._fields(), timespec)

    def __str__(self):
        return self.isoformat()

    def __repr__(self):
        return f'{_shown(self)}({_clock_repr(self)})'

    __format__ = date.__format__
    strftime = date.strftime

    def _fields(self):
        return (1900, 1, 1, self._hour, self._minute, self._second, self._microsecond, _micros(self.utcoffset()),
                self.tzname())

    def _pair(self, other, equality):
        if not isinstance(other, time):
            return None
        return _clock_pair(self, other, equality, 'times')

    def __hash__(self):
        return hash(('time', _of_day(self) - (_micros(self.utcoffset()) or 0)))


def _set_clock(made, hour, minute, second, micro, zone):
    _check_zone(zone)
    made._hour, made._minute, made._second, made._microsecond, made._tzinfo = +hour, +minute, +second, +micro, zone
    return made


def _micros(delta):
    return None if delta is None else delta._micros


def _of_day(t):
    """Microseconds since midnight."""
    return ((t._hour * 60 + t._minute) * 60 + t._second) * 1000000 + t._microsecond


def _clock_pair(a, b, equality, kinds):
    """Two clocks less their offsets; they are never equal when only one has any."""
    mine, theirs = _micros(a.utcoffset()), _micros(b.utcoffset())
    if (mine is None) != (theirs is None):
        if not equality:
            raise TypeError(f"can't compare offset-naive and offset-aware {kinds}")
        return 0, 1
    if mine is None or a._tzinfo is b._tzinfo:
        mine = theirs = 0
    return a._shows() - mine, b._shows() - theirs


def _clock_repr(self):
    """The fields that repr shows last: seconds and microseconds where there are any."""
    out = f'{self._hour}, {self._minute}'
    if self._microsecond:
        out += f', {self._second}, {self._microsecond}'
    elif self._second:
        out += f', {self._second}'
    return out if self._tzinfo is None else f'{out}, tzinfo={self._tzinfo!r}'


time._shows = _of_day
_readable(time, 'hour minute second microsecond tzinfo')


class datetime(date):
    _qualified_ = True

    def __new__(cls, year, month, day, hour=0, minute=0, second=0, microsecond=0, tzinfo=None, *, fold=0):
        _text.check(year, month, day, hour, minute, second, microsecond)
        made = object.__new__(cls)
        made._year, made._month, made._day = +year, +month, +day
        made._fold = 1 if fold else 0  # which of two equal times it is where clocks are set back
        return _set_clock(made, hour, minute, second, microsecond, tzinfo)

    @classmethod
    def now(cls, tz=None):
        return _from_utc(cls, _now(), tz)

    @classmethod
    def today(cls):
        return cls.now()

    @classmethod
    def utcnow(cls):
        return cls.now()

    @classmethod
    def fromtimestamp(cls, timestamp, tz=None):
        return _from_utc(cls, _stamp(timestamp), tz)

    @classmethod
    def combine(cls, date, time, tzinfo=_missing):
        if not isinstance(date, _date_class):
            raise TypeError(f'combine() argument 1 must be datetime.date, not {type(date).__name__}')
        if not isinstance(time, _time_class):
            raise TypeError(f'combine() argument 2 must be datetime.time, not {type(time).__name__}')
        return cls(date._year, date._month, date._day, time._hour, time._minute, time._second, time._microsecond,
                   time._tzinfo if tzinfo is _missing else tzinfo)

    @classmethod
    def fromisoformat(cls, date_string, /):
        f = _text.read_iso(date_string, 'datetime')
        return _depend(cls(*f[:7], _read_zone(*f[7:])), date_string)

    @classmethod
    def strptime(cls, date_string, format, /):
        f = _text.read(date_string, format)
        return _depend(cls(*f[:7], _read_zone(*f[7:])), date_string, format)

    def date(self):
        return _date_class(self._year, self._month, self._day)

    def time(self):
        return _time_class(self._hour, self._minute, self._second, self._microsecond)

    def replace(self, year=_missing, month=_missing, day=_missing, hour=_missing, minute=_missing, second=_missing,
                microsecond=_missing, tzinfo=_missing, *, fold=_missing):
        return _replaced(self, year=year, month=month, day=day, hour=hour, minute=minute, second=second,
                         microsecond=microsecond, tzinfo=tzinfo, fold=fold)

    def astimezone(self, tz=None):
        if tz is None:
            tz = UTC
        if self._tzinfo is tz:
            return self
        return _depend(_from_utc(type(self), self._utc(), tz), self)

    def utcoffset(self):
        return None if self._tzinfo is None else self._tzinfo.utcoffset(self)

    def dst(self):
        return None if self._tzinfo is None else self._tzinfo.dst(self)

    def tzname(self):
        return None if self._tzinfo is None else self._tzinfo.tzname(self)

    def timestamp(self):
        return self._utc() / 1000000

    def timetuple(self):
        saving = self.dst()
        return _struct(self._fields(), -1 if saving is None else int(bool(saving)))

    def isoformat(self, sep='T', timespec='auto'):
        if not isinstance(sep, str) or len(sep) != 1:
            raise TypeError(f'isoformat() argument 1 must be one character, not {sep!r}')
        return _date_class.isoformat(self) + sep + _clock_text(self._fields(), timespec)

    def __str__(self):
        return self.isoformat(' ')

    def __repr__(self):
        return (f'{_shown(self)}({self._year}, {self._month}, {self._day}, {_clock_repr(self)}'
                f'{", fold=1" if self._fold else ""})')

    def _fields(self):
        return (self._year, self._month, self._day, self._hour, self._minute, self._second, self._microsecond,
                _micros(self.utcoffset()), self.tzname())

    def _shows(self):
        """Microseconds since 1970 of what its clock shows."""
        return (_text.ordinal(self._year, self._month, self._day) - _EPOCH) * _DAY + _of_day(self)

    def _utc(self):
        return self._shows() - (_micros(self.utcoffset()) or 0)

    def __add__(self, other):
        if isinstance(other, timedelta):
            return _from_epoch(type(self), self._shows() + other._micros, self._tzinfo)
        return NotImplemented

    __radd__ = __add__

    def __sub__(self, other):
        if isinstance(other, timedelta):
            return _from_epoch(type(self), self._shows() - other._micros, self._tzinfo)
        if not isinstance(other, datetime):
            return NotImplemented
        if (self.utcoffset() is None) != (other.utcoffset() is None):
            raise TypeError("can't subtract offset-naive and offset-aware datetimes")
        a, b = self._pair(other, False)
        return _delta(a - b)

    def _pair(self, other, equality):
        if not isinstance(other, datetime):
            return (0, 1) if equality and isinstance(other, _date_class) else None
        return _clock_pair(self, other, equality, 'datetimes')

    def __hash__(self):
        return hash(('datetime', self._utc()))


_readable(datetime, 'hour minute second microsecond tzinfo fold')

_date_class = date
_time_class = time


def _from_epoch(cls, micros, zone):
    days, rest = divmod(micros, _DAY)
    if not 1 <= days + _EPOCH <= 3652059:
        raise OverflowError('date value out of range')
    year, month, day = _text.from_ordinal(days + _EPOCH)
    return cls(year, month, day, rest // 3600000000, rest // 60000000 % 60, rest // 1000000 % 60, rest % 1000000,
               zone)


def _from_utc(cls, micros, zone):
    made = _from_epoch(cls, micros, zone)
    return made if zone is None else zone.fromutc(made)


date.min = date(1, 1, 1)
date.max = date(9999, 12, 31)
time.min = time(0)
time.max = time(23, 59, 59, 999999)
datetime.min = datetime(1, 1, 1)
datetime.max = datetime(9999, 12, 31, 23, 59, 59, 999999)
