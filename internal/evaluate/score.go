package evaluate

import (
	"math"
	"slices"
)

// Score is what a model came to in an evaluation.
type Score struct {
	Model  string `json:"model"`
	Passed int    `json:"passed"`
	Failed int    `json:"failed"`
	// Unverified are answers that are as expected, in runs that are unverified.
	Unverified int     `json:"unverified"`
	Errors     int     `json:"errors"` // they count for nothing
	Share      float64 `json:"share"`  // of what passed, of all but errors
	// Low and High bound the share: Wilson's interval of 95 %.
	Low    float64  `json:"low"`
	High   float64  `json:"high"`
	Steps  float64  `json:"steps"` // of a case, the mean
	Tokens int      `json:"tokens"`
	Cost   *float64 `json:"cost_usd,omitempty"` // nil: of some case it is not known
	P50    float64  `json:"seconds_p50"`        // of a case
	P95    float64  `json:"seconds_p95"`
}

// Scores sums results up, a score for each model in the order in which they are named.
func Scores(models []string, results []Result) []Score {
	var out []Score
	for _, m := range models {
		s := Score{Model: m}
		var seconds []float64
		cost, known, steps := 0.0, true, 0
		for _, r := range results {
			if r.Model != m {
				continue
			}
			switch r.Verdict {
			case Passed:
				s.Passed++
			case Failed:
				s.Failed++
			case Unverified:
				s.Unverified++
			default:
				s.Errors++
			}
			s.Tokens += r.Tokens
			steps += r.Steps
			seconds = append(seconds, r.Seconds)
			if r.Cost == nil {
				known = false
			} else {
				cost += *r.Cost
			}
		}
		if len(seconds) > 0 {
			slices.Sort(seconds)
			at := func(p float64) float64 { return seconds[int(p*float64(len(seconds)-1)+0.5)] }
			s.Steps, s.P50, s.P95 = float64(steps)/float64(len(seconds)), at(.5), at(.95)
			if known {
				s.Cost = &cost
			}
		}
		s.Share, s.Low, s.High = wilson(s.Passed, s.Questions())
		out = append(out, s)
	}
	return out
}

// Questions is how many questions came to an end.
func (s Score) Questions() int { return s.Passed + s.Failed + s.Unverified }

// wilson returns a share and its score interval of 95 %. Of nothing nothing is known.
func wilson(passed, n int) (share, low, high float64) {
	if n == 0 {
		return 0, 0, 1
	}
	const z = 1.959963984540054
	k, m := float64(n), z*z/float64(n)
	share = float64(passed) / k
	middle := (share + m/2) / (1 + m)
	half := z / (1 + m) * math.Sqrt(share*(1-share)/k+m/(4*k))
	return share, max(0, middle-half), min(1, middle+half)
}
