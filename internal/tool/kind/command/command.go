package command

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"praxis/fault"
	"praxis/internal/tool"
	"praxis/internal/tool/jsondoc"
	"praxis/internal/tool/toolfile"
)

// Bounds.
const (
	maxElement  = 128 << 10 // bytes of an element, with its end: the kernel's own bound
	maxArgv     = 1 << 20   // bytes of all
	maxItems    = 10_000    // elements of a list
	maxElements = 1000      // elements of a template
	maxOutput   = 16 << 20  // bytes of standard output where the definition sets no bound
	maxTail     = 4 << 10   // bytes of standard error that a message quotes
)

// Config says what commands may do.
type Config struct {
	Allow   bool              // commands run at all
	Secrets tool.SecretSource // nil: there are none
	// Lookup reads PATH, HOME and LANG. nil: os.LookupEnv.
	Lookup func(string) (string, bool)
}

// Kind makes commands.
type Kind struct{ cfg Config }

var _ tool.Kind = (*Kind)(nil)

// New returns the kind.
func New(cfg Config) *Kind {
	if cfg.Lookup == nil {
		cfg.Lookup = os.LookupEnv
	}
	return &Kind{cfg: cfg}
}

func (k *Kind) getenv(name string) string {
	v, _ := k.cfg.Lookup(name)
	return v
}

// spec is the settings of a tool in a file.
type spec struct {
	Argv    []any           `json:"argv"`
	Stdin   *string         `json:"stdin"`
	Env     *jsondoc.Object `json:"env"`
	Dir     string          `json:"dir"`
	Output  string          `json:"output"`
	Exit    *jsondoc.Object `json:"exit"`
	Timeout time.Duration   `json:"timeout"`
	// Verbatim are arguments whose values may begin with anything.
	Verbatim []string `json:"verbatim"`
}

// command is a spec that was read, and the implementation of its tool.
type command struct {
	name     string
	program  string // as written, then absolute
	argv     []element
	stdin    template
	env      []variable
	dir      string
	output   string
	exit     map[int]string
	timeout  time.Duration
	verbatim []string        // arguments whose values may begin with anything
	numbers  map[string]bool // arguments that can be nothing but numbers
	bytes    int64
	secrets  tool.SecretSource
	identity string
}

type variable struct {
	name  string
	value template
}

func read(b tool.Binding) (*command, error) {
	s := spec{Output: "text"}
	if err := toolfile.DecodeSpec(b.Spec, &s); err != nil {
		return nil, err
	}
	wrong := func(remedy, format string, args ...any) (*command, error) {
		return nil, fault.New(fault.Invalid, remedy, "cannot read the command: %s", fmt.Sprintf(format, args...))
	}
	if len(s.Argv) == 0 || len(s.Argv) > maxElements {
		return wrong("Write argv: [PROGRAM, ARGUMENT, …].", "argv has %d elements", len(s.Argv))
	}
	if !slices.Contains([]string{"text", "lines", "json"}, s.Output) {
		return wrong("There are text, lines and json.", "there is no output %q", s.Output)
	}
	if s.Timeout < 0 {
		return wrong("Write a time such as 10s.", "the timeout is negative")
	}
	c := &command{output: s.Output, timeout: s.Timeout, verbatim: s.Verbatim, exit: map[int]string{}}
	first, _ := s.Argv[0].(string)
	t, err := parse("argv: the program", first)
	if err != nil {
		return nil, err
	}
	var fixed bool
	if c.program, fixed = t.literal(); !fixed || c.program == "" {
		return wrong("Write the program's name.", "the program is not fixed")
	}
	if c.argv, err = parseArgv(s.Argv[1:]); err != nil {
		return nil, err
	}
	if s.Stdin != nil {
		if c.stdin, err = parse("stdin", *s.Stdin); err != nil {
			return nil, err
		}
	}
	if s.Env != nil {
		for name, v := range s.Env.All() {
			text, ok := v.(string)
			if !ok || name == "" || strings.ContainsAny(name, "=\x00") {
				return wrong("Write NAME: text.", "env: %q is no variable with a text", name)
			}
			t, err := parse("env: "+name, text)
			if err != nil {
				return nil, err
			}
			c.env = append(c.env, variable{name, t})
		}
	}
	if s.Exit != nil {
		for code, v := range s.Exit.All() {
			n, err := strconv.Atoi(code)
			text, ok := v.(string)
			if err != nil || !ok || n < 0 || n > 255 || text == "" {
				return wrong(`Write exit: {0: ok, 1: empty, 2: what it means}.`, "exit: %q is no code with a text", code)
			}
			c.exit[n] = text
		}
	}
	for _, name := range c.verbatim {
		if !slices.Contains(holes([]pieceKind{argument, list}, c.templates()...), name) {
			return wrong("Name arguments that argv has.", "verbatim: there is no argument %q", name)
		}
	}
	if c.dir = s.Dir; !filepath.IsAbs(c.dir) {
		c.dir = filepath.Join(b.Dir, c.dir)
	}
	return c, nil
}

