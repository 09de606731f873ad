package workflow

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"praxis/fault"
	"praxis/internal/llm"
	"praxis/internal/tool"
)

type contact struct {
	ID      string `json:"id"`
	Mail    string `json:"mail"`
	Phone   string `json:"phone"`
	Company string `json:"company"`
	Created string `json:"created"`
}

// merges returns which contacts go into which: by mail address, into the oldest.
func merges(all []contact) (keep, drop []string) {
	sorted := slices.Clone(all)
	slices.SortFunc(sorted, func(a, b contact) int {
		return cmp.Or(strings.Compare(a.Created, b.Created), strings.Compare(a.ID, b.ID))
	})
	first := map[string]string{}
	for _, c := range sorted {
		mail := strings.ToLower(c.Mail)
		if into, ok := first[mail]; ok {
			keep, drop = append(keep, into), append(drop, c.ID)
		} else {
			first[mail] = c.ID
		}
	}
	return keep, drop
}

func makeContacts() []contact {
	r := dice(14)
	var all []contact
	for i := range 1200 {
		mail := fmt.Sprintf("contact%04d@firm%03d.example", i, r.IntN(300))
		for n := range 1 + max(0, r.IntN(20)-18) {
			if n > 0 && r.IntN(2) == 0 {
				mail = strings.ToUpper(mail[:1]) + mail[1:]
			}
			all = append(all, contact{Mail: mail, Phone: fmt.Sprintf("+49 30 %07d", r.IntN(10_000_000)), Company: "Firm " + mail[len(mail)-11:len(mail)-8], Created: day(r.IntN(400))})
		}
	}
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	for i := range all {
		all[i].ID = id("CT", i+1)
	}
	return all
}

func mergeAnswer(gone, left int) string {
	return fmt.Sprintf("%d contacts were merged away, and %d are left.", gone, left)
}

func dedupeContacts() *world {
	const most = 300
	all := makeContacts()
	wantKeep, wantDrop := merges(all)
	merged := map[string]string{}
	type list struct {
		Offset int `json:"offset,omitempty" jsonschema:"Where the page begins"`
	}
	type pair struct {
		Keep string `json:"keep" jsonschema:"The contact that stays"`
		Drop string `json:"drop" jsonschema:"The contact that goes into it"`
	}
	w := &world{want: mergeAnswer(len(wantDrop), len(all)-len(wantDrop))}
	define(w, "contacts.list", "Lists the contacts, 300 a page.", tool.Read, func(in list) (page[contact], error) { return paged(all, in.Offset, most, most), nil })
	define(w, "contacts.merge", "Merges a contact into another.", tool.Write, func(in pair) (contact, error) {
		i := slices.IndexFunc(all, func(c contact) bool { return c.ID == in.Keep })
		if i < 0 || merged[in.Drop] != "" {
			return contact{}, fault.New(fault.Invalid, "", "cannot merge %s into %s", in.Drop, in.Keep)
		}
		merged[in.Drop] = in.Keep
		return all[i], nil
	})
	w.state = func() error {
		for i, drop := range wantDrop {
			if merged[drop] != wantKeep[i] {
				return fmt.Errorf("%s went into %q, and should go into %s", drop, merged[drop], wantKeep[i])
			}
		}
		if len(merged) != len(wantDrop) {
			return fmt.Errorf("%d contacts were merged, and should be %d", len(merged), len(wantDrop))
		}
		return nil
	}
	w.direct = func(t *turn) string {
		var got []contact
		for next := 0; ; {
			p := read[page[contact]](t, t.one("I read a page of contacts.", call("contacts.list", "offset", next)))
			got = append(got, p.Items...)
			if next = p.Next; next == 0 {
				break
			}
		}
		keep, drop := merges(got)
		var calls []llm.Call
		for i := range drop {
			calls = append(calls, call("contacts.merge", "keep", keep[i], "drop", drop[i]))
		}
		t.must(t.use("I merge them.", calls...)...)
		return mergeAnswer(len(drop), len(got)-len(drop))
	}
	w.code = []step{code("I find the duplicates in code and merge them.", `
from tools import contacts

found, offset = [], 0
while True:
    page = contacts.list(offset=offset)
    found += page["items"]
    if not (offset := page["next"]):
        break
first, merged = {}, 0
for c in sorted(found, key=lambda c: (c["created"], c["id"])):
    keep = first.setdefault(c["mail"].lower(), c["id"])
    if keep != c["id"]:
        contacts.merge(keep=keep, drop=c["id"])
        merged += 1
print(len(found), merged)
`)}
	w.answer = "{{ merged }} contacts were merged away, and {{ len(found) - merged }} are left."
	return w
}

