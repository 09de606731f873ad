// Package sources says what the programs that the binary carries are built from, so that
// tests see when those are older than the sources.
package sources

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Digest returns the SHA-256 of what the commands of this module are built from for an
// architecture: their files and those of the packages of ours that they import, and the
// versions of everything else. root is the folder of the module. It needs the go command.
func Digest(ctx context.Context, root, arch string, commands []string) (string, error) {
	args := []string{"list", "-deps", "-f", "{{if .Module}}{{if .Module.Main}}{{$d := .Dir}}{{range .GoFiles}}{{$d}}/{{.}}\n{{end}}{{range .EmbedFiles}}{{$d}}/{{.}}\n{{end}}{{else}}{{.Module.Path}}@{{.Module.Version}}{{end}}{{end}}"}
	cmd := exec.CommandContext(ctx, "go", append(args, commands...)...)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH="+arch, "GOFLAGS=")
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("cannot list the sources: %w", err)
	}
	lines := strings.Fields(string(out))
	slices.SortFunc(lines, func(a, b string) int { return strings.Compare(filepath.Base(a)+a, filepath.Base(b)+b) })
	h := sha256.New()
	for _, line := range slices.Compact(lines) {
		if !filepath.IsAbs(line) {
			_, _ = fmt.Fprintln(h, line)
			continue
		}
		data, err := os.ReadFile(line)
		if err != nil {
			return "", err
		}
		_, _ = fmt.Fprintf(h, "%s %x\n", filepath.Base(line), sha256.Sum256(data))
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
