"""What a figure of matplotlib shows, as data: the dictionaries that E2B's clients call charts.

Their names and keys are those of the types in its SDKs (ChartType, PointChart, BarData, …).
Numbers on an axis of dates are ISO texts, those on an axis of categories are its words.
"""

import re
import sys

MAX_POINTS = 50_000  # of a figure; one with more has no chart
UNIT = re.compile(r"\s\((.*?)\)|\[(.*?)\]")  # in the label of an axis


class _Unknown(Exception):
    """The axes show something that has no name here."""


def chart(figure):
    """Return the chart of a figure, None when nothing is drawn in it."""
    shown = [ax for ax in figure.axes if ax.get_label() != "<colorbar>" and _drawn(ax)]
    charts = [_of_axes(ax) for ax in shown]
    if sum(len(e["points"]) for c in charts for e in c["elements"] if "points" in e) > MAX_POINTS:
        return None
    if len(charts) < 2:
        return charts[0] if charts else None
    return {"type": "superchart", "title": figure.get_suptitle() or None, "elements": charts}


def _drawn(ax):
    return bool(ax.lines or ax.collections or ax.patches or ax.images or ax.artists or ax.tables)


def _of_axes(ax):
    try:
        kind, elements, flat = _elements(ax)
    except _Unknown:
        return {"type": "unknown", "title": ax.get_title() or None, "elements": []}
    out = {"type": kind, "title": ax.get_title() or None, "elements": elements}
    if kind == "pie":
        return out
    for name, axis in zip("yx" if flat else "xy", (ax.xaxis, ax.yaxis)):
        label = axis.get_label_text() or None
        unit = UNIT.search(label or "")
        out[f"{name}_label"] = label
        out[f"{name}_unit"] = unit and (unit[1] or unit[2])
        if kind in ("line", "scatter"):
            scale = _scale(axis)
            out[f"{name}_ticks"] = _values(axis, scale, axis.get_ticklocs())
            out[f"{name}_tick_labels"] = _texts(axis)
            out[f"{name}_scale"] = scale
    return out


def _elements(ax):
    """Return the type of what is drawn, its elements, and whether its categories lie on the y axis."""
    from matplotlib.collections import PathCollection
    from matplotlib.container import BarContainer
    from matplotlib.patches import PathPatch, Rectangle, Wedge

    lines = [line for line in ax.lines if line.get_transform() == ax.transData]  # axhline and its like only mark
    others = ax.images or ax.artists or ax.tables

    def only(artists, kind):
        return bool(artists) and not others and all(isinstance(a, kind) for a in artists)

    if not (ax.patches or ax.collections) and lines and not others:
        return "line", _lines(ax, lines), False
    if not (ax.patches or lines) and only(ax.collections, PathCollection):
        return "scatter", _clouds(ax), False
    if not (ax.collections or lines) and only(ax.patches, Wedge):
        return "pie", [_slice(wedge) for wedge in ax.patches], False
    if not ax.collections and only(ax.patches, PathPatch):
        return ("box_and_whisker", *_boxes(ax, lines))
    bars = [c for c in ax.containers if isinstance(c, BarContainer)]
    if not (ax.collections or lines) and bars and only(ax.patches, Rectangle):
        flat = all(bar.orientation == "horizontal" for bar in bars)
        return "bar", [e for i, bar in enumerate(bars) for e in _bars(ax, bar, i, flat)], flat
    raise _Unknown


def _name(artist, i, word):
    """Return the label that an artist was given, or one that counts it."""
    label = str(artist.get_label())
    return f"{word} {i}" if label.startswith("_") else label


def _lines(ax, lines):
    return [
        {"label": _name(line, i, "Line"), "points": _points(ax, line.get_xdata(orig=False), line.get_ydata(orig=False))}
        for i, line in enumerate(lines)
    ]


def _clouds(ax):
    return [
        {"label": _name(cloud, i, "Dataset"), "points": _points(ax, *zip(*cloud.get_offsets().tolist()))}
        for i, cloud in enumerate(ax.collections)
        if len(cloud.get_offsets())
    ]


def _points(ax, xs, ys):
    if len(xs) > MAX_POINTS:
        raise _Unknown
    return list(zip(_values(ax.xaxis, _scale(ax.xaxis), xs), _values(ax.yaxis, _scale(ax.yaxis), ys)))


