package workflow

import (
	"fmt"
	"slices"
	"strings"

	"praxis/fault"
	"praxis/internal/llm"
	"praxis/internal/tool"
)

type partition struct {
	Name      string `json:"name"`
	State     string `json:"state"`
	Documents int    `json:"documents"`
	Failed    int    `json:"failed"`
	Worker    string `json:"worker"`
}

type progress struct {
	Job        string      `json:"job"`
	State      string      `json:"state"`
	Partitions []partition `json:"partitions"`
}

const polls = 16 // until the job is done

// progressAt is what the job says when it is polled for the nth time.
func progressAt(n int) progress {
	r := dice(10)
	p := progress{Job: "job-88", State: "running"}
	if n >= polls {
		p.State = "done"
	}
	for i := range 32 {
		whole, failed, need := 20_000+r.IntN(60_000), r.IntN(90), 3+r.IntN(polls-3)
		x := partition{Name: fmt.Sprintf("products-%02d", i), State: "running", Worker: fmt.Sprintf("node-%d", 1+i%6)}
		part := min(n, need)
		x.Documents, x.Failed = whole*part/need, failed*part/need
		if part == need {
			x.State = "done"
		}
		p.Partitions = append(p.Partitions, x)
	}
	return p
}

// rebuilt answers poll_until_done.
func rebuilt(p progress) string {
	documents, failed, worst := 0, 0, partition{}
	for _, x := range p.Partitions {
		documents += x.Documents
		failed += x.Failed
		if x.Failed > worst.Failed {
			worst = x
		}
	}
	return fmt.Sprintf("%d documents were indexed and %d failed, most of them in %s.", documents, failed, worst.Name)
}

func pollUntilDone() *world {
	type in struct {
		Index string `json:"index"`
	}
	type job struct {
		Job string `json:"job"`
	}
	polled, started := 0, 0
	w := &world{want: rebuilt(progressAt(polls))}
	define(w, "indexing.rebuild", "Starts to rebuild an index and returns the job.", tool.Write, func(in in) (job, error) {
		if in.Index != "products" {
			return job{}, fault.New(fault.NotFound, "", "there is no index %q", in.Index)
		}
		started++
		return job{"job-88"}, nil
	})
	define(w, "indexing.progress", "Tells how far a job is: its state, running or done, and that of each partition.", tool.Read, func(in job) (progress, error) {
		if in.Job != "job-88" || started == 0 {
			return progress{}, fault.New(fault.NotFound, "", "there is no job %q", in.Job)
		}
		polled++
		return progressAt(polled), nil
	})
	w.state = func() error {
		if started != 1 {
			return fmt.Errorf("the job was started %d times", started)
		}
		return nil
	}
	w.direct = func(t *turn) string {
		j := read[job](t, t.one("I start it.", call("indexing.rebuild", "index", "products")))
		for range 100 {
			p := read[progress](t, t.one("Is it done?", call("indexing.progress", "job", j.Job)))
			if p.State == "done" {
				return rebuilt(p)
			}
		}
		return "It was not done."
	}
	w.code = []step{code("I start it and wait in code.", `
import time
from tools import indexing

job = indexing.rebuild(index="products")["job"]
while (now := indexing.progress(job=job))["state"] != "done":
    time.sleep(0.02)
parts = now["partitions"]
documents = sum(p["documents"] for p in parts)
failed = sum(p["failed"] for p in parts)
worst = max(parts, key=lambda p: p["failed"])
print(len(parts), documents, failed, worst)
`)}
	w.answer = "{{ documents }} documents were indexed and {{ failed }} failed, most of them in {{ worst['name'] }}."
	return w
}

type shelf struct {
	Hall  string `json:"hall"`
	Units int    `json:"units"`
}

type article struct {
	Number  string  `json:"number"`
	Title   string  `json:"title"`
	Reorder int     `json:"reorder_point"`
	Pack    int     `json:"pack"`
	Lead    int     `json:"lead_days"`
	Shelves []shelf `json:"shelves"`
}

// lacking answers fan_out.
func lacking(all []article) string {
	below, units := 0, 0
	for _, a := range all {
		have := 0
		for _, s := range a.Shelves {
			have += s.Units
		}
		if have < a.Reorder {
			below++
			units += a.Reorder - have
		}
	}
	return fmt.Sprintf("%d articles are below their reorder point, and %d units are missing.", below, units)
}

