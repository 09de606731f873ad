package workflow

import (
	"fmt"

	"praxis/internal/tool"
)

type order struct {
	ID        string `json:"id"`
	Customer  string `json:"customer"`
	Region    string `json:"region"`
	Status    string `json:"status"`
	Promised  string `json:"promised"`
	Delivered string `json:"delivered"`
	Cents     int    `json:"amount_cents"`
}

func makeOrders(seed uint64, n, customers, from, days int) []order {
	r := dice(seed)
	out := make([]order, n)
	for i := range out {
		promised := from + r.IntN(days)
		out[i] = order{
			ID: id("O", i+1), Customer: id("C", 1+r.IntN(customers)), Region: pick(r, "north", "south", "east", "west"),
			Status:   pick(r, "delivered", "delivered", "delivered", "delivered", "returned", "cancelled"),
			Promised: day(promised), Delivered: day(promised - 3 + r.IntN(8)), Cents: 500 + r.IntN(90_000),
		}
	}
	return out
}

// lateOrders answers filter_rows.
func lateOrders(rows []order) string {
	n, total, largest := 0, 0, order{}
	for _, o := range rows {
		if o.Status != "delivered" || o.Delivered <= o.Promised || o.Cents <= 50_000 {
			continue
		}
		n++
		total += o.Cents
		if o.Cents > largest.Cents {
			largest = o
		}
	}
	return fmt.Sprintf("%d orders came late, worth %d cents together; the largest is %s.", n, total, largest.ID)
}

func filterRows() *world {
	rows := makeOrders(1, 10_000, 900, 0, 360)
	type in struct {
		Year int `json:"year" jsonschema:"The year of the promised delivery"`
	}
	w := &world{want: lateOrders(rows)}
	define(w, "orders.export", "Returns all orders of a year with their amounts in cents and the promised and actual days of delivery.", tool.Read, func(in in) ([]order, error) {
		if in.Year != 2025 {
			return nil, nil
		}
		return rows, nil
	})
	w.direct = func(t *turn) string {
		return lateOrders(read[[]order](t, t.one("I read the orders of 2025.", call("orders.export", "year", 2025))))
	}
	w.code = []step{code("I read the orders and filter them in code.", `
from tools import orders

rows = orders.export(year=2025)
late = [o for o in rows if o["status"] == "delivered" and o["delivered"] > o["promised"] and o["amount_cents"] > 50000]
total = sum(o["amount_cents"] for o in late)
largest = max(late, key=lambda o: o["amount_cents"])
print(len(rows), "orders,", len(late), "late,", total, largest)
`)}
	w.answer = "{{ len(late) }} orders came late, worth {{ total }} cents together; the largest is {{ largest['id'] }}."
	return w
}

type customer struct {
	ID      string `json:"id"`
	Segment string `json:"segment"`
	Country string `json:"country"`
	Since   string `json:"since"`
}

func makeCustomers(n int) []customer {
	r := dice(2)
	out := make([]customer, n)
	for i := range out {
		out[i] = customer{id("C", i+1), pick(r, "public", "retail", "industry", "health", "education"), pick(r, "AT", "BE", "DE", "DK", "FR", "NL"), day(-r.IntN(2000))}
	}
	return out
}

// bestSegment answers join_sources.
func bestSegment(customers []customer, orders []order) string {
	segment, revenue, ordered := map[string]string{}, map[string]int{}, map[string]bool{}
	for _, c := range customers {
		segment[c.ID] = c.Segment
	}
	for _, o := range orders {
		if o.Status != "cancelled" {
			revenue[segment[o.Customer]] += o.Cents
		}
		ordered[o.Customer] = true
	}
	best, idle := ranked(revenue)[0], 0
	for _, c := range customers {
		if c.Segment == best.key && !ordered[c.ID] {
			idle++
		}
	}
	return fmt.Sprintf("The segment %s brought %d cents; %d of its customers ordered nothing.", best.key, best.total, idle)
}

