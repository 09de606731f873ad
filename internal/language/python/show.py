"""Values as bundles of MIME types: the _repr_*_ conventions, display(), and
the figures of matplotlib. Every item is bounded and every value is a str.
"""

import sys

MAX_ITEM = 8 << 20  # bytes of one item
MAX_BUNDLE = 24 << 20  # bytes of a bundle
MAX_KINDS = 16
MAX_FIGURES = 64  # a cell
SAVED = "application/vnd.praxis.file"  # in a bundle: the path of the file that its picture was saved in

_methods = (
    ("text/html", "_repr_html_"),
    ("text/markdown", "_repr_markdown_"),
    ("text/latex", "_repr_latex_"),
    ("image/svg+xml", "_repr_svg_"),
    ("image/png", "_repr_png_"),
    ("image/jpeg", "_repr_jpeg_"),
    ("application/json", "_repr_json_"),
)
_binary = ("image/png", "image/jpeg")


class _Refused(Exception):
    """An item that cannot be part of a bundle; the message says why."""


def _item(mime, data):
    """Return data of a MIME type as the str that goes into the bundle."""
    if mime in _binary and isinstance(data, (bytes, bytearray, memoryview)):
        from base64 import b64encode

        if len(data) > MAX_ITEM:
            raise _Refused(f"{len(data):,} bytes are more than {MAX_ITEM:,}")
        return b64encode(data).decode("ascii")
    if isinstance(data, (bytes, bytearray)):
        data = bytes(data).decode("utf-8", "replace")
    if not isinstance(data, str) or mime == "application/json":
        data = _json(data)
    data = str.__str__(data)  # not a subclass with methods of its own
    if len(data) > MAX_ITEM or len(data.encode("utf-8", "replace")) > MAX_ITEM:
        raise _Refused(f"{len(data):,} characters are more than {MAX_ITEM:,}")
    if mime in _binary:
        data = "".join(data.split())  # base64 with line breaks
    return data


def _json(data):
    import json

    try:
        if isinstance(data, str):  # JSON already?
            json.loads(data)
            return data
    except ValueError:
        pass
    return json.dumps(data, ensure_ascii=False, allow_nan=False)


def _method(value, name):
    """Return the bound method of a formatting convention, or None."""
    if isinstance(value, type):
        return None
    try:
        if getattr(value, "_praxis_no_such_method_", None) is not None:
            return None  # answers to every name, such as a mock
        method = getattr(value, name, None)
    except Exception:
        return None
    return method if callable(method) else None


