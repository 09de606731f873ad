package praxis_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"praxis"
	"praxis/event"
	"praxis/fault"
)

// The whole of it: open, compute, close.
func Example() {
	ctx := context.Background()
	client, err := praxis.Open(options())
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	session, err := client.NewSession(ctx, praxis.SessionOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	result, err := session.Execute("sum(range(1_000_001))").Result(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Status, result.Result["text"])
	// Output: ok 500000500000
}

// A fault has a code and data that a program can branch on.
func ExampleOpen() {
	client, err := praxis.Open(praxis.Options{Home: home, Environ: []string{}})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	_, err = client.Ask(praxis.Question{Text: "Why?", Model: "anthropic:claude"}).Result(context.Background())
	if fault.CodeOf(err) == fault.ModelKeyMissing {
		fmt.Println(fault.DataOf(err)["key_variable"], "is not set")
	}
	// Output: ANTHROPIC_API_KEY is not set
}

// Output is yielded as it comes. What the code did is data in the result, also
// when it raised an exception.
func ExampleSession_Execute() {
	session, end := open()
	defer end()
	call := session.Execute("for n in range(3):\n    print(n)\n1 / 0")
	for e := range call.Events(context.Background()) {
		if out, ok := e.(event.Output); ok {
			fmt.Print(string(out.Data))
		}
	}
	result, err := call.Result(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Status, result.Error.Name)
	// Output:
	// 0
	// 1
	// 2
	// error ZeroDivisionError
}

// Files go into a session and come out of it as streams.
func ExampleSession_WriteFile() {
	ctx := context.Background()
	session, end := open()
	defer end()
	if err := session.WriteFile(ctx, "in.csv", strings.NewReader("a,b\n1,2\n3,4\n")); err != nil {
		log.Fatal(err)
	}
	const code = `
import csv
rows = list(csv.DictReader(open("in.csv")))
open("out.txt", "w").write(str(sum(int(r["b"]) for r in rows)))`
	if _, err := session.Execute(code).Result(ctx); err != nil {
		log.Fatal(err)
	}
	files, err := session.Files(ctx)
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range files {
		fmt.Println(f.Path, f.Bytes)
	}
	var out bytes.Buffer
	if err := session.ReadFile(ctx, "out.txt", &out); err != nil {
		log.Fatal(err)
	}
	fmt.Println(out.String())
	// Output:
	// /work/in.csv 12
	// /work/out.txt 1
	// 6
}

// A named session goes on where it was saved.
func ExampleSession_Save() {
	ctx := context.Background()
	client, err := praxis.Open(options())
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	for _, code := range []string{"n = 41", "n += 1; print(n)"} {
		session, err := client.NewSession(ctx, praxis.SessionOptions{Name: "count"})
		if err != nil {
			log.Fatal(err)
		}
		result, err := session.Execute(code).Result(ctx)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Print(result.Stdout)
		if _, err := session.Save(ctx, code); err != nil {
			log.Fatal(err)
		}
		if err := session.Close(); err != nil {
			log.Fatal(err)
		}
	}
	// Output: 42
}

// Code that takes too long is interrupted, and the session goes on.
func ExampleSession_Interrupt() {
	ctx := context.Background()
	session, end := open()
	defer end()
	call := session.Execute("print('begun')\nwhile True: pass")
	for e := range call.Events(ctx) {
		if _, begun := e.(event.Output); begun {
			if err := session.Interrupt(ctx); err != nil {
				log.Fatal(err)
			}
		}
	}
	result, err := call.Result(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Status)
	// Output: interrupted
}

// A snapshot contains variables and files; a session can go back to it.
func ExampleSession_Snapshot() {
	ctx := context.Background()
	session, end := open()
	defer end()
	run := func(code string) string {
		result, err := session.Execute(code).Result(ctx)
		if err != nil {
			log.Fatal(err)
		}
		return result.Result["text"]
	}
	run("x = 1")
	before, err := session.Snapshot(ctx)
	if err != nil {
		log.Fatal(err)
	}
	run("x = 2")
	if err := session.Rollback(ctx, before); err != nil {
		log.Fatal(err)
	}
	fmt.Println(run("x"))
	// Output: 1
}

// A fork goes its own way from where the session stands.
func ExampleSession_Fork() {
	ctx := context.Background()
	session, end := open()
	defer end()
	if _, err := session.Execute("x = 20").Result(ctx); err != nil {
		log.Fatal(err)
	}
	for _, add := range []string{"x + 1", "x + 22"} {
		fork, err := session.Fork(ctx)
		if err != nil {
			log.Fatal(err)
		}
		result, err := fork.Execute(add).Result(ctx)
		if err := errors.Join(err, fork.Close()); err != nil {
			log.Fatal(err)
		}
		fmt.Println(result.Result["text"])
	}
	// Output:
	// 21
	// 42
}

// A program reads its standard input, has arguments, and ends itself with an exit code.
func ExampleClient_RunCode() {
	client, err := praxis.Open(options())
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	const program = "import sys\nprint(sum(map(int, sys.stdin)) * int(sys.argv[1]))\nsys.exit(3)\n"
	call := client.RunCode(praxis.Code{Text: program, Args: []string{"2"}, Stdin: strings.NewReader("1\n2\n18\n")})
	out, err := call.Result(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(out.Execution.Stdout)
	if out.Exit != nil {
		fmt.Println("exit", *out.Exit)
	}
	// Output:
	// 42
	// exit 3
}

// A model answers by code. Here its replies come from a file; "anthropic:NAME"
// and "openai:NAME" call a service.
func ExampleClient_Ask() {
	script := filepath.Join(home, "replies.txt")
	const replies = "=== reply\nI add them up.\n```python\ntotal = sum([1, 2, 39])\nprint(total)\n```\n=== reply\nFINAL ANSWER: The sum is {{ total }}.\n"
	if err := os.WriteFile(script, []byte(replies), 0o600); err != nil {
		log.Fatal(err)
	}
	client, err := praxis.Open(options())
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	answer, err := client.Ask(praxis.Question{Text: "What is 1 + 2 + 39?", Model: "scripted:" + script}).Result(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer.Text)
	for _, f := range answer.Figures {
		fmt.Println(f.Expression, "=", f.Text)
	}
	// Output:
	// The sum is 42.
	// total = 42
}

// A question whose budget was too small goes on with more: what is recorded is not asked
// for again. Checks decide whether the answer is right.
func ExampleClient_Resume() {
	ctx := context.Background()
	client, err := praxis.Open(options())
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	script := filepath.Join(home, "resume.script")
	replies := "=== reply\n```python\nn = 6 * 7\nprint(n)\n```\n=== tokens 5000 100\n=== reply\nFINAL ANSWER: It is {{ n }}.\n"
	if err := os.WriteFile(script, []byte(replies), 0o600); err != nil {
		log.Fatal(err)
	}
	first, err := client.Ask(praxis.Question{
		Text: "What is six times seven?", Model: "scripted:" + script, Effort: "low", Budget: event.Budget{Run: 2000},
		Checks: []event.Check{{Name: "even", Code: "n % 2 == 0", Expression: true}},
	}).Result(ctx)
	fmt.Println(fault.CodeOf(err) == fault.TokensUsedUp, first.Found)
	answer, err := client.Resume(praxis.Resumption{Run: first.Run, Model: "scripted:" + script, Budget: event.Budget{Run: 100_000}}).Result(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer.Text, answer.Status)
	// Output:
	// true 42
	// It is 42. answered
}

// Providers are asked which models they have, those for which there is a key.
func ExampleClient_Models() {
	client, err := praxis.Open(praxis.Options{Home: home, Environ: []string{}})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	for _, p := range client.Models(context.Background()) {
		fmt.Println(p.Provider, p.Usable, len(p.Models))
	}
	// Output:
	// anthropic false 0
	// openai false 0
	// gemini false 0
}

// A project is repaired until its tests pass; the patch is the result.
func ExampleClient_Fix() {
	script := filepath.Join("cmd", "praxis", "testdata", "readme", "average.script")
	client, err := praxis.Open(options())
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	got, err := client.Fix(praxis.Repair{
		Dir: filepath.Join("examples", "average"), Test: "python3 -m unittest", Model: "scripted:" + script,
	}).Result(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(got.Before.Passed, got.Passed, len(got.Files), got.Files[0].Path)
	// Output: false true 1 average.py
}

// A plan is checked before it runs; its output says what it depends on.
func ExampleClient_RunPlan() {
	client, err := praxis.Open(options())
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	result, err := client.RunPlan(praxis.Plan{Text: "total = sum([1, 2, 39])\nprint(total)\n"}).Result(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(result.Status, " ", result.Output)
	// Output: ok 42
}

// A plan waits at a call that nothing here implements; its result comes later,
// also from another process.
func ExampleClient_ResumePlan() {
	ctx := context.Background()
	client, err := praxis.Open(options())
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	tools := filepath.Join(home, "bank.tools.yaml")
	const text = "version: 1\ntools:\n- {name: bank.balance, version: 1.0.0, effects: read, description: Tells the balance., input: {type: object, properties: {}}, output: {type: integer}}\n"
	if err := os.WriteFile(tools, []byte(text), 0o600); err != nil {
		log.Fatal(err)
	}
	waiting, err := client.RunPlan(praxis.Plan{Text: "print(bank.balance() * 2)\n", Tools: praxis.ToolOptions{Files: []string{tools}}}).Result(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(waiting.Status, waiting.Waiting.Tool)
	done, err := client.ResumePlan(waiting.Run, praxis.PlanAnswer{Result: 21}, praxis.ToolOptions{}).Result(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(done.Status, " ", done.Output)
	// Output:
	// waits bank.balance
	// ok 42
}

// A run is repeated from its record, and compared with it.
func ExampleClient_Replay() {
	ctx := context.Background()
	client, err := praxis.Open(options())
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	run, err := client.RunCode(praxis.Code{Text: "print(6 * 7)"}).Result(ctx)
	if err != nil {
		log.Fatal(err)
	}
	replayed, err := client.Replay(run.Run).Result(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(replayed.Identical)
	// Output: true
}
