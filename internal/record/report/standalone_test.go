package report_test

import (
	"html"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"praxis/event"
	"praxis/internal/record/report"
)

func TestIsPage(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		what, text, html string
		want             bool
	}{
		{"nothing", "text", "", false},
		{"only HTML", "", "<b>x</b>", true},
		{"a text that says nothing", "<a.B object at 0x7f>", "<b>x</b>", true},
		{"formatted text", "x", "<b>x</b>", false},
		{"a figure of plotly", "<plotly figure, 1 trace>", "<html>\n<body><script>x</script></body></html>", true},
		{"a map of folium", "map", `<iframe srcdoc="x"></iframe>`, true},
		{"a great table", "<great table>", `<div><style>#a{}</style><table class="gt_table"></table></div>`, true},
		{"a frame of pandas", "  a\n0 1", `<div><style scoped>.dataframe{}</style><table border="1" class="dataframe"></table></div>`, false},
		{"an estimator", "LinearRegression()", `<style>#sk-container-id-1{}</style><div id="sk-container-id-1"><script>x</script></div>`, false},
	} {
		if got := report.IsPage(c.text, c.html); got != c.want {
			t.Errorf("%s: %v, want %v", c.what, got, c.want)
		}
	}
}

// TestStandalone checks that a browser reads the code's HTML unchanged, in a frame that
// it cannot leave, under a policy that stands before it.
func TestStandalone(t *testing.T) {
	t.Parallel()
	source := "<html><body>\"'&amp;&lt; </iframe></body></html><script>if (1 < 2 && 3 > 2) x(\"</iframe>\")</script>\r\n\xff\x00"
	got := string(report.Standalone(`a"<b>.html`, source))
	policy := strings.Index(got, "Content-Security-Policy")
	frame := regexp.MustCompile(`<iframe sandbox="allow-scripts" [^<>]*srcdoc="([^"]*)"></iframe>`).FindStringSubmatchIndex(got)
	if policy < 0 || frame == nil || policy > frame[0] {
		t.Fatalf("no policy before the one frame: %q", got)
	}
	inside, outside := got[frame[2]:frame[3]], got[:frame[2]]+got[frame[3]:]
	if read := html.UnescapeString(inside); read != strings.ReplaceAll(strings.ToValidUTF8(source, "\uFFFD"), "\x00", "\uFFFD") {
		t.Errorf("a browser reads %q", read)
	}
	if strings.Contains(outside, "<script") || strings.Count(outside, "<iframe") != 1 || strings.Contains(outside, "<b>") {
		t.Errorf("something of the code's is outside of the frame: %q", outside)
	}
	for _, part := range []string{"default-src 'none'", "form-action 'none'"} {
		if !strings.Contains(got, part) {
			t.Errorf("the policy lacks %s", part)
		}
	}
	if strings.Contains(got, "http") && !strings.Contains(got, `http-equiv`) || strings.Contains(got, "on the network") {
		t.Error("a page that needs no network says that it needs one")
	}
}

func TestHosts(t *testing.T) {
	t.Parallel()
	inner := `<link rel="stylesheet" href="https://b.example/x.css"><script src='//a.example/x.js'></script><a href="https://c.example">`
	for _, source := range []string{inner, `<iframe srcdoc="` + html.EscapeString(inner) + `">`} {
		if got := report.Hosts(source); !slices.Equal(got, []string{"a.example", "b.example"}) {
			t.Errorf("hosts %q", got)
		}
	}
	if page := string(report.Standalone("x", inner)); !strings.Contains(page, "needs a.example, b.example on the network") {
		t.Error("the page does not say what it lacks")
	}
}

// TestLeftOut checks that every format says what of a run it does not hold.
func TestLeftOut(t *testing.T) {
	t.Parallel()
	big := "<script>" + strings.Repeat("x", 1<<20) + "</script>"
	run := report.Run{ID: "20260101-000000-aaaaaa", Records: []event.Record{
		{Seq: 1, Time: time.Unix(1, 0), Event: event.RunBegan{Question: "?"}},
		{Seq: 2, Time: time.Unix(1, 0), Event: event.ExecutionBegan{Code: "fig"}},
		{Seq: 3, Time: time.Unix(1, 0), Event: event.ExecutionEnded{Execution: event.Execution{Status: event.OK, Displays: []event.Bundle{
			{"text": "<plotly figure>", "text/html": big}, {"text": "", "text/html": "<b>plain</b>"}, {"text": "t", "text/html": "<p>x</p><script>1</script>"},
		}}}},
	}}
	want := []string{"an interactive page of 1MiB (display-1.html, text/html)", "the scripts of a page of 26B (display-3.html, text/html)"}
	for _, format := range []string{"html", "ipynb"} {
		if got := report.LeftOut(run, format); !slices.Equal(got, want) {
			t.Errorf("%s leaves out %q, want %q", format, got, want)
		}
	}
	if got := report.LeftOut(run, "md"); len(got) != 3 {
		t.Errorf("md leaves out %q, want three pages", got)
	}
	var page, notebook strings.Builder
	if err := report.HTML(&page, run); err != nil {
		t.Fatal(err)
	}
	if err := report.Notebook(&notebook, run); err != nil {
		t.Fatal(err)
	}
	for _, got := range []string{page.String(), notebook.String()} {
		if !strings.Contains(got, "left out: "+want[0]) || strings.Contains(got, "xxxxxxxx") {
			t.Error("the file does not say what it left out, or holds it")
		}
	}
}
