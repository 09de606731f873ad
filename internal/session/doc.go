// Package session is the state manager: it makes sessions from templates, runs
// code in them, and saves, forks, rolls back, pauses and ends them.
//
// One mechanism carries all of it: the snapshot, the whole state of a sandbox
// in a folder ([Snapshots]). A template is a snapshot of a prepared session; a
// fork is a snapshot restored beside its original; a rollback is a snapshot
// restored in its place; a pause is a snapshot whose sandbox was closed; a
// named session is a line of snapshots under a name.
//
// # Life of a session
//
//	Create ─ claimed from the pool, or restored from its template ─→ live
//	live ─ Pause ─→ paused ─ any call ─→ live
//	live ─ the sandbox dies ─→ live again from its last snapshot, or from its
//	        template: the execution says which (event.Restored, event.Fresh)
//	any ─ Close, its wall time, its idle time, its lease ─→ closed
//
// # What copies have in common
//
// Sessions of one template, forks, and the states before and after a rollback are
// copies of one memory. A kernel is given fresh entropy for every generator that it
// knows before the copy runs code (wire.Hello.Reseed), unless the session is
// deterministic. What stays the same is what was chosen when the sandbox and the
// interpreter started: boot id, hash seed, address layout, stack canary. Nothing may
// rely on their being secret, or different from session to session.
//
// # Languages
//
// [Config.Languages] are those that the program knows, [image.Image.Runtimes]
// those that an image has. A session can run what is in both, each context one
// language. The kernels' programs are sent into the guest when a template is
// built and are part of its snapshot.
//
// # Start programs and builds
//
// An image may have a program that runs in every session: it is started when the template
// is built, and is part of that. Its output goes to a file, since nobody reads its pipes
// after a restore. A [Builder] is no session: it runs the steps of an image that is built
// as the root of a sandbox, which ends with it, and hands out what they changed.
//
// # Packages
//
// A session can be given packages beside its image's ([Session.AddPackages]). They
// are files on its own disk, and every snapshot says which it has.
//
// # What is kept
//
// A snapshot stays while a named session refers to it. Others, as runs take
// them, stay until [Manager.CollectSnapshots], which asks its caller which runs
// still name them. A live session holds a shared lock on the description of
// what it may go back to, so that no process collects that.
//
// # Packed snapshots
//
// Two steps of a session have most of their memory in common. So a snapshot that
// nobody goes on from is packed (package chunks): its files are stored as chunks,
// which its relatives share, and removed; a recipe in its folder says how they are
// made again. The head of a named session and every template stay files, and so the
// usual restore costs nothing. What is packed becomes files again when a session goes
// back to it, and stays so while it is a head.
//
// Its description, which is sealed, names the contents; so what was made of chunks is
// restored when it is what was sealed, whatever chunks and recipe say. Packing happens
// after the next state was saved, in a task of the manager, which Close waits for:
// chunks, then the recipe, then the files go. Who is killed in between leaves the
// files, or the recipe, or both; the next command, or the next collection, goes on.
//
// Who reads or writes chunks holds a shared lock (chunks/.lock), and who removes those
// that no recipe names the whole of it. Who restores from files holds a shared lock on
// their folder: they are removed under a lock of its own.
//
// # Folders
//
//	owners/TOKEN            a lock: whose the temporary folders are
//	programs/KEY/praxis     the executable that is PID 1 of guests, by its build id
//	templates/KEY/          snapshot.json, seal and the backend's files
//	snapshots/ID/           the same, by content; or a recipe in the place of the files
//	chunks/SHA256           pages of memory that snapshots are made of
//	sessions/NAME/          session.json, lock
//
// Programs, templates, snapshots and the descriptions of named sessions are sealed
// (package seal): what the data folder's key does not vouch for is built again where
// it is a cache, and refused otherwise.
package session
