package agent

import (
	"bytes"
	"encoding/binary"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// testToolSocket is a tool socket for uid whose agent has no host yet.
func testToolSocket(t *testing.T, uid uint32) (*toolSocket, func() net.Conn) {
	t.Helper()
	s := newServer(io.Discard)
	dir, err := os.MkdirTemp("", "desk") // a short name: a socket's is bounded
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	d, err := newToolSocket(s, filepath.Join(dir, "s"), uid)
	if err != nil {
		t.Fatal(err)
	}
	s.tools = d
	t.Cleanup(func() {
		s.close()
		os.RemoveAll(dir)
	})
	return d, func() net.Conn {
		conn, err := net.Dial("unix", d.path)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		if err := conn.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
			t.Fatal(err)
		}
		return conn
	}
}

// answer reads one answer.
func answer(t *testing.T, conn net.Conn) (kind byte, body string) {
	t.Helper()
	var head [5]byte
	if _, err := io.ReadFull(conn, head[:]); err != nil {
		t.Fatal(err)
	}
	text := make([]byte, binary.BigEndian.Uint32(head[:]))
	if _, err := io.ReadFull(conn, text); err != nil {
		t.Fatal(err)
	}
	return head[4], string(text)
}

func TestToolSocketRefusesOthers(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("skipped: only root can be another user")
	}
	d, _ := testToolSocket(t, userID+1)
	err := asUser(true, func() error {
		conn, err := net.Dial("unix", d.path)
		if err != nil {
			return err
		}
		defer conn.Close()
		_ = conn.SetDeadline(time.Now().Add(20 * time.Second))
		_, err = conn.Read(make([]byte, 1))
		return err
	})
	if err != io.EOF {
		t.Errorf("another user's connection: got %v, want its end", err)
	}
}

func TestToolSocketAndWhatIsNoCall(t *testing.T) {
	_, dial := testToolSocket(t, uint32(os.Getuid()))
	frame := func(body string) []byte {
		return append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), body...)
	}
	conn := dial()
	for _, bad := range []string{"", "{", "\xff", `{"a":1}x`} {
		if _, err := conn.Write(frame(bad)); err != nil {
			t.Fatal(err)
		}
		if kind, text := answer(t, conn); kind != answerFailure || !strings.Contains(text, "no JSON") {
			t.Errorf("%q: got %d %s", bad, kind, text)
		}
	}
	for name, bad := range map[string][]byte{
		"too long": binary.BigEndian.AppendUint32(nil, 1<<31), "two at once": append(frame("1"), frame("2")...),
	} {
		conn := dial()
		if _, err := conn.Write(bad); err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(conn)
		if err != nil || name == "too long" != bytes.Contains(got, []byte("exhausted")) {
			t.Errorf("%s: got %q, %v", name, got, err)
		}
	}
}

// A connection that is idle gives its place to a new one, and gets word of it.
func TestToolSocketRetiresTheIdle(t *testing.T) {
	d, dial := testToolSocket(t, uint32(os.Getuid()))
	var all []net.Conn
	for range maxCallers {
		conn := dial()
		if _, err := conn.Write([]byte{0, 0, 0, 0}); err != nil { // so that it is known to be there
			t.Fatal(err)
		}
		answer(t, conn)
		all = append(all, conn)
	}
	if c := dial(); c != nil {
		if _, err := c.Write([]byte{0, 0, 0, 0}); err != nil {
			t.Fatal(err)
		}
		answer(t, c)
	}
	d.mu.Lock()
	n := len(d.callers)
	d.mu.Unlock()
	if n != maxCallers {
		t.Errorf("%d connections, want %d", n, maxCallers)
	}
	retired := 0
	for _, conn := range all {
		_ = conn.SetReadDeadline(time.Now().Add(20 * time.Millisecond))
		var head [5]byte
		if _, err := io.ReadFull(conn, head[:]); err == nil && head[4] == answerRetired {
			retired++
		}
	}
	if retired != 1 {
		t.Errorf("%d connections were retired, want 1", retired)
	}
}
