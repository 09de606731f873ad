package journal

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"praxis/fault"
)

func TestKeyFiles(t *testing.T) {
	b := newBench(t)
	if keys, err := b.Keys(); err != nil || len(keys) != 0 {
		t.Errorf("before the first use: %v, %v", keys, err)
	}
	if _, err := os.Stat(b.cfg.Keys); !os.IsNotExist(err) {
		t.Errorf("looking made a folder: %v", err)
	}
	b.write(t)
	err := filepath.WalkDir(b.cfg.Keys, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if want := map[bool]fs.FileMode{true: 0o700, false: 0o600}[d.IsDir()]; err == nil && info.Mode().Perm() != want {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	first, err := b.Keys()
	if err != nil || len(first) != 1 || !first[0].Current {
		t.Fatalf("%v, %v", first, err)
	}
	next, err := b.Rotate()
	if err != nil || next.ID == first[0].ID {
		t.Fatalf("%v, %v", next, err)
	}
	keys, err := b.Keys()
	if err != nil || len(keys) != 2 || keys[0] != next || keys[1].ID != first[0].ID || keys[1].Current {
		t.Errorf("%v, %v", keys, err)
	}
	if rep := b.verified(t, b.write(t)); !rep.OK() || rep.Keys[0].ID != next.ID {
		t.Errorf("%+v", rep)
	}
	if err := b.Distrust(next.ID); fault.KindOf(err) != fault.Conflict {
		t.Errorf("the current one: %v", err)
	}
	if err := b.Distrust(first[0].ID); err != nil {
		t.Error(err)
	}
	if err := b.Distrust(first[0].ID); fault.KindOf(err) != fault.NotFound {
		t.Errorf("twice: %v", err)
	}
}

// TestSuccession has a stranger who knows an old key follow the statements to
// the new one.
func TestSuccession(t *testing.T) {
	here, there := newBench(t), newBench(t)
	first := here.write(t)
	old, err := here.Keys()
	if err != nil {
		t.Fatal(err)
	}
	for range maxSuccession + 1 {
		if _, err := here.Rotate(); err != nil {
			t.Fatal(err)
		}
	}
	far := here.write(t)
	there.replace(first, here.bytes(first))
	there.replace(far, here.bytes(far))
	if rep := there.verified(t, first); rep.Keys[0].Known || rep.Damage != nil {
		t.Errorf("%+v", rep)
	}
	path := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(path, []byte(old[0].Public+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	key, err := there.Trust(path)
	if err != nil || key.ID != old[0].ID {
		t.Fatalf("%v, %v", key, err)
	}
	if rep := there.verified(t, first); !rep.OK() || rep.Keys[0].Through != "" {
		t.Errorf("%+v", rep)
	}
	if rep := there.verified(t, far); rep.OK() || rep.Damage != nil {
		t.Errorf("further than the statements reach: %+v", rep)
	}
	second := filepath.Join(here.cfg.Keys, knownFolder)
	for _, k := range here.keysBySuccession(t) {
		if k != old[0].ID {
			if _, err := there.Trust(filepath.Join(second, k+".pem")); err != nil {
				t.Fatal(err)
			}
			if rep := there.verified(t, far); !rep.OK() || rep.Keys[0].Through != k {
				t.Errorf("through %s: %+v", k, rep)
			}
			break
		}
	}
}

// keysBySuccession returns the ids of the keys that the newest one names, oldest first.
func (b *bench) keysBySuccession(t *testing.T) (out []string) {
	s, err := b.keys.signer()
	if err != nil {
		t.Fatal(err)
	}
	for _, st := range b.keys.succession(s.Key) {
		raw, err := parsePublic(st.From)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, keyID(raw))
	}
	return out
}

func TestKeysAtOnce(t *testing.T) {
	b := newBench(t)
	var all sync.WaitGroup
	got := make([]string, 8)
	for i := range got {
		all.Go(func() {
			s, err := b.keys.signer()
			if err != nil {
				t.Error(err)
			}
			got[i] = s.ID
		})
	}
	all.Wait()
	for _, id := range got {
		if id != got[0] {
			t.Fatalf("several keys: %v", got)
		}
	}
	if left, err := filepath.Glob(filepath.Join(b.cfg.Keys, "*tmp*")); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

func TestExternalKey(t *testing.T) {
	dir := t.TempDir()
	signer, data, err := generate()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "key.pem")
	write := func(data []byte, mode fs.FileMode) {
		t.Helper()
		os.Remove(path)
		if err := os.WriteFile(path, data, mode); err != nil {
			t.Fatal(err)
		}
	}
	b := newBench(t, func(c *Config) { c.Key = path })
	write(data, 0o600)
	id := b.write(t)
	if rep := b.verified(t, id); !rep.OK() || rep.Keys[0].ID != signer.ID {
		t.Errorf("%+v", rep)
	}
	if _, err := os.Stat(filepath.Join(b.cfg.Keys, privateFile)); !os.IsNotExist(err) {
		t.Errorf("a key of our own was made: %v", err)
	}
	if _, err := b.Rotate(); fault.KindOf(err) != fault.Invalid {
		t.Errorf("rotate: %v", err)
	}
	other, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(other)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		data []byte
		mode fs.FileMode
		want fault.Kind
	}{
		"others may read": {data, 0o644, fault.Denied},
		"text":            {[]byte("hello"), 0o600, fault.Invalid},
		"empty":           {nil, 0o600, fault.Invalid},
		"long":            {make([]byte, maxKeyFile+1), 0o600, fault.Invalid},
		"another sort":    {pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), 0o600, fault.Invalid},
		"broken":          {pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der[:20]}), 0o600, fault.Invalid},
		"openssh":         {pem.EncodeToMemory(&pem.Block{Type: "OPENSSH PRIVATE KEY", Bytes: der}), 0o600, fault.Invalid},
	} {
		write(c.data, c.mode)
		_, _, err := b.Begin(t.Context(), question(), nil)
		if fault.KindOf(err) != c.want || fault.RemedyOf(err) == "" || bytes.Contains([]byte(err.Error()), []byte("MC4CAQ")) {
			t.Errorf("%s: %v", name, err)
		}
		// What the key signed can be checked without it.
		if rep := b.verified(t, id); !rep.OK() {
			t.Errorf("%s: %+v", name, rep)
		}
	}
	os.Remove(path)
	if _, _, err := b.Begin(t.Context(), question(), nil); fault.KindOf(err) != fault.NotFound {
		t.Errorf("no file: %v", err)
	}
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, _, err := b.Begin(t.Context(), question(), nil); fault.KindOf(err) != fault.Invalid {
		t.Errorf("a folder: %v", err)
	}
}

