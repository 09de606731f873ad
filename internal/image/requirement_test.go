package image

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"praxis/fault"
)

const someHash = "sha256:c48960d420e90cf305cb1fde0d4e6082cc90512cda87a9acf0b6e04e91cf4abe"

func TestParseRequirement(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"numpy", "numpy"},
		{"  NumPy ", "numpy"},
		{"Scikit_Learn", "scikit-learn"},
		{"a.b__c", "a-b-c"},
		{"pandas==2.*", "pandas==2.*"},
		{"pandas >= 2 , < 3", "pandas>=2,<3"},
		{"pandas (>=2)", "pandas>=2"},
		{"pandas[excel, Perf]>=2", "pandas[excel,perf]>=2"},
		{"x~=1.4.2", "x~=1.4.2"},
		{"x===1.0+local.1", "x===1.0+local.1"},
		{"x!=1!2.0rc1", "x!=1!2.0rc1"},
		{`x==1; python_version >= "3.9" and sys_platform == 'linux'`, `x==1 ; python_version >= "3.9" and sys_platform == 'linux'`},
		{"x==1 --hash=" + someHash, "x==1 --hash=" + someHash},
		{"x==1 --hash " + someHash + " --hash=" + someHash, "x==1 --hash=" + someHash},
	} {
		got, err := parseRequirement(c.in)
		if err != nil || got.String() != c.want {
			t.Errorf("%q: got %q, %v, want %q", c.in, got.String(), err, c.want)
		}
	}
}

func TestParseRequirementRefuses(t *testing.T) {
	for _, in := range []string{
		"", " ", "-e .", "--index-url=http://x", "-r other", "./x.whl", "x-1-py3-none-any.whl", "/abs/x", "../x", "~/x",
		"git+https://host/x", "https://host/x.whl", "x @ https://host/x.whl", "x@file:///x", "file:///x",
		"x==", "x=1", "x>=1,", "x==1 2", "x y", "==1", "[a]", "x[", "x[a", "x[a,]", "x[!]",
		"x;", "x; import os`", "x; a # b", "x\n--index-url http://evil", "x\r-e .", "x\x00", "naïve", "x==1;\n",
		"x --hash=md5:00", "x --hash=sha256:00", "x --hash", "x --no-binary=:all:", "x==1 --global-option=a",
		"x==$HOME", "x==${TOKEN}", strings.Repeat("a", 200), "x==" + strings.Repeat("1", 1<<17),
	} {
		if got, err := parseRequirement(in); err == nil {
			t.Errorf("%.60q was accepted as %q", in, got.String())
		}
	}
}

