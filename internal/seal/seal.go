// Package seal vouches for what lies in the data folder: programs, images, templates
// and saved states, which are run again without being read. A seal is an HMAC-SHA-256
// (RFC 2104) under a key of the data folder, or one that is kept elsewhere: who can
// write to the folder, and cannot read the key, changes nothing unnoticed. It does
// not tell what was sealed today from what was sealed before: an older state that is
// put back in its place is one that Praxis wrote.
//
// The files of a folder are too large to be read at each start. Their identity is
// sealed, too: inode, size, and times, of which the time of the last change of the
// inode is set by the kernel alone. Where the identity differs, as it does after a
// copy, the contents decide.
package seal

import (
	"cmp"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"praxis/fault"
	"praxis/internal/atomicfile"
	"praxis/internal/bounded"
)

// ErrBroken is in the chain of errors about what this key does not vouch for.
var ErrBroken = errors.New("it is not what Praxis wrote there, or was sealed with another key")

const (
	// FileName is the name of the seal in a folder.
	FileName = "seal"
	keyBytes = 32
	// temporary begins the name of a seal that is just being written.
	temporary = ".tmp-"
	// maxFile bounds the texts that are read back.
	maxFile = 8 << 20
)

// Key makes and checks seals. It is safe for concurrent use.
type Key struct{ secret []byte }

// Open reads the key in a file: 32 bytes in hexadecimal. Faults: Denied when others
// may read it, Invalid when it holds none.
func Open(path string) (*Key, error) {
	data, err := atomicfile.ReadSecret(path, 2*keyBytes+2)
	if err != nil {
		return nil, fmt.Errorf("cannot read the key of seals: %w", err)
	}
	secret, err := hex.DecodeString(strings.TrimSpace(string(data)))
	if err != nil || len(secret) != keyBytes {
		return nil, fault.New(fault.Invalid, "Give the path of the file that Praxis made as keys/seal.key.", "%s holds no key of seals", path)
	}
	return &Key{secret}, nil
}

// Make reads the key in a file, and makes it when there is none. When two processes
// do so at once, one key stays.
func Make(path string) (*Key, error) {
	k, err := Open(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return k, err
	}
	dir := filepath.Dir(path)
	if err := errors.Join(os.MkdirAll(dir, 0o700), atomicfile.Own(dir)); err != nil {
		return nil, fmt.Errorf("cannot make the key of seals: %w", err)
	}
	secret := make([]byte, keyBytes)
	_, _ = rand.Read(secret) // never fails, see crypto/rand
	if err := atomicfile.Create(path, []byte(hex.EncodeToString(secret)+"\n")); err != nil {
		return nil, fmt.Errorf("cannot make the key of seals: %w", err)
	}
	return Open(path)
}

// OfHome is Make for the place where a data folder keeps its own key.
func OfHome(home string) (*Key, error) { return Make(filepath.Join(home, "keys", "seal.key")) }

