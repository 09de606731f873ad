package wire

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"praxis/internal/safetext"
)

// ValidName reports whether s may name a context, an execution or a process:
// 1 to 64 letters, digits and _ . : @ - and none of . : @ - first.
func ValidName(s string) bool {
	return len(s) > 0 && len(s) <= MaxName && only(s, "_.:@-") && only(s[:1], "_")
}

// ValidLanguage reports whether s may name a language: a lower case letter, then
// lower case letters and digits, 32 at most.
func ValidLanguage(s string) bool {
	return len(s) > 0 && len(s) <= 32 && s[0] >= 'a' && s[0] <= 'z' && only(s, "") && strings.ToLower(s) == s
}

// validMIME reports whether s is a MIME type as RFC 6838 restricts its names,
// each part of at most 64 bytes.
func validMIME(s string) bool {
	main, sub, ok := strings.Cut(s, "/")
	for _, part := range []string{main, sub} {
		ok = ok && len(part) > 0 && len(part) <= 64 && only(part, "!#$&^_.+-")
	}
	return ok
}

// only reports whether s has nothing but ASCII letters, digits and marks. Not a
// regexp: this package is initialised in every process of a sandbox's start.
func only(s, marks string) bool {
	for _, r := range s {
		letter := 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
		if !letter && !strings.ContainsRune(marks, r) {
			return false
		}
	}
	return true
}

// Main is the context that an empty name means.
const Main = "main"

// Check says what is wrong with a bundle: keys that are not MIME types (or
// "text"), a binary type that is not base64, a size over MaxBundle.
func (b Bundle) Check() error {
	if len(b) > MaxBundleKeys {
		return fmt.Errorf("bundle has %d keys, the limit is %d", len(b), MaxBundleKeys)
	}
	size := 0
	for k, v := range b {
		size += len(k) + len(v)
		if err := checkItem(k, v); err != nil {
			return err
		}
	}
	if size > MaxBundle {
		return fmt.Errorf("bundle has %d bytes, the limit is %d", size, MaxBundle)
	}
	return nil
}

func checkItem(key, value string) error {
	if key != "text" && !validMIME(key) {
		return fmt.Errorf("bundle has a key that is no MIME type")
	}
	if isBinary(key) && !isBase64(value) {
		return fmt.Errorf("bundle's %s is not base64", key)
	}
	return nil
}

func isBinary(key string) bool { return key == "image/png" || key == "image/jpeg" }

func isBase64(s string) bool {
	buf := make([]byte, 3<<10)
	for len(s) > 4<<10 {
		// Padding inside would be an early end: refuse it here.
		if n, err := base64.StdEncoding.Strict().Decode(buf, []byte(s[:4<<10])); err != nil || n != len(buf) {
			return false
		}
		s = s[4<<10:]
	}
	_, err := base64.StdEncoding.Strict().Decode(buf, []byte(s))
	return err == nil && !strings.ContainsAny(s, "\r\n")
}

// Clean makes a bundle pass Check: it leaves out what is malformed, then the
// largest items until the rest fits, and says so in "text". left names what
// was left out.
func (b Bundle) Clean() (left []string) {
	for k, v := range b {
		if checkItem(k, v) != nil {
			delete(b, k)
			left = append(left, safetext.Clip(k, 64))
		}
	}
	if len(b["text"]) > MaxBundle/4 {
		b["text"] = safetext.Clip(b["text"], MaxBundle/4)
	}
	for len(b) > MaxBundleKeys || b.size() > MaxBundle-MaxText {
		largest, size := "", -1
		for k, v := range b {
			if k != "text" && (len(v) > size || len(v) == size && k < largest) {
				largest, size = k, len(v)
			}
		}
		delete(b, largest)
		left = append(left, largest)
	}
	if len(left) > 0 {
		slices.Sort(left)
		names := strings.ToValidUTF8(strings.Join(left[:min(len(left), 8)], ", "), "?")
		b["text"] = strings.TrimPrefix(b["text"]+"\n[left out, malformed or too large: "+names+"]", "\n")
	}
	return left
}

func (b Bundle) size() int {
	n := 0
	for k, v := range b {
		n += len(k) + len(v)
	}
	return n
}

// Showable reports whether a name can be shown and sent back as it is: it is
// UTF-8 and has no control characters.
func Showable(s string) bool {
	return utf8.ValidString(s) && strings.IndexFunc(s, unicode.IsControl) < 0
}

// validSum reports whether s is a SHA-256 in lower case hexadecimal digits.
func validSum(s string) bool {
	return len(s) == 64 && strings.Trim(s, "0123456789abcdef") == ""
}
