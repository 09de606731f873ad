package picture

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/png"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func TestChoose(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		setting string
		env     map[string]string
		want    Protocol
	}{
		{"auto", nil, None},
		{"", map[string]string{"TERM": "xterm-256color"}, None},
		{"auto", map[string]string{"TERM": "xterm-kitty"}, Kitty},
		{"auto", map[string]string{"KITTY_WINDOW_ID": "1", "TERM": "xterm-256color"}, Kitty},
		{"auto", map[string]string{"TERM_PROGRAM": "ghostty"}, Kitty},
		{"auto", map[string]string{"TERM_PROGRAM": "iTerm.app"}, ITerm},
		{"auto", map[string]string{"TERM_PROGRAM": "WezTerm"}, ITerm},
		{"auto", map[string]string{"LC_TERMINAL": "iTerm2"}, ITerm},
		{"auto", map[string]string{"TERM": "foot"}, Sixel},
		{"auto", map[string]string{"TERM": "tmux-256color", "KITTY_WINDOW_ID": "1"}, None},
		{"auto", map[string]string{"TMUX": "x", "TERM_PROGRAM": "iTerm.app"}, None},
		{"sixel", map[string]string{"TMUX": "x"}, Sixel},
		{"none", map[string]string{"TERM": "xterm-kitty"}, None},
	} {
		if got, ok := Choose(c.setting, func(k string) string { return c.env[k] }); !ok || got != c.want {
			t.Errorf("%q, %v: got %d, want %d", c.setting, c.env, got, c.want)
		}
	}
	if _, ok := Choose("paint", func(string) string { return "" }); ok {
		t.Error("a setting that there is not is taken")
	}
	for _, name := range Names() {
		if _, ok := Choose(name, func(string) string { return "" }); !ok {
			t.Errorf("%q is not taken", name)
		}
	}
}

// drawn is a PNG with noise, with a text of the guest's in a chunk of its own.
func drawn(t *testing.T, w, h int, comment string) []byte {
	t.Helper()
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for i := range w * h {
		img.SetNRGBA(i%w, i/w, color.NRGBA{uint8(i * 7), uint8(i * i >> 3 * 13), uint8(i * i * i >> 5), 255})
	}
	var out bytes.Buffer
	if err := png.Encode(&out, img); err != nil {
		t.Fatal(err)
	}
	body := append([]byte("tEXt"), comment...)
	piece := binary.BigEndian.AppendUint32(nil, uint32(len(comment)))
	piece = binary.BigEndian.AppendUint32(append(piece, body...), crc32.ChecksumIEEE(body))
	return slices.Insert(out.Bytes(), 33, piece...) // behind the header
}

// TestEncode checks what each kind of terminal is sent, that it is the same image, and
// that nothing else of the guest's is in it.
func TestEncode(t *testing.T) {
	t.Parallel()
	const comment = "c\x00\x1b]0;title\a"
	data := drawn(t, 300, 100, comment)
	if !bytes.Contains(data, []byte(comment)) {
		t.Fatal("the image has no comment")
	}
	for name, c := range map[string]struct {
		protocol Protocol
		form     string
	}{
		"kitty": {Kitty, `^\x1b_Ga=T,f=100,q=2,m=1;([A-Za-z0-9+/=]+)\x1b\\(?:\x1b_Gm=1;([A-Za-z0-9+/=]+)\x1b\\)*\x1b_Gm=0;([A-Za-z0-9+/=]+)\x1b\\\n$`},
		"iTerm": {ITerm, `^\x1b\]1337;File=inline=1;size=\d+;preserveAspectRatio=1:[A-Za-z0-9+/=]+\a\n$`},
		"sixel": {Sixel, `^\x1bPq"1;1;300;100(?:#\d+;2;\d+;\d+;\d+)+(?:[#!0-9?-~$-])+\x1b\\\n$`},
	} {
		got, err := Encode(c.protocol, data, 80)
		if err != nil || !regexp.MustCompile(c.form).Match(got) {
			t.Errorf("%s: %v: %.200q", name, err, got)
			continue
		}
		if c.protocol == Sixel {
			continue
		}
		var text strings.Builder
		for _, m := range regexp.MustCompile(`[;:]([A-Za-z0-9+/=]{4,})[\x1b\a]`).FindAllSubmatch(got, -1) {
			if text.Write(m[1]); c.protocol == Kitty && len(m[1]) > chunk {
				t.Errorf("a command has %d bytes", len(m[1]))
			}
		}
		file, err := base64.StdEncoding.DecodeString(text.String())
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		img, err := png.Decode(bytes.NewReader(file))
		if err != nil || img.Bounds().Dx() != 300 || bytes.Contains(file, []byte("title")) {
			t.Errorf("%s: %v, or the image has the guest's comment", name, err)
		}
		if r, g, _, _ := img.At(7, 0).RGBA(); r>>8 != 49 || g>>8 != 7*7>>3*13 {
			t.Errorf("%s: a pixel is %d, %d", name, r>>8, g>>8)
		}
	}
}

