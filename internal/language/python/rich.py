"""Forms of values for programs, which an execution asks for ("rich"): tables as columns, figures
as charts, lists and dicts as JSON, pictures that are opened or saved. Nothing of this is loaded,
and no result is another, before the first execution that asks.
"""

import sys

DATA = "application/vnd.praxis.data+json"  # {column: [value, …]}
CHART = "application/vnd.praxis.chart+json"  # see charts.py
JSON = "application/json"
MAX_CELLS = 500_000  # of a table; one with more has no columns
MAX_NODES = 100_000  # of a list or a dict; one with more has no JSON


class _TooMuch(Exception):
    """The value has more parts than are shown."""


class Rich:
    """Adds the forms to bundles while it is on."""

    def __init__(self, show, load, hooks, space):
        self.show, self.load = show, load
        self.on = False
        sys.modules["_praxis"].command = load("commands", SPACE=space).command
        hooks.add("PIL.Image", self.pictures)
        for name in ("IPython.core.display_functions", "IPython.display"):  # the second has the first's by name
            hooks.add(name, self.displays)

    def add(self, value, bundle):
        """Put the forms of a value into its bundle. What cannot be made is left out."""
        make = None
        if self.show._is_figure(value):
            make = CHART, self.chart
        elif type(value) in (list, dict):
            make = JSON, self.tree
        else:
            frame = getattr(sys.modules.get("pandas"), "DataFrame", None)
            if isinstance(frame, type) and isinstance(value, frame):
                make = DATA, self.columns
        if make is None:
            return
        mime, form = make
        try:
            data = form(value)
        except Exception:  # of another shape than is known; its text and picture are there
            return
        if data is not None:
            self.show._add(bundle, [], mime, lambda: data)

    def chart(self, figure):
        return self.load("charts").chart(figure)

    def tree(self, value):
        left = MAX_NODES

        def plain(value, depth):
            nonlocal left
            left -= 1
            if left < 0 or depth > 50:
                raise _TooMuch
            if type(value) in (list, tuple):
                return [plain(item, depth + 1) for item in value]
            if type(value) is dict:
                return {key if type(key) is str else str(scalar(key, strict=True)): plain(item, depth + 1) for key, item in value.items()}
            return scalar(value, strict=True)

        return plain(value, 0)

    @staticmethod
    def columns(frame):
        if frame.size > MAX_CELLS:
            return None
        names = [str(name) for name in frame.columns]
        return {name: [scalar(v) for v in frame.iloc[:, i].tolist()] for i, name in enumerate(names)}

    # Libraries whose own ways to show something have nowhere to show it.

    def pictures(self, module):
        image = module.Image
        show, save = image.show, image.save
        rich = self

        def show_image(self, *args, **options):
            """Display this picture."""
            if not rich.on:
                return show(self, *args, **options)
            rich.show.display(self)

        def save_image(self, fp, *args, **options):
            """Save this picture, and display it when that was to a file by its path."""
            save(self, fp, *args, **options)
            if rich.on and isinstance(fp, str):
                rich.show.display(self)

        image.show, image.save = show_image, save_image

    def displays(self, module):
        module.display = self.show.display

        def publish(data, *_, **__):
            """Display a dict from MIME type to data."""
            self.show.display(data, raw=True)

        module.publish_display_data = publish


def scalar(value, strict=False):
    """Return a value as JSON has it: numbers, texts, truth, nothing. Of another kind it is its text, or an error."""
    item = getattr(value, "item", None)
    if type(value) not in (bool, int, float, str) and callable(item) and type(value).__module__ == "numpy":
        value = item()
    if value is None or type(value) in (bool, str):
        return value
    if type(value) is int:
        return value
    if type(value) is float:
        return value if value - value == 0 else None
    moment = getattr(value, "isoformat", None)
    if callable(moment):
        return None if value != value else moment()
    if strict:
        raise TypeError(type(value).__name__)
    return None if type(value).__name__ == "NAType" else str(value)
