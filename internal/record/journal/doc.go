// Package journal records runs so that someone who trusts nobody can check them
// and run them again. This comment is the specification of the format: another
// program can check a journal by it alone.
//
// # A journal, format 1
//
// Every run has a journal of its own: a log of package store, that is a plain
// file which is only appended to, named after the run. The name is the time in
// UTC at which the run began and four hexadecimal digits: 20261121-031455-7f3a.
//
// A journal is a sequence of lines. Each ends with one newline (0x0A) and is a
// JSON object in UTF-8 with exactly these keys in this order and no white space
// outside of strings. The header, the first event and a checkpoint:
//
//	{"seq":0,"time":"2026-11-21T03:14:55.123456789Z","prev":"","type":"journal_began","data":{...}}
//	{"seq":1,"time":"2026-11-21T03:14:55.123456789Z","prev":"<hash>","type":"run_began","data":{...}}
//	{"seq":64,"time":"...","prev":"<hash>","type":"checkpoint","data":{"key":"<id>","signature":"<base64>"}}
//
//	seq   the place of the line: 0 for the first, one more for each that follows,
//	      without leading zeros
//	time  the host's clock in UTC, RFC 3339 with exactly nine digits after the
//	      point. Clocks are set back at times: it need not grow
//	prev  the SHA-256 of the line before, of its bytes as they stand and without
//	      its newline, as 64 small hexadecimal digits; empty in line 0
//	type  the name of an event of package event that is not transient, or one of
//	      journal_began, journal_resumed and checkpoint
//	data  a JSON object without white space outside of strings
//
// A hash is of bytes as they stand: nobody has to write anything again in order
// to check it. A line has at most 32 MiB.
//
// # Records that are no events
//
// journal_began is line 0 and stands nowhere else. Its data has the keys
//
//	format      1. A reader refuses a greater one
//	events      the version of the vocabulary (event.Version), which a reader
//	            refuses when it is greater than the one it knows
//	run         the name of the run
//	key         the public key that signs: "ed25519:" and its 32 bytes in base64
//	succession  may be missing: statements by which older keys handed over to
//	            this one, the oldest first, at most 8
//
// journal_resumed says that another process goes on, to give an end to a run
// whose process ended first. Its data has the keys events, key and succession as
// above, and cut: how many bytes of a torn line were cut off. From here on the
// key that it names signs.
//
// checkpoint signs all that stands before it, and itself. key is the first 16
// hexadecimal digits of the SHA-256 of the 32 bytes of the public key; it is the
// one that journal_began, or the last journal_resumed, names. signature is in
// base64 with padding: Ed25519 over the bytes
//
//	praxis journal checkpoint 1 <newline> <run> <newline> <line>
//
// where line is the checkpoint's own line up to, and without, ,"signature".
// A checkpoint stands in every place that 64 divides (64, 128, …), and after
// run_ended.
//
// A statement of succession has the keys from and to (public keys as above),
// time, and signature: Ed25519 by from over
//
//	praxis journal succession 1 <newline> <from> <newline> <to> <newline> <time>
//
// Base64 is the standard one of RFC 4648, with padding and with unused bits
// zero. The data of these three has no other keys, in this order.
//
// # The end
//
// run_ended is followed by one checkpoint, and that by nothing. A journal
// without them is of a run that is still going on, or that was begun and not
// finished. What follows its last checkpoint is protected by the chain of hashes
// alone: nothing in the file itself shows whether the last record was changed or
// the end was cut off. The index of runs stores how many records a run that ended has and the hash of the
// last; Verify compares them.
//
// Bytes after the last newline are a torn line: the machine stopped while it
// was written. Readers stop before them. They are cut off, and counted in
// journal_resumed, when the run is given its end:
//
//	journal_resumed, run_ended with the status "abandoned", checkpoint
//
// Only a run that the index or the chain of runs knows to have been begun here is given
// one: what came from elsewhere, or may have, is signed by nobody anew.
//
// # Data
//
// The data of an event is the JSON of package event with three changes, made to
// it in this order:
//
//  1. Secrets are replaced, see below.
//  2. A string of more than 2048 bytes of UTF-8 that is not a key is replaced by
//     {"$blob":"<hash>","bytes":N}, exactly so written: its UTF-8 is the content
//     with that SHA-256, and N bytes long. Contents are kept beside the
//     journals (store.Blobs).
//  3. A key that begins with "$" gets one more "$" before it, so that what a
//     guest writes cannot look like the above.
//
// Text that is no UTF-8 is not kept as it was: package event, like encoding/json,
// writes U+FFFD for each byte that is none. Whoever compares a record with what
// happens again compares what both are as JSON.
//
// Beside the $blobs, file_given and patch_made name a content by their key sha256 unless
// they have the key withheld, and history_condensed by its key whole.
//
// # Secrets
//
// Values of secret environment variables and of the configuration, at least 8
// bytes long, are looked for in every string and key: as they are, escaped as
// JSON, as Python shows them, in an address, in hexadecimal, and in base64
// wherever they begin in what was encoded. They are replaced by
//
//	[secret NAME 1a2b3c4d]
//
// with the first 8 hexadecimal digits of the HMAC-SHA-256 of the value, under a
// key that stays in the data folder: two values can be distinguished, and nobody
// else can try values out. The same is done with arguments that the schema of a
// tool marks ("writeOnly", "format":"password", "x-secret"); NAME is the tool
// and the argument then. An input that contains a secret is neither stored
// nor hashed.
//
// # What is on disk when
//
// A record is written before the act that it announces begins, and the result of
// an act before anything that follows from it. A checkpoint is written in one
// step with the record before it. All that was written survives the end of the
// process. On disk, so that it survives the loss of power, are: before Begin
// returns, journal_began and run_began; before Emit returns, model_requested,
// tool_called, approval_requested, approval_given, answer_given, and run_ended with
// its checkpoint; contents, before the record that refers to them is written.
// Other records follow within 50 ms of being written. A record that cannot be
// written ends the run: see Begin.
//
// # Keys
//
// The folder of the keys belongs to nobody else (0700), and so do its files
// (0600):
//
//	journal.pem          the private key that signs (PKCS#8), made on first use
//	redaction.key        the key of the digests of secrets, made on first use
//	known/<id>.pem       public keys that were ours, or that somebody trusts
//	succession/<id>.json the statement by which the key id took another's place
//
// # A bundle
//
// A run that was exported is a zip with these entries in this order and no
// others, without times, compressed by deflate:
//
//	manifest.json   {"praxis":"run","version":1,"run":"…","records":N,"bytes":N,"head":"<hash of
//	                the last line>","blobs":[{"sha256":"…","bytes":N},…]}, sorted
//	journal.jsonl   the journal, byte for byte
//	blobs/<hash>    every content that a record refers to, sorted
//	children/<id>.praxis  the bundle of each run that it began, stored and not packed once
//	                more; the manifest names them, sorted, and its version is then 2
//
// docs/journal.md has a checker in Python.
package journal
