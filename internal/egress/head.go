package egress

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"strings"

	"praxis/internal/safetext"
)

// maxFields bounds the header fields of a request.
const maxFields = 200

// head is what is known of a request's head before it is parsed, taken from its
// very bytes: a request that two parsers could read differently is refused.
type head struct {
	host  string
	hosts int
}

// headError says what is wrong with a head.
type headError struct {
	verdict verdict
	reason  string
}

func (e *headError) Error() string { return e.reason }

func badHead(format string, args ...any) error {
	return &headError{malformed, "the request is malformed: " + fmt.Sprintf(format, args...)}
}

// peekHead waits for a whole head, checks it and leaves it in br.
func peekHead(br *bufio.Reader) (head, error) {
	checked := 0 // complete lines up to here
	for n := 1; ; n = br.Buffered() + 1 {
		if n > br.Size() {
			return head{}, &headError{tooLarge, fmt.Sprintf("the head of the request is longer than %d bytes", br.Size())}
		}
		if _, err := br.Peek(n); err != nil {
			return head{}, err
		}
		b, _ := br.Peek(br.Buffered())
		for {
			end := bytes.IndexByte(b[checked:], '\n')
			if end < 0 {
				break
			}
			if end == 0 || b[checked+end-1] != '\r' {
				return head{}, badHead("a line does not end in CR LF")
			}
			if end == 1 {
				return checkHead(b[:checked])
			}
			if checked == 0 { // others say no more than a line before they wait
				if _, err := checkRequestLine(string(b[:end-1])); err != nil {
					return head{}, err
				}
			}
			checked += end + 1
		}
		if checked == 0 && !isToken(b[0]) {
			return head{}, badHead("it does not begin with a method")
		}
	}
}

// checkHead checks the lines of a head, each of which ends in CR LF, without the
// empty one.
func checkHead(b []byte) (head, error) {
	lines := strings.Split(string(b), "\r\n")
	lines = lines[:len(lines)-1]
	if len(lines) == 0 {
		return head{}, badHead("it is empty")
	}
	if len(lines) > maxFields {
		return head{}, &headError{tooLarge, fmt.Sprintf("the request has more than %d header fields", maxFields)}
	}
	old, err := checkRequestLine(lines[0])
	if err != nil {
		return head{}, err
	}
	var h head
	seen := map[string]int{}
	for _, line := range lines[1:] {
		name, value, err := cutField(line)
		if err != nil {
			return head{}, err
		}
		seen[name]++
		if name == "host" {
			h.host = value
		}
		if err := checkFraming(name, value, old); err != nil {
			return head{}, err
		}
	}
	for _, name := range []string{"host", "content-length", "transfer-encoding", "upgrade", "expect"} {
		if seen[name] > 1 {
			return head{}, badHead("the header field %s stands twice", name)
		}
	}
	if seen["content-length"]+seen["transfer-encoding"] > 1 {
		return head{}, badHead("it has both Content-Length and Transfer-Encoding")
	}
	h.hosts = seen["host"]
	return h, nil
}

// checkRequestLine says whether the request is of HTTP/1.0.
func checkRequestLine(line string) (old bool, err error) {
	parts := strings.Split(line, " ")
	if len(parts) != 3 || parts[0] == "" || parts[1] == "" {
		return false, badHead("the first line is not METHOD TARGET VERSION")
	}
	for i := range len(parts[0]) {
		if !isToken(parts[0][i]) {
			return false, badHead("the method has a character that it cannot have")
		}
	}
	for i := range len(parts[1]) {
		if c := parts[1][i]; c <= ' ' || c == 0x7f {
			return false, badHead("the target has a control character")
		}
	}
	switch parts[2] {
	case "HTTP/1.1":
		return false, nil
	case "HTTP/1.0":
		return true, nil
	}
	return false, &headError{unsupported, fmt.Sprintf("only HTTP/1.1 is spoken, not %q", safetext.Clip(parts[2], 100))}
}

// cutField cuts a header field in two; its name is in lower case.
func cutField(line string) (name, value string, err error) {
	name, value, ok := strings.Cut(line, ":")
	if !ok || name == "" {
		return "", "", badHead("a line is no header field")
	}
	for i := range len(name) {
		if !isToken(name[i]) { // also a line that goes on with the one before it
			return "", "", badHead("the name of a header field has a character that it cannot have")
		}
	}
	for i := range len(value) {
		if c := value[i]; c < ' ' && c != '\t' || c == 0x7f {
			return "", "", badHead("a header field has a control character")
		}
	}
	return strings.ToLower(name), strings.Trim(value, " \t"), nil
}

// checkFraming checks what says where the body ends.
func checkFraming(name, value string, old bool) error {
	switch name {
	case "content-length":
		if value == "" || len(value) > 18 || strings.Trim(value, "0123456789") != "" {
			return badHead("Content-Length is no number")
		}
	case "transfer-encoding":
		if old || !strings.EqualFold(value, "chunked") {
			return badHead("only the Transfer-Encoding chunked, in HTTP/1.1, is read")
		}
	case "expect":
		if !strings.EqualFold(value, "100-continue") {
			return badHead("only Expect: 100-continue is known")
		}
	}
	return nil
}

// asRefusal makes what is wrong with a head a refusal. nil: nothing was said, or
// the connection broke.
func asRefusal(err error, t target) *refusal {
	var bad *headError
	if errors.As(err, &bad) {
		return refuse(bad.verdict, t, "", "%s", bad.reason)
	}
	return nil
}
