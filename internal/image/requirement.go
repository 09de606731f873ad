package image

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"syscall"

	"praxis/fault"
	"praxis/internal/bounded"
	"praxis/internal/lazyregexp"
	"praxis/internal/safetext"
)

// requirement is one line of what is asked for: the subset of PEP 508 that
// names a release of an index, and the hashes of pip's requirements files.
type requirement struct {
	name   string   // normalised (PEP 503)
	extras []string // normalised, sorted
	specs  []string // such as ">=2", in the order given
	marker string   // text after ";", or ""
	hashes []string // "sha256:…", sorted
}

const (
	maxRequirements     = 500
	maxRequirementsFile = 1 << 20
	maxRequirementLen   = 64 << 10 // a release with many wheels lists a hash for each
	maxNameLen          = 100
	requirementRemedy   = "Write NAME or NAME==VERSION, such as pandas or pandas==2.*; only packages of an index can be used."
)

var (
	nameRE   = lazyregexp.New(`^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?`)
	extraRE  = lazyregexp.New(`^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$`)
	specRE   = lazyregexp.New(`^(===|==|!=|~=|<=|>=|<|>)\s*([A-Za-z0-9][A-Za-z0-9._+!-]*(?:\.\*)?)$`)
	markerRE = lazyregexp.New(`^[A-Za-z0-9_ .,"'()=!<>~+*-]+$`)
	hashRE   = lazyregexp.New(`^(sha256:[0-9a-f]{64}|sha384:[0-9a-f]{96}|sha512:[0-9a-f]{128})$`)
	runsRE   = lazyregexp.New(`[-_.]+`)
)

// normalName is the form in which index names are compared (PEP 503).
func normalName(name string) string {
	return strings.ToLower(runsRE.ReplaceAllString(name, "-"))
}

// short is the requirement without markers and hashes.
func (r requirement) short() string {
	var b strings.Builder
	b.WriteString(r.name)
	if len(r.extras) > 0 {
		b.WriteString("[" + strings.Join(r.extras, ",") + "]")
	}
	b.WriteString(strings.Join(r.specs, ","))
	return b.String()
}

// String is the canonical form, a line of a requirements file.
func (r requirement) String() string {
	s := r.short()
	if r.marker != "" {
		s += " ; " + r.marker
	}
	for _, h := range r.hashes {
		s += " --hash=" + h
	}
	return s
}

// parse reads all that the request asks for, sorted, each requirement once.
func (req Request) parse() ([]requirement, error) {
	var all []requirement
	for _, item := range splitWith(req.With) {
		r, err := parseRequirement(item)
		if err != nil {
			return nil, fault.New(fault.Invalid, requirementRemedy, "cannot read requirement %q: %w", safetext.Clip(redact(item), 80), err)
		}
		all = append(all, r)
	}
	if req.Requirements != "" {
		list, err := readRequirements(req.Requirements)
		if err != nil {
			return nil, err
		}
		all = append(all, list...)
	}
	if len(all) > maxRequirements {
		return nil, fault.New(fault.Invalid, "Ask for fewer packages.", "cannot use %d requirements: at most %d are allowed", len(all), maxRequirements)
	}
	slices.SortStableFunc(all, func(a, b requirement) int { return strings.Compare(a.String(), b.String()) })
	all = slices.CompactFunc(all, func(a, b requirement) bool { return a.String() == b.String() })
	for i, r := range all {
		for _, other := range all[:i] {
			// Two lines for one name make sense when markers tell them apart.
			if other.name == r.name && other.marker == "" && r.marker == "" {
				return nil, fault.New(fault.Invalid, "Name each package once, such as pandas>=2,<3.",
					"cannot use both %q and %q: they name the same package", other.short(), r.short())
			}
		}
	}
	return all, nil
}

