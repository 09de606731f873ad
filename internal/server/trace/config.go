package trace

import (
	"encoding/binary"
	"fmt"
	"maps"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"praxis/internal/safetext"
	"praxis/internal/server/observe"
)

// Config says where traces go. The zero Config: nowhere.
type Config struct {
	Endpoint string            // the URL that spans are posted to; "": nothing is traced
	Headers  map[string]string // that each of these requests has; they may be secret
	Timeout  time.Duration     // of one of them
	Resource map[string]string // what the server is, beside its version
	Sampler  Sampler
}

// Sampler decides which traces are recorded.
type Sampler struct {
	Parent bool    // what the client that a trace comes from decided holds
	Ratio  float64 // of the other traces, from 0 to 1
}

// samples says whether a span is recorded. All spans of a trace get the same answer, also from
// the SDKs of OpenTelemetry for Go.
func (s Sampler) samples(span observe.Span) bool {
	if s.Parent && span.Decision != observe.Undecided {
		return span.Decision == observe.Recorded
	}
	return binary.BigEndian.Uint64(span.Trace[8:])>>1 < uint64(s.Ratio*(1<<63))
}

// Bounds and defaults of what is configured.
const (
	defaultTimeout = 10 * time.Second
	maxTimeout     = 10 * time.Minute
	maxPairs       = 128
	maxList        = 64 << 10 // bytes of a list of pairs
)

// reader reads variables of the environment, and says which it could not use. It never quotes
// what may be secret.
type reader struct {
	getenv   func(string) string
	warnings []string
}

func (r *reader) warn(format string, args ...any) {
	r.warnings = append(r.warnings, fmt.Sprintf(format, args...))
}

// first returns the value of the first variable that has one, and its name.
func (r *reader) first(names ...string) (value, name string) {
	for _, name := range names {
		if value := strings.TrimSpace(r.getenv(name)); value != "" {
			return value, name
		}
	}
	return "", ""
}

// otlp returns the value of a variable of the exporter: that for traces goes before that for
// all signals.
func (r *reader) otlp(what string) (value, name string) {
	return r.first("OTEL_EXPORTER_OTLP_TRACES_"+what, "OTEL_EXPORTER_OTLP_"+what)
}

// Configure reads the variables that the SDKs of OpenTelemetry read. Without an endpoint, and
// without an exporter that is named, nothing is traced. As the specification wants it, what
// cannot be used is left out with a warning, and keeps nothing from starting.
func Configure(getenv func(string) string) (Config, []string) {
	r := &reader{getenv: getenv}
	switch v, name := r.first("OTEL_SDK_DISABLED"); strings.ToLower(v) {
	case "true":
		return Config{}, nil
	case "", "false":
	default:
		r.warn("%s is neither true nor false: %s", name, safetext.Quote(v))
	}
	cfg := Config{Endpoint: r.endpoint(), Timeout: defaultTimeout, Headers: map[string]string{}}
	if cfg.Endpoint == "" {
		return Config{}, r.warnings
	}
	if v, name := r.otlp("PROTOCOL"); v != "" && !strings.EqualFold(v, "http/json") {
		r.warn("%s is %s: traces are sent as http/json, which collectors take where they take http/protobuf (port 4318, not 4317)", name, safetext.Quote(v))
	}
	if v, name := r.otlp("HEADERS"); v != "" {
		var bad int
		if cfg.Headers, bad = pairs(v); bad > 0 {
			r.warn("cannot read entry %d of %s: it is no NAME=VALUE with a percent-encoded value", bad, name)
		}
		maps.DeleteFunc(cfg.Headers, func(key, _ string) bool {
			odd := strings.ContainsFunc(key, func(c rune) bool { return c <= ' ' || c >= 0x7f || strings.ContainsRune(`()<>@,;:\"/[]?={}`, c) })
			if odd {
				r.warn("cannot send a header of %s: %s is no name of one", name, safetext.Quote(key))
			}
			return odd
		})
	}
	if v, name := r.otlp("TIMEOUT"); v != "" {
		ms, err := strconv.Atoi(v)
		if t := time.Duration(ms) * time.Millisecond; err == nil && ms > 0 && ms <= int(maxTimeout/time.Millisecond) {
			cfg.Timeout = t
		} else {
			r.warn("cannot use %s: it is no number of milliseconds up to %d", name, maxTimeout/time.Millisecond)
		}
	}
	for _, what := range []string{"COMPRESSION", "CERTIFICATE", "CLIENT_CERTIFICATE", "CLIENT_KEY"} {
		if v, name := r.otlp(what); v != "" && !strings.EqualFold(v, "none") {
			r.warn("%s is not used: traces are sent as they are, and certificates are those that the system trusts", name)
		}
	}
	cfg.Resource = r.resource()
	cfg.Sampler = r.sampler()
	return cfg, r.warnings
}