type ticket struct {
	ID       string `json:"id"`
	Subject  string `json:"subject"`
	Priority string `json:"priority"`
	Opened   string `json:"opened"`
	Waiting  int    `json:"waiting_days"`
	Customer string `json:"customer"`
}

var priorities = []string{"low", "normal", "high", "urgent"}

// raised returns the priority that a ticket has to get, "" when none.
func raised(t ticket) string {
	i := slices.Index(priorities, t.Priority)
	if t.Waiting <= 14 || i < 0 || i+1 == len(priorities) {
		return ""
	}
	return priorities[i+1]
}

func raiseAnswer(changed, urgent int) string {
	return fmt.Sprintf("%d tickets were changed, and %d are urgent now.", changed, urgent)
}

func makeTickets() []ticket {
	r := dice(15)
	out := make([]ticket, 320)
	for i := range out {
		waiting := r.IntN(40)
		out[i] = ticket{id("T", 7000+i), prose(r, 50), pick(r, "low", "normal", "normal", "high", "urgent"), day(400 - waiting), waiting, id("C", r.IntN(900))}
	}
	return out
}

func updateTickets() *world {
	all := makeTickets()
	want, changed, urgent := map[string]string{}, 0, 0
	for _, t := range all {
		want[t.ID] = t.Priority
		if p := raised(t); p != "" {
			want[t.ID] = p
			changed++
		}
		if want[t.ID] == "urgent" {
			urgent++
		}
	}
	type queue struct {
		Queue string `json:"queue"`
		State string `json:"state" jsonschema:"open or closed"`
	}
	type in struct {
		Ticket   string `json:"ticket"`
		Priority string `json:"priority" jsonschema:"low, normal, high or urgent"`
	}
	w := &world{want: raiseAnswer(changed, urgent)}
	define(w, "tickets.list", "Lists the tickets of a queue. Priorities from the lowest: low, normal, high, urgent.", tool.Read, func(in queue) ([]ticket, error) {
		if in.Queue != "billing" || in.State != "open" {
			return nil, nil
		}
		return all, nil
	})
	define(w, "tickets.set_priority", "Sets a ticket's priority and returns the ticket.", tool.Write, func(in in) (ticket, error) {
		i := slices.IndexFunc(all, func(t ticket) bool { return t.ID == in.Ticket })
		if i < 0 || !slices.Contains(priorities, in.Priority) {
			return ticket{}, fault.New(fault.Invalid, "", "cannot set %s to %q", in.Ticket, in.Priority)
		}
		all[i].Priority = in.Priority
		return all[i], nil
	})
	w.state = func() error {
		for _, t := range all {
			if t.Priority != want[t.ID] {
				return fmt.Errorf("%s is %s, and should be %s", t.ID, t.Priority, want[t.ID])
			}
		}
		return nil
	}
	w.direct = func(t *turn) string {
		urgent := 0
		var calls []llm.Call
		for _, x := range read[[]ticket](t, t.one("I list the tickets.", call("tickets.list", "queue", "billing", "state", "open"))) {
			p := raised(x)
			if p != "" {
				calls = append(calls, call("tickets.set_priority", "ticket", x.ID, "priority", p))
			}
			if p == "urgent" || p == "" && x.Priority == "urgent" {
				urgent++
			}
		}
		t.must(t.use("I set the priorities.", calls...)...)
		return raiseAnswer(len(calls), urgent)
	}
	w.code = []step{code("I go through the queue in code, and count at the end what is there.", `
from tools import tickets

levels = ["low", "normal", "high", "urgent"]
changed = 0
for t in tickets.list(queue="billing", state="open"):
    if t["waiting_days"] > 14 and t["priority"] != "urgent":
        tickets.set_priority(ticket=t["id"], priority=levels[levels.index(t["priority"]) + 1])
        changed += 1
now = tickets.list(queue="billing", state="open")
urgent = sum(t["priority"] == "urgent" for t in now)
print(changed, len(now), urgent)
`)}
	w.answer = "{{ changed }} tickets were changed, and {{ urgent }} are urgent now."
	return w
}

