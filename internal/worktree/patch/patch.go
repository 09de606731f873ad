// Package patch writes what changed between two trees of files as a unified diff in the form
// of git, which "git apply" takes: with modes, new, removed and renamed files, symbolic links,
// and binary files in git's encoding of base 85.
package patch

import (
	"bytes"
	"compress/zlib"
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"praxis/internal/linediff"
	"praxis/internal/worktree"
)

// context is how many lines that stayed stand around a change.
const context = 3

// Stat is how many lines a change adds and removes.
type Stat struct {
	Added, Removed int
	Binary         bool
}

// Write returns the changes as one diff.
func Write(changes []worktree.Change) []byte {
	var b bytes.Buffer
	for _, c := range changes {
		one(&b, c)
	}
	return b.Bytes()
}

// StatOf counts the lines of a change.
func StatOf(c worktree.Change) (s Stat) {
	before, after := content(c.Before), content(c.After)
	if binary(before) || binary(after) {
		return Stat{Binary: true}
	}
	for _, e := range linediff.Edits(lines(before), lines(after)) {
		s.Removed += e.A1 - e.A0
		s.Added += e.B1 - e.B0
	}
	return s
}

func content(f *worktree.File) []byte {
	switch {
	case f == nil:
		return nil
	case f.Link != "":
		return []byte(f.Link)
	}
	return f.Data
}

func mode(f *worktree.File) string {
	switch {
	case f.Link != "":
		return "120000"
	case f.Executable:
		return "100755"
	}
	return "100644"
}

// one writes the change of one file. A file that becomes a link, or the other way round, is
// removed and made anew, as git does it.
func one(b *bytes.Buffer, c worktree.Change) {
	if c.Before != nil && c.After != nil && (c.Before.Link == "") != (c.After.Link == "") {
		one(b, worktree.Change{Path: c.Path, Before: c.Before})
		one(b, worktree.Change{Path: c.Path, After: c.After})
		return
	}
	from := c.Path
	if c.From != "" {
		from = c.From
	}
	fmt.Fprintf(b, "diff -%s %s %s\n", "-git", quoted("a/"+from), quoted("b/"+c.Path))
	switch {
	case c.Before == nil:
		fmt.Fprintf(b, "new file mode %s\n", mode(c.After))
	case c.After == nil:
		fmt.Fprintf(b, "deleted file mode %s\n", mode(c.Before))
	case mode(c.Before) != mode(c.After):
		fmt.Fprintf(b, "old mode %s\nnew mode %s\n", mode(c.Before), mode(c.After))
	}
	if c.From != "" { // only what has the same content is taken for renamed
		fmt.Fprintf(b, "similarity index 100%%\nrename from %s\nrename to %s\n", quoted(c.From), quoted(c.Path))
		return
	}
	before, after := content(c.Before), content(c.After)
	if c.Before != nil && c.After != nil && bytes.Equal(before, after) {
		return
	}
	index := fmt.Sprintf("index %s..%s", blob(c.Before), blob(c.After))
	if c.Before != nil && c.After != nil && mode(c.Before) == mode(c.After) {
		index += " " + mode(c.After)
	}
	fmt.Fprintln(b, index)
	if binary(before) || binary(after) {
		b.WriteString("GIT binary patch\n")
		literal(b, after)
		literal(b, before)
		return
	}
	edits := linediff.Edits(lines(before), lines(after))
	if len(edits) == 0 {
		return
	}
	old, now := quoted("a/"+c.Path), quoted("b/"+c.Path)
	if c.Before == nil {
		old = "/dev/null"
	}
	if c.After == nil {
		now = "/dev/null"
	}
	// git ends a name with blanks by a tab, so that it differs from a time.
	fmt.Fprintf(b, "--- %s%s\n+++ %s%s\n", old, tab(old), now, tab(now))
	hunks(b, lines(before), lines(after), edits)
}

func tab(name string) string {
	if strings.Contains(name, " ") && name[0] != '"' {
		return "\t"
	}
	return ""
}

