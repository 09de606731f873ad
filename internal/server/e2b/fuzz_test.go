package e2b

import (
	"net/http"
	"strings"
	"testing"

	"praxis/internal/server/e2b/registry"
)

const someID = "abcdefghijklmnopqrstuvwx23"

func shared(host string) bool { return hostName(host) == "localhost" || hostName(host) == "127.0.0.1" }

// A request is for a sandbox by its host, or by its headers where the host is shared.
func TestAddress(t *testing.T) {
	sandbox := func(port int) address { return address{port: port, id: someID} }
	for _, c := range []struct {
		host, id, port string
		want           address
		ok             bool
	}{
		{"127.0.0.1:3000", "", "", address{api: true}, true},
		{"localhost", someID, "49983", sandbox(49983), true},
		{"localhost", someID + "-0000", "49983", sandbox(49983), true},
		{"localhost", someID, "049983", address{}, false},
		{"localhost", someID, "", address{}, false},
		{"localhost", "../x", "80", address{}, false},
		{"api.sbx.test:8443", "", "", address{api: true}, true},
		{"API.SBX.TEST.", "", "", address{api: true}, true},
		{"sandbox.sbx.test", someID, "80", sandbox(80), true},
		{"80-" + someID + ".sbx.test:8443", "", "", sandbox(80), true},
		{"80-" + someID + "-00000000.sbx.test", "", "", sandbox(80), true},
		{"80-" + someID + ".sbx.test", "other", "1", sandbox(80), true}, // a host of its own says it all
		{"0-" + someID + ".sbx.test", "", "", address{}, false},
		{"65536-" + someID + ".sbx.test", "", "", address{}, false},
		{"80-short.sbx.test", "", "", address{}, false},
		{"sbx.test", "", "", address{}, false},
		{"evil.example", someID, "80", address{}, false}, // a name that was bound to this address
		{"80-" + someID + ".sbx.test.evil.example", "", "", address{}, false},
	} {
		got, ok := addressOf(c.host, "sbx.test:8443", shared, c.id, c.port)
		if !ok {
			got = address{}
		}
		if ok != c.ok || got != c.want {
			t.Errorf("%s %s %s: got %+v, %t", c.host, c.id, c.port, got, ok)
		}
	}
}

// FuzzAddress: what names a sandbox has a port and an id, however it is written.
func FuzzAddress(f *testing.F) {
	f.Add("80-"+someID+".sbx.test:8443", "", "")
	f.Add("localhost", someID, "49983")
	f.Add("api.sbx.test", "-", "-1")
	f.Add("[::1]:80", "", "")
	f.Fuzz(func(t *testing.T, host, id, port string) {
		got, ok := addressOf(host, "sbx.test", shared, id, port)
		if ok && !got.api && (!registry.IsID(got.id) || got.port < 1 || got.port > 65535) {
			t.Errorf("%q %q %q: got %+v", host, id, port, got)
		}
		if ok && !shared(host) && !strings.HasSuffix(hostName(host), ".sbx.test") {
			t.Errorf("%q is none of ours", host)
		}
	})
}

// FuzzNarrow: whatever a client asks for, nothing is reached that the operator does not allow.
func FuzzNarrow(f *testing.F) {
	f.Add("api.example.com", "0.0.0.0/0", true)
	f.Add("*.example.org", "", false)
	f.Add("192.0.2.0/24", "10.0.0.0/8", true)
	f.Fuzz(func(t *testing.T, allow, deny string, open bool) {
		all := []string{"api.example.com", "*.example.org:443", "192.0.2.7:8080"}
		got, err := narrow(all, strings.Fields(allow), strings.Fields(deny), open)
		if err != nil {
			return
		}
		for _, text := range got {
			r := ruleOf(text)
			if r.host != "api.example.com" && r.host != "192.0.2.7" && !strings.HasSuffix(r.host, ".example.org") {
				t.Errorf("allow %q, deny %q: %q", allow, deny, text)
			}
		}
	})
}

// Rules of clients narrow those of the operator.
func TestNarrow(t *testing.T) {
	all := []string{"api.example.com", "*.example.org:443", "192.0.2.7:8080"}
	none, everything := []string{}, []string{"0.0.0.0/0"}
	for name, c := range map[string]struct {
		allow, deny []string
		open        bool
		want        string
	}{
		"nothing is said":     {none, none, true, "api.example.com *.example.org:443 192.0.2.7:8080"},
		"no internet":         {none, none, false, ""},
		"all denied":          {none, everything, true, ""},
		"one allowed":         {[]string{"api.example.com"}, everything, true, "api.example.com"},
		"below a wildcard":    {[]string{"a.example.org"}, everything, true, "a.example.org:443"},
		"a wildcard":          {[]string{"*.example.com"}, everything, true, "api.example.com"},
		"the domain itself":   {[]string{"example.org"}, everything, true, ""},
		"another":             {[]string{"evil.test", "*.com.evil"}, everything, true, ""},
		"all allowed":         {everything, everything, true, "api.example.com *.example.org:443 192.0.2.7:8080"},
		"a range":             {[]string{"192.0.2.0/24"}, everything, true, "192.0.2.7:8080"},
		"a range denied":      {none, []string{"10.0.0.0/8", "192.168.0.0/16"}, true, "api.example.com *.example.org:443 192.0.2.7:8080"},
		"a name denied":       {none, []string{"API.example.com"}, true, "*.example.org:443 192.0.2.7:8080"},
		"a wildcard denied":   {none, []string{"*.org"}, true, "api.example.com 192.0.2.7:8080"},
		"no internet but one": {[]string{"api.example.com"}, none, false, "api.example.com"},
	} {
		got, err := narrow(all, c.allow, c.deny, c.open)
		if err != nil || strings.Join(got, " ") != c.want {
			t.Errorf("%s: got %q, %v", name, got, err)
		}
	}
	for _, deny := range []string{"::ffff:192.0.2.7", "::ffff:192.0.2.0/120"} {
		if got, err := narrow(all[2:], none, []string{deny}, true); err != nil || len(got) > 0 {
			t.Errorf("without %s: got %q, %v", deny, got, err)
		}
	}
	if _, err := narrow(all, none, []string{"8.8.8.8"}, true); err == nil {
		t.Error("an address is denied that a name may lead to")
	}
	if _, err := narrow(all, none, []string{"a.example.org"}, true); err == nil {
		t.Error("a name is denied that a wildcard allows")
	}
	if _, err := narrow(all, []string{"https://x"}, none, true); err == nil {
		t.Error("a URL is a rule")
	}
}

// Keys are written in two ways.
func TestKey(t *testing.T) {
	own := "praxis_" + strings.Repeat("a1", 28)
	if Key(KeyFor(own)) != own || Key(own) != own || !ContainsKey("x "+KeyFor(own)) || ContainsKey("e2b_") {
		t.Error("a key is not what it was")
	}
	if http.CanonicalHeaderKey(headerSandbox) != headerSandbox || http.CanonicalHeaderKey(headerTraffic) != headerTraffic {
		t.Error("a header is written otherwise")
	}
}
