package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"pault.ag/go/debian/control"
	"pault.ag/go/debian/deb"

	"praxis/internal/bounded"
	"praxis/internal/image/embedded/archive"
)

const (
	mirror    = "https://deb.debian.org/debian"
	snapshots = "https://snapshot.debian.org/archive/debian/"
	maxIndex  = 256 << 20 // bytes of a suite's index, unpacked
)

var (
	versionRE = regexp.MustCompile(`(?m)^Version: (\S+)$`)
	dateRE    = regexp.MustCompile(`(?m)^Date: (.+)$`)
	licenceRE = regexp.MustCompile(`(?m)^License:[ \t]*(\S.*)$`)
)

// renewList writes listFile for an architecture with the versions that the suite has
// today. Who commits it has looked at what changed: the digests come over HTTPS, and
// Debian's signature is not checked.
func renewList(ctx context.Context, arch, out string) error {
	base := mirror + "/dists/" + suite
	release, err := get(ctx, base+"/Release")
	if err != nil {
		return err
	}
	version, date := versionRE.FindSubmatch(release), dateRE.FindSubmatch(release)
	if version == nil || date == nil {
		return fmt.Errorf("cannot read %s/Release: it names no version and date", base)
	}
	at, err := time.Parse(time.RFC1123, string(date[1]))
	if err != nil {
		return fmt.Errorf("cannot read %s/Release: %w", base, err)
	}
	index, err := packageIndex(ctx, base+"/main/binary-"+arch+"/Packages.xz")
	if err != nil {
		return err
	}
	l := list{
		Release: string(version[1]),
		// A day later what was released is in the snapshots, too.
		Mirrors: []string{mirror, snapshots + at.UTC().AddDate(0, 0, 1).Format("20060102T150405Z")},
	}
	for _, name := range chosen() {
		i := slices.IndexFunc(index, func(b control.BinaryIndex) bool { return b.Package == name })
		if i < 0 {
			return fmt.Errorf("cannot find the package %s in %s", name, suite)
		}
		p, err := pin(ctx, index[i])
		if err != nil {
			return err
		}
		l.Packages = append(l.Packages, p)
	}
	slices.SortFunc(l.Packages, func(a, b pinned) int { return strings.Compare(a.Name, b.Name) })
	data, err := json.MarshalIndent(l, "", "  ")
	if err != nil {
		return err
	}
	return keep(filepath.Join(out, listFile), append(data, '\n'))
}

// packageIndex reads the list of the packages of a suite.
func packageIndex(ctx context.Context, url string) ([]control.BinaryIndex, error) {
	packed, err := get(ctx, url)
	if err != nil {
		return nil, err
	}
	r, err := deb.DecompressorFor(".xz")(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("cannot unpack %s: %w", url, err)
	}
	text, err := bounded.Read(r, maxIndex)
	if err != nil {
		return nil, fmt.Errorf("cannot unpack %s: %w", url, err)
	}
	return control.ParseBinaryIndex(bufio.NewReader(bytes.NewReader(text)))
}

// pin describes a package, with what its own files say of its licences.
func pin(ctx context.Context, b control.BinaryIndex) (pinned, error) {
	p := pinned{Name: b.Package, Version: b.Version.String(), Path: b.Filename, Size: int64(b.Size), SHA256: b.SHA256}
	source, version, said := strings.Cut(b.Source, " ")
	switch {
	case b.Source == "":
		source, version = p.Name, p.Version
	case !said:
		version = p.Version
	}
	p.Source = source + " " + strings.Trim(version, "()")
	data, err := fetch(ctx, []string{mirror}, p)
	if err != nil {
		return pinned{}, err
	}
	files := map[string]archive.Entry{}
	if err := readPackage(data, files); err != nil {
		return pinned{}, fmt.Errorf("cannot read the package %s: %w", p.Name, err)
	}
	p.Licences = licences(files["usr/share/doc/"+p.Name+"/copyright"])
	return p, nil
}

// licences lists the short names in a copyright file that names them, or says that they
// stand in its text.
func licences(copyright archive.Entry) []string {
	var out []string
	for _, m := range licenceRE.FindAllSubmatch(copyright.Data, -1) {
		out = append(out, strings.TrimSpace(string(m[1])))
	}
	slices.Sort(out)
	if out = slices.Compact(out); len(out) == 0 {
		out = []string{"see its copyright file"}
	}
	return out
}