// endpoint returns the URL that spans are posted to; "": nothing is to be traced.
func (r *reader) endpoint() string {
	named := false
	if v, name := r.first("OTEL_TRACES_EXPORTER"); v != "" {
		for exporter := range strings.SplitSeq(v, ",") {
			switch strings.ToLower(strings.TrimSpace(exporter)) {
			case "otlp":
				named = true
			case "none":
				return ""
			default:
				r.warn("%s names an exporter that is not known: %s", name, safetext.Quote(exporter))
			}
		}
	}
	v, name := r.otlp("ENDPOINT")
	if v == "" && named {
		v, name = "http://localhost:4318", "OTEL_EXPORTER_OTLP_ENDPOINT"
	}
	if v == "" {
		return ""
	}
	u, err := url.Parse(v)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		r.warn("cannot use %s: it is no URL of http or https; nothing is traced", name)
		return ""
	}
	if name == "OTEL_EXPORTER_OTLP_ENDPOINT" {
		u = u.JoinPath("v1/traces")
	}
	u.Fragment = ""
	return u.String()
}

// resource returns the attributes of the server.
func (r *reader) resource() map[string]string {
	out := map[string]string{}
	if v, name := r.first("OTEL_RESOURCE_ATTRIBUTES"); v != "" {
		var bad int
		if out, bad = pairs(v); bad > 0 { // one that is cut off or misread would be wrong everywhere
			r.warn("cannot use %s: entry %d is no NAME=VALUE with a percent-encoded value", name, bad)
			out = map[string]string{}
		}
	}
	if v, _ := r.first("OTEL_SERVICE_NAME"); v != "" {
		out["service.name"] = v
	}
	if out["service.name"] == "" {
		out["service.name"] = "praxis"
	}
	return out
}

// sampler returns which traces are recorded.
func (r *reader) sampler() Sampler {
	v, name := r.first("OTEL_TRACES_SAMPLER")
	root, parent := strings.CutPrefix(strings.ToLower(v), "parentbased_")
	switch root {
	case "always_on":
		return Sampler{parent, 1}
	case "always_off":
		return Sampler{parent, 0}
	case "traceidratio":
		arg, argName := r.first("OTEL_TRACES_SAMPLER_ARG")
		if arg == "" {
			return Sampler{parent, 1}
		}
		ratio, err := strconv.ParseFloat(arg, 64)
		if err == nil && ratio >= 0 && ratio <= 1 {
			return Sampler{parent, ratio}
		}
		r.warn("cannot use %s: it is no number from 0 to 1", argName)
		return Sampler{parent, 1}
	}
	if v != "" {
		r.warn("%s names a sampler that is not known: %s", name, safetext.Quote(v))
	}
	return Sampler{Parent: true, Ratio: 1}
}

// pairs reads a list such as a=1,b=two%20words, as in the header baggage. bad is the number of
// the first entry that cannot be read, from 1, which is left out; 0: all can be.
func pairs(list string) (out map[string]string, bad int) {
	out = map[string]string{}
	if len(list) > maxList {
		return out, 1
	}
	n := 0
	for entry := range strings.SplitSeq(list, ",") {
		if n++; strings.TrimSpace(entry) == "" {
			continue
		}
		key, value, found := strings.Cut(entry, "=")
		key = strings.TrimSpace(key)
		value, err := url.PathUnescape(strings.TrimSpace(value))
		odd := func(s string) bool {
			return !utf8.ValidString(s) || strings.ContainsFunc(s, func(c rune) bool { return c < ' ' || c == 0x7f })
		}
		if !found || key == "" || err != nil || odd(key) || odd(value) || len(out) >= maxPairs {
			if bad == 0 {
				bad = n
			}
			continue
		}
		out[key] = value
	}
	return out, bad
}
