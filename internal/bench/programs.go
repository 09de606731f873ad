package bench

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"praxis/internal/record/journal"
	"praxis/internal/run"
)

// program is a small program that computes one number, as a model writes them for a
// problem in words.
type program struct {
	question, code string
	result         int
}

// problem is a pattern of programs: four numbers go into its text and its code.
type problem struct {
	question string
	body     string // of solution()
	result   func(a, b, c, d int) int
}

func problems() []problem {
	return []problem{
		{
			"A farm has %d hens that lay %d eggs each in a week. The family eats %d of them and sells the rest for %d cents each. How many cents does it take in?",
			"hens = %d\neggs_per_hen = %d\neaten = %d\ncents_per_egg = %d\nsold = hens * eggs_per_hen - eaten\nreturn sold * cents_per_egg",
			func(a, b, c, d int) int { return (a*b - c) * d },
		},
		{
			"A theatre has %d rows of %d seats. %d seats are broken, and a ticket costs %d. What does a full house bring in?",
			"seats = %d * %d\nusable = seats - %d\nprice = %d\nreturn usable * price",
			func(a, b, c, d int) int { return (a*b - c) * d },
		},
		{
			"Somebody saves %d in the first month and %d more in each month than in the one before. After %d months %d are spent. How much is left?",
			"first = %d\nmore = %d\nmonths = %d\nspent = %d\nsaved = 0\nfor month in range(months):\n    saved += first + month * more\nreturn saved - spent",
			func(a, b, c, d int) int { return a*c + b*c*(c-1)/2 - d },
		},
		{
			"A truck drives %d km a day for %d days, then %d km more, and needs %d cl of fuel for a kilometre. How many centilitres does it need?",
			"daily = %d\ndays = %d\nextra = %d\nfuel = %d\nstages = [daily] * days + [extra]\nreturn sum(stages) * fuel",
			func(a, b, c, d int) int { return (a*b + c) * d },
		},
		{
			"A shop sells %d packs of %d pencils and %d packs of a dozen. %d pencils come back. How many are sold?",
			"orders = [(%d, %d), (%d, 12)]\nreturned = %d\nreturn sum(packs * pencils for packs, pencils in orders) - returned",
			func(a, b, c, d int) int { return a*b + c*12 - d },
		},
		{
			"%d teams play in a league, each %d times against each other one. %d matches are cancelled, %d are repeated. How many are played?",
			"teams = %d\nrounds = %d\ncancelled = %d\nrepeated = %d\nmatches = teams * (teams - 1) // 2 * rounds\nreturn matches - cancelled + repeated",
			func(a, b, c, d int) int { return a*(a-1)/2*b - c + d },
		},
	}
}

// programs returns ten programs of each pattern, always the same.
func programs() []program {
	var out []program
	for i := range 10 {
		for _, p := range problems() {
			n := []int{17 + 13*i, 3 + i, 5 + 2*i, 2 + 7*i}
			at := []any{n[0], n[1], n[2], n[3]}
			q := fmt.Sprintf(p.question, at...)
			body := strings.ReplaceAll(fmt.Sprintf(p.body, at...), "\n", "\n    ")
			out = append(out, program{q, fmt.Sprintf("def solution():\n    %q\n    %s\n\nresult = solution()\nprint(result)", q, body), p.result(n[0], n[1], n[2], n[3])})
		}
	}
	return out
}

// programsPerSecond asks for programs in one session, each a recorded run of its own with
// an answer in which the figure is traced, and starts the image's interpreter on the host
// for each, in turns. The opening of the session counts.
func (b *bench) programsPerSecond(ctx context.Context, out map[string]Figure) error {
	all := programs()
	var inside, outside, ratios []float64
	_, err := b.records(func(r Records) (Figure, error) {
		for range max(3, b.Rounds/6) {
			in, host, err := b.programsOnce(ctx, r.Journal, all)
			if err != nil {
				return Figure{}, err
			}
			inside, outside = append(inside, float64(len(all))/in.Seconds()), append(outside, float64(len(all))/host.Seconds())
			ratios = append(ratios, host.Seconds()/in.Seconds())
		}
		return Figure{}, nil
	})
	if err != nil {
		return err
	}
	out["programs_per_second"], out["subprocess_per_second"], out["programs_ratio"] = FigureOf(inside), FigureOf(outside), FigureOf(ratios)
	return nil
}

func (b *bench) programsOnce(ctx context.Context, j *journal.Journal, all []program) (inside, outside time.Duration, err error) {
	began := time.Now()
	s, err := b.OpenSession(ctx)
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	inside = time.Since(began)
	for _, p := range all {
		began = time.Now()
		if err := b.program(ctx, j, s, p); err != nil {
			return 0, 0, err
		}
		inside += time.Since(began)
		began = time.Now()
		printed, err := b.outside(ctx, p.code)
		if err != nil {
			return 0, 0, err
		}
		outside += time.Since(began)
		if got := strings.TrimSpace(printed); got != strconv.Itoa(p.result) {
			return 0, 0, fmt.Errorf("a program printed %q on the host, %d was wanted", got, p.result)
		}
	}
	return inside, outside, nil
}

// program asks the question of a program, with a model that writes it and then answers.
func (b *bench) program(ctx context.Context, j *journal.Journal, s run.Session, p program) error {
	return b.ask(ctx, j, question{text: p.question, want: strconv.Itoa(p.result), session: s,
		model: &script{replies: said(fenced(p.code), "FINAL ANSWER: {{ result }}")}})
}
