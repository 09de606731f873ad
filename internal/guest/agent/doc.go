// Package agent is the first process inside a sandbox. It speaks
// praxis/internal/guest/wire with the host over standard input and output, and
// owns what runs in the session: kernels (one a context), executions,
// processes and files.
//
// # Who may do what
//
// The agent is root inside the sandbox; everything that it starts is uid and
// gid 1000 without capabilities. A program is started through the agent's own
// executable (the word guest-exec), which joins the pids group, sets the
// limits, gives its privileges away and only then executes: no byte of the
// user's runs before. File ops run on a thread whose effective ids are the
// user's and resolve paths with os.Root, so that neither a symbolic link nor
// ".." lends the agent's rights.
//
// A session that makes an image (wire.Setup.Build) is the exception: there programs may
// be started as root, with the five capabilities that package managers need, and the
// agent tells what changed in the root file system (layer.go). Only the host chooses it,
// before anything runs. What such a program can do more it can do to its own sandbox: it
// may leave the group that counts processes, whose folder is root's.
//
// # Threads
//
// The main goroutine reads the host's frames and never waits for anything
// slow. Each kernel has one goroutine, the pump, that waits with ppoll(2) and
// is the only reader of the kernel's pipes and control socket, which keeps
// their order. The guard looks after limits. Locks are taken in the order
// kernel, execution, request, link.
//
// # Kernels
//
// The agent knows no language: how the kernel of each is started comes with the
// setup of the session (wire.Kernel). One process of it runs in each context, in
// the session's working folder, with file descriptor 3 a stream socket to the
// agent (control), 0 /dev/null, and 1 and 2 pipes that the agent reads. What
// follows is the contract between the two.
//
// Both ways: u32 length (big endian) | JSON object, at most 64 MiB. From the agent:
//
//	{"op":"start","preload":["numpy",…],"seed":N|null,"deterministic":bool,"columns":N}   first, once
//	{"op":"execute","id":I,"code":S,"file":S,"result":bool,"columns":N}   run a cell; file is the name of the
//	                                                     code in errors, if it is there; result false: no value of the
//	                                                     last expression; columns 0: as at the start;
//	                                                     "rich":true: values have forms for programs, too,
//	                                                     "stamps":true: "done" has "stamps":[read,begun,now],
//	                                                     nanoseconds of CLOCK_REALTIME
//	{"op":"complete","id":I,"code":S,"cursor":N}        cursor counts code points
//	{"op":"rehearse","id":I}                             go the way of a cell, with code of the kernel's
//	                                                     own, answer "done" and leave nothing behind:
//	                                                     no count, variable or output; every kernel
//	                                                     answers, since the host waits for it
//	{"op":"reseed","entropy":hex}                        mix fresh entropy into every known generator
//	{"op":"seed","seed":N}                               begin what follows from a seed
//	{"op":"environ","set":{…},"unset":[…],"folder":S}    change the environment, and go to a folder
//	{"op":"interrupt","id":I}                            stop the cell, see below
//
// From the kernel:
//
//	{"type":"ready","version":"3.14.x","preload_errors":{"mod":"message"}}
//	{"type":"output","id":I,"stream":1|2,"text":S}       or "data":base64; see below
//	{"type":"display","id":I,"bundle":{"text":…,"text/html":…,"image/png":base64,…}}
//	{"type":"done","id":I,"status":"ok"|"error"|"exit","result":bundle|null,
//	 "error":{"name","value","traceback"}|null,"refused":[words],"interrupted":bool,
//	 "exit_code":N (status "exit" only),"cpu_ms":F,"wall_ms":F,"peak_memory_bytes":N,
//	 "lost":true (only when what the cell ran in ended with it, and was started anew)}
//	{"type":"completions","id":I,"start":N,"end":N,"matches":[…]}
//
// "refused" (status "error" only) says what the system refused to the program,
// as far as the exception and what led to it tell: names of errno such as
// "EMFILE", "thread" for a thread that did not start, "write" for an error that
// does not say which one.
//
// An interpreter that crashes may write a report to the socket in the place of a
// frame. Its first four bytes (wire.Kernel, CrashBegins) read as a length that no
// frame has, and nothing follows it.
//
// Output goes through the pipes 1 and 2, so that it is bytes in order within
// a stream. A kernel that wants order between the streams, and between output and
// displays, waits until the pipes are empty before it writes to the other stream
// or sends a frame: the agent has logged what it read before it reads another
// channel. SIGINT asks the kernel to stop the cell that runs; one that is idle
// ignores it. When the agent closes the control socket, the kernel ends.
//
// An interpreter whose language cannot ask whether a pipe is empty is framed
// (wire.Kernel, Framed): what code prints comes in frames, in its order with displays, and
// the pipes hold what other programs write, which the agent reads before it takes a frame.
// While the result of an execution is full, its frames wait as the pipes do. Such a kernel
// waits in its event loop, which a signal does not wake, so that the cell to be stopped is
// named to it in a frame, too; what computes is stopped by the signal.
//
// # Calls of tools
//
// The environment says where the agent listens while tools are exposed
// (PRAXIS_TOOLS, a unix socket). On it one call is made after the other. A call is
//
//	u32 length | JSON
//
// and its answer, in one frame or several,
//
//	u32 length | u8 kind | body      kind 0: the JSON, or the last part of it; 1: a failure
//	                                 {"kind","message","remedy"}, in the place of what came
//	                                 before; 2: a part; 3: the connection was idle for long
//	                                 and is closed, nothing that was sent on it was read
//
// Closing the connection gives the call up. A module keeps connections, at most
// as many as calls may be under way (32 a process), and has none in common with
// forks. What is in the JSON is between the module and the host.
package agent
