"""The clock of the run, and times as tuples. There is no time zone of the host: local time is UTC."""

import _timetext as _text
from _labels import depend as _depend

_NAMES = ('tm_year', 'tm_mon', 'tm_mday', 'tm_hour', 'tm_min', 'tm_sec', 'tm_wday', 'tm_yday', 'tm_isdst')


class struct_time(tuple):
    _qualified_ = True

    def __new__(cls, iterable):
        items = tuple(iterable)
        if len(items) != 9:
            raise TypeError(f'time.struct_time() takes a 9-sequence ({len(items)}-sequence given)')
        return tuple.__new__(cls, items)

    def __repr__(self):
        return 'time.struct_time(' + ', '.join([f'{_NAMES[i]}={self[i]!r}' for i in range(9)]) + ')'


def _part(i):
    return property(lambda self: self[i])


for _i in range(9):
    setattr(struct_time, _NAMES[_i], _part(_i))


def gmtime(seconds=None, /):
    whole = int(time() if seconds is None else seconds // 1)
    days, rest = divmod(whole, 86400)
    n = days + 719163
    if not -10 ** 9 < n < 10 ** 9:
        raise OverflowError('timestamp out of range for platform time_t')
    year, month, day = _text.from_ordinal(n)
    return struct_time((year, month, day, rest // 3600, rest // 60 % 60, rest % 60, (n - 1) % 7,
                        n - _text.ordinal(year, 1, 1) + 1, 0))


def localtime(seconds=None, /):
    return gmtime(seconds)


def mktime(t, /):
    _tuple(t, 'mktime')
    month = t[1] - 1
    n = _text.ordinal(t[0] + month // 12, month % 12 + 1, 1) + t[2] - 1
    return float((n - 719163) * 86400 + t[3] * 3600 + t[4] * 60 + t[5])


def _tuple(t, name):
    if not isinstance(t, tuple):
        raise TypeError('Tuple or struct_time argument required')
    if len(t) != 9:
        raise TypeError(f'{name}(): illegal time tuple argument')


def _fields(t, name):
    _tuple(t, name)
    month = t[1] or 1
    day = t[2] or 1
    if not 1 <= month <= 12:
        raise ValueError('month out of range')
    if not 1 <= day <= 31:
        raise ValueError('day of month out of range')
    if not 0 <= t[3] <= 23:
        raise ValueError('hour out of range')
    if not 0 <= t[4] <= 59:
        raise ValueError('minute out of range')
    if not 0 <= t[5] <= 61:
        raise ValueError('seconds out of range')
    if not 0 <= (t[7] or 1) <= 366:
        raise ValueError('day of year out of range')
    return (t[0], month, day, t[3], t[4], t[5], 0, t[6] % 7, t[7] or 1, 0, 'UTC')


def strftime(format, t=None, /):
    if not isinstance(format, str):
        raise TypeError(f'strftime() argument 1 must be str, not {type(format).__name__}')
    return _text.write(format.replace('%f', '%%f').replace('%:z', '%%:z'), _fields(gmtime() if t is None else t, 'strftime'))


def strptime(data_string, format='%a %b %d %H:%M:%S %Y', /):
    f = _text.read(data_string, format)
    n = _text.ordinal(f[0], f[1], f[2])
    made = struct_time((f[0], f[1], f[2], f[3], f[4], f[5], (n - 1) % 7, n - _text.ordinal(f[0], 1, 1) + 1,
                        -1 if f[10] is None else 0))
    return _depend(made, data_string, format)