func joinSources() *world {
	const most = 500
	customers, orders := makeCustomers(1500), makeOrders(3, 3000, 1500, 181, 92)
	type list struct {
		Offset int `json:"offset,omitempty" jsonschema:"Where the page begins"`
	}
	type quarter struct {
		Year    int `json:"year"`
		Quarter int `json:"quarter" jsonschema:"1 to 4"`
		Offset  int `json:"offset,omitempty" jsonschema:"Where the page begins"`
	}
	w := &world{want: bestSegment(customers, orders)}
	define(w, "crm.customers", "Lists customers, 500 a page.", tool.Read, func(in list) (page[customer], error) {
		return paged(customers, in.Offset, most, most), nil
	})
	define(w, "orders.list", "Lists the orders of a quarter, 500 a page. Cancelled ones bring no revenue.", tool.Read, func(in quarter) (page[order], error) {
		if in.Year != 2025 || in.Quarter != 3 {
			return page[order]{}, nil
		}
		return paged(orders, in.Offset, most, most), nil
	})
	w.direct = func(t *turn) string {
		var cs []customer
		var os []order
		for next := 0; ; {
			p := read[page[customer]](t, t.one("I read a page of customers.", call("crm.customers", "offset", next)))
			cs = append(cs, p.Items...)
			if next = p.Next; next == 0 {
				break
			}
		}
		for next := 0; ; {
			p := read[page[order]](t, t.one("I read a page of orders.", call("orders.list", "year", 2025, "quarter", 3, "offset", next)))
			os = append(os, p.Items...)
			if next = p.Next; next == 0 {
				break
			}
		}
		if t.err != nil {
			return ""
		}
		return bestSegment(cs, os)
	}
	w.code = []step{code("I read both lists page by page and join them in code.", `
from collections import Counter
from tools import crm, orders

def pages(f, **args):
    offset = 0
    while True:
        page = f(offset=offset, **args)
        yield from page["items"]
        if not (offset := page["next"]):
            return

customers = list(pages(crm.customers))
sold = list(pages(orders.list, year=2025, quarter=3))
segment = {c["id"]: c["segment"] for c in customers}
revenue = Counter()
for o in sold:
    if o["status"] != "cancelled":
        revenue[segment[o["customer"]]] += o["amount_cents"]
best, amount = revenue.most_common(1)[0]
ordered = {o["customer"] for o in sold}
idle = sum(c["segment"] == best and c["id"] not in ordered for c in customers)
print(len(customers), len(sold), revenue.most_common(), idle)
`)}
	w.answer = "The segment {{ best }} brought {{ amount }} cents; {{ idle }} of its customers ordered nothing."
	return w
}

type sale struct {
	Day    string `json:"day"`
	Seller string `json:"seller"`
	Item   string `json:"item"`
	Units  int    `json:"units"`
	Cents  int    `json:"unit_price_cents"`
}

// bestSellers answers top_sellers.
func bestSellers(sales []sale) string {
	totals := map[string]int{}
	for _, s := range sales {
		totals[s.Seller] += s.Units * s.Cents
	}
	top := append(ranked(totals), make([]entry, 3)...)
	return fmt.Sprintf("%s sold %d cents, %s %d and %s %d.", top[0].key, top[0].total, top[1].key, top[1].total, top[2].key, top[2].total)
}

