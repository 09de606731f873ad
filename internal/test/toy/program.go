package toy

import (
	"io"
	"strings"

	"praxis/internal/programs"
)

// Program stands in for the first process of guests: nothing executes it.
func Program() programs.Program {
	return programs.Program{
		Name:   "praxis-guest",
		SHA256: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", // of nothing
		Open:   func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("")), nil },
	}
}
