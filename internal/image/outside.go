package image

import (
	"context"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
)

// Outside is a call of an image's interpreter on the host.
type Outside struct {
	Args []string
	Env  []string // added to what an image's interpreter needs
	Dir  string   // working folder; empty: the root
	In   io.Reader
	Out  io.Writer // standard output
	Err  io.Writer // standard error
}

// OutsideCommand is how the image's own interpreter is started on the host: with the
// loader and the C library of its root file system, as its builder does.
func (i Image) OutsideCommand() []string {
	return hostCommand(i.Root, i.outside(i.Runtimes[0].Program))
}

// RunOutside runs the image's interpreter with the image's packages on the host, with
// nothing around it: what a session is compared with. Only code of ours may run so. It
// ends with the context and with this process, and all that it started with it.
func (i Image) RunOutside(ctx context.Context, o Outside) error {
	argv := i.OutsideCommand()
	cmd := exec.CommandContext(ctx, argv[0], append(argv[1:], o.Args...)...)
	home := filepath.Dir(filepath.Dir(i.outside(i.Runtimes[0].Program)))
	cmd.Env = append([]string{"PYTHONHOME=" + home, "PATH=/usr/bin:/bin", "LANG=C.UTF-8", "PYTHONDONTWRITEBYTECODE=1"}, o.Env...)
	if len(i.Packages) > 0 {
		cmd.Env = append(cmd.Env, "PYTHONPATH="+i.outside(guestPackages))
	}
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = o.Dir, o.In, o.Out, o.Err
	if cmd.Dir == "" {
		cmd.Dir = "/"
	}
	err := runCommand(cmd)
	if cause := context.Cause(ctx); err != nil && cause != nil {
		return cause
	}
	return err
}

// outside translates a path of the guest into the host's.
func (i Image) outside(path string) string {
	for _, m := range i.Mounts {
		if rest, ok := strings.CutPrefix(path, m.Target); ok && (rest == "" || rest[0] == '/') {
			return filepath.Join(m.Source, rest)
		}
	}
	return filepath.Join(i.Root, path)
}
