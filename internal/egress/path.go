package egress

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// A credential that is bound to a path is only as good as the agreement between
// this proxy and the server on what a path means. Servers, and the gateways before
// them, unescape twice, decode UTF-8 that is none, fold full-width characters to
// ASCII, cut characters to a byte, drop what they do not know, end a path at a zero
// byte, take a backslash for a slash, or remove ";parameters". Nothing is therefore
// interpreted here: a path which any of them could take for another one is crooked.

// crooked says why some server may take a path, as it is escaped, for another
// one than it seems to be; "": none does.
func crooked(path string) string {
	plain, err := url.PathUnescape(path)
	switch {
	case err != nil:
		return "an escape is malformed"
	case !utf8.ValidString(plain):
		return "it is not UTF-8"
	case strings.Count(plain, "/") != strings.Count(path, "/"):
		return "a slash is escaped"
	case strings.Contains(plain, "//"):
		return "it has two slashes in a row"
	}
	for i, r := range plain {
		switch {
		case byte(r) == '%' && disguised.MatchString(plain[i:]):
			return "it has an escape in disguise"
		case r < ' ' || r == 0x7f:
			return "it has a control character"
		case strings.ContainsRune("\\;%?#", r):
			return "it has one of the characters \\ ; % ? #, or the escape of one"
		case r >= utf8.RuneSelf && !ordinary(r):
			return "it has a character that is neither ASCII nor a letter or digit"
		}
	}
	if dotted(plain) {
		return "a part of it is made of dots"
	}
	return ""
}

// disguised are characters beyond ASCII that may be cut to "%", with two digits.
var disguised = regexp.MustCompile(`^[^\x00-\x7f][0-9A-Fa-f]{2}`)

// ordinary says whether a character beyond ASCII is a letter, a mark or a number
// that no normalization turns into anything but such: not into a slash or a dot.
func ordinary(r rune) bool {
	word := func(r rune) bool { return unicode.In(r, unicode.L, unicode.M, unicode.N) }
	if !word(r) {
		return false
	}
	for _, folded := range norm.NFKC.String(string(r)) {
		if !word(folded) {
			return false
		}
	}
	return true
}

// dotted says whether a part of a path is "." or begins with "..", for whoever
// leaves out of it any characters but ASCII letters and digits, or takes of every
// character its last byte alone.
func dotted(plain string) bool {
	dots, began := 0, false // in this part; something else came before
	for _, r := range plain + "/" {
		low := byte(r)
		switch {
		case low == '/' || low == '\\':
			if dots == 1 && !began {
				return true
			}
			dots, began = 0, false
			// Whoever leaves it out goes on with the same part; what follows is
			// judged as the beginning of one, which is stricter.
		case low == '.':
			if dots++; dots == 2 && !began {
				return true
			}
		case r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '_' || r == '~'):
			began = true
		}
	}
	return false
}

// usablePrefix says whether a credential can be bound to a path: one that is the
// same escaped and not escaped.
func usablePrefix(path string) bool {
	return path[0] == '/' && crooked(path) == "" && (&url.URL{Path: path}).EscapedPath() == path
}

// rewritten says whether a request has a header field that some gateways take
// for its path.
func rewritten(h http.Header) bool {
	for _, name := range []string{"X-Original-Url", "X-Rewrite-Url", "X-Override-Url", "X-Original-Uri", "X-Forwarded-Uri", "X-Forwarded-Path"} {
		if len(h[name]) > 0 {
			return true
		}
	}
	return false
}
