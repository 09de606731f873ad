package grounding

import "praxis/internal/lazyregexp"

// about says how a word before a figure makes it less exact: zeros at the end of a whole
// number are no digits then.
type about uint8

const (
	exact    about = 0
	nearTo   about = 1 << 0
	moreThan about = 1 << 1
	lessThan about = 1 << 2
)

// Those words, in the languages that answers are often in.
const (
	nearWords = `about|around|approximately|approx\.?|roughly|nearly|almost|some|circa|ca\.?|c\.|rund|etwa|ungefähr|fast|environ|près de|presque|à peu près|` +
		`unos|unas|cerca de|casi|aproximadamente|alrededor de|quase|quasi|ongeveer|bijna|omtrent|nästan|omkring|około|prawie|около|примерно|почти`
	moreWords = `over|more than|at least|above|gut|über|mehr als|plus de|más de|mais de|oltre|più di|ruim|meer dan|ponad|более|свыше`
	lessWords = `under|less than|fewer than|at most|below|knapp|unter|weniger als|moins de|menos de|meno di|minder dan|менее`
)

const (
	aboutBegin = `(?i)(?:(?:^|[^\pL])(?:`
	aboutSigns = `约|约为|大约|約|およそ|ほぼ|약|~|≈`
	aboutMoney = `\s*[$€£¥₹]?\s?$`
)

var (
	nearRE = lazyregexp.New(aboutBegin + nearWords + `)|(?:` + aboutSigns + `))` + aboutMoney)
	moreRE = lazyregexp.New(aboutBegin + moreWords + `))` + aboutMoney)
	lessRE = lazyregexp.New(aboutBegin + lessWords + `))` + aboutMoney)
)

// aboutOf reads what stands before a figure.
func aboutOf(before string) about {
	var out about
	for kind, re := range map[about]*lazyregexp.Regexp{nearTo: nearRE, moreThan: moreRE, lessThan: lessRE} {
		if re.MatchString(before) {
			out |= kind
		}
	}
	return out
}
