package openapi

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"praxis/fault"
	"praxis/internal/safetext"
	"praxis/internal/tool"
	"praxis/internal/tool/jsondoc"
	"praxis/internal/tool/toolfile"
)

const (
	maxWarnings = 1000
	maxServer   = 2000
	maxSchema   = 256 << 10 // bytes of one tool's input or output
)

// Options say what is made of a document.
type Options struct {
	// Name is the document's file name, for the comment at the top. May be empty.
	Name string
	// Namespace comes before each tool's name. "": an operation's first tag, else
	// the document's title.
	Namespace string
	// Server is the URL that paths are appended to. "": the document's first.
	Server string
	// Version is the tools' version. "": the document's own, if it is a semantic
	// version, else 1.0.0.
	Version string
	// Acting is the effect of operations that are neither GET nor HEAD. 0: Write.
	Acting tool.Effects
	// Only chooses operations by operationId, tag, path, or method and path
	// ("GET /pets"). Empty: all.
	Only []string
}

// Import makes the text of a file of tools from an OpenAPI document (3.0 or 3.1,
// JSON or YAML). The warnings say what could not be expressed; each names its
// operation. The text loads with toolfile.Load. A document that
// cannot be used at all is a fault of kind Invalid.
func Import(data []byte, opt Options) (text []byte, warnings []string, err error) {
	root, err := read(data)
	if err != nil {
		return nil, nil, err
	}
	im := &importer{root: root, opt: opt, taken: map[string]bool{}, secrets: jsondoc.NewObject(), notes: map[string]string{}, schemes: map[string]string{}}
	if err := im.head(); err != nil {
		return nil, nil, err
	}
	if err := im.paths(); err != nil {
		return nil, im.warnings, err
	}
	text, err = im.write()
	return text, im.warnings, err
}

// importer makes tools of one document.
type importer struct {
	root     *jsondoc.Object
	opt      Options
	modern   bool // 3.1 or later: schemas are JSON Schema 2020-12
	title    string
	version  string
	tools    []imported
	written  int             // bytes of the tools so far
	taken    map[string]bool // names of tools
	secrets  *jsondoc.Object
	notes    map[string]string // comments on secrets, by name
	schemes  map[string]string // secrets' names by security scheme
	warnings []string
	visited  int // parts of schemas
}

type imported struct {
	comment string
	doc     *jsondoc.Object
}

func (im *importer) spent() bool { return im.visited > maxVisit }

func (im *importer) warn(format string, args ...any) {
	if len(im.warnings) < maxWarnings {
		im.warnings = append(im.warnings, safetext.OneLine(fmt.Sprintf(format, args...), 500))
	} else if len(im.warnings) == maxWarnings {
		im.warnings = append(im.warnings, "there are more warnings")
	}
}

// head reads what says what the document is.
func (im *importer) head() error {
	version := str(get(im.root, "openapi"))
	switch {
	case strings.HasPrefix(version, "3.0"):
	case strings.HasPrefix(version, "3."):
		im.modern = true
	case get(im.root, "swagger") != nil:
		return invalid("Convert it to OpenAPI 3 first.", "it is of version 2 (swagger)")
	case version == "":
		return invalid("Give a document that begins with openapi: 3.0.0 or 3.1.0.", "it has no key \"openapi\"")
	default:
		return invalid("Convert it to OpenAPI 3.1 first.", "its version %q is not known", safetext.OneLine(version, 40))
	}
	if _, ok := get(im.root, "paths").(*jsondoc.Object); !ok {
		return invalid("", "it has no paths")
	}
	info := get(im.root, "info")
	im.title = safetext.OneLine(str(get(info, "title")), 200)
	im.version = "1.0.0"
	if im.opt.Version != "" {
		v, err := tool.ParseVersion(im.opt.Version)
		if err != nil {
			return fault.New(fault.Invalid, "Write a semantic version such as 1.0.0.", "the version %q is not one", safetext.OneLine(im.opt.Version, 40))
		}
		im.version = string(v)
	} else if v, err := tool.ParseVersion(str(get(info, "version"))); err == nil {
		im.version = string(v)
	}
	for _, part := range strings.Split(im.opt.Namespace, ".") {
		if im.opt.Namespace != "" && !isIdentifier(part) {
			return fault.New(fault.Invalid, "Write identifiers with dots, such as shop.orders.", "the namespace %q is not one", safetext.OneLine(im.opt.Namespace, 80))
		}
	}
	if im.opt.Server != "" {
		if _, err := checkServer(im.opt.Server); err != nil {
			return fault.New(fault.Invalid, "Write https://host/path.", "the server's URL cannot be used: %w", err)
		}
	}
	if im.opt.Acting == 0 {
		im.opt.Acting = tool.Write
	}
	return nil
}

