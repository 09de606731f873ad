package agent

import "testing"

func TestAnnounces(t *testing.T) {
	for text, want := range map[string]bool{
		"Let me look at the columns.":                        true,
		"Okay, now I'll compute the mean of the 3 columns.":  true,
		"Next, I compute the mean.":                          true,
		"Now I check the types":                              true,
		"So I’d like to see the first rows.":                 true,
		"Ich werde die Spalten ansehen.":                     true,
		"The columns are these:":                             true,
		"Id 1042 has the most orders.":                       false,
		"Ill patients were 42.":                              false,
		"Now I know: there are 59 units.":                    false,
		"First, I counted the rows; the result is 59 units.": false,
		"There are 59 units.":                                false,
		"I'll sum it up.\n\nThere are 59 units.":             false,
	} {
		if got := announces(text); got != want {
			t.Errorf("%q: %t", text, got)
		}
	}
}
