"""Text in lines of a given width."""

import re as _re

_white = "\t\n\x0b\x0c\r "
_spaces = _re.compile(r"([\t\n\x0b\x0c\r ]+)")
# A line may end behind a hyphen that two letters stand before and behind.
_hyphen = _re.compile(r"(?<=[^\W\d_][^\W\d_]-)(?=[^\W\d_]-?[^\W\d_])")


def _words(text, hyphens):
    """Cuts text into words, the spaces between them, and parts of words with hyphens."""
    out = [w for w in _spaces.split(text) if w]
    return [part for w in out for part in _hyphen.split(w)] if hyphens else out


class TextWrapper:
    def __init__(self, width=70, initial_indent="", subsequent_indent="", replace_whitespace=True, break_long_words=True,
                 break_on_hyphens=True):
        self.width = width
        self.initial_indent = initial_indent
        self.subsequent_indent = subsequent_indent
        self.replace_whitespace = replace_whitespace
        self.break_long_words = break_long_words
        self.break_on_hyphens = break_on_hyphens

    def _chunks(self, text):
        text = text.expandtabs()
        if self.replace_whitespace:
            for c in _white:
                text = text.replace(c, " ")
        return _words(text, self.break_on_hyphens)

    def _fits(self, word, free, alone):
        """How much of a word that is too long goes into the line."""
        if not self.break_long_words:
            return len(word) if alone else None
        if self.break_on_hyphens and len(word) > free:
            at = word.rfind("-", 0, free)
            if at > 0 and any([c != "-" for c in word[:at]]):
                return at + 1
        return free

    def wrap(self, text):
        queue = self._chunks(text)
        if self.width <= 0:
            raise ValueError(f"invalid width {self.width!r} (must be > 0)")
        queue.reverse()
        lines = []
        while queue:
            line = []
            used = 0
            indent = self.subsequent_indent if lines else self.initial_indent
            width = self.width - len(indent)
            if queue[-1].strip() == "" and lines:
                queue.pop()
            while queue and used + len(queue[-1]) <= width:
                used += len(queue[-1])
                line.append(queue.pop())
            if queue and len(queue[-1]) > width:
                end = self._fits(queue[-1], 1 if width < 1 else width - used, not line)
                if end is not None:
                    word = queue.pop()
                    line.append(word[:end])
                    if end < len(word):
                        queue.append(word[end:])
            if line and line[-1].strip() == "":
                line.pop()
            if line:
                lines.append(indent + "".join(line))
        return lines

    def fill(self, text):
        return "\n".join(self.wrap(text))


def wrap(text, width=70, **kwargs):
    return TextWrapper(width=width, **kwargs).wrap(text)


def fill(text, width=70, **kwargs):
    return TextWrapper(width=width, **kwargs).fill(text)


def dedent(text):
    lines = text.split("\n")
    margin = None
    for i, line in enumerate(lines):
        if not line.strip(" \t\r\x0b\x0c"):
            lines[i] = ""
            continue
        indent = line[:len(line) - len(line.lstrip(" \t"))]
        if margin is None:
            margin = indent
        else:
            n = 0
            while n < len(margin) and n < len(indent) and margin[n] == indent[n]:
                n += 1
            margin = margin[:n]
    n = len(margin or "")
    return "\n".join([line[n:] if line else line for line in lines])


def indent(text, prefix, predicate=None):
    out = []
    for line in text.splitlines(True):
        if predicate(line) if predicate is not None else line.strip():
            line = prefix + line
        out.append(line)
    return "".join(out)
