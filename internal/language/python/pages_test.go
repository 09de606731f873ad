package python

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// libraries are as much of each library as the kernel knows of it.
func libraries() map[string]string {
	return map[string]string{
		"plotly/__init__.py":       "",
		"plotly/basedatatypes.py":  "class BaseFigure:\n  data = [1]\n  def show(self, *a, **k):\n    import plotly.io as pio\n    pio.show(self, *a, **k)\n  def to_html(self, include_plotlyjs): return f'<html><script>plotly {include_plotlyjs}</script>'\n  def _repr_mimebundle_(self, **k): raise AssertionError('a renderer')\n",
		"plotly/graph_objects.py":  "from plotly.basedatatypes import BaseFigure\nclass Figure(BaseFigure):\n  def __init__(self, d=None): pass\n",
		"plotly/io/__init__.py":    "from plotly.io._renderers import show\ndef to_html(fig, **k): return '<script>data ' + str(sorted(fig)) + '</script>'\n",
		"plotly/io/_renderers.py":  "def show(fig, *a, **k): raise AssertionError('a browser')\n",
		"altair/__init__.py":       "class renderers: active = 'default'\nclass TopLevelMixin:\n  def show(self): import IPython\n  def __repr__(self): return 'alt.Chart(...)'\n  def to_html(self): return '<script type=\"text/javascript\" src=\"https://cdn.example/npm/vega@6\"></script><script>draw</script>'\n",
		"bokeh/__init__.py":        "",
		"bokeh/io/__init__.py":     "from .showing import show\n",
		"bokeh/io/showing.py":      "class UIElement:\n  def __repr__(self): return 'figure()'\ndef show(*a, **k): raise AssertionError('a browser')\n",
		"bokeh/embed.py":           "def file_html(value, resources, title): return f'<!doctype html><script>{resources} {type(value).__name__}</script>'\n",
		"bokeh/resources.py":       "INLINE = 'inline'\n",
		"folium/__init__.py":       "from folium.folium import Map\n",
		"folium/folium.py":         "class Map:\n  def get_root(self): return self\n  def render(self): return '<!doctype html>map'\n  def show_in_browser(self): raise AssertionError('a browser')\n",
		"great_tables/gt.py":       "class GT:\n  def as_raw_html(self, make_page): return '<style></style>'\n  def show(self, target='auto'): raise AssertionError('a browser')\n",
		"great_tables/__init__.py": "from .gt import GT\n",
		"page.html":                "<p>page</p>",
		"bad.py":                   "import plotly.basedatatypes as b\nclass Bad(b.BaseFigure):\n  def to_html(self, **k): raise ValueError('no data')\n  def __repr__(self): return 'Bad()'\n",
	}
}

func libraryFolder(t *testing.T, more map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for _, files := range []map[string]string{libraries(), more} {
		for name, text := range files {
			path := filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	return dir
}

// TestPages checks that libraries which would open a browser display pages that carry
// what they need.
func TestPages(t *testing.T) {
	t.Parallel()
	dir := libraryFolder(t, nil)
	k := start(t, nil, "PYTHONPATH="+dir)
	for _, c := range []struct{ code, text, html string }{
		{"import plotly.graph_objects as go\nfig = go.Figure()\nfig.show(renderer='browser')", "<plotly figure, 1 trace>", "<script>plotly True"},
		{"import plotly.io; plotly.io.show({'data': []})", "<plotly figure, 1 trace>", "<script>plotly True"},
		{"display({'application/vnd.plotly.v1+json': {'data': [], 'layout': {}, 'config': {}}}, raw=True)", "", "<script>data ['data', 'layout']"},
		{"import altair; altair.TopLevelMixin().show()", "alt.Chart(...)", "<script>draw"},
		{"from bokeh.io import show\nimport bokeh.io.showing as s\nshow(s.UIElement())", "figure()", "<script>inline UIElement"},
		{"show([s.UIElement(), s.UIElement()])", "<2 bokeh objects>", "<script>inline list"},
		{"import folium; folium.Map().show_in_browser()", "", "map"},
		{"from great_tables import GT; GT().show()", "<great table>", "<style>"},
		{"import webbrowser; print(webbrowser.open_new_tab('file://" + dir + "/page.html'))", "", "<p>page"},
	} {
		o := k.Run(c.code)
		if o.Done.Status != "ok" || len(o.Displays) != 1 {
			t.Errorf("%s: %d displays, %+v", c.code, len(o.Displays), o.Done.Error)
			continue
		}
		if got := o.Displays[0]; !strings.Contains(got["text/html"], c.html) || c.text != "" && got["text"] != c.text {
			t.Errorf("%s: displayed %q", c.code, got)
		}
	}
	if o := k.Run("fig"); !strings.Contains(o.Done.Result["text/html"], "plotly True") {
		t.Errorf("the last value is %q", o.Done.Result)
	}
	if o := k.Run("import bad; bad.Bad()"); o.Done.Result["text/html"] != "" || !strings.Contains(o.Done.Result["text"], "text/html left out") {
		t.Errorf("a figure that cannot be drawn is %q", o.Done.Result)
	}
}

// TestVega checks that a chart's page carries Vega where a package has it, and that standard
// error says what is missing where none does.
func TestVega(t *testing.T) {
	t.Parallel()
	const code = "import altair; altair.TopLevelMixin()"
	k := start(t, nil, "PYTHONPATH="+libraryFolder(t, nil))
	if o := k.Run(code); !strings.Contains(o.Stderr, "needs a network") || !strings.Contains(o.Done.Result["text/html"], "cdn.example") {
		t.Errorf("without Vega: %q, %q", o.Stderr, o.Done.Result)
	}
	vega := map[string]string{"panel/__init__.py": "raise ImportError"}
	for _, name := range []string{"vega", "vega-lite", "vega-embed"} {
		vega["panel/dist/bundled/vegaplot/"+name+"@6.1.2"] = name + ` here\d "</script>"`
	}
	k = start(t, nil, "PYTHONPATH="+libraryFolder(t, vega))
	o := k.Run(code)
	if got := o.Done.Result["text/html"]; o.Stderr != "" || got != `<script>vega here\d "<\/script>"</script><script>draw</script>` {
		t.Errorf("with Vega: %q, %q", o.Stderr, got)
	}
}
