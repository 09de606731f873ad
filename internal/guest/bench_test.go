package guest_test

import (
	"testing"

	"praxis/internal/guest/wire"
)

// BenchmarkRoundTrip is one small execution, from the request to its result,
// with the agent in an ordinary process.
func BenchmarkRoundTrip(b *testing.B) {
	bed := start(b, nil)
	ctx := b.Context()
	bed.run("x = 1")
	for b.Loop() {
		if _, err := bed.Execute(ctx, wire.Execute{Code: "x+1"}, nil); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkRoundTripWithChanges tells of changed files too.
func BenchmarkRoundTripWithChanges(b *testing.B) {
	bed := start(b, nil)
	ctx := b.Context()
	bed.run("x = 1\nfor i in range(5): open(str(i), 'w').write('x')")
	for b.Loop() {
		if _, err := bed.Execute(ctx, wire.Execute{Code: "x+1", Changes: true}, nil); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkPing is the way to the agent and back alone.
func BenchmarkPing(b *testing.B) {
	bed := start(b, nil)
	ctx := b.Context()
	for b.Loop() {
		if err := bed.Ping(ctx); err != nil {
			b.Fatal(err)
		}
	}
}
