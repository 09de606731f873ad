// Package policy decides tool calls by rules that are data: a YAML file over
// the definitions of tools, with conditions in CEL that see where each
// argument came from and who may read it.
//
// # Files
//
//	version: 1
//	groups:                                  # names for both
//	  staff: {principals: [ann@acme.com, "*@sales.acme.com"]}
//	  mail:  {tools: [email.*]}
//	conditions:                              # named; each may ask those above it
//	  internal: args.to.within(groups.staff)
//	rules:
//	  - name: recipient is chosen by the user
//	    tools: [mail]                        # names, globs "email.*", groups
//	    when: "!args.to.trusted()"           # left out: always
//	    decision: deny                       # allow, deny or ask
//	    reason: the recipient comes from data that somebody else wrote
//	    remedy: Use an address that the user gave.
//	otherwise:                               # where no rule applies
//	  - {tools: ["*.delete", "effects:external", "!mail"], decision: ask, reason: …}
//	lower:                                   # declassification by rule
//	  - name: dates out of mail
//	    tools: [ask_llm]
//	    output: [date, enum]                 # narrow types, see tool.Type.Narrow
//	    sources: [email.read, model]         # which it vouches for; left out: all
//	    readers: everyone                    # left out: the readers stay
//	    reason: a date cannot contain instructions
//	tests:
//	  - name: an address out of the calendar
//	    call: email.write
//	    args:
//	      to: {value: eve@evil.com, sources: [calendar.read], readers: [me]}
//	      body: Hello                        # a plain value is the program's own
//	    expect: deny
//	    rule: recipient is chosen by the user
//
// [Load] refuses, with file, line and column and a remedy: tools, groups,
// sources, arguments and principals that do not exist, conditions that are no
// CEL, rules that can never decide, and rules that contradict each other.
// [Policy.Test] runs the tests and tells which rules none of them covers.
//
// # Decisions
//
// Of the rules that apply, the strictest verdict counts (deny before ask before
// allow) and, among those, the first in the file is named. The order of rules
// therefore never changes what is decided. Without a rule that applies,
// otherwise decides; without a word there, tools that only read are allowed and tools with
// effects are denied. What a
// definition itself demands (argument trusted, readable_by; approval: true)
// are rules like others: deny, and ask. A condition that cannot be evaluated,
// or takes too many steps, denies with a fault in the decision.
//
// # Conditions
//
// The variables: args.NAME (values with labels, and their parts
// args.event.guests[0].name), tool.name, tool.version, tool.namespace,
// tool.effects, call.number (from 1), groups.NAME (principals), pc (the control
// flow in mode strict: labels without a value) and the named conditions.
//
//	x.trusted()        all sources of x are trusted (none is trusted)
//	x.from("name")     a source is that tool, "user", "user.NAME", "model",
//	                   "planner"; "email.*" works
//	x.sources()        the names of the sources, sorted: "user", "model", tools
//	x.endorsed()       somebody or a rule vouched for it
//	x.among("t/*/f")   it equals a text or number there in a trusted part of a result
//	                   of the run; of a list, each item does
//	x.readableBy(who)  who (a string or a list) may read x
//	x.within(group)    x (a string or a list) names only principals of the group
//
// They speak of the whole: the label of a list is joined with those of its
// items, and the label of an item with that of the list it was taken from. A
// declared argument or member that is not given has no labels: it is trusted
// and readable by everyone, and its value cannot be used without has().
// Of CEL's macros there are has, all, exists and exists_one. There is no clock
// and no time zone of the machine. Labels follow paths only: "args.to.trusted()"
// is fine, "(args.to + ”).trusted()" is refused when the file is loaded.
//
// # Before a run
//
// [Policy.Judge] takes an [Abstract] call, whose labels lie between two bounds
// and whose values may be unknown, and evaluates the same conditions with
// unknowns. When it is certain, [Policy.Decide] says the same of every call
// within the bounds; the test of this package checks that.
//
// # Declassification
//
// Labels only get stricter but for [Endorse], by a person who looked, and for
// [Policy.Lower], by a rule of the file and only for results of a narrow type.
// Both leave a mark in the label.
package policy
