"""The clock of the run, and times as tuples. There is no time zone of the host: local time is UTC."""

import _timetext as _text

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
    from datetime import datetime
    t = datetime.fromtimestamp(int(time() if seconds is None else seconds // 1)).timetuple()
    return struct_time((*t[:8], 0))


def localtime(seconds=None, /):
    return gmtime(seconds)


def mktime(t, /):
    month = t[1] - 1
    n = _text.ordinal(t[0] + month // 12, month % 12 + 1, 1) + t[2] - 1
    return float((n - 719163) * 86400 + t[3] * 3600 + t[4] * 60 + t[5])


def strftime(format, t=None, /):
    t = gmtime() if t is None else struct_time(t)
    _text.check(*t[:6], 0)
    return _text.write(format, (*t[:6], 0, 0, 'UTC'))


def strptime(data_string, format='%a %b %d %H:%M:%S %Y', /):
    from datetime import datetime
    return datetime.strptime(data_string, format).timetuple()
