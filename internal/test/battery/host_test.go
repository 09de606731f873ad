package battery

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// host is what is planted outside for the probes to find.
type host struct {
	dir     string
	values  map[string]string
	reached atomic.Int32 // connections and datagrams that came out of a sandbox
	program string       // a host file whose contents must not change
	before  os.FileInfo
}

func newHost(t *testing.T) *host {
	t.Helper()
	secret := "secret-" + randomHex()
	t.Setenv("PRAXIS_BATTERY", secret) // sandboxes are made after this
	h := &host{dir: t.TempDir()}
	file := filepath.Join(h.dir, "secret.txt")
	if err := os.WriteFile(file, []byte(secret), 0o644); err != nil {
		t.Fatal(err)
	}
	// Anyone may read it: what keeps the guest from it must be the boundary.
	for d := h.dir; d != "/" && strings.HasPrefix(d, os.TempDir()+"/"); d = filepath.Dir(d) {
		if err := os.Chmod(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	name, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	h.values = map[string]string{
		"SECRET": secret, "SECRET_FILE": file, "SECRET_DIR": h.dir, "DATA_DIR": dataDir, "HOSTNAME": name,
		"TEST_BINARY": filepath.Base(os.Args[0]), "KERNEL": strings.TrimSpace(read(t, "/proc/sys/kernel/osrelease")),
		"BOOT": strings.TrimSpace(read(t, "/proc/cmdline")), "MEMORY_TOTAL": memoryTotal(t), "RESOLVER": resolver(), "HOST_IP": hostIP(),
		"TCP_PORT": h.listen(t, "tcp4", "0.0.0.0:0"), "UDP_PORT": h.listenPacket(t), "TCP6_PORT": "1",
		"ABSTRACT": "praxis-battery-" + randomHex(), "SOCKET_FILE": filepath.Join(h.dir, "socket"),
	}
	if l, err := net.Listen("tcp6", "[::1]:0"); err == nil {
		l.Close()
		h.values["TCP6_PORT"] = h.listen(t, "tcp6", "[::1]:0")
	} else {
		t.Logf("no IPv6 on this host (%v): its probe only has the loopback of the sandbox", err)
	}
	h.listen(t, "unix", "@"+h.values["ABSTRACT"])
	h.listen(t, "unix", h.values["SOCKET_FILE"])
	if err := os.Chmod(h.values["SOCKET_FILE"], 0o777); err != nil {
		t.Fatal(err)
	}
	if h.program, err = filepath.EvalSymlinks("/usr/bin/env"); err != nil {
		t.Fatal(err)
	}
	if h.before, err = os.Stat(h.program); err != nil {
		t.Fatal(err)
	}
	return h
}

func randomHex() string {
	b := make([]byte, 8)
	rand.Read(b)
	return hex.EncodeToString(b)
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func memoryTotal(t *testing.T) string {
	t.Helper()
	var kb int64
	if _, err := fmt.Sscanf(read(t, "/proc/meminfo"), "MemTotal: %d kB", &kb); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(kb << 10)
}

func resolver() string {
	b, _ := os.ReadFile("/etc/resolv.conf") // a host without one has no resolver to reach
	for line := range strings.Lines(string(b)) {
		if f := strings.Fields(line); len(f) > 1 && f[0] == "nameserver" && net.ParseIP(f[1]).To4() != nil {
			return f[1]
		}
	}
	return "127.0.0.53"
}

func hostIP() string {
	addrs, _ := net.InterfaceAddrs() // a host without addresses leaves the loopback
	for _, a := range addrs {
		if n, ok := a.(*net.IPNet); ok && n.IP.To4() != nil && !n.IP.IsLoopback() {
			return n.IP.String()
		}
	}
	return "127.0.0.2"
}

// listen counts connections and returns the port, or "".
func (h *host) listen(t *testing.T, network, addr string) string {
	t.Helper()
	l, err := net.Listen(network, addr)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	t.Cleanup(func() { l.Close(); <-done })
	go func() {
		defer close(done)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			h.reached.Add(1)
			c.Close()
		}
	}()
	if a, ok := l.Addr().(*net.TCPAddr); ok {
		return fmt.Sprint(a.Port)
	}
	return ""
}

// listenPacket counts datagrams and answers them.
func (h *host) listenPacket(t *testing.T) string {
	t.Helper()
	c, err := net.ListenUDP("udp4", &net.UDPAddr{})
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	t.Cleanup(func() { c.Close(); <-done })
	go func() {
		defer close(done)
		b := make([]byte, 64)
		for {
			_, from, err := c.ReadFromUDP(b)
			if err != nil {
				return
			}
			h.reached.Add(1)
			c.WriteToUDP([]byte("reached"), from)
		}
	}()
	return fmt.Sprint(c.LocalAddr().(*net.UDPAddr).Port)
}

// fill puts what is planted into a probe's code.
func (h *host) fill(code string) string {
	for k, v := range h.values {
		code = strings.ReplaceAll(code, "{{"+k+"}}", v)
	}
	return code
}

// check looks from outside whether anything came through.
func (h *host) check(t *testing.T) {
	t.Helper()
	if n := h.reached.Load(); n > 0 {
		t.Errorf("%d connections or datagrams reached the host", n)
	}
	if got := read(t, filepath.Join(h.dir, "secret.txt")); got != h.values["SECRET"] {
		t.Error("the planted file was changed")
	}
	after, err := os.Stat(h.program)
	if err != nil || after.Size() != h.before.Size() || !after.ModTime().Equal(h.before.ModTime()) || after.Mode() != h.before.Mode() {
		t.Errorf("%s was changed (%v)", h.program, err)
	}
	if _, err := os.Stat("/usr/bin/praxis-probe"); err == nil {
		t.Error("a file was written into /usr/bin")
	}
}
