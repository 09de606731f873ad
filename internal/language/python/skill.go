package python

// SkillsFolder is the folder of a session whose files the module "skills" loads: each holds
// the function that it is called after.
const SkillsFolder = "/home/user/.skills"

// KeepSkill names the skill by which code has a function kept for later runs.
const KeepSkill = "keep_skill"

// KeepSkillCode is the code of [KeepSkill]: keep_skill(function, description, tests).
func KeepSkillCode() string { return read("keepskill.py") }

// CheckSkill returns code that runs the tests of a skill of the session and shows what it
// needs, in an item of the type event.SkillMIME. The session has [KeepSkill], too.
func CheckSkill(name, tests string) string {
	return "import skills as __skills__\n__skills__.keep_skill.__globals__['check'](" + quote(name) + ", " + quote(tests) + ")\n"
}

// SkillUses returns code that shows which skills a skill of the session imports, in an item of
// the type event.SkillMIME. The session has [KeepSkill], too.
func SkillUses(name string) string {
	return "__import__('skills').keep_skill.__globals__['uses'](" + quote(name) + ")\n"
}

// SaveSkill returns code that has a function of the session kept, with tests.
func SaveSkill(name, description, tests string) string {
	return "__import__('skills').keep_skill(" + name + ", " + quote(description) + ", " + quote(tests) + ")\n"
}
