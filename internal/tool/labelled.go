package tool

// Labelled is a result with labels of its own, for implementations that know
// more of one result than the definition says of all. Labels only narrow: a
// result is never more trusted and has never more readers than the definition
// says.
type Labelled struct {
	Value any
	// Trusted is nil to say nothing; false takes trust away, true gives none.
	Trusted *bool
	// Readers is nil to say nothing; otherwise nobody else may read the value.
	// Me stands for the user.
	Readers []string
}