func methods() []string {
	return []string{"get", "head", "post", "put", "patch", "delete", "options", "trace", "query"}
}

// paths imports the operations.
func (im *importer) paths() error {
	used := make([]bool, len(im.opt.Only))
	for path, item := range object(get(im.root, "paths")).All() {
		if strings.HasPrefix(path, "x-") {
			continue
		}
		resolved := im.resolve(item)
		if resolved == nil && item != nil {
			im.warn("%s: left out: its reference leads nowhere within the document", path)
		}
		for method, v := range object(resolved).All() {
			if !slices.Contains(methods(), method) {
				continue
			}
			op := &operation{im: im, method: strings.ToUpper(method), path: path, item: object(resolved), op: object(v)}
			if !op.chosen(used) {
				continue
			}
			if err := im.add(op); err != nil {
				return err
			}
		}
	}
	for i, name := range im.opt.Only {
		if !used[i] {
			im.warn("no operation is called %s", name)
		}
	}
	if len(im.tools) == 0 {
		why := ""
		if len(im.warnings) > 0 {
			why = ": " + im.warnings[0]
		}
		return invalid("", "no operation could be imported%s", why)
	}
	return nil
}

// add makes a tool of an operation, in the form that this project reads.
func (im *importer) add(op *operation) error {
	doc, err := op.tool()
	if err == nil && !im.spent() {
		doc, err = im.checked(op, doc)
	}
	if im.spent() {
		return fault.New(fault.Exhausted, "Choose operations, by tag for example.", "cannot import the OpenAPI document: its schemas are too large or too many")
	}
	if err != nil {
		im.warn("%s: left out: %v", op, err)
		return nil
	}
	im.tools = append(im.tools, imported{op.method + " " + op.path, doc})
	im.written += im.size(doc)
	if len(im.tools) > tool.MaxTools || im.written > jsondoc.MaxFile {
		return fault.New(fault.Exhausted, "Choose operations, by tag for example.", "cannot import the OpenAPI document: its tools do not fit into one file")
	}
	return nil
}

// checked sees to it that a tool can be read back. Documents have patterns,
// defaults and formats that are not what they claim to be: then the schemas lose
// them, then the tool loses its output.
func (im *importer) checked(op *operation, doc *jsondoc.Object) (*jsondoc.Object, error) {
	n := im.size(doc)
	if n > 3*maxSchema {
		return nil, fmt.Errorf("its definition has %d bytes; at most %d are allowed", n, 3*maxSchema)
	}
	if longName(doc) {
		return nil, errors.New("a name in its schemas has more than 250 bytes")
	}
	err := defines(doc)
	if err == nil {
		return doc, nil
	}
	first := reason(err)
	for _, names := range [][]string{{"pattern"}, {"pattern", "default"}, {"pattern", "default", "format", "enum", "const"}} {
		lesser := jsondoc.NewObject()
		for name, v := range doc.All() {
			if name == "input" || name == "output" {
				v = without(v, names...)
			}
			lesser.Set(name, v)
		}
		if im.visited += n / 16; im.spent() {
			break
		}
		if defines(lesser) == nil {
			im.warn("%s: its schemas lost %s: %s", op, strings.Join(names, ", "), first)
			return lesser, nil
		}
	}
	lesser := jsondoc.NewObject()
	for name, v := range doc.All() {
		if name != "output" {
			lesser.Set(name, v)
		}
	}
	if err := defines(lesser); err != nil {
		return nil, errors.New(reason(err))
	}
	im.warn("%s: what it returns is not checked: %s", op, first)
	return lesser, nil
}

