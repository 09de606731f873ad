package cli

import (
	"encoding/base64"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"praxis/event"
)

// picture is a displayed value that is a file rather than text: an image, or a
// page when it has nothing but HTML.
type picture struct {
	ext  string
	data []byte
}

// pageExt tells pages from images.
const pageExt = ".html"

// stem is how the names of such files begin.
func (p picture) stem() string {
	if p.ext == pageExt {
		return "display"
	}
	return "figure"
}

// defaultText is the repr of an object that has none of its own: it says nothing.
var defaultText = regexp.MustCompile(`^<[\w.<>]+ object(?: at 0x[0-9a-fA-F]+)?>$`)

// textOf returns what to print of a value: its text, or the source of its
// Markdown or LaTeX where the text says nothing.
func textOf(b event.Bundle) string {
	text := b["text"]
	if text == "" || defaultText.MatchString(text) {
		for _, mime := range [...]string{"text/markdown", "text/latex"} {
			if source := b[mime]; source != "" {
				return source
			}
		}
	}
	return text
}

// pictures returns the images and pages of an execution in the order in which they were
// displayed, the value of the last expression at the end.
func pictures(x event.Execution) []picture {
	var out []picture
	for _, b := range append(slices.Clone(x.Displays), x.Result) {
		if p, ok := pictureOf(b); ok {
			out = append(out, p)
		}
	}
	return out
}

// pictureOf returns the best picture of a bundle: one value is one file.
func pictureOf(b event.Bundle) (picture, bool) {
	for _, kind := range [...]struct{ mime, ext string }{{"image/png", ".png"}, {"image/jpeg", ".jpg"}} {
		if text, ok := b[kind.mime]; ok {
			data, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(text), ""))
			if err == nil && len(data) > 0 {
				return picture{kind.ext, data}, true
			}
		}
	}
	if svg := b["image/svg+xml"]; svg != "" {
		return picture{".svg", []byte(svg)}, true
	}
	if text := textOf(b); b["text/html"] != "" && (text == "" || defaultText.MatchString(text)) {
		return picture{pageExt, []byte(b["text/html"])}, true
	}
	return picture{}, false
}

// savePictures saves pictures as figure-1.png and so on, pages as display-1.html.
func (o *outFolder) savePictures(pics []picture) error {
	n := map[string]int{}
	for _, p := range pics {
		name := ""
		for used := true; used; {
			n[p.stem()]++
			name = p.stem() + "-" + strconv.Itoa(n[p.stem()]) + p.ext
			var err error
			if used, err = o.inUse(name); err != nil {
				return o.failed(name, err)
			}
		}
		err := o.save(name, func(w io.Writer) error {
			_, err := w.Write(p.data)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
