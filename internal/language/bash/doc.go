// Package bash is the language Bash: what the program says about it ([Language]), how its
// source is read by people, and its kernel. What every kernel promises the guest's agent is
// the package comment of guest/agent; this one says what is the shell's.
//
// # The kernel
//
// kernel.py, a program in Python, stands between the agent and one bash, which has no
// terminal and reads no script: it runs loop.sh, which waits for the next cell, evaluates it
// in the shell itself and reports how it ended. So everything that a cell does to its shell
// stays: folder, variables, functions, aliases, options, traps, descriptors, jobs.
//
// The shell opens what connects it with the kernel by its number below /proc/PPID/task/PPID/fd
// when it needs it, so that programs inherit nothing of it (in gVisor /proc/PPID/fd stays with
// root, which the process was when the agent first looked at it):
//
//	1, 2  the streams of the session: a cell is evaluated with them, and what a cell does to
//	      its own 1 and 2 (exec >file) ends with the cell
//	210   a file: the code of a cell, the word to be completed, or where loop.sh lies
//	211   a pipe: what to do: "execute", "change" (run the code, tell nobody), "complete KIND",
//	      "again"
//	214   a pipe: what was done, each report ended by NUL: "ready VERSION", "done STATUS",
//	      "changed", completions a line, "left STATUS HOW NAME"
//	215   a file: the state of a shell that leaves
//	216   a file: prelude.sh and the state of the shell before, which loop.sh begins with
//
// # The end of a cell that is not the end of the shell
//
// exit, an error under set -e or set -u, a failed ${x:?} and an interrupt end a shell. Here
// the shell's EXIT trap then runs the user's own, writes down all of its state as commands
// (declare -p, declare -f, alias, shopt, set, trap), and executes itself anew with it. It is
// the same process afterwards, with the same children, descriptors, folder, umask and limits.
// What is lost is its list of jobs: they go on, but jobs and wait no longer know them.
// Functions named exit and trap stand before the commands: the one leaves in a way that puts
// local variables back, the other keeps the user's EXIT trap apart from ours, which runs when
// the cell ends. A shell that ends in another way (exec of a program, a signal, no memory) is
// replaced by a new one, and the result says that the state is lost.
//
// # Status
//
// A cell whose last command ended with another status than 0 is an error named ExitStatus
// whose value is that number; $? at the beginning of a cell is the status of the one before.
// An interrupt is sent to the group of the shell, in which jobs that run in the background
// ignore it. The second one ends what the cell began and is still there.
//
// # Nobody is there
//
// Standard input is /dev/null, unless a cell changed it, and there is no terminal. Variables
// tell programs not to ask (kernel.py, ENVIRONMENT), so that they end at once and say why.
package bash
