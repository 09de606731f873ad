package notebook

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"praxis/fault"
	"praxis/internal/language"
	"praxis/internal/language/python"
	"praxis/internal/test/tally"
)

// jupyter is a notebook as Jupyter writes it, with what a JSON encoder would change.
const jupyter = `{
 "cells": [
  {
   "cell_type": "markdown",
   "id": "a",
   "metadata": {},
   "source": ["# !ls \u00e9 é <b>"]
  },
  {
   "cell_type": "code",
   "execution_count": 7,
   "id": "b",
   "metadata": {"z": 1.50, "a": 1e3, "s": "\ud800 \/"},
   "outputs": [{"output_type": "stream", "name": "stdout", "text": "]}\"\\"}],
   "source": ["%matplotlib inline\n", "x = '\u00e9'"]
  },
  {
   "cell_type": "code",
   "execution_count": 3,
   "id": "c",
   "metadata": {},
   "outputs": [{}],
   "source": " \n"
  },
  {
   "cell_type": "code",
   "id": "d",
   "metadata": {},
   "source": "x"
  },
  {
   "cell_type": "code",
   "execution_count": 9,
   "id": "e",
   "metadata": {},
   "outputs": [],
   "source": "y"
  }
 ],
 "metadata": {"language_info": {"name": "python"}, "kernelspec": {"language": "Python"}},
 "nbformat": 4,
 "nbformat_minor": 5
}
`

func TestWith(t *testing.T) {
	n, err := Parse([]byte(jupyter), language.Table{python.Language()})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := n.Code(), []string{"# %matplotlib inline\nx = 'é'", "x", "y"}; !slices.Equal(got, want) {
		t.Errorf("the code is %q, want %q", got, want)
	}
	stream := map[string]any{"output_type": "stream", "name": "stdout", "text": []any{"<b>\n"}}
	got, err := n.With([][]any{{stream}, nil})
	if err != nil {
		t.Fatal(err)
	}
	want := strings.NewReplacer(
		`"execution_count": 7`, `"execution_count": 1`,
		`[{"output_type": "stream", "name": "stdout", "text": "]}\"\\"}]`, `[
    {
     "name": "stdout",
     "output_type": "stream",
     "text": [
      "<b>\n"
     ]
    }
   ]`,
		"{\n   \"cell_type\": \"code\",\n   \"id\": \"d\"", "{\n   \"execution_count\": 2,\n   \"outputs\": [],\n   \"cell_type\": \"code\",\n   \"id\": \"d\"",
	).Replace(jupyter)
	if string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if _, err := n.With(make([][]any, 4)); err == nil {
		t.Error("took the outputs of four cells for three")
	}

	// One without lines gets none.
	n, err = Parse([]byte(`{"nbformat":4,"cells":[{"cell_type":"code","source":"x","outputs":[1,2],"execution_count":null}]}`), language.Table{python.Language()})
	if err != nil {
		t.Fatal(err)
	}
	got, err = n.With([][]any{{stream}})
	if want := `{"nbformat":4,"cells":[{"cell_type":"code","source":"x","outputs":[{"name":"stdout","output_type":"stream","text":["<b>\n"]}],"execution_count":1}]}`; err != nil || string(got) != want {
		t.Errorf("got %v\n%s\nwant\n%s", err, got, want)
	}
}

func TestParse(t *testing.T) {
	book := func(rest string) string { return `{"nbformat": 4, "nbformat_minor": 5, ` + rest + `}` }
	code := func(source string) string {
		return book(`"metadata": {}, "cells": [{"cell_type": "code", "source": ` + source + `}]`)
	}
	for _, tt := range []struct{ name, data, want string }{
		{"empty", "", "not valid JSON (line 1)"},
		{"broken", "{\n\"cells\": [\n,]}", "not valid JSON (line 3)"},
		{"two", code(`"x"`) + "{}", "not valid JSON"},
		{"no object", "[]", "no JSON object"},
		{"no text", "{\"\xff\": 1}", "not UTF-8"},
		{"a key twice", book(`"cells": [], "cells": []`), "a key twice"},
		{"version 3", `{"nbformat": 3, "worksheets": []}`, "version 3 of the format, not 4"},
		{"version 5", `{"nbformat": 5, "cells": []}`, "version 5"},
		{"no version", `{"cells": []}`, "version ? of the format"},
		{"a version in words", `{"nbformat": "4", "cells": []}`, `version "4" of the format`},
		{"R", book(`"metadata": {"kernelspec": {"language": "R", "name": "ir"}}, "cells": []`), "its code is in R"},
		{"Julia", book(`"metadata": {"language_info": {"name": "julia"}}, "cells": []`), "its code is in julia"},
		{"two languages", book(`"metadata": {"language_info": {"name": "python"}, "kernelspec": {"language": "sage"}}, "cells": []`), "its code is in sage"},
		{"no cells", book(`"metadata": {}`), "no list of cells"},
		{"cells of another kind", book(`"cells": {}`), "no list of cells"},
		{"a cell that is none", book(`"cells": [1]`), "cell 1 is no JSON object"},
		{"no type", book(`"cells": [{"source": "x"}]`), "cell 1 has no type"},
		{"no source", book(`"cells": [{"cell_type": "raw", "source": "x"}, {"cell_type": "code"}]`), "cell 2 has no type or no source"},
		{"a source of numbers", code(`["x", 1]`), "cell 1 has no type or no source"},
		{"no code", code(`" \n"`), "it has no code"},
		{"a command", code(`["x\n", "!pip install y"]`), `cell 1, line 2: "!pip install y" is a command of a notebook, not Python`},
		{"a deep one", strings.Repeat("[", 20000), "not valid JSON"},
	} {
		_, err := Parse([]byte(tt.data), language.Table{python.Language()})
		if fault.KindOf(err) != fault.Invalid || fault.RemedyOf(err) == "" || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %q", tt.name, err, tt.want)
		}
	}
	for _, data := range []string{code(`"x"`), code(`["x"]`), book(`"metadata": {"language_info": {"name": "ipython"}}, "cells": [{"cell_type": "code", "source": "x"}]`)} {
		if n, err := Parse([]byte(data), language.Table{python.Language()}); err != nil || !slices.Equal(n.Code(), []string{"x"}) {
			t.Errorf("%s: %v", data, err)
		}
	}
}

