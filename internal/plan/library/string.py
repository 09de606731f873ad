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


class Template:
    """Text with $names."""

    def __init__(self, template):
        self.template = template

    def _fill(self, mapping, safe):
        import re

        def text(m):
            name = m[2] or m[3]
            if m[1]:
                return "$"
            if not name and not safe:
                raise ValueError(f"Invalid placeholder in string: position {m.start()}")
            return m[0] if not name or safe and name not in mapping else str(mapping[name])

        return re.sub(r"\$(?:(\$)|([A-Za-z_][A-Za-z0-9_]*)|\{([A-Za-z_][A-Za-z0-9_]*)\}|)", text, self.template)

    def substitute(self, mapping={}, /, **kws):
        return self._fill({**mapping, **kws}, False)

    def safe_substitute(self, mapping={}, /, **kws):
        return self._fill({**mapping, **kws}, True)
