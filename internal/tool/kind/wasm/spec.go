package wasm

import (
	"encoding/hex"
	"fmt"
	"maps"
	"net/netip"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"praxis/fault"
	"praxis/internal/safetext"
	"praxis/internal/tool"
	"praxis/internal/tool/jsondoc"
	"praxis/internal/tool/toolfile"
)

// Bounds of what a manifest may grant, and what it grants when it does not say.
const (
	maxGrants     = 64 // files, variables and hosts, each
	maxMemory     = size(1 << 30)
	maxOutput     = size(16 << 20)
	maxDisk       = size(1 << 30)
	maxTime       = 10 * time.Minute
	defaultMemory = size(64 << 20)
	defaultOutput = size(1 << 20)
	defaultDisk   = size(64 << 20)
	defaultTime   = 10 * time.Second

	page = 64 << 10 // of WebAssembly's memory
)

// settings are the value of "wasm" in a file.
type settings struct {
	Module string    `json:"module"`
	SHA256 string    `json:"sha256"`
	Grant  *manifest `json:"grant"`
}

// manifest says what a module may do.
type manifest struct {
	Files  map[string]folder `json:"files"`
	Env    map[string]any    `json:"env"`
	Hosts  []string          `json:"hosts"`
	Memory size              `json:"memory"`
	Time   time.Duration     `json:"time"`
	Output size              `json:"output"`
	Disk   size              `json:"disk"`
	Clock  bool              `json:"clock"`
	Random bool              `json:"random"`
}

// folder is a folder of the host that the module sees.
type folder struct {
	Path  string `json:"path"`
	Write bool   `json:"write"`
}

// mount is a granted folder and where the module sees it.
type mount struct {
	at   string
	path string
	// write says that the module may change what is in it.
	write bool
}

// variable is one of the environment: a text in which {secret:NAME} is replaced by a
// secret's value.
type variable struct{ name, text string }

// grant is a manifest that was checked.
type grant struct {
	mounts        []mount
	env           []variable
	hosts         []string // host:port in the form of hostPort, sorted
	memory        size
	output, disk  size
	time          time.Duration
	clock, random bool
}

// readSettings decodes and checks a binding's settings.
func readSettings(b tool.Binding) (s settings, g grant, err error) {
	if err := toolfile.DecodeSpec(b.Spec, &s); err != nil {
		return s, g, err
	}
	if s.Module == "" {
		return s, g, fault.New(fault.Invalid, "Write module: FILE.wasm.", "cannot read the settings: /module: the module is missing")
	}
	if s.Grant == nil {
		return s, g, fault.New(fault.Invalid, "Write what it may do: grant: {files: …, hosts: …}. An empty grant: {} says that it may do nothing.",
			"cannot use module %s: it has no manifest", safetext.Clip(s.Module, 200))
	}
	if strings.ContainsRune(s.Module, 0) {
		return s, g, invalid("/module", "", "there is a NUL in the path")
	}
	s.Module = from(b.Dir, s.Module)
	g, err = s.Grant.check(b.Dir)
	return s, g, err
}

// pin returns the digest that the settings name.
func (s settings) pin() ([]byte, error) {
	text := strings.TrimPrefix(strings.ToLower(s.SHA256), "sha256:")
	sum, err := hex.DecodeString(text)
	if err != nil || len(sum) != 32 {
		return nil, invalid("/sha256", "Write the 64 hexadecimal digits that sha256sum prints.", "that is not a SHA-256")
	}
	return sum, nil
}

func (m *manifest) check(dir string) (grant, error) {
	g := grant{
		memory: m.Memory, output: m.Output, disk: m.Disk, time: m.Time,
		clock: m.Clock, random: m.Random,
	}
	for _, check := range []func(*grant, string) error{m.checkLimits, m.checkFiles, m.checkEnv, m.checkHosts} {
		if err := check(&g, dir); err != nil {
			return grant{}, err
		}
	}
	return g, nil
}

func (m *manifest) checkLimits(g *grant, _ string) error {
	for _, l := range []struct {
		name     string
		of       *size
		or, most size
	}{
		{"memory", &g.memory, defaultMemory, maxMemory},
		{"output", &g.output, defaultOutput, maxOutput},
		{"disk", &g.disk, defaultDisk, maxDisk},
	} {
		if *l.of == 0 {
			*l.of = l.or
		}
		if *l.of > l.most {
			return invalid(jsondoc.Pointer("/grant").Child(l.name), fmt.Sprintf("Write at most %v.", l.most), "%v is too much", *l.of)
		}
	}
	if g.memory < page {
		return invalid("/grant/memory", "Write at least 64KiB.", "%v is less than a page of memory", g.memory)
	}
	if g.time == 0 {
		g.time = defaultTime
	}
	if g.time < 0 || g.time > maxTime {
		return invalid("/grant/time", fmt.Sprintf("Write a time up to %v.", maxTime), "%v is not a time that can be granted", g.time)
	}
	return nil
}