func fanOut() *world {
	r := dice(11)
	var all []article
	by := map[string]article{}
	var numbers []string
	for i := range 200 {
		a := article{
			Number: id("A", 1000+i), Title: pick(r, "hex bolt", "machine screw", "lock nut", "washer", "threaded rod") + fmt.Sprintf(" M%d x %d", 3+r.IntN(14), 8+r.IntN(90)),
			Reorder: 200 + r.IntN(900), Pack: pick(r, 50, 100, 200), Lead: 2 + r.IntN(30),
		}
		for h := range 1 + r.IntN(4) {
			a.Shelves = append(a.Shelves, shelf{fmt.Sprintf("H%d-%02d", h+1, r.IntN(40)), r.IntN(600)})
		}
		all, by[a.Number], numbers = append(all, a), a, append(numbers, a.Number)
	}
	type category struct {
		Category string `json:"category"`
	}
	type in struct {
		Number string `json:"number" jsonschema:"The article's number"`
	}
	w := &world{want: lacking(all)}
	define(w, "inventory.numbers", "Lists the numbers of the articles of a category.", tool.Read, func(in category) ([]string, error) {
		if in.Category != "fasteners" {
			return nil, nil
		}
		return numbers, nil
	})
	define(w, "inventory.get", "Returns an article with its reorder point and the units on each shelf.", tool.Read, func(in in) (article, error) {
		a, ok := by[in.Number]
		if !ok {
			return a, fault.New(fault.NotFound, "", "there is no article %q", in.Number)
		}
		return a, nil
	})
	w.direct = func(t *turn) string {
		var calls []llm.Call
		for _, n := range read[[]string](t, t.one("I list the articles.", call("inventory.numbers", "category", "fasteners"))) {
			calls = append(calls, call("inventory.get", "number", n))
		}
		var got []article
		for _, h := range t.use("I look at each.", calls...) {
			t.must(h)
			got = append(got, read[article](t, h))
		}
		return lacking(got)
	}
	w.code = []step{code("I look at all articles in code, many at a time.", `
import tools
from tools import inventory

articles = tools.map(inventory.get, inventory.numbers(category="fasteners"))
missing = [a["reorder_point"] - sum(s["units"] for s in a["shelves"]) for a in articles]
below = [m for m in missing if m > 0]
print(len(articles), len(below), sum(below))
`)}
	w.answer = "{{ len(below) }} articles are below their reorder point, and {{ sum(below) }} units are missing."
	return w
}

type issue struct {
	Key      string   `json:"key"`
	Title    string   `json:"title"`
	State    string   `json:"state"`
	Assignee string   `json:"assignee,omitempty"`
	Labels   []string `json:"labels"`
}

type comment struct {
	Author string `json:"author"`
	At     string `json:"at"`
	Text   string `json:"text"`
}

// busiest answers nested_lookup.
func busiest(comments map[string][]comment) string {
	totals := map[string]int{}
	for _, list := range comments {
		for _, c := range list {
			totals[c.Author]++
		}
	}
	top := append(ranked(totals), entry{})[0]
	return fmt.Sprintf("%s wrote %d comments.", top.key, top.total)
}

func nestedLookup() *world {
	r := dice(12)
	projects := []string{"gateway", "scheduler", "billing", "storage", "console", "agents"}
	issues, comments, unassigned := map[string][]issue{}, map[string][]comment{}, map[string][]comment{}
	for _, p := range projects {
		for i := range 30 {
			x := issue{Key: fmt.Sprintf("%s-%d", p, 100+i), Title: prose(r, 40), State: pick(r, "open", "open", "review"), Labels: []string{pick(r, "bug", "feature", "debt")}}
			if r.IntN(3) != 0 {
				x.Assignee = fmt.Sprintf("dev%02d", 1+r.IntN(25))
			}
			for range 2 + r.IntN(7) {
				comments[x.Key] = append(comments[x.Key], comment{fmt.Sprintf("dev%02d", 1+r.IntN(25)), day(365+r.IntN(40)) + "T10:00:00Z", prose(r, 60+r.IntN(300))})
			}
			issues[p] = append(issues[p], x)
			if x.Assignee == "" {
				unassigned[x.Key] = comments[x.Key]
			}
		}
	}
	type team struct {
		Team string `json:"team"`
	}
	type project struct {
		Project string `json:"project"`
	}
	type in struct {
		Issue string `json:"issue" jsonschema:"The issue's key"`
	}
	w := &world{want: busiest(unassigned)}
	define(w, "tracker.projects", "Lists the projects of a team.", tool.Read, func(in team) ([]string, error) {
		if in.Team != "platform" {
			return nil, nil
		}
		return projects, nil
	})
	define(w, "tracker.issues", "Lists the issues of a project. One without an assignee has none.", tool.Read, func(in project) ([]issue, error) { return issues[in.Project], nil })
	define(w, "tracker.comments", "Lists the comments of an issue.", tool.Read, func(in in) ([]comment, error) { return comments[in.Issue], nil })
	w.direct = func(t *turn) string {
		var lists, calls []llm.Call
		for _, p := range read[[]string](t, t.one("I list the projects.", call("tracker.projects", "team", "platform"))) {
			lists = append(lists, call("tracker.issues", "project", p))
		}
		for _, h := range t.use("I list their issues.", lists...) {
			t.must(h)
			for _, x := range read[[]issue](t, h) {
				if x.Assignee == "" {
					calls = append(calls, call("tracker.comments", "issue", x.Key))
				}
			}
		}
		got := map[string][]comment{}
		for i, h := range t.use("I read the comments of those without an assignee.", calls...) {
			t.must(h)
			got[fmt.Sprint(i)] = read[[]comment](t, h)
		}
		return busiest(got)
	}
	w.code = []step{code("I walk over projects, issues and comments in code.", `
from collections import Counter
import tools
from tools import tracker

projects = tracker.projects(team="platform")
issues = [i for found in tools.map(tracker.issues, projects) for i in found if not i.get("assignee")]
authors = Counter(c["author"] for found in tools.map(tracker.comments, [i["key"] for i in issues]) for c in found)
who, most = authors.most_common(1)[0]
print(len(projects), len(issues), authors.most_common(3))
`)}
	w.answer = "{{ who }} wrote {{ most }} comments."
	return w
}

