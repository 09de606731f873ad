package cmd

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"praxis/internal/app"
	"praxis/internal/cli/format"
	"praxis/internal/safetext"
)

// passwordVariable holds the password of whoever asks a registry: on a command line others
// could read it.
const passwordVariable = "PRAXIS_REGISTRY_PASSWORD"

func (p *program) imagePull() *cobra.Command {
	var (
		user   string
		asJSON bool
	)
	cmd := &cobra.Command{
		Use: "pull REF", Short: "Get a container image from a registry", Args: takes(1, 1, "the reference of an image"),
		Long: `Get a container image from a registry, for sessions that run it (--image).

REF is written as for other container programs: alpine:3.22, ghcr.io/owner/name:tag,
or name@sha256:digest, which is not asked for when it is there. A tag is resolved to a
digest once, which "praxis image ls" shows and runs record. A pull that was broken goes
on where it ended.

Credentials are those of Docker's configuration file ("docker login"), or --user with
the password in ` + passwordVariable + `.`,
		Example: "  praxis image pull python:3.13-slim\n  praxis run --image python:3.13-slim -c 'import sys; sys.version'",
		RunE: func(cmd *cobra.Command, args []string) error {
			q := app.ImagePull{Reference: args[0], User: user}
			if user != "" {
				q.Password = os.Getenv(passwordVariable)
			}
			return on(p, func(a imageMaker) error {
				img, err := a.PullImage(cmd.Context(), q, p.quiet())
				return p.gotImage(img, err, asJSON)
			})
		},
	}
	cmd.Flags().StringVar(&user, "user", "", "`NAME` of who asks; the password stands in "+passwordVariable)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object instead")
	return cmd
}

func (p *program) imageImport() *cobra.Command {
	var (
		name   string
		asJSON bool
	)
	cmd := &cobra.Command{
		Use: "import FILE", Short: "Take a container image from a file", Args: takes(1, 1, "a file or a folder"),
		Long: `Take a container image from a file: what "docker save" or "praxis image export" wrote,
an OCI image layout (an archive or a folder), or an archive of a root file system, such
as "docker export" writes. Archives may be compressed.`,
		Example: "  docker save app:latest -o app.tar && praxis image import app.tar",
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.withApp(func(a *app.App) error {
				img, err := a.ImportImage(cmd.Context(), args[0], name, p.quiet())
				return p.gotImage(img, err, asJSON)
			})
		},
	}
	cmd.Flags().StringVar(&name, "name", "", "`NAME` to call it by (default: as the file does)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object instead")
	return cmd
}

// gotImage says which image was had.
func (p *program) gotImage(img app.Image, err error, asJSON bool) error {
	p.settled()
	if err != nil {
		return err
	}
	if asJSON {
		return p.printJSON(img)
	}
	line := fmt.Sprintf("%s  %s  %s\n", app.ShortID(img.ID), safetext.Line(img.Name), safetext.Line(img.Digest))
	for _, r := range img.Runtimes {
		line += fmt.Sprintf("  %s  %s\n", strings.TrimSpace(r.Language+" "+safetext.Line(r.Version)), safetext.Line(r.Program))
	}
	return p.emit(line)
}

func (p *program) imageExport() *cobra.Command {
	var (
		q      app.ImageExport
		asJSON bool
	)
	cmd := &cobra.Command{
		Use: "export IMAGE", Short: "Write an image into a file that container programs read", Args: takes(1, 1, "an id or a name"),
		Long: `Write an image as an archive of an OCI image layout. A container image is written as it
came: it is the very same where it is imported.`,
		Example: "  praxis image export python --out python.tar && docker load -i python.tar",
		RunE: func(cmd *cobra.Command, args []string) error {
			q.Name = args[0]
			return p.withApp(func(a *app.App) error {
				out, err := a.ExportImage(cmd.Context(), q)
				if err != nil {
					return err
				}
				if asJSON {
					return p.printJSON(out)
				}
				return p.emit(fmt.Sprintf("%s  %s  %s\n", out.Path, safetext.Size(out.Bytes), out.Digest))
			})
		},
	}
	cmd.Flags().StringVar(&q.Path, "out", "", "`FILE` or folder to write to (default: IMAGE.tar here)")
	cmd.Flags().BoolVar(&q.Force, "force", false, "replace a file that is there")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object instead")
	return cmd
}