// mac seals parts, none of which can run into the next.
func (k *Key) mac(parts ...string) string {
	h := hmac.New(sha256.New, k.secret)
	for _, p := range parts {
		_, _ = fmt.Fprintf(h, "%d %s\n", len(p), p)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// text is how a sealed value is written.
type text struct {
	Value json.RawMessage `json:"value"`
	Seal  string          `json:"seal"`
}

// Encode writes a value as JSON with a seal: as the one of its kind that has this name.
func (k *Key) Encode(kind, name string, value any) ([]byte, error) {
	raw, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	data, err := json.Marshal(text{raw, k.mac("text", kind, name, string(raw))})
	return append(data, '\n'), err
}

// Decode reads what Encode wrote with the same key, kind and name. Anything else is
// ErrBroken.
func (k *Key) Decode(kind, name string, data []byte, value any) error {
	var t text
	if json.Unmarshal(data, &t) != nil || !hmac.Equal([]byte(t.Seal), []byte(k.mac("text", kind, name, string(t.Value)))) {
		return ErrBroken
	}
	return json.Unmarshal(t.Value, value)
}

// Peek reads a sealed value without looking at the seal: it may be anybody's.
func Peek(data []byte, value any) error {
	var t text
	if err := json.Unmarshal(data, &t); err != nil {
		return err
	}
	return json.Unmarshal(t.Value, value)
}

// Folder is a folder of which one file describes the others.
type Folder struct {
	Path        string
	Kind, Name  string // which folder it is: what was sealed as one is not taken for another
	Description string // name of the file
}

// folderSeal is the seal of a folder as it is written.
type folderSeal struct {
	Identity string `json:"identity"` // of the files: SHA-256 of what identity lists
	Seal     string `json:"seal"`
}

// Seal vouches for a folder as it is now. Its files are not to change any more.
func (k *Key) Seal(f Folder) error {
	description, err := bounded.ReadFile(filepath.Join(f.Path, f.Description), maxFile)
	if err != nil {
		return err
	}
	id, err := identity(f.Path)
	if err != nil {
		return err
	}
	return k.write(f, description, id)
}

func (k *Key) write(f Folder, description []byte, id string) error {
	data, err := json.Marshal(folderSeal{id, k.of(f, description, id)})
	if err != nil {
		return err
	}
	return atomicfile.WriteFile(filepath.Join(f.Path, FileName), append(data, '\n'))
}

func (k *Key) of(f Folder, description []byte, identity string) string {
	return k.mac("folder", f.Kind, f.Name, string(description), identity)
}

// Read returns the description of a folder. One that the key did not seal is
// ErrBroken, and one that is not there fs.ErrNotExist. Of the other files nothing is
// known yet.
func (k *Key) Read(f Folder) (description []byte, err error) {
	description, _, err = k.read(f)
	return description, err
}

func (k *Key) read(f Folder) (description []byte, s folderSeal, err error) {
	if description, err = bounded.ReadFile(filepath.Join(f.Path, f.Description), maxFile); err != nil {
		return nil, s, err
	}
	data, err := bounded.ReadFile(filepath.Join(f.Path, FileName), maxFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, s, err
	}
	if json.Unmarshal(data, &s) != nil || !hmac.Equal([]byte(s.Seal), []byte(k.of(f, description, s.Identity))) {
		return nil, s, ErrBroken
	}
	return description, s, nil
}

// Check compares a folder with its seal. When its files are not those that were
// sealed, contents compares what they hold with the description; when that finds
// nothing, the folder is sealed anew.
func (k *Key) Check(f Folder, contents func() error) error {
	description, s, err := k.read(f)
	if err != nil {
		return err
	}
	id, err := identity(f.Path)
	if err != nil || id == s.Identity {
		return err
	}
	if err := contents(); err != nil {
		return fmt.Errorf("%w: %w", ErrBroken, err)
	}
	// The identity is that from before they were read: of what changed meanwhile nothing is
	// known. Without a new seal the contents are read again the next time.
	_ = k.write(f, description, id)
	return nil
}

// identity names the files below a folder, and their states, without reading them.
// Of folders it has the names alone: what is in them stands for itself.
func identity(dir string) (string, error) {
	h := sha256.New()
	if err := listFolder(h, unix.AT_FDCWD, dir, ""); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// listFolder writes what identity lists of the folder called name in the folder at;
// prefix is its path. Names are looked up in their own folder: whole paths would cost
// twice as much, and an image has thousands of files.
func listFolder(h hash.Hash, at int, name, prefix string) error {
	fd, err := unix.Openat(at, name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return &fs.PathError{Op: "open", Path: cmp.Or(prefix, name), Err: err}
	}
	f := os.NewFile(uintptr(fd), name)
	defer f.Close()
	entries, err := f.ReadDir(-1)
	if err != nil {
		return err
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	var line []byte
	for _, e := range entries {
		path := prefix + e.Name()
		if path == FileName || strings.HasPrefix(path, temporary) {
			continue
		}
		var st unix.Stat_t
		if err := unix.Fstatat(fd, e.Name(), &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
			return &fs.PathError{Op: "stat", Path: path, Err: err}
		}
		line = append(append(line[:0], path...), 0)
		numbers := []int64{int64(st.Mode), int64(st.Ino), st.Size, st.Mtim.Nano(), st.Ctim.Nano()}
		folder := st.Mode&unix.S_IFMT == unix.S_IFDIR
		if folder {
			numbers = numbers[:1]
		}
		for _, n := range numbers {
			line = binary.BigEndian.AppendUint64(line, uint64(n))
		}
		_, _ = h.Write(line)
		if folder {
			if err := listFolder(h, fd, e.Name(), path+"/"); err != nil {
				return err
			}
		}
	}
	return nil
}