type invoice struct {
	Number   string `json:"number"`
	Customer string `json:"customer"`
	Due      string `json:"due"`
	Cents    int    `json:"amount_cents"`
}

// terminal captures payments. Some fail for a while, some are declined.
type terminal struct {
	open     []invoice
	failures map[string]int // that are still to come
	declined map[string]bool
	captured map[string]int
}

func makeTerminal() *terminal {
	r := dice(13)
	x := &terminal{failures: map[string]int{}, declined: map[string]bool{}, captured: map[string]int{}}
	for i := range 180 {
		v := invoice{id("INV", 40_000+i), id("C", r.IntN(900)), day(370 + r.IntN(30)), 900 + r.IntN(200_000)}
		x.open = append(x.open, v)
		switch r.IntN(9) {
		case 0:
			x.failures[v.Number] = 1 + r.IntN(3)
		case 1:
			x.declined[v.Number] = true
		}
	}
	return x
}

type receipt struct {
	Invoice  string `json:"invoice"`
	Captured int    `json:"captured_cents"`
	Code     string `json:"authorisation"`
	At       string `json:"at"`
}

func (x *terminal) capture(number string) (receipt, error) {
	i := slices.IndexFunc(x.open, func(v invoice) bool { return v.Number == number })
	switch {
	case i < 0:
		return receipt{}, fault.New(fault.NotFound, "", "there is no open invoice %q", number)
	case x.captured[number] > 0:
		return receipt{}, fault.New(fault.Conflict, "Capture each invoice once.", "%s is captured already", number)
	case x.failures[number] > 0:
		x.failures[number]--
		return receipt{}, fault.New(fault.Unavailable, "Nothing was charged. Try again.", "the acquirer gives no answer for %s", number)
	case x.declined[number]:
		return receipt{}, fault.New(fault.Denied, "Do not try again. Ask the customer for another way to pay.", "%s was declined by the bank", number)
	}
	x.captured[number] = x.open[i].Cents
	return receipt{number, x.open[i].Cents, fmt.Sprintf("A%06d", 7919*i%1_000_000), "2026-02-20T09:00:00Z"}, nil
}

func captureAnswer(n, cents, declined int) string {
	return fmt.Sprintf("%d payments were captured for %d cents, and %d were declined.", n, cents, declined)
}

func (x *terminal) answer() string {
	cents := 0
	for _, v := range x.open {
		if !x.declined[v.Number] {
			cents += v.Cents
		}
	}
	return captureAnswer(len(x.open)-len(x.declined), cents, len(x.declined))
}

func retryErrors() *world {
	x := makeTerminal()
	type in struct {
		Invoice string `json:"invoice" jsonschema:"The invoice's number"`
	}
	w := &world{want: x.answer()}
	define(w, "payments.open", "Lists the open invoices.", tool.Read, func(none) ([]invoice, error) { return x.open, nil })
	define(w, "payments.capture", "Captures the payment of an invoice. It may be unavailable for a while, or be denied for good.", tool.Write, func(in in) (receipt, error) { return x.capture(in.Invoice) })
	w.state = func() error {
		if want := len(x.open) - len(x.declined); len(x.captured) != want {
			return fmt.Errorf("%d payments were captured, and should be %d", len(x.captured), want)
		}
		return nil
	}
	w.direct = func(t *turn) string {
		left := read[[]invoice](t, t.one("I list the invoices.", call("payments.open")))
		n, cents, declined := 0, 0, 0
		for try := 0; try < 4 && len(left) > 0; try++ {
			var calls []llm.Call
			for _, v := range left {
				calls = append(calls, call("payments.capture", "invoice", v.Number))
			}
			var again []invoice
			for i, h := range t.use("I capture those that are left.", calls...) {
				switch {
				case h.failed && strings.Contains(h.text, "declined"):
					declined++
				case h.failed:
					again = append(again, left[i])
				default:
					n++
					cents += read[receipt](t, h).Captured
				}
			}
			left = again
		}
		return captureAnswer(n, cents, declined)
	}
	w.code = []step{code("I capture them in code and try again what is unavailable.", `
import tools
from tools import payments

invoices = payments.open()
captured, declined, left = [], [], []
for v in invoices:
    for attempt in range(4):
        try:
            captured.append(payments.capture(invoice=v["number"])["captured_cents"])
            break
        except tools.Denied:
            declined.append(v["number"])
            break
        except tools.Unavailable:
            continue
    else:
        left.append(v["number"])
print(len(invoices), len(captured), sum(captured), len(declined), left)
`)}
	w.answer = "{{ len(captured) }} payments were captured for {{ sum(captured) }} cents, and {{ len(declined) }} were declined."
	return w
}
