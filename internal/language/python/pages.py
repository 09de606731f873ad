"""Pages of libraries that draw with JavaScript. There is no browser here and no network:
their own ways to show a value display it, as a page that carries the JavaScript it needs.
"""

import sys


def watch(hooks, show):
    """Set each library right when the program imports it."""
    for name, action in (
        ("plotly.basedatatypes", plotly_figure),
        ("plotly.io._renderers", plotly_show),
        ("altair", altair),
        ("bokeh.io.showing", bokeh),
        ("folium.folium", folium),
        ("great_tables.gt", great_tables),
        ("webbrowser", webbrowser),
    ):
        hooks.add(name, lambda module, action=action: action(module, show))


def displays(show):
    """Return a method that displays its object, whatever it is asked besides."""

    def method(self, *_, **__):
        """Display this."""
        show.display(self)

    return method


def plotly_figure(module, show):
    def text(figure):
        return f"<plotly figure, {len(figure.data)} trace{'s' if len(figure.data) != 1 else ''}>"

    show.pages.append((module.BaseFigure, lambda figure: figure.to_html(include_plotlyjs=True), text))


def plotly_show(module, show):
    def plotly_show(fig, *_, **__):
        """Display a figure."""
        if isinstance(fig, dict):
            from plotly.graph_objects import Figure

            fig = Figure(fig)
        show.display(fig)

    module.show = plotly_show


def altair(module, show):
    def page(chart):
        if module.renderers.active != "default":
            return None  # the program chose another form
        return with_vega(chart.to_html())

    show.pages.append((module.TopLevelMixin, page, None))
    module.TopLevelMixin.show = displays(show)


VEGA = r'<script[^<>]* src="[^"<>]*/(vega|vega-lite|vega-embed)@[^"<>]*"[^<>]*></script>'


def with_vega(page):
    """Return a page with the JavaScript of Vega in it, when a package here has that.

    Altair has none of its own, and vl-convert starts a machine for JavaScript that wants
    more address space than a session has.
    """
    import re
    from glob import glob
    from importlib.util import find_spec

    spec = find_spec("panel")
    for folder in spec.submodule_search_locations if spec else ():
        files = {n: glob(f"{folder}/dist/bundled/vegaplot/{n}@*") for n in ("vega", "vega-lite", "vega-embed")}
        if all(files.values()):

            def script(found):
                with open(files[found[1]][-1], encoding="utf-8") as file:
                    return "<script>" + file.read().replace("</script", "<\\/script") + "</script>"

            return re.sub(VEGA, script, page)
    text = "the page of this chart needs a network: with the package panel, which carries the JavaScript of Vega, it needs none"
    print(text, file=sys.stderr)
    return page


def bokeh(module, show):
    def page(value):
        from bokeh.embed import file_html
        from bokeh.resources import INLINE

        return file_html(value, resources=INLINE, title="")

    def bokeh_show(obj, *_, **__):
        """Display an object, or several."""
        if isinstance(obj, (list, tuple)):
            show.send(show.bundle_of_page(obj, page, lambda _: f"<{len(obj)} bokeh objects>"))
        else:
            show.display(obj)

    show.pages.append((module.UIElement, page, None))
    module.show = bokeh_show


def folium(module, show):
    show.pages.append((module.Map, lambda chart: chart.get_root().render(), None))
    module.Map.show_in_browser = displays(show)


def great_tables(module, show):
    show.pages.append((module.GT, lambda table: table.as_raw_html(make_page=True), lambda _: "<great table>"))
    module.GT.show = displays(show)


def webbrowser(module, show):
    original = module.open

    def browse(url, new=0, autoraise=True):
        """Display a page of a local file. There is no browser for another."""
        from urllib.parse import unquote, urlsplit

        parts = urlsplit(url)
        if parts.scheme not in ("", "file") or not parts.path.endswith((".html", ".htm")):
            return original(url, new, autoraise)
        with open(unquote(parts.path), encoding="utf-8", errors="replace") as file:
            show.display({"text/html": file.read()}, raw=True)
        return True

    module.open = browse


def of_data(bundle):
    """Return the page of a bundle that has a figure's data and no HTML, or None."""
    for mime, data in bundle.items():
        if mime == "application/vnd.plotly.v1+json":
            import json

            from plotly.io import to_html

            return to_html({k: v for k, v in json.loads(data).items() if k in ("data", "layout", "frames")}, include_plotlyjs=True, validate=False)
        if mime.startswith("application/vnd.vegalite.") and mime.endswith("+json"):
            return with_vega(VEGA_PAGE % data.replace("</", "<\\/"))
    return None


VEGA_PAGE = """<!doctype html><html><head><meta charset="utf-8">
<script src="https://cdn.jsdelivr.net/npm/vega@6"></script>
<script src="https://cdn.jsdelivr.net/npm/vega-lite@6"></script>
<script src="https://cdn.jsdelivr.net/npm/vega-embed@7"></script>
</head><body><div id="vis"></div><script>vegaEmbed("#vis", %s)</script></body></html>"""
