package oci

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"praxis/fault"
)

// block is one header of an archive, in the form of GNU or of POSIX.
func block(kind byte, name, magic string, size int64, more func(b []byte)) string {
	b := make([]byte, 512)
	copy(b, name)
	copy(b[100:], "0000644\x00")
	copy(b[108:], "0000000\x00")
	copy(b[116:], "0000000\x00")
	copy(b[124:], fmt.Sprintf("%011o\x00", size))
	copy(b[136:], "00000000000\x00")
	copy(b[148:], "        ")
	b[156] = kind
	copy(b[257:], magic)
	if more != nil {
		more(b)
	}
	sum := 0
	for _, c := range b {
		sum += int(c)
	}
	copy(b[148:], fmt.Sprintf("%06o\x00 ", sum))
	return string(b)
}

// padded is content of an archive, which ends at a block's end.
func padded(text string) string { return text + strings.Repeat("\x00", (512-len(text)%512)%512) }

// pax is a header that says more of the entry after it.
func pax(records ...string) string {
	var all strings.Builder
	for _, r := range records {
		n := len(r) + 3
		for len(fmt.Sprintf("%d %s\n", n, r)) != n {
			n++
		}
		fmt.Fprintf(&all, "%d %s\n", n, r)
	}
	return block('x', "pax", posixMagic, int64(all.Len()), nil) + padded(all.String())
}

const (
	posixMagic = "ustar\x0000"
	gnuMagic   = "ustar  \x00"
	archiveEnd = 1024 // bytes of zeros
)

// sparse are archives with one file a: ten pages, of which the third begins with "one" and
// the last with "two", in each of the forms that programs write sparse files in. size is
// what its header says that it has.
func sparse(size int64) map[string][]byte {
	const page = 4096
	one, two := "one"+strings.Repeat("\x00", 509), "two"+strings.Repeat("\x00", 509)
	octal := func(b []byte, at int, n int64) { copy(b[at:], fmt.Sprintf("%011o ", n)) }
	list := fmt.Sprintf("%d,512,%d,512", 2*page, 9*page)
	file := func(name, before string) string {
		return block('0', name, posixMagic, int64(len(before)+1024), nil) + before + one + two
	}
	out := map[string][]byte{}
	for name, text := range map[string]string{
		"GNU": block('S', "a", gnuMagic, 1024, func(b []byte) {
			octal(b, 386, 2*page)
			octal(b, 398, 512)
			octal(b, 410, 9*page)
			octal(b, 422, 512)
			octal(b, 483, size)
		}) + one + two,
		"PAX 0.0": pax("GNU.sparse.size="+fmt.Sprint(size), "GNU.sparse.numblocks=2", fmt.Sprintf("GNU.sparse.offset=%d", 2*page), "GNU.sparse.numbytes=512",
			fmt.Sprintf("GNU.sparse.offset=%d", 9*page), "GNU.sparse.numbytes=512") + file("a", ""),
		"PAX 0.1": pax("GNU.sparse.size="+fmt.Sprint(size), "GNU.sparse.numblocks=2", "GNU.sparse.map="+list, "GNU.sparse.name=a") + file("GNUSparseFile.0/a", ""),
		"PAX 1.0": pax("GNU.sparse.major=1", "GNU.sparse.minor=0", "GNU.sparse.name=a", "GNU.sparse.realsize="+fmt.Sprint(size)) +
			file("GNUSparseFile.0/a", padded("2\n"+strings.ReplaceAll(list, ",", "\n")+"\n")),
	} {
		out[name] = []byte(text + strings.Repeat("\x00", archiveEnd))
	}
	return out
}

// Sparse files are what they were where they were read, in every form, and without blocks
// on the disk for what is empty.
func TestSparse(t *testing.T) {
	const page = 4096
	want := strings.Repeat("\x00", 2*page) + "one" + strings.Repeat("\x00", 7*page-3) + "two" + strings.Repeat("\x00", page-3)
	for name, layer := range sparse(10 * page) {
		dir, err := unpack(t, Bounds{}, layer)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, "a"))
		if err != nil || string(data) != want {
			t.Errorf("%s: the file is another: %d bytes, %v", name, len(data), err)
		}
	}
}

// A sparse file counts with what it reads as: one that is larger than layers may be is
// refused before anything of it is written.
func TestSparseBomb(t *testing.T) {
	for _, size := range []int64{1 << 32, 1 << 55} {
		for name, layer := range sparse(size) {
			if name == "GNU" && size > 1<<33-1 {
				continue // its header has no space for that
			}
			dir, err := unpack(t, Bounds{}, layer)
			if kind := fault.KindOf(err); kind != fault.Exhausted && kind != fault.Invalid {
				t.Errorf("%s of %d bytes: %v", name, size, err)
			}
			if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
				t.Errorf("%s of %d bytes: %v, %v", name, size, entries, err)
			}
		}
	}
}
