package battery

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"praxis/event"
	"praxis/internal/guest"
	"praxis/internal/guest/wire"
	"praxis/internal/session"
)

// TestFiles plants traps by code in the session and then uses the file API,
// which acts for the host: it must neither leave the session's folders nor
// lend the agent's rights to the code.
func TestFiles(t *testing.T) {
	m := manager(t)
	for _, c := range []struct {
		name  string
		tries string
		plant string // code that runs first
		act   func(context.Context, *guest.Client) (string, error)
		fine  string // what act may return without an error, "" if it must fail
	}{
		{"read_symlink_absolute", "read the agent's program through a symbolic link",
			`os.symlink("/.praxis/praxis", "/work/l")`, reads("/work/l"), ""},
		{"read_symlink_relative", "read /etc through a relative symbolic link",
			`os.symlink("../etc/passwd", "/work/l")`, reads("/work/l"), ""},
		{"read_symlink_folder", "read through a folder that is a symbolic link",
			`os.symlink("/etc", "/work/d")`, reads("/work/d/passwd"), ""},
		{"read_symlink_proc", "read PID 1's environment through a symbolic link",
			`os.symlink("/proc/1/environ", "/work/l")`, reads("/work/l"), ""},
		{"read_symlink_chain", "read through a link to a path with a linked folder",
			`os.symlink("/etc", "/work/d"); os.symlink("d/passwd", "/work/l")`, reads("/work/l"), ""},
		{"list_symlink", "list the agent's folder through a symbolic link",
			`os.symlink("/.praxis", "/work/d")`, lists("/work/d"), ""},
		{"list_symlink_chain", "list through a link to a path with a linked folder",
			`os.symlink("/", "/work/d"); os.symlink("d/etc", "/work/l")`, lists("/work/l"), ""},
		{"move_through_symlink", "move a file into a folder that is a symbolic link",
			`os.symlink("/home/user", "/work/d"); open("/work/x", "w").write("x")`, func(ctx context.Context, c *guest.Client) (string, error) {
				return "moved", c.Move(ctx, "/work/x", "/work/d/x")
			}, ""},
		{"read_dotdot", "climb by ..", ``, reads("/work/../proc/1/environ"), ""},
		{"read_dotdot_relative", "climb by .. from the working folder", ``, reads("../../etc/passwd"), ""},
		{"read_other_root", "read what lies outside of the session's folders", ``, reads("/proc/1/environ"), ""},
		{"read_null_byte", "cut a path by a null byte", ``, reads("/work/x\x00/../../etc/passwd"), ""},
		{"read_fifo", "have the host wait on a pipe for ever",
			`os.mkfifo("/work/f")`, reads("/work/f"), ""},
		{"read_socket", "have the host open a socket",
			`import socket; socket.socket(socket.AF_UNIX).bind("/work/s")`, reads("/work/s"), ""},
		{"read_unreadable", "read a file that the user made unreadable by the agent's rights",
			`open("/work/x", "w").write("secret"); os.chmod("/work/x", 0)`, reads("/work/x"), ""},
		{"read_swapped", "swap a file for a symbolic link while it is read",
			`
open("/work/x", "w").write("harmless")
if os.fork() == 0:
    end = time.time() + 8
    while time.time() < end:
        try:
            os.symlink("/.praxis/praxis", "/work/y"); os.rename("/work/y", "/work/x")
            open("/work/y", "w").write("harmless"); os.rename("/work/y", "/work/x")
        except OSError:
            pass
    os._exit(0)
`, readsMany("/work/x", 300), "harmless"},
		{"write_symlink", "have the host write through a symbolic link",
			`os.symlink("/etc/passwd", "/work/l")`, func(ctx context.Context, c *guest.Client) (string, error) {
				if _, err := c.WriteFile(ctx, "/work/l", strings.NewReader("owned"), 0o644); err != nil {
					return "", err
				}
				// A write that replaced the link itself is fine; one through it is not.
				var b bytes.Buffer
				_, err := c.ReadFile(ctx, "/work/l", &b)
				return b.String(), err
			}, "owned"},
		{"write_symlink_folder", "have the host write into a folder that is a symbolic link",
			`os.symlink("/.praxis", "/work/d")`, writes("/work/d/x"), ""},
		{"write_outside", "have the host write outside of the session's folders", ``, writes("/etc/passwd"), ""},
		{"write_proc", "have the host write into /proc", ``, writes("/proc/sys/kernel/hostname"), ""},
		{"remove_root", "remove the working folder itself and its parent", ``,
			func(ctx context.Context, c *guest.Client) (string, error) { return "removed", c.Remove(ctx, "/", true) }, ""},
		{"remove_symlink", "remove through a symbolic link what it points to",
			`os.makedirs("/tmp/keep"); open("/tmp/keep/x", "w").write("kept"); os.symlink("/tmp/keep", "/work/d")`,
			func(ctx context.Context, c *guest.Client) (string, error) {
				if err := c.Remove(ctx, "/work/d", true); err != nil {
					return "", err
				}
				var b bytes.Buffer
				_, err := c.ReadFile(ctx, "/tmp/keep/x", &b)
				return b.String(), err
			}, "kept"},
		{"move_out", "move a file out of the session's folders",
			`open("/work/x", "w").write("x")`, func(ctx context.Context, c *guest.Client) (string, error) {
				return "moved", c.Move(ctx, "/work/x", "/etc/x")
			}, ""},
		{"move_in", "move the agent's program into the session's folders", ``,
			func(ctx context.Context, c *guest.Client) (string, error) {
				return "moved", c.Move(ctx, "/.praxis/praxis", "/work/agent")
			}, ""},
		{"list_loop", "have the host list a loop of symbolic links for ever",
			`os.makedirs("/work/a"); os.symlink("/work/a", "/work/a/b")`, func(ctx context.Context, c *guest.Client) (string, error) {
				files, err := c.List(ctx, "/work", true)
				if len(files) > 10 {
					return fmt.Sprintf("%d entries", len(files)), err
				}
				return "bounded", err
			}, "bounded"},
		{"archive_symlink", "have a file of the agent packed through a symbolic link",
			`os.makedirs("/work/a"); os.symlink("/.praxis/praxis", "/work/a/l")`, func(ctx context.Context, c *guest.Client) (string, error) {
				var b bytes.Buffer
				if err := c.Archive(ctx, wire.Tar, []string{"/work/a"}, &b); err != nil {
					return "", err
				}
				if b.Len() > 1<<20 {
					return "packed", nil
				}
				return "bounded", nil
			}, "bounded"},
		{"extract_tar_dotdot", "write outside by a name with .. in a tar", ``, extracts(wire.Tar, "../../etc/owned", ""), ""},
		{"extract_tar_absolute", "write outside by an absolute name in a tar", ``, extracts(wire.Tar, "/etc/owned", ""), ""},
		{"extract_tar_symlink", "write outside through a symbolic link that the tar makes first", ``, extracts(wire.Tar, "link/owned", "/etc"), ""},
		{"extract_zip_dotdot", "write outside by a name with .. in a zip", ``, extracts(wire.Zip, "../../etc/owned", ""), ""},
		{"extract_zip_absolute", "write outside by an absolute name in a zip", ``, extracts(wire.Zip, "/etc/owned", ""), ""},
		{"extract_zip_backslash", "write outside by backslashes in a zip", ``, extracts(wire.Zip, `..\..\etc\owned`, ""), "contained"},
		{"extract_over_symlink", "write through a symbolic link that the code planted",
			`os.symlink("/etc", "/work/link")`, extracts(wire.Tar, "link/owned", ""), ""},
		{"extract_bomb", "fill the disk by a small archive", ``, extractsBomb, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
			defer cancel()
			opt := session.Options{Image: defaultImage}
			opt.Limits.Disk = 64 << 20
			s, err := m.Create(ctx, opt, event.Discard)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			got, err := s.Execute(ctx, "import os, time\n"+c.plant, session.Exec{}, event.Discard)
			if err != nil || got.Status != event.OK {
				t.Fatalf("cannot plant: %v %+v", err, got)
			}
			var text string
			err = s.Use(ctx, func(g *guest.Client) error {
				bounded, cancel := context.WithTimeout(ctx, time.Minute)
				defer cancel()
				var err error
				text, err = c.act(bounded, g)
				if bounded.Err() != nil {
					t.Errorf("it tries to %s: the host was kept waiting", c.tries)
				}
				return err
			})
			if err == nil && text != c.fine {
				t.Errorf("it tries to %s: it got through: %.200q", c.tries, text)
			}
			if err != nil && c.fine != "" && c.name != "write_symlink" && c.name != "extract_zip_backslash" {
				t.Errorf("it tries to %s: %v", c.tries, err)
			}
			alive(ctx, t, s, "print(6*7)", "", c.tries)
			check, err := s.Execute(ctx, `import os; print(os.path.exists("/etc/owned"), "owned" in open("/etc/passwd").read())`, session.Exec{}, event.Discard)
			if err != nil || !strings.HasPrefix(check.Stdout, "False False") {
				t.Errorf("it tries to %s: something was written outside: %+v %v", c.tries, check, err)
			}
		})
	}
}

