package trace

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"praxis/internal/server/observe"
)

// env returns a getenv over NAME=VALUE texts whose names lack OTEL_.
func env(list ...string) func(string) string {
	return func(name string) string {
		for _, v := range list {
			if value, found := strings.CutPrefix("OTEL_"+v, name+"="); found {
				return value
			}
		}
		return ""
	}
}

// The variables mean what they mean to the SDKs, and what cannot be used is left out with a
// warning that quotes nothing secret.
func TestConfigure(t *testing.T) {
	const base = "EXPORTER_OTLP_ENDPOINT=http://c:4318"
	const at = "http://c:4318/v1/traces"
	for _, c := range []struct {
		env      []string
		endpoint string
		warnings string // what they contain
	}{
		{nil, "", ""},
		{[]string{"SERVICE_NAME=x"}, "", ""},
		{[]string{base}, at, ""},
		{[]string{base + "/"}, at, ""},
		{[]string{"EXPORTER_OTLP_ENDPOINT=https://u:p@c/base/?a=b#f"}, "https://u:p@c/base/v1/traces?a=b", ""},
		{[]string{base, "EXPORTER_OTLP_TRACES_ENDPOINT=https://d/in"}, "https://d/in", ""},
		{[]string{"EXPORTER_OTLP_ENDPOINT=c:secret"}, "", "OTEL_EXPORTER_OTLP_ENDPOINT"},
		{[]string{"EXPORTER_OTLP_ENDPOINT=http://c:secret"}, "", "OTEL_EXPORTER_OTLP_ENDPOINT"},
		{[]string{"TRACES_EXPORTER=otlp"}, "http://localhost:4318/v1/traces", ""},
		{[]string{base, "TRACES_EXPORTER=none"}, "", ""},
		{[]string{base, "TRACES_EXPORTER=console"}, at, "console"},
		{[]string{base, "SDK_DISABLED=TRUE"}, "", ""},
		{[]string{base, "SDK_DISABLED=1"}, at, "OTEL_SDK_DISABLED"},
		{[]string{base, "EXPORTER_OTLP_PROTOCOL=http/json"}, at, ""},
		{[]string{base, "EXPORTER_OTLP_PROTOCOL=http/protobuf"}, at, "sent as http/json"},
		{[]string{base, "EXPORTER_OTLP_PROTOCOL=http/json", "EXPORTER_OTLP_TRACES_PROTOCOL=grpc"}, at, "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"},
		{[]string{base, "EXPORTER_OTLP_HEADERS=a=b,secret"}, at, "entry 2 of OTEL_EXPORTER_OTLP_HEADERS"},
		{[]string{base, "EXPORTER_OTLP_HEADERS=a b=secret"}, at, "a b"},
		{[]string{base, "EXPORTER_OTLP_HEADERS=a=secret%0d%0ab: c"}, at, "entry 1"},
		{[]string{base, "RESOURCE_ATTRIBUTES=a=%secret"}, at, "entry 1"},
		{[]string{base, "EXPORTER_OTLP_TIMEOUT=0"}, at, "OTEL_EXPORTER_OTLP_TIMEOUT"},
		{[]string{base, "EXPORTER_OTLP_COMPRESSION=gzip"}, at, "OTEL_EXPORTER_OTLP_COMPRESSION"},
		{[]string{base, "TRACES_SAMPLER=xray"}, at, "xray"},
		{[]string{base, "TRACES_SAMPLER=parentbased_"}, at, "parentbased_"},
		{[]string{base, "TRACES_SAMPLER=traceidratio", "TRACES_SAMPLER_ARG=2"}, at, "OTEL_TRACES_SAMPLER_ARG"},
	} {
		cfg, warnings := Configure(env(c.env...))
		all := strings.Join(warnings, "\n")
		if cfg.Endpoint != c.endpoint || (all == "") != (c.warnings == "") || !strings.Contains(all, c.warnings) || strings.Contains(all, "secret") {
			t.Errorf("%q: endpoint %q, warnings %q; want %q, %q", c.env, cfg.Endpoint, warnings, c.endpoint, c.warnings)
		}
	}
	cfg, warnings := Configure(env(base, "EXPORTER_OTLP_HEADERS= api-key = a%20b=c , x=", "EXPORTER_OTLP_TIMEOUT=1500", "SERVICE_NAME=mine", "RESOURCE_ATTRIBUTES=service.name=theirs,deployment.environment.name=test%2C1,"))
	got := fmt.Sprint(cfg.Headers, cfg.Resource, cfg.Timeout, warnings)
	if want := "map[api-key:a b=c x:] map[deployment.environment.name:test,1 service.name:mine] 1.5s []"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if cfg, _ := Configure(env(base, "EXPORTER_OTLP_HEADERS=a=b", "EXPORTER_OTLP_TRACES_HEADERS=c=d", "TRACES_SAMPLER_ARG=0.1")); fmt.Sprint(cfg.Headers, cfg.Resource, cfg.Sampler) != "map[c:d] map[service.name:praxis] {true 1}" {
		t.Errorf("got %v", cfg)
	}
}

