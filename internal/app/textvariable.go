package app

import (
	"bytes"
	"io"
	"strings"
	"unicode/utf8"

	"praxis/fault"
	"praxis/internal/agent"
	"praxis/internal/language"
	"praxis/internal/run"
	"praxis/internal/safetext"
)

// ContextVariable is the variable that holds the text which a question is asked over. Its
// name is that of the literature on recursive language models.
const ContextVariable = "context"

// MaxContext bounds such a text, in bytes.
const MaxContext = 1 << 30

// ContextFile is a file of this machine whose text a question is asked over: code has it as
// a variable, and no prompt holds it.
func ContextFile(path string) (Input, error) {
	in, err := LocalFile(path)
	if err == nil && in.Bytes > MaxContext {
		err = fault.New(fault.Invalid, "Give it as a file, which code reads in parts.", "cannot take %s as a variable: it has %s", safetext.Line(in.Name), safetext.Over(in.Bytes, MaxContext))
	}
	in.Variable = ContextVariable
	return in, err
}

// textVariable is the input of a text that is a variable. It is read once, in pieces, for what
// the prompt says of it.
func textVariable(in Input) (run.Input, error) {
	out := run.Input{File: agent.File{
		Name: in.Name, Path: language.GivenFolder + "/" + in.Variable, Bytes: in.Bytes, Variable: in.Variable, Form: language.FormText,
	}, Open: in.Open}
	f, err := in.Open()
	if err != nil {
		return out, err
	}
	defer f.Close()
	m := &measure{}
	if _, err := io.Copy(m, f); err != nil {
		return out, FileFault(in.Name, err)
	}
	out.Profile, out.Begins = m.String(), m.head()
	return out, nil
}

// measure is a writer that measures a text. It keeps its beginning alone.
type measure struct {
	begins      []byte
	size, lines int64
	runes       int64
	rest        []byte // the beginning of a character that is not whole
	ends        bool   // with the end of a line
}

// maxBegins is how much of a text's beginning is kept, in bytes.
const maxBegins = 1024

// Write implements io.Writer.
func (m *measure) Write(p []byte) (int, error) {
	n := len(p)
	if left := maxBegins - len(m.begins); left > 0 {
		m.begins = append(m.begins, p[:min(left, n)]...)
	}
	if n > 0 {
		m.size, m.lines, m.ends = m.size+int64(n), m.lines+int64(bytes.Count(p, []byte("\n"))), p[n-1] == '\n'
	}
	if len(m.rest) > 0 {
		p = append(m.rest, p...)
	}
	whole := wholeRunes(p, true)
	m.runes += int64(utf8.RuneCount(whole))
	m.rest = append([]byte(nil), p[len(whole):]...)
	return n, nil
}

// String says how long the text is.
func (m *measure) String() string {
	lines := m.lines
	if m.size > 0 && !m.ends {
		lines++
	}
	return "a text of " + safetext.Count(int(m.runes)+utf8.RuneCount(m.rest), "character") + " in " + safetext.Count(int(lines), "line")
}

// head is the beginning of the text.
func (m *measure) head() string {
	return strings.TrimSpace(string(wholeRunes(m.begins, m.size > int64(len(m.begins)))))
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