func TestKeyFolder(t *testing.T) {
	b := newBench(t)
	b.write(t)
	for name, damage := range map[string]func() func(){
		"others may write": func() func() {
			os.Chmod(b.cfg.Keys, 0o777)
			return func() { os.Chmod(b.cfg.Keys, 0o700) }
		},
		"others may read": func() func() {
			path := filepath.Join(b.cfg.Keys, privateFile)
			os.Chmod(path, 0o644)
			return func() { os.Chmod(path, 0o600) }
		},
		"others may read the key of digests": func() func() {
			path := filepath.Join(b.cfg.Keys, redactionFile)
			b.redactor = nil
			os.Chmod(path, 0o644)
			return func() { os.Chmod(path, 0o600) }
		},
	} {
		mend := damage()
		_, r, err := b.Begin(t.Context(), question(), nil)
		if fault.KindOf(err) != fault.Denied || fault.RemedyOf(err) == "" {
			t.Errorf("%s: %v", name, err)
		}
		if err == nil {
			r.Close()
		}
		mend()
	}
	b.write(t)
	for name, data := range map[string]string{"junk": "hello", "another name": "ed25519:AYDwERKUZ+ROxiNN48RqknX9EswB7WlMLaH5eZdNHDg="} {
		path := filepath.Join(b.cfg.Keys, knownFolder, "0123456789abcdef.pem")
		if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := b.Keys(); err == nil || fault.RemedyOf(err) == "" {
			t.Errorf("%s: %v", name, err)
		}
		os.Remove(path)
	}
	for _, path := range []string{"/dev/null", "/no such file", t.TempDir()} {
		if _, err := b.Trust(path); err == nil {
			t.Errorf("trusts %s", path)
		}
	}
}
