// Package image makes and keeps images: read-only root file systems with a
// language runtime and packages, from which sandboxes start.
//
// # What an image is
//
// An image is put together from parts that are stored once and shared:
//
//	python  the embedded CPython, unpacked, pruned and compiled; /opt/python in the guest
//	root    a skeleton: empty folders, links and the few files of /etc that programs need
//	layer   the wheels of one lock, installed and compiled; /opt/packages in the guest
//	pip     the embedded pip; runs on the host only, never in a guest
//
// Its identity is a digest of the parts' contents, of the lock and of what the
// guest sees of the host. Where the store lies and when a part was built do
// not count: the same content gives the same identity.
//
// # What the guest sees of the host
//
// CPython needs a C library, and shells and tools come from the host, so some
// of the host's folders are mounted read-only: the programs and libraries of
// /usr (bin, sbin, lib, lib64) and of share only what programs read at run time
// (time zones, fonts, terminal descriptions, magic numbers). A host whose /usr
// is not merged has /bin, /sbin and /lib* mounted too. A folder that holds only
// links is not mounted: the links are made again in the skeleton. Everything
// else is left out, because it holds or may hold what is the owner's alone:
// /usr/local and /usr/src (local programs, sources and their settings), the
// rest of /usr/share (web applications keep their settings there), /etc, /home,
// /root, /opt, /var, /srv, /run. There are no headers and so no compilers to
// speak of: packages are wheels. The files of /etc are our own; only the
// loader's cache (ld.so.cache) and links of /etc/alternatives that point to
// mounted folders are copied from the host. Certificates are left out: a
// session has no network.
//
// # How a part is built
//
// A part is a folder KIND/KEY of the store with a tree, a manifest that lists
// every file with its digest, a description (part.json) that has the manifest's
// digest, and a seal, written last, that vouches for both and for the files as they
// are. A part that is not as it was sealed is built again. It is filled in tmp/KIND-KEY.RANDOM under an exclusive
// lock of lock/KIND-KEY, written through to the disk, and renamed into place. So a part
// that is there is whole; a builder that died leaves only a folder below tmp,
// which whoever next gets the lock removes.
//
// # Packages
//
// Requirements are resolved by pip on the host, with the person's index
// settings and nothing else of their pip configuration. Only wheels are
// accepted, so no code of a package runs on the host: pip unpacks, and the
// compiler of the embedded interpreter compiles. What pip fetched is hashed,
// which gives the lock (exact versions and SHA-256 digests), and the layer is
// installed from those files by these digests alone. The lock is kept under the
// digest of the request, sealed, so that the next Resolve of the same request is
// offline and immediate, and a layer that was pruned comes back the same.
//
// Packages for a session that goes on ([Store.Add]) are resolved and laid out in the
// same way, with what the session has as pip's constraints; the layer has only what is
// new. The guest finds them below /home/user/.packages, after the image's own.
//
// # Locks
//
// store.lock is held shared while an image is resolved and exclusively while
// images are removed. Every image that a store resolved is leased
// (image/ID.lease, shared) until the store is closed or the process ends; an
// image that is leased is neither removed nor pruned.
package image
