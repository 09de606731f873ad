package python

import (
	"embed"
	"encoding/json"
	"strings"
)

//go:embed kernel.py cells.py rich.py charts.py commands.py control.py streams.py errors.py hints.py pretty.py show.py pages.py hooks.py seeds.py answers.py compare.py subcalls.py complete.py tools.py praxis.py figures.py rest.py changes.py prompt.py invoke.py refresh.py profile.py skills.py keepskill.py
var files embed.FS

// kernelSource returns the whole kernel as one program: kernel.py with the modules
// that it is made of in the dict PARTS.
func kernelSource() string {
	parts := map[string]string{}
	for _, name := range []string{"control", "streams", "errors", "hints", "pretty", "show", "pages", "hooks", "seeds", "answers", "figures", "compare", "subcalls", "complete", "cells", "rich", "charts", "commands"} {
		parts[name] = read(name + ".py")
	}
	// A JSON object of strings is a Python literal too.
	literal, err := json.Marshal(parts)
	if err != nil {
		panic("cannot assemble the Python kernel: " + err.Error())
	}
	var b strings.Builder
	b.WriteString("PARTS = ")
	b.Write(literal)
	b.WriteString("\n")
	b.WriteString(read("kernel.py"))
	return b.String()
}

func read(name string) string {
	data, err := files.ReadFile(name)
	if err != nil {
		panic("cannot read the embedded Python kernel: " + err.Error())
	}
	return string(data)
}
