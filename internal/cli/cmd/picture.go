package cmd

import (
	"io"
	"strings"

	"praxis/internal/app"
	"praxis/internal/cli/picture"
	"praxis/internal/safetext"
)

// maxInPlace bounds how many images a run shows at the terminal.
const maxInPlace = 32

// checkPictures refuses a value of --pictures that there is not.
func (f *sessionFlags) checkPictures() error {
	if _, ok := picture.Choose(f.pictures, func(string) string { return "" }); !ok {
		return usage("praxis run", "--pictures %q is none of %s", safetext.Line(f.pictures), strings.Join(picture.Names(), ", "))
	}
	return nil
}

// inPlace returns what shows images at the terminal that w is, or nil where none are
// shown. An image that cannot be shown is a file all the same.
func (f *sessionFlags) inPlace(p *program, w io.Writer) func(app.Picture) error {
	setting := f.pictures
	if setting == "" {
		if cfg, err := p.config(); err == nil { // a broken file is reported by what needs it
			setting = cfg.Pictures
		}
	}
	protocol, _ := picture.Choose(setting, p.getenv)
	if protocol == picture.None || !isTerminal(w) {
		return nil
	}
	left := maxInPlace
	return func(pic app.Picture) error {
		if pic.Ext != ".png" && pic.Ext != ".jpg" || left == 0 {
			return nil
		}
		left--
		text, err := picture.Encode(protocol, pic.Data, width(w))
		if err != nil {
			return nil // as at a terminal that shows none
		}
		_, err = w.Write(text)
		return err
	}
}