func TestRequestParse(t *testing.T) {
	dir := t.TempDir()
	write := func(text string) string {
		path := filepath.Join(dir, "requirements.txt")
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, c := range []struct {
		name string
		req  Request
		want []string
	}{
		{"nothing", Request{}, nil},
		{"commas", Request{With: []string{"pandas==2.*,numpy"}}, []string{"numpy", "pandas==2.*"}},
		{"one condition", Request{With: []string{"pandas>=2,<3,numpy[a,b]"}}, []string{"numpy[a,b]", "pandas>=2,<3"}},
		{"a torn condition", Request{With: []string{"pandas>=2", "<3", "numpy"}}, []string{"numpy", "pandas>=2,<3"}},
		{"the same twice", Request{With: []string{"numpy", "NumPy"}}, []string{"numpy"}},
		{"a file", Request{Requirements: write("\ufeff# all\r\nnumpy == 2.1 # why\n\n  --require-hashes\npandas \\\n  >= 2 \\\n  --hash=" + someHash + "\nlast")},
			[]string{"last", "numpy==2.1", "pandas>=2 --hash=" + someHash}},
	} {
		got, err := c.req.parse()
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		var texts []string
		for _, r := range got {
			texts = append(texts, r.String())
		}
		if !slices.Equal(texts, c.want) {
			t.Errorf("%s: got %q, want %q", c.name, texts, c.want)
		}
	}
	marked := write("numpy==1; python_version<'3.12'\nnumpy==2; python_version>='3.12'\n")
	if got, err := (Request{Requirements: marked}).parse(); err != nil || len(got) != 2 {
		t.Errorf("markers tell apart: got %v, %v", got, err)
	}
}

func TestRequestParseFaults(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, c := range []struct {
		name string
		req  Request
		kind fault.Kind
		say  string
	}{
		{"twice", Request{With: []string{"numpy==1", "numpy==2"}}, fault.Invalid, "same package"},
		{"empty entry", Request{With: []string{"numpy,,pandas"}}, fault.Invalid, "it is empty"},
		{"a condition alone", Request{With: []string{"<3"}}, fault.Invalid, "package name"},
		{"no file", Request{Requirements: filepath.Join(dir, "none")}, fault.NotFound, "there is no file"},
		{"a folder", Request{Requirements: dir}, fault.Invalid, "is not a file"},
		{"a device", Request{Requirements: "/dev/zero"}, fault.Invalid, "is not a file"},
		{"too large", Request{Requirements: file("large", strings.Repeat("#", maxRequirementsFile+1))}, fault.Invalid, "longer than"},
		{"too many", Request{Requirements: file("many", strings.Repeat("x\n", maxRequirements+1))}, fault.Invalid, "more than"},
		{"editable", Request{Requirements: file("editable", "numpy\n-e .\n")}, fault.Invalid, "line 2: editable"},
		{"an index", Request{Requirements: file("index", "--index-url http://x/\n")}, fault.Invalid, "line 1: an index"},
		{"another file", Request{Requirements: file("other", "\n\n-r base.txt\n")}, fault.Invalid, "line 3: other files"},
		{"a continued line", Request{Requirements: file("continued", "a\nb \\\n >= \n")}, fault.Invalid, "line 2:"},
		{"a variable", Request{Requirements: file("variable", "x==${V}")}, fault.Invalid, "variables"},
		{"no binary", Request{Requirements: file("sdist", "--no-binary :all:")}, fault.Invalid, "option"},
	} {
		_, err := c.req.parse()
		if fault.KindOf(err) != c.kind || !strings.Contains(err.Error(), c.say) || fault.RemedyOf(err) == "" {
			t.Errorf("%s: got %v", c.name, err)
		}
	}
	_, err := Request{With: []string{"git+https://me:hunter2@host/x?token=s3cr3t"}}.parse()
	if err == nil || strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), "s3cr3t") {
		t.Errorf("got %v", err)
	}
}

func TestMeets(t *testing.T) {
	img := Image{Name: "python+pandas==2.*+rich>=13,<15", Packages: []Package{{Name: "numpy", Version: "2.1.0"}, {Name: "pandas", Version: "2.3.0"}}}
	for requirement, want := range map[string]bool{
		"NumPy": true, "pandas": true, "pandas == 2.*": true, "rich>=13,<15": true,
		"polars": false, "numpy>=2": false, "pandas==3.*": false, "pandas[excel]": false, "python": false,
	} {
		if got, err := img.Meets(requirement); got != want || err != nil {
			t.Errorf("%s: got %t, %v", requirement, got, err)
		}
	}
	if _, err := img.Meets("/etc/passwd"); fault.KindOf(err) != fault.Invalid {
		t.Errorf("took a path: %v", err)
	}
}

func FuzzParseRequirements(f *testing.F) {
	for _, seed := range []string{
		"numpy", "pandas>=2,<3", "a[b,c]==1.* ; python_version < '4'", "x==1 --hash=" + someHash, "# c\na \\\n==1\n", "-e .", "x @ y", "\ufeffx\r\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		list, _, err := parseRequirements(data)
		if err != nil {
			return
		}
		for _, r := range list {
			text := r.String()
			// What pip reads must be one line that begins with a name.
			if strings.ContainsAny(text, "\r\n\x00#\\$") || strings.Contains(text, "://") || !nameRE.MatchString(text) {
				t.Fatalf("%q became the line %q", data, text)
			}
			again, err := parseRequirement(text)
			if err != nil || again.String() != text {
				t.Fatalf("%q was written as %q and read as %q, %v", data, text, again.String(), err)
			}
		}
	})
}
