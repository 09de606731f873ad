package metrics

import (
	"fmt"
	"strings"
	"testing"
)

func TestWrite(t *testing.T) {
	var s Set
	c := s.Counter("requests_total", "Requests.", "operation", "status")
	h := s.Histogram("seconds", "Latency.", []float64{0.1, 1})
	s.Gauge("sessions", "Sessions.", []string{"state"}, func(set func(float64, ...string)) { set(3, "live") })
	c.Add(1, "runs.ask", "201")
	c.Add(2, "runs.ask", "201")
	c.Add(1, "a\"b\\\n\xff", "400")
	for _, v := range []float64{0.1, 0.5, 7} {
		h.Observe(v)
	}
	var b strings.Builder
	if err := s.Write(&b); err != nil {
		t.Fatal(err)
	}
	want := `# HELP requests_total Requests.
# TYPE requests_total counter
requests_total{operation="a\"b\\\n` + "\ufffd" + `",status="400"} 1
requests_total{operation="runs.ask",status="201"} 3
# HELP seconds Latency.
# TYPE seconds histogram
seconds_bucket{le="0.1"} 1
seconds_bucket{le="1"} 2
seconds_bucket{le="+Inf"} 3
seconds_sum 7.6
seconds_count 3
# HELP sessions Sessions.
# TYPE sessions gauge
sessions{state="live"} 3
`
	if b.String() != want {
		t.Errorf("got:\n%s\nwant:\n%s", b.String(), want)
	}
	for i := range 2 * maxSeries {
		c.Add(1, fmt.Sprint(i), "200")
	}
	if len(c.series) != maxSeries+1 {
		t.Errorf("%d series", len(c.series))
	}
}
