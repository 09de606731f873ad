package syntax

// Symbol returns the operator as it is written, such as "+".
func (o Operator) Symbol() string {
	return [...]string{"", "+", "-", "*", "@", "/", "%", "**", "<<", ">>", "|", "^", "&", "//"}[o]
}

// Symbol returns the comparison as it is written, such as "not in".
func (o CmpOperator) Symbol() string {
	return [...]string{"", "==", "!=", "<", "<=", ">", ">=", "is", "is not", "in", "not in"}[o]
}