func (p *program) imageShow() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "show IMAGE", Short: "Show what is known of an image", Args: takes(1, 1, "an id or a name"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return on(p, func(a imager) error {
				d, err := a.DescribeImage(cmd.Context(), args[0])
				if err != nil {
					return err
				}
				if asJSON {
					return p.printJSON(d)
				}
				return p.emit(describeImage(d))
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object instead")
	return cmd
}

// describeImage is what a person reads of an image.
func describeImage(d app.ImageDetails) string {
	var b strings.Builder
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "%-12s %s\n", name, safetext.Line(value))
		}
	}
	line("id", d.ID)
	for i, name := range d.Names {
		line(map[bool]string{true: "name", false: ""}[i == 0], name)
	}
	line("size", safetext.Size(d.Bytes))
	line("created", when(d.Created))
	line("last used", when(d.Used))
	for _, r := range d.Runtimes {
		line("language", fmt.Sprintf("%s, %s", strings.TrimSpace(r.Language+" "+r.Version), r.Program))
	}
	for _, pkg := range d.Packages {
		line("package", pkg.Name+" "+pkg.Version)
	}
	for _, kv := range d.Env {
		line("variable", kv)
	}
	if s := d.Start; s != nil {
		line("start", s.Command)
		line("ready", s.Check)
		if s.Port > 0 {
			line("ready", fmt.Sprintf("port %d takes connections", s.Port))
		}
	}
	for _, r := range d.Runtimes {
		line("imported", strings.Join(r.Preload, ", "))
	}
	c := d.Container
	if c == nil {
		return b.String()
	}
	line("digest", c.Digest)
	line("config", c.Config)
	line("platform", c.Platform)
	if c.User != "" {
		line("user", c.User+" (not used: sessions run as the ordinary user)")
	}
	line("workdir", c.WorkingDir)
	line("entrypoint", strings.Join(c.Entrypoint, " "))
	line("command", strings.Join(c.Command, " "))
	if c.LeftOut > 0 {
		line("left out", safetext.Count(c.LeftOut, "device"))
	}
	for _, l := range c.Layers {
		line("layer", fmt.Sprintf("%s  %s, unpacked %s", l.Digest, safetext.Size(l.Bytes), safetext.Size(l.Unpacked)))
	}
	return b.String()
}

func (p *program) imageHistory() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "history IMAGE", Short: "Show how an image was made, the last step first", Args: takes(1, 1, "an id or a name"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return on(p, func(a imager) error {
				steps, err := a.ImageHistory(cmd.Context(), args[0])
				if err != nil {
					return err
				}
				t := format.Table{{Head: "LAYER", Drop: 2}, {Head: "CREATED", Drop: 1}, {Head: "SIZE"}, {Head: "UNPACKED", Drop: 3}, {Head: "BY"}}
				for i := len(steps) - 1; i >= 0; i-- {
					s := steps[i]
					if asJSON {
						if err := p.printJSON(s); err != nil {
							return err
						}
						continue
					}
					created := ""
					if !s.Created.IsZero() {
						created = when(s.Created)
					}
					t.Add(shortDigest(s.Layer), created, safetext.Size(s.Bytes), safetext.Size(s.Unpacked), safetext.OneLine(s.By, 200))
				}
				if asJSON {
					return nil
				}
				return p.emit(format.Fitted(t, p.columns()))
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a line")
	return cmd
}

// shortDigest is enough of a digest to tell one from another.
func shortDigest(digest string) string {
	_, hex, _ := strings.Cut(digest, ":")
	return app.ShortID(hex)
}