// templates returns all of them.
func (c *command) templates() []template {
	var out []template
	for _, e := range c.argv {
		out = append(out, e.parts...)
	}
	out = append(out, c.stdin)
	for _, v := range c.env {
		out = append(out, v.value)
	}
	return out
}

// Derive returns the input that the template asks for, texts and lists of texts,
// and the output. Arguments of a group in brackets may be left out.
func (k *Kind) Derive(_ context.Context, b tool.Binding) (*jsondoc.Object, error) {
	c, err := read(b)
	if err != nil {
		return nil, err
	}
	var optional []string
	always := []template{c.stdin}
	for _, v := range c.env {
		always = append(always, v.value)
	}
	for _, e := range c.argv {
		if e.alone {
			always = append(always, e.parts...)
		}
	}
	needed := holes([]pieceKind{argument, list}, always...)
	properties, required := jsondoc.NewObject(), []any{}
	text := jsondoc.NewObject(jsondoc.Member{Name: "type", Value: "string"})
	for _, name := range holes([]pieceKind{argument, list}, c.templates()...) {
		schema := text
		if slices.Contains(holes([]pieceKind{list}, c.templates()...), name) {
			schema = jsondoc.NewObject(jsondoc.Member{Name: "type", Value: "array"}, jsondoc.Member{Name: "items", Value: text})
		}
		properties.Set(name, schema)
		if slices.Contains(needed, name) {
			required = append(required, name)
		} else {
			optional = append(optional, name)
		}
	}
	input := jsondoc.NewObject(jsondoc.Member{Name: "type", Value: "object"}, jsondoc.Member{Name: "properties", Value: properties})
	if len(required) > 0 {
		input.Set("required", required)
	}
	input.Set("additionalProperties", false)
	doc := jsondoc.NewObject(jsondoc.Member{Name: "input", Value: input})
	switch c.output {
	case "text":
		doc.Set("output", text)
	case "lines":
		doc.Set("output", jsondoc.NewObject(jsondoc.Member{Name: "type", Value: "array"}, jsondoc.Member{Name: "items", Value: text}))
	}
	description := "Runs the program " + filepath.Base(c.program) + "."
	if len(optional) > 0 {
		description += " May be left out: " + strings.Join(optional, ", ") + "."
	}
	doc.Set("description", description)
	return doc, nil
}

// New makes a command. Without Config.Allow it is a fault of kind Denied.
func (k *Kind) New(_ context.Context, d *tool.Definition, b tool.Binding) (tool.Implementation, error) {
	c, err := read(b)
	if err != nil {
		return nil, err
	}
	if !k.cfg.Allow {
		return nil, fault.Coded(fault.CommandsOff, fault.Data{"tool": d.Name}, "cannot use %s: it runs a program on this machine, which is off", d.Name)
	}
	for _, name := range holes([]pieceKind{argument, list}, c.templates()...) {
		if _, ok := d.Input.Type().Property(name); !ok {
			return nil, fault.New(fault.Invalid, "Its arguments are: "+strings.Join(d.Input.Type().Names(), ", ")+".", "cannot use %s: the command names the argument %s, which the input does not have", d.Name, name)
		}
	}
	if names := holes([]pieceKind{secret}, c.templates()...); len(names) > 0 && k.cfg.Secrets == nil {
		return nil, fault.New(fault.Invalid, "Declare it under secrets.", "cannot use %s: there is no secret %s", d.Name, names[0])
	}
	written := c.program
	if c.program, err = k.resolve(written, b.Dir); err != nil {
		return nil, err
	}
	if info, err := os.Stat(c.dir); err != nil || !info.IsDir() {
		return nil, fault.New(fault.Invalid, "Make the folder, or correct dir.", "cannot use %s: there is no folder %s", d.Name, c.dir)
	}
	if c.dir, err = filepath.Abs(c.dir); err != nil {
		return nil, err
	}
	for _, name := range []string{"PATH", "HOME", "LANG"} {
		if v, ok := k.cfg.Lookup(name); ok && !slices.ContainsFunc(c.env, func(e variable) bool { return e.name == name }) {
			c.env = append(c.env, variable{name, template{{plain, v}}})
		}
	}
	c.env = slices.DeleteFunc(c.env, func(e variable) bool { return e.name == tool.DepthVariable }) // the file has no say
	c.env = append(c.env, variable{tool.DepthVariable, template{{plain, tool.Deeper(k.getenv)}}})
	c.numbers = numbersOf(d.Input.Type())
	c.name, c.secrets, c.bytes = d.Name, k.cfg.Secrets, maxOutput
	if d.Limits.Bytes > 0 {
		c.bytes = min(c.bytes, d.Limits.Bytes)
	}
	canonical, err := jsondoc.Canonical(b.Spec)
	if err != nil {
		return nil, err
	}
	c.identity = fmt.Sprintf("command %s sha256:%x", c.program, sha256.Sum256(canonical))
	return c, nil
}

