package mcp

import (
	"cmp"
	"net/http"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"praxis/fault"
	"praxis/internal/safetext"
	"praxis/internal/tool"
	"praxis/internal/tool/jsondoc"
	"praxis/internal/tool/toolfile"
)

// settings are the value of a server's name in a file.
type settings struct {
	Command  []string          `json:"command"`
	Env      map[string]string `json:"env"`
	Dir      string            `json:"dir"`
	Sandbox  bool              `json:"sandbox"`
	Image    string            `json:"image"`
	Packages []string          `json:"packages"`

	URL     string            `json:"url"`
	Headers map[string]string `json:"headers"`

	Namespace string          `json:"namespace"`
	Tools     any             `json:"tools"`
	Effects   *jsondoc.Object `json:"effects"`
	Approval  *jsondoc.Object `json:"approval"`
	Hints     *bool           `json:"hints"`
	Trusted   bool            `json:"trusted"`
	Version   string          `json:"version"`

	endpoint *url.URL
	filter   filter
	effects  []rule[tool.Effects]
	approval []rule[bool]
}

type filter struct {
	Allow []string `json:"allow"`
	Deny  []string `json:"deny"`
}

// rule says something of the tools whose names match a pattern.
type rule[T any] struct {
	pattern string
	value   T
}

// readSettings reads and checks settings. name is the server's.
func readSettings(name, dir string, spec *jsondoc.Object) (*settings, error) {
	s := &settings{}
	if err := toolfile.DecodeSpec(spec, s); err != nil {
		return nil, err
	}
	for _, check := range []func() error{
		s.checkTransport,
		func() error { return s.checkNamespace(name) },
		s.checkSecrets,
		s.readFilter,
		s.readRules,
	} {
		if err := check(); err != nil {
			return nil, err
		}
	}
	if s.Version != "" {
		if _, err := tool.ParseVersion(s.Version); err != nil {
			return nil, wrong("Write a semantic version such as 1.0.0.", "version: expected a semantic version, got %q", safetext.OneLine(s.Version, 60))
		}
	}
	s.Dir = cmp.Or(s.Dir, ".")
	if !filepath.IsAbs(s.Dir) {
		s.Dir = filepath.Join(dir, s.Dir)
	}
	return s, nil
}

func wrong(remedy, format string, args ...any) error {
	return fault.New(fault.Invalid, remedy, "cannot read the settings of an MCP server: "+format, args...)
}

func (s *settings) checkTransport() error {
	hasCommand, hasURL := len(s.Command) > 0, s.URL != ""
	switch {
	case hasCommand == hasURL:
		return wrong("Write command: [program, argument…] or url: https://….", "expected either command or url")
	case hasCommand && s.Command[0] == "":
		return wrong("Write command: [program, argument…].", "command: the program has no name")
	case hasCommand && len(s.Headers) > 0:
		return wrong("Give a program its secrets in env.", "headers belong to a server with a url")
	case hasURL && (len(s.Env) > 0 || s.Dir != "" || s.Sandbox):
		return wrong("Remove env, dir and sandbox.", "env, dir and sandbox belong to a server with a command")
	case !s.Sandbox && (s.Image != "" || len(s.Packages) > 0):
		return wrong("Add sandbox: true.", "image and packages belong to a server in a sandbox")
	case hasURL:
		return s.checkURL()
	}
	for name := range s.Env {
		if name == "" || strings.ContainsAny(name, "=\x00") {
			return wrong("", "env: %q is no name of a variable", safetext.OneLine(name, 60))
		}
	}
	return nil
}

func (s *settings) checkURL() error {
	u, err := url.Parse(s.URL)
	switch {
	case err != nil || u.Host == "" || (u.Scheme != "https" && u.Scheme != "http"):
		return wrong("Write url: https://host/path.", "url: expected an address with https or http")
	case u.User != nil:
		return wrong(`Write headers: {Authorization: "Basic {secret:NAME}"}.`, "url: a user and a password do not belong into an address")
	}
	u.Fragment = ""
	s.endpoint = u
	for name, value := range s.Headers {
		switch {
		case !headerName(name):
			return wrong("", "headers: %q is no name of a header", safetext.OneLine(name, 60))
		case slices.Contains(ownHeaders(), http.CanonicalHeaderKey(name)):
			return wrong("Remove it.", "headers: %s is set by the protocol", name)
		case !headerValue(value):
			return wrong("", "headers: the value of %s has characters that a header cannot have", name)
		}
	}
	return nil
}

