package javascript

import (
	"embed"
)

//go:embed kernel.js control.js doors.js streams.js show.js errors.js hints.js rewrite.js edits.js scopes.js seeds.js complete.js answers.js share.js arrow.js figures.js modules.js network.js prompt.js options.txt
var files embed.FS

// kernelFiles are the files of the kernel's program, by name.
func kernelFiles() map[string]string {
	out := map[string]string{}
	for _, name := range []string{"kernel", "control", "doors", "streams", "show", "errors", "hints", "rewrite", "edits", "scopes", "seeds", "complete", "answers", "share", "arrow", "modules", "network"} {
		out[name+".js"] = read(name + ".js")
	}
	return out
}

func read(name string) string {
	data, err := files.ReadFile(name)
	if err != nil {
		panic("cannot read the embedded JavaScript kernel: " + err.Error())
	}
	return string(data)
}