func topSellers() *world {
	const most = 200
	r := dice(4)
	sales := make([]sale, 5000)
	for i := range sales {
		sales[i] = sale{day(365 + i/60), id("S", 1+r.IntN(40)), id("A", 1+r.IntN(700)), 1 + r.IntN(20), 100 + r.IntN(20_000)}
	}
	type in struct {
		Year   int `json:"year"`
		Offset int `json:"offset,omitempty" jsonschema:"Where the page begins"`
		Limit  int `json:"limit,omitempty" jsonschema:"At most 200, which is also what is taken when it is not given"`
	}
	w := &world{want: bestSellers(sales)}
	define(w, "sales.list", "Lists the sales of a year by day, at most 200 a page.", tool.Read, func(in in) (page[sale], error) {
		if in.Year != 2026 {
			return page[sale]{}, nil
		}
		return paged(sales, in.Offset, in.Limit, most), nil
	})
	w.direct = func(t *turn) string {
		var all []sale
		for next := 0; ; {
			p := read[page[sale]](t, t.one("I read a page of sales.", call("sales.list", "year", 2026, "offset", next)))
			all = append(all, p.Items...)
			if next = p.Next; next == 0 {
				return bestSellers(all)
			}
		}
	}
	w.code = []step{code("I add the sales up by seller, page by page.", `
from collections import Counter
from tools import sales

totals, offset = Counter(), 0
while True:
    page = sales.list(year=2026, offset=offset)
    for s in page["items"]:
        totals[s["seller"]] += s["units"] * s["unit_price_cents"]
    if not (offset := page["next"]):
        break
top = totals.most_common(3)
print(len(totals), top)
`)}
	w.answer = "{{ top[0][0] }} sold {{ top[0][1] }} cents, {{ top[1][0] }} {{ top[1][1] }} and {{ top[2][0] }} {{ top[2][1] }}."
	return w
}

type person struct {
	Number     string `json:"number"`
	Mail       string `json:"mail"`
	Department string `json:"department"`
	Left       bool   `json:"left"`
}

type account struct {
	Login      string `json:"login"`
	Mail       string `json:"mail"`
	Department string `json:"department"`
	Enabled    bool   `json:"enabled"`
	LastSeen   string `json:"last_seen"`
}

// compareStaff answers diff_directories.
func compareStaff(staff []person, accounts []account) string {
	by := map[string]account{}
	for _, a := range accounts {
		if a.Enabled {
			by[a.Mail] = a
		}
	}
	without, moved, known := 0, 0, map[string]bool{}
	for _, p := range staff {
		if p.Left {
			continue
		}
		known[p.Mail] = true
		if a, ok := by[p.Mail]; !ok {
			without++
		} else if a.Department != p.Department {
			moved++
		}
	}
	orphans := 0
	for mail := range by {
		if !known[mail] {
			orphans++
		}
	}
	return fmt.Sprintf("%d staff have no account, %d accounts belong to nobody, and %d have another department.", without, orphans, moved)
}

func makeStaff() ([]person, []account) {
	r := dice(5)
	departments := []string{"sales", "support", "finance", "research", "logistics", "legal"}
	var staff []person
	var accounts []account
	for i := range 2000 {
		p := person{id("P", i+1), fmt.Sprintf("p%05d@corp.example", i+1), pick(r, departments...), r.IntN(15) == 0}
		staff = append(staff, p)
		if r.IntN(25) == 0 {
			continue
		}
		a := account{fmt.Sprintf("u%05d", i+1), p.Mail, p.Department, r.IntN(20) != 0, day(300 + r.IntN(60))}
		if r.IntN(30) == 0 {
			a.Department = pick(r, departments...)
		}
		accounts = append(accounts, a)
	}
	for i := range 60 {
		accounts = append(accounts, account{fmt.Sprintf("x%05d", i+1), fmt.Sprintf("x%05d@corp.example", i+1), pick(r, departments...), r.IntN(4) != 0, day(r.IntN(200))})
	}
	r.Shuffle(len(accounts), func(i, j int) { accounts[i], accounts[j] = accounts[j], accounts[i] })
	return staff, accounts
}

