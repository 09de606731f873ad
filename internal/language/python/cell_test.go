package python

import (
	"strings"
	"testing"
)

func TestCellCode(t *testing.T) {
	for _, tt := range []struct {
		source, code string // "": the source
		line         int
		command      string
	}{
		{source: "x = 1\nx\n"},
		{source: "%matplotlib inline\nimport x", code: "# %matplotlib inline\nimport x"},
		{source: "if x:\n    %matplotlib inline\ny", code: "if x:\n    pass  # %matplotlib inline\ny"},
		{source: "%matplotlib qt", line: 1, command: "%matplotlib qt"},
		{source: "x = 1\n%pip install don't\n'", line: 2, command: "%pip install don't"},
		{source: "%%bash\necho", line: 1, command: "%%bash"},
		{source: "for f in x:\n  !ls {f}\n", line: 2, command: "!ls {f}"},
		{source: "x = '''\n!ls\n%pip x\n'''\n"},
		{source: "x = (a\n%b)\ny = a \\\n%b\n"},
		{source: "x = a[\n!ls"},
		{source: "# !ls\na != b\na %b"},
		{source: "'a' \\\n% b\nx\n!ls", line: 4, command: "!ls"},
		{source: "'a' \\\r\n% b"},
		{source: "# a \\\n!ls", line: 2, command: "!ls"},
		{source: "%load_ext autoreload\n%autoreload 2\nx", code: "# %load_ext autoreload\n# %autoreload 2\nx"},
		{source: "%config InlineBackend.figure_format = 'retina'", code: "# %config InlineBackend.figure_format = 'retina'"},
		{source: "%%time\nx", code: "# %%time\nx"},
		{source: "%time x", line: 1, command: "%time x"},
		{source: "%load_ext sql", line: 1, command: "%load_ext sql"},
		{source: "a, b = !ls", line: 1, command: "a, b = !ls"},
		{source: "x\nrows = %sql select", line: 2, command: "rows = %sql select"},
		{source: "x = y % z; a = b != c\na[1] = (x\n% y)"},
		{source: "?len", line: 1, command: "?len"},
		{source: "x.y??\n", line: 1, command: "x.y??"},
	} {
		code, line, command := cellCode(tt.source)
		if tt.code == "" {
			tt.code = tt.source
		}
		if code != tt.code || line != tt.line || command != tt.command {
			t.Errorf("%q: got %q, %d, %q", tt.source, code, line, command)
		}
	}
}

func FuzzCellCode(f *testing.F) {
	f.Add("if x:\n    %matplotlib inline\n!ls '\n")
	f.Add("x = '''\n%a'''\\\n%b")
	f.Fuzz(func(t *testing.T, source string) {
		code, line, command := cellCode(source)
		bare := strings.NewReplacer("pass  # %", "%", "# %", "%").Replace
		if strings.Count(code, "\n") != strings.Count(source, "\n") || bare(code) != bare(source) {
			t.Errorf("%q became %q", source, code)
		}
		if line > 0 && !strings.Contains(strings.Split(source, "\n")[line-1], command) {
			t.Errorf("%q is not in line %d of %q", command, line, source)
		}
	})
}
