package stream

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
)

// readAll returns the events of a stream as "type=data".
func readAll(r io.Reader) (got []string, err error) {
	events := NewReader(r)
	for {
		e, err := events.Next()
		if err == io.EOF {
			return got, nil
		}
		if err != nil {
			return got, err
		}
		got = append(got, e.Type+"="+string(e.Data))
	}
}

func TestReader(t *testing.T) {
	tests := []struct {
		name string
		text string
		want []string
	}{
		{"nothing", "", nil},
		{"one", "data: a\n\n", []string{"=a"}},
		{"type", "event: ping\ndata: {}\n\ndata: b\n\n", []string{"ping={}", "=b"}},
		{"the last type counts", "event: a\nevent: b\ndata: x\n\n", []string{"b=x"}},
		{"lines of data", "data: a\ndata:\ndata: b\n\n", []string{"=a\n\nb"}},
		{"empty data", "data\n\ndata:\n\n", []string{"=", "="}},
		{"one space is taken", "data:a\n\ndata:  b\n\n", []string{"=a", "= b"}},
		{"comments", ": keep alive\n\n:x\ndata: a\n: y\n\n", []string{"=a"}},
		{"other fields", "id: 7\nretry: 10\nfoo: bar\nDATA: no\ndata: a\n\n", []string{"=a"}},
		{"an event without data", "event: x\n\ndata: a\n\n", []string{"=a"}},
		{"CR LF", "event: x\r\ndata: a\r\n\r\ndata: b\r\n\r\n", []string{"x=a", "=b"}},
		{"CR", "event: x\rdata: a\r\rdata: b\r\r", []string{"x=a", "=b"}},
		{"mixed", "data: a\r\n\ndata: b\n\rdata: c\r\r\n", []string{"=a", "=b", "=c"}},
		{"byte order mark", "\xef\xbb\xbfdata: a\n\n\xef\xbb\xbfdata: b\n\n", []string{"=a"}},
		{"cut in the data", "data: a\n\ndata: b\n", []string{"=a"}},
		{"cut in the line", "data: a\n\nda", []string{"=a"}},
		{"no stream", "<html>\n</html>\n", nil},
		{"colon in the value", "data: {\"a\": 1}\n\n", []string{"={\"a\": 1}"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for name, r := range map[string]io.Reader{"whole": strings.NewReader(tt.text), "bytes": iotest.OneByteReader(strings.NewReader(tt.text))} {
				if got, err := readAll(r); err != nil || !reflect.DeepEqual(got, tt.want) {
					t.Errorf("%s: got %q, %v, want %q", name, got, err, tt.want)
				}
			}
		})
	}
}

// TestReaderWaitsForNothing checks that an event is there as soon as its last
// byte is, also when that is a CR.
func TestReaderWaitsForNothing(t *testing.T) {
	for _, text := range []string{"data: a\n\n", "data: a\r\r", "data: a\r\n\r\n"} {
		blocked := errors.New("blocked")
		events := NewReader(io.MultiReader(strings.NewReader(text), iotest.ErrReader(blocked)))
		if e, err := events.Next(); err != nil || string(e.Data) != "a" {
			t.Errorf("%q: %q, %v", text, e.Data, err)
		}
		if _, err := events.Next(); !errors.Is(err, blocked) {
			t.Errorf("%q: then %v", text, err)
		}
	}
}

func TestReaderBounds(t *testing.T) {
	long := strings.Repeat("x", MaxEvent)
	half := strings.Repeat("x", MaxEvent/2)
	tests := []struct {
		name string
		text string
		err  error
	}{
		{"data as long as may be", "data:" + long[:MaxEvent-5] + "\n\n", nil},
		{"a long line", "data:" + long + "\n\n", errLongEvent},
		{"a long comment", ":" + long + "\n\n", errLongEvent},
		{"lines without end", long + long, errLongEvent},
		{"much data in lines", "data:" + half + "\ndata:" + half + "\n\n", errLongEvent},
		{"much data in events", "data:" + half + "\n\ndata:" + half + "\n\ndata:" + half + "\n\n", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := readAll(strings.NewReader(tt.text)); !errors.Is(err, tt.err) {
				t.Errorf("error = %v, want %v", err, tt.err)
			}
		})
	}
}

// FuzzReader checks that what is read does not depend on how the bytes come,
// that it is bounded, and that events survive being written and read again.
func FuzzReader(f *testing.F) {
	for _, text := range []string{"data: a\n\n", "event: x\r\ndata: 1\r\ndata: 2\r\n\r\n", ":c\rdata\r\r", "\xef\xbb\xbfdata: [DONE]\n\n", "\n\r\n\r", "data:\x00\xff\n\n"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := readAll(strings.NewReader(text))
		if err != nil {
			t.Fatalf("error = %v", err)
		}
		if slow, err := readAll(iotest.OneByteReader(strings.NewReader(text))); err != nil || !reflect.DeepEqual(got, slow) {
			t.Fatalf("byte by byte %q, %v, want %q", slow, err, got)
		}
		var again strings.Builder
		events := NewReader(strings.NewReader(text))
		for {
			e, err := events.Next()
			if err != nil {
				break
			}
			fmt.Fprintf(&again, "event: %s\n", e.Type)
			for line := range strings.SplitSeq(string(e.Data), "\n") {
				fmt.Fprintf(&again, "data: %s\n", line)
			}
			again.WriteString("\n")
		}
		if twice, err := readAll(strings.NewReader(again.String())); err != nil || !reflect.DeepEqual(got, twice) {
			t.Fatalf("read again %q, %v, want %q", twice, err, got)
		}
	})
}