// resolve finds the program once and for all. The working folder has no say in it.
func (k *Kind) resolve(name, dir string) (string, error) {
	var candidates []string
	if strings.ContainsRune(name, '/') {
		if !filepath.IsAbs(name) {
			name = filepath.Join(dir, name)
		}
		full, err := filepath.Abs(name)
		if err != nil {
			return "", err
		}
		candidates = []string{full}
	} else {
		path, _ := k.cfg.Lookup("PATH")
		for _, folder := range filepath.SplitList(path) {
			if filepath.IsAbs(folder) {
				candidates = append(candidates, filepath.Join(folder, name))
			}
		}
	}
	err := fs.ErrNotExist
	for _, c := range candidates {
		info, e := os.Stat(c)
		switch {
		case e == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0:
			return c, nil
		case e == nil:
			err = errors.New("it is no program")
		case !errors.Is(e, fs.ErrNotExist):
			err = e
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		return "", fault.New(fault.NotFound, "Install it, or write its absolute path.", "cannot find the program %s", name)
	}
	return "", fault.New(fault.Invalid, "Correct argv.", "cannot run the program %s: %w", name, err)
}

func (c *command) Identity() string { return c.identity }

func (c *command) Close() error { return nil }

// Call runs the command.
func (c *command) Call(ctx context.Context, call tool.Invocation) (any, error) {
	argv, err := c.expand(call.Arguments)
	if err != nil {
		return nil, tool.NotReached(err)
	}
	var used []string
	in, err := c.stdin.fill(call.Arguments, c.secrets, &used)
	if err != nil {
		return nil, tool.NotReached(err)
	}
	var env []string
	for _, v := range c.env {
		s, err := v.value.fill(call.Arguments, c.secrets, &used)
		if err != nil {
			return nil, tool.NotReached(err)
		}
		if strings.ContainsRune(s, 0) || len(s) >= maxElement-len(v.name)-1 {
			return nil, tool.NotReached(fault.New(fault.Invalid, "Give a shorter text without zero bytes.", "cannot run the command: the value of %s cannot stand in an environment", v.name))
		}
		env = append(env, v.name+"="+s)
	}
	if c.timeout > 0 {
		late := fault.New(fault.Exhausted, "Ask for less, or raise the command's timeout in the tool's file.", "cannot run the command: it took longer than %s", c.timeout)
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, c.timeout, late)
		defer cancel()
	}
	done, err := run(ctx, process{path: c.program, argv: append([]string{c.program}, argv...), env: env, dir: c.dir, stdin: in, most: c.bytes, secrets: used})
	if err != nil {
		return nil, err
	}
	return c.result(done)
}

// result reads what a command wrote.
func (c *command) result(f finished) (any, error) {
	meaning, known := c.exit[f.code]
	if !known && f.signal == "" && f.code == 0 {
		meaning = "ok"
	}
	switch {
	case f.signal != "":
		return nil, fmt.Errorf("cannot run the command: it was ended by the signal %s%s", f.signal, quoteStderr(f.stderr))
	case meaning == "empty":
		return map[string]any{"text": "", "lines": []any{}, "json": nil}[c.output], nil
	case meaning == "":
		return nil, fmt.Errorf("cannot run the command: it ended with the exit code %d%s", f.code, quoteStderr(f.stderr))
	case meaning != "ok":
		return nil, fmt.Errorf("cannot run the command: %s (exit code %d)%s", meaning, f.code, quoteStderr(f.stderr))
	}
	switch c.output {
	case "json":
		v, err := jsondoc.Decode(f.stdout)
		if err != nil {
			// It is no fault of the caller's.
			return nil, fmt.Errorf("cannot read what the command wrote as JSON: %s", err.Error())
		}
		return v, nil
	case "lines":
		lines := []any{}
		for line := range strings.Lines(strings.ToValidUTF8(string(f.stdout), "\uFFFD")) {
			lines = append(lines, strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r"))
		}
		return lines, nil
	}
	return strings.ToValidUTF8(string(f.stdout), "\uFFFD"), nil
}

// quoteStderr is the end of standard error as a part of a message.
func quoteStderr(stderr string) string {
	if stderr = strings.TrimSpace(strings.ToValidUTF8(stderr, "\uFFFD")); stderr == "" {
		return ""
	}
	return ": " + stderr
}
