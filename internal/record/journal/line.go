package journal

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"
	"unicode/utf8"

	"bytes"

	"praxis/event"
)

// The records that are no events.
const (
	headerKind     = "journal_began"
	resumedKind    = "journal_resumed"
	checkpointKind = "checkpoint"
)

const (
	// maxLine is how long a line may be.
	maxLine = 32 << 20
	// timeLayout is RFC 3339 in UTC with always nine digits.
	timeLayout = "2006-01-02T15:04:05.000000000Z"
)

// line is one record as it stands. Its slices are those of the line.
type line struct {
	seq  int64
	time time.Time
	prev []byte // 64 hexadecimal digits; none in the first line
	kind string
	data []byte
}

// hashLine returns the hexadecimal SHA-256 of a line without its newline.
func hashLine(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// appendHead writes a line up to its data.
func appendHead(dst []byte, seq int64, at time.Time, prev, kind string) []byte {
	dst = append(dst, `{"seq":`...)
	dst = strconv.AppendInt(dst, seq, 10)
	dst = append(dst, `,"time":"`...)
	dst = at.UTC().AppendFormat(dst, timeLayout)
	dst = append(dst, `","prev":"`...)
	dst = append(dst, prev...)
	dst = append(dst, `","type":"`...)
	dst = append(dst, kind...)
	return append(dst, `","data":`...)
}

// makeLine returns a line without its newline.
func makeLine(seq int64, at time.Time, prev, kind string, data []byte) []byte {
	dst := make([]byte, 0, 180+len(data))
	return append(append(appendHead(dst, seq, at, prev, kind), data...), '}')
}

// kinds are the records that this program knows, by name.
func kinds() map[string]string {
	out := map[string]string{headerKind: headerKind, resumedKind: resumedKind, checkpointKind: checkpointKind}
	for _, name := range event.Names() {
		out[name] = name
	}
	return out
}

// parser reads lines.
type parser struct {
	kinds map[string]string
	found func(blobRef) // is called for the texts that are stored apart; may be nil
	head  string        // the hash that most probably comes as prev
}

func newParser() *parser { return &parser{kinds: kinds()} }

// parse reads a line without its newline. The error says what is wrong with it.
func (p *parser) parse(b []byte) (l line, err error) {
	rest, bad := b, ""
	skip := func(s string) {
		if bad != "" {
			return
		}
		if len(rest) < len(s) || string(rest[:len(s)]) != s {
			bad = s
			return
		}
		rest = rest[len(s):]
	}
	take := func(n int) (out []byte) {
		n = min(n, len(rest))
		out, rest = rest[:n], rest[n:]
		return out
	}
	skip(`{"seq":`)
	n, digits := number(rest)
	take(digits)
	skip(`,"time":"`)
	at := take(len(timeLayout))
	skip(`","prev":"`)
	if len(rest) > 0 && rest[0] != '"' {
		l.prev = take(sumLength)
	}
	skip(`","type":"`)
	kind := take(max(bytes.IndexByte(rest, '"'), 0))
	skip(`","data":`)
	begin := len(b) - len(rest)
	switch {
	case bad != "":
		return line{}, fmt.Errorf("it is not a record: %s is not where it should be", bad)
	case digits == 0:
		return line{}, errors.New("it is not a record: its seq is no number")
	case len(l.prev) > 0 && string(l.prev) != p.head && !validSum(l.prev):
		return line{}, errors.New("it is not a record: its prev is no hash")
	case !utf8.Valid(b):
		return line{}, errors.New("it is not UTF-8")
	}
	var ok bool
	if l.time, ok = parseTime(at); !ok {
		return line{}, fmt.Errorf("it is not a record: its time %q is none", at)
	}
	if l.kind, ok = p.kinds[string(kind)]; !ok {
		return line{}, fmt.Errorf("it is no record that this program knows: its type is %.40q", kind)
	}
	end, err := checkData(b, begin, p.found)
	if err != nil {
		return line{}, fmt.Errorf("it is not a record: at byte %d of it %w", end, err)
	}
	if string(b[end:]) != "}" {
		return line{}, fmt.Errorf("it is not a record: at byte %d of it something else than its end stands", end)
	}
	l.seq, l.data = n, b[begin:end]
	return l, nil
}

// parseTime reads a time of timeLayout.
func parseTime(b []byte) (time.Time, bool) {
	if len(b) != len(timeLayout) {
		return time.Time{}, false
	}
	for i, c := range []byte(timeLayout) {
		if isDigit(c) != isDigit(b[i]) || !isDigit(c) && c != b[i] {
			return time.Time{}, false
		}
	}
	n := func(from, to int) (v int) {
		for _, c := range b[from:to] {
			v = v*10 + int(c-'0')
		}
		return v
	}
	month, day, hour, minute, second := n(5, 7), n(8, 10), n(11, 13), n(14, 16), n(17, 19)
	if hour > 23 || minute > 59 || second > 59 {
		return time.Time{}, false
	}
	t := time.Date(n(0, 4), time.Month(month), day, hour, minute, second, n(20, 29), time.UTC)
	return t, t.Day() == day && int(t.Month()) == month
}

// lines reads the lines of a journal. A slice that it returned is good until
// the next call.
type lines struct {
	r     io.Reader
	buf   []byte
	begin int   // of what is not returned yet
	end   int   // of what is read
	off   int64 // of buf[begin] in the file
	done  bool
}

func newLines(r io.Reader) *lines { return &lines{r: r, buf: make([]byte, 64<<10)} }

// next returns the next line without its newline and its place. whole is false
// for what follows the last newline. At the end it returns io.EOF.
func (l *lines) next() (b []byte, off int64, whole bool, err error) {
	seen := 0
	for {
		if i := bytes.IndexByte(l.buf[l.begin+seen:l.end], '\n'); i >= 0 {
			b, off = l.buf[l.begin:l.begin+seen+i], l.off
			l.begin += len(b) + 1
			l.off += int64(len(b)) + 1
			return b, off, true, nil
		}
		seen = l.end - l.begin
		if l.done || seen > maxLine {
			break
		}
		if err := l.fill(); err != nil {
			return nil, l.off, false, err
		}
	}
	b, off = l.buf[l.begin:l.end], l.off
	l.begin = l.end
	l.off += int64(len(b))
	if len(b) == 0 {
		return nil, off, false, io.EOF
	}
	return b, off, false, nil
}

// fill reads more behind what is there.
func (l *lines) fill() error {
	if l.begin > 0 {
		l.end = copy(l.buf, l.buf[l.begin:l.end])
		l.begin = 0
	}
	if l.end == len(l.buf) {
		l.buf = append(l.buf, make([]byte, len(l.buf))...)
	}
	n, err := l.r.Read(l.buf[l.end:])
	l.end += n
	if errors.Is(err, io.EOF) {
		l.done, err = true, nil
	}
	return err
}