type slot struct {
	Start string `json:"start"`
	End   string `json:"end"`
	Title string `json:"title"`
}

const clock = "2006-01-02T15:04"

// firstFree returns the first free hour of everybody.
func firstFree(busy [][]slot) string {
	taken := map[string]bool{}
	for _, slots := range busy {
		for _, s := range slots {
			taken[s.Start] = true
		}
	}
	for d := range 5 {
		for h := 9; h < 17; h++ {
			if at := time.Date(2026, 3, 2+d, h, 0, 0, 0, time.UTC).Format(clock); !taken[at] {
				return at
			}
		}
	}
	return ""
}

func findMeeting() *world {
	r := dice(16)
	var members []string
	busy := map[string][]slot{}
	var all [][]slot
	for i := range 24 {
		who := fmt.Sprintf("p%03d@corp.example", i+1)
		members = append(members, who)
		for d := range 5 {
			for h := 9; h < 17; h++ {
				// One hour late in the week is left to everybody.
				if d == 3 && h == 14 || r.IntN(5) > 2 && (d != 1 || h != 11 || i != 5) {
					continue
				}
				at := time.Date(2026, 3, 2+d, h, 0, 0, 0, time.UTC)
				busy[who] = append(busy[who], slot{at.Format(clock), at.Add(time.Hour).Format(clock), pick(r, "review", "planning", "interview", "call", "focus time")})
			}
		}
		all = append(all, busy[who])
	}
	type group struct {
		Group string `json:"group"`
	}
	type week struct {
		Person string `json:"person" jsonschema:"A mail address"`
		Monday string `json:"monday" jsonschema:"The first day of the week"`
	}
	type event struct {
		Group string `json:"group"`
		Start string `json:"start"`
		Hours int    `json:"hours"`
	}
	var booked []event
	free := firstFree(all)
	w := &world{want: "It is booked for " + free + "."}
	define(w, "calendar.members", "Lists the members of a group.", tool.Read, func(in group) ([]string, error) {
		if in.Group != "launch" {
			return nil, nil
		}
		return members, nil
	})
	define(w, "calendar.busy", "Lists when somebody is busy in a week, in whole hours.", tool.Read, func(in week) ([]slot, error) {
		if in.Monday != "2026-03-02" {
			return nil, nil
		}
		return busy[in.Person], nil
	})
	define(w, "calendar.book", "Books a meeting of a group.", tool.Write, func(in event) (bool, error) {
		booked = append(booked, in)
		return true, nil
	})
	w.state = func() error {
		if len(booked) != 1 || booked[0] != (event{"launch", free, 1}) {
			return fmt.Errorf("booked was %v", booked)
		}
		return nil
	}
	w.direct = func(t *turn) string {
		var calls []llm.Call
		for _, who := range read[[]string](t, t.one("I list the group.", call("calendar.members", "group", "launch"))) {
			calls = append(calls, call("calendar.busy", "person", who, "monday", "2026-03-02"))
		}
		var got [][]slot
		for _, h := range t.use("I read their calendars.", calls...) {
			t.must(h)
			got = append(got, read[[]slot](t, h))
		}
		at := firstFree(got)
		t.one("I book it.", call("calendar.book", "group", "launch", "start", at, "hours", 1))
		return "It is booked for " + at + "."
	}
	w.code = []step{code("I read the calendars in code and look at the form of one.", `
from datetime import datetime, timedelta
from tools import calendar

members = calendar.members(group="launch")
busy = {m: calendar.busy(person=m, monday="2026-03-02") for m in members}
print(len(members), [len(b) for b in busy.values()], busy[members[0]][:2])
`), code("I take the first hour that nobody has, check it, and book it.", `
taken = {s["start"] for slots in busy.values() for s in slots}
hours = (datetime(2026, 3, 2 + d, h) for d in range(5) for h in range(9, 17))
at = next(f"{h:%Y-%m-%dT%H:%M}" for h in hours if f"{h:%Y-%m-%dT%H:%M}" not in taken)
assert not any(s["start"] <= at < s["end"] for slots in busy.values() for s in slots)
print(at, calendar.book(group="launch", start=at, hours=1))
`)}
	w.answer = "It is booked for {{ at }}."
	return w
}

