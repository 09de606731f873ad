package python

import (
	"encoding/base64"
	"strings"
	"testing"
)

// need skips a test when the interpreter does not have a package.
func need(t *testing.T, k *kernel, module string) {
	t.Helper()
	if o := k.Run("import " + module); o.Done.Status != "ok" {
		t.Skipf("%s (%s); PRAXIS_TEST_PYTHONPATH may name a folder of packages", o.Done.Error.Value, rig.interpreter)
	}
}

func isPNG(t *testing.T, bundle map[string]string) bool {
	t.Helper()
	data, err := base64.StdEncoding.DecodeString(bundle["image/png"])
	return err == nil && strings.HasPrefix(string(data), "\x89PNG\r\n\x1a\n")
}

func TestFigures(t *testing.T) {
	t.Parallel()
	k := start(t, nil)
	need(t, k, "matplotlib.pyplot as plt")
	for _, c := range []struct {
		name, code string
		order      []string
		result     bool // the result is a picture
	}{
		{"an open figure", "plt.plot([1, 2]);", []string{"display:<Figure size 640x480 with 1 Axes>"}, false},
		{"closed, so not again", "1;", nil, false},
		{"the last value", "fig, ax = plt.subplots()\nax.plot([1])\nfig", nil, true},
		{"the last value, later", "fig", nil, true},
		{"shown at that moment", "plt.plot([1]); plt.show(); print('between'); plt.plot([2]); plt.show(); print('after')",
			[]string{"display:<Figure size 640x480 with 1 Axes>", "1:between\n", "display:<Figure size 640x480 with 1 Axes>", "1:after\n"}, false},
		{"displayed", "fig = plt.figure(); fig.text(0, 0, 'x'); display(fig)", []string{"display:<Figure size 640x480 with 0 Axes>"}, false},
		{"fig.show", "fig, ax = plt.subplots(); fig.show()", []string{"display:<Figure size 640x480 with 1 Axes>"}, false},
		{"closed by the program", "plt.plot([1]); plt.close()", nil, false},
		{"empty", "plt.figure();", nil, false},
		{"two", "plt.figure(); plt.plot([1]); plt.figure(); plt.plot([1]);",
			[]string{"display:<Figure size 640x480 with 1 Axes>", "display:<Figure size 640x480 with 1 Axes>"}, false},
		{"an error afterwards", "plt.plot([1]); 1/0", []string{"display:<Figure size 640x480 with 1 Axes>"}, false},
	} {
		o := k.Run(c.code)
		if strings.Join(o.Order, "|") != strings.Join(c.order, "|") {
			t.Errorf("%s: %q, want %q", c.name, o.Order, c.order)
		}
		for _, d := range o.Displays {
			if !isPNG(t, d) {
				t.Errorf("%s: a display is no PNG", c.name)
			}
		}
		if got := isPNG(t, o.Done.Result); got != c.result {
			t.Errorf("%s: the result is a picture: %v, want %v", c.name, got, c.result)
		}
	}
}

func TestTables(t *testing.T) {
	t.Parallel()
	k := start(t, nil)
	need(t, k, "pandas as pd")
	o := k.Run(`pd.DataFrame({"a": [1, 2], "b": ["x", "y"]})`)
	if want := "   a  b\n0  1  x\n1  2  y"; o.Done.Result["text"] != want {
		t.Errorf("text is %q", o.Done.Result["text"])
	}
	if !strings.Contains(o.Done.Result["text/html"], "<table") {
		t.Errorf("HTML is %q", o.Done.Result["text/html"])
	}
	if got := k.Text(`pd.Series([1, 2], name="s")`); got != "0    1\n1    2\nName: s, dtype: int64" {
		t.Errorf("a series is %q", got)
	}
	if got := k.Text(`pd.get_option("display.width")`); got != "80" {
		t.Errorf("the width is %s", got)
	}
}

func TestNumpySeed(t *testing.T) {
	t.Parallel()
	seed := map[string]any{"seed": 12345678901234567, "deterministic": true}
	a, b := start(t, seed), start(t, seed)
	need(t, a, "numpy")
	const draw = "import numpy; numpy.random.rand(3).tolist()"
	if one, two := a.Text(draw), b.Text(draw); one != two {
		t.Errorf("%s and %s", one, two)
	}
	for _, k := range []*kernel{a, b} {
		k.Send(map[string]any{"op": "reseed", "entropy": strings.Repeat("ab", 32)})
	}
	if one, two := a.Text(draw), b.Text(draw); one == two {
		t.Errorf("reseeded, both draw %s", one)
	}
	if got := a.Text("numpy.arange(40)"); len(strings.Split(got, "\n")) < 2 {
		t.Errorf("lines are not wrapped: %s", got)
	}
}