// All samplers of the specification decide as the SDKs do.
func TestSampler(t *testing.T) {
	low, high := observe.Span{Trace: [16]byte{8: 0x20}}, observe.Span{Trace: [16]byte{8: 0xe0}} // a quarter and seven eighths of the range
	for sampler, want := range map[string]string{                                               // of low and high: without a decision, to be recorded, not to be
		"always_on": "111 111", "always_off": "000 000", "traceidratio": "111 000",
		"": "110 110", "parentbased_always_on": "110 110", "parentbased_always_off": "010 010", "parentbased_traceidratio": "110 010",
	} {
		cfg, _ := Configure(env("TRACES_EXPORTER=otlp", "TRACES_SAMPLER="+sampler, "TRACES_SAMPLER_ARG=0.5"))
		got := ""
		for _, span := range []observe.Span{low, high} {
			for d := observe.Undecided; d <= observe.Unrecorded; d++ {
				span.Decision = d
				got += map[bool]string{true: "1", false: "0"}[cfg.Sampler.samples(span)]
			}
		}
		if got != strings.ReplaceAll(want, " ", "") {
			t.Errorf("%s: got %s, want %s", sampler, got, want)
		}
	}
}

func FuzzConfigure(f *testing.F) {
	f.Add("http://c:4318", "a=b%20c, d = e", "a=b", "0.5", "http/json")
	f.Add("https://u:p@c/x?y=z", "a=%0d", ",,=", "NaN", "grpc")
	f.Fuzz(func(t *testing.T, endpoint, headers, attributes, number, word string) {
		cfg, _ := Configure(env("EXPORTER_OTLP_ENDPOINT="+endpoint, "EXPORTER_OTLP_HEADERS="+headers, "RESOURCE_ATTRIBUTES="+attributes, "EXPORTER_OTLP_TIMEOUT="+number,
			"TRACES_SAMPLER=parentbased_traceidratio", "TRACES_SAMPLER_ARG="+number, "EXPORTER_OTLP_PROTOCOL="+word, "SERVICE_NAME="+word))
		if cfg.Endpoint == "" {
			return
		}
		u, err := url.Parse(cfg.Endpoint)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || !strings.HasSuffix(u.Path, "/v1/traces") {
			t.Errorf("endpoint %q of %q", cfg.Endpoint, endpoint)
		}
		if !(cfg.Sampler.Ratio >= 0 && cfg.Sampler.Ratio <= 1) || cfg.Timeout <= 0 || cfg.Timeout > maxTimeout || cfg.Resource["service.name"] == "" {
			t.Errorf("got %v", cfg)
		}
		for key, v := range cfg.Headers {
			if key == "" || strings.ContainsAny(key, " :\r\n") || strings.ContainsAny(v, "\r\n\x00") {
				t.Errorf("header %q: %q", key, v)
			}
		}
	})
}

// A collector says when to come again in seconds or as a time, and how much it did not take as a
// text or a number.
func TestAnswer(t *testing.T) {
	now := time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)
	for header, want := range map[string]time.Duration{
		"": 0, "120": 2 * time.Minute, "-1": 0, "1e9": 0, "99999999999": 0, "Wed, 01 May 2024 12:00:30 GMT": 30 * time.Second, "Wed, 01 May 2024 11:00:00 GMT": 0,
	} {
		if got := retryAfter(header, now); got != want {
			t.Errorf("Retry-After %q is %s, want %s", header, got, want)
		}
	}
	for body, want := range map[string]int64{
		"": 0, "{}": 0, "\n\x00": 0, `{"partialSuccess":{"rejectedSpans":"3"}}`: 3, `{"partialSuccess":{"rejectedSpans":4}}`: 4, `{"partialSuccess":{"rejectedSpans":"-4"}}`: 0,
	} {
		if got := rejected([]byte(body)); got != want {
			t.Errorf("%q rejects %d, want %d", body, got, want)
		}
	}
}

// What a collector answers is read, whatever it is.
func FuzzAnswer(f *testing.F) {
	f.Add("120", []byte(`{"partialSuccess":{"rejectedSpans":"3","errorMessage":"x"}}`))
	f.Add("Wed, 01 May 2024 12:00:30 GMT", []byte(`{"partialSuccess":{"rejectedSpans":3}}`))
	now := time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, header string, body []byte) {
		if d := retryAfter(header, now); d < 0 {
			t.Errorf("Retry-After %q is %s", header, d)
		}
		if n := rejected(body); n < 0 {
			t.Errorf("%d spans are rejected by %q", n, body)
		}
	})
}
