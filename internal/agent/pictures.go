package agent

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image/jpeg"
	"image/png"
	"strings"

	"praxis/event"
	"praxis/internal/llm"
)

// Bounds of the pictures that a model sees of one step. What is beyond them is only named.
const (
	maxPictures     = 4
	maxPictureBytes = 1 << 20
	maxSide         = 8000 // pixels: providers refuse more
)

// pictureTokens is about what the largest picture costs; providers scale larger ones down.
const pictureTokens = 1600

// gallery collects the pictures of one step that the model is shown. One that is nil takes none.
type gallery struct {
	step     int
	pictures []event.Picture
}

// take adds the picture of a bundle, called name, and returns what the model reads of it;
// "": it is none that the model could see.
func (g *gallery) take(b event.Bundle, name string) string {
	if g == nil {
		return ""
	}
	for _, mime := range []string{"image/png", "image/jpeg"} {
		text, ok := b[mime]
		if !ok {
			continue
		}
		if len(g.pictures) == maxPictures {
			return fmt.Sprintf(" (not shown: %d pictures of a step are)", maxPictures)
		}
		data, why := picture(mime, text)
		if why != "" {
			return " (not shown: " + why + ")"
		}
		g.pictures = append(g.pictures, event.Picture{Type: mime, Data: data, Name: fmt.Sprintf("%s of step %d", name, g.step)})
		return " (you see it)"
	}
	return ""
}

// picture reads a picture, or says why no provider would take it. Only its head is looked at.
func picture(mime, text string) (data []byte, why string) {
	if base64.StdEncoding.DecodedLen(len(text)) > maxPictureBytes+4 {
		return nil, "it has more than 1MiB; show a smaller one"
	}
	data, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(text), ""))
	if err != nil || len(data) > maxPictureBytes {
		return nil, "it is damaged"
	}
	read := png.DecodeConfig
	if mime == "image/jpeg" {
		read = jpeg.DecodeConfig
	}
	head, err := read(bytes.NewReader(data))
	switch {
	case err != nil || head.Width < 1 || head.Height < 1:
		return nil, "it is damaged"
	case head.Width > maxSide || head.Height > maxSide:
		return nil, fmt.Sprintf("it is wider or higher than %d pixels", maxSide)
	}
	return data, ""
}

// withoutPictures returns messages without their pictures, whose names stay in the texts.
func withoutPictures(messages []llm.Message) []llm.Message {
	out := make([]llm.Message, len(messages))
	for i, m := range messages {
		m.Pictures = nil
		out[i] = m
	}
	return out
}