// splitWith splits entries at commas, but neither between extras nor between
// the conditions of one package, and joins conditions that an earlier split
// (a command line's) tore off: "pandas>=2", "<3" is one requirement.
func splitWith(with []string) []string {
	var out []string
	for _, entry := range with {
		depth, start := 0, 0
		pieces := []string{}
		for i, c := range entry {
			switch {
			case c == '[':
				depth++
			case c == ']':
				depth--
			case c == ',' && depth <= 0:
				pieces = append(pieces, entry[start:i])
				start = i + 1
			}
		}
		for _, p := range append(pieces, entry[start:]) {
			p = strings.TrimSpace(p)
			if len(out) > 0 && p != "" && strings.ContainsRune("<>=!~", rune(p[0])) {
				out[len(out)-1] += "," + p
			} else {
				out = append(out, p)
			}
		}
	}
	return out
}

// parseRequirement reads one requirement. It never accepts what would make
// pip leave the index (URLs, paths, options) or end the line.
func parseRequirement(text string) (requirement, error) {
	s := strings.TrimSpace(text)
	switch {
	case s == "":
		return requirement{}, errors.New("it is empty")
	case len(s) > maxRequirementLen:
		return requirement{}, fmt.Errorf("it is longer than %d bytes", maxRequirementLen)
	case strings.ContainsAny(s, "\r\n\x00"):
		return requirement{}, errors.New("it holds a line break or a zero byte")
	case strings.Contains(s, "://"), strings.Contains(s, "@"), strings.HasPrefix(s, "git+"):
		return requirement{}, errors.New("it names a URL or a repository")
	case strings.HasPrefix(s, "-"):
		return requirement{}, errors.New("it is an option")
	case strings.HasPrefix(s, "."), strings.HasPrefix(s, "/"), strings.HasPrefix(s, "~"), strings.HasSuffix(s, ".whl"), strings.HasSuffix(s, ".tar.gz"):
		return requirement{}, errors.New("it names a file")
	}
	var r requirement
	head, hashes, err := splitHashes(s)
	if err != nil {
		return requirement{}, err
	}
	r.hashes = hashes
	head, marker, hasMarker := strings.Cut(head, ";")
	if r.marker = strings.TrimSpace(marker); hasMarker && !markerRE.MatchString(r.marker) {
		return requirement{}, errors.New("what follows the semicolon is not a marker")
	}
	head = strings.TrimSpace(head)
	raw := nameRE.FindString(head)
	if raw == "" || len(raw) > maxNameLen {
		return requirement{}, errors.New("it does not begin with a package name")
	}
	r.name = normalName(raw)
	rest := strings.TrimSpace(head[len(raw):])
	if r.extras, rest, err = cutExtras(rest); err != nil {
		return requirement{}, err
	}
	if strings.HasPrefix(rest, "(") && strings.HasSuffix(rest, ")") {
		rest = strings.TrimSpace(rest[1 : len(rest)-1])
	}
	if rest == "" {
		return r, nil
	}
	for _, spec := range strings.Split(rest, ",") {
		m := specRE.FindStringSubmatch(strings.TrimSpace(spec))
		if m == nil {
			return requirement{}, fmt.Errorf("%q is not a version condition", safetext.Clip(redact(strings.TrimSpace(spec)), 80))
		}
		r.specs = append(r.specs, m[1]+m[2])
	}
	return r, nil
}

// splitHashes takes the --hash options off the end.
func splitHashes(s string) (head string, hashes []string, err error) {
	head, rest, found := strings.Cut(s, " --")
	if !found {
		return s, nil, nil
	}
	fields := strings.Fields("--" + rest)
	for i := 0; i < len(fields); i++ {
		value, ok := strings.CutPrefix(fields[i], "--hash=")
		if !ok && fields[i] == "--hash" && i+1 < len(fields) {
			i++
			value, ok = fields[i], true
		}
		if !ok {
			return "", nil, fmt.Errorf("%q is not an option that is allowed here", safetext.Clip(redact(fields[i]), 80))
		}
		if !hashRE.MatchString(value) {
			return "", nil, fmt.Errorf("%q is not a hash such as sha256: and 64 hexadecimal digits", safetext.Clip(redact(value), 80))
		}
		hashes = append(hashes, value)
	}
	slices.Sort(hashes)
	return head, slices.Compact(hashes), nil
}

