// Package zoneinfo has the time zones of the IANA database, so that the same plan
// gives the same times on every machine, whatever zones the host has.
//
// zoneinfo.zip is the archive that comes with Go, in lib/time of its distribution;
// a newer one replaces it. IANA says that the database is in the public domain
// (https://www.iana.org/time-zones).
package zoneinfo

import (
	"archive/zip"
	"bytes"
	_ "embed"
	"io"
	"sync"
	"time"

	"praxis/internal/plan/value"
)

//go:embed zoneinfo.zip
var archive []byte

// zones are all time zones by name.
var zones = sync.OnceValue(func() map[string]*time.Location {
	out := map[string]*time.Location{}
	z, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		return out
	}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			continue
		}
		data, err := io.ReadAll(r)
		if err != nil || r.Close() != nil {
			continue
		}
		if zone, err := time.LoadLocationFromTZData(f.Name, data); err == nil {
			out[f.Name] = zone
		}
	}
	return out
})

// Natives are the functions in Go of module zoneinfo.
func Natives() []*value.Native {
	return []*value.Native{
		{Name: "zoneinfo._at", Params: "key, seconds, /", Call: at},
		{Name: "zoneinfo._wall", Params: "key, seconds, fold, /", Call: wall},
	}
}

// inZone calls what with the zone that the first argument names and the number
// that the second is; it is None for a zone that does not exist.
func inZone(t *value.Thread, a *value.Args, what func(*time.Location, int64) (value.Value, error)) (value.Value, error) {
	name, _ := t.Payload(a.Pos[0], value.KStr)
	text, _ := name.Obj.(*value.Str)
	if text == nil || zones()[text.Text] == nil {
		return value.None, nil
	}
	s, err := t.Index(a.Pos[1])
	if err != nil {
		return value.Value{}, err
	}
	return what(zones()[text.Text], s.N)
}

// at says how a zone's clocks are set at a time, in seconds since 1970: their
// offset to UTC and the part of it that is daylight saving, in seconds, and
// their name.
func at(t *value.Thread, a *value.Args) (value.Value, error) {
	return inZone(t, a, func(z *time.Location, s int64) (value.Value, error) {
		return clocks(t, time.Unix(s, 0).In(z))
	})
}

// wall is at for a time on the zone's clocks, in seconds as if they showed UTC.
// Where they were set forward or back, fold says which of both offsets counts
// (PEP 495).
func wall(t *value.Thread, a *value.Args) (value.Value, error) {
	return inZone(t, a, func(z *time.Location, s int64) (value.Value, error) {
		const day = 24 * 60 * 60
		before, after := time.Unix(s-day, 0).In(z), time.Unix(s+day, 0).In(z)
		if offset(before) == offset(after) {
			return clocks(t, time.Unix(s-offset(before), 0).In(z))
		}
		was := offset(time.Unix(s-offset(before), 0).In(z)) == offset(before)
		is := offset(time.Unix(s-offset(after), 0).In(z)) == offset(after)
		if later := a.Pos[2].N != 0; is && !was || is == was && later {
			return clocks(t, after)
		}
		return clocks(t, before)
	})
}

// offset is how many seconds the clocks are ahead of UTC at a time.
func offset(at time.Time) int64 {
	_, o := at.Zone()
	return int64(o)
}

// clocks are the offset, the daylight saving and the name of a zone's clocks. The
// saving is what the offset differs by from that of the nearest time without one.
func clocks(t *value.Thread, at time.Time) (value.Value, error) {
	name, _ := at.Zone()
	saving := int64(0)
	if at.IsDST() {
		begin, end := at.ZoneBounds()
		for _, other := range []time.Time{begin.Add(-1), end} {
			if !other.IsZero() && !other.IsDST() {
				saving = offset(at) - offset(other)
				break
			}
		}
	}
	return t.Tuple([]value.Value{value.Int(offset(at)), value.Int(saving), t.Str(name)}), t.Alloc(4 * value.ValueBytes)
}
