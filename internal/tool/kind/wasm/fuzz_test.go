package wasm

import (
	"context"
	"net"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"praxis/fault"
	"praxis/internal/tool"
	"praxis/internal/tool/jsondoc"
)

// FuzzModule reads, compiles and runs whatever bytes: nothing panics, and what is
// accepted keeps within its bounds.
func FuzzModule(f *testing.F) {
	for _, c := range bad() {
		f.Add(c.data)
	}
	f.Add(tiny(nil))
	f.Add(tiny([]byte{0x03, 0x40, 0x0c, 0, 0x0b}, section(5, 1, 0, 1)))
	f.Add(tiny([]byte{0xd0, 0x70, 0x41, 0xd0, 0x86, 0x03, 0xfc, 0x0f, 0, 0x1a}, section(4, 1, 0x70, 0, 1)))
	f.Add(join(header, section(1, 2, 0x60, 0, 0, 0x60, 1, 0x7f, 0), section(2, join([]byte{1}, named(wasi), named("proc_exit"), []byte{0, 1})...),
		section(3, 1, 0), section(7, join([]byte{1}, named(entry), []byte{0, 1})...), section(10, 1, 6, 0, 0x41, 3, 0x10, 0, 0x0b)))
	k := New(Config{})
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := readModule(data)
		if err != nil {
			if fault.KindOf(moduleFault("x", err)) != fault.Invalid {
				t.Fatalf("%v", err)
			}
			return
		}
		again, err := readModule(m.code)
		if err != nil || !slices.Equal(again.code, m.code) {
			t.Fatalf("the copy is not what it is a copy of: %v", err)
		}
		g := grant{memory: 1 << 20, output: 1 << 16, disk: 1, time: 20 * time.Millisecond}
		_, _ = m.beyond(g)
		impl := &implementation{
			kind: k, tool: "t", file: "f", grant: g,
			program: &program{kind: k, key: programKey{pages: 16}, mod: m, users: 1},
			running: map[*context.CancelCauseFunc]struct{}{},
		}
		_, _ = impl.Call(context.Background(), tool.Invocation{})
		if err := impl.Close(); err != nil {
			t.Error(err)
		}
	})
}

// FuzzSettings reads whatever settings: no panic, and each error is a fault.
func FuzzSettings(f *testing.F) {
	f.Add(`{"module":"m.wasm","sha256":"00","grant":{"files":{"/data":{"path":"x"}},"env":{"A":{"secret":"B"}},"hosts":["a.example:443","[::1]:80"],"memory":"1MiB","time":"1s"}}`)
	f.Add(`{"module":"m","grant":{}}`)
	f.Add(`{"module":"m","grant":null}`)
	f.Fuzz(func(t *testing.T, text string) {
		v, err := jsondoc.Decode([]byte(text))
		spec, ok := v.(*jsondoc.Object)
		if err != nil || !ok {
			return
		}
		_, g, err := readSettings(tool.Binding{Spec: spec})
		if err != nil {
			if fault.KindOf(err) != fault.Invalid {
				t.Fatalf("%v: %v", fault.KindOf(err), err)
			}
			return
		}
		if g.memory > maxMemory || g.output > maxOutput || g.disk > maxDisk || g.time > maxTime || g.time <= 0 {
			t.Fatalf("granted %+v", g)
		}
		for _, h := range g.hosts {
			name, port, err := net.SplitHostPort(h)
			if again, ok := hostPort(name, port); err != nil || !ok || again != h {
				t.Fatalf("host %q is %q when it is read again: %v", h, again, err)
			}
		}
	})
}

// FuzzRequest reads whatever requests: what is allowed goes to the granted host.
func FuzzRequest(f *testing.F) {
	for _, u := range []string{"http://a.example/", "https://A.example.:443/x#y", "http://a.example@b.example/", "http://b.example\\@a.example/", "http://[::1]/", "http://a.example:99999/"} {
		f.Add(`{"url":"` + u + `"}`)
	}
	f.Add(`{"method":"POST","url":"http://a.example/","headers":{"A":"b"},"body_base64":"eA=="}`)
	f.Fuzz(func(t *testing.T, text string) {
		r, _, err := decodeRequest([]byte(text))
		if err != nil {
			if fault.KindOf(err) != fault.Invalid {
				t.Fatalf("%v: %v", fault.KindOf(err), err)
			}
			return
		}
		c := &client{hosts: []string{"a.example:443", "a.example:80"}}
		u, err := c.allowed(r.URL)
		if err != nil {
			return
		}
		// As another reader of the same text understands it.
		again, err := url.Parse(u.String())
		if err != nil || again.Hostname() != "a.example" || !slices.Contains([]string{"", "443", "80"}, again.Port()) || strings.Contains(again.Host, "@") {
			t.Fatalf("%q is allowed as %q: %v", r.URL, u, err)
		}
	})
}
