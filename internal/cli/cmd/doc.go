// Package cmd is the command line: one file a command, one table of exit codes
// (exit.go), one voice for errors.
//
// A command reads its flags, checks everything that can be checked before a
// sandbox costs time, calls package app and shows what comes of it. What goes
// where:
//
//   - standard output: what the code printed, values, answers, lists, JSON;
//   - standard error: what the code wrote there, tracebacks, progress, errors;
//   - a pipe gets a guest's bytes as they are; a terminal gets them without
//     control sequences, because they could retitle it, move its cursor or
//     type into it.
package cmd
