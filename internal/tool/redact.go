package tool

// RedactArguments returns the arguments of a call with what is secret
// replaced: what the input schema marks and what [Secrets] points to. The
// value itself is not changed. Members that no schema declares stay.
func (d *Definition) RedactArguments(arguments any) any {
	return d.Input.Redact(arguments, d.Secrets.Input)
}

// RedactResult is RedactArguments for a result.
func (d *Definition) RedactResult(result any) any {
	return d.Output.Redact(result, d.Secrets.Output)
}
