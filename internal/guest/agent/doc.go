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
// # Threads
//
// The main goroutine reads the host's frames and never waits for anything
// slow. Each kernel has one goroutine, the pump, that waits with ppoll(2) and
// is the only reader of the kernel's pipes and control socket, which keeps
// their order. The guard looks after limits. Locks are taken in the order
// kernel, execution, request, link.
package agent
