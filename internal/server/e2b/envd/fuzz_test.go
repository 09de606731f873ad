package envd

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

// FuzzEnvelope: a stream of messages is read to its end or to an error, and what is read is what
// was written.
func FuzzEnvelope(f *testing.F) {
	f.Add([]byte(`{"process":{"cmd":"ls"}}`), byte(0))
	f.Add(append(envelope(0, []byte("{}")), envelope(flagEnd, nil)...), byte(flagEnd))
	f.Add([]byte{0, 0xff, 0xff, 0xff, 0xff}, byte(1))
	f.Fuzz(func(t *testing.T, data []byte, flags byte) {
		whole := envelope(flags, data)
		got, message, err := readEnvelope(bytes.NewReader(whole), nil)
		if flags&flagPacked == 0 && len(data) <= maxMessage && (err != nil || got != flags || !bytes.Equal(message, data)) {
			t.Errorf("got %d %q, %v", got, message, err)
		}
		r := bytes.NewReader(data)
		for range len(data) + 1 {
			_, message, err := readEnvelope(r, nil)
			if err != nil {
				return
			}
			for _, into := range []any{&startRequest{}, &inputRequest{}, &signalRequest{}, &streamInput{}, &updateRequest{}, &listRequest{}, &watchRequest{}} {
				_ = decode(message, into) // it fails, or not
			}
		}
		t.Error("a stream does not end")
	})
}

// FuzzDecode: no message is taken for another.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		`{"process":{"cmd":"/bin/bash","args":["-l","-c","x"],"envs":{"A":"b"},"cwd":"/"},"pty":{"size":{"cols":80,"rows":"24"}},"stdin":false}`,
		`{"process":{"pid":7},"input":{"stdin":"aGk="}}`, `{"process":{"tag":"t"},"signal":"SIGNAL_SIGKILL"}`, `{"path":"a","depth":"3"}`, `{"signal":1e400}`, `{"input":{"pty":"_-"}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var start startRequest
		if decode(data, &start) == nil {
			if size, err := start.Pty.size(); err == nil && size != nil && (size.Rows < 1 || size.Cols > 10_000) {
				t.Errorf("got a terminal of %+v", size)
			}
		}
		var in inputRequest
		if decode(data, &in) == nil && in.Input.Stdin != nil {
			again, err := json.Marshal([]byte(in.Input.Stdin))
			var back bytesOf
			if err != nil || back.UnmarshalJSON(again) != nil || !bytes.Equal(back, in.Input.Stdin) {
				t.Errorf("bytes are read otherwise: %q", in.Input.Stdin)
			}
		}
	})
}

// FuzzSigned: only what the token signed is let in, and only as long as it says.
func FuzzSigned(f *testing.F) {
	f.Add("/home/user/a", "user", "", "token", "v1_x")
	f.Add("a:read:", "", "1700000000", "t", "")
	f.Fuzz(func(t *testing.T, path, user, expires, token, forged string) {
		now := time.Unix(1_700_000_000, 0)
		q := url.Values{"path": {path}, "username": {user}, "signature": {forged}, "signature_expiration": {expires}}
		want := sign(path, "read", user, token, expires)
		if signed(q, "read", token, now) == "" && forged != want {
			t.Errorf("%q was let in", forged)
		}
		q.Set("signature", want)
		if reason := signed(q, "read", token, now); expires == "" && reason != "" {
			t.Errorf("refused: %s", reason)
		}
		if signed(q, "write", token, now) == "" && sign(path, "write", user, token, expires) != want {
			t.Error("who may read may write")
		}
	})
}

// A signature is the one that E2B's clients compute.
func TestSignature(t *testing.T) {
	q := url.Values{"path": {"/home/user/hello.txt"}, "username": {"user"}}
	now := time.Unix(1000, 0)
	for _, c := range []struct{ expires, reason string }{{"", ""}, {"1000", ""}, {"999", "signature is already expired"}, {"never", "signature is already expired"}} {
		q.Set("signature_expiration", c.expires)
		q.Set("signature", sign("/home/user/hello.txt", "read", "user", "secret", c.expires))
		if got := signed(q, "read", "secret", now); got != c.reason {
			t.Errorf("%q: got %q", c.expires, got)
		}
		if signed(q, "read", "other", now) == "" || signed(q, "write", "secret", now) == "" {
			t.Errorf("%q: another use is let in", c.expires)
		}
	}
	if got := sign("/a", "read", "", "t", ""); !strings.HasPrefix(got, "v1_") || strings.HasSuffix(got, "=") {
		t.Errorf("got %s", got)
	}
}

// Encodings are chosen as the header says.
func TestPacks(t *testing.T) {
	for header, want := range map[string][2]bool{
		"": {false, true}, "gzip": {true, true}, "gzip, deflate, br": {true, true}, "br": {false, true}, "gzip;q=0": {false, true}, "identity;q=0": {false, false},
		"identity;q=0, gzip": {true, true}, "*;q=0": {false, false}, "*": {false, true}, "br, identity;q=0": {false, false},
	} {
		if gz, ok := packs(header); gz != want[0] || ok != want[1] {
			t.Errorf("%q: got %t, %t", header, gz, ok)
		}
	}
}

// Paths are those of the one user's home.
func TestLocate(t *testing.T) {
	for name, want := range map[string]string{"": "/home/user", "a/b": "/home/user/a/b", "~": "/home/user", "~/x": "/home/user/x", "/etc/../tmp": "/tmp", "../../etc": "/etc", "a\x00": "error", "~root": "error"} {
		got, err := locate(name)
		if err != nil {
			got = "error"
		}
		if got != want {
			t.Errorf("%q: got %s", name, got)
		}
	}
	if basicUser("Basic dXNlcjo=") != "user" || basicUser("Bearer x") != "" || checkUser("root") == nil || checkUser("") != nil {
		t.Error("users are not read")
	}
	if got := fileName(`form-data; name="file"; filename="a/b c.txt"`); got != "a/b c.txt" {
		t.Errorf("got %q", got)
	}
	if _, _, err := readEnvelope(strings.NewReader(""), nil); !errors.Is(err, io.EOF) {
		t.Errorf("got %v", err)
	}
	if m, err := marksOf(http.Header{"X-Metadata-A-B": {"c"}, "Accept": {"x"}}); err != nil || len(m) != 1 || m["a-b"] != "c" {
		t.Errorf("got %v, %v", m, err)
	}
}
