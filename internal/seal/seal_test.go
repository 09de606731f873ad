package seal

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"praxis/fault"
)

func key(t testing.TB) *Key {
	t.Helper()
	k, err := OfHome(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestKey(t *testing.T) {
	home := t.TempDir()
	if _, err := Open(filepath.Join(home, "keys", "seal.key")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no key: %v", err)
	}
	keys := make(chan *Key, 8)
	for range cap(keys) { // several processes that begin at once
		go func() {
			k, err := OfHome(home)
			if err != nil {
				t.Error(err)
			}
			keys <- k
		}()
	}
	first := <-keys
	for range cap(keys) - 1 {
		if k := <-keys; first == nil || k == nil || string(k.secret) != string(first.secret) {
			t.Fatal("the key is not the same for all")
		}
	}
	path := filepath.Join(home, "keys", "seal.key")
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("its mode is %v, %v", info.Mode(), err)
	}
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	if _, err := OfHome(home); fault.KindOf(err) != fault.Denied {
		t.Errorf("a key that others may read: %v", err)
	}
	for _, text := range []string{"", "no key", strings.Repeat("0", 63), strings.Repeat("0", 66)} {
		if err := errors.Join(os.Remove(path), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
		if _, err := OfHome(home); fault.KindOf(err) != fault.Invalid {
			t.Errorf("the key %q: %v", text, err)
		}
	}
}

func TestText(t *testing.T) {
	type value struct{ A, B string }
	k := key(t)
	data, err := k.Encode("session", "a", value{"1", "<2>"})
	if err != nil {
		t.Fatal(err)
	}
	var got value
	if err := k.Decode("session", "a", data, &got); err != nil || got != (value{"1", "<2>"}) {
		t.Errorf("got %+v, %v", got, err)
	}
	if err := Peek(data, &got); err != nil {
		t.Error(err)
	}
	for name, decode := range map[string]func() error{
		"another key":  func() error { return key(t).Decode("session", "a", data, &got) },
		"another kind": func() error { return k.Decode("image", "a", data, &got) },
		"another name": func() error { return k.Decode("session", "b", data, &got) },
		"run together": func() error { return k.Decode("sessio", "na", data, &got) },
		"edited": func() error {
			return k.Decode("session", "a", []byte(strings.Replace(string(data), `"1"`, `"3"`, 1)), &got)
		},
		"no seal": func() error { return k.Decode("session", "a", []byte(`{"value":{"A":"1"}}`), &got) },
		"nothing": func() error { return k.Decode("session", "a", nil, &got) },
	} {
		if err := decode(); !errors.Is(err, ErrBroken) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// FuzzDecode reads whatever may lie where a sealed text was: only what was sealed is read.
func FuzzDecode(f *testing.F) {
	k := key(f)
	good, err := k.Encode("session", "a", map[string]int{"x": 1})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add([]byte(`{"value":null,"seal":""}`))
	f.Add([]byte(`{"seal":5}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var got map[string]int
		err := k.Decode("session", "a", data, &got)
		if err == nil && (len(got) != 1 || got["x"] != 1) {
			t.Errorf("%q gives %v", data, got)
		}
		if err != nil && !errors.Is(err, ErrBroken) {
			t.Errorf("%q: %v", data, err)
		}
	})
}

// folder makes a folder with a description and two files, and seals it.
func folder(t *testing.T, k *Key) Folder {
	t.Helper()
	f := Folder{Path: filepath.Join(t.TempDir(), "x"), Kind: "image", Name: "x", Description: "about"}
	for name, text := range map[string]string{"about": "two files", "files/a": "one", "files/b": "two"} {
		path := filepath.Join(f.Path, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	if err := k.Seal(f); err != nil {
		t.Fatal(err)
	}
	return f
}

func TestFolder(t *testing.T) {
	errOther := errors.New("the contents differ")
	k := key(t)
	for name, tt := range map[string]struct {
		change func(t *testing.T, f *Folder) error
		read   int   // how often the contents are read
		find   error // what reading finds
		want   error
	}{
		"untouched": {change: func(*testing.T, *Folder) error { return nil }},
		"edited": {change: func(t *testing.T, f *Folder) error {
			return os.WriteFile(filepath.Join(f.Path, "files/a"), []byte("eno"), 0o600)
		}, read: 1, find: errOther, want: ErrBroken},
		"edited, with its old time": {change: func(t *testing.T, f *Folder) error {
			path := filepath.Join(f.Path, "files/a")
			info, err := os.Stat(path)
			if err != nil {
				return err
			}
			return errors.Join(os.WriteFile(path, []byte("eno"), 0o600), os.Chtimes(path, info.ModTime(), info.ModTime()))
		}, read: 1, find: errOther, want: ErrBroken},
		"added": {change: func(t *testing.T, f *Folder) error {
			return os.WriteFile(filepath.Join(f.Path, "files/c"), nil, 0o600)
		}, read: 1, find: errOther, want: ErrBroken},
		"copied": {change: func(t *testing.T, f *Folder) error {
			to := filepath.Join(t.TempDir(), "copy")
			err := os.CopyFS(to, os.DirFS(f.Path))
			f.Path = to
			return err
		}, read: 1},
		"moved": {change: func(t *testing.T, f *Folder) error {
			to := filepath.Join(filepath.Dir(f.Path), "moved")
			err := os.Rename(f.Path, to)
			f.Path = to
			return err
		}},
		"described otherwise": {change: func(t *testing.T, f *Folder) error {
			return os.WriteFile(filepath.Join(f.Path, "about"), []byte("2 files!!"), 0o600)
		}, want: ErrBroken},
		"another's":               {change: func(t *testing.T, f *Folder) error { f.Name = "y"; return nil }, want: ErrBroken},
		"another kind":            {change: func(t *testing.T, f *Folder) error { f.Kind = "template"; return nil }, want: ErrBroken},
		"sealed with another key": {change: func(t *testing.T, f *Folder) error { return key(t).Seal(*f) }, want: ErrBroken},
		"no seal":                 {change: func(t *testing.T, f *Folder) error { return os.Remove(filepath.Join(f.Path, FileName)) }, want: ErrBroken},
		"gone":                    {change: func(t *testing.T, f *Folder) error { return os.RemoveAll(f.Path) }, want: fs.ErrNotExist},
	} {
		t.Run(name, func(t *testing.T) {
			f := folder(t, k)
			if err := tt.change(t, &f); err != nil {
				t.Fatal(err)
			}
			read := 0
			contents := func() error { read++; return tt.find }
			if err := k.Check(f, contents); !errors.Is(err, tt.want) {
				t.Errorf("got %v, want %v", err, tt.want)
			}
			// What was found to be the same is not read again; what was not, is.
			again := tt.read
			if tt.find != nil {
				again *= 2
			}
			if err := k.Check(f, contents); !errors.Is(err, tt.want) {
				t.Errorf("the second time: got %v, want %v", err, tt.want)
			}
			if read != again {
				t.Errorf("the contents were read %d times, want %d", read, again)
			}
		})
	}
}

// TestChangedWhileRead changes a file that was read already while the others are: what is
// sealed anew is what was read, so the change is found the next time.
func TestChangedWhileRead(t *testing.T) {
	k := key(t)
	f := folder(t, k)
	other := filepath.Join(t.TempDir(), "copy")
	if err := os.CopyFS(other, os.DirFS(f.Path)); err != nil {
		t.Fatal(err)
	}
	f.Path = other
	err := k.Check(f, func() error { return os.WriteFile(filepath.Join(f.Path, "files/a"), []byte("another"), 0o600) })
	if err != nil {
		t.Fatal(err)
	}
	errOther := errors.New("the contents differ")
	if err := k.Check(f, func() error { return errOther }); !errors.Is(err, errOther) {
		t.Errorf("got %v, want %v", err, errOther)
	}
}
