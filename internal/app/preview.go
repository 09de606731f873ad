package app

import (
	"bytes"
	"io"
	"strings"
	"unicode/utf8"
)

// Bounds on what is read of a file to find out what it is.
const (
	maxLook      = 1 << 20 // bytes that are read
	maxPreview   = 2048    // bytes that the model gets, in whole lines
	previewLines = 6
)

// preview returns the first lines of a text file, so that the model knows what
// it is about, and what is unusual about the file: "is empty" and the like. A
// file that is not text has no first lines.
func preview(in Input) (head, note string, err error) {
	f, err := in.Open()
	if err != nil {
		return "", "", err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxLook+1))
	if err != nil {
		return "", "", FileFault(in.Name, err)
	}
	cut := len(data) > maxLook
	if cut {
		data = data[:maxLook]
	}
	text, note := textFrom(data, cut)
	return firstLines(text), note, nil
}

// firstLines cuts a text at a line where there is one.
func firstLines(text string) string {
	if len(text) > maxPreview {
		text = text[:maxPreview]
		if i := strings.LastIndexByte(text, '\n'); i > 0 {
			text = text[:i+1]
		} else {
			text = strings.ToValidUTF8(text, "")
		}
	}
	lines := strings.SplitAfterN(text, "\n", previewLines+1)
	return strings.Join(lines[:min(len(lines), previewLines)], "")
}

// textFrom reads what a file begins with. Text that is not UTF-8 is guessed from
// the bytes that it has: control characters are in no text, and those from 0x80
// to 0x9f are letters and quotes in one encoding alone.
func textFrom(data []byte, cut bool) (text, note string) {
	if len(data) == 0 {
		return "", "is empty"
	}
	if bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff")) {
		return "", "is not UTF-8; it looks like UTF-16"
	}
	high, plain := false, true
	for _, b := range data {
		switch {
		case b < 0x20 && !strings.ContainsRune("\t\n\v\f\r\b\x1b", rune(b)), b == 0x7f:
			return "", "is not text"
		case b >= 0x80 && b < 0xa0:
			high = true
			plain = plain && !strings.ContainsRune("\x01\x0d\x0f\x10\x1d", rune(b-0x80))
		}
	}
	if utf8.Valid(wholeRunes(data, cut)) {
		return string(wholeRunes(data, cut)), ""
	}
	switch {
	case !high:
		note = "is not UTF-8; it looks like latin-1"
	case plain:
		note = "is not UTF-8; it looks like cp1252"
	default:
		return "", "is not text"
	}
	runes := make([]rune, 0, min(len(data), maxPreview))
	for _, b := range data[:min(len(data), maxPreview)] {
		if b >= 0x80 && b < 0xa0 {
			runes = append(runes, utf8.RuneError) // the encoding is a guess, and the letter would be another
		} else {
			runes = append(runes, rune(b))
		}
	}
	return string(runes), note
}

// wholeRunes leaves a character out that was cut.
func wholeRunes(data []byte, cut bool) []byte {
	if !cut {
		return data
	}
	for i := 1; i < utf8.UTFMax && i <= len(data); i++ {
		if last := data[len(data)-i:]; utf8.RuneStart(last[0]) {
			if !utf8.FullRune(last) {
				return data[:len(data)-i]
			}
			break
		}
	}
	return data
}
