package tools

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"praxis/event"
	"praxis/internal/egress"
)

// egressTests reach out of a real sandbox, in every way that its programs have.
func egressTests(t *testing.T, w *world) {
	site, port := splitAddress(w.address.site)
	code := strings.NewReplacer("SITE", w.address.site, "HOST", site, "PORT", port, "ECHO", w.address.echo, "SAFE", w.address.safe).Replace
	t.Run("urllib", func(t *testing.T) {
		w.expect(t, code(`
import urllib.request, urllib.error, os
print(urllib.request.urlopen("http://SITE/a", timeout=20).read().decode())
print(urllib.request.urlopen("http://SITE/b", data=b"x" * 1000000, timeout=20).read()[:14].decode())
def refused(url):
    try:
        return urllib.request.urlopen(url, timeout=20).read()
    except urllib.error.HTTPError as exc:
        return f"{exc.code} {exc.read().decode()!r}"
    except OSError as exc:
        return f"{type(exc).__name__} {exc}"
for url in ["http://127.0.0.1:1/", "http://ECHOX/", "http://other.test/", "http://inside.test/", "http://ten.inside.test/", "http://meta.inside.test/latest/meta-data", "http://[::1]:PORT/", "http://0x7f.1:PORT/", "http://2130706433:PORT/", "http://localhost:PORT/", "https://example.org/"]:
    print(refused(url)[:60])
`),
			"hello GET /a", "hello POST /b",
			"403", "400", "403", "403", "403", "403", "403", "400", "400", "Connection refused", "403")
	})
	t.Run("curl", func(t *testing.T) {
		out := w.python(t, code(`
import shutil, subprocess
curl = shutil.which("curl")
print(subprocess.run([curl, "-s", "-m", "20", "http://SITE/curl"], capture_output=True, text=True).stdout if curl else "there is no curl")
`))
		if strings.Contains(out, "there is no curl") {
			t.Skip("the image has no curl: http.client below speaks to the proxy in its place")
		}
		if !strings.Contains(out, "hello GET /curl") {
			t.Errorf("curl printed %q", out)
		}
	})
	t.Run("requests", func(t *testing.T) {
		out := w.python(t, code(`
try:
    import requests
    print(requests.get("http://SITE/requests", timeout=20).text)
except ImportError:
    print("there is no requests")
`))
		if strings.Contains(out, "there is no requests") {
			t.Skip("the image has no requests")
		}
		if !strings.Contains(out, "hello GET /requests") {
			t.Errorf("requests printed %q", out)
		}
	})
	t.Run("subprocess", func(t *testing.T) {
		w.expect(t, code(`
import subprocess, sys
print(subprocess.run([sys.executable, "-c", "import urllib.request; print(urllib.request.urlopen('http://SITE/child').read().decode())"], capture_output=True, text=True).stdout)
`), "hello GET /child")
	})
	t.Run("raw", func(t *testing.T) {
		w.expect(t, code(`
import socket, http.client, os, struct, urllib.parse
proxy = urllib.parse.urlsplit(os.environ["http_proxy"])
# Without the proxy there is no way, whatever is allowed.
for target in [("HOST", PORT), ("93.184.216.34", 443), ("10.0.0.1", 80)]:
    try:
        socket.create_connection(target, 5).close(); print("out:", target)
    except OSError as exc:
        print("no way:", type(exc).__name__)
try:
    socket.getaddrinfo("example.com", 443); print("resolved")
except OSError as exc:
    print("no name:", type(exc).__name__)
c = http.client.HTTPConnection(proxy.hostname, proxy.port, timeout=20)
c.request("GET", "http://SITE/client"); print(c.getresponse().read().decode())
# CONNECT to what speaks any protocol.
c = http.client.HTTPConnection(proxy.hostname, proxy.port, timeout=20)
host, port = "ECHO".split(":")
c.set_tunnel(host, int(port)); c.connect(); c.sock.sendall(b"\x00\x01raw bytes\n"); print(c.sock.recv(100)); c.close()

def socks(host, port, kind=3):
    s = socket.create_connection((proxy.hostname, proxy.port), 20)
    s.sendall(b"\x05\x01\x00"); assert s.recv(2) == b"\x05\x00"
    name = bytes([len(host)]) + host.encode() if kind == 3 else socket.inet_aton(host)
    s.sendall(b"\x05\x01\x00" + bytes([kind]) + name + struct.pack(">H", port))
    return s, s.recv(10)
s, reply = socks(host, int(port), 1)
print("socks", reply[1]); s.sendall(b"\x00over socks"); print(s.recv(100)); s.close()
for target in [("10.0.0.1", 80, 1), ("ten.inside.test", 80, 3), ("169.254.169.254", 80, 1), ("HOST", 1, 1)]:
    print("socks", socks(*target)[1][1])
`),
			"no way", "no way", "no way", "no name", "hello GET /client", "raw bytes", "socks 0", "over socks",
			"socks 2", "socks 2", "socks 2", "socks 2")
	})
	t.Run("credentials", w.credentials)
	t.Run("rules", w.newRules)
	t.Run("record", w.recorded)
}

func splitAddress(address string) (host, port string) {
	i := strings.LastIndexByte(address, ':')
	return address[:i], address[i+1:]
}

