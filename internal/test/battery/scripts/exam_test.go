package scripts

import (
	"testing"

	"praxis/internal/language/javascript"
	"praxis/internal/test/kerneltest"
)

// The random things of a language: what differs from session to session.
const random = `const c = require("crypto")
console.log(Math.random(), Date.now(), performance.now(), process.hrtime(), process.hrtime.bigint(), c.randomBytes(8).toString("hex"), c.randomUUID(), crypto.getRandomValues(new Uint8Array(4)), c.randomInt(1e9))`

func TestJavaScriptKernel(t *testing.T) {
	kerneltest.Exam(t, kerneltest.Language{
		Name: javascript.Name, New: fresh(manager(t)),
		Set: "let n = 41", Get: "n + 1",
		Greet:   `console.log("grüß dich 你好 🙂"); console.error("psst")`,
		Lines:   "for (let i = 1; i <= 2000; i++) console.log(i)",
		Shown:   "42 * 42",
		Display: `display({"text/html": "<b>bold</b>", "text/plain": "bold"})`, DisplayAs: "text/html",
		Fail: "const m = 1\nconst o = {}\no.missing.key", FailName: "TypeError", FailHas: "Cannot read properties of undefined", FailTrace: ">:3:",
		Syntax:  "let = function (",
		Endless: "while (true) {}",
		Sleep:   "await new Promise(r => setTimeout(r, 3600_000))",
		Grow:    "const parts = []; while (true) parts.push(new Array(1 << 16).fill(1.5))",
		Big:     `process.stdout.write("x".repeat(10_000_000))`,
		Orphan:  `require("child_process").spawn("sh", ["-c", "sleep 2; echo 1 > /work/orphan"], {detached: true, stdio: "ignore"}).unref()`,
		Quit:    "process.exit(3)",
		Random:  random,
		Prefix:  "JSON.str", Completion: "stringify",
	})
}

func TestTypeScriptKernel(t *testing.T) {
	kerneltest.Exam(t, kerneltest.Language{
		Name: javascript.TypeScriptName, New: fresh(manager(t)),
		Set: "let n: number = 41", Get: "n + 1",
		Greet:   `const s: string = "grüß dich 你好 🙂"; console.log(s); console.error("psst" as string)`,
		Lines:   "for (let i: number = 1; i <= 2000; i++) console.log(i)",
		Shown:   "enum E { A = 42 }\nE.A * E.A",
		Display: `interface B { [mime: string]: string }` + "\n" + `display({"text/html": "<b>bold</b>"} satisfies B)`, DisplayAs: "text/html",
		Fail:     "namespace N { export const one = 1 }\nfunction f<T>(o: T): unknown {\n  return (o as any).missing.key\n}\nf({})",
		FailName: "TypeError", FailHas: "Cannot read properties of undefined", FailTrace: ">:3:",
		Syntax:  "let n: = 1",
		Endless: "while (true as boolean) {}",
		Sleep:   "await new Promise<void>(r => setTimeout(r, 3600_000))",
		Grow:    "const parts: Buffer[] = []; while (true) parts.push(Buffer.alloc(1 << 24, 1))",
		Big:     `process.stdout.write("x".repeat(10_000_000) as string)`,
		Orphan:  `const left = require("child_process").spawn("sh", ["-c", "sleep 2; echo 1 > /work/orphan"], {detached: true, stdio: "ignore"} as object).unref()`,
		Quit:    "process.exit(3 as number)",
		Random:  random,
		Lacks: map[string]string{
			"Prefix": "completions are asked of the context's own language",
		},
	})
}
