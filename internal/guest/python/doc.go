// Package python holds the Python kernel: one program, kernel.py, that the
// agent starts once a context. This comment is the contract between the two.
//
// The kernel is started as
//
//	python3 -u -X utf8 kernel.py
//
// with file descriptor 3 a stream socket to the agent (control), 0 /dev/null,
// and 1 and 2 pipes that the agent reads. The working folder is the session's.
//
// # Control frames
//
// Both ways: u32 length (big endian) | JSON object, at most 64 MiB. From the agent:
//
//	{"op":"start","preload":["numpy",…],"seed":N|null,"deterministic":bool,"columns":N}   first, once
//	{"op":"execute","id":I,"code":S,"result":bool}      run a cell; result false: no value of the last expression
//	{"op":"complete","id":I,"code":S,"cursor":N}        cursor counts code points
//	{"op":"reseed","entropy":hex}                        mix fresh entropy into every known generator
//	{"op":"seed","seed":N}                               make generators deterministic
//
// From the kernel:
//
//	{"type":"ready","version":"3.14.x","preload_errors":{"mod":"message"}}
//	{"type":"display","id":I,"bundle":{"text":…,"text/html":…,"image/png":base64,…}}
//	{"type":"done","id":I,"status":"ok"|"error"|"exit","result":bundle|null,
//	 "error":{"name","value","traceback"}|null,"interrupted":bool,
//	 "exit_code":N (status "exit" only),"cpu_ms":F,"wall_ms":F,"peak_memory_bytes":N}
//	{"type":"completions","id":I,"start":N,"end":N,"matches":[…]}
//
// # Output and order
//
// Output goes through the pipes 1 and 2 only, whoever writes it (prints,
// subprocesses, C code), so that it is bytes in order within a stream. Before
// the kernel writes to the other stream, or sends any control frame, it waits
// until the pipes are drained (FIONREAD is 0), so that order between the two
// streams, and between output and displays, is kept too. The wait is bounded.
//
// # Signals
//
// SIGINT raises KeyboardInterrupt in the running cell (ignored when idle).
// The agent escalates when that does not help.
package python