func defines(doc *jsondoc.Object) error {
	_, err := toolfile.Define("", doc)
	return err
}

// reason is the first problem without its place.
func reason(err error) string {
	var problems jsondoc.Problems
	if errors.As(err, &problems) && len(problems) > 0 {
		return safetext.OneLine(problems[0].What, 300)
	}
	return safetext.OneLine(err.Error(), 300)
}

// server returns the URL that an operation's path is appended to.
func (im *importer) server(op *operation) (string, error) {
	if im.opt.Server != "" {
		return checkServer(im.opt.Server)
	}
	for _, at := range []*jsondoc.Object{op.op, op.item, im.root} {
		servers := list(get(at, "servers"))
		if len(servers) == 0 {
			continue
		}
		address := str(get(servers[0], "url"))
		variables := object(get(servers[0], "variables"))
		im.visited += variables.Len()
		for name, v := range variables.All() {
			if len(address) > maxServer {
				break
			}
			address = strings.ReplaceAll(address, "{"+name+"}", str(get(v, "default")))
		}
		return checkServer(address)
	}
	return checkServer("/")
}

func checkServer(s string) (string, error) {
	u, err := url.Parse(s)
	switch {
	case len(s) > maxServer || err != nil || strings.ContainsAny(s, "{}") || strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r >= 0x7f }):
		return "", errors.New("the server's URL is not one")
	case u.Scheme == "" || u.Host == "":
		return "", errors.New("the document does not say on which host: give the server's URL")
	case u.Scheme != "http" && u.Scheme != "https":
		return "", fmt.Errorf("the server's URL has the scheme %s; http or https is needed", safetext.OneLine(u.Scheme, 20))
	case u.User != nil:
		return "", errors.New("the server's URL holds a user's name; use a secret in a header")
	case u.RawQuery != "" || u.Fragment != "":
		return "", errors.New("the server's URL has a query or a fragment")
	}
	return strings.TrimRight(s, "/"), nil
}

// secret names the secret of a security scheme and declares it.
func (im *importer) secret(scheme, note string) string {
	if name, ok := im.schemes[scheme]; ok {
		return name
	}
	prefix := im.opt.Namespace
	if prefix == "" {
		prefix = im.title
	}
	name := strings.ToUpper(identifier(strings.Join(append(words(prefix), words(scheme)...), "_")))
	if name == "" {
		name = "SECRET"
	}
	base := name
	for i := 2; ; i++ {
		if _, taken := im.secrets.Get(name); !taken {
			break
		}
		name = base + "_" + strconv.Itoa(i)
	}
	im.schemes[scheme] = name
	im.secrets.Set(name, jsondoc.NewObject(jsondoc.Member{Name: "env", Value: name}))
	im.notes[name] = note
	return name
}

// write writes the file.
func (im *importer) write() ([]byte, error) {
	w := &writer{}
	from := "an OpenAPI document"
	if im.opt.Name != "" {
		from = "the OpenAPI document " + safetext.OneLine(im.opt.Name, 200)
	}
	if im.title != "" {
		w.comment(0, im.title)
	}
	w.comment(0, "Made from "+from+". Change what does not fit: effects, labels, approval, limits.")
	w.b.WriteString("version: 1\n")
	if im.secrets.Len() > 0 {
		w.b.WriteString("secrets:\n")
		for name, v := range im.secrets.All() {
			if note := im.notes[name]; note != "" {
				w.comment(2, note)
			}
			w.b.WriteString("  ")
			w.member(name, v, 2)
		}
	}
	w.b.WriteString("tools:\n")
	for _, t := range im.tools {
		w.comment(2, t.comment)
		w.b.WriteString("  - ")
		w.item(t.doc, 2)
	}
	text := []byte(w.b.String())
	if len(text) > jsondoc.MaxFile {
		return nil, fault.New(fault.Exhausted, "Choose operations, by tag for example.", "cannot import the OpenAPI document: its tools do not fit into one file")
	}
	if _, err := toolfile.Load("tools.yaml", text); err != nil {
		return nil, fault.New(fault.Invalid, "Choose operations, by tag for example.", "cannot import the OpenAPI document: the file that was made does not load: %w", err)
	}
	return text, nil
}
