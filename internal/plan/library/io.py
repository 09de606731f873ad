"""Text in memory that is read and written as a file is."""


class StringIO:
    """What was written lies in pieces until it is read: writing alone stays linear."""

    closed = False

    def __init__(self, initial_value='', newline='\n'):
        if initial_value is not None and not isinstance(initial_value, str):
            raise TypeError(f'initial_value must be str or None, not {type(initial_value).__name__}')
        self._pieces = []
        self._text = initial_value or ''
        self._at = 0
        self._end = len(self._text)

    def _all(self):
        if self.closed:
            raise ValueError('I/O operation on closed file')
        if self._pieces:
            self._text = ''.join([self._text, *self._pieces])
            self._pieces = []
        return self._text

    def getvalue(self):
        return self._all()

    def write(self, s, /):
        if not isinstance(s, str):
            raise TypeError(f'string argument expected, got {type(s).__name__!r}')
        if self._at == self._end and not self.closed:
            self._pieces.append(s)
            self._end += len(s)
            self._at = self._end
            return len(s)
        text = self._all().ljust(self._at, '\0')
        self._text = text[:self._at] + s + text[self._at + len(s):]
        self._at += len(s)
        self._end = len(self._text)
        return len(s)

    def writelines(self, lines, /):
        for line in lines:
            self.write(line)

    def _take(self, size):
        out = self._all()[self._at:self._at + size]
        self._at += len(out)
        return out

    def read(self, size=-1, /):
        return self._take(self._end if size is None or size < 0 else size)

    def readline(self):
        i = self._all().find('\n', self._at)
        return self._take(self._end if i < 0 else i + 1 - self._at)

    def readlines(self):
        return list(self)

    def seek(self, pos, whence=0, /):
        if pos < 0 or whence and pos:
            raise ValueError('a text is sought from its beginning, or to its end')
        self._at = pos if whence == 0 else self._at if whence == 1 else self._end
        return self._at

    def tell(self):
        return self._at

    def flush(self):
        pass

    def close(self):
        self.closed = True

    def __enter__(self):
        return self

    def __exit__(self, *what):
        self.close()

    def __iter__(self):
        return self

    def __next__(self):
        line = self.readline()
        if not line:
            raise StopIteration
        return line
