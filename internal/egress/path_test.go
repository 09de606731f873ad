package egress

import (
	"math/rand/v2"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

var (
	percent    = regexp.MustCompile(`%[0-9A-Fa-f]{2}`)
	wide       = regexp.MustCompile(`%[uU][0-9A-Fa-f]{4}`)
	parameters = regexp.MustCompile(`;[^/]*`)
	slashes    = regexp.MustCompile(`/{2,}`)
	padded     = regexp.MustCompile(`[ .]+(/|$)`)
)

// sloppy is what servers, gateways and file systems do to a path. The bytes of
// a text need not be UTF-8.
var sloppy = []func(string) string{
	func(s string) string { // unescape, once more
		return percent.ReplaceAllStringFunc(s, func(e string) string {
			n, _ := strconv.ParseUint(e[1:], 16, 8)
			return string([]byte{byte(n)})
		})
	},
	func(s string) string { // as old servers of Windows unescape
		return wide.ReplaceAllStringFunc(s, func(e string) string {
			n, _ := strconv.ParseUint(e[2:], 16, 16)
			return string(rune(n))
		})
	},
	overlong,
	norm.NFKC.String,
	norm.NFKD.String,
	func(s string) string { // the nearest character of another encoding
		return strings.NewReplacer("\uff0e", ".", "\uff0f", "/", "\uff3c", "\\", "\u2215", "/", "\u2044", "/", "\u2216", "\\", "\u2024", ".", "\u00a5", "\\", "\u20a9", "\\", "\u3002", ".", "\u29f8", "/", "\u00b7", ".", "\uff05", "%", "\uff1b", ";").Replace(s)
	},
	func(s string) string { // cut to a byte, which is a character of Latin-1
		return strings.Map(func(r rune) rune { return r & 0xff }, s)
	},
	func(s string) string { // drop control characters
		return strings.Map(func(r rune) rune {
			if r < ' ' || r == 0x7f {
				return -1
			}
			return r
		}, s)
	},
	func(s string) string { // drop what is not ASCII
		return strings.Map(func(r rune) rune {
			if r >= utf8.RuneSelf {
				return -1
			}
			return r
		}, s)
	},
	func(s string) string { return strings.ReplaceAll(s, `\`, "/") },
	func(s string) string { return strings.ReplaceAll(s, "+", " ") },
	func(s string) string { return parameters.ReplaceAllString(s, "") },
	func(s string) string { return slashes.ReplaceAllString(s, "/") },
	func(s string) string { // spaces and dots at the end of a name, but for ".."
		return padded.ReplaceAllStringFunc(s, func(e string) string {
			dots := strings.Count(e, ".")
			return strings.Repeat(".", min(dots, 2)) + strings.TrimLeft(e, " .")
		})
	},
	func(s string) string { return strings.ReplaceAll(strings.ReplaceAll(s, " ", ""), "\t", "") },
	func(s string) string { s, _, _ = strings.Cut(s, "\x00"); return s },
	func(s string) string { s, _, _ = strings.Cut(s, "\n"); return s },
	func(s string) string { s, _, _ = strings.Cut(s, "?"); return s },
	func(s string) string { s, _, _ = strings.Cut(s, "#"); return s },
	path.Clean,
}

// overlong decodes UTF-8 as a decoder does that checks nothing.
func overlong(s string) string {
	var out []rune
	for i := 0; i < len(s); {
		size, r := 1, rune(s[i])
		switch {
		case s[i] >= 0xf0:
			size, r = 4, rune(s[i]&7)
		case s[i] >= 0xe0:
			size, r = 3, rune(s[i]&15)
		case s[i] >= 0xc0:
			size, r = 2, rune(s[i]&31)
		}
		for k := 1; k < size && i+k < len(s); k++ {
			r = r<<6 | rune(s[i+k]&63)
		}
		out = append(out, r)
		i += size
	}
	return string(out)
}

// under says whether a path is the prefix or lies below it.
func under(s, prefix string) bool {
	s = path.Clean("/" + s)
	return s == prefix || strings.HasPrefix(s, prefix+"/")
}

const boundTo = "/v1/files"

// passes says whether a request for a target of HTTP gets the credential.
func passes(t *testing.T, target string) (string, bool) {
	t.Helper()
	u, err := url.ParseRequestURI(target)
	if err != nil || u.Host != "" || u.Scheme != "" {
		return "", false
	}
	b := &bound{Credential: Credential{PathPrefix: boundTo}}
	// As the proxy makes requests anew.
	out := &http.Request{URL: &url.URL{Path: u.Path, RawPath: u.RawPath}, Header: http.Header{}}
	ok, _ := b.here(out, target0, true)
	return out.URL.RequestURI(), ok
}

var target0 target

// staysUnder folds a path that passed in up to four of the sloppy ways, one
// after the other.
func staysUnder(t *testing.T, sent string) {
	t.Helper()
	type way struct {
		s     string
		steps int
	}
	seen := map[string]bool{sent: true}
	for list := []way{{sent, 0}}; len(list) > 0; list = list[1:] {
		w := list[0]
		if !under(w.s, boundTo) {
			t.Fatalf("%q passed, and some server takes it for %q, which is %q", sent, w.s, path.Clean("/"+w.s))
		}
		if w.steps == 4 {
			continue
		}
		for _, fold := range sloppy {
			if s := fold(w.s); !seen[s] {
				seen[s] = true
				list = append(list, way{s, w.steps + 1})
			}
		}
	}
}

// parts are what paths are generated from.
var parts = []string{
	"/", "/", "/", ".", ".", "..", "../", "%2e", "%2E", "%2f", "%5c", `\`, "%252e", "%252f", "%25", "%c0%ae", "%c0%af", "%e0%80%ae", "%f0%80%80%af", "%c1%9c",
	"%ef%bc%8e", "%ef%bc%8f", "%ef%bc%bc", "%e2%80%a4", "%e2%80%a5", "%e2%80%a6", "%e2%88%95", "%e2%81%84", "%c2%a5", "\uff0e", "\u012e", "\u012f", "\u015c", "%c4%a5", "\u0125", "2e", "2f", "\u0100", "%e4%b8%ad", "\u4e2e", "\u4e2f",
	"%00", "%01", "%08", "%09", "%0a", "%0d", "%0d%0a", "%7f", "%20", "+", "%20..", ";", ";x=1", "%3b", "%3f", "%23", "?", "%u002e", "%u2215", "%e2%80%8b", "%c2%ad", "%ef%bb%bf", "%c2%85", "%ff", "%80",
	"a", "v1", "files", "admin", "~", "-", "_", ":", "@", "$", "*", "'", "(", "1.2", "a..b", "x.", ".x", "gr\u00f6\u00dfe", "%",
}

// TestSloppyServers generates request paths: whichever gets a credential that is
// bound to a path lies below it for every server that folds paths.
func TestSloppyServers(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	passed := 0
	for range 50_000 {
		target := "/v1/files"
		if r.IntN(4) == 0 {
			target = "/"
		}
		for range 1 + r.IntN(7) {
			target += parts[r.IntN(len(parts))]
		}
		if sent, ok := passes(t, target); ok {
			passed++
			staysUnder(t, sent)
		}
	}
	if passed < 100 {
		t.Errorf("only %d of the generated paths passed: the test tests nothing", passed)
	}
	t.Logf("%d of 50000 passed", passed)
}

// FuzzSloppyServers is TestSloppyServers for any path.
func FuzzSloppyServers(f *testing.F) {
	for _, p := range parts {
		f.Add(boundTo + "/" + p + "/" + p)
		f.Add(boundTo + "/" + p + p + "/admin")
	}
	f.Fuzz(func(t *testing.T, target string) {
		if len(target) > 200 {
			return
		}
		if sent, ok := passes(t, target); ok {
			staysUnder(t, sent)
		}
	})
}

func TestPaths(t *testing.T) {
	for _, rest := range []string{"", "/", "/a", "/a/", "/a.b", "/.well-known/x", "/a...b", "/compare/main...work", "/gr%C3%B6%C3%9Fe.txt", "/größe", "/%E4%B8%AD%E5%9B%BD/x", "/a%20b", "/a+b", "/x@1:2", "/~me", "/a,b=$c&d!e*(f)'g"} {
		if _, ok := passes(t, boundTo+rest); !ok {
			t.Errorf("%s is refused", rest)
		}
	}
	for _, rest := range []string{
		"x", "%2fa", "/..", "/../x", "/./x", "/.", "/%2e%2e/x", "/.%2e/x", "/%c0%ae%c0%ae/x", "/%c0%ae./x", "/%e0%80%ae%e0%80%ae/x", "/..%c0%af..%c0%afx", "/%ef%bc%8e%ef%bc%8e/x", "/..%ef%bc%8fx", "/%00", "/a%00/../x", "/%09../x", "/%0d%0a../x", "/%0a", "/..%00/x", "/..%09/x",
		`/..\x`, "/..%5cx", "/%252e%252e/x", "/%25252e", "/..;/x", "/..;a=b/x", "/a;b/x", "/%3b", "/a//b", "/..%20/x", "/%20../x", "/.%20", "/...", "/..%3fx", "/x%23", "/%u002e%u002e/x", "/%ff", "/%E2%80%8B../x", "/\u012e\u012e/x", "/x\u012f..", "/\u01252e\u01252e/x", "/%E2%80%A5/x", "/⒈/x", "/%7f", "/%C2%85",
	} {
		if sent, ok := passes(t, boundTo+rest); ok {
			t.Errorf("%s passes as %s", rest, sent)
		}
	}
	if sent, ok := passes(t, "/%761/files/x"); ok {
		t.Errorf("an escaped prefix passes as %s", sent)
	}
	for _, name := range []string{"X-Original-URL", "x-rewrite-url", "X-Forwarded-Path"} {
		b := &bound{Credential: Credential{PathPrefix: boundTo}}
		out := &http.Request{URL: &url.URL{Path: boundTo}, Header: http.Header{}}
		out.Header.Set(name, "/admin")
		if ok, odd := b.here(out, target0, true); ok || odd == "" {
			t.Errorf("with %s it passes", name)
		}
	}
	for _, prefix := range []string{"/v1/%20", "/größe", "/a//b", "/a;b", "/..", "/a(b)", `/a\b`} {
		if usablePrefix(prefix) {
			t.Errorf("a credential can be bound to %s", prefix)
		}
	}
}