// ownHeaders are those that the protocol sets.
func ownHeaders() []string {
	return []string{"Accept", "Content-Length", "Content-Type", "Host", "Last-Event-Id", "Mcp-Method", "Mcp-Name",
		"Mcp-Protocol-Version", "Mcp-Session-Id", "Transfer-Encoding", "Connection"}
}

func headerName(s string) bool {
	for _, c := range []byte(s) {
		if c <= ' ' || c >= 0x7f || strings.IndexByte(`()<>@,;:\"/[]?={}`, c) >= 0 {
			return false
		}
	}
	return s != ""
}

func headerValue(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return (r < ' ' && r != '\t') || r == 0x7f })
}

func (s *settings) checkNamespace(name string) error {
	if s.Namespace == "" {
		if s.Namespace = tool.Identifier(name); s.Namespace == "" {
			return wrong("Add namespace: name.", "the server's name %q gives no namespace", safetext.OneLine(name, 60))
		}
		return nil
	}
	for part := range strings.SplitSeq(s.Namespace, ".") {
		if near := tool.Identifier(part); near != part {
			remedy := ""
			if near != "" {
				remedy = "Write " + near + "."
			}
			return wrong(remedy, "namespace: %q is no name", safetext.OneLine(part, 60))
		}
	}
	return nil
}

// checkSecrets refuses secrets where others see them: the arguments of a
// program are in every list of processes, an address in every log.
func (s *settings) checkSecrets() error {
	places := append([]string{s.Dir, s.URL, s.Image, s.Namespace, s.Version}, s.Command...)
	for _, text := range append(places, s.Packages...) {
		if strings.Contains(text, secretMark) {
			return wrong("Write it under env, or under headers for a url.", "a secret may only stand in env and headers")
		}
	}
	return nil
}

func (s *settings) readFilter() error {
	switch v := s.Tools.(type) {
	case nil:
	case []any:
		list := jsondoc.NewObject(jsondoc.Member{Name: "allow", Value: v})
		if err := toolfile.DecodeSpec(list, &s.filter); err != nil {
			return err
		}
	case *jsondoc.Object:
		if err := toolfile.DecodeSpec(v, &s.filter); err != nil {
			return err
		}
	default:
		return wrong(`Write tools: {allow: ["get_*"], deny: []}.`, "tools: expected a list or allow and deny")
	}
	for _, pattern := range slices.Concat(s.filter.Allow, s.filter.Deny) {
		if err := checkPattern("tools", pattern); err != nil {
			return err
		}
	}
	return nil
}

func checkPattern(where, pattern string) error {
	if _, err := path.Match(pattern, ""); err != nil || pattern == "" {
		return wrong("Write a name, with * for any characters.", "%s: %q is no pattern", where, safetext.OneLine(pattern, 60))
	}
	return nil
}

func (s *settings) readRules() error {
	for pattern, v := range members(s.Effects) {
		text, _ := v.(string)
		effects, ok := tool.ParseEffects(text)
		if !ok {
			return wrong("Write pure, read, write or external.", "effects of %q: expected pure, read, write or external", safetext.OneLine(pattern, 60))
		}
		if err := checkPattern("effects", pattern); err != nil {
			return err
		}
		s.effects = append(s.effects, rule[tool.Effects]{pattern, effects})
	}
	for pattern, v := range members(s.Approval) {
		needs, ok := v.(bool)
		if !ok {
			return wrong("Write true or false.", "approval of %q: expected a boolean", safetext.OneLine(pattern, 60))
		}
		if err := checkPattern("approval", pattern); err != nil {
			return err
		}
		s.approval = append(s.approval, rule[bool]{pattern, needs})
	}
	return nil
}

func members(o *jsondoc.Object) func(func(string, any) bool) {
	if o == nil {
		o = jsondoc.NewObject()
	}
	return o.All()
}

// find returns what the first rule that matches says.
func find[T any](rules []rule[T], names ...string) (value T, ok bool) {
	for _, r := range rules {
		if matches(r.pattern, names) {
			return r.value, true
		}
	}
	return value, false
}

func matches(pattern string, names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		ok, err := path.Match(pattern, name)
		return ok && err == nil
	})
}

// selects reports whether a tool is among those that the settings let through.
func (f filter) selects(names ...string) bool {
	has := func(patterns []string) bool {
		return slices.ContainsFunc(patterns, func(p string) bool { return matches(p, names) })
	}
	return (f.Allow == nil || has(f.Allow)) && !has(f.Deny)
}