func reads(path string) func(context.Context, *guest.Client) (string, error) {
	return func(ctx context.Context, c *guest.Client) (string, error) {
		var b bytes.Buffer
		_, err := c.ReadFile(ctx, path, &b)
		return b.String(), err
	}
}

func lists(path string) func(context.Context, *guest.Client) (string, error) {
	return func(ctx context.Context, c *guest.Client) (string, error) {
		files, err := c.List(ctx, path, false)
		return fmt.Sprint(files), err
	}
}

// readsMany reads again and again and returns the first text that is not the harmless one.
func readsMany(path string, n int) func(context.Context, *guest.Client) (string, error) {
	return func(ctx context.Context, c *guest.Client) (string, error) {
		for range n {
			text, err := reads(path)(ctx, c)
			if err == nil && text != "harmless" && text != "" {
				return text, nil
			}
		}
		return "harmless", nil
	}
}

func writes(path string) func(context.Context, *guest.Client) (string, error) {
	return func(ctx context.Context, c *guest.Client) (string, error) {
		_, err := c.WriteFile(ctx, path, strings.NewReader("owned"), 0o644)
		return "written", err
	}
}

// extracts unpacks an archive with one hostile entry, after a symbolic link
// called "link" when target is given.
func extracts(format, name, target string) func(context.Context, *guest.Client) (string, error) {
	return func(ctx context.Context, c *guest.Client) (string, error) {
		var b bytes.Buffer
		if err := pack(&b, format, name, target); err != nil {
			return "", err
		}
		err := c.Extract(ctx, format, "/work", &b)
		return "contained", err
	}
}

func pack(b *bytes.Buffer, format, name, target string) error {
	if format == wire.Zip {
		z := zip.NewWriter(b)
		w, err := z.Create(name)
		if err != nil {
			return err
		}
		if _, err := w.Write([]byte("owned")); err != nil {
			return err
		}
		return z.Close()
	}
	w := tar.NewWriter(b)
	if target != "" {
		if err := w.WriteHeader(&tar.Header{Name: "link", Typeflag: tar.TypeSymlink, Linkname: target, Mode: 0o777}); err != nil {
			return err
		}
	}
	if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: 5}); err != nil {
		return err
	}
	if _, err := w.Write([]byte("owned")); err != nil {
		return err
	}
	return w.Close()
}

// extractsBomb unpacks a zip of 200 MB of zeros into a disk of 64 MiB.
func extractsBomb(ctx context.Context, c *guest.Client) (string, error) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.Create("bomb")
	if err != nil {
		return "", err
	}
	zeros := make([]byte, 1<<20)
	for range 200 {
		if _, err := w.Write(zeros); err != nil {
			return "", err
		}
	}
	if err := z.Close(); err != nil {
		return "", err
	}
	return "filled", c.Extract(ctx, wire.Zip, "/work", &b)
}
