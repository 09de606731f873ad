package tui

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/reeflective/readline"

	"praxis/internal/app"
)

// Bounds of the history: who pastes a book does not recall it.
const (
	maxRemembered = 16 << 10 // bytes of one piece
	maxPieces     = 1000
	maxHistory    = 4 << 20 // bytes of the file that are read
)

// history is what was typed before: pieces of code, each of any number of
// lines. Its file has one quoted piece a line and is added to with each, so that
// two shells keep the pieces of both.
type history struct {
	path   string
	pieces []string
}

var _ readline.History = (*history)(nil)

// openHistory reads the history's last pieces, and shortens a file that grew long.
// A file that cannot be read is an empty history.
func openHistory(path string) *history {
	h := &history{path: path}
	f, err := os.Open(path)
	if err != nil {
		return h
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size() > maxHistory {
		_, _ = f.Seek(-maxHistory, io.SeekEnd) // the first line is then cut, and left out
	}
	lines := 0
	scan := bufio.NewScanner(io.LimitReader(f, maxHistory))
	scan.Buffer(nil, 8*maxRemembered)
	for scan.Scan() {
		lines++
		if piece, err := strconv.Unquote(scan.Text()); err == nil && strings.TrimSpace(piece) != "" {
			h.pieces = append(h.pieces, cleanTyped(piece))
		}
	}
	h.pieces = h.pieces[max(0, len(h.pieces)-maxPieces):]
	if lines > 2*maxPieces || scan.Err() != nil {
		var b bytes.Buffer
		for _, piece := range h.pieces {
			b.WriteString(strconv.Quote(piece) + "\n")
		}
		_ = app.SaveFile(path, true, b.Bytes()) // a file that stays long is read all the same
	}
	return h
}

// add keeps a piece, here and in the file.
func (h *history) add(piece string) (err error) {
	piece = strings.TrimRight(piece, "\n ")
	n := len(h.pieces)
	if strings.TrimSpace(piece) == "" || len(piece) > maxRemembered || n > 0 && h.pieces[n-1] == piece {
		return nil
	}
	h.pieces = append(h.pieces, piece)
	if err := os.MkdirAll(filepath.Dir(h.path), 0o700); err != nil {
		return fmt.Errorf("cannot save history: %w", err)
	}
	f, err := os.OpenFile(h.path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return fmt.Errorf("cannot save history: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if err := f.Chmod(0o600); err != nil { // what is typed is its owner's alone
		return fmt.Errorf("cannot save history: %w", err)
	}
	_, err = f.WriteString(strconv.Quote(piece) + "\n")
	return err
}

// has says whether a piece was typed before as it stands.
func (h *history) has(piece string) bool {
	for _, p := range h.pieces {
		if p == piece {
			return true
		}
	}
	return false
}

// Write implements readline.History. It does nothing: the caller of the editor
// says what is to be remembered.
func (h *history) Write(string) (int, error) { return len(h.pieces), nil }

// GetLine implements readline.History.
func (h *history) GetLine(i int) (string, error) {
	if i < 0 || i >= len(h.pieces) {
		return "", errors.New("there is no such piece")
	}
	return h.pieces[i], nil
}

// Len implements readline.History.
func (h *history) Len() int { return len(h.pieces) }

// Dump implements readline.History.
func (h *history) Dump() any { return h.pieces }

// cleanTyped takes control characters but line breaks and tabs out of what is
// put into the editor: a paste must not press keys.
func cleanTyped(text string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && (r < 0x20 || r >= 0x7f && r < 0xa0) {
			return -1
		}
		return r
	}, text)
}
