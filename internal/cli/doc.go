// Package cli is the command line: one file a command, one table of exit codes
// (exit.go), one voice for errors, one place where bytes of a guest or of a
// model are made safe for a terminal (terminal.go).
//
// A command reads its flags, checks everything that can be checked before a
// sandbox costs time, and then works through the small interfaces of engine.go,
// so that it can be tested without a sandbox. What goes where:
//
//   - standard output: what the code printed, values, answers, lists, JSON;
//   - standard error: what the code wrote there, tracebacks, progress, errors;
//   - a pipe gets a guest's bytes as they are; a terminal gets them without
//     control sequences, because they could retitle it, move its cursor or
//     type into it.
package cli
