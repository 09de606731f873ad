"""The time zones of the IANA database, the same on every machine."""

from datetime import datetime as _datetime, timedelta as _timedelta, tzinfo as _tzinfo, _zones

__all__ = ['ZoneInfo', 'ZoneInfoNotFoundError']

_epoch = _datetime(1970, 1, 1)
_second = _timedelta(seconds=1)
_made = {}


class ZoneInfoNotFoundError(KeyError):
    pass


def _seconds(dt):
    return (dt.replace(tzinfo=None) - _epoch) // _second


class ZoneInfo(_tzinfo):
    def __new__(cls, key):
        if key not in _made:
            if _at(key, 0) is None:
                raise ZoneInfoNotFoundError(f'No time zone found with key {key}')
            zone = _tzinfo.__new__(cls)
            zone.key = key
            _made[key] = zone
        return _made[key]

    def _clocks(self, dt):
        return _wall(self.key, _seconds(dt), dt.fold)

    def utcoffset(self, dt):
        return None if dt is None else _timedelta(seconds=self._clocks(dt)[0])

    def dst(self, dt):
        return None if dt is None else _timedelta(seconds=self._clocks(dt)[1])

    def tzname(self, dt):
        return None if dt is None else self._clocks(dt)[2]

    def fromutc(self, dt):
        if dt.tzinfo is not self:
            raise ValueError('fromutc: dt.tzinfo is not self')
        offset = _at(self.key, _seconds(dt))[0]
        out = dt + _timedelta(seconds=offset)
        return out.replace(fold=1) if _wall(self.key, _seconds(out), 0)[0] != offset else out

    def __str__(self):
        return self.key

    def __repr__(self):
        return f'zoneinfo.ZoneInfo(key={self.key!r})'


_zones.append(ZoneInfo)
