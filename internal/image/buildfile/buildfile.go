// Package buildfile reads the files that images are built of: what an image is made of,
// declared in YAML.
//
//	name: web-tools               # how the image is called
//	from: python:3.12-slim        # an image; left out: Praxis's own root file system
//	pip: [pandas==2.*]            # for the Python that runs, locked by hash
//	npm: [lodash]                 # of npm, with Node where the base has none, locked by hash
//	apt: [jq]                     # or apk: packages of the base's own package manager
//	copy: {./data: /srv/data}     # files of the host, below the file's folder
//	env: {MODE: demo}             # of the steps, and of every program of sessions
//	allow-net: [deb.debian.org]   # hosts that steps may reach
//	run:                          # commands of a shell, in order
//	  - make -C /srv build
//	start: {command: ./server --port 8000, ready: {port: 8000}}
//	preload: [pandas]             # modules that are imported before a session begins
//
// Reading does no input and no output, and every problem is reported with its line.
package buildfile

import (
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"praxis/internal/lazyregexp"
	"praxis/internal/safetext"
	"praxis/internal/tool/jsondoc"
)

// Bounds of a file.
const (
	MaxFile  = 1 << 20 // bytes
	MaxSteps = 100     // of run, and of copy
	maxList  = 500
	maxText  = 64 << 10
	maxReady = 10 * time.Minute
)

// DefaultReady is how long a start program may take to get ready when the file says nothing.
const DefaultReady = time.Minute

// File is what a file says.
type File struct {
	Name     string
	From     string // "": Praxis's own root file system
	Pip, NPM []string
	Apt, Apk []string // at most one of them has something
	Copy     []Copy   // in the file's order
	Env      []string // NAME=value, in the file's order
	AllowNet []string
	Run      []string
	Start    *Start // nil: nothing is started
	Preload  []string
}

// Copy is a file or a folder of the host.
type Copy struct {
	From string // below the file's folder: clean, with slashes; ".": all of it
	To   string // absolute and clean, in the image
}

// Start is a program that runs in every session.
type Start struct {
	Command string
	// Port is one that takes connections when the program is ready, and Check a command
	// that then ends with 0: one of them is set.
	Port  int
	Check string
	Wait  time.Duration
}

