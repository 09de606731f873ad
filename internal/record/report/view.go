package report

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"strconv"
	"strings"

	"praxis/event"
	"praxis/internal/lazyregexp"
	"praxis/internal/safetext"
)

// Picture is a displayed value that is a file rather than text: an image, or a
// page of HTML whose text says nothing.
type Picture struct {
	Name          string // such as "figure-1.png", "display-1.html"
	Step          int    // 0 outside steps
	MIME          string // image/png, image/jpeg, image/svg+xml or text/html
	Data          []byte
	Width, Height int    // in pixels, 0 when they are not known
	file          string // in the session, where the code that showed it saved it; "": nowhere known
}

// page is the MIME type that distinguishes pages from images.
const page = "text/html"

// caption names a picture, its size and where it was saved.
func (s *timeline) caption(p *Picture) string {
	parts := []string{p.Name}
	if p.MIME == page {
		parts[0] = "an HTML page: " + p.Name
	}
	if p.Width > 0 {
		parts = append(parts, strconv.Itoa(p.Width)+"×"+strconv.Itoa(p.Height))
	}
	parts = append(parts, safetext.Size(int64(len(p.Data))))
	if path := s.run.Saved[p.Name]; path != "" {
		parts = append(parts, "saved as "+path)
	}
	return strings.Join(parts, ", ")
}

// view is what there is to show of a value. A format takes the best it can.
type view struct {
	picture *Picture // nil: it is none
	grid    *grid    // its HTML, when that is a plain table
	html    string   // its HTML
	text    string   // what to print of it
	broken  string   // why its picture is not shown
}

// defaultText is the repr of an object that has none of its own: it says nothing.
var defaultText = lazyregexp.New(`^<[\w.<>]+ object(?: at 0x[0-9a-fA-F]+)?>$`)

// beside returns the text to show with a picture: of an image none, of a page its own.
func (v view) beside() string {
	if v.picture.MIME == page && !defaultText.MatchString(v.text) {
		return v.text
	}
	return ""
}

// view reads a bundle and gives its picture a name.
func (t *timelineBuilder) view(b event.Bundle, step int) view {
	v := view{html: b[page], text: textOf(b)}
	if v.html != "" {
		v.grid = parseGrid(v.html)
	}
	p, broken := image(b)
	v.broken = broken
	stem, ext := "figure-", map[string]string{"image/png": ".png", "image/jpeg": ".jpg", "image/svg+xml": ".svg"}
	if p == nil && IsPage(v.text, v.html) {
		p, stem, ext = &Picture{MIME: page, Data: []byte(v.html)}, "display-", map[string]string{page: ".html"}
	}
	if p == nil {
		return v
	}
	t.names[stem]++
	p.Name, p.Step, p.file = stem+strconv.Itoa(t.names[stem])+ext[p.MIME], step, b[event.FileMIME]
	t.pictures = append(t.pictures, *p)
	v.picture = p
	return v
}

// textOf returns what to print of a value: its text, or the source of its
// Markdown or LaTeX where the text says nothing.
func textOf(b event.Bundle) string {
	text := b["text"]
	if text == "" {
		text = b["text/plain"]
	}
	if text == "" || defaultText.MatchString(text) {
		for _, mime := range [...]string{"text/markdown", "text/latex"} {
			if source := b[mime]; source != "" {
				return source
			}
		}
	}
	return text
}

// image returns the best image of a bundle. What does not begin as its type
// says is not taken for one.
func image(b event.Bundle) (p *Picture, broken string) {
	for _, kind := range [...]struct{ mime, magic string }{{"image/png", "\x89PNG\r\n\x1a\n"}, {"image/jpeg", "\xff\xd8\xff"}} {
		text, has := b[kind.mime]
		if !has {
			continue
		}
		data, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(text), ""))
		if err != nil || !bytes.HasPrefix(data, []byte(kind.magic)) {
			broken = "a value that says it is " + kind.mime + " and is not"
			continue
		}
		p := &Picture{MIME: kind.mime, Data: data}
		if kind.mime == "image/png" && len(data) >= 24 {
			w, h := binary.BigEndian.Uint32(data[16:]), binary.BigEndian.Uint32(data[20:])
			if w < 1<<31 && h < 1<<31 {
				p.Width, p.Height = int(w), int(h)
			}
		}
		return p, ""
	}
	if svg := b["image/svg+xml"]; svg != "" {
		return &Picture{MIME: "image/svg+xml", Data: []byte(svg)}, ""
	}
	return nil, broken
}

func decimal(n int64) string { return strconv.FormatInt(n, 10) }
