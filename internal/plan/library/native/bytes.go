package native

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/binary"
	"html"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"praxis/internal/plan/value"
)

// bytesModules are the natives of base64, hashlib, html and struct.
func bytesModules() []*value.Native {
	out := []*value.Native{
		{Name: "base64._encode", Params: "s, /", Call: base64Encode},
		{Name: "base64._decode", Params: "s, validate, /", Call: base64Decode},
		{Name: "html.unescape", Params: "s", Call: htmlUnescape},
		{Name: "struct._float_bytes", Params: "x, size, /", Call: floatBytes},
		{Name: "struct._bytes_float", Params: "b, /", Call: bytesFloat},
	}
	for name, sum := range map[string]func(b []byte) []byte{
		"md5":    func(b []byte) []byte { s := md5.Sum(b); return s[:] },
		"sha1":   func(b []byte) []byte { s := sha1.Sum(b); return s[:] },
		"sha224": func(b []byte) []byte { s := sha256.Sum224(b); return s[:] },
		"sha256": func(b []byte) []byte { s := sha256.Sum256(b); return s[:] },
		"sha384": func(b []byte) []byte { s := sha512.Sum384(b); return s[:] },
		"sha512": func(b []byte) []byte { s := sha512.Sum512(b); return s[:] },
	} {
		out = append(out, &value.Native{Name: "hashlib._" + name, Params: "data, /", Call: func(t *value.Thread, a *value.Args) (value.Value, error) {
			b, err := bytesArg(t, a.Pos[0])
			if err != nil {
				return value.Value{}, err
			}
			return t.Bytes(string(sum([]byte(b)))), nil
		}})
	}
	return out
}

// bytesArg is an argument that has to be a bytes object; it pays for going over it.
func bytesArg(t *value.Thread, v value.Value) (string, error) {
	b, ok := t.Payload(v, value.KBytes)
	if !ok {
		return "", t.Raise(t.Types.TypeError, "a bytes-like object is required, not '%s'", t.ClassName(v))
	}
	s := b.Obj.(*value.Bytes).Data
	if err := t.Alloc(int64(len(s)) * 2); err != nil {
		return "", err
	}
	return s, t.Step(int64(len(s)) / 16)
}

func base64Encode(t *value.Thread, a *value.Args) (value.Value, error) {
	b, err := bytesArg(t, a.Pos[0])
	if err != nil {
		return value.Value{}, err
	}
	return t.Bytes(base64.StdEncoding.EncodeToString([]byte(b))), nil
}

// base64Decode leaves out what is no letter, unless it is to validate.
func base64Decode(t *value.Thread, a *value.Args) (value.Value, error) {
	s, err := bytesArg(t, a.Pos[0])
	if err != nil {
		return value.Value{}, err
	}
	validate, err := t.Truth(a.Pos[1])
	if err != nil {
		return value.Value{}, err
	}
	data := strings.TrimRight(s, "=")
	if !validate {
		data = strings.Map(func(r rune) rune {
			if r < utf8.RuneSelf && (r == '+' || r == '/' || unicode.IsDigit(r) || unicode.IsLetter(r)) {
				return r
			}
			return -1
		}, data)
	}
	if len(data)%4 == 1 {
		return value.Value{}, base64Error(t, "Invalid base64-encoded string: number of data characters ("+strconv.Itoa(len(data))+") cannot be 1 more than a multiple of 4")
	}
	if strings.Count(s, "=") < -len(data)&3 {
		return value.Value{}, base64Error(t, "Incorrect padding")
	}
	b, err := base64.RawStdEncoding.DecodeString(data)
	if err != nil {
		return value.Value{}, base64Error(t, "Only base64 data is allowed")
	}
	return t.Bytes(string(b)), nil
}

func base64Error(t *value.Thread, text string) error {
	m, err := t.Import("base64")
	if err != nil {
		return err
	}
	cls, _ := m.Names.Str("Error")
	return t.RaiseArgs(cls.Obj.(*value.Class), t.Str(text))
}

func htmlUnescape(t *value.Thread, a *value.Args) (value.Value, error) {
	s, ok := t.Payload(a.Pos[0], value.KStr)
	if !ok {
		return value.Value{}, t.Raise(t.Types.TypeError, "argument of type '%s' is not a container or iterable", t.ClassName(a.Pos[0]))
	}
	text := s.Obj.(*value.Str).Text
	if err := t.Step(int64(len(text)) / 16); err != nil {
		return value.Value{}, err
	}
	return t.NewStr(html.UnescapeString(text))
}

// floatBytes lays out a float in IEEE 754's format of 4 or 8 bytes, the greatest first.
func floatBytes(t *value.Thread, a *value.Args) (value.Value, error) {
	x, err := t.Real(a.Pos[0])
	if err != nil {
		return value.Value{}, err
	}
	if a.Pos[1].N != 4 { // an integer of the module's
		return t.Bytes(string(binary.BigEndian.AppendUint64(nil, math.Float64bits(x)))), nil
	}
	short := float32(x)
	if math.IsInf(float64(short), 0) && !math.IsInf(x, 0) {
		return value.Value{}, t.Raise(t.Types.OverflowError, "float too large to pack with f format")
	}
	return t.Bytes(string(binary.BigEndian.AppendUint32(nil, math.Float32bits(short)))), nil
}

func bytesFloat(t *value.Thread, a *value.Args) (value.Value, error) {
	s, err := bytesArg(t, a.Pos[0])
	if err != nil {
		return value.Value{}, err
	}
	if len(s) == 4 {
		return value.Float(float64(math.Float32frombits(binary.BigEndian.Uint32([]byte(s))))), nil
	}
	return value.Float(math.Float64frombits(binary.BigEndian.Uint64([]byte(s)))), nil
}
