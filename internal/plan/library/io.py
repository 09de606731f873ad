"""Text and bytes in memory that are read and written as files are."""

SEEK_SET = 0
SEEK_CUR = 1
SEEK_END = 2
DEFAULT_BUFFER_SIZE = 131072


class UnsupportedOperation(OSError, ValueError):
    pass


class IOBase:
    closed = False

    def close(self):
        self.closed = True

    def flush(self):
        self._open()

    def isatty(self):
        self._open()
        return False

    def readable(self):
        self._open()
        return True

    def writable(self):
        self._open()
        return True

    def seekable(self):
        self._open()
        return True

    def fileno(self):
        raise UnsupportedOperation('fileno')

    def detach(self):
        raise UnsupportedOperation('detach')

    def _open(self):
        if self.closed:
            raise ValueError('I/O operation on closed file')

    def __enter__(self):
        self._open()
        return self

    def __exit__(self, *what):
        self.close()

    def __iter__(self):
        self._open()
        return self

    def __next__(self):
        line = self.readline()
        if not line:
            raise StopIteration
        return line

    def readlines(self, hint=-1, /):
        out = []
        size = 0
        for line in self:
            out.append(line)
            size += len(line)
            if hint is not None and 0 < hint <= size:
                break
        return out

    def writelines(self, lines, /):
        for line in lines:
            self.write(line)


class _Memory(IOBase):
    # What was written lies in pieces until it is read: writing alone stays linear.

    def _start(self, text):
        self._pieces = []
        self._text = text
        self._at = 0
        self._end = len(text)

    def _all(self):
        if self._pieces:
            self._text = self._empty.join([self._text, *self._pieces])
            self._pieces = []
        return self._text

    def getvalue(self):
        self._open()
        return self._all()

    def _put(self, s):
        n = len(s)
        if n == 0:
            return
        if self._at == self._end:
            self._pieces.append(s)
            self._end += n
            self._at += n
            return
        text = self._all()
        if self._at > self._end:
            text += self._zero * (self._at - self._end)
        self._text = text[:self._at] + s + text[self._at + n:]
        self._at += n
        self._end = len(self._text)

    def _take(self, size):
        text = self._all()
        out = text[self._at:] if size is None or size < 0 else text[self._at:self._at + size]
        self._at += len(out)
        return out

    def read(self, size=-1, /):
        self._open()
        return self._take(size)

    def readline(self, size=-1, /):
        self._open()
        text = self._all()
        i = text.find(self._line, self._at)
        n = (self._end if i < 0 else i + 1) - self._at
        if size is not None and 0 <= size < n:
            n = size
        return self._take(max(n, 0))

    def tell(self):
        self._open()
        return self._at

    def truncate(self, size=None, /):
        self._open()
        if size is None:
            size = self._at
        if size < 0:
            raise ValueError(f'negative size value {size}' if self._empty else f'Negative size value {size}')
        if size < self._end:
            self._text = self._all()[:size]
            self._end = size
        return size


class TextIOBase(IOBase):
    pass


class StringIO(_Memory, TextIOBase):
    _empty = ''
    _zero = '\0'
    _line = '\n'
    encoding = None
    errors = None
    line_buffering = False

    def __init__(self, initial_value='', newline='\n'):
        if initial_value is not None and not isinstance(initial_value, str):
            raise TypeError(f'initial_value must be str or None, not {type(initial_value).__name__}')
        if newline not in (None, '', '\n'):
            if newline not in ('\r', '\r\n'):
                raise ValueError(f'illegal newline value: {newline!r}')
            raise ValueError('a plan has lines that end in \\n alone')
        self._universal = newline is None
        self._start('')
        if initial_value:
            self.write(initial_value)
            self._at = 0

    def write(self, s, /):
        self._open()
        if not isinstance(s, str):
            raise TypeError(f'string argument expected, got {type(s).__name__!r}')
        if self._universal:
            self._put(s.replace('\r\n', '\n').replace('\r', '\n'))
        else:
            self._put(s)
        return len(s)

    def seek(self, pos, whence=0, /):
        self._open()
        if whence not in (0, 1, 2):
            raise ValueError(f'Invalid whence ({whence}, should be 0, 1 or 2)')
        if whence == 0:
            if pos < 0:
                raise ValueError(f'Negative seek position {pos}')
            self._at = pos
        else:
            if pos != 0:
                raise OSError("Can't do nonzero cur-relative seeks")
            if whence == 2:
                self._at = self._end
        return self._at


class BytesIO(_Memory):
    _empty = b''
    _zero = b'\0'
    _line = b'\n'

    def __init__(self, initial_bytes=b''):
        self._start(bytes(initial_bytes or b''))

    def write(self, b, /):
        self._open()
        if isinstance(b, str):
            raise TypeError("a bytes-like object is required, not 'str'")
        b = bytes(b)
        self._put(b)
        return len(b)

    def read1(self, size=-1, /):
        return self.read(size)

    def seek(self, pos, whence=0, /):
        self._open()
        if whence == 0:
            if pos < 0:
                raise ValueError(f'negative seek value {pos}')
            self._at = pos
        elif whence == 1:
            self._at = max(0, self._at + pos)
        elif whence == 2:
            self._at = max(0, self._end + pos)
        else:
            raise ValueError(f'invalid whence ({whence}, should be 0, 1 or 2)')
        return self._at
