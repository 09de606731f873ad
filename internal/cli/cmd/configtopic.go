package cmd

import (
	"fmt"

	"github.com/spf13/cobra"

	"praxis/internal/app"
	"praxis/internal/safetext"
)

// configExample is a whole configuration file, with what holds without one.
const configExample = `{
  "limits": {
    "memory": "1GiB",
    "cpus": 1,
    "processes": 256,
    "disk": "1GiB",
    "open_files": 1024
  },
  "execution": {
    "timeout": "30s",
    "output": "1MiB"
  },
  "ask": {
    "max_steps": 10,
    "window": 100000
  },
  "sessions": {
    "keep": 20
  },
  "journal": {
    "snapshots": true,
    "snapshot_bytes": "4GiB",
    "blob_bytes": "16GiB"
  }
}`

const configKeys = `  home               data folder: images, templates, named sessions
  run                folder of the sandboxes that run now; on a disk
  image              that new sessions run                      --image
  pictures           how terminals show images, such as "sixel" --pictures
  limits.memory      memory of a session, such as "2GiB"        --memory
  limits.cpus        its processors, may be a fraction          --cpus
  limits.processes   its processes and threads                  --processes
  limits.disk        what it may write                          --disk
  limits.open_files  files that a process may have open         --open-files
  limits.user_namespaces 1: code may make user namespaces       --user-namespaces
  execution.timeout  wall time of one execution, such as "1m"   --timeout
  execution.cpu      processor time of one execution            --cpu-time
  execution.output   output of one execution that is shown      --output-limit
  ask.model          "PROVIDER:NAME"                            --model
  ask.fallback_models asked, one after the other, when it fails  --fallback-model
  ask.sees           models that see pictures, on other servers than their
                     provider's, such as ["openai:qwen2.5vl*"]  --sees
  ask.effort         how much it reasons: low, medium, high     --effort
  ask.style          how it works: react, program, plan-first   --style
  ask.silence        how long it may send nothing, such as "15m"; what holds
                     without it: 2 minutes, 30 for a server on your network
  ask.max_steps      turns that the model may take              --max-steps
  ask.max_cost       US dollars that a question may cost        --max-cost
  ask.max_time       how long it may take, such as "5m"         --max-time
  ask.max_execution_time  how long all its code may take        --max-execution-time
  ask.max_tokens     tokens that it may use, in and out         --max-tokens
  ask.max_input_tokens    tokens in                             --max-input-tokens
  ask.max_output_tokens   tokens out                            --max-output-tokens
  ask.max_calls      calls of tools                             --max-calls
  ask.max_attempts   how often the same error may come          --max-attempts
  ask.max_total_steps  turns of the run and all that it begins  --max-total-steps
  ask.max_depth      how deep runs that code begins may begin others  --max-depth
  ask.max_sub_calls  queries and runs that code may begin in all  --max-sub-calls
  ask.window         tokens that a request may have; what is older is condensed
  home_quota         what the data folder may have, such as "20GiB"; see "praxis help gc"
  sessions.keep      steps of a named session that stay: the last so many
  sessions.keep_for  and those that are younger, such as "7d"
  seal_key           file of the key that seals what lies in the data folder
  journal.key        file of the private key (PEM) that signs the journal
  journal.snapshots  save the state before each step of a question
  journal.snapshot_bytes  of runs together; the oldest are removed first
  journal.blob_bytes      inputs, long outputs and pictures of all runs`

// configTopic is the help about the configuration file.
func (p *program) configTopic() *cobra.Command {
	path := app.ConfigPath(p.getenv)
	if path == "" {
		path = "nowhere: neither XDG_CONFIG_HOME nor HOME is set"
	}
	return &cobra.Command{
		Use: "config", Short: "The configuration file: where it is and what it holds",
		Long: fmt.Sprintf(`The configuration file is JSON and need not exist. It is looked for here:

  %s

($XDG_CONFIG_HOME/praxis/config.json, or ~/.config/praxis/config.json.) Flags go
before it. A key that is not known is refused. The keys, with the flag that says
the same for one command:

%s

This file changes nothing, since it holds what holds without one:

%s

PRAXIS_HOME names the data folder when the file does not.`, safetext.Line(path), configKeys, configExample),
	}
}
