// Package command is the kind "command": a program of the host, called with
// arguments that a template says. It is off unless the person who starts Praxis
// allows it.
//
//	run:
//	  command:
//	    argv: [git, log, "--max-count={count}", ["--author", "{author}"], "--", "{paths...}"]
//	    stdin: "{text}"                  # left out: nothing to read
//	    env: {TOKEN: "{secret:TOKEN}"}   # beside PATH, HOME and LANG
//	    dir: repo                        # left out: the folder of the tool's file
//	    output: lines                    # text (which counts when left out), lines or json
//	    exit: {0: ok, 1: empty, 2: no such branch}
//	    timeout: 10s
//	    verbatim: [author]               # values that may begin with - or @; left out: none
//
// # Arguments
//
// {name} is one argument of the call: a text as it is, another value as its JSON.
// {name...} alone in an element is a list, one element for each item. Literal braces
// are doubled. An element, or a group of elements in
// brackets, that names an argument which has no value (it was not given, or is
// null) is left out.
//
// No shell reads anything. In argv a value never becomes an option, nor the name of
// a file to read: a call is refused when a value begins with "@", or begins an
// element with "-" unless "--" comes before it. Two things lift this: the file lists
// the argument under verbatim, or the value is a number of an argument whose schema
// has numbers alone, which may be negative. Secrets may be in env and stdin; in argv every user of the machine would see them. Where the program
// writes one that it was given, the result and the error have "(secret)" in its place.
//
// # Life
//
// The program is found once, when the tool is made. It runs in a process group of
// its own; when it ends, when the call ends or when it writes more than it may, the
// whole group is killed, and so are those descendants that left the group. What it
// writes to standard error is quoted when it fails, the last part of it.
package command
