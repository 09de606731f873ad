// Package repo is what the agent has for the files of a project: functions that search, read,
// change and run them in the session, what a model reads of them, which files are tests, and
// what a run of tests says.
//
// The functions are written once, in Python, and live in the session (praxis_project.py): code
// calls them by their names, and a native call of the model is written as code that calls
// them ([Code]). So each is an execution like any other: recorded, repeated by a replay, and
// undone with the state before it.
//
// Tests run in a session of their own, which no code of the model has touched, over the files
// as they would be after its change.
package repo

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"praxis/internal/llm"
)

// Where what belongs to a project lies in a session, outside of its folder.
const (
	folder     = "/home/user/.project/"
	FilesName  = "project.tar" // the files, as they were given
	FilesPath  = folder + FilesName
	ToolsName  = "praxis_project.py" // the functions
	ToolsPath  = folder + ToolsName
	PackedPath = folder + "packed.tar" // the files, as they are
	Language   = "python"              // that the functions are in
)

// Repair is the request where a person makes none.
const Repair = "Repair the project, so that its tests pass."

//go:embed praxis_project.py
var tools string

// Tools is the module of the functions.
func Tools() string { return tools }

// Begin is code that unpacks the project and makes the functions known. It leaves no name, and
// can be run again.
func Begin() string { return load("begin()") }

// Pack is code that packs the files as they are. It does not rely on what code of the model
// may have done to the functions.
func Pack() string { return load("pack()") }

func load(call string) string {
	return `def praxis_project():
    import importlib.util, sys
    spec = importlib.util.spec_from_file_location("praxis_project", "` + ToolsPath + `")
    sys.modules["praxis_project"] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.` + call + `
praxis_project()
del praxis_project
`
}

// Undo is code that puts files back as they were given.
func Undo(paths []string) string {
	var list []string
	for _, p := range paths {
		list = append(list, literal(p))
	}
	return load("undo([" + strings.Join(list, ", ") + "])")
}

// Test is code that runs the tests.
func Test(command string) string {
	return `__import__("praxis_project").test(` + literal(command) + ")"
}

// parameter is one of a function, in the order in which code gives them.
type parameter struct {
	name, what string
	number     bool
	optional   bool
}

// function is one that models call, natively or by code.
type function struct {
	name, what string
	parameters []parameter
}

// functions lists them.
func functions() []function {
	path := parameter{name: "path", what: "of the file, below the folder of the project"}
	return []function{
		{"read", "Gives the lines of a file with their numbers.", []parameter{path,
			{name: "from", what: "the first line, counted from 1", number: true, optional: true}, {name: "to", what: "the last line", number: true, optional: true}}},
		{"search", "Finds the lines of the project that match a regular expression.", []parameter{{name: "pattern", what: "the regular expression"}, {name: "glob", what: `which files, such as "*.py"`, optional: true}}},
		{"edit", "Replaces a text that stands in a file exactly once.", []parameter{path, {name: "old", what: "the text, exactly as it stands there, without the numbers of lines"}, {name: "new", what: "what takes its place"}}},
		{"write", "Writes a whole file, a new one too.", []parameter{path, {name: "text", what: "what it holds"}}},
		{"shell", "Runs a command line in the folder of the project and gives what it prints.", []parameter{{name: "command", what: "the command line, for /bin/sh"}}},
	}
}

// Functions are the native tools of a run over a project.
func Functions() []llm.Tool {
	var out []llm.Tool
	for _, f := range functions() {
		properties, required := map[string]any{}, []string{}
		for _, p := range f.parameters {
			kind := "string"
			if p.number {
				kind = "integer"
			}
			properties[p.name] = map[string]any{"type": kind, "description": p.what}
			if !p.optional {
				required = append(required, p.name)
			}
		}
		out = append(out, llm.Tool{Name: f.name, Description: f.what, Schema: map[string]any{"type": "object", "properties": properties, "required": required, "additionalProperties": false}})
	}
	return out
}

// Signatures lists the functions as code calls them.
func Signatures() string {
	var b strings.Builder
	for _, f := range functions() {
		var list []string
		for _, p := range f.parameters {
			name := p.name
			if p.optional {
				name = "[" + name + "]"
			}
			list = append(list, name)
		}
		fmt.Fprintf(&b, "- %s(%s): %s\n", f.name, strings.Join(list, ", "), f.what)
	}
	return b.String()
}

// Code is a native call written as code; is says whether it is one of a function. A call
// whose arguments do not fit is code that says so.
func Code(name string, input map[string]any) (code string, is bool) {
	for _, f := range functions() {
		if f.name != name {
			continue
		}
		var args []string
		for i, p := range f.parameters {
			v, given := input[p.name]
			text, err := argument(v, p.number)
			switch {
			case !given && p.optional:
				for _, later := range f.parameters[i:] {
					if v, given := input[later.name]; given { // only numbers stand behind one that may be left out
						if text, err = argument(v, later.number); err == nil {
							args = append(args, "last="+text)
						}
					}
				}
				return call(name, args), true
			case !given:
				return raise(fmt.Sprintf("%s lacks the argument %s", name, p.name)), true
			case err != nil:
				return raise(fmt.Sprintf("the argument %s of %s %v", p.name, name, err)), true
			}
			args = append(args, text)
		}
		return call(name, args), true
	}
	return "", false
}

func call(name string, args []string) string {
	return "print(" + name + "(" + strings.Join(args, ", ") + "))"
}

func raise(text string) string { return "raise TypeError(" + literal(text) + ")" }

// argument writes a value as Python does.
func argument(v any, number bool) (string, error) {
	switch v := v.(type) {
	case string:
		if !number {
			return literal(v), nil
		}
		if n, err := strconv.Atoi(strings.TrimSpace(v)); err == nil {
			return strconv.Itoa(n), nil
		}
	case float64:
		if number && v == float64(int64(v)) {
			return strconv.FormatInt(int64(v), 10), nil
		}
	case json.Number:
		if n, err := v.Int64(); number && err == nil {
			return strconv.FormatInt(n, 10), nil
		}
	case int:
		if number {
			return strconv.Itoa(v), nil
		}
	}
	if number {
		return "", fmt.Errorf("is no whole number")
	}
	return "", fmt.Errorf("is no text")
}

// literal writes a text as a string of Python. Of several lines it is one that a person can
// read, where nothing in it needs to be escaped.
func literal(s string) string {
	if strings.Contains(s, "\n") && !strings.ContainsAny(s, "\\\r\x00") && !strings.Contains(s, `'''`) && !strings.HasSuffix(s, "'") && printable(s) {
		return "'''" + s + "'''"
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range strings.ToValidUTF8(s, "\uFFFD") {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r == '\u2028' || r == '\u2029':
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

func printable(s string) bool {
	return !strings.ContainsFunc(strings.ToValidUTF8(s, "\x00"), func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' || r == 0x7f })
}
