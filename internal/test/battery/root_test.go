package battery

import (
	"bytes"
	"testing"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/guest"
	"praxis/internal/guest/wire"
	"praxis/internal/session"
)

// TestRootOfBuilds looks at what the root of a build is, and that no other session has it.
func TestRootOfBuilds(t *testing.T) {
	t.Parallel()
	m := manager(t)
	s, err := m.Create(t.Context(), session.Options{Image: defaultImage}, event.Discard)
	if err != nil {
		t.Fatal(err)
	}
	err = s.Use(t.Context(), func(c *guest.Client) error {
		if _, err := c.Start(t.Context(), wire.Process{Argv: []string{"/bin/sh", "-c", "id"}, Root: true}, event.Discard); fault.KindOf(err) != fault.Denied {
			t.Errorf("a program of root in an ordinary session: %v", err)
		}
		var layer bytes.Buffer
		if err := c.Layer(t.Context(), &layer); fault.KindOf(err) != fault.Denied || layer.Len() > 0 {
			t.Errorf("the layer of an ordinary session: %v", err)
		}
		if err := c.NoteLayer(t.Context()); fault.KindOf(err) != fault.Denied {
			t.Errorf("the state of an ordinary session: %v", err)
		}
		if err := c.Dial(t.Context(), 9); fault.KindOf(err) != fault.Unavailable {
			t.Errorf("a port that nobody has: %v", err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	b, err := m.OpenBuilder(t.Context(), session.Options{Image: defaultImage}, event.Discard)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	for command, code := range map[string]int{
		"test $(id -u) = 0":                                              0,
		"grep -q 'CapEff:.0*cb$' /proc/self/status":                      0, // chown, dac_override, fowner, setgid, setuid
		"grep -q 'CapBnd:.0*cb$' /proc/self/status":                      0,
		"grep -q 'NoNewPrivs:.1' /proc/self/status":                      0,
		"touch /etc/x && chown 105:105 /etc/x":                           0,
		"mount -t tmpfs none /mnt || exit 7":                             7,
		"mknod /etc/sda b 8 0 || exit 7":                                 7,
		"echo x > /opt/python/x || exit 7":                               7,
		"chroot / true || exit 7":                                        7,
		"python3 -c 'import os; os.unshare(os.CLONE_NEWUSER)' || exit 7": 7,
	} {
		if end, err := b.Run(t.Context(), command, event.Discard); err != nil || end.Code != code {
			t.Errorf("%q: %+v, %v", command, end, err)
		}
	} // It can end its own sandbox, which is a failure of the step.
	if end, err := b.Run(t.Context(), "kill -9 1; sleep 1000", event.Discard); fault.KindOf(err) != fault.Exhausted {
		t.Errorf("a step that ends its sandbox: %+v, %v", end, err)
	}
}
