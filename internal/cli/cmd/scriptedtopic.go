package cmd

import (
	"strings"

	"github.com/spf13/cobra"
)

// scriptedExample is a whole script; a test runs it.
const scriptedExample = `Text before the first directive is a comment.

=== reply
I add the numbers up.

` + "```python" + `
total = sum(range(10))
print(total)
` + "```" + `
=== expect 45
=== refuse Traceback
=== reply
FINAL ANSWER: The sum is {{ total }}.
`

const scriptedText = `The model "scripted:FILE" takes its replies from a file: for demonstrations,
examples and tests that need no provider. The code in the replies really runs.

  praxis ask "What is the sum of 0 to 9?" --model scripted:sum.script

A script is plain text. A line that begins with "=== " is a directive; what
follows, up to the next one, is its body, without the blank lines around it. A
line of a body that begins with "\===" stands for the line without the backslash.

  === reply            the next reply; its body is the reply's text
  === reply cut        the same, cut because the bound of tokens was reached
  === reply after 80ms the same, after a time; "cut after 80ms" is both
  === when TEXT        the replies that follow, up to the next "when", are to
                       questions that have TEXT in them; those before the first
                       are to all others. So one script answers for a run, and for
                       what its code asks and begins
  === call NAME [ARG]  a native tool call of the reply above; its body is the
                       value of the argument ARG ("code" when it is left out)
  === thought          what the model thought before the reply above
  === tokens IN OUT    the tokens of the request and of the reply above (default none)
  === expect TEXT      what the model is sent next must contain TEXT
  === refuse TEXT      what the model is sent next must not contain TEXT
  === note TEXT        a comment

A reply with a fenced block of code is a step: the block runs. A line that begins
with "FINAL ANSWER:" begins the answer; what stands between {{ and }} in it is
evaluated in the session and filled in. With --mode plan a reply is the plan. A check that fails, and a request beyond
the last reply, end the run: a script fits one course of events only.

A whole script:

`

// scriptedTopic is the help about the scripted model.
func scriptedTopic() *cobra.Command {
	indented := "  " + strings.ReplaceAll(strings.TrimRight(scriptedExample, "\n"), "\n", "\n  ")
	return &cobra.Command{
		Use: "scripted", Short: "The format of a scripted model's replies",
		Long: scriptedText + strings.ReplaceAll(indented, "\n  \n", "\n\n"),
	}
}
