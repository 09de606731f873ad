package cmd

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/app"
	"praxis/internal/cli/format"
	"praxis/internal/safetext"
)

func (p *program) imageCommand() *cobra.Command {
	return group("image", "Images: the interpreter and its packages",
		p.imageList(), p.imageBuild(), p.imagePull(), p.imageImport(), p.imageExport(), p.imageShow(), p.imageHistory(), p.imageRemove(), p.imagePrune())
}

func (p *program) imageList() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "ls", Short: "List images", Args: takes(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return on(p, func(a imager) error {
				all, err := a.ListImages(cmd.Context())
				if err != nil {
					return err
				}
				return p.listImages(all, asJSON)
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a line")
	return cmd
}

func (p *program) listImages(all []app.ImageInfo, asJSON bool) error {
	t := format.Table{{Head: "ID"}, {Head: "NAME"}, {Head: "DIGEST", Drop: 3}, {Head: "PACKAGES", Drop: 2}, {Head: "SIZE", Drop: 4}, {Head: "LAST USED", Drop: 1}}
	for _, i := range all {
		if asJSON {
			if err := p.printJSON(i); err != nil {
				return err
			}
			continue
		}
		t.Add(app.ShortID(i.ID), i.Name, shortDigest(i.Digest), fmt.Sprint(len(i.Packages)), safetext.Size(i.Bytes), when(i.Used))
	}
	if asJSON {
		return nil
	}
	if len(all) == 0 {
		return p.emit("There are no images. The first run makes the default one; so does: praxis image build\n")
	}
	return p.emit(format.Fitted(t, p.columns()))
}

func (p *program) imageBuild() *cobra.Command {
	var (
		spec   app.SessionSpec
		file   app.ImageFile
		asJSON bool
	)
	cmd := &cobra.Command{
		Use: "build [FILE]", Short: "Build an image of a file, or now what a run would wait for", Args: takes(0, 1, "a file"),
		Long: `Build the image that FILE declares, and the state that its sessions begin with; or,
without FILE, an image with packages, so that no run has to wait for it.

FILE is YAML:

  name: web-tools               # how --image names it
  from: debian:12-slim          # an image; left out: Praxis's own
  pip: [pandas==2.*]            # for the Python that runs, locked by hash
  npm: [lodash]                 # of npm, with Node where the base has none
  apt: [jq]                     # or apk: packages of the base's own package manager
  copy: {./data: /srv/data}     # files below the folder of FILE
  env: {MODE: demo}             # of steps, and of every program of sessions
  allow-net: [deb.debian.org]   # hosts that steps may reach, and nothing else
  run:                          # commands of a shell, in order, in a sandbox
    - make -C /srv build
  start: {command: ./server --port 8000, ready: {port: 8000}}   # or ready: {command: …}
  preload: [pandas]             # modules that are imported before a session begins

Steps whose inputs did not change do not run again.`,
		Example: "  praxis image build tools.yaml && praxis run --image web-tools -c '1+1'\n  praxis image build --with numpy,pandas==2.*",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				if len(spec.With)+len(spec.NPM) > 0 || spec.Image != "" || spec.Requirements != "" {
					return fault.New(fault.Invalid, "Write the packages and the base into the file.", "cannot build an image: a file is named, and packages or an image beside it")
				}
				file.Path = args[0]
				return p.buildImageOf(cmd, file, asJSON)
			}
			return on(p, func(a imageMaker) error {
				img, err := a.BuildImage(cmd.Context(), spec, p.quiet())
				p.settled()
				if err != nil {
					return err
				}
				if asJSON {
					return p.printJSON(img)
				}
				var b strings.Builder
				fmt.Fprintf(&b, "%s  %s\n", app.ShortID(img.ID), img.Name)
				for _, pkg := range img.Packages {
					fmt.Fprintf(&b, "  %s %s\n", safetext.Line(pkg.Name), safetext.Line(pkg.Version))
				}
				return p.emit(b.String())
			})
		},
	}
	fs := cmd.Flags()
	fs.StringArrayVar(&spec.With, "with", nil, "`PACKAGES` to have, such as numpy,pandas==2.*")
	fs.StringArrayVar(&spec.NPM, "npm", nil, "`PACKAGES` of npm to have, such as lodash,d3@7")
	fs.StringVar(&spec.Image, "image", "", "`IMAGE` that the packages are put beside: a container image, or one that was built")
	fs.StringVar(&spec.Requirements, "requirements", "", "requirements `FILE` with packages to have")
	for _, spec := range event.LimitTable() {
		switch spec.Name {
		case "memory", "disk":
			fs.Var(&limitFlag{spec, &file.Limits, "size"}, spec.Flag(), map[string]string{
				"memory": "memory of the steps of FILE (default: as sessions, at least 2 GiB)", "disk": "what the steps of FILE may write (default: as sessions, at least 4 GiB)"}[spec.Name])
		}
	}
	fs.BoolVar(&asJSON, "json", false, "print one JSON object instead")
	return cmd
}

// buildImageOf builds the image that a file declares.
func (p *program) buildImageOf(cmd *cobra.Command, file app.ImageFile, asJSON bool) error {
	return on(p, func(a imageMaker) error {
		img, err := a.BuildImageOf(cmd.Context(), file, p.quiet())
		p.settled()
		if err != nil {
			return err
		}
		if asJSON {
			return p.printJSON(img)
		}
		return p.emit(fmt.Sprintf("%s  %s  %s, %d run\n", app.ShortID(img.ID), img.Name, safetext.Count(img.Steps, "step"), img.Ran))
	})
}

func (p *program) imageRemove() *cobra.Command {
	var asJSON bool
	return objectLines(&cobra.Command{
		Use: "rm IMAGE…", Short: "Remove images by id or name", Args: takes(1, 1000, "an id or a name"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return on(p, func(a imager) error {
				for _, name := range args {
					if err := a.RemoveImage(cmd.Context(), name); err != nil {
						return err
					}
					if err := p.done(asJSON, removed{name}, "removed "+name+"\n"); err != nil {
						return err
					}
				}
				return nil
			})
		},
	}, &asJSON)
}

func (p *program) imagePrune() *cobra.Command {
	age := flagValue[time.Duration]{parse: parseAge, kind: "time"}
	var asJSON bool
	cmd := &cobra.Command{
		Use: "prune", Short: "Remove images that were not used for a while", Args: takes(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			old := 30 * 24 * time.Hour
			if age.value != nil {
				old = *age.value
			}
			return p.withApp(func(a *app.App) error {
				gone, err := a.PruneImages(cmd.Context(), old)
				if err != nil {
					return err
				}
				return p.pruned(gone, asJSON)
			})
		},
	}
	cmd.Flags().Var(&age, "older-than", "how long unused, such as 12h or 0s (default 30d)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a line")
	return cmd
}

func (p *program) pruned(gone app.RemovedImages, asJSON bool) error {
	for _, i := range gone.Images {
		if asJSON {
			if err := p.printJSON(i); err != nil {
				return err
			}
		} else if err := p.emit("removed " + i.Name + "\n"); err != nil {
			return err
		}
	}
	if asJSON {
		return nil
	}
	return p.emit(fmt.Sprintf("%s removed, %s freed\n", safetext.Count(len(gone.Images), "image"), safetext.Size(gone.Bytes)))
}