// TestSixel paints what a terminal would and compares the pixels.
func TestSixel(t *testing.T) {
	t.Parallel()
	img := image.NewRGBA(image.Rect(0, 0, 40, 15))
	for i := range 40 * 15 {
		c := color.RGBA{255, 255, 255, 255}
		if i%3 == 0 || i > 500 {
			c = color.RGBA{255, 0, 0, 255}
		}
		img.SetRGBA(i%40, i/40, c)
	}
	var out bytes.Buffer
	sixel(&out, img)
	palette := map[string]string{}
	painted := map[image.Point]string{}
	var colour string
	x, y := 0, 0
	for _, m := range regexp.MustCompile(`#(\d+);2;(\d+;\d+;\d+)|#(\d+)|!(\d+)(.)|([?-~])|(\$)|(-)`).FindAllStringSubmatch(strings.TrimPrefix(strings.TrimSuffix(out.String(), "\x1b\\"), "\x1bPq\"1;1;40;15"), -1) {
		n, char := 1, m[6]
		switch {
		case m[1] != "":
			palette[m[1]] = m[2]
			continue
		case m[3] != "":
			colour = palette[m[3]]
			continue
		case m[7] != "":
			x = 0
			continue
		case m[8] != "":
			x, y = 0, y+6
			continue
		case m[4] != "":
			n, _ = strconv.Atoi(m[4])
			char = m[5]
		}
		for range n {
			for bit := range 6 {
				if (char[0]-'?')>>bit&1 == 1 {
					painted[image.Pt(x, y+bit)] = colour
				}
			}
			x++
		}
	}
	for i := range 40 * 15 {
		want := "100;100;100"
		if i%3 == 0 || i > 500 {
			want = "100;0;0"
		}
		if got := painted[image.Pt(i%40, i/40)]; got != want {
			t.Fatalf("pixel %d is %q, want %q", i, got, want)
		}
	}
	if len(painted) != 40*15 {
		t.Errorf("%d pixels are painted", len(painted))
	}
}

// TestBounds checks that an image which says that it is vast is not decoded, and that a
// large one is made smaller.
func TestBounds(t *testing.T) {
	t.Parallel()
	vast := drawn(t, 4, 4, "")
	binary.BigEndian.PutUint32(vast[16:], 1<<30)
	binary.BigEndian.PutUint32(vast[20:], 1<<30)
	binary.BigEndian.PutUint32(vast[29:], crc32.ChecksumIEEE(vast[12:29]))
	for name, data := range map[string][]byte{"vast": vast, "long": make([]byte, maxBytes+1), "no image": []byte("\x1b[2J"), "cut": drawn(t, 50, 50, "")[:200]} {
		if got, err := Encode(Kitty, data, 80); err == nil || len(got) > 0 {
			t.Errorf("%s: %d bytes, %v", name, len(got), err)
		}
	}
	small := fit(image.NewNRGBA(image.Rect(3, 4, 3003, 1004)), 640)
	if got := small.Bounds(); got.Dx() != 640 || got.Dy() != 213 {
		t.Errorf("the image has %v", got)
	}
	if c := small.RGBAAt(10, 10); c != (color.RGBA{255, 255, 255, 255}) {
		t.Errorf("what is transparent is %v", c)
	}
	if got := fit(image.NewNRGBA(image.Rect(0, 0, 8000, 1)), 640).Bounds(); got.Dx() != 640 || got.Dy() != 1 {
		t.Errorf("a line has %v", got)
	}
}

func FuzzEncode(f *testing.F) {
	f.Add([]byte("\x89PNG\r\n\x1a\n"), 1)
	f.Fuzz(func(t *testing.T, data []byte, protocol int) {
		got, err := Encode(Protocol(protocol&3), data, 80)
		if err == nil && len(got) > maxText+1 {
			t.Errorf("%d bytes", len(got))
		}
	})
}
