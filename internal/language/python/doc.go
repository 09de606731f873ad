// Package python is the language Python: what the program says about it
// ([Language]), how its source is read by people, and its kernel, one program
// that is made of the .py files here. What every kernel promises the guest's
// agent is the package comment of guest/agent; this one says what is Python's.
//
// The kernel is started as
//
//	python3 -u -X utf8 kernel.py
//
// An interpreter that crashes writes the text of faulthandler to the control
// socket, which begins with "Fatal Python error: ".
//
// # Output and order
//
// Output goes through the pipes 1 and 2 only, whoever writes it (prints,
// subprocesses, C code), so that it is bytes in order within a stream. Before
// the kernel writes to the other stream, or sends any control frame, it waits
// until the pipes are drained (FIONREAD is 0), so that order between the two
// streams, and between output and displays, is kept too. After a
// display it waits until the agent has read the frame (TIOCOUTQ is 0). Every
// wait is bounded (200 ms, and 2 ms for a reader that has let one run out). The
// agent must therefore have logged what it read before it reads another
// channel. The stream that wrote last does not look at the other pipe again for
// 250 µs, unless the program asked for the other's descriptor (fileno): what
// code that is not Python's writes there by itself within that time may come
// after the lines that follow it. Text without a newline is written when it is
// flushed; a subprocess that writes to both streams has no order between them.
//
// # Signals
//
// SIGINT raises KeyboardInterrupt in the running cell (ignored when idle). One
// that arrives just before the program enters a blocking system call does not
// wake it, as in any Python program: the agent sends it again before it
// escalates. "interrupted" is true when the cell ended by KeyboardInterrupt
// after a SIGINT; a cell that caught it and went on is "ok".
//
// # What a cell finds
//
// The user's namespace is the real __main__. display(), input() and getpass()
// are the kernel's; reading the standard input raises EOFError with the reason.
// multiprocessing forks. A cell with a top-level await, or with a call such as
// asyncio.create_task outside functions, runs in the session's event loop, whose
// tasks go on while the kernel waits for the next message; in other cells no
// loop runs, so that asyncio.run works.
//
// After each cell the kernel points descriptors 1 and 2 and the sys streams at
// the pipes again, brings back builtins that are gone, its SIGINT handler and a
// usable recursion limit, removes trace functions and timers, and closes figures.
//
// The control socket is moved to a descriptor of 200 or more and is closed in
// forks and programs. When the agent closes its end, the kernel runs the atexit
// handlers and exits with 0; when a frame is nonsense it exits with 1.
//
// # Forms for programs
//
// An execution that is "rich" gets values in forms for programs, too: the columns of a table, a
// figure as data, lists and dicts as JSON (rich.py, charts.py). Pictures that are opened or saved are
// displayed, IPython's display is the kernel's, and the calls that [Interactive] makes of commands
// of notebooks are answered (commands.py). The first such execution loads all that; others are as
// they are without it.
//
// # Seeds
//
// With "deterministic", or a seed, the generators that libraries keep in memory are
// seeded: random, numpy.random, torch and polars. What is preloaded has seed 0, so that a
// template serves every seed; "seed" sets the session's. What code and its libraries ask
// the system for, and the clocks, are the sandbox's. While the kernel waits for the agent
// it pauses in a way that the session's clocks leave out. After "reseed" the generators
// get fresh entropy.
//
// # Tools
//
// tools.py is the module "tools", by which code calls the tools that the host exposes. It
// lies in lib/ beside the kernel's program. The environment says where the agent
// listens (PRAXIS_TOOLS, a unix socket) and lets other interpreters find the
// module (PYTHONPATH). In a kernel the module is found after the program's own
// modules, so that a file tools.py of the user's is what it always was; once
// tools are exposed it is found before them, and the import that hides a file of
// the user's warns. In other interpreters Python's order holds: a tools.py beside
// the script is found first.
//
// # Speed
//
// The kernel imports what it needs late. Without compiled modules
// (__pycache__) the interpreter starts it several times slower: an image should
// carry them.
package python