// blob is the name that git has for a content. SHA-1 is git's choice; nothing rests on it.
func blob(f *worktree.File) string {
	if f == nil {
		return strings.Repeat("0", 40)
	}
	data := content(f)
	h := sha1.New()
	_, _ = fmt.Fprintf(h, "blob %d\x00", len(data)) // a hash never fails
	_, _ = h.Write(data)
	return hex.EncodeToString(h.Sum(nil))
}

// quoted writes a path as git does: as it is, or as a C string.
func quoted(p string) string {
	plain := utf8.ValidString(p)
	for _, r := range p {
		plain = plain && r >= ' ' && r < 0x7f && r != '"' && r != '\\'
	}
	if plain {
		return p
	}
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(p) {
		switch c := p[i]; {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < ' ' || c >= 0x7f:
			fmt.Fprintf(&b, "\\%03o", c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// binary says whether a content is none of lines, as git decides it: by a NUL near its
// beginning. What is no UTF-8 counts, too, so that the patch is text whatever holds it.
func binary(data []byte) bool {
	return bytes.IndexByte(data[:min(len(data), 8000)], 0) >= 0 || !utf8.Valid(data)
}

// lines splits a text; each line keeps its end.
func lines(data []byte) []string {
	if len(data) == 0 {
		return nil
	}
	out := strings.SplitAfter(string(data), "\n")
	if out[len(out)-1] == "" {
		out = out[:len(out)-1]
	}
	return out
}

// hunks writes the edits with the lines around them.
func hunks(b *bytes.Buffer, before, after []string, edits []linediff.Edit) {
	for i := 0; i < len(edits); {
		j := i + 1
		for j < len(edits) && edits[j].A0-edits[j-1].A1 <= 2*context {
			j++
		}
		first, last := edits[i], edits[j-1]
		a0, b0 := max(0, first.A0-context), max(0, first.B0-context)
		a1, b1 := min(len(before), last.A1+context), min(len(after), last.B1+context)
		fmt.Fprintf(b, "@@ -%s +%s @@\n", span(a0, a1), span(b0, b1))
		at := a0
		for _, e := range edits[i:j] {
			put(b, ' ', before[at:e.A0])
			put(b, '-', before[e.A0:e.A1])
			put(b, '+', after[e.B0:e.B1])
			at = e.A1
		}
		put(b, ' ', before[at:a1])
		i = j
	}
}

// span writes which lines a hunk is about, counted from 1; of none, the one before.
func span(from, to int) string {
	switch n := to - from; n {
	case 0:
		return strconv.Itoa(from) + ",0"
	case 1:
		return strconv.Itoa(from + 1)
	default:
		return fmt.Sprintf("%d,%d", from+1, n)
	}
}

func put(b *bytes.Buffer, sign byte, lines []string) {
	for _, l := range lines {
		b.WriteByte(sign)
		b.WriteString(l)
		if !strings.HasSuffix(l, "\n") {
			b.WriteString("\n\\ No newline at end of file\n")
		}
	}
}

// alphabet is the one of git's base 85.
const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~"

// literal writes a whole content as git does in binary patches: compressed, in lines of at
// most 52 bytes that begin with a letter for their length.
func literal(b *bytes.Buffer, data []byte) {
	fmt.Fprintf(b, "literal %d\n", len(data))
	var z bytes.Buffer
	w := zlib.NewWriter(&z)
	_, _ = w.Write(data) // into memory
	_ = w.Close()
	for packed := z.Bytes(); len(packed) > 0; {
		n := min(len(packed), 52)
		if n <= 26 {
			b.WriteByte(byte('A' + n - 1))
		} else {
			b.WriteByte(byte('a' + n - 27))
		}
		line := make([]byte, (n+3)/4*4)
		copy(line, packed[:n])
		for i := 0; i < len(line); i += 4 {
			v := uint32(line[i])<<24 | uint32(line[i+1])<<16 | uint32(line[i+2])<<8 | uint32(line[i+3])
			var digits [5]byte
			for d := 4; d >= 0; d-- {
				digits[d] = alphabet[v%85]
				v /= 85
			}
			b.Write(digits[:])
		}
		b.WriteByte('\n')
		packed = packed[n:]
	}
	_, _ = io.WriteString(b, "\n")
}
