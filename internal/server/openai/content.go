package openai

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"mime"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"praxis/internal/safetext"
	"praxis/internal/server/api"
)

// maxMessages bounds a conversation.
const maxMessages = 4000

// said is what somebody said in a conversation.
type said struct {
	person bool
	text   string
	files  []file // that the person attached
}

// file is one that a message brings along.
type file struct {
	name string
	data []byte
	sum  string // SHA-256
}

// part is a piece of a message's content, as the two interfaces write it.
type part struct {
	Type     string          `json:"type"`
	Text     string          `json:"text"`
	Refusal  string          `json:"refusal"`
	ImageURL json.RawMessage `json:"image_url"` // an object with url, or the address itself
	File     *givenFile      `json:"file"`
	givenFile
}

type givenFile struct {
	FileData string `json:"file_data"`
	FileName string `json:"filename"`
	FileURL  string `json:"file_url"`
	FileID   string `json:"file_id"`
}

// contentOf reads the content of a message: a text, or a list of parts. param is where it
// stands in the request.
func contentOf(raw json.RawMessage, param string) (text string, files []file, err error) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || bytes.Equal(raw, []byte("null")) {
		return "", nil, nil
	}
	if raw[0] == '"' {
		err := decode(raw, &text)
		return text, nil, err
	}
	var parts []part
	if err := decode(raw, &parts); err != nil {
		return "", nil, err
	}
	var texts []string
	for i, p := range parts {
		at := fmt.Sprintf("%s[%d]", param, i)
		switch p.Type {
		case "text", "input_text", "output_text":
			texts = append(texts, p.Text)
		case "refusal":
			texts = append(texts, p.Refusal)
		case "image_url", "input_image":
			f, err := p.picture(at)
			if err != nil {
				return "", nil, err
			}
			files = append(files, f)
		case "file", "input_file":
			f, err := p.file(at)
			if err != nil {
				return "", nil, err
			}
			files = append(files, f)
		default:
			return "", nil, wrong(at+".type", "Send text, pictures and files.", "cannot read a part of a message: it is of the type %s", safetext.Quote(safetext.Line(p.Type)))
		}
	}
	return strings.Join(texts, "\n"), files, nil
}

// picture is what a picture is called, with a part of its hash: clients send them without names.
const picture = "picture"

// noFetching is the remedy of content that lies elsewhere.
const noFetching = "Send the content itself: this server fetches nothing for a client."

func (p part) picture(param string) (file, error) {
	address := ""
	if raw := bytes.TrimSpace(p.ImageURL); len(raw) > 0 && raw[0] == '"' {
		if err := decode(raw, &address); err != nil {
			return file{}, err
		}
	} else if len(raw) > 0 {
		var o struct {
			URL string `json:"url"`
		}
		if err := decode(raw, &o); err != nil {
			return file{}, err
		}
		address = o.URL
	}
	kind, data, err := dataOf(address, param)
	if err != nil {
		return file{}, err
	}
	ext, known := map[string]string{"image/png": ".png", "image/jpeg": ".jpg", "image/jpg": ".jpg", "image/gif": ".gif", "image/webp": ".webp", "image/svg+xml": ".svg", "image/bmp": ".bmp", "image/tiff": ".tiff"}[kind]
	if !known {
		return file{}, wrong(param, "Send a PNG, JPEG, GIF, WebP, BMP, TIFF or SVG.", "cannot take the picture: it is of the type %s", safetext.Quote(safetext.Line(kind)))
	}
	return newFile(picture+ext, data), nil
}

func (p part) file(param string) (file, error) {
	f := p.givenFile
	if p.File != nil {
		f = *p.File
	}
	if f.FileData == "" {
		return file{}, wrong(param, noFetching, "cannot take the file: it comes without file_data")
	}
	if !strings.HasPrefix(f.FileData, "data:") {
		data, err := base64.StdEncoding.DecodeString(f.FileData)
		if err != nil {
			return file{}, wrong(param, "Send the content as base64.", "cannot take the file: its content is not base64")
		}
		return newFile(f.FileName, data), nil
	}
	_, data, err := dataOf(f.FileData, param)
	return newFile(f.FileName, data), err
}

// dataOf reads a data: URL (RFC 2397) whose data are base64.
func dataOf(address, param string) (kind string, data []byte, err error) {
	head, body, found := strings.Cut(address, ",")
	head, isData := strings.CutPrefix(head, "data:")
	if !isData || !found {
		return "", nil, wrong(param, noFetching, "cannot take %s: it is no data: URL", safetext.Quote(safetext.Line(address)))
	}
	head, isBase64 := strings.CutSuffix(head, ";base64")
	if !isBase64 {
		return "", nil, wrong(param, "Send the content as base64.", "cannot take the content: its data: URL is not base64")
	}
	if data, err = base64.StdEncoding.DecodeString(body); err != nil {
		return "", nil, wrong(param, "Send the content as base64.", "cannot take the content: its data: URL is not base64")
	}
	kind, _, _ = mime.ParseMediaType(head) // one that cannot be read is none
	return kind, data, nil
}

func newFile(name string, data []byte) file {
	sum := sha256.Sum256(data)
	return file{name, data, hex.EncodeToString(sum[:])}
}

// given names the files of a conversation: those of its messages from the one at first on,
// under names that are the same whenever the conversation is sent.
func given(all []said, first int) []api.GivenFile {
	var out []api.GivenFile
	taken := map[string]string{} // the content by the name
	for i, s := range all {
		for _, f := range s.files {
			name := plainName(f.name)
			if sum, used := taken[name]; name == "" || used && sum != f.sum || strings.HasPrefix(name, picture+".") {
				ext := path.Ext(name)
				name = cmp.Or(strings.TrimSuffix(name, ext), "file") + "-" + f.sum[:8] + ext
			}
			_, again := taken[name]
			taken[name] = f.sum
			if i >= first && !again {
				out = append(out, api.GivenFile{Name: name, Data: f.data})
			}
		}
	}
	return out
}

// maxName bounds the name of a file, in bytes.
const maxName = 100

// plainName returns what of a client's name for a file can be one in the working folder, or "".
func plainName(name string) string {
	name = name[strings.LastIndexAny(name, `/\`)+1:]
	name = name[max(0, len(name)-maxName):] // its end says what it is
	name = strings.Map(func(r rune) rune {
		if r == utf8.RuneError || safetext.Hidden(r) || unicode.IsControl(r) {
			return -1
		}
		return r
	}, name)
	return strings.TrimSpace(strings.TrimLeft(name, ".- "))
}
