package tool

// Identifier returns the nearest name to s that plans and code can use: for what
// others named, such as the tools of a server. It is "" when s has nothing that
// a name could have.
func Identifier(s string) string {
	if len(s) > maxName {
		s = s[:maxName]
	}
	for range 4 {
		why, near := badIdentifier(s)
		if why == "" {
			return s
		}
		s = near
	}
	return ""
}
