// Package oci reads and writes container images as the Open Container Initiative
// describes them: from registries, from archives of "docker save", from image layouts
// and from plain archives of a root file system.
//
// # What is trusted
//
// Nothing. An image is what somebody else sent: every blob is compared with its digest,
// every layer once more with the digest of what it unpacks to, and what is read whole is
// bounded ([Bounds] for layers, maxManifest and maxConfig for the rest).
//
// # How layers are unpacked
//
// One after the other into one folder, by [Unpacker], without any right that the caller
// does not have. Each entry is made relative to a descriptor of its folder ([os.Root]),
// and folders are looked up component by component as they would be inside the image: a
// symbolic link leads from the root of the image, and ".." not above it.
//
//   - Whiteouts (".wh.NAME") remove what earlier layers had, an opaque one
//     (".wh..wh..opq") all that they had in its folder. What the same layer brings stays.
//   - Hard links are links to files of the image; sparse files keep their holes.
//   - Devices, pipes and sockets are left out, as are extended attributes.
//   - Owners are not kept. Everything belongs to root, and everybody may read it and look
//     into it, what only root could read, too: nobody else is in a sandbox. What
//     belonged to another user than root, or could be written by everybody, can be
//     written by everybody.
//   - The bits that lend the rights of an owner (set-uid, set-gid) are dropped.
//
// The times of files are kept, since compiled modules are compared by them.
package oci
