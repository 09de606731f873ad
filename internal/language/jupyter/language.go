// Package jupyter makes languages of the kernels of Jupyter's that images bring (R, Julia,
// Java, …), which the program need not know: [Language] is the line of a table that makes
// them.
//
// kernel.py, a program in Python, stands between the agent and such a kernel. It speaks the
// contract of the package comment of guest/agent on one side and, through the maintained
// client library (jupyter_client, a package of the image), the Jupyter messaging protocol on
// the other, over sockets in a folder of its own. What the kernel writes to its own streams,
// and what it sends as messages, come out in order. It is asked for nothing on standard
// input: a question is answered by the end of the input. A kernel that ends is started again,
// and the result says that its state is lost.
package jupyter

import (
	_ "embed"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"praxis/internal/language"
	"praxis/internal/language/frames"
)

//go:embed kernel.py
var kernel string

// Name is the name of the line in a table. No code is in a language of that name.
const Name = "jupyter"

// Language returns what makes a language of a runtime with a kernelspec.
func Language() language.Language {
	return language.Language{
		Name: Name, Display: "Jupyter", Make: of, Endings: endings(),
		Kernel: language.Kernel{
			// The variables by which an image configures its own interpreter are not for this one.
			Arguments:          []string{"-E", "-u", "-X", "utf8"},
			Program:            "kernel.py",
			Files:              map[string]string{"kernel.py": frames.Source() + "\n" + kernel},
			MemoryException:    "MemoryError",
			InterruptException: "KeyboardInterrupt",
		},
	}
}

// known is what a kernelspec does not say about some languages.
var known = map[string]struct {
	extensions []string
	comment    string
	hello      string
}{
	"r":              {[]string{".r"}, "#", `cat("hello\n")`},
	"julia":          {[]string{".jl"}, "#", `println("hello")`},
	"java":           {[]string{".java"}, "//", `System.out.println("hello");`},
	"kotlin":         {[]string{".kts", ".kt"}, "//", `println("hello")`},
	"scala":          {[]string{".scala"}, "//", `println("hello")`},
	"go":             {[]string{".go"}, "//", `fmt.Println("hello")`},
	"rust":           {[]string{".rs"}, "//", `println!("hello");`},
	"cpp":            {[]string{".cpp"}, "//", `std::cout << "hello\n";`},
	"ruby":           {[]string{".rb"}, "#", `puts "hello"`},
	"octave":         {[]string{".m"}, "%", `disp("hello")`},
	"haskell":        {[]string{".hs"}, "--", `putStrLn "hello"`},
	"lua":            {[]string{".lua"}, "--", `print("hello")`},
	"csharp":         {[]string{".cs"}, "//", `Console.WriteLine("hello");`},
	"jupyterpython3": {nil, "#", `print("hello")`},
	"javascript":     {[]string{".js"}, "//", `console.log("hello")`},
	"sas":            {[]string{".sas"}, "", ""},
}

// generators is code for the generators of random numbers of some languages: seed makes
// them begin from {seed}, a number of 31 bits, and mix changes them by it.
var generators = map[string]struct{ seed, mix string }{
	"r":              {"set.seed({seed})", "set.seed(bitwXor(sample.int(.Machine$integer.max, 1L), {seed}L))"},
	"julia":          {"import Random; Random.seed!({seed})", "import Random; Random.seed!(xor(rand(UInt32), {seed}))"},
	"octave":         {`rand("twister", {seed}); randn("twister", {seed})`, `rand("twister", bitxor(randi(2^31-1), {seed})); randn("twister", bitxor(randi(2^31-1), {seed}))`},
	"jupyterpython3": {"__import__('random').seed({seed})", "__import__('random').seed({seed} ^ __import__('random').getrandbits(64))"},
}

// endings are the languages of files.
func endings() map[string]string {
	out := map[string]string{}
	for name, k := range known {
		for _, e := range k.extensions {
			out[e] = name
		}
	}
	return out
}

// of makes the language of a runtime. That of a standard, such as C++17 or C++20, is called
// by the language's name, too.
func of(r language.Runtime) language.Language {
	l := Language()
	name := r.Language
	k, ok := known[name]
	if !ok {
		name = strings.TrimRight(name, "0123456789")
		k = known[name]
	}
	l.Make, l.Endings = nil, nil
	l.Name, l.Display, l.Version = r.Language, r.Spec.Display, r.Version
	l.Extensions, l.Fences = k.extensions, slices.Compact([]string{r.Language, name})
	l.Notebook = language.Notebook{Kernel: r.Spec.Name, Display: r.Spec.Display}
	l.Model = language.Model{Hello: k.hello, Library: "what its own installation brings"}
	if k.comment != "" {
		l.Highlight = func(source string) []language.Span { return highlight(source, k.comment) }
	}
	g := generators[r.Language]
	spec, err := json.Marshal(struct {
		language.Spec
		Seed string `json:"seed,omitempty"`
		Mix  string `json:"mix,omitempty"`
	}{r.Spec, g.seed, g.mix})
	if err != nil {
		panic("cannot write a kernelspec: " + err.Error()) // it has texts only
	}
	l.Kernel.Files = maps.Clone(l.Kernel.Files)
	l.Kernel.Files["spec.json"] = string(spec)
	return l
}

// highlight knows strings, numbers and comments to the end of the line, which nearly all
// languages have in common.
func highlight(source, comment string) []language.Span {
	var out []language.Span
	emit := func(class language.Class, text string) {
		if last := len(out) - 1; last >= 0 && out[last].Class == class {
			out[last].Text += text
			return
		}
		out = append(out, language.Span{Class: class, Text: text})
	}
	for rest := source; rest != ""; {
		n, class := 1, language.Plain
		switch c := rest[0]; {
		case strings.HasPrefix(rest, comment):
			if n = strings.IndexByte(rest, '\n'); n < 0 {
				n = len(rest)
			}
			class = language.Comment
		case c == '"':
			class = language.Text
			for n < len(rest) && rest[n] != '"' && rest[n] != '\n' {
				if rest[n] == '\\' {
					n++
				}
				n++
			}
			n = min(n+1, len(rest))
		case word(c):
			for n < len(rest) && (word(rest[n]) || rest[n] == '.') {
				n++
			}
			if c >= '0' && c <= '9' {
				class = language.Number
			}
		}
		emit(class, rest[:n])
		rest = rest[n:]
	}
	return out
}

func word(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}
