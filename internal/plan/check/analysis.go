package check

import (
	"math"

	"praxis/internal/plan/label"
	"praxis/internal/plan/policy"
	"praxis/internal/plan/syntax"
	"praxis/internal/tool"
)

// analysis is the state of the analysis of flows. What it knows of objects,
// shared variables and calls only grows.
type analysis struct {
	tools  *tool.Set
	policy *policy.Policy
	task   *policy.Task
	base   label.Label // see [Input.Base]
	strict bool
	inputs map[string]int32 // sources of the names that are given from outside

	scopes  *scopes
	root    *activation
	sources []source

	sourceIDs map[sourceKey]int32
	objects   []*object
	objectIDs map[objectKey]int32
	contexts  map[contextKey]int32
	acts      []*activation
	heads     map[headKey]headState // of loops that did not settle at once
	sinks     map[sinkKey]*sink
	sinkOrder []*sink
	misuses   map[syntax.Node]misuse
	origins   map[originKey]*origin

	choices []choice
	classes []*object // of the program
	module  *syntax.Module
	own     *ownCode // of the program; nil until it is asked for

	raised  val  // all exceptions
	calls   *lab // what the number of calls depends on, where the policy looks at it
	clock   *lab // what the clock of the machine depends on
	dice    *lab // what its random numbers depend on
	merge   syntax.Node
	changed bool
	round   int32
	pending []*activation
	depth   int // of functions that are analysed inside each other
	calling int // calls that are followed inside each other

	epoch   int32
	visited []int32
	stack   []int32

	left       int64        // steps
	look       int64        // at so many steps left the caller is asked again
	ended      func() error // says whether the caller still waits
	maxObjects int
	lost       *Lost
}

// Lost says where and why the flows of a program could not be followed. Every
// flow is possible then.
type Lost struct {
	Line   int    `json:"line"`
	Col    int    `json:"col"` // from 1
	Reason string `json:"reason"`
}

type contextKey struct {
	caller int32
	site   syntax.Node
}

type headKey struct {
	loop syntax.Node
	act  int32
}

// headState is what variables and control are at a loop's head.
type headState struct {
	pairs []slotVal
	pc    *lab
}

type originKey struct {
	site syntax.Node
	act  int32
}

// activation is a function in a context: one of the chains of calls that lead
// to it.
type activation struct {
	id    int32
	fn    *function
	ctx   int32
	chain []syntax.Node // the last calls, the latest first
	self  *object       // the function object

	caller *activation // the first that led here

	params []val
	pc     *lab // of all calls
	out    *lab // control after it
	ret    val
	yields val // of generators
	sent   val
	shape  *lab // of generator expressions: how often they give something
	exc    val
	cells  []val // of variables that functions within share, by slot

	round  int32 // in which it was analysed last
	runs   int32 // in this round
	active bool
	trying bool // a caller may handle exceptions
	stale  bool // what goes in has grown since
}

// giveUp stops the analysis.
type giveUp struct{}

// grew notes that something that is known of the whole program has grown.
func (a *analysis) grew() { a.changed = true }

// step uses steps of the budget.
func (a *analysis) step(n int64) {
	if a.left -= n; a.left < 0 {
		a.lose(syntax.Pos{}, "the program is too large, or its calls branch too often")
	}
	if a.left < a.look {
		a.look = a.left - stepsBetweenLooks
		if a.ended() != nil {
			panic(giveUp{})
		}
	}
}

// stepsBetweenLooks are the steps after which it is asked whether the caller still waits.
const stepsBetweenLooks = 20_000

// lose gives up: from here on every flow is possible.
func (a *analysis) lose(at syntax.Pos, reason string) {
	if a.lost == nil {
		a.lost = &Lost{Line: int(at.Line), Col: int(at.Col) + 1, Reason: reason}
	}
	panic(giveUp{})
}

// maxRounds bounds how often the program is repeated.
const maxRounds = 60

// run analyses until nothing grows.
func (a *analysis) run(m *syntax.Module) {
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(giveUp); !ok {
				panic(r)
			}
		}
		// The report looks at what was found, once.
		a.left, a.look = math.MaxInt64, math.MinInt64
	}()
	fn := &function{name: "the program", body: m.Body, scope: a.scopes.root}
	a.root = a.newActivation(fn, nil, nil)
	for a.round = 1; ; a.round++ {
		a.changed = false
		for _, s := range a.sinkOrder {
			s.begin()
		}
		a.analyse(a.root)
		for len(a.pending) > 0 {
			act := a.pending[0]
			a.pending = a.pending[1:]
			a.analyse(act)
		}
		if !a.changed {
			return
		}
		if a.round == maxRounds {
			a.lose(syntax.Pos{}, "the flows of the program do not settle")
		}
	}
}

func (a *analysis) newActivation(fn *function, self *object, chain []syntax.Node) *activation {
	act := &activation{id: int32(len(a.acts)), fn: fn, self: self, chain: chain, stale: true}
	a.acts = append(a.acts, act)
	a.grew()
	return act
}

// maxRuns bounds how often a function is analysed again in one round.
const maxRuns = 3

// maxDepth bounds how deep calls are followed at once; the others wait.
const maxDepth = 200

// analyse analyses an activation once a round, and again when its inputs have grown.
func (a *analysis) analyse(act *activation) {
	if act.active {
		if act.stale {
			a.grew()
		}
		return
	}
	if act.round == a.round && !act.stale {
		return
	}
	if a.depth >= maxDepth {
		if act.round != a.round || act.stale {
			a.pending = append(a.pending, act)
			a.changed = a.changed || act.stale
		}
		return
	}
	if act.round != a.round {
		act.runs = 0
	} else if act.runs >= maxRuns {
		a.grew()
		return
	}
	act.runs++
	act.round, act.stale, act.active = a.round, false, true
	a.depth++
	merge := a.merge
	a.merge = nil
	f := &frame{a: a, act: act, scope: act.fn.scope, pc: act.pc}
	f.start()
	f.body()
	a.growLab(&act.out, f.pc)
	a.grow(&act.exc, f.exc)
	a.merge = merge
	a.depth--
	act.active = false
}
