package app

import (
	"encoding/base64"
	"io"
	"slices"
	"strconv"
	"strings"

	"praxis/event"
	"praxis/internal/lazyregexp"
	"praxis/internal/record/report"
)

// Picture is a displayed value that is a file rather than text: an image, or a
// page of HTML (see [report.IsPage]).
type Picture struct {
	Ext  string // of the file's name, with its dot
	Data []byte
}

// PageExt distinguishes pages from images.
const PageExt = ".html"

// stem is how the names of such files begin.
func (p Picture) stem() string {
	if p.Ext == PageExt {
		return "display"
	}
	return "figure"
}

// defaultText is the repr of an object that has none of its own: it says nothing.
var defaultText = lazyregexp.New(`^<[\w.<>]+ object(?: at 0x[0-9a-fA-F]+)?>$`)

// TextOf returns what to print of a value: its text, or the source of its
// Markdown or LaTeX where the text says nothing.
func TextOf(b event.Bundle) string {
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

// TextBeside returns what to print of a value that is saved as a picture: of an image
// nothing, of a page the text, where that says something.
func TextBeside(b event.Bundle, p Picture) string {
	if text := TextOf(b); p.Ext == PageExt && !defaultText.MatchString(text) {
		return text
	}
	return ""
}

// Pictures returns the images and pages of an execution in the order in which they were
// displayed, the value of the last expression at the end. A picture that is one of
// the files that the code made is left out: it is saved once.
func Pictures(x event.Execution) []Picture {
	made := map[string]bool{}
	for _, c := range x.Changes {
		made[c.Path] = c.Kind != "removed"
	}
	var out []Picture
	for _, b := range append(slices.Clone(x.Displays), x.Result) {
		if p, ok := PictureOf(b); ok && !made[b[event.FileMIME]] {
			out = append(out, p)
		}
	}
	return out
}

// PictureOf returns the best picture of a bundle: one value is one file.
func PictureOf(b event.Bundle) (Picture, bool) {
	for _, kind := range [...]struct{ mime, ext string }{{"image/png", ".png"}, {"image/jpeg", ".jpg"}} {
		if text, ok := b[kind.mime]; ok {
			data, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(text), ""))
			if err == nil && len(data) > 0 {
				return Picture{kind.ext, data}, true
			}
		}
	}
	if svg := b["image/svg+xml"]; svg != "" {
		return Picture{".svg", []byte(svg)}, true
	}
	if report.IsPage(TextOf(b), b["text/html"]) {
		return Picture{PageExt, []byte(b["text/html"])}, true
	}
	return Picture{}, false
}

// SavePictures saves pictures as figure-1.png and so on, pages as display-1.html. It
// goes on after one that cannot be saved.
func (o *Folder) SavePictures(pics []Picture) error {
	n := map[string]int{}
	var lost unsavedFiles
	for _, p := range pics {
		name := ""
		for used := true; used; {
			n[p.stem()]++
			name = p.stem() + "-" + strconv.Itoa(n[p.stem()]) + p.Ext
			var err error
			if used, err = o.inUse(name); err != nil {
				return o.failed(name, err)
			}
		}
		data := p.Data
		if p.Ext == PageExt {
			data = report.Standalone(name, string(data))
		}
		err := o.Save(name, func(w io.Writer) error {
			_, err := w.Write(data)
			return err
		})
		if err != nil {
			lost = append(lost, err)
		}
	}
	return lost.err(len(pics))
}
