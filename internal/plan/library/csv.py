"""Tables as text. A reader takes any lines: text.splitlines() or io.StringIO(text)."""

from _labels import depend as _depend, moved as _moved

QUOTE_MINIMAL, QUOTE_ALL, QUOTE_NONNUMERIC = range(3)
__all__ = ['QUOTE_MINIMAL', 'QUOTE_ALL', 'QUOTE_NONNUMERIC', 'Error', 'reader', 'writer', 'DictReader', 'DictWriter']


class Error(Exception):
    pass


_delimiters = {'excel': ',', 'excel-tab': '\t'}


class Dialect:
    """How fields are separated and quoted: a named way, with what a call changes in it."""

    def __init__(self, name, options):
        if name not in _delimiters:
            raise Error('unknown dialect')
        known = {'delimiter': _delimiters[name], 'quotechar': '"', 'skipinitialspace': False, 'lineterminator': '\r\n',
                 'quoting': QUOTE_MINIMAL}
        for option in options:
            if option not in known:
                raise TypeError(f"this function got an unexpected keyword argument '{option}'")
        for option, value in {**known, **options}.items():
            setattr(self, option, value)
        if len(self.delimiter) != 1:
            raise TypeError(f'"delimiter" must be a unicode character, not a string of length {len(self.delimiter)}')


class reader:
    def __init__(self, lines, dialect='excel', **options):
        self.dialect = Dialect(dialect, options)
        self._lines = iter(lines)
        self.line_num = 0

    def __iter__(self):
        return self

    def _line(self):
        line = next(self._lines)
        if not isinstance(line, str):
            raise Error(f'iterator should return strings, not {type(line).__name__} (the file should be opened in text mode)')
        _moved(self._lines, line)  # what stands in it says how many lines a record has
        self.line_num = _depend(self.line_num + 1, line)
        return line

    def __next__(self):
        d = self.dialect
        line = self._line()
        if d.quotechar not in line and not d.skipinitialspace:
            line = line.rstrip('\r\n')
            return [self._value(text, False) for text in line.split(d.delimiter)] if line else []
        return self._record(line)

    def _record(self, line):
        """Reads a record character by character; one in quotes may go on in the next line."""
        d = self.dialect
        record, field = [], []
        inside = closed = quoted = started = False
        while True:
            for c in line:
                if inside:
                    if c == d.quotechar:
                        inside, closed = False, True
                    else:
                        field.append(c)
                elif c == d.quotechar and (not started or closed):
                    if closed:
                        field.append(c)
                    inside, closed, quoted, started = True, False, True, True
                elif c == d.delimiter:
                    record.append(self._value(''.join(field), quoted))
                    field = []
                    closed = quoted = started = False
                elif c in '\r\n':
                    break
                elif c == ' ' and d.skipinitialspace and not started:
                    pass
                else:
                    field.append(c)
                    closed, started = False, True
            if not inside:
                break
            try:
                line = self._line()
            except StopIteration:
                break
        if record or started or line.rstrip('\r\n'):
            record.append(self._value(''.join(field), quoted))
        return record

    def _value(self, text, quoted):
        return text if quoted or self.dialect.quoting != QUOTE_NONNUMERIC else float(text)


class _Writer:
    def __init__(self, file, d):
        self._write = file.write
        self.dialect = d

    def writerow(self, row):
        d = self.dialect
        fields = [self._field(x) for x in row]
        if fields == ['']:
            fields = [d.quotechar * 2]
        return self._write(d.delimiter.join(fields) + d.lineterminator)

    def writerows(self, rows):
        for row in rows:
            self.writerow(row)

    def _field(self, x):
        d = self.dialect
        text = '' if x is None else str(x)
        quote = d.quoting == QUOTE_ALL or d.quoting == QUOTE_NONNUMERIC and not isinstance(x, (int, float))
        quote = quote or any(c in text for c in d.delimiter + d.quotechar + '\r\n') or text.startswith(' ') and d.skipinitialspace
        return d.quotechar + text.replace(d.quotechar, d.quotechar * 2) + d.quotechar if quote else text


def writer(file, dialect='excel', **options):
    return _Writer(file, Dialect(dialect, options))


class DictReader:
    def __init__(self, f, fieldnames=None, restkey=None, restval=None, dialect='excel', **options):
        self.reader = reader(f, dialect, **options)
        self.restkey = restkey
        self.restval = restval
        self._names = None if fieldnames is None else list(fieldnames)

    @property
    def fieldnames(self):
        if self._names is None:
            self._names = next(self.reader, None)
        return self._names

    @property
    def line_num(self):
        return self.reader.line_num

    def __iter__(self):
        return self

    def __next__(self):
        names = self.fieldnames
        row = next(self.reader)
        while not row:
            row = next(self.reader)
        out = dict(zip(names, row))
        if len(row) > len(names):
            out[self.restkey] = row[len(names):]
        for name in names[len(row):]:
            out[name] = self.restval
        return out


class DictWriter:
    def __init__(self, f, fieldnames, restval='', extrasaction='raise', dialect='excel', **options):
        if extrasaction not in ('raise', 'ignore'):
            raise ValueError(f"extrasaction ({extrasaction}) must be 'raise' or 'ignore'")
        self.fieldnames = list(fieldnames)
        self.restval = restval
        self.extrasaction = extrasaction
        self.writer = writer(f, dialect, **options)

    def writeheader(self):
        return self.writer.writerow(self.fieldnames)

    def writerow(self, row):
        extra = [name for name in row if name not in self.fieldnames]
        if extra and self.extrasaction == 'raise':
            raise ValueError('dict contains fields not in fieldnames: ' + ', '.join([repr(x) for x in extra]))
        return self.writer.writerow([row.get(name, self.restval) for name in self.fieldnames])

    def writerows(self, rows):
        for row in rows:
            self.writerow(row)