// FuzzParse reads notebooks, writes outputs into them, and finds that nothing else is
// another: what is written is read again as the same, and as JSON differs in outputs alone.
func FuzzParse(f *testing.F) {
	f.Add([]byte(jupyter))
	f.Add([]byte(`{"nbformat":4,"cells":[{ "cell_type":"code","source":["x","\n!y"],"outputs":[[],"\"]"],"a":-1.5e3}]}`))
	f.Add([]byte(" {\"nbformat\":4,\"cells\":[\n\t{\t\"source\":\"x\",\"cell_type\":\"code\"}, {\"\\u0073ource\":\"y\",\"cell_type\":\"code\",\"outputs\":null}]}"))
	langs := language.Table{python.Language()}
	f.Fuzz(func(t *testing.T, data []byte) {
		n, err := Parse(data, langs)
		if err != nil {
			if fault.KindOf(err) != fault.Invalid {
				t.Errorf("no fault: %v", err)
			}
			return
		}
		outputs := make([][]any, len(n.cells))
		outputs[0] = []any{map[string]any{"output_type": "stream", "name": "stdout", "text": []any{"<\u2028"}}}
		got, err := n.With(outputs)
		if err != nil {
			t.Fatal(err)
		}
		again, err := Parse(got, langs)
		if err != nil || !slices.Equal(again.Code(), n.Code()) {
			t.Fatalf("%v\n%s\nbecame\n%s", err, data, got)
		}
		if twice, err := again.With(outputs); err != nil || string(twice) != string(got) {
			t.Errorf("%v\n%s\nbecame\n%s", err, got, twice)
		}
		if was, is := others(t, data), others(t, got); !reflect.DeepEqual(was, is) {
			t.Errorf("%v\nbecame\n%v", was, is)
		}
	})
}

// others is a notebook as another program reads it, without what came of its cells.
func others(t *testing.T, data []byte) map[string]any {
	var file map[string]any
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	for _, c := range file["cells"].([]any) {
		cell := c.(map[string]any)
		if cell["cell_type"] != "code" {
			continue
		}
		delete(cell, "outputs")
		delete(cell, "execution_count")
	}
	return file
}

// A cell says that it is in another language than the notebook's.
func TestOtherLanguages(t *testing.T) {
	langs := language.Table{python.Language(), tally.Language()}
	n, err := Parse([]byte(`{"nbformat":4,"cells":[
		{"cell_type":"code","source":"x = 1"},
		{"cell_type":"code","source":["%%tally\n","n = 1\n","n"]},
		{"cell_type":"code","source":"%%tally\n"},
		{"cell_type":"code","source":"%%time\ny = 2"}
	]}`), langs)
	if err != nil || n.Language != "python" || !slices.Equal(n.Code(), []string{"x = 1", "n = 1\nn", "# %%time\ny = 2"}) || !slices.Equal(n.Languages(), []string{"python", "tally", "python"}) {
		t.Errorf("got %+v, %v", n, err)
	}
	n, err = Parse([]byte(`{"nbformat":4,"metadata":{"kernelspec":{"language":"Tally"}},"cells":[{"cell_type":"code","source":"n = 1"},{"cell_type":"code","source":"%%python\nx"}]}`), langs)
	if err != nil || n.Language != "tally" || !slices.Equal(n.Languages(), []string{"tally", "python"}) {
		t.Errorf("got %+v, %v", n, err)
	}
	_, err = Parse([]byte(`{"nbformat":4,"metadata":{"kernelspec":{"language":"tally"},"language_info":{"name":"python"}},"cells":[{"cell_type":"code","source":"n"}]}`), langs)
	if err == nil {
		t.Error("a notebook in two languages was taken")
	}
	_, err = Parse([]byte(`{"nbformat":4,"cells":[{"cell_type":"code","source":"%%cobol\nn"}]}`), langs)
	if err == nil || !strings.Contains(err.Error(), "%%cobol") {
		t.Errorf("a cell in a language that there is not: %v", err)
	}
}
