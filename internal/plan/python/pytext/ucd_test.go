package pytext

import (
	"encoding/binary"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"unicode/utf8"

	"praxis/internal/test/cpython"
)

var update = flag.Bool("update", false, "write the tables of Unicode anew")

// sample is every so manieth code point above wholeBelow that a commit compares.
const (
	wholeBelow = 0x3000
	sample     = 61
)

// dump prints the distinct records, the special mappings and the record of each of CODES.
const dump = `
import sys, json, unicodedata
assert sys.version_info[:2] == (3, 14) and unicodedata.unidata_version == "16.0.0", sys.version
special, specials, records, points = {}, [], {}, []
def ignorable(c):
    return ("A\u03a3" + c).lower()[1] == "\u03c2" and ("A\u03a3" + c + "a").lower()[1] == "\u03c3"
for i in CODES:
    c = chr(i)
    flags = [c.isalpha(), c.isdecimal(), c.isdigit(), c.isnumeric(), c.isspace(), c.isupper(), c.islower(),
        unicodedata.category(c) == "Lt", c.isprintable(), c != "_" and c.isidentifier(), ("a" + c).isidentifier(),
        len(("a" + c + "b").splitlines()) == 2, ignorable(c)]
    maps = [c.upper(), c.lower(), c.title(), c.casefold()]
    if any(len(m) > 1 for m in maps):
        flags.append(True)
        nums = []
        for m in maps:
            key = tuple(ord(x) for x in m)
            if key not in special:
                special[key] = len(special)
                specials.append((list(key) + [0, 0])[:3])
            nums.append(special[key])
    else:
        nums = [ord(m) - i for m in maps]
    rec = (sum(1 << n for n, f in enumerate(flags) if f), unicodedata.digit(c, -1), *nums)
    points.append(records.setdefault(rec, len(records)))
print(json.dumps({"Records": list(records), "Special": specials, "Points": points}))
`

// TestTables compares all that the tables say of each code point with CPython.
func TestTables(t *testing.T) {
	path, err := cpython.Unpack()
	if err != nil {
		t.Fatal(err)
	}
	codes := "range(0x110000)"
	whole := *everyPoint || *update
	if !whole {
		codes = fmt.Sprintf("[*range(%d), *range(%d, 0x110000, %d)]", wholeBelow, wholeBelow, sample)
	}
	out, err := exec.Command(path, "-I", "-c", "CODES = "+codes+dump).Output()
	if err != nil {
		t.Fatal(err)
	}
	var want struct {
		Records [][6]int
		Special [][3]rune
		Points  []int
	}
	if err := json.Unmarshal(out, &want); err != nil {
		t.Fatal(err)
	}
	if *update {
		writeTables(t, want.Records, want.Special, want.Points)
		t.Skip("the tables are written; run again without -update")
	}
	if whole && len(want.Points) != utf8.MaxRune+1 || len(want.Points) < wholeBelow {
		t.Fatalf("CPython knows %d code points", len(want.Points))
	}
	failures := 0
	for at, n := range want.Points {
		i := at
		if !whole && at >= wholeBelow {
			i = wholeBelow + (at-wholeBelow)*sample
		}
		rec, w := recordOf(rune(i)), want.Records[n]
		got := [6]int{int(rec.flags()), rec.digit()}
		for m := upper; m <= fold; m++ {
			got[2+m] = int(rec.mapped(m))
			if got[0]&w[0]&int(flagSpecial) != 0 && special(rec.mapped(m)) == want.Special[w[2+m]] {
				got[2+m] = w[2+m]
			}
		}
		if got != w {
			t.Errorf("U+%04X: got %v, want %v", i, got, w)
			if failures++; failures > 20 {
				t.FailNow()
			}
		}
		if IsSpace(rune(i)) != (w[0]&int(flagSpace) != 0) || IsPrintable(rune(i)) != (w[0]&int(flagPrintable) != 0) ||
			IsLineBreak(rune(i)) != (w[0]&int(flagLineBreak) != 0) {
			t.Errorf("U+%04X: the short way says something else than the table", i)
		}
	}
}

func writeTables(t *testing.T, records [][6]int, special [][3]rune, points []int) {
	var index, pages []byte
	known := map[string]int{}
	for i := 0; i < len(points); i += pageSize {
		var page []byte
		for _, n := range points[i : i+pageSize] {
			page = binary.LittleEndian.AppendUint16(page, uint16(n))
		}
		n, ok := known[string(page)]
		if !ok {
			n = len(known)
			known[string(page)] = n
			pages = append(pages, page...)
		}
		index = binary.LittleEndian.AppendUint16(index, uint16(n))
	}
	start := headSize + len(index) + len(pages)
	out := binary.LittleEndian.AppendUint32(nil, uint32(start))
	out = binary.LittleEndian.AppendUint32(out, uint32(start+len(records)*recordSize))
	out = append(append(out, index...), pages...)
	for _, r := range records {
		out = append(binary.LittleEndian.AppendUint16(out, uint16(r[0])), byte(r[1]))
		for _, m := range r[2:] {
			out = binary.LittleEndian.AppendUint32(out, uint32(m))
		}
	}
	for _, s := range special {
		for _, r := range s {
			out = binary.LittleEndian.AppendUint16(out, uint16(r))
		}
	}
	if err := os.WriteFile("ucd.bin", out, 0o644); err != nil {
		t.Fatal(err)
	}
}