// credentials reach the server, over TLS, and never the code.
func (w *world) credentials(t *testing.T) {
	before := len(w.headers())
	out := w.python(t, `
import os, urllib.request, urllib.error, ssl
held = "Bearer " + os.environ["SAFE_TOKEN"]
def ask(url, value):
    r = urllib.request.Request(url, headers={"Authorization": value})
    try:
        return urllib.request.urlopen(r, timeout=20).read().decode()
    except urllib.error.HTTPError as exc:
        return f"{exc.code} {exc.read().decode()}"
    except OSError as exc:
        return f"{type(exc).__name__} {exc}"
echoed = ask("https://example.com/v1/ask", held)
print("IN", echoed)
print("PATH", ask("https://example.com/v2/ask", held))
print("OTHER", ask("http://`+w.address.site+`/v1", held))
print("BODY", ask("https://example.com/v1/" + held[7:], "none"))
print("HELD", held)
`)
	if what, form := find([]byte(out), map[string]string{"credential": w.canary("credential")}); what != "" {
		t.Errorf("the code has the %s: %q in %s", what, form, out)
	}
	sent := w.headers()[before:]
	if len(sent) != 1 || sent[0].Get("Authorization") != "Bearer "+w.canary("credential") {
		t.Errorf("the servers received %v", sent)
	}
	for _, line := range []string{"IN hello GET /v1/ask", "PATH 4", "OTHER 4", "BODY 4"} {
		if !strings.Contains(out, line) {
			t.Errorf("no %q in %q", line, out)
		}
	}
}

func (w *world) headers() []header {
	w.mu.Lock()
	defer w.mu.Unlock()
	out := make([]header, 0, len(w.headersSeen))
	for _, h := range w.headersSeen {
		out = append(out, header(h))
	}
	return out
}

// header is the headers of one request.
type header map[string][]string

// Get returns the first value of a header.
func (h header) Get(name string) string {
	if v := h[name]; len(v) > 0 {
		return v[0]
	}
	return ""
}

// newRules cuts connections that live when they are no longer allowed.
func (w *world) newRules(t *testing.T) {
	old := w.net.Rules()
	done := make(chan string, 1)
	host, port := splitAddress(w.address.echo)
	go func() {
		done <- w.python(t, fmt.Sprintf(`
import http.client, os, urllib.parse
proxy = urllib.parse.urlsplit(os.environ["http_proxy"])
c = http.client.HTTPConnection(proxy.hostname, proxy.port, timeout=30)
c.set_tunnel(%q, %s); c.connect(); c.sock.sendall(b"\x00x"); print(c.sock.recv(10))
c.sock.sendall(b"stop")
try:
    while data := c.sock.recv(10):
        print("said", data)
    print("then", data)
except OSError as exc:
    print("then", type(exc).__name__)
try:
    c = http.client.HTTPConnection(proxy.hostname, proxy.port, timeout=30)
    c.set_tunnel(%q, %s); c.connect(); print("again")
except OSError as exc:
    print("refused", exc)
`, host, port, host, port))
	}()
	select {
	case <-w.stopped: // the code has connected, and received an answer
	case out := <-done:
		t.Fatalf("the code ended: %q", out)
	case <-time.After(time.Minute):
		t.Fatal("the code never came so far")
	}
	rules, err := egress.ParseRules([]string{w.address.site})
	if err != nil {
		t.Fatal(err)
	}
	w.net.SetRules(rules)
	out := <-done
	w.net.SetRules(old)
	if !strings.Contains(out, "then b''") && !strings.Contains(out, "then Conn") || !strings.Contains(out, "refused") || strings.Contains(out, "again") {
		t.Errorf("the code printed %q", out)
	}
}

// recorded compares what was done with what the journal says.
func (w *world) recorded(t *testing.T) {
	opened, closed, refused := eventsOf[event.ConnectionOpened](w), eventsOf[event.ConnectionClosed](w), eventsOf[event.ConnectionRefused](w)
	bytes := map[string]event.ConnectionClosed{}
	for end := time.Now().Add(time.Minute); len(closed) < len(opened) && time.Now().Before(end); closed = eventsOf[event.ConnectionClosed](w) {
		time.Sleep(10 * time.Millisecond)
	}
	for _, e := range closed {
		bytes[e.ID] = e
	}
	hosts, vias, sent, injected := map[string]int{}, map[string]int{}, int64(0), 0
	for _, e := range opened {
		c, ok := bytes[e.ID]
		if !ok {
			t.Errorf("%+v was never closed", e)
		}
		if e.Rule == "" || c.Reason == "" {
			t.Errorf("%+v, %+v", e, c)
		}
		hosts[e.Host]++
		vias[e.Via]++
		sent = max(sent, c.Sent)
		injected += c.Injected
	}
	if hosts["127.0.0.1"] == 0 || hosts["example.com"] == 0 || len(hosts) != 2 {
		t.Errorf("connected to %v", hosts)
	}
	if vias["http"] == 0 || vias["connect"] == 0 || vias["socks5"] == 0 {
		t.Errorf("connected by %v", vias)
	}
	if sent < 1000000 || injected != 1 {
		t.Errorf("%d bytes were sent at most, %d credentials put in", sent, injected)
	}
	for end := time.Now().Add(time.Minute); !strings.Contains(fmt.Sprintf("%+v", refused), "Host:10.0.0.1") && time.Now().Before(end); refused = eventsOf[event.ConnectionRefused](w) {
		time.Sleep(20 * time.Millisecond)
	}
	reasons := map[string]bool{}
	for _, e := range refused {
		reasons[e.Host] = true
		if e.Reason == "" || e.Count < 1 {
			t.Errorf("%+v", e)
		}
	}
	for _, host := range []string{"inside.test", "ten.inside.test", "meta.inside.test", "other.test", "10.0.0.1", "169.254.169.254", "example.org"} {
		if !reasons[host] {
			t.Errorf("no refusal of %s is recorded: %+v", host, refused)
		}
	}
}
