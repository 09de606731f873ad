package oci

import (
	"praxis/fault"
)

// Bounds say how much an image may unpack to. Zero values mean those of
// [DefaultBounds].
type Bounds struct {
	Bytes   int64 // of all files of all layers, holes included
	Entries int   // of all layers
	Names   int64 // bytes of all paths
	// Ratio is how many times its own size a layer may unpack to, once it unpacked to
	// Free bytes.
	Ratio, Free int64
}

// DefaultBounds are wide enough for the largest images of daily use.
func DefaultBounds() Bounds {
	return Bounds{Bytes: 64 << 30, Entries: 1 << 21, Names: 192 << 20, Ratio: 200, Free: 256 << 20}
}

// Bounds of what is read whole.
const (
	maxManifest = 4 << 20
	maxConfig   = 8 << 20
	maxLayers   = 512
	maxPath     = 4096
	maxEntries  = 1 << 16 // of an archive that holds an image
)

const (
	damagedRemedy = "Get the image again from where it comes from."
	bombRemedy    = "Use a smaller image."
)

// damaged is the fault of an image that is not what it should be.
func damaged(format string, args ...any) error {
	return fault.New(fault.Invalid, damagedRemedy, "cannot use the image: "+format, args...)
}

// tooLarge is the fault of an image that is more than the bounds allow.
func tooLarge(format string, args ...any) error {
	return fault.New(fault.Exhausted, bombRemedy, "cannot use the image: "+format, args...)
}
