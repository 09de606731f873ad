"""What programs ask of their interpreter. Nothing in it reaches the host."""

from collections import namedtuple as _named

maxsize = 9223372036854775807
argv = ['']
version = '3.14.0 (plan)'
version_info = _named('version_info', 'major minor micro releaselevel serial')(3, 14, 0, 'final', 0)
float_info = _named('float_info', 'max max_exp max_10_exp min min_exp min_10_exp dig mant_dig epsilon radix rounds')(
    1.7976931348623157e+308, 1024, 308, 2.2250738585072014e-308, -1021, -307, 15, 53, 2.220446049250313e-16, 2, 1)


def exit(*status):
    if len(status) > 1:
        raise TypeError(f'exit expected at most 1 argument, got {len(status)}')
    raise SystemExit(*[x for x in status if x is not None])


def getrecursionlimit():
    return _depth(0)


def setrecursionlimit(limit, /):
    if not isinstance(limit, int):
        raise TypeError(f"'{type(limit).__name__}' object cannot be interpreted as an integer")
    if limit < 1:
        raise ValueError('recursion limit must be greater or equal than 1')
    _depth(limit)


class _Stream:
    def __init__(self, name, shown):
        self.name = name
        self._shown = shown

    def write(self, s, /):
        if not isinstance(s, str):
            raise TypeError(f'write() argument must be str, not {type(s).__name__}')
        if self._shown:
            print(s, end='')
        return len(s)

    def writelines(self, lines, /):
        for line in lines:
            self.write(line)

    def flush(self):
        pass

    def __repr__(self):
        return f"<_io.TextIOWrapper name={self.name!r} mode='w' encoding='utf-8'>"


stdout = _Stream('<stdout>', True)
stderr = _Stream('<stderr>', False)
