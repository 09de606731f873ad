package archtest

// retired is the table of words that names, comments and texts do not use. Words that have
// a plain meaning beside the retired one, such as leave and hold, are retired in the
// phrases alone where they had the other one.
func retired() []Retired {
	return []Retired{
		retire("bridge", "desk desks", `desks?`),
		retire("expose, exposed", "offer offers offered offering", `offer(s|ed|ing)?`),
		retire("request, question, runner or handler", "asks asked asking", ``),
		retire("approval", "", `('s|for|of|without|wants?) leave`),
		retire("safe text", "legible", `legible`),
		retire("notified, reported, receives, sees or knows", "told hear hears heard", `told|hears?|heard`),
		retire("check against, compare with, bind to", "held", `(holds?|held|holding)( [\w']+){0,7} against`),
		retire("execute, run, perform; has, contains", "carry carries carried carrying", `carr(y|ies|ied|ying)( [\w']+){0,4} out`),
		retire("stored, record", "kept", ``),
		retire("printer", "pen pens", `pens?`),
		retire("annotation, note or message", "remark remarks", `remarks?`),
		retire("annotation, position, cause or culprit", "aside asides blame blames blamed", `an aside|asides|blame[sd]?`),
		retire("wake-up, watch, timer or signal", "bell bells hush alarm alarms", `bells?|hush|alarms?`),
		retire("session, package or space", "workspace workspaces room rooms roomy", `workspaces?|rooms?`),
		retire("sandboxes", "boxes", `boxes`),
		retire("status", "fate fates outcome outcomes", `fates?|outcomes?`),
		retire("manifest, requirements", "wants", `(the|its|whose) wants`),
		retire("times, time formats", "moments", `moments`),
		retire("execution", "enact enacts enacted enactment", `enact(s|ed|ing|ment|ments)?`),
		retire("level, step", "rung rungs", `rungs?`),
	}
}
