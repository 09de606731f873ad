package bash

import (
	"embed"
	"encoding/json"
	"strings"

	"praxis/internal/language"
	"praxis/internal/language/frames"
)

// Name is what records, requests and images call bash.
const Name = "bash"

// Version is the one that the kernel is written for.
const Version = "5.2"

//go:embed kernel.py prelude.sh loop.sh
var files embed.FS

// Language returns bash.
func Language() language.Language {
	return language.Language{
		Name:       Name,
		Display:    "Bash",
		Version:    Version,
		Extensions: []string{".sh", ".bash"},
		Fences:     []string{Name, "sh", "shell"},
		MIME:       "text/x-sh",
		Notebook:   language.Notebook{Kernel: "bash", Display: "Bash"},
		Highlight:  highlight,
		Incomplete: incomplete,
		Kernel: language.Kernel{
			Arguments:          []string{"-I", "-S", "-u", "-X", "utf8"},
			Program:            "kernel.py",
			Files:              map[string]string{"kernel.py": kernelSource()},
			MemoryException:    "MemoryError",
			InterruptException: "Interrupt",
		},
		Model: language.Model{
			Hello:   "echo hello",
			Library: "the usual commands",
			Invoke:  invoke,
			Exit:    "ExitStatus",
		},
		Prompt: language.Prompt{
			Indent:  indent,
			Inspect: func(expression string) string { return "builtin type -- " + quote(strings.TrimSpace(expression)) },
			Shell:   func(command string) string { return command },
			Time:    func(code string) string { return "time {\n" + code + "\n}" },
		},
	}
}

// kernelSource returns the whole kernel as one program.
func kernelSource() string {
	var b strings.Builder
	b.WriteString(frames.Source())
	for _, part := range [][2]string{{"PRELUDE", "prelude.sh"}, {"LOOP", "loop.sh"}} {
		// A JSON string in ASCII is a Python literal, too.
		literal, err := json.Marshal(read(part[1]))
		if err != nil {
			panic("cannot assemble the kernel of bash: " + err.Error())
		}
		b.WriteString("\n" + part[0] + " = " + string(literal) + "\n")
	}
	b.WriteString(read("kernel.py"))
	return b.String()
}

func read(name string) string {
	data, err := files.ReadFile(name)
	if err != nil {
		panic("cannot read the embedded kernel of bash: " + err.Error())
	}
	return string(data)
}

// invoke returns code that gives the script which follows its name, its arguments and its
// standard input.
func invoke(args []string, stdin string) string {
	var b strings.Builder
	b.WriteString("__praxis_invoke " + quote(stdin))
	if len(args) == 0 {
		args = []string{Name}
	}
	for _, a := range args {
		b.WriteString(" " + quote(a))
	}
	return b.String()
}

// quote writes a text as one word of the shell.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
