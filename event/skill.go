package event

// RoleSkill is the role of a file_given whose content is the code of a skill: it is put into
// the session, where code imports it, and is no input of the question.
const RoleSkill = "skill"

// SkillMIME is the item of a displayed bundle in which code has a function kept for later
// runs, and in which a test of one says what it found: keep_skill() makes it.
const SkillMIME = "application/vnd.praxis.skill+json"

// ForHost says whether a bundle is a message to the host, and no output of the code.
func (b Bundle) ForHost() bool { return b[AnswerMIME] != "" || b[SkillMIME] != "" }

// Skill is a function of an earlier run that code can import.
type Skill struct {
	Name        string `json:"name"`
	Version     int    `json:"version"`
	Hash        string `json:"hash"`      // of the code, its tests and what is said of it
	Signature   string `json:"signature"` // what stands behind its name in a call
	Description string `json:"description"`
	// Tool is the tool that it calls, when it is a WebAssembly module.
	Tool string `json:"tool,omitempty"`
	// Untrusted says that nobody vouches for it: a model kept it, or it came from elsewhere.
	Untrusted bool `json:"untrusted,omitempty"`
}

// SkillsGiven says which skills the code of the run can import. The code of each follows
// as a file_given of the role [RoleSkill].
type SkillsGiven struct {
	Skills []Skill `json:"skills"`
}

// SkillSaved says what became of a function that the code of a step had kept.
type SkillSaved struct {
	Step    int    `json:"step"`
	Name    string `json:"name"`
	Version int    `json:"version,omitempty"` // that it is now; 0: it was refused
	Hash    string `json:"hash,omitempty"`
	// Refused says why it was not kept, and Output what its tests printed; empty: it was kept.
	Refused string `json:"refused,omitempty"`
	Output  string `json:"output,omitempty"`
}