class Show:
    """Makes bundles. send is called with a bundle for each display."""

    def __init__(self, pretty, send, of_data=lambda bundle: None):
        self.pretty = pretty
        self.send = send
        self.of_data = of_data  # the page of a bundle that has none; see pages.py
        self.pages = []  # of libraries: class, function that makes the page, function that makes the text or None
        self.columns = 100
        self.rich = None  # makes forms for programs; see rich.py
        self.shown = {}  # id → figure that this cell has shown already
        self.saved = {}  # id → figure that this cell has saved, and the path of its file

    def bundle(self, value):
        """Return the bundle of a value. Failing formatters leave a note in its text."""
        for kind, page, text in self.pages:
            if isinstance(value, kind):
                made = self.bundle_of_page(value, page, text)
                if made is not None:
                    return made
        bundle, notes = {}, []
        if self._is_figure(value):
            self.shown[id(value)] = value
            self._add(bundle, notes, "image/png", lambda: self._png(value))
            if id(value) in self.saved:
                bundle[SAVED] = self.saved[id(value)][1]
        else:
            self._by_conventions(bundle, notes, value)
        text = bundle.pop("text/plain", None)
        if text is None:
            text = self.pretty.pretty(value, self.columns)
        if notes:
            text += "\n" + "\n".join(f"[{note}]" for note in notes)
        if self.rich is not None and self.rich.on:
            self.rich.add(value, bundle)
        return {"text": text, **bundle}

    def bundle_of_page(self, value, page, text=None):
        """Return the bundle of a value that a library makes a page of, or None when it makes none."""
        bundle, notes = {}, []
        self._add(bundle, notes, "text/html", lambda: page(value))
        if not bundle and not notes:
            return None
        try:
            line = text(value) if text else self.pretty.pretty(value, self.columns)
        except Exception as exc:
            line = f"<{type(value).__name__}: {type(exc).__name__}>"
        return {"text": "\n".join([line, *(f"[{note}]" for note in notes)]), **bundle}

    def _page_of_data(self, bundle, notes):
        if any(mime.startswith("application/vnd.") for mime in bundle) and "text/html" not in bundle:
            self._add(bundle, notes, "text/html", lambda: self.of_data(dict(bundle)))

    def _by_conventions(self, bundle, notes, value):
        if type(value) in (int, float, str, bool, list, dict, tuple, set, bytes, type(None)):
            return
        whole = _method(value, "_repr_mimebundle_")
        if whole is not None:
            self._whole(bundle, notes, whole)
        for mime, name in _methods:
            if mime in bundle or mime == "image/jpeg" and "image/png" in bundle:
                continue
            method = _method(value, name)
            if method is not None:
                self._add(bundle, notes, mime, method)
        self._page_of_data(bundle, notes)

    def _whole(self, bundle, notes, method):
        try:
            data = method(include=None, exclude=None)
            if isinstance(data, tuple):
                data = data[0]
            data = dict(data or {})
        except (Exception, SystemExit) as exc:
            notes.append(f"_repr_mimebundle_ raised {type(exc).__name__}")
            return
        for mime, item in list(data.items())[:MAX_KINDS]:
            if isinstance(mime, str):
                self._add(bundle, notes, mime, lambda item=item: item)

    def _add(self, bundle, notes, mime, make):
        try:
            data = make()
            if isinstance(data, tuple) and len(data) == 2 and isinstance(data[1], dict):
                data = data[0]  # (data, metadata)
            if data is None:
                return
            text = _item(mime, data)
            if sum(map(len, bundle.values())) + len(text) > MAX_BUNDLE:
                raise _Refused("the value is too large")
            bundle[mime] = text
        except _Refused as exc:
            notes.append(f"{mime} left out: {exc}")
        except (Exception, SystemExit) as exc:
            notes.append(f"{mime} left out: {type(exc).__name__}: {str(exc)[:200]}")

    def display(self, *values, raw=False, **_):
        """Show values as richly as they can be: tables, pictures, HTML, Markdown, JSON.

        With raw=True the values are dicts from MIME type to data.
        """
        for value in values:
            if raw and isinstance(value, dict):
                bundle, notes = {}, []
                for mime, item in list(value.items())[:MAX_KINDS]:
                    self._add(bundle, notes, str(mime), lambda item=item: item)
                self._page_of_data(bundle, notes)
                text = bundle.pop("text/plain", "")
                self.send({"text": "\n".join([text, *notes]).strip("\n"), **bundle})
            else:
                self.send(self.bundle(value))

    # Figures of matplotlib.

    @staticmethod
    def _is_figure(value):
        figure = getattr(sys.modules.get("matplotlib.figure"), "Figure", None)
        return isinstance(figure, type) and isinstance(value, figure)

    def saved_as(self, figure, target):
        """Remember that a figure is a file already: shown as well, it is no other picture."""
        import os

        if isinstance(target, (str, os.PathLike)):
            path = os.path.abspath(os.fspath(target))
            if isinstance(path, str):
                made = [p for p in (path, path + ".png") if os.path.isfile(p)]
                if made:
                    self.saved[id(figure)] = figure, made[0]

    @staticmethod
    def _png(figure):
        from io import BytesIO

        out = BytesIO()
        figure.savefig(out, format="png", bbox_inches="tight")
        return out.getvalue()

    def figures(self):
        """Display every open figure that this cell has not shown, and close them all."""
        pyplot = sys.modules.get("matplotlib.pyplot")
        if pyplot is None:
            return
        try:
            managers = list(sys.modules["matplotlib._pylab_helpers"].Gcf.get_all_fig_managers())
            for manager in managers[:MAX_FIGURES]:
                figure = manager.canvas.figure
                drawn = len(figure.get_children()) > 1  # more than the background
                if drawn and id(figure) not in self.shown:
                    self.send(self.bundle(figure))
            if len(managers) > MAX_FIGURES:
                print(f"{len(managers) - MAX_FIGURES} figures are not shown", file=sys.stderr)
            if managers:
                pyplot.close("all")
            self.shown.clear()
            self.saved.clear()
        except Exception as exc:  # the program changed matplotlib's inside
            print(f"cannot show the figures: {type(exc).__name__}: {exc}", file=sys.stderr)

    def drop_figures(self):
        """Forget what this cell has shown and close what is open, without drawing."""
        self.shown.clear()
        self.saved.clear()
        pyplot = sys.modules.get("matplotlib.pyplot")
        if pyplot is not None and hasattr(pyplot, "close"):
            try:
                pyplot.close("all")
            except Exception:
                return
