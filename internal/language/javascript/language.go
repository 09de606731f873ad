package javascript

import (
	"encoding/json"
	"strings"

	"praxis/internal/language"
	"praxis/internal/lazyregexp"
)

// The names by which records, requests and images call the languages.
const (
	Name           = "javascript"
	TypeScriptName = "typescript"
)

// Version is the one of Node that the kernel is written for.
const Version = "24"

// typed begins code that is TypeScript. The kernel takes it off, so that it moves no line.
const typed = "//praxis:typescript\n"

// reserve is the address space that node keeps without using it: half a gigabyte for code,
// and four gigabytes for each memory of WebAssembly, of which a program may have several.
// When there is less, V8 takes what is left, and ends the process when its heap is to grow.
// What is used is bounded by the heap's size and the memory of the session.
const reserve = 64 << 30

// Language returns JavaScript, as Node runs it.
func Language() language.Language {
	return language.Language{
		Name:       Name,
		Display:    "JavaScript",
		Version:    Version,
		Extensions: []string{".js", ".mjs", ".cjs"},
		Fences:     []string{Name, "js", "node", "nodejs", "mjs", "cjs", "ecmascript"},
		MIME:       "text/javascript",
		Notebook:   language.Notebook{Kernel: "javascript", Display: "JavaScript (Node.js)"},
		Highlight:  highlighter(words()),
		Incomplete: incomplete,
		Kernel: language.Kernel{
			Arguments:   options(),
			Program:     "kernel.js",
			Files:       kernelFiles(),
			Environment: map[string]string{"NODE_REPL_HISTORY": "", "NODE_NO_WARNINGS": "1", "NO_UPDATE_NOTIFIER": "1"},
			// What is compiled runs on one thread at a time, so that its work is in one order.
			Deterministic:      map[string]string{"UV_THREADPOOL_SIZE": "1"},
			Preload:            []string{"praxis:typescript"},
			InterruptException: "Interrupted",
			Crash:              language.Crash{Memory: "JavaScript heap out of memory"},
			Reserve:            reserve,
			Framed:             true,
		},
		Model: language.Model{
			Hello:       "console.log(1 + 1)",
			Beside:      "It has variables of its own; values travel by praxis.share(\"name\", value) and praxis.shared(\"name\") in both, in Python after \"import praxis\"; the files in /work are the same.",
			Library:     "Node's own modules",
			Placeholder: "Between the braces stands a JavaScript expression, with a format after a colon as in Python's format strings, such as {{ total:,.2f }}.",
			Flow: &language.Flow{
				Shows: []string{"console.log", "console.info", "console.table", "process.stdout.write", "answer", "display", "print"},
				Passes: []string{
					"Math.max", "Math.min", "Array", "Array.of", "Array.from", "Object.assign", "Object.fromEntries", "Set", "Map", "JSON.stringify", ".concat", ".join",
				},
				Forms: []string{
					"Math.abs", "Math.round", "Math.floor", "Math.ceil", "Math.trunc", "Number", "String", "BigInt", "parseInt", "parseFloat", "JSON.parse", "Object.freeze",
					"Object.entries", "Object.values", "Object.keys", "structuredClone", ".entries", ".values", ".keys", ".flat", ".sort", ".reverse",
					".toFixed", ".toPrecision", ".toString", ".toLocaleString",
				},
				Stores: []string{".push", ".unshift", ".add", ".set", ".write"},
			},
			Fill:      fill,
			Filled:    filled,
			Answer:    "answer(value)",
			Rest:      "await globalThis[Symbol.for('praxis.kernel')].rest()",
			Missing:   "ModuleNotFound",
			Undefined: "ReferenceError",
			Invoke:    invoke,
			Exit:      "ProcessExit",
			Package:   packageOf,
		},
		Prompt: language.Prompt{
			Indent:  indent,
			Inspect: func(expression string) string { return atPrompt("inspect", expression) },
			Shell:   func(command string) string { return atPrompt("shell", command) },
			Time:    func(code string) string { return atPrompt("time", code) },
		},
	}
}

// TypeScript returns TypeScript, which the kernels of JavaScript run once its types are
// taken out.
func TypeScript() language.Language {
	model := Language().Model
	model.Beside = "" // JavaScript says it
	return language.Language{
		Name:       TypeScriptName,
		Display:    "TypeScript",
		Version:    "5",
		Extensions: []string{".ts", ".mts", ".cts"},
		Fences:     []string{TypeScriptName, "ts", "mts", "cts"},
		MIME:       "application/typescript",
		Notebook:   language.Notebook{Kernel: "typescript", Display: "TypeScript (Node.js)"},
		Highlight: highlighter(words("abstract", "any", "as", "asserts", "bigint", "boolean", "declare", "enum", "implements", "infer", "interface", "is",
			"keyof", "module", "namespace", "never", "number", "object", "override", "private", "protected", "public", "readonly", "satisfies",
			"string", "symbol", "type", "unique", "unknown")),
		Incomplete: incomplete,
		Host:       Name,
		Translate:  func(code string) string { return typed + code },
		Model:      model,
	}
}

// options are node's, one a line of a file. The guard pages of WebAssembly's memories are
// left out: each would keep ten gigabytes of address space.
func options() []string {
	return strings.Fields(strings.ReplaceAll(read("options.txt"), "$HEAP", language.HeapSize))
}

// fill returns code whose value is a JSON list with the text of each placeholder,
// whether it was computed, and what of it was typed.
func fill(placeholders []string) string {
	return strings.Replace(read("figures.js"), "PLACEHOLDERS", literal(placeholders), 1)
}

// filled is what fill's code shows, which is JSON itself.
func filled(shown string) (list string, ok bool) {
	shown = strings.TrimSpace(shown)
	return shown, strings.HasPrefix(shown, "[") && strings.HasSuffix(shown, "]")
}

// invoke returns code that sets up process.argv and the standard input.
func invoke(args []string, stdin string) string {
	if args == nil {
		args = []string{}
	}
	return "globalThis[Symbol.for('praxis.kernel')].invoke(" + literal(args) + ", " + literal(stdin) + ")"
}

// atPrompt returns code that does one thing of prompt.js.
func atPrompt(what, text string) string {
	return "await " + strings.TrimSpace(read("prompt.js")) + "(" + literal(what) + ", " + literal(text) + ")"
}

// literal writes a value as JavaScript. JSON is a part of it.
func literal(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic("cannot write a literal: " + err.Error()) // of texts and lists of them: it cannot happen
	}
	return string(data)
}

// absent finds the module in what node says when one is missing.
var absent = lazyregexp.New(`^Cannot find (?:module|package) '((?:@[a-z0-9][a-z0-9._-]{0,63}/)?[a-z0-9][a-z0-9._-]{0,63})(?:/[^']*)?'`)

// packageOf returns the module that an error misses, and the package that has it. What is
// missing of the program's own files is in no package.
func packageOf(exception, text string) (module, pack string) {
	if exception != "ModuleNotFound" {
		return "", ""
	}
	if m := absent.FindStringSubmatch(text); m != nil {
		return m[1], m[1]
	}
	return "", ""
}