// cutExtras takes "[a,b]" off the front.
func cutExtras(s string) (extras []string, rest string, err error) {
	if !strings.HasPrefix(s, "[") {
		return nil, s, nil
	}
	inner, rest, ok := strings.Cut(s[1:], "]")
	if !ok {
		return nil, "", errors.New("the bracket is not closed")
	}
	for _, e := range strings.Split(inner, ",") {
		if e = strings.TrimSpace(e); !extraRE.MatchString(e) || len(e) > maxNameLen {
			return nil, "", fmt.Errorf("%q is not the name of an extra", safetext.Clip(redact(e), 80))
		}
		extras = append(extras, normalName(e))
	}
	slices.Sort(extras)
	return slices.Compact(extras), strings.TrimSpace(rest), nil
}

// readRequirements reads a requirements file.
func readRequirements(path string) ([]requirement, error) {
	data, err := bounded.ReadFile(path, maxRequirementsFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fault.New(fault.NotFound, "Give the path of a requirements file.", "cannot read requirements: there is no file %s", path)
	case errors.Is(err, bounded.ErrIrregular), errors.Is(err, syscall.EISDIR):
		return nil, fault.New(fault.Invalid, "Give the path of a requirements file.", "cannot read requirements: %s is not a file", path)
	case err != nil:
		return nil, fault.New(fault.Invalid, "Give the path of a readable requirements file.", "cannot read requirements %s: %w", path, err)
	}
	list, line, err := parseRequirements(data)
	if err != nil {
		return nil, fault.New(fault.Invalid, requirementRemedy, "cannot read requirements %s: line %d: %w", path, line, err)
	}
	return list, nil
}

// parseRequirements reads the text of a requirements file. With an error it
// returns the number of the guilty line, from 1.
func parseRequirements(data []byte) (list []requirement, line int, err error) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	sc := bufio.NewScanner(bytes.NewReader(data))
	sc.Buffer(nil, maxRequirementsFile+1)
	var logical strings.Builder
	first := 0
	for n := 1; sc.Scan(); n++ {
		text := strings.TrimSuffix(sc.Text(), "\r")
		if first == 0 {
			first = n
		}
		if comment := commentAt(text); comment >= 0 {
			text = text[:comment]
		} else if strings.HasSuffix(text, "\\") {
			logical.WriteString(strings.TrimSuffix(text, "\\") + " ")
			continue
		}
		logical.WriteString(text)
		if list, err = addLine(list, logical.String()); err != nil {
			return nil, first, err
		}
		logical.Reset()
		first = 0
	}
	if err := sc.Err(); err != nil {
		return nil, 0, err
	}
	if list, err = addLine(list, logical.String()); err != nil {
		return nil, first, err
	}
	return list, 0, nil
}

// addLine reads one logical line, which may be empty.
func addLine(list []requirement, text string) ([]requirement, error) {
	text = strings.TrimSpace(text)
	switch first, _, _ := strings.Cut(strings.ReplaceAll(text, "=", " "), " "); first {
	case "", "--require-hashes", "--prefer-binary":
		return list, nil // hashes are respected anyway, and nothing but wheels is taken
	case "--only-binary":
		return list, nil
	case "-i", "--index-url", "--extra-index-url", "-f", "--find-links", "--no-index", "--trusted-host":
		return nil, errors.New("an index cannot be chosen here: set PIP_INDEX_URL or pip's configuration")
	case "-r", "--requirement", "-c", "--constraint":
		return nil, errors.New("other files cannot be included: put all lines into one file")
	case "-e", "--editable":
		return nil, errors.New("editable packages cannot be used")
	}
	if strings.Contains(text, "${") {
		return nil, errors.New("variables are not replaced")
	}
	if len(list) == maxRequirements {
		return nil, fmt.Errorf("there are more than %d requirements", maxRequirements)
	}
	r, err := parseRequirement(text)
	if err != nil {
		return nil, err
	}
	return append(list, r), nil
}

// commentAt finds where a comment begins: at a # at the line's beginning or after a space.
func commentAt(s string) int {
	for i := range len(s) {
		if s[i] == '#' && (i == 0 || s[i-1] == ' ' || s[i-1] == '\t') {
			return i
		}
	}
	return -1
}