func diffDirectories() *world {
	staff, accounts := makeStaff()
	w := &world{want: compareStaff(staff, accounts)}
	define(w, "personnel.staff", "Lists everybody who works or worked here; left says that somebody left.", tool.Read, func(none) ([]person, error) { return staff, nil })
	define(w, "identity.accounts", "Lists all accounts. Those that are not enabled do not count as accounts.", tool.Read, func(none) ([]account, error) { return accounts, nil })
	w.direct = func(t *turn) string {
		got := t.use("I read both lists.", call("personnel.staff"), call("identity.accounts"))
		t.must(got...)
		return compareStaff(read[[]person](t, got[0]), read[[]account](t, got[1]))
	}
	w.code = []step{code("I compare the lists by mail address in code.", `
from tools import identity, personnel

staff = {p["mail"]: p for p in personnel.staff() if not p["left"]}
accounts = {a["mail"]: a for a in identity.accounts() if a["enabled"]}
without = staff.keys() - accounts.keys()
orphans = accounts.keys() - staff.keys()
moved = [m for m in staff.keys() & accounts.keys() if staff[m]["department"] != accounts[m]["department"]]
print(len(staff), len(accounts), len(without), len(orphans), len(moved))
`)}
	w.answer = "{{ len(without) }} staff have no account, {{ len(orphans) }} accounts belong to nobody, and {{ len(moved) }} have another department."
	return w
}

type booking struct {
	Reference string `json:"reference"`
	Day       string `json:"day"`
	Text      string `json:"text"`
	Cents     int    `json:"amount_cents"`
}

// matchLedger answers reconcile_ledger.
func matchLedger(ledger, bank []booking) string {
	paid := map[string]int{}
	for _, b := range bank {
		paid[b.Reference] += b.Cents
	}
	unpaid, difference, booked := 0, 0, map[string]bool{}
	for _, l := range ledger {
		booked[l.Reference] = true
		if cents, ok := paid[l.Reference]; !ok {
			unpaid++
		} else {
			difference += cents - l.Cents
		}
	}
	unknown := 0
	for reference := range paid {
		if !booked[reference] {
			unknown++
		}
	}
	return fmt.Sprintf("%d entries have no payment, %d payments have no entry, and the others differ by %d cents.", unpaid, unknown, difference)
}

func reconcileLedger() *world {
	r := dice(6)
	var ledger, bank []booking
	for i := range 1500 {
		b := booking{id("RE", i+1), day(365 + r.IntN(31)), "invoice " + pick(r, "service", "goods", "licence", "freight"), 1000 + r.IntN(500_000)}
		if r.IntN(40) != 0 {
			ledger = append(ledger, b)
		}
		if r.IntN(30) != 0 {
			if r.IntN(25) == 0 {
				b.Cents -= r.IntN(500)
			}
			b.Text = "transfer"
			bank = append(bank, b)
		}
	}
	r.Shuffle(len(bank), func(i, j int) { bank[i], bank[j] = bank[j], bank[i] })
	type in struct {
		Month string `json:"month" jsonschema:"as YYYY-MM"`
	}
	w := &world{want: matchLedger(ledger, bank)}
	define(w, "ledger.entries", "Lists the entries of a month. A reference stands once.", tool.Read, func(in in) ([]booking, error) {
		if in.Month != "2026-01" {
			return nil, nil
		}
		return ledger, nil
	})
	define(w, "bank.statement", "Lists the payments of a month. A reference stands once.", tool.Read, func(in in) ([]booking, error) {
		if in.Month != "2026-01" {
			return nil, nil
		}
		return bank, nil
	})
	w.direct = func(t *turn) string {
		got := t.use("I read both.", call("ledger.entries", "month", "2026-01"), call("bank.statement", "month", "2026-01"))
		t.must(got...)
		return matchLedger(read[[]booking](t, got[0]), read[[]booking](t, got[1]))
	}
	w.code = []step{code("I match the references in code.", `
from tools import bank, ledger

entries = {e["reference"]: e["amount_cents"] for e in ledger.entries(month="2026-01")}
payments = {p["reference"]: p["amount_cents"] for p in bank.statement(month="2026-01")}
unpaid = entries.keys() - payments.keys()
unknown = payments.keys() - entries.keys()
difference = sum(payments[r] - entries[r] for r in entries.keys() & payments.keys())
print(len(entries), len(payments), len(unpaid), len(unknown), difference)
`)}
	w.answer = "{{ len(unpaid) }} entries have no payment, {{ len(unknown) }} payments have no entry, and the others differ by {{ difference }} cents."
	return w
}
