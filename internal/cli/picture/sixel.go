package picture

import (
	"bytes"
	"fmt"
	"image"
	"sort"
)

// colours is how many a sixel image has; terminals have registers for 256.
const colours = 256

// sixel writes an image as sixels: bands of six rows, and in each band one line of
// characters for each colour, whose bits are the rows.
func sixel(out *bytes.Buffer, img *image.RGBA) {
	palette, indexed := quantize(img)
	w, h := img.Bounds().Dx(), img.Bounds().Dy()
	fmt.Fprintf(out, "\x1bPq\"1;1;%d;%d", w, h)
	for i, c := range palette {
		r, g, b := parts(c)
		fmt.Fprintf(out, "#%d;2;%d;%d;%d", i, r*100/255, g*100/255, b*100/255)
	}
	bits := make([]byte, w*len(palette))
	for top := 0; top < h; top += 6 {
		clear(bits)
		used := make([]bool, len(palette))
		for y := top; y < min(top+6, h); y++ {
			for x := range w {
				i := int(indexed[y*w+x])
				used[i] = true
				bits[i*w+x] |= 1 << (y - top)
			}
		}
		for i := range palette {
			if used[i] {
				fmt.Fprintf(out, "#%d", i)
				runs(out, bits[i*w:(i+1)*w])
				out.WriteByte('$')
			}
		}
		out.WriteByte('-')
	}
	out.WriteString("\x1b\\")
}

// runs writes a row of sixels, what repeats with its number.
func runs(out *bytes.Buffer, row []byte) {
	for i := 0; i < len(row); {
		n := 1
		for i+n < len(row) && row[i+n] == row[i] {
			n++
		}
		char := row[i] + '?'
		if n > 3 {
			fmt.Fprintf(out, "!%d%c", n, char)
		} else {
			out.Write(bytes.Repeat([]byte{char}, n))
		}
		i += n
	}
}

// quantize returns the colours that an image has most often, five bits a channel, and for
// each pixel the nearest of them.
func quantize(img *image.RGBA) (palette []uint16, indexed []uint8) {
	counts := map[uint16]int{}
	short := make([]uint16, len(img.Pix)/4)
	for i := range short {
		p := img.Pix[4*i:]
		short[i] = uint16(p[0]>>3)<<10 | uint16(p[1]>>3)<<5 | uint16(p[2]>>3)
		counts[short[i]]++
	}
	for c := range counts {
		palette = append(palette, c)
	}
	sort.Slice(palette, func(i, j int) bool {
		a, b := palette[i], palette[j]
		return counts[a] > counts[b] || counts[a] == counts[b] && a < b
	})
	palette = palette[:min(len(palette), colours)]
	nearest := make(map[uint16]uint8, len(counts))
	for c := range counts {
		best := -1
		r, g, b := parts(c)
		for i, p := range palette {
			pr, pg, pb := parts(p)
			if d := (r-pr)*(r-pr) + (g-pg)*(g-pg) + (b-pb)*(b-pb); best < 0 || d < best {
				best, nearest[c] = d, uint8(i)
			}
		}
	}
	indexed = make([]uint8, len(short))
	for i, c := range short {
		indexed[i] = nearest[c]
	}
	return palette, indexed
}

// parts returns the channels of a colour of five bits each, from 0 to 255.
func parts(c uint16) (r, g, b int) {
	return int(c>>10) * 255 / 31, int(c>>5&31) * 255 / 31, int(c&31) * 255 / 31
}
