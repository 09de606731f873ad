// Package python is the kind "python": a function in a file.
//
//	run:
//	  python:
//	    file: score.py
//	    function: score
//	    packages: ["pandas==2.3.3"]      # pinned; left out: the standard library
//	    timeout: 30s
//	    memory: 512MiB
//
// # Definition
//
// The file is read, never run, to derive the definition: the description and the
// words on arguments and result from the docstring (Google's, NumPy's and Sphinx's
// forms), the input from the parameters with their type hints and defaults, the
// output from the hint of the result. None, bool, int, float, str, Any, list,
// tuple, set, dict, Optional, Union, Literal, Annotated (a text in it is the
// description), date, datetime, time, UUID, Decimal, Enum, TypedDict, NamedTuple,
// dataclasses and aliases of the same file have their JSON forms; what has none, or
// no hint, may be any value. *args and **kwargs have no names, so that a function
// with them is refused.
//
// # Calls
//
// The function runs in a sandbox of the tool's own, which is opened at the first
// call and stays open: the file is imported once, calls come one after the other. It is
// closed when it was idle, and replaced when a call did not end by itself: after an
// interruption nobody knows what state its module is in.
//
// Arguments become what the hints say (a date is a date, an Enum a member, a
// dataclass is made) and the result becomes JSON again, in the sandbox. Both
// travel as files in the sandbox's folder:
//
//	tool/NAME.py         the file, once
//	tool/call-N.json     the arguments, an object
//	tool/result-N.json   {"call": N, "value": …}
//	                     {"call": N, "error": {"type", "message", "line"}}
//	                     {"call": N, "large": BYTES}
//
// The result is read whole, within the bound of the definition. The sandbox is
// not trusted: what is there and is no such thing is a failure of the tool.
package python