func (m *manifest) checkFiles(g *grant, dir string) error {
	if len(m.Files) > maxGrants {
		return invalid("/grant/files", "", "there are more than %d folders", maxGrants)
	}
	for _, at := range slices.Sorted(maps.Keys(m.Files)) {
		where := jsondoc.Pointer("/grant/files").Child(at)
		if !path.IsAbs(at) || path.Clean(at) != at || strings.ContainsRune(at, 0) || len(at) > 1024 {
			return invalid(where, "Write the path that the module sees, such as /data.", "a folder's place in the module is a clean absolute path")
		}
		f := m.Files[at]
		if f.Path == "" || strings.ContainsRune(f.Path, 0) {
			return invalid(where, "Write {path: FOLDER, write: false}.", "the folder's path is missing")
		}
		g.mounts = append(g.mounts, mount{at: at, path: from(dir, f.Path), write: f.Write})
	}
	return nil
}

func (m *manifest) checkEnv(g *grant, _ string) error {
	if len(m.Env) > maxGrants {
		return invalid("/grant/env", "", "there are more than %d variables", maxGrants)
	}
	for _, name := range slices.Sorted(maps.Keys(m.Env)) {
		where := jsondoc.Pointer("/grant/env").Child(name)
		if !isVariable(name) {
			return invalid(where, "", "that is not a variable's name")
		}
		v := variable{name: name}
		switch given := m.Env[name].(type) {
		case string:
			v.text = given
		case *jsondoc.Object:
			secret, ok := given.Get("secret")
			text, isText := secret.(string)
			if !ok || !isText || given.Len() != 1 || !isVariable(text) {
				return invalid(where, "Write {secret: NAME}.", "a variable is a text or one secret")
			}
			v.text = "{secret:" + text + "}"
		default:
			return invalid(where, `Write "TEXT" or {secret: NAME}.`, "a variable is a text or one secret")
		}
		if strings.ContainsRune(v.text, 0) || len(v.text) > 64<<10 {
			return invalid(where, "", "the text has a NUL or is longer than 64KiB")
		}
		g.env = append(g.env, v)
	}
	return nil
}

func (m *manifest) checkHosts(g *grant, _ string) error {
	if len(m.Hosts) > maxGrants {
		return invalid("/grant/hosts", "", "there are more than %d hosts", maxGrants)
	}
	for i, text := range m.Hosts {
		at := strings.LastIndexByte(text, ':')
		if at < 0 {
			return invalid(jsondoc.Pointer("/grant/hosts").Index(i), "Write api.example.com:443.", "the port is missing")
		}
		host, ok := hostPort(strings.Trim(text[:at], "[]"), text[at+1:])
		if !ok {
			return invalid(jsondoc.Pointer("/grant/hosts").Index(i), "Write one name and its port, such as api.example.com:443; there are no wildcards.", "that is not a host")
		}
		g.hosts = append(g.hosts, host)
	}
	slices.Sort(g.hosts)
	g.hosts = slices.Compact(g.hosts)
	return nil
}

// hostPort returns the one form in which a host and port are compared: the name
// in small letters without the last dot, or the address as it is usually written.
func hostPort(host, port string) (string, bool) {
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil || n == 0 {
		return "", false
	}
	if ip, err := netip.ParseAddr(host); err == nil {
		if ip.Zone() != "" {
			return "", false
		}
		return netip.AddrPortFrom(ip.Unmap(), uint16(n)).String(), true
	}
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	if len(host) == 0 || len(host) > 253 {
		return "", false
	}
	for label := range strings.SplitSeq(host, ".") {
		if label == "" || len(label) > 63 || label[0] == '-' || strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
			return "", false
		}
	}
	return host + ":" + strconv.FormatUint(n, 10), true
}

func isVariable(name string) bool {
	for i, c := range []byte(name) {
		if c != '_' && (c|0x20 < 'a' || c|0x20 > 'z') && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return name != "" && len(name) <= 256
}

// from returns a path that may be relative to the folder of the file of tools.
func from(dir, name string) string {
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(dir, name)
}

func invalid(where jsondoc.Pointer, remedy, format string, args ...any) error {
	return fault.New(fault.Invalid, remedy, "cannot read the settings: %s: %s", safetext.Clip(string(where), 200), fmt.Sprintf(format, args...))
}

// size is a number of bytes, written "64MiB".
type size int64

// sizeUnits are the units in which sizes are written, the greatest first.
func sizeUnits() []struct {
	name string
	of   size
} {
	return []struct {
		name string
		of   size
	}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"GB", 1e9}, {"MB", 1e6}, {"KB", 1e3}, {"B", 1}}
}

// UnmarshalText reads a whole number with a unit.
func (s *size) UnmarshalText(text []byte) error {
	for _, u := range sizeUnits() {
		digits, ok := strings.CutSuffix(string(text), u.name)
		if !ok {
			continue
		}
		n, err := strconv.ParseUint(strings.TrimSpace(digits), 10, 63)
		if err != nil || n == 0 || n > 1<<62/uint64(u.of) {
			break
		}
		*s = size(n) * u.of
		return nil
	}
	return fault.New(fault.Invalid, "Write a number with a unit: 64KiB, 16MiB, 1GiB.", "expected a size")
}

// String writes the size in the greatest unit in which it is a whole number.
func (s size) String() string {
	for _, u := range sizeUnits()[:3] {
		if s >= u.of && s%u.of == 0 {
			return strconv.FormatInt(int64(s/u.of), 10) + u.name
		}
	}
	return strconv.FormatInt(int64(s), 10) + "B"
}
