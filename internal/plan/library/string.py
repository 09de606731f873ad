"""Constants of characters, and templates."""

whitespace = " \t\n\r\v\f"
ascii_lowercase = "abcdefghijklmnopqrstuvwxyz"
ascii_uppercase = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
ascii_letters = ascii_lowercase + ascii_uppercase
digits = "0123456789"
hexdigits = digits + "abcdef" + "ABCDEF"
octdigits = "01234567"
punctuation = r"""!"#$%&'()*+,-./:;<=>?@[\]^_`{|}~"""
printable = digits + ascii_letters + punctuation + whitespace


def capwords(s, sep=None):
    return (sep or " ").join([w.capitalize() for w in s.split(sep)])


def _is_start(c):
    return c == "_" or c.isascii() and c.isalpha()


def _is_part(c):
    return _is_start(c) or c in digits


class Template:
    """Text with $names."""

    delimiter = "$"

    def __init__(self, template):
        self.template = template

    def _pieces(self):
        """Yields (text, None), or (written, name); the name of "$$" is "", of a mistake False."""
        s = self.template
        d = self.delimiter
        i = 0
        while True:
            j = s.find(d, i)
            if j < 0:
                yield s[i:], None
                return
            yield s[i:j], None
            k = j + len(d)
            rest = s[k:k + 1]
            if s.startswith(d, k):
                i = k + len(d)
                yield d, ""
            elif rest and _is_start(rest):
                i = k
                while i < len(s) and _is_part(s[i]):
                    i += 1
                yield s[j:i], s[k:i]
            else:
                i = k + 1
                end = -1
                if rest == "{" and _is_start(s[k + 1:k + 2]):
                    end = k + 1
                    while end < len(s) and _is_part(s[end]):
                        end += 1
                if end > 0 and s[end:end + 1] == "}":
                    i = end + 1
                    yield s[j:i], s[k + 1:end]
                else:
                    i = k
                    yield (s[j:k], j), False

    def _bad(self, i):
        line = self.template.count("\n", 0, i) + 1
        col = i - self.template.rfind("\n", 0, i)
        raise ValueError(f"Invalid placeholder in string: line {line}, col {col}")

    def _fill(self, mapping, kws, safe):
        if kws:
            mapping = {**mapping, **kws}
        out = []
        for text, name in self._pieces():
            if name is None:
                out.append(text)
            elif name == "":
                out.append(text)
            elif name is False:
                if not safe:
                    self._bad(text[1])
                out.append(text[0])
            elif safe and name not in mapping:
                out.append(text)
            else:
                out.append(str(mapping[name]))
        return "".join(out)

    def substitute(self, mapping={}, /, **kws):
        return self._fill(mapping, kws, False)

    def safe_substitute(self, mapping={}, /, **kws):
        return self._fill(mapping, kws, True)
