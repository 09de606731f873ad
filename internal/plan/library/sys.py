"""What programs ask of their interpreter. Nothing in it reaches the host."""

from collections import namedtuple as _named

maxsize = 9223372036854775807
maxunicode = 1114111
byteorder = 'little'
platform = 'linux'
copyright = ''
version = '3.14.0 (plan)'
hexversion = 0x030E00F0
api_version = 1013
argv = ['']
path = []
dont_write_bytecode = True

version_info = _named('version_info', 'major minor micro releaselevel serial')(3, 14, 0, 'final', 0)
float_info = _named('float_info', 'max max_exp max_10_exp min min_exp min_10_exp dig mant_dig epsilon radix rounds')(
    1.7976931348623157e+308, 1024, 308, 2.2250738585072014e-308, -1021, -307, 15, 53, 2.220446049250313e-16, 2, 1)
int_info = _named('int_info', 'bits_per_digit sizeof_digit default_max_str_digits str_digits_check_threshold')(30, 4, 4300, 640)
hash_info = _named('hash_info', 'width modulus inf nan imag algorithm hash_bits seed_bits cutoff')(
    64, 2305843009213693951, 314159, 0, 1000003, 'siphash13', 64, 128, 0)


def exit(status=None, /):
    raise SystemExit(status)


def getrecursionlimit():
    return _depth(0)


def setrecursionlimit(limit, /):
    if not isinstance(limit, int):
        raise TypeError(f"'{type(limit).__name__}' object cannot be interpreted as an integer")
    if limit < 1:
        raise ValueError('recursion limit must be greater or equal than 1')
    _depth(limit)


def get_int_max_str_digits():
    return 4300


def intern(string, /):
    if type(string) is not str:
        raise TypeError(f"intern() argument must be str, not {type(string).__name__}")
    return string


def getdefaultencoding():
    return 'utf-8'


def getfilesystemencoding():
    return 'utf-8'


class _Stream:
    mode = 'w'
    encoding = 'utf-8'
    errors = 'strict'
    closed = False
    newlines = None
    line_buffering = False

    def write(self, s, /):
        if not isinstance(s, str):
            raise TypeError(f'write() argument must be str, not {type(s).__name__}')
        self._put(s)
        return len(s)

    def writelines(self, lines, /):
        for line in lines:
            self.write(line)

    def flush(self):
        pass

    def isatty(self):
        return False

    def readable(self):
        return False

    def writable(self):
        return True

    def seekable(self):
        return False

    def reconfigure(self, **options):
        pass

    def __repr__(self):
        return f"<_io.TextIOWrapper name={self.name!r} mode='w' encoding='utf-8'>"


class _Out(_Stream):
    name = '<stdout>'

    def _put(self, s):
        print(s, end='')


class _Err(_Stream):
    name = '<stderr>'

    def _put(self, s):
        pass


stdout = __stdout__ = _Out()
stderr = __stderr__ = _Err()
