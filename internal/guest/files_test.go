package guest_test

import (
	"os"
	"path/filepath"
)

// touch makes an empty file in the working folder behind the agent's back.
func (b *bed) touch(name string) {
	if err := os.WriteFile(filepath.Join(b.work, name), nil, 0o644); err != nil {
		b.t.Error(err)
	}
}
