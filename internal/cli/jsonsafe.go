package cli

import (
	"encoding/json"
	"io"

	"praxis/internal/safetext"
)

// newEncoder returns the encoder of everything that is printed as JSON. A person
// may read it on a terminal, and it quotes models and guests: what a terminal
// would act on or not show is written as \u escapes, which mean the same to a
// program.
func newEncoder(w io.Writer) *json.Encoder {
	enc := json.NewEncoder(safeJSON{w})
	enc.SetEscapeHTML(false)
	return enc
}

// safeJSON escapes what hides in whole values of JSON.
type safeJSON struct{ w io.Writer }

// Write passes one or more whole values on. The count is of p's bytes.
func (s safeJSON) Write(p []byte) (int, error) {
	if _, err := s.w.Write(safetext.JSON(p)); err != nil {
		return 0, err
	}
	return len(p), nil
}