type point struct {
	At string  `json:"at"`
	MS float64 `json:"ms"`
}

// peaks answers find_anomalies from the points by service.
func peaks(points map[string][]point) string {
	var out []string
	for service, list := range points {
		sum, squares, top := 0.0, 0.0, point{}
		for _, p := range list {
			sum += p.MS
			if p.MS > top.MS {
				top = p
			}
		}
		mean := sum / float64(len(list))
		for _, p := range list {
			squares += (p.MS - mean) * (p.MS - mean)
		}
		if top.MS > mean+8*math.Sqrt(squares/float64(len(list))) {
			out = append(out, service+" at "+top.At)
		}
	}
	slices.Sort(out)
	return "They are " + strings.Join(out, ", ") + "."
}

func findAnomalies() *world {
	r := dice(17)
	services := []string{"api", "auth", "billing", "catalog", "checkout", "mail", "search", "shipping"}
	points := map[string][]point{}
	for i, s := range services {
		base := 40 + 30*float64(i)
		for m := range 1440 {
			v := base + 12*math.Sin(float64(m)/120) + 6*r.NormFloat64()
			if i%3 == 1 && m == 600+71*i {
				v += 500
			}
			points[s] = append(points[s], point{fmt.Sprintf("2026-02-10T%02d:%02d", m/60, m%60), math.Round(v*10) / 10})
		}
	}
	type in struct {
		Service string `json:"service"`
		Day     string `json:"day"`
	}
	w := &world{want: peaks(points)}
	define(w, "metrics.services", "Lists the services that are watched.", tool.Read, func(none) ([]string, error) { return services, nil })
	define(w, "metrics.latency", "Returns a service's median response times of a day, minute by minute.", tool.Read, func(in in) ([]point, error) {
		if in.Day != "2026-02-10" {
			return nil, nil
		}
		return points[in.Service], nil
	})
	w.direct = func(t *turn) string {
		var calls []llm.Call
		services := read[[]string](t, t.one("I list the services.", call("metrics.services")))
		for _, s := range services {
			calls = append(calls, call("metrics.latency", "service", s, "day", "2026-02-10"))
		}
		got := map[string][]point{}
		for i, h := range t.use("I read their response times.", calls...) {
			t.must(h)
			got[services[i]] = read[[]point](t, h)
		}
		return peaks(got)
	}
	w.code = []step{code("I look for the peaks in code.", `
from statistics import fmean, pstdev
from tools import metrics

found = {}
for service in metrics.services():
    series = metrics.latency(service=service, day="2026-02-10")
    values = [p["ms"] for p in series]
    top = max(series, key=lambda p: p["ms"])
    score = (top["ms"] - fmean(values)) / pstdev(values)
    print(service, len(series), top, round(score, 1))
    if score > 8:
        found[service] = top["at"]
`)}
	w.answer = "They are {{ ', '.join(f'{s} at {at}' for s, at in sorted(found.items())) }}."
	return w
}
