package egress

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
)

var errHello = errors.New("the TLS ClientHello is malformed")

// maxRecord bounds one record of TLS, without its head.
const maxRecord = 1 << 14

// alert returns the TLS record that says "access denied".
func alert() []byte { return []byte{21, 3, 1, 0, 2, 2, 49} }

// peekHello reads the name that a ClientHello asks for, "" when it names none,
// and leaves all bytes in br. An ECH has an outer name, which is the one read:
// only the host can read the inner one.
func peekHello(br *bufio.Reader) (name string, err error) {
	for need := 5; ; {
		if need > br.Size() {
			return "", fmt.Errorf("the TLS ClientHello is longer than %d bytes", br.Size())
		}
		if _, err := br.Peek(need); err != nil {
			return "", err
		}
		b, _ := br.Peek(br.Buffered())
		name, more, err := parseHello(b)
		if err != nil || more == 0 {
			return name, err
		}
		need = len(b) + more
	}
}

// parseHello reads the records at the beginning of b. more says how many bytes
// are lacking at least; 0: none.
func parseHello(b []byte) (name string, more int, err error) {
	var message []byte
	for {
		if len(b) < 5 {
			return "", 5 - len(b), nil
		}
		size := int(binary.BigEndian.Uint16(b[3:]))
		if b[0] != recordHandshake || b[1] != 3 || size == 0 || size > maxRecord {
			return "", 0, errHello
		}
		if len(b) < 5+size {
			return "", 5 + size - len(b), nil
		}
		message = append(message, b[5:5+size]...)
		b = b[5+size:]
		if len(message) < 4 {
			continue
		}
		if message[0] != 1 { // ClientHello
			return "", 0, errHello
		}
		length := int(message[1])<<16 | int(binary.BigEndian.Uint16(message[2:]))
		if len(message) >= 4+length {
			name, err = helloName(message[4 : 4+length])
			return name, 0, err
		}
	}
}

// field is a part of a message that is read from its beginning.
type field struct {
	b  []byte
	ok bool
}

// take returns the next n bytes.
func (f *field) take(n int) []byte {
	if n > len(f.b) {
		f.ok, f.b = false, nil
		return make([]byte, n)
	}
	out := f.b[:n]
	f.b = f.b[n:]
	return out
}

// vector returns what the next bytes, a length of the given size, count.
func (f *field) vector(size int) field {
	n := 0
	for _, c := range f.take(size) {
		n = n<<8 | int(c)
	}
	if n > len(f.b) {
		f.ok, f.b = false, nil
		return field{ok: true}
	}
	return field{f.take(n), true}
}

// helloName returns the name in the body of a ClientHello (RFC 8446, 4.1.2). What
// could be read in two ways is refused.
func helloName(body []byte) (string, error) {
	f := field{body, true}
	f.take(2 + 32) // version, random
	f.vector(1)    // session
	f.vector(2)    // ciphers
	f.vector(1)    // compression
	if f.ok && len(f.b) == 0 {
		return "", nil // no extensions
	}
	extensions := f.vector(2)
	if !f.ok || len(f.b) != 0 {
		return "", errHello
	}
	name, found := "", false
	for len(extensions.b) > 0 {
		kind := extensions.take(2)
		data := extensions.vector(2)
		if !extensions.ok {
			return "", errHello
		}
		if kind[0] != 0 || kind[1] != 0 { // server_name, RFC 6066
			continue
		}
		if found {
			return "", errors.New("the TLS ClientHello names two hosts")
		}
		found = true
		list := data.vector(2)
		sort := list.take(1)
		host := list.vector(2)
		if !data.ok || len(data.b) != 0 || !list.ok || len(list.b) != 0 || sort[0] != 0 || len(host.b) == 0 {
			return "", errHello
		}
		name = string(host.b)
	}
	return name, nil
}
