// Package picture shows images in terminals that can show them, by the protocols of
// kitty and iTerm2 and by sixels.
//
// An image comes from a hostile guest. Its size is looked at before it is decoded, it is
// decoded here, and what the terminal gets is encoded anew from the pixels: no byte of the
// guest's reaches it.
package picture

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	_ "image/jpeg" // a format that values have
	"image/png"
	"strings"
)

// Protocol is a way in which a terminal takes images.
type Protocol int

// The protocols. None shows nothing.
const (
	None Protocol = iota
	Kitty
	ITerm
	Sixel
)

// Names are the values of the setting, the usual one first.
func Names() []string { return []string{"auto", "kitty", "iterm", "sixel", "none"} }

// Choose returns the protocol that the setting names; "auto" and "" let the environment
// decide. It reports false for a setting that there is not.
func Choose(setting string, getenv func(string) string) (Protocol, bool) {
	switch setting {
	case "auto", "":
		return detect(getenv), true
	case "kitty":
		return Kitty, true
	case "iterm":
		return ITerm, true
	case "sixel":
		return Sixel, true
	case "none":
		return None, true
	}
	return None, false
}

// detect knows terminals by what they say in the environment. They are not asked: an
// answer that comes late would be read as typed. Multiplexers show images to nobody, or
// in the wrong place.
func detect(getenv func(string) string) Protocol {
	name, program := getenv("TERM"), getenv("TERM_PROGRAM")
	switch {
	case getenv("TMUX") != "" || getenv("STY") != "" || strings.HasPrefix(name, "screen") || strings.HasPrefix(name, "tmux") || name == "dumb":
		return None
	case getenv("KITTY_WINDOW_ID") != "" || name == "xterm-kitty" || name == "xterm-ghostty" || program == "ghostty":
		return Kitty
	case program == "iTerm.app" || program == "WezTerm" || program == "mintty" || getenv("LC_TERMINAL") == "iTerm2":
		return ITerm
	case name == "foot" || strings.HasPrefix(name, "foot-") || strings.HasPrefix(name, "mlterm") || strings.HasPrefix(name, "contour") || strings.HasPrefix(name, "yaft"):
		return Sixel
	}
	return None
}

// Bounds on an image. A decoded pixel takes up to 8 bytes.
const (
	maxBytes  = 16 << 20 // encoded
	maxPixels = 8 << 20
	maxSide   = 16 << 10
	maxShown  = 1200    // pixels of a side, shown
	maxText   = 8 << 20 // bytes for the terminal
	cell      = 8       // pixels that a column has at the least
	chunk     = 4096    // of base64 in one command of kitty's
)

var errTooLarge = errors.New("the image is too large to be shown")

// Encode returns what a terminal of so many columns is sent to show a PNG or a JPEG.
func Encode(p Protocol, data []byte, columns int) ([]byte, error) {
	if len(data) > maxBytes {
		return nil, errTooLarge
	}
	size, _, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("cannot read the image: %w", err)
	}
	if size.Width <= 0 || size.Height <= 0 || size.Width > maxSide || size.Height > maxSide || size.Width*size.Height > maxPixels {
		return nil, errTooLarge
	}
	decoded, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("cannot read the image: %w", err)
	}
	img := fit(decoded, min(maxShown, max(columns, 20)*cell))
	var out bytes.Buffer
	switch p {
	case Kitty, ITerm:
		var file bytes.Buffer
		if err := png.Encode(&file, img); err != nil {
			return nil, fmt.Errorf("cannot encode the image: %w", err)
		}
		text := base64.StdEncoding.EncodeToString(file.Bytes())
		if p == ITerm {
			fmt.Fprintf(&out, "\x1b]1337;File=inline=1;size=%d;preserveAspectRatio=1:%s\a", file.Len(), text)
			break
		}
		kitty(&out, text)
	case Sixel:
		sixel(&out, img)
	default:
		return nil, nil
	}
	if out.Len() > maxText {
		return nil, errTooLarge
	}
	out.WriteByte('\n')
	return out.Bytes(), nil
}

// kitty writes a PNG in base64 as commands that transmit and show it. q=2 keeps the
// terminal from answering: an answer would be read as typed.
func kitty(out *bytes.Buffer, text string) {
	control := "a=T,f=100,q=2,"
	for {
		n, more := min(len(text), chunk), 0
		if n < len(text) {
			more = 1
		}
		fmt.Fprintf(out, "\x1b_G%sm=%d;%s\x1b\\", control, more, text[:n])
		if text, control = text[n:], ""; text == "" {
			return
		}
	}
}

// fit returns an image on white whose sides have no more than side pixels: each pixel is
// the mean of those that it stands for.
func fit(from image.Image, side int) *image.RGBA {
	b := from.Bounds()
	flat := image.NewRGBA(image.Rect(0, 0, b.Dx(), b.Dy()))
	draw.Draw(flat, flat.Bounds(), image.White, image.Point{}, draw.Src)
	draw.Draw(flat, flat.Bounds(), from, b.Min, draw.Over)
	longest := max(b.Dx(), b.Dy())
	if longest <= side {
		return flat
	}
	w, h := max(b.Dx()*side/longest, 1), max(b.Dy()*side/longest, 1)
	out := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		top, bottom := y*b.Dy()/h, max((y+1)*b.Dy()/h, y*b.Dy()/h+1)
		for x := range w {
			left, right := x*b.Dx()/w, max((x+1)*b.Dx()/w, x*b.Dx()/w+1)
			var sum [3]int
			for yy := top; yy < bottom; yy++ {
				for xx := left; xx < right; xx++ {
					i := flat.PixOffset(xx, yy)
					for c := range sum {
						sum[c] += int(flat.Pix[i+c])
					}
				}
			}
			n := (bottom - top) * (right - left)
			out.SetRGBA(x, y, color.RGBA{uint8(sum[0] / n), uint8(sum[1] / n), uint8(sum[2] / n), 255})
		}
	}
	return out
}
