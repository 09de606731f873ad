package vm

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"html"
	"strconv"
	"strings"
)

// bytesModules are the natives of base64, hashlib and html.
func bytesModules() []*Native {
	out := []*Native{
		{name: "base64._encode", params: "s, /", call: base64Encode},
		{name: "base64._decode", params: "s, validate, /", call: base64Decode},
		{name: "html.unescape", params: "s", call: htmlUnescape},
	}
	for name, sum := range map[string]func(b []byte) []byte{
		"md5":    func(b []byte) []byte { s := md5.Sum(b); return s[:] },
		"sha1":   func(b []byte) []byte { s := sha1.Sum(b); return s[:] },
		"sha224": func(b []byte) []byte { s := sha256.Sum224(b); return s[:] },
		"sha256": func(b []byte) []byte { s := sha256.Sum256(b); return s[:] },
		"sha384": func(b []byte) []byte { s := sha512.Sum384(b); return s[:] },
		"sha512": func(b []byte) []byte { s := sha512.Sum512(b); return s[:] },
	} {
		out = append(out, &Native{name: "hashlib._" + name, params: "data, /", call: func(t *Thread, a *Args) (Value, error) {
			b, err := t.bytesArg(a.Pos[0])
			if err != nil {
				return Value{}, err
			}
			return t.bytes(string(sum([]byte(b)))), nil
		}})
	}
	return out
}

// bytesArg is an argument that has to be a bytes object; it pays for going over it.
func (t *Thread) bytesArg(v Value) (string, error) {
	b, ok := t.payload(v, kBytes)
	if !ok {
		return "", t.raise(t.types.TypeError, "a bytes-like object is required, not '%s'", t.className(v))
	}
	s := b.o.(*Bytes).b
	if err := t.alloc(int64(len(s)) * 2); err != nil {
		return "", err
	}
	return s, t.step(int64(len(s)) / 16)
}

func base64Encode(t *Thread, a *Args) (Value, error) {
	b, err := t.bytesArg(a.Pos[0])
	if err != nil {
		return Value{}, err
	}
	return t.bytes(base64.StdEncoding.EncodeToString([]byte(b))), nil
}

// base64Decode leaves out what is no letter, unless it is to validate.
func base64Decode(t *Thread, a *Args) (Value, error) {
	s, err := t.bytesArg(a.Pos[0])
	if err != nil {
		return Value{}, err
	}
	validate, err := t.truth(a.Pos[1])
	if err != nil {
		return Value{}, err
	}
	var data strings.Builder
	pads := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		letter := c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '+' || c == '/'
		switch {
		case letter && pads > 0 && !validate:
			if data.Len()%4+pads >= 4 {
				i = len(s) // what follows the end is left out
				continue
			}
			pads = 0
			data.WriteByte(c)
		case letter && pads == 0:
			data.WriteByte(c)
		case c == '=' && (data.Len()%4 > 1 || validate):
			pads++
		case validate:
			return Value{}, t.base64Error("Only base64 data is allowed")
		}
	}
	n := data.Len()
	switch {
	case n%4 == 1:
		return Value{}, t.base64Error("Invalid base64-encoded string: number of data characters (" + strconv.Itoa(n) + ") cannot be 1 more than a multiple of 4")
	case n%4 != 0 && pads < 4-n%4:
		return Value{}, t.base64Error("Incorrect padding")
	}
	b, err := base64.RawStdEncoding.DecodeString(data.String())
	if err != nil {
		return Value{}, t.base64Error("Incorrect padding")
	}
	return t.bytes(string(b)), nil
}

func (t *Thread) base64Error(text string) error {
	m, err := t.Import("base64")
	if err != nil {
		return err
	}
	cls, _ := m.names.str("Error")
	return t.raiseArgs(cls.o.(*Class), t.str(text))
}

func htmlUnescape(t *Thread, a *Args) (Value, error) {
	s, ok := t.payload(a.Pos[0], kStr)
	if !ok {
		return Value{}, t.raise(t.types.TypeError, "argument of type '%s' is not a container or iterable", t.className(a.Pos[0]))
	}
	text := s.o.(*Str).s
	if err := t.step(int64(len(text)) / 16); err != nil {
		return Value{}, err
	}
	return t.newStr(html.UnescapeString(text))
}