var (
	nameRE     = lazyregexp.New(`^[a-z0-9][a-z0-9._-]{0,63}$`)
	packageRE  = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9.+:~=<>_@/-]{0,199}$`)
	variableRE = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_]*$`)
	moduleRE   = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*$`)
)

// Load reads a file. The error is a fault of the kind Invalid whose message is the first
// problem and whose cause is [jsondoc.Problems], all of them; name is shown in positions.
func Load(name string, data []byte) (File, error) {
	var f File
	r := &reader{Report: &jsondoc.Report{File: name}}
	if len(data) > MaxFile {
		r.Add(nil, "", "the file has %d bytes; at most %d are read", len(data), MaxFile)
		return f, r.Problems.Fault()
	}
	n := jsondoc.Read(r.Report, data)
	if n == nil {
		return f, r.Problems.Fault()
	}
	r.mapping(n, "the file", []key{
		{"name", true, func(v *jsondoc.Node) { f.Name = r.name(v) }},
		{"from", false, func(v *jsondoc.Node) { f.From = r.text("from", v) }},
		{"pip", false, func(v *jsondoc.Node) { f.Pip = r.texts("pip", v, nil) }},
		{"npm", false, func(v *jsondoc.Node) { f.NPM = r.texts("npm", v, nil) }},
		{"apt", false, func(v *jsondoc.Node) { f.Apt = r.texts("apt", v, packageRE) }},
		{"apk", false, func(v *jsondoc.Node) { f.Apk = r.texts("apk", v, packageRE) }},
		{"copy", false, func(v *jsondoc.Node) { f.Copy = r.copies(v) }},
		{"env", false, func(v *jsondoc.Node) { f.Env = r.env(v) }},
		{"allow-net", false, func(v *jsondoc.Node) { f.AllowNet = r.texts("allow-net", v, nil) }},
		{"run", false, func(v *jsondoc.Node) { f.Run = r.run(v) }},
		{"start", false, func(v *jsondoc.Node) { f.Start = r.start(v) }},
		{"preload", false, func(v *jsondoc.Node) { f.Preload = r.texts("preload", v, moduleRE) }},
	})
	if len(f.Apt) > 0 && len(f.Apk) > 0 {
		r.Add(n.Key("apk"), "Keep the one that the base has.", "apt and apk: a base has one package manager")
	}
	if err := r.Problems.Fault(); err != nil {
		return File{}, err
	}
	return f, nil
}

// reader reads one file.
type reader struct{ *jsondoc.Report }

// key is one of a mapping.
type key struct {
	name string
	need bool
	read func(v *jsondoc.Node)
}

// mapping reads a mapping by a table; keys that are not in it are problems.
func (r *reader) mapping(n *jsondoc.Node, what string, table []key) {
	var names []string
	for _, k := range table {
		names = append(names, k.name)
	}
	if n.Kind != jsondoc.Map {
		r.Add(n, "Write keys and values: "+strings.Join(names, ", ")+".", "%s: expected a mapping, got %s", what, n.Show())
		return
	}
	for i, k := range n.Keys {
		at := slices.Index(names, k.Text)
		if at < 0 {
			r.Add(k, jsondoc.DidYouMean(k.Text, names), "unknown key %s in %s", safetext.Quote(k.Text), what)
			continue
		}
		table[at].read(n.Items[i])
	}
	for _, k := range table {
		if k.need && n.Get(k.name) == nil {
			r.Add(n, "Add "+k.name+": …", "%s lacks the key %s", what, safetext.Quote(k.name))
		}
	}
}

// text reads a string that is not empty.
func (r *reader) text(what string, v *jsondoc.Node) string {
	switch {
	case v.Kind != jsondoc.String:
		r.Add(v, "", "%s: expected a string, got %s", what, v.Show())
	case strings.TrimSpace(v.Text) == "" || len(v.Text) > maxText || strings.IndexByte(v.Text, 0) >= 0:
		r.Add(v, "", "%s: expected a text of 1 to %d bytes, got %s", what, maxText, v.Show())
	default:
		return v.Text
	}
	return ""
}

// texts reads a list of strings. like is what each must be like; nil: anything.
func (r *reader) texts(what string, v *jsondoc.Node, like *lazyregexp.Regexp) (out []string) {
	for _, item := range r.list(what, v, maxList) {
		text := r.text(what, item)
		switch {
		case text == "":
		case like != nil && !like.MatchString(text):
			r.Add(item, "", "%s: %s is no name for one", what, item.Show())
		case slices.Contains(out, text):
			r.Add(item, "Remove one of them.", "%s: %s stands twice", what, item.Show())
		default:
			out = append(out, text)
		}
	}
	return out
}

// list returns the items of a list; one text alone is a list of it.
func (r *reader) list(what string, v *jsondoc.Node, most int) []*jsondoc.Node {
	switch {
	case v.Kind == jsondoc.String:
		return []*jsondoc.Node{v}
	case v.Kind != jsondoc.List:
		r.Add(v, "Write a list: ["+what+"…].", "%s: expected a list, got %s", what, v.Show())
		return nil
	case len(v.Items) > most:
		r.Add(v, "", "%s: %d of them; at most %d", what, len(v.Items), most)
		return nil
	}
	return v.Items
}

func (r *reader) name(v *jsondoc.Node) string {
	text := r.text("name", v)
	if text != "" && !nameRE.MatchString(text) {
		r.Add(v, "Use lower case letters, digits, and . _ - behind the first.", "name: %s is no name of an image", v.Show())
	}
	return text
}

// run reads commands; a command may stand twice.
func (r *reader) run(v *jsondoc.Node) (out []string) {
	for _, item := range r.list("run", v, MaxSteps) {
		out = append(out, r.text("run", item))
	}
	return out
}

// env reads variables: their values may be numbers and words.
func (r *reader) env(v *jsondoc.Node) (out []string) {
	if v.Kind != jsondoc.Map || len(v.Keys) > maxList {
		r.Add(v, "Write NAME: value.", "env: expected a mapping of at most %d variables, got %s", maxList, v.Show())
		return nil
	}
	for i, k := range v.Keys {
		value := v.Items[i]
		switch {
		case !variableRE.MatchString(k.Text):
			r.Add(k, "Use letters, digits and _.", "env: %s is no name of a variable", k.Show())
		case k.Text == "HOME" || k.Text == "IMAGE_WORKDIR" || k.Text == "PYTHONHOME":
			r.Add(k, "Leave it out.", "env: %s is the session's own", k.Text)
		case value.Kind != jsondoc.String && value.Kind != jsondoc.Number && value.Kind != jsondoc.Bool:
			r.Add(value, "Quote it.", "env: expected a text, got %s", value.Show())
		case len(value.Text) > maxText || strings.IndexByte(value.Text, 0) >= 0:
			r.Add(value, "", "env: the value of %s is too long, or has a zero byte", k.Text)
		default:
			out = append(out, k.Text+"="+value.Text)
		}
	}
	return out
}

// copies reads what is copied.
func (r *reader) copies(v *jsondoc.Node) (out []Copy) {
	if v.Kind != jsondoc.Map || len(v.Keys) > MaxSteps {
		r.Add(v, "Write ./FROM: /TO.", "copy: expected a mapping of at most %d paths, got %s", MaxSteps, v.Show())
		return nil
	}
	for i, k := range v.Keys {
		from, to := path.Clean(k.Text), r.text("copy", v.Items[i])
		if to == "" {
			continue
		}
		if !fs.ValidPath(from) || strings.IndexByte(from, 0) >= 0 {
			r.Add(k, "Put what is copied below the folder of the file.", "copy: %s is not below the folder of the file", k.Show())
			continue
		}
		if clean := path.Clean(to); !path.IsAbs(to) || clean == "/" || special(clean) {
			r.Add(v.Items[i], "Use a path such as /srv/data.", "copy: %s is no place for files of an image", v.Items[i].Show())
			continue
		}
		out = append(out, Copy{from, path.Clean(to)})
	}
	return out
}

// special says whether a path is one that sessions have for themselves.
func special(to string) bool {
	for _, dir := range []string{"/proc", "/sys", "/dev", "/tmp", "/run/praxis", "/.praxis", "/.praxis-root"} {
		if to == dir || strings.HasPrefix(to, dir+"/") {
			return true
		}
	}
	return false
}

// start reads the start program.
func (r *reader) start(v *jsondoc.Node) *Start {
	s := &Start{Wait: DefaultReady}
	r.mapping(v, "start", []key{
		{"command", true, func(v *jsondoc.Node) { s.Command = r.text("command", v) }},
		{"ready", true, func(v *jsondoc.Node) { r.ready(s, v) }},
	})
	return s
}

// ready reads how the start program is known to be ready.
func (r *reader) ready(s *Start, v *jsondoc.Node) {
	r.mapping(v, "ready", []key{
		{"port", false, func(v *jsondoc.Node) {
			n, err := strconv.Atoi(v.Text)
			if s.Port = n; v.Kind != jsondoc.Number || err != nil || n < 1 || n > 65535 {
				r.Add(v, "", "port: expected a number from 1 to 65535, got %s", v.Show())
			}
		}},
		{"command", false, func(v *jsondoc.Node) { s.Check = r.text("command", v) }},
		{"within", false, func(v *jsondoc.Node) {
			d, err := time.ParseDuration(v.Text)
			if s.Wait = d; err != nil || d < time.Second || d > maxReady {
				r.Add(v, "Write a time such as 30s or 2m.", "within: expected a time from 1s to %s, got %s", maxReady, v.Show())
			}
		}},
	})
	if v.Kind == jsondoc.Map && (v.Get("port") == nil) == (v.Get("command") == nil) {
		r.Add(v, "Write {port: 8000}, or {command: …}.", "ready: expected a port or a command")
	}
}
