// Package image makes and keeps images: read-only root file systems with a
// language runtime and packages, from which sandboxes start.
//
// # What an image is
//
// An image is put together from parts that are stored once and shared:
//
//	python  the embedded CPython, unpacked, pruned and compiled; /opt/python in the guest
//	root    the root file system: packages of Debian that the binary carries, and folders and files of ours
//	layer   the wheels of one lock, installed and compiled; /opt/packages in the guest
//	node    Node, from a wheel that is locked here; /opt/node in the guest
//	modules the packages of npm of one lock; /node_modules in the guest
//	base    the layers of a container image, merged; the root in the guest
//	pip     the embedded pip; runs on the host only, never in a guest
//
// Its identity is a digest of the parts' contents and of the lock. Where the store
// lies, when and on which host a part was built do not count: the same request gives the
// same identity on every machine of an architecture, for one version of Praxis.
//
// # What the guest sees of the host
//
// Nothing: no path of the host is mounted. The C library, the shell and the tools, time
// zones, certificates and fonts come from packages of Debian, exact ones
// (embedded/archives/ARCHITECTURE/root.json has their versions, digests, sources and
// licences; command embedded/pack says which of their files are left out). So a session
// is the same everywhere, also where the host has no glibc. There are no headers and no
// compilers: packages are wheels.
//
// The embedded CPython runs on the host, too, to install and to compile; it is started
// by the loader of this root file system and with its C library.
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
// new. The guest finds them below /home/user/.packages, after the image's own. Those of npm are
// folders of modules, one an addition.
//
// # Packages of npm
//
// npm, which comes with Node, resolves them on the host with the person's registry
// settings and nothing else of their npm configuration; scripts, git and other programs
// are off. What it fetched is kept by SHA-256 beside the wheels, and unpacked by us: files
// and folders only, bounded. The layer is named by its contents.
//
// # Container images
//
// An image can be made of a container image instead (package oci): its merged layers are
// the root file system, and our own, with CPython, stands beside where it brings no
// interpreter that kernels run on (base.go, container.go). Packages are for the interpreter
// that runs: pip on the host gets a description of the image's own (target.go), which finds
// what is put beside by a .pth file. Node is put beside likewise (beside.go). The layers as
// they came are kept below blobs, as wheels are. A reference and the digest that it was resolved to are
// names of the image.
//
// # Images that are built of a file
//
// Steps that run in sandboxes (build.go; package app runs them) put layers on a base, which
// is a container image or our own root file system. Layers are blobs, kept under keys of
// steps below step, and become a base like that of a container image. Such an image has
// the packages beside that its file names, and a name (built.go).
//
// # Locks
//
// store.lock is held shared while an image is resolved and exclusively while
// images are removed. Every image that a store resolved is leased
// (image/ID.lease, shared) until the store is closed or the process ends; an
// image that is leased is neither removed nor pruned.
package image
