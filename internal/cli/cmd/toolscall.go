package cmd

import (
	"bytes"
	"context"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"praxis/fault"
	"praxis/internal/app"
	"praxis/internal/cli/format"
)

const toolsCallLong = `Calls a tool once, through the gate that every call goes through: its arguments
are validated, the policy decides, somebody is asked where that is due, and the
call is recorded as a run of its own (praxis show last).

Arguments are written NAME=VALUE. What the tool's schema says decides how a value
is read: a text is taken as it stands, a number, a boolean, a list or an object
is read as JSON. --json-args gives all of them as one object, which is read from
standard input where it is "-".

The arguments are yours: to the policy their source is the user, who is trusted.
Without a rule of --policy, a tool that only computes or reads is called; one that
changes something or reaches others is not, unless its definition asks for approval.

The result goes to standard output, a text as it is, anything else as JSON. The
exit code is 1 when the tool failed or was not called, 2 when the tool or its
arguments are wrong.`

// toolCalling is one praxis tools call.
type toolCalling struct {
	p     *program
	tools toolFlags
	args  string
	json  bool
}

func (p *program) toolsCallCommand() *cobra.Command {
	c := &toolCalling{p: p}
	cmd := &cobra.Command{
		Use: "call NAME[@VERSION] [ARG=VALUE…]", Short: "Call a tool once, through the gate", Long: toolsCallLong,
		Example: "  praxis tools call sql.query sql='select count(*) as n from sales'\n" +
			"  praxis tools call crm.find --tools crm.yaml --json-args '{\"customer\": \"4711\", \"limit\": 3}'",
		Args: takes(1, 1000, "the name of a tool"),
		RunE: func(cmd *cobra.Command, args []string) error { return c.run(cmd.Context(), args) },
	}
	c.tools.registerFiles(cmd)
	c.tools.registerApproval(cmd)
	cmd.Flags().StringVar(&c.args, "json-args", "", "the arguments, as one `JSON` object; - reads it from standard input")
	cmd.Flags().BoolVar(&c.json, "json", false, "print one JSON object instead")
	return cmd
}

func (c *toolCalling) run(ctx context.Context, args []string) (err error) {
	if c.tools.tools, err = app.ToolFiles(c.tools.tools); err != nil {
		return err
	}
	q := app.ToolCallRequest{Tool: args[0], Arguments: args[1:], Object: c.args, Tools: c.tools.spec(c.p)}
	if c.args == "-" {
		data, err := c.p.readInput(app.MaxArguments, "Give fewer arguments.")
		if err != nil {
			return err
		}
		q.Object = string(data)
	}
	return c.p.withApp(func(a *app.App) error {
		out, err := a.CallTool(ctx, q, c.p.quiet())
		c.p.settled()
		if out.Run == "" {
			return err
		}
		return c.report(out, err)
	})
}

// toolCallObject is the object of tools call --json.
type toolCallObject struct {
	app.ToolCallResult
	Failure *fault.Error `json:"failure"`
}

// report prints what came of the call and returns its exit code.
func (c *toolCalling) report(out app.ToolCallResult, err error) error {
	failed := err
	if failed == nil {
		failed = out.Failed
	}
	switch {
	case c.json:
		if printErr := c.p.printJSON(toolCallObject{out, failureOf(failed)}); printErr != nil {
			return printErr
		}
	case failed == nil:
		return c.print(out.Result)
	}
	if err != nil || failed == nil {
		return err
	}
	if !c.json {
		printMessage(c.p.stderr, failed.Error(), callRemedy(out))
	}
	return exitStatus{exitRaised}
}

// callRemedy is the remedy for the person at the command line; the fault's own
// remedy would say to ask that person.
func callRemedy(out app.ToolCallResult) string {
	switch {
	case out.Unattended:
		return "Call it on a terminal, or say who is asked with --approve."
	case out.Refused:
		return ""
	}
	return format.Remedy(out.Failed)
}

// print writes a result: a text as it is, anything else as JSON.
func (c *toolCalling) print(v any) error {
	if text, ok := v.(string); ok {
		w := guestWriter(c.p.stdout)
		if !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
		_, err := io.WriteString(w, text)
		if cl, ok := w.(*format.Cleaner); ok && err == nil {
			err = cl.Flush()
		}
		return err
	}
	var b bytes.Buffer
	enc := format.NewEncoder(&b)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := c.p.stdout.Write(readable(b.Bytes()))
	return err
}

// readable writes &, < and > in JSON as they are: the escapes are for web pages.
func readable(text []byte) []byte {
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' {
			out = append(out, text[i])
			continue
		}
		rest := text[i:]
		switch {
		case bytes.HasPrefix(rest, []byte(`\u0026`)):
			out, i = append(out, '&'), i+5
		case bytes.HasPrefix(rest, []byte(`\u003c`)):
			out, i = append(out, '<'), i+5
		case bytes.HasPrefix(rest, []byte(`\u003e`)):
			out, i = append(out, '>'), i+5
		default: // an escape has at least one more byte, which may be a backslash
			out, i = append(out, rest[:min(2, len(rest))]...), i+1
		}
	}
	return out
}
