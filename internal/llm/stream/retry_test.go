package stream

import (
	"context"
	"errors"
	"net/http"
	"reflect"
	"testing"
	"time"

	"praxis/fault"
)

func TestRetryDo(t *testing.T) {
	passing := func(after time.Duration) error {
		return &Temporary{After: after, Err: fault.New(fault.Unavailable, "", "cannot ask: busy")}
	}
	forGood := fault.New(fault.Invalid, "", "cannot ask: no")
	tests := []struct {
		name   string
		errs   []error
		pauses []time.Duration
		want   string
	}{
		{"at once", []error{nil}, nil, ""},
		{"for good", []error{forGood}, nil, "cannot ask: no"},
		{"passes", []error{passing(0), passing(0), passing(0), nil}, []time.Duration{1e9, 2e9, 4e9}, ""},
		{"the server says when", []error{passing(3e9), nil}, []time.Duration{3e9}, ""},
		{"the server says too long", []error{passing(6e9)}, nil, "cannot ask: busy (the server asks to wait 6s)"},
		{"never", []error{passing(0), passing(0), passing(0), passing(0), passing(0)}, []time.Duration{1e9, 2e9, 4e9, 5e9}, "cannot ask: busy (asked 5 times)"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var pauses []time.Duration
			r := Retry{Attempts: 5, Base: time.Second, Max: 5 * time.Second, Jitter: func() float64 { return 0 },
				Sleep: func(_ context.Context, d time.Duration) error {
					pauses = append(pauses, d)
					return nil
				}}
			n := 0
			err := r.Do(t.Context(), func() error {
				n++
				return tt.errs[n-1]
			})
			got := ""
			if err != nil {
				got = err.Error()
				if _, bare := err.(*Temporary); bare {
					t.Error("a *Temporary came out")
				}
			}
			if got != tt.want || n != len(tt.errs) || !reflect.DeepEqual(pauses, tt.pauses) {
				t.Errorf("error %q after %d attempts and %v, want %q after %d and %v", got, n, pauses, tt.want, len(tt.errs), tt.pauses)
			}
		})
	}
}

func TestRetryCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	err := Retry{Base: time.Hour, Max: time.Hour}.Do(ctx, func() error {
		time.AfterFunc(0, cancel) // cancels the pause of an hour, at the earliest when it begins
		return &Temporary{Err: errors.New("busy")}
	})
	if fault.KindOf(err) != fault.Canceled || !errors.Is(err, context.Canceled) {
		t.Errorf("error = %v, want canceled", err)
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)
	tests := []struct {
		head http.Header
		want time.Duration
	}{
		{http.Header{}, 0},
		{http.Header{"Retry-After": {"12"}}, 12 * time.Second},
		{http.Header{"Retry-After": {"0.5"}}, 500 * time.Millisecond},
		{http.Header{"Retry-After": {"12"}, "Retry-After-Ms": {"250"}}, 250 * time.Millisecond},
		{http.Header{"Retry-After": {"Wed, 01 May 2024 12:00:30 GMT"}}, 30 * time.Second},
		{http.Header{"Retry-After": {"Wed, 01 May 2024 11:00:00 GMT"}}, 0},
		{http.Header{"Retry-After": {"-3"}}, 0},
		{http.Header{"Retry-After": {"1e300"}}, 0},
		{http.Header{"Retry-After": {"soon"}}, 0},
	}
	for _, tt := range tests {
		if got := retryAfter(tt.head, now); got != tt.want {
			t.Errorf("retryAfter(%v) = %s, want %s", tt.head, got, tt.want)
		}
	}
}
