package python

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"praxis/internal/language"
)

// looked is what the program says of one input.
type looked struct{ Path, Text, Note string }

// lookAt writes files and has them looked at, in the order of their names.
func lookAt(t *testing.T, k *kernel, files map[string][]byte) map[string]looked {
	t.Helper()
	dir := t.TempDir()
	var paths []string
	for name, data := range files {
		paths = append(paths, filepath.Join(dir, name))
		if err := os.WriteFile(paths[len(paths)-1], data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return lookAtPaths(t, k, paths...)
}

func lookAtPaths(t *testing.T, k *kernel, paths ...string) map[string]looked {
	t.Helper()
	o := k.Run(profile(paths))
	if o.Done.Status != "ok" || len(o.Displays) != 1 {
		t.Fatalf("it ended with %+v, %q", o.Done, o.Order)
	}
	var all []looked
	if err := json.Unmarshal([]byte(o.Displays[0][language.ProfileMIME]), &all); err != nil {
		t.Fatal(err)
	}
	out := map[string]looked{}
	for _, l := range all {
		out[filepath.Base(l.Path)] = l
	}
	return out
}

// archive makes a ZIP file.
func archive(t *testing.T, members ...[2]string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, m := range members {
		w, err := z.Create(m[0])
		if err == nil {
			_, err = w.Write([]byte(m[1]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// workbook has a sheet with texts that are shared, inline, numbers, a boolean, dates of a
// built-in and of an own format, and a gap; a sheet without rows, and one that is broken.
func workbook(t *testing.T) []byte {
	const head = `<?xml version="1.0" encoding="UTF-8"?>`
	return archive(t,
		[2]string{"xl/workbook.xml", head + `<workbook xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets>` +
			`<sheet name="Sales &amp; more" r:id="rId1"/><sheet name="Empty" r:id="rId2"/><sheet name="Broken" r:id="rId3"/></sheets></workbook>`},
		[2]string{"xl/_rels/workbook.xml.rels", head + `<Relationships><Relationship Id="rId1" Target="worksheets/sheet1.xml"/>` +
			`<Relationship Id="rId2" Target="/xl/worksheets/sheet2.xml"/><Relationship Id="rId3" Target="worksheets/sheet3.xml"/></Relationships>`},
		[2]string{"xl/sharedStrings.xml", head + `<sst><si><t>region</t></si><si><r><t>no</t></r><r><t>rth</t></r></si></sst>`},
		[2]string{"xl/styles.xml", head + `<styleSheet><numFmts><numFmt numFmtId="170" formatCode="yyyy\-mm"/><numFmt numFmtId="171" formatCode="&quot;day&quot; 0"/></numFmts>` +
			`<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="170"/><xf numFmtId="171"/></cellXfs></styleSheet>`},
		[2]string{"xl/worksheets/sheet1.xml", head + `<worksheet><sheetData>` +
			`<row><c r="A1" t="s"><v>0</v></c><c r="B1" t="inlineStr"><is><t>amount</t></is></c><c r="C1" t="str"><v>paid</v></c><c r="D1" t="str"><v>day</v></c><c r="E1" t="str"><v>month</v></c><c r="F1" t="str"><v>n</v></c></row>` +
			`<row><c r="A2" t="s"><v>1</v></c><c r="B2"><v>10.5</v></c><c r="C2" t="b"><v>1</v></c><c r="D2" s="1"><v>45292</v></c><c r="E2" s="2"><v>45292.5</v></c><c r="F2" s="3"><v>7</v></c></row>` +
			`<row><c r="A3" t="s"><v>1</v></c><c r="C3" t="b"><v>0</v></c><c r="D3" s="1"><v>45293</v></c><c r="E3" s="2"><v>45323</v></c><c r="F3" s="3"><v>9</v></c></row>` +
			`<row><c r="A4" t="s"><v>99</v></c></row></sheetData></worksheet>`},
		[2]string{"xl/worksheets/sheet2.xml", head + `<worksheet><sheetData/></worksheet>`},
		[2]string{"xl/worksheets/sheet3.xml", head + `<worksheet><sheetData><row><c r="A1"><v>5</v></c></row><row><c`},
	)
}

// pictures are one of each kind.
func pictures(t *testing.T) map[string][]byte {
	t.Helper()
	size := image.Rect(0, 0, 31, 17)
	var p, g, j bytes.Buffer
	if err := png.Encode(&p, image.NewGray(size)); err != nil {
		t.Fatal(err)
	}
	if err := gif.Encode(&g, image.NewGray(size), nil); err != nil {
		t.Fatal(err)
	}
	if err := jpeg.Encode(&j, image.NewGray(size), nil); err != nil {
		t.Fatal(err)
	}
	bmp := append([]byte("BM"), make([]byte, 30)...)
	copy(bmp[18:], []byte{31, 0, 0, 0, 0xef, 0xff, 0xff, 0xff}) // from the top: the height is negative
	webp := append([]byte("RIFF\x00\x00\x00\x00WEBPVP8X"), make([]byte, 20)...)
	webp[24], webp[27] = 30, 16
	return map[string][]byte{"p.png": p.Bytes(), "g.gif": g.Bytes(), "j.jpg": j.Bytes(), "b.bmp": bmp, "w.webp": webp,
		"cut.jpg": j.Bytes()[:6], "lossy.webp": []byte("RIFF\x00\x00\x00\x00WEBPVP8 xxxx")}
}

func TestProfileOfFormats(t *testing.T) {
	t.Parallel()
	k := start(t, nil)
	files := pictures(t)
	for name, data := range map[string][]byte{
		"book.xlsx": workbook(t), "more.zip": archive(t, [2]string{"a.csv", "x"}, [2]string{"dir/b.txt", "y"}), "one.zip": archive(t, [2]string{"a", ""}),
		"cut.zip": workbook(t)[:200], "t.parquet": []byte("PAR1\x00\x00PAR1"), "empty.csv": nil, "none.bin": {0, 1, 2, 3},
		"p.pdf":    []byte("%PDF-1.4\n1 0 obj <</Type /Catalog>>\n2 0 obj <</Type /Pages>>\n3 0 obj <</Type /Page>>\n4 0 obj <</Type/Page >>\n"),
		"none.pdf": []byte("%PDF-1.7\n"), "latin.csv": []byte("name,n\nJos\xe9,1\n"), "wide.txt": []byte("\xff\xfea\x00b\x00"),
		"t.csv":  []byte("region;amount\nnorth;1\nsouth;\nnorth;x\nnorth;4;5\n"),
		"j.json": []byte(`{"rows": [{"a": 1, "b": [1]}, {"a": null}], "name": "x"}`), "l.jsonl": []byte("{\"a\": 1}\n{\"a\": 2, \"b\": true}\n"), "bad.json": []byte("{"),
	} {
		files[name] = data
	}
	got := lookAt(t, k, files)
	for name, want := range map[string][]string{
		"p.png": {"picture, PNG, 31 × 17 pixels"}, "g.gif": {"picture, GIF, 31 × 17 pixels"}, "j.jpg": {"picture, JPEG, 31 × 17 pixels"},
		"b.bmp": {"picture, BMP, 31 × 17 pixels"}, "w.webp": {"picture, WebP, 31 × 17 pixels"}, "cut.jpg": {"picture, JPEG"}, "lossy.webp": {"picture, WebP"},
		"book.xlsx": {"workbook with 3 sheets\n", "sheet 'Sales & more': 2 rows below the first, 6 columns\n",
			"\n- region: text, 1 value: north (2)\n", "\n- amount: number, 10.5 to 10.5, 1 missing\n", "\n- paid: boolean, 1 true\n",
			"\n- day: date or time, 2024-01-01 to 2024-01-02\n", "\n- month: date or time, 2024-01-01 12:00:00 to 2024-02-01\n", "\n- n: integer, 7 to 9\n",
			"\nsheet 'Empty': empty\n", "\nsheet 'Broken': more than 0 rows below the first, 1 column\n"},
		"more.zip": {"ZIP archive with 2 entries: a.csv, dir/b.txt"}, "one.zip": {"ZIP archive with 1 entry: a"}, "cut.zip": {"it could not be looked at: BadZipFile: "},
		"t.parquet": {"Parquet; no package that is installed here reads it"},
		"p.pdf":     {"PDF with 2 pages; no package that is installed here reads its text"}, "none.pdf": {"PDF; no package that is installed here reads it"},
		"latin.csv": {"table in latin-1, separated by ',', 1 row, 2 columns"}, "wide.txt": {"text in UTF-16, 1 line\nIt begins:\nab"},
		"t.csv": {"table in UTF-8, separated by ';', 4 rows, 2 columns; 1 row with another number of values\n",
			"\n- region: text, 2 values: north (3), south (1)\n", "\n- amount: text, 3 different, such as 1, x, 4, 1 missing\n", "\nIt begins:\nregion;amount\n"},
		"j.json":   {"JSON: an object with 2 members\n- rows: a list of 2 elements\n  - a: integer, 1 to 1, 1 missing\n", "\n- name: text, 1 different, such as x"},
		"l.jsonl":  {"JSON lines of 2 lines\n- a: integer, 1 to 2\n- b: boolean, 1 true, 1 missing\n"},
		"bad.json": {"it could not be looked at: JSONDecodeError: "},
	} {
		for _, part := range want {
			if !strings.Contains(got[name].Text+"\n", part) {
				t.Errorf("%s: %q is not in\n%s", name, part, got[name].Text)
			}
		}
	}
	for name, want := range map[string]string{
		"empty.csv": "is empty", "none.bin": "is not text", "latin.csv": "is not UTF-8; it looks like latin-1", "wide.txt": "is not UTF-8; it looks like UTF-16", "t.csv": "",
	} {
		if got[name].Note != want {
			t.Errorf("%s: it is noted that it %q, want %q", name, got[name].Note, want)
		}
	}
	// Nothing is left behind.
	if text := k.Text(`"__profile__" in globals(), "csv" in globals()`); text != "(False, False)" {
		t.Errorf("names that are there: %s", text)
	}
}

// TestProfileWithPackages looks at what packages read, with modules of their names in
// their place.
func TestProfileWithPackages(t *testing.T) {
	t.Parallel()
	lib := t.TempDir()
	for name, text := range map[string]string{
		"pypdf.py":            "class Page:\n    def extract_text(self): return 'Hello\\n  there'\nclass PdfReader:\n    def __init__(self, path): self.pages = [Page(), Page(), Page()]\n",
		"pyarrow/__init__.py": "",
		"pyarrow/parquet.py": `
class Column:
    def __init__(self, *values): self.values = list(values)
    def to_pylist(self): return self.values
class Part:
    columns = [Column(1, 2), Column("a", None)]
class ParquetFile:
    class metadata:
        num_rows, num_columns = 1200, 2
    class schema_arrow:
        names = ["n", "t"]
    def __init__(self, path): open(path).close()
    def iter_batches(self, batch_size): return iter([Part])
`,
	} {
		file := filepath.Join(lib, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	k := start(t, nil, "PYTHONPATH="+lib)
	got := lookAt(t, k, map[string][]byte{"p.pdf": []byte("%PDF-1.4\n"), "t.parquet": []byte("PAR1")})
	if want := "PDF with 3 pages; the first one begins:\nHello there"; got["p.pdf"].Text != want {
		t.Errorf("the PDF is %q, want %q", got["p.pdf"].Text, want)
	}
	if want := "Parquet, 1,200 rows, 2 columns (the columns are described by the first 2)\n- n: integer, 1 to 2\n- t: text, 1 different, such as a, 1 missing"; got["t.parquet"].Text != want {
		t.Errorf("the table is %q, want %q", got["t.parquet"].Text, want)
	}
}

// TestProfileIsBounded looks at what is large, deep or made to be slow.
func TestProfileIsBounded(t *testing.T) {
	t.Parallel()
	k := start(t, nil)
	many := strings.Repeat("a,b,c\n", 700_000)
	var wide []string
	for range 3000 {
		wide = append(wide, "column")
	}
	got := lookAt(t, k, map[string][]byte{
		"long.csv": []byte("x,y,z\n" + many), "wide.csv": []byte(strings.Join(wide, ",") + "\n1\n"), "deep.json": []byte(strings.Repeat("[", 100_000)),
		"bomb.xlsx": archive(t, [2]string{"xl/workbook.xml", strings.Repeat(" ", 40<<20)}),
		"names.zip": archive(t, [2]string{strings.Repeat("n", 60_000), ""}), "line.txt": []byte(strings.Repeat("x", 3<<20)),
	})
	for name, want := range map[string]string{
		"long.csv": "table in UTF-8, separated by ',', about 700,000 rows, 3 columns (the columns are described by the first 5,000)\n", "wide.csv": "… and 2,960 more columns",
		"deep.json": "it could not be looked at: ", "bomb.xlsx": "it could not be looked at: ", "names.zip": "ZIP archive with 1 entry: nnn", "line.txt": "text in UTF-8, 1 line",
	} {
		if l := got[name]; !strings.Contains(l.Text, want) || len(l.Text) > 5000 {
			t.Errorf("%s: %d characters, %.300s; want %q", name, len(l.Text), l.Text, want)
		}
	}
}

func TestProfileOfDatabase(t *testing.T) {
	t.Parallel()
	k := start(t, nil)
	path := filepath.Join(t.TempDir(), "a b?.db")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if o := k.Run("import sqlite3\nwith sqlite3.connect(" + `"""` + path + `"""` + `) as db:
    db.execute('create table "s ales" (region text, amount)')
    db.executemany('insert into "s ales" values (?, ?)', [("north", 1), ("south", 2)])
db.close()`); o.Done.Status != "ok" {
		t.Fatal(o.Done.Error)
	}
	if got, want := lookAtPaths(t, k, path)["a b?.db"].Text, "SQLite database with 1 table\n- s ales: 2 rows; region TEXT, amount"; got != want {
		t.Errorf("the database is %q, want %q", got, want)
	}
}
