package access

import "praxis/internal/lazyregexp"

var keyForm = lazyregexp.New(prefix + `[0-9a-f]{56}`)

// Contains says whether something in a text has the form of a key: it must not reach who is
// not trusted with keys.
func Contains(text string) bool { return keyForm.MatchString(text) }
