package tool

import (
	"cmp"
	"fmt"
	"strings"

	"praxis/internal/tool/jsondoc"
)

// Version is a semantic version (semver.org 2.0.0) such as "1.4.0" or
// "2.0.0-beta.1+build5". Values made by ParseVersion are well formed.
type Version string

// ParseVersion checks that s is a semantic version.
func ParseVersion(s string) (Version, error) {
	if len(s) > 100 {
		return "", fmt.Errorf("a version has at most 100 characters")
	}
	core, _, hasBuild := strings.Cut(s, "+")
	if hasBuild && !identifiers(s[len(core)+1:], false) {
		return "", fmt.Errorf("bad build metadata in version %q", s)
	}
	core, pre, hasPre := strings.Cut(core, "-")
	if hasPre && !identifiers(pre, true) {
		return "", fmt.Errorf("bad pre-release in version %q", s)
	}
	parts := strings.Split(core, ".")
	if len(parts) != 3 {
		return "", fmt.Errorf("%q is not a semantic version", s)
	}
	for _, p := range parts {
		if !jsondoc.AllDigits(p) || len(p) > 9 || (len(p) > 1 && p[0] == '0') {
			return "", fmt.Errorf("%q is not a semantic version", s)
		}
	}
	return Version(s), nil
}

// NearVersion makes a version of something that is nearly one ("v1", "1.2"), or "".
func NearVersion(s string) string {
	s = strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(s), "v"), "V")
	core, rest := s, ""
	if i := strings.IndexAny(s, "-+"); i >= 0 {
		core, rest = s[:i], s[i:]
	}
	parts := strings.Split(core, ".")
	for i, p := range parts {
		if p = strings.TrimLeft(p, "0"); p == "" {
			p = "0"
		}
		parts[i] = p
	}
	for len(parts) < 3 {
		parts = append(parts, "0")
	}
	if v, err := ParseVersion(strings.Join(parts, ".") + rest); err == nil {
		return string(v)
	}
	return ""
}

func identifiers(s string, noLeadingZeros bool) bool {
	for part := range strings.SplitSeq(s, ".") {
		if part == "" {
			return false
		}
		for i := range len(part) {
			c := part[i]
			if (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && c != '-' {
				return false
			}
		}
		if noLeadingZeros && jsondoc.AllDigits(part) && len(part) > 1 && part[0] == '0' {
			return false
		}
	}
	return true
}

func (v Version) split() (core [3]string, pre string) {
	s, _, _ := strings.Cut(string(v), "+")
	s, pre, _ = strings.Cut(s, "-")
	copy(core[:], strings.SplitN(s, ".", 3))
	return core, pre
}

// Major returns the first number of the version, as text.
func (v Version) Major() string {
	core, _ := v.split()
	return core[0]
}

// Prerelease reports whether the version is one before a release ("1.0.0-beta").
func (v Version) Prerelease() bool {
	_, pre := v.split()
	return pre != ""
}

// Compare returns -1, 0 or 1 by semver's precedence; build metadata does not count.
func (v Version) Compare(w Version) int {
	a, apre := v.split()
	b, bpre := w.split()
	for i := range a {
		if c := compareNumeric(a[i], b[i]); c != 0 {
			return c
		}
	}
	switch {
	case apre == bpre:
		return 0
	case apre == "":
		return 1
	case bpre == "":
		return -1
	}
	as, bs := strings.Split(apre, "."), strings.Split(bpre, ".")
	for i := range min(len(as), len(bs)) {
		if c := comparePre(as[i], bs[i]); c != 0 {
			return c
		}
	}
	return cmp.Compare(len(as), len(bs))
}

func compareNumeric(a, b string) int {
	return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
}

func comparePre(a, b string) int {
	an, bn := jsondoc.AllDigits(a), jsondoc.AllDigits(b)
	switch {
	case an && bn:
		return compareNumeric(a, b)
	case an:
		return -1
	case bn:
		return 1
	}
	return cmp.Compare(a, b)
}

// matches reports whether the version is one that the pin means: "" any, "1"
// and "1.2" those that begin so, else the version itself.
func (v Version) matches(pin string) bool {
	if pin == "" || pin == string(v) {
		return true
	}
	if strings.ContainsAny(pin, "-+") || strings.Count(pin, ".") >= 2 {
		return false
	}
	core, _ := v.split()
	for i, p := range strings.Split(pin, ".") {
		if core[i] != p {
			return false
		}
	}
	return true
}
