package egress

import (
	"strings"
	"testing"

	"praxis/fault"
)

func mustRules(t testing.TB, texts ...string) Rules {
	t.Helper()
	r, err := ParseRules(texts)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestRulesMatch(t *testing.T) {
	rules := mustRules(t, "api.example.com, *.example.org:443", "Files.Example.COM.:8000-8002", "10.0.0.7:8080", "[2001:db8::7]:443", "bücher.example:443", "db.example.net:5432,db.example.net:1-65535")
	for _, c := range []struct {
		target string
		rule   string // "" when refused
		raw    bool
	}{
		{"api.example.com:443", "api.example.com", false},
		{"api.example.com:80", "api.example.com", false},
		{"API.Example.Com.:443", "api.example.com", false},
		{"api.example.com:8080", "", false},
		{"x.api.example.com:443", "", false},
		{"example.com:443", "", false},
		{"apiXexample.com:443", "", false},
		{"evil-api.example.com:443", "", false},
		{"a.example.org:443", "*.example.org:443", false},
		{"a.b.example.org:443", "*.example.org:443", false},
		{"example.org:443", "", false},
		{"notexample.org:443", "", false},
		{"a.example.org:80", "", false},
		{"a.example.org.evil.net:443", "", false},
		{"files.example.com:8000", "files.example.com:8000-8002", true},
		{"files.example.com:8002", "files.example.com:8000-8002", true},
		{"files.example.com:8003", "", false},
		{"10.0.0.7:8080", "10.0.0.7:8080", true},
		{"10.0.0.7:80", "", false},
		{"10.0.0.8:8080", "", false},
		{"[2001:db8::7]:443", "[2001:db8::7]:443", false},
		{"[2001:db8:0:0:0:0:0:7]:443", "[2001:db8::7]:443", false},
		{"xn--bcher-kva.example:443", "xn--bcher-kva.example:443", false},
		{"BÜCHER.example:443", "xn--bcher-kva.example:443", false},
		{"db.example.net:5432", "db.example.net:5432", true},
		{"db.example.net:443", "db.example.net:1-65535", false},
	} {
		got, err := parseTarget(c.target, 0)
		if err != nil {
			t.Errorf("%s: %v", c.target, err)
			continue
		}
		found, ok := rules.match(got)
		if ok != (c.rule != "") || found.text != c.rule || found.raw(got.port) != c.raw {
			t.Errorf("%s: got %q %v, want %q %v", c.target, found.text, found.raw(got.port), c.rule, c.raw)
		}
	}
	again := mustRules(t, rules.Strings()...)
	if got, want := strings.Join(again.Strings(), ","), strings.Join(rules.Strings(), ","); got != want {
		t.Errorf("read again: %s, want %s", got, want)
	}
	if rules.Empty() || !(Rules{}).Empty() {
		t.Error("Empty is wrong")
	}
}

func TestRulesRefused(t *testing.T) {
	for text, want := range map[string]string{
		"":                        "is empty",
		"a.example.com,":          "is empty",
		"*":                       "every host",
		"*:443":                   "every host",
		"https://a.example.com":   "is a URL",
		"a.example.com/path":      "is a URL",
		"user@a.example.com":      "is a URL",
		"10.0.0.0/8":              "range of addresses",
		"fd00::/8":                "range of addresses",
		"a.*.example.com":         "wrong place",
		"a*.example.com":          "wrong place",
		"*.*.example.com":         "wrong place",
		"a.example.com:":          "no port after",
		"a.example.com:0":         "no port",
		"a.example.com:65536":     "no port",
		"a.example.com:0443":      "no port",
		"a.example.com:+443":      "no port",
		"a.example.com:http":      "no port",
		"a.example.com:90-80":     "ends before",
		"a.example.com:80-":       "no port",
		"a..example.com":          "no host name",
		"a.example.com..":         "no host name",
		"-a.example.com":          "no host name",
		"a b.example.com":         "no host name",
		"2001:db8::7":             "without brackets",
		"2001:db8::7:443":         "without brackets",
		"[2001:db8::7":            "closing bracket",
		"[2001:db8::7]443":        "after the bracket",
		"[fe80::1%eth0]:80":       "zone",
		"[::ffff:10.0.0.1]:80":    "odd notation",
		"[10.0.0.1]:80":           "no IPv6",
		"127.1:80":                "odd notation",
		"0177.0.0.1:80":           "odd notation",
		"0x7f.0.0.1":              "odd notation",
		"2130706433":              "odd notation",
		"0x7f000001":              "odd notation",
		"1.2.3.4.5":               "odd notation",
		"1.2.3.4.":                "odd notation",
		"*.1.2.3.4":               "below an address",
		"１２７.０.０.１":               "odd notation",
		strings.Repeat("a", 2000): "too long",
		strings.Repeat("a", 64):   "no host name",
	} {
		_, err := ParseRules([]string{text})
		if err == nil || fault.KindOf(err) != fault.Invalid || fault.RemedyOf(err) == "" || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v (remedy %q), want %q", text, err, fault.RemedyOf(err), want)
		}
	}
	many := strings.TrimSuffix(strings.Repeat("a.example,", maxRules+1), ",")
	if _, err := ParseRules([]string{many}); err == nil || !strings.Contains(err.Error(), "more than") {
		t.Errorf("%d rules: %v", maxRules+1, err)
	}
}

func FuzzParseRules(f *testing.F) {
	for _, s := range []string{"api.example.com:443,*.example.org", "[2001:db8::7]:1-2", "10.0.0.7", "bücher.example", "0x7f.1", "*.a:80-90", "[::%25]:1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		r, err := ParseRules([]string{s})
		if err != nil {
			return
		}
		again, err := ParseRules(r.Strings())
		if err != nil || strings.Join(again.Strings(), ",") != strings.Join(r.Strings(), ",") {
			t.Fatalf("%q became %q, then %q %v", s, r.Strings(), again.Strings(), err)
		}
		for _, rule := range r.list {
			if rule.addr.IsValid() && rule.addr.String() != rule.host || !isASCII(rule.host) || strings.ToLower(rule.host) != rule.host {
				t.Fatalf("%q: host %q, address %s", s, rule.host, rule.addr)
			}
		}
	})
}
