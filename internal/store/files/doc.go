// Package files keeps logs and blobs as plain files:
//
//	DIR/journal/<first 8 characters of NAME>/NAME.jsonl   a log
//	DIR/journal/.lock                                     locked while a log is made, opened or removed
//	DIR/blobs/<first 2 digits of SUM>/SUM                 a blob
//	DIR/blobs/.tmp-<random>                               a blob that is being written
//	DIR/blobs/.usage                                      how many bytes were counted, a hint
//	DIR/blobs/.lock                                       locked while a blob gets its name or loses it
//
// The names of runs begin with their day, so that a folder holds the logs of
// one day.
//
// What is promised, and how it is kept:
//
//   - One writer a log: an open file description lock on the log itself. The
//     kernel gives it up when the process ends, however it ends. It can be asked
//     about without being taken. A log is made and locked in one step, because
//     both happen under the folder's lock, as opening and removing do.
//   - A record is whole: lines go out in one write. What a failed write left is
//     cut off at once; if that fails too, the log takes nothing more. What a
//     crash left is cut off when the log is opened again.
//   - What was synced stays: a log's folder is on disk before Create returns. A
//     failed sync is final, since the kernel may have dropped the pages.
//   - A blob is whole or absent: it is written under another name, synced and
//     renamed, then its folder is synced. Whoever reads it checks it.
//   - Nothing is followed: folders and files that are symbolic links, or are not
//     what they should be, are refused, and so is a folder that another user
//     could write to.
//   - Reading writes nothing. Folders are made by the first write.
package files
