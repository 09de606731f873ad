package search

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"praxis/internal/tool"
	"praxis/internal/tool/toolfile"
)

// catalogue is what many tools of a run look like: name, description, arguments.
const catalogue = `
email.send|Sends an e-mail to one or more people.|to subject body
email.search|Searches the mailbox for messages.|query folder
email.deleteMessage|Removes a message from the mailbox for good.|message_id
calendar.create_event|Adds an event to a calendar.|title start end attendees
calendar.list_events|Lists the events between two days.|start end
crm.find_customer|Finds customers by name or number.|customer limit
crm.update_customer|Changes the address or the name of a customer.|customer address
crm.orders|Orders of a customer, the newest first.|customer since
files.read|Reads a text file of the work folder.|path
files.write|Writes a text file.|path content
sql.query|Runs a SELECT over the attached tables and files.|sql
weather.forecast|The weather of the next days at a place.|city days
payments.refund|Pays a customer back what an order cost.|order amount
github.create_issue|Opens an issue in a repository.|repo title body labels
github.listPullRequests|Pull requests of a repository.|repo state
maps.distance|How far it is between two places by car.|from to
images.resize|Makes a picture smaller or larger.|path width height
translate.text|Translates a text into another language.|text language
stocks.getQuote|The price of a share now.|symbol
`

func load(t testing.TB, text string) []*tool.Definition {
	t.Helper()
	f, err := toolfile.Load("tools.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return f.Tools
}

func catalogued(t testing.TB) []*tool.Definition {
	t.Helper()
	var b strings.Builder
	b.WriteString("version: 1\ntools:\n")
	for line := range strings.Lines(strings.TrimSpace(catalogue)) {
		parts := strings.Split(strings.TrimSpace(line), "|")
		fmt.Fprintf(&b, "  - {name: %s, version: 1.0.0, effects: read, description: %q, input: {type: object, properties: {", parts[0], parts[1])
		for _, a := range strings.Fields(parts[2]) {
			fmt.Fprintf(&b, "%s: {}, ", a)
		}
		b.WriteString("}}}\n")
	}
	return load(t, b.String())
}

func TestSearchRanks(t *testing.T) {
	ix := NewIndex(catalogued(t))
	for query, want := range map[string]string{
		"send an email":              "email.send",
		"mail somebody":              "email.send email.search email.deleteMessage",
		"sql.query":                  "sql.query",
		"query":                      "sql.query",
		"delete messages":            "email.deleteMessage",
		"remove an e-mail":           "email.deleteMessage",
		"look up a client":           "crm.find_customer",
		"customers":                  "crm.find_customer crm.update_customer",
		"refund an order":            "payments.refund",
		"listing pull requests":      "github.listPullRequests",
		"open a bug":                 "github.create_issue",
		"make a meeting":             "calendar.create_event",
		"weather in Paris":           "weather.forecast",
		"resizing images":            "images.resize",
		"share price":                "stocks.getQuote",
		"stock quote":                "stocks.getQuote",
		"read file":                  "files.read",
		"translation":                "translate.text",
		"repo":                       "github.listPullRequests github.create_issue",
		"crm.":                       "crm.find_customer crm.update_customer crm.orders",
		"what is the tool to resize": "images.resize",
	} {
		var got []string
		for _, d := range ix.Search(query, 5) {
			got = append(got, d.Name)
		}
		first := strings.Fields(want)
		if len(got) < len(first) {
			t.Errorf("%q: got %v, want %s", query, got, want)
			continue
		}
		top := slices.Clone(got[:len(first)])
		if len(first) > 1 { // in any order
			slices.Sort(top)
			slices.Sort(first)
		}
		if !slices.Equal(top, first) {
			t.Errorf("%q: got %v, want %s", query, got, want)
		}
	}
	for _, query := range []string{"", "  ", "zzzz", "the", "\x00\xff", "…"} {
		if got := ix.Search(query, 5); len(got) > 0 && query != "the" {
			t.Errorf("%q finds %s", query, got[0].Name)
		}
	}
	if got := ix.Search("customer", 0); got != nil {
		t.Errorf("a limit of 0 finds %v", got)
	}
	if got := NewIndex(nil).Search("a", 5); len(got) != 0 {
		t.Errorf("nothing finds %v", got)
	}
}

func TestWords(t *testing.T) {
	for text, want := range map[string]string{
		"findCustomers":                   "find customer",
		"HTTPServer_list2Things":          "http server list2 thing",
		"deleting deleted deletes delete": "delet delet delet delet",
		"queries query":                   "query query",
		"running runs run":                "run run run",
		"address addresses":               "address address",
		"日本":                              "日 本",
		"Größe größen":                    "größ größen",
	} {
		got := strings.Join(slices.Collect(eachWord(text)), " ")
		if got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func many(t testing.TB, n int) []*tool.Definition {
	t.Helper()
	words := strings.Fields("customer order invoice send find update delete report email calendar event file price stock search list create user ticket message")
	var defs []*tool.Definition
	for i := 0; i < n; i += 1000 {
		var b strings.Builder
		b.WriteString("version: 1\ntools:\n")
		for j := i; j < min(n, i+1000); j++ {
			w := func(k int) string { return words[(j/k+j*7)%len(words)] }
			fmt.Fprintf(&b, "  - {name: ns%d.%s_%s_%d, version: 1.0.0, effects: read, description: \"The %s of a %s for the %s, with its %s.\", input: {type: object, properties: {%s_id: {type: string}}}}\n",
				j%50, w(1), w(3), j, w(5), w(11), w(17), w(23), w(2))
		}
		defs = append(defs, load(t, b.String())...)
	}
	return defs
}

func TestSearchIsTheSame(t *testing.T) {
	defs := many(t, 10_000)
	ix := NewIndex(defs)
	query := "find the customer orders with invoice price report email message ticket user create list search stock " + strings.Repeat("update ", 100)
	if got := ix.Search(query, 10); len(got) != 10 {
		t.Fatalf("got %d", len(got))
	}
	slices.Reverse(defs)
	again := NewIndex(defs)
	for _, q := range []string{query, "send", "invoice report", "ns7"} {
		a, b := ix.Search(q, 50), again.Search(q, 50)
		for i := range a {
			if a[i].Name != b[i].Name {
				t.Fatalf("%q: the order of the tools changes the answer at %d", q, i)
			}
		}
	}
}

func BenchmarkSearch(b *testing.B) {
	ix := NewIndex(many(b, 10_000))
	for b.Loop() {
		ix.Search("find the orders of a customer", 10)
	}
}

func BenchmarkNewIndex(b *testing.B) {
	defs := many(b, 10_000)
	for b.Loop() {
		NewIndex(defs)
	}
}

func FuzzSearch(f *testing.F) {
	ix := NewIndex(catalogued(f))
	f.Add("send email", 3)
	f.Fuzz(func(t *testing.T, query string, limit int) {
		if got := ix.Search(query, limit); len(got) > max(limit, 0) {
			t.Errorf("%d results, at most %d asked", len(got), limit)
		}
	})
}
