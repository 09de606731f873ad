package buildfile

import (
	"errors"
	"io/fs"
	"reflect"
	"strings"
	"testing"
	"time"

	"praxis/fault"
	"praxis/internal/tool/jsondoc"
)

const whole = `name: web-tools
from: python:3.12-slim
pip: [pandas==2.*]
npm: [lodash]
apt: [jq, libpq5=16.4-1]
copy: {./data: /srv/data, run.sh: /srv/run.sh}
env: {MODE: demo, PORT: 8000}
allow-net: [deb.debian.org]
run:
  - make -C /srv build
  - |
    echo one
    echo two
start: {command: ./server --port 8000, ready: {port: 8000, within: 30s}}
preload: [pandas, os.path]
`

func TestLoad(t *testing.T) {
	got, err := Load("f.yaml", []byte(whole))
	if err != nil {
		t.Fatal(err)
	}
	want := File{
		Name: "web-tools", From: "python:3.12-slim", Pip: []string{"pandas==2.*"}, NPM: []string{"lodash"}, Apt: []string{"jq", "libpq5=16.4-1"},
		Copy: []Copy{{"data", "/srv/data"}, {"run.sh", "/srv/run.sh"}}, Env: []string{"MODE=demo", "PORT=8000"},
		AllowNet: []string{"deb.debian.org"}, Run: []string{"make -C /srv build", "echo one\necho two\n"},
		Start:   &Start{Command: "./server --port 8000", Port: 8000, Wait: 30 * time.Second},
		Preload: []string{"pandas", "os.path"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("got %+v", got)
	}
	if f, err := Load("f", []byte("name: x\nstart: {command: a, ready: {command: 'true'}}\n")); err != nil || f.Start.Check != "true" || f.Start.Wait != DefaultReady {
		t.Fatalf("%+v, %v", f, err)
	}
}

// Every problem is reported, with its line.
func TestProblems(t *testing.T) {
	for text, want := range map[string]string{
		"{}":                                             `f:1:1: the file lacks the key "name"`,
		"[]":                                             "f:1:1: the file: expected a mapping",
		"name: x\nrnu: [a]\n":                            `f:2:1: unknown key "rnu"`,
		"name: Web Tools\n":                              "f:1:7: name:",
		"name: x\napt: [jq]\napk: [jq]\n":                "f:3:1: apt and apk",
		"name: x\napt: [--allow]\n":                      "f:2:7: apt:",
		"name: x\ncopy: {../a: /b}\n":                    "f:2:8: copy:",
		"name: x\ncopy: {/etc/shadow: /b}\n":             "f:2:8: copy:",
		"name: x\ncopy: {a: b}\n":                        "f:2:11: copy:",
		"name: x\ncopy: {a: /proc/b}\n":                  "f:2:11: copy:",
		"name: x\nenv: {A-B: c}\n":                       "f:2:7: env:",
		"name: x\nenv: {HOME: c}\n":                      "f:2:7: env:",
		"name: x\nrun: {a: b}\n":                         "f:2:6: run: expected a list",
		"name: x\nrun: ['']\n":                           "f:2:7: run:",
		"name: x\nstart: {command: a}\n":                 `f:2:8: start lacks the key "ready"`,
		"name: x\nstart: {command: a, ready: {}}":        "f:2:28: ready:",
		"name: x\nstart: {command: a, ready: {port: 0}}": "f:2:35: port:",
		"name: x\nstart: {command: a, ready: {port: 1, command: b}}": "f:2:28: ready:",
		"name: x\nstart: {command: a, ready: {port: 1, within: 1h}}": "f:2:46: within:",
		"name: x\npreload: ['import os']\n":                          "f:2:11: preload:",
		"name: x\npip: [a, a]\n":                                     "f:2:10: pip:",
		"name: x\nname: y\n":                                         "f:2:1:",
	} {
		_, err := Load("f", []byte(text))
		if fault.KindOf(err) != fault.Invalid || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	_, err := Load("f", []byte("nmae: x\nrun: 3\n"))
	if ps := (jsondoc.Problems)(nil); !errors.As(err, &ps) || len(ps) != 3 {
		t.Errorf("%v", err)
	}
}

func FuzzLoad(f *testing.F) {
	f.Add([]byte(whole))
	f.Add([]byte("name: x\nstart: {command: a, ready: {port: 1}}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := Load("f", data)
		if err != nil {
			if fault.KindOf(err) != fault.Invalid {
				t.Fatalf("%v", err)
			}
			return
		}
		if !nameRE.MatchString(got.Name) {
			t.Fatalf("name %q", got.Name)
		}
		for _, c := range got.Copy {
			if !fs.ValidPath(c.From) || !strings.HasPrefix(c.To, "/") {
				t.Fatalf("copy %+v", c)
			}
		}
	})
}
