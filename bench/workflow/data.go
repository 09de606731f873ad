package workflow

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// All are the workflows, each with data of its own that is the same every time.
func All() []Workflow {
	return []Workflow{
		{"filter_rows", "Which delivered orders of 2025 came later than promised and are worth more than 500 euro: how many are there, what are they worth together, and which is the largest?", filterRows},
		{"join_sources", "Which segment of customers brought the most revenue in the third quarter, how much, and how many of its customers ordered nothing?", joinSources},
		{"top_sellers", "Who are the three sellers with the highest sales this year, and how much did each sell?", topSellers},
		{"diff_directories", "Compare the staff of the personnel system with the accounts of the identity system: how many staff have no account, how many accounts belong to nobody, and how many have another department?", diffDirectories},
		{"copy_transcript", "Copy the transcript of meeting m-4711 into a note of the account acct-208, word for word, titled 'Transcript of m-4711', and say which note it is.", copyTranscript},
		{"move_files", "Move all files of the folder reports/2024 into the archive under the same names, and say how many files and how many characters were moved.", moveFiles},
		{"read_contracts", "Which contracts renew before 2026-04-01 with a notice period of more than 60 days? Name them by their numbers, in order.", readContracts},
		{"poll_until_done", "Rebuild the search index 'products', wait until it is done, and say how many documents were indexed, how many failed, and which partition had the most failures.", pollUntilDone},
		{"fan_out", "Look at every article of the category 'fasteners': how many are below their reorder point, and how many units are missing up to it in all?", fanOut},
		{"nested_lookup", "Over all issues of the projects of the team 'platform' that nobody is assigned to: who wrote the most comments, and how many?", nestedLookup},
		{"retry_errors", "Capture the payment of every open invoice. Try those again that fail for a while, at most four times. How many were captured, for how much, and how many were declined?", retryErrors},
		{"dedupe_contacts", "Merge the contacts that have the same e-mail address, whatever its case, into the oldest of them. How many were merged away, and how many are left?", dedupeContacts},
		{"update_tickets", "Give every open ticket of the queue 'billing' that has waited for more than 14 days the next higher priority, unless it is urgent already. How many were changed, and how many are urgent now?", updateTickets},
		{"find_meeting", "Find the first hour from Monday 2026-03-02 on, between 9 and 17 o'clock on the hour, in which everybody of the group 'launch' is free, book it, and say when it is.", findMeeting},
		{"find_anomalies", "Which services had response times more than eight standard deviations above their mean on 2026-02-10, and at which minute did each peak?", findAnomalies},
		{"reconcile_ledger", "Match the ledger of January with the bank statement by reference: how many entries have no payment, how many payments have no entry, and by how much do the amounts of the others differ in all?", reconcileLedger},
	}
}

// dice are numbers that are the same every time.
func dice(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0x70726178)) }

func pick[T any](r *rand.Rand, from ...T) T { return from[r.IntN(len(from))] }

// day is a date, n days after the first of January 2025.
func day(n int) string {
	return time.Date(2025, 1, 1+n, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
}

// prose writes about n characters of plain words.
func prose(r *rand.Rand, n int) string {
	words := strings.Fields(`the a our their this next last order account system report customer delivery price
		team release plan question answer number result change request problem reason detail meeting week month
		is was will can should has needs makes shows takes gives asks moves holds before after with without for
		from about because although until while early late small large clear open ready again still only also`)
	var b strings.Builder
	for b.Len() < n {
		for i := range 6 + r.IntN(12) {
			word := pick(r, words...)
			if i == 0 {
				word = strings.ToUpper(word[:1]) + word[1:]
			} else {
				b.WriteByte(' ')
			}
			b.WriteString(word)
		}
		b.WriteString(". ")
	}
	return strings.TrimSpace(b.String())
}

// none are the arguments of a tool that takes none.
type none struct{}

// page is a part of a list.
type page[T any] struct {
	Items []T `json:"items"`
	Next  int `json:"next" jsonschema:"offset of the next page, 0 at the end"`
}

// paged cuts a page out of a list.
func paged[T any](all []T, offset, limit, most int) page[T] {
	if limit <= 0 || limit > most {
		limit = most
	}
	offset = min(max(offset, 0), len(all))
	p := page[T]{Items: all[offset:min(offset+limit, len(all))]}
	if end := offset + len(p.Items); end < len(all) {
		p.Next = end
	}
	return p
}

// entry is a key and its total.
type entry struct {
	key   string
	total int
}

// ranked orders totals, the greatest first and then by their keys.
func ranked(totals map[string]int) []entry {
	var out []entry
	for k, v := range totals {
		out = append(out, entry{k, v})
	}
	slices.SortFunc(out, func(a, b entry) int {
		return cmp.Or(cmp.Compare(b.total, a.total), strings.Compare(a.key, b.key))
	})
	return out
}

// code is one execution, with the words before it.
func code(thought, text string) step { return step{thought, strings.TrimSpace(text)} }

// id numbers things of a kind.
func id(kind string, n int) string { return fmt.Sprintf("%s-%05d", kind, n) }