def _slice(wedge):
    return {"label": str(wedge.get_label()), "angle": round(abs(float(wedge.theta2 - wedge.theta1)), 4), "radius": float(wedge.r)}


def _bars(ax, container, i, flat):
    for bar in container:
        start, width, value = bar.get_x(), bar.get_width(), bar.get_height()
        if flat:
            start, width, value = bar.get_y(), bar.get_height(), bar.get_width()
        place = _place(ax.yaxis if flat else ax.xaxis, start + width / 2)
        yield {"label": place, "group": _name(container, i, "Group"), "value": _number(value)}


def _place(axis, at):
    """Return what stands at a place of an axis: the nearest category, or the number."""
    at = float(at)
    texts, ticks = _texts(axis), [float(t) for t in axis.get_ticklocs()]
    named = [(abs(t - at), text) for t, text in zip(ticks, texts) if text]
    if _scale(axis) != "linear" and named:
        return min(named)[1]
    return f"{at:.10g}"


def _boxes(ax, lines):
    """Return the boxes of a box plot, and whether they lie."""
    pairs = [[(float(x), float(y)) for x, y in zip(line.get_xdata(orig=False), line.get_ydata(orig=False))] for line in lines]
    outlines = [[(float(x), float(y)) for x, y in patch.get_path().vertices] for patch in ax.patches]

    def turned(points):
        return [(y, x) for x, y in points]

    def median(outline):
        """Return where the line across a box that stands is."""
        (left, right), (low, high) = _extent(outline)
        for line in pairs:
            if len(line) == 2 and line[0][1] == line[1][1] and low <= line[0][1] <= high and {line[0][0], line[1][0]} == {left, right}:
                return line[0][1]
        return None

    flat = median(outlines[0]) is None
    if flat:
        pairs, outlines = [turned(p) for p in pairs], [turned(o) for o in outlines]
    boxes = []
    for outline in outlines:
        (left, right), (low, high) = _extent(outline)
        middle, least, most, outliers = median(outline), low, high, []
        if middle is None:
            raise _Unknown
        for line in pairs:
            if not line or not all(left < x < right for x, _ in line):
                continue
            heights = sorted(y for _, y in line)
            if all(low > y or y > high for y in heights) and len({x for x, _ in line}) == 1:
                outliers += [_number(y) for _, y in line]
            elif len(line) == 2 and line[0][0] == line[1][0]:
                least = heights[0] if heights[1] == low else least
                most = heights[1] if heights[0] == high else most
        place = _place(ax.yaxis if flat else ax.xaxis, (left + right) / 2)
        box = {"label": place, "min": least, "first_quartile": low, "median": middle, "third_quartile": high, "max": most}
        boxes.append({**box, "outliers": [y for y in outliers if y is not None]})
    return boxes, flat


def _extent(points):
    xs, ys = zip(*points)
    return (min(xs), max(xs)), (min(ys), max(ys))


def _scale(axis):
    """Return the name of an axis's scale."""
    converter = axis.get_converter() if hasattr(axis, "get_converter") else getattr(axis, "converter", None)
    kind = type(converter).__name__
    if "Date" in kind:
        return "datetime"
    if kind == "StrCategoryConverter":
        return "categorical"
    scale = axis.get_scale()
    if scale == "linear" and any(text and not _is_number(text) for text in _texts(axis)):
        return "categorical"
    return scale


def _is_number(text):
    try:
        float(text.replace("\N{MINUS SIGN}", "-"))
    except ValueError:
        return False
    return True


def _texts(axis):
    return [label.get_text() for label in axis.get_ticklabels()]


def _values(axis, scale, numbers):
    """Return places on an axis as a reader sees them."""
    if scale == "datetime":
        num2date = sys.modules["matplotlib.dates"].num2date
        return [num2date(n).isoformat() if _number(n) is not None else None for n in numbers]
    words = {}
    if scale == "categorical":
        mapping = getattr(getattr(axis, "units", None), "_mapping", None) or {}
        words = {float(at): word for word, at in mapping.items()}
    return [words.get(float(n), _number(n)) for n in numbers]


def _number(n):
    """Return a number that JSON can tell, None for another."""
    n = float(n)
    return n if n - n == 0 else None
