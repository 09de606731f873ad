package python

import (
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"

	"praxis/fault"
	"praxis/internal/lazyregexp"
	"praxis/internal/safetext"
)

// block is a block of metadata in a script's comments, as PEP 723 has it.
var block = lazyregexp.New(`(?m)^# /// ([a-zA-Z0-9-]+)[ \t]*\r?\n((?:#(?: [^\n]*)?\r?\n)+)# ///[ \t]*\r?$`)

// scriptPackages reads the packages that a script names in its "script" block (PEP 723). A
// script that is for another Python is refused.
func scriptPackages(code string) ([]string, error) {
	var text string
	for _, m := range block.FindAllStringSubmatch(code, -1) {
		switch {
		case m[1] != "script":
		case text != "":
			return nil, scriptFault("Keep one of them.", "it has two blocks")
		default:
			for line := range strings.Lines(m[2]) {
				text += strings.TrimPrefix(strings.TrimPrefix(line, "#"), " ")
			}
		}
	}
	var meta struct {
		Requires     string   `toml:"requires-python"`
		Dependencies []string `toml:"dependencies"`
	}
	if _, err := toml.Decode(text, &meta); err != nil {
		return nil, scriptFault("Write it as TOML, such as: # dependencies = [\"numpy\"]", "%s", safetext.OneLine(err.Error(), 200))
	}
	ok, err := accepts(meta.Requires, Version)
	switch {
	case err != nil:
		return nil, scriptFault("Write it such as >=3.12.", "requires-python %q cannot be read", safetext.Clip(meta.Requires, 100))
	case !ok:
		return nil, scriptFault("Change what it requires, if it also works with this one.", "it is for Python %s, and sessions have %s", safetext.Clip(meta.Requires, 100), Version)
	}
	return meta.Dependencies, nil
}

func scriptFault(remedy, format string, args ...any) error {
	return fault.New(fault.Invalid, remedy, "cannot use the script's block of metadata: "+format, args...)
}

// clause is one condition of requires-python.
var clause = lazyregexp.New(`^(===|==|!=|~=|>=|<=|>|<)\s*v?(\d+(?:\.\d+)*)(\.\*)?$`)

// accepts says whether a list of conditions allows a version of Python. Of versions
// numbers are compared, as far as both have them: 3.14 is every 3.14.x, so that a
// condition is met when a release of 3.14 meets it. Most are after 3, 3.14 and 3.14.2,
// and none of these three numbers excludes them all.
func accepts(conditions, version string) (bool, error) {
	for part := range strings.SplitSeq(conditions, ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		m := clause.FindStringSubmatch(part)
		if m == nil {
			return false, strconv.ErrSyntax
		}
		c, err := compare(version, m[2])
		if err != nil {
			return false, err
		}
		ok := false
		switch m[1] {
		case "==", "===":
			ok = c == 0
		case "!=":
			ok = c != 0 || m[3] == ""
		case ">=":
			ok = c >= 0
		case "<=":
			ok = c <= 0
		case ">":
			ok = c >= 0
		case "<":
			ok = c < 0 || c == 0 && strings.HasPrefix(m[2], version+".") && strings.Trim(m[2][len(version):], ".0") != ""
		case "~=":
			prefix, err := compare(version, m[2][:max(strings.LastIndexByte(m[2], '.'), 0)])
			if err != nil {
				return false, err
			}
			ok = c >= 0 && prefix == 0
		}
		if !ok {
			return false, nil
		}
	}
	return true, nil
}

// compare compares the numbers that both versions have.
func compare(a, b string) (int, error) {
	as, bs := strings.Split(a, "."), strings.Split(b, ".")
	for i := range min(len(as), len(bs)) {
		x, err := strconv.Atoi(as[i])
		if err != nil {
			return 0, err
		}
		y, err := strconv.Atoi(bs[i])
		if err != nil {
			return 0, err
		}
		if x != y {
			return x - y, nil
		}
	}
	return 0, nil
}
