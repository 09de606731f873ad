package skill

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"praxis/fault"
	"praxis/internal/bounded"
	"praxis/internal/safetext"
)

// Bounds of a file with skills.
const (
	MaxPacked  = 16 << 20 // bytes, of the file
	maxRead    = 64 << 20 // bytes, of what is in it
	maxSkills  = 100
	maxEntries = maxSkills * 8
)

// Pack writes skills as one zip archive: the folder of each, without its older versions.
// The same skills are the same bytes.
func Pack(w io.Writer, skills []Skill) error {
	z := zip.NewWriter(w)
	for _, s := range skills {
		files := s.Files()
		for _, name := range slices.Sorted(maps.Keys(files)) {
			f, err := z.CreateHeader(&zip.FileHeader{Name: Folder(s.Name) + "/" + name, Method: zip.Deflate})
			if err != nil {
				return err
			}
			if _, err := io.WriteString(f, files[name]); err != nil {
				return err
			}
		}
	}
	return z.Close()
}

// Unpack reads the skills of an archive that Pack wrote, or somebody else: each entry is a
// regular file of a skill, whole and in its place, and every skill is what its hash names.
// Nothing of an archive is taken when one entry is refused.
func Unpack(data []byte) ([]Skill, error) {
	refuse := func(format string, args ...any) error {
		return fault.New(fault.Invalid, "Ask for the file again, or look where it comes from.", "cannot import skills: "+format, args...)
	}
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, refuse("the file is no zip archive: %w", err)
	}
	if len(z.File) > maxEntries {
		return nil, refuse("the archive has more than %d entries", maxEntries)
	}
	folders := map[string]map[string]string{}
	left := int64(maxRead)
	for _, f := range z.File {
		folder, name, _ := strings.Cut(f.Name, "/")
		most, known := FileNames()[name]
		switch _, twice := folders[folder][name]; {
		case strings.HasSuffix(f.Name, "/") && f.Mode().IsDir() && name == "":
			continue
		case !known || !f.Mode().IsRegular() || Folder(NameOf(folder)) != folder:
			return nil, refuse("%s is no file of a skill", safetext.Quote(f.Name))
		case twice:
			return nil, refuse("%s is there twice", safetext.Quote(f.Name))
		}
		text, err := entry(f, min(most, left))
		if err != nil {
			return nil, refuse("%s: %w", safetext.Quote(f.Name), err)
		}
		left -= int64(len(text))
		if folders[folder] == nil {
			folders[folder] = map[string]string{}
		}
		folders[folder][name] = text
	}
	if len(folders) == 0 || len(folders) > maxSkills {
		return nil, refuse("the archive has %d skills, and 1 to %d can be taken", len(folders), maxSkills)
	}
	var out []Skill
	for _, folder := range slices.Sorted(maps.Keys(folders)) {
		s, err := Read(folder, folders[folder])
		if err != nil {
			return nil, fmt.Errorf("cannot import skills: %w", err)
		}
		out = append(out, s)
	}
	return out, nil
}

// entry reads one file of an archive, whatever its header says of its size.
func entry(f *zip.File, most int64) (text string, err error) {
	r, err := f.Open()
	if err != nil {
		return "", err
	}
	data, err := bounded.ReadClose(r, most)
	return string(data), err
}
