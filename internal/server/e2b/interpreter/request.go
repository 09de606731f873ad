package interpreter

import (
	"bytes"
	"encoding/json"
	"io"
	"path"
	"strings"

	"praxis/fault"
	"praxis/internal/safetext"
)

// Bounds of what a request may bring.
const (
	maxVariables = 1000
	maxVariable  = 128 << 10 // bytes of one, name and text
	maxLanguage  = 64        // bytes of its name
)

// execution is the body of POST /execute.
type execution struct {
	Code      *string           `json:"code"`
	Context   string            `json:"context_id"`
	Language  string            `json:"language"`
	Variables map[string]string `json:"env_vars"`
}

// wanted is the body of POST /contexts.
type wanted struct {
	Language string `json:"language"`
	Folder   string `json:"cwd"`
}

// decode reads a JSON object. Members that it does not know are left alone, as newer clients
// may send more.
func decode(data []byte, v any) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	err := dec.Decode(v)
	if err == nil {
		if _, more := dec.Token(); more != io.EOF {
			err = io.ErrUnexpectedEOF
		}
	}
	if err != nil {
		return fault.New(fault.Invalid, "Send an object of JSON.", "cannot read the request: its body is no object of JSON with the members that are known")
	}
	return nil
}

// decodeExecution reads and checks the body of POST /execute.
func decodeExecution(data []byte) (execution, error) {
	var q execution
	if err := decode(data, &q); err != nil {
		return q, err
	}
	if q.Code == nil {
		return q, fault.New(fault.Invalid, "Send the code.", "cannot run the code: the request has no member code")
	}
	q.Language = called(q.Language)
	if len(q.Language) > maxLanguage {
		return q, unknownLanguage(q.Language)
	}
	if len(q.Variables) > maxVariables {
		return q, fault.New(fault.Invalid, "Put the data in a file of the sandbox.", "cannot run the code: %d variables, the limit is %d", len(q.Variables), maxVariables)
	}
	for name, text := range q.Variables {
		if name == "" || strings.ContainsAny(name, "=\x00") || strings.Contains(text, "\x00") || len(name)+len(text) > maxVariable {
			return q, fault.New(fault.Invalid, "Name it with letters, digits and '_'.", "cannot run the code: %s is no environment variable, or too long", safetext.Quote(safetext.Clip(name, 60)))
		}
	}
	return q, nil
}

// decodeWanted reads and checks the body of POST /contexts. Its folder is absolute and clean.
func decodeWanted(data []byte) (wanted, error) {
	var q wanted
	if len(bytes.TrimSpace(data)) > 0 {
		if err := decode(data, &q); err != nil {
			return q, err
		}
	}
	if q.Language = called(q.Language); q.Language == "" {
		q.Language = "python"
	}
	if len(q.Language) > maxLanguage {
		return q, unknownLanguage(q.Language)
	}
	if len(q.Folder) > 4096 || strings.ContainsAny(q.Folder, "\x00\n") {
		return q, fault.New(fault.Invalid, "Name a folder of the sandbox.", "cannot make a context: its folder is no path")
	}
	if q.Folder == "" {
		q.Folder = Home
	}
	q.Folder = path.Join("/", path.Clean(under(q.Folder)))
	return q, nil
}

// under is a path below the folder of contexts, if it is not absolute.
func under(folder string) string {
	if path.IsAbs(folder) {
		return folder
	}
	return path.Join(Home, folder)
}

// called is the name of a language as it is meant.
func called(language string) string { return strings.ToLower(strings.TrimSpace(language)) }

func unknownLanguage(name string) error {
	return fault.New(fault.Invalid, "Use a language of the sandbox.", "cannot run %s: there is no such language", safetext.Quote(safetext.Clip(name, maxLanguage)))
}
