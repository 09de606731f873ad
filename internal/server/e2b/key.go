package e2b

import (
	"strings"

	"praxis/internal/server/access"
)

// E2B's clients take a key that begins with theirs; behind it are the digits of one of this
// server's.
const (
	keyPrefix = "e2b_"
	ownPrefix = "praxis_"
)

// Key returns a key as this server stores it, whichever way it is written.
func Key(text string) string {
	if digits, ok := strings.CutPrefix(text, keyPrefix); ok {
		return ownPrefix + digits
	}
	return text
}

// KeyFor returns a key of this server as E2B's clients take it.
func KeyFor(text string) string { return keyPrefix + strings.TrimPrefix(text, ownPrefix) }

// ContainsKey says whether something in a text has the form of a key as E2B's clients write it.
func ContainsKey(text string) bool {
	return access.Contains(strings.ReplaceAll(text, keyPrefix, ownPrefix))
}
