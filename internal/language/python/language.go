package python

import (
	"fmt"
	"strconv"
	"strings"

	"praxis/internal/language"
)

// Name is what records, requests and images call Python.
const Name = "python"

// Version is the one that the kernel, the prompts and the plan language are written for.
const Version = "3.14"

// toolsFolder is the folder of the module "tools", below the kernel's.
const toolsFolder = "lib"

// Language returns Python.
func Language() language.Language {
	return language.Language{
		Name:       Name,
		Display:    "Python",
		Version:    Version,
		Extensions: []string{".py"},
		Fences:     []string{Name, "py", "ipython"},
		MIME:       "text/x-python",
		Notebook:   language.Notebook{Kernel: "python3", Display: "Python 3"},
		Highlight:  highlight,
		Incomplete: incomplete,
		Packages:   scriptPackages,
		Cell:       cellCode,
		Refresh:    func(folder string) string { return read("refresh.py") + "__refresh__(" + quote(folder) + ")\n" },
		Kernel: language.Kernel{
			Arguments: []string{"-u", "-X", "utf8"},
			Program:   "kernel.py",
			Files: map[string]string{
				"kernel.py": kernelSource(), toolsFolder + "/tools.py": read("tools.py"), toolsFolder + "/praxis.py": read("praxis.py"), "skills/skills.py": read("skills.py"),
			},
			Environment: map[string]string{
				// What the image holds is compiled, and caches among the user's files
				// would only be noise.
				"PYTHONDONTWRITEBYTECODE": "1",
			},
			Deterministic: map[string]string{
				"PYTHONHASHSEED": "0", "NUMEXPR_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1",
			},
			SearchVariable: "PYTHONPATH",
			SearchFolder:   toolsFolder,
			// Nearly every session needs these.
			Preload:            []string{"traceback", "json", "csv", "datetime"},
			MemoryException:    "MemoryError",
			InterruptException: "KeyboardInterrupt",
			Crash: language.Crash{
				Begins: "Fatal Python error: ",
				Hidden: []string{`  File "` + language.ProgramPath + `", `, `  File "<praxis `, "Extension modules: "},
			},
		},
		Model: language.Model{
			Hello:       "print(1 + 1)",
			Beside:      "It has variables of its own; values travel by praxis.share(\"name\", value) and praxis.shared(\"name\") in both, in Python after \"import praxis\"; the files in /work are the same.",
			Library:     "the standard library",
			Placeholder: "Between the braces stands a Python expression, with a format after a colon as in an f-string.",
			Fill:        fill,
			Filled:      filled,
			Profile:     profile,
			Check:       checkCode,
			Answer:      "answer(value)",
			Flow:        flow(),
			Rest:        read("rest.py"),
			Missing:     "ModuleNotFoundError",
			Undefined:   "NameError",
			Last:        "_",
			Changes:     read("changes.py"),
			Brief:       brief,
			CrashLine:   crashLine,
			Looks:       looks,
			Invoke:      invoke,
			Load:        load,
			Subcalls:    true,
			Exit:        "SystemExit",
			Package:     packageOf,
		},
		Prompt: language.Prompt{
			Indent:  indent,
			Inspect: func(expression string) string { return atPrompt("inspect", expression) },
			Shell:   func(command string) string { return atPrompt("shell", command) },
			Time:    func(code string) string { return atPrompt("time", code) },
		},
	}
}

// fill returns code that the kernel knows by how it begins (figures.py). Its value is a JSON
// list with the text of each placeholder, whether it was computed, what of it was typed, and
// the operands of one that reads no data.
func fill(placeholders []string) string {
	var b strings.Builder
	b.WriteString("# the figures of the answer\n__figures__(\n")
	for _, p := range placeholders {
		b.WriteString("    " + quote(p) + ",\n")
	}
	b.WriteString(")")
	return b.String()
}

// profile returns code that looks at files and displays what they are.
func profile(paths []string) string {
	quoted := make([]string, len(paths))
	for i, p := range paths {
		quoted[i] = quote(p)
	}
	return read("profile.py") + "__profile__([" + strings.Join(quoted, ", ") + "])\n"
}

// checkCode returns code that the kernel knows as a check by how it begins: it does not run
// among the program's names.
func checkCode(name, code string, expression bool, names []byte) string {
	return fmt.Sprintf("#praxis:check {\"name\": %s, \"expression\": %t, \"names\": %s}\n%s", strconv.Quote(strings.ToValidUTF8(name, "\uFFFD")), expression, names, code)
}

// invoke returns code that sets up sys.argv and the standard input.
func invoke(args []string, stdin string) string {
	quoted := make([]string, len(args))
	for i, a := range args {
		quoted[i] = quote(a)
	}
	return read("invoke.py") + "__invoke__([" + strings.Join(quoted, ", ") + "], " + quote(stdin) + ")\ndel __invoke__\n"
}

// load returns code that makes variables of files.
func load(given []language.Given) string {
	list := make([]string, len(given))
	for i, g := range given {
		list[i] = "(" + quote(g.Name) + ", " + quote(g.Path) + ", " + quote(g.Form) + ")"
	}
	return `__import__("sys").modules["_praxis"].load_values([` + strings.Join(list, ", ") + "])"
}

// atPrompt returns code that does one thing of prompt.py.
func atPrompt(what, text string) string {
	return read("prompt.py") + "__prompt__(" + quote(what) + ", " + quote(text) + ")"
}

// quote writes a text as a Python literal. Go's escapes mean the same there.
func quote(s string) string {
	q := strconv.Quote(strings.ToValidUTF8(s, "\uFFFD"))
	if strings.Contains(s, `"`) && !strings.ContainsAny(s, `'\`) && q == `"`+strings.ReplaceAll(s, `"`, `\"`)+`"` {
		return "'" + s + "'"
	}
	return q
}

// filled takes the quotes of repr off the value of fill's code. JSON in ASCII
// holds no control character, so that repr escapes two characters only.
func filled(shown string) (list string, ok bool) {
	shown = strings.TrimSpace(shown)
	if len(shown) < 2 || shown[0] != '\'' && shown[0] != '"' || shown[len(shown)-1] != shown[0] {
		return "", false
	}
	var b strings.Builder
	escaped := false
	for _, r := range shown[1 : len(shown)-1] {
		if r == '\\' && !escaped {
			escaped = true
			continue
		}
		escaped = false
		b.WriteRune(r)
	}
	return b.String(), true
}
