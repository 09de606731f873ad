// Package check says what is certain about a plan before anything runs: names,
// calls and types, and which data can reach which argument of which tool.
//
// # The analysis of flows
//
// The program is executed once more, with abstract values: a value is the
// set of sources that may have influenced it, the set of those that certainly
// have, the objects that it may be, and its constant if that is known. The rules
// of labels are those of package value, with these approximations, all to the
// safe side:
//
//   - Local variables are followed in the order of the program: arms are joined,
//     loops are repeated until nothing changes.
//   - Objects are distinguished by the place that makes them and by the last few
//     calls that lead there. What is stored in one stays in it.
//   - Variables that functions share hold all that was ever stored in them.
//   - A function is analysed for each chain of the last few calls.
//   - What a native function or a module does is known by a summary, or it is
//     opaque: its result holds all that went in, and it calls what it was given.
//   - In mode strict the control flow joins what is assigned, called or changed,
//     and stays for the rest of the program.
//
// Values of shared variables, objects and functions only ever grow, so the
// whole is repeated until nothing grows. Where a bound is reached, or the
// program does something that cannot be followed, every flow is possible, and
// the result says so ([Result.Lost]).
//
// # What is promised
//
// Each label that a run shows at an argument of a tool lies within the sources
// that [Flow] lists, and has those that it calls certain. The verdict safe means
// that the policy allows every such call, violation that it denies every one.
package check
