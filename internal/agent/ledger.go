package agent

import (
	"strconv"
	"sync"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/safetext"
)

// Ledger is the account that a run and its children, at any depth, draw from together: what
// one of them uses, the others have no more. It is safe for concurrent use.
//
// Each run of a tree is bounded by the budget that it was begun with, which is the same for
// all of them, and by what stands here. MaxSteps is that of each run alone; the steps of a
// tree have a part of the budget of their own.
type Ledger struct {
	mu       sync.Mutex
	used     Usage
	reserved event.Tokens // by requests of queries that are under way
	shared   bool
	change   chan struct{} // closed when something that was reserved is given back
}

// Usage is what a tree of runs has used so far.
type Usage struct {
	Steps    int
	Children int // that were begun
	Calls    int // of tools
	Tokens   event.Tokens
	USD      float64
	Executed time.Duration // by code, without the time in which it waited for children
	Began    time.Time     // when the first run began to count; zero: none did
}

// NewLedger makes an empty account.
func NewLedger() *Ledger { return &Ledger{change: make(chan struct{})} }

// Share says that children draw from the account, too. A replay of a run cannot count again
// what its siblings had used at any moment, so that each end by a part of such a budget is
// recorded and taken from the record. It is called before the run begins.
func (l *Ledger) Share() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.shared = true
}

// Shared says whether Share was called.
func (l *Ledger) Shared() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.shared
}

// Usage returns what is used, with what is reserved by requests that are under way.
func (l *Ledger) Usage() Usage {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := l.used
	out.Tokens = out.Tokens.Add(l.reserved)
	return out
}

// Start starts the clock, unless it runs already: at the first run's begin, or before it at
// that of a whole whose parts have one end.
func (l *Ledger) Start(at time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.used.Began.IsZero() {
		l.used.Began = at
	}
}

// Pay counts tokens and what they cost.
func (l *Ledger) Pay(t event.Tokens, usd float64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.used.Tokens, l.used.USD = l.used.Tokens.Add(t), l.used.USD+usd
}

// Add counts what a child had used that is not run again.
func (l *Ledger) Add(u Usage) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.used.Steps, l.used.Children, l.used.Calls = l.used.Steps+u.Steps, l.used.Children+u.Children, l.used.Calls+u.Calls
	l.used.Tokens, l.used.USD, l.used.Executed = l.used.Tokens.Add(u.Tokens), l.used.USD+u.USD, l.used.Executed+u.Executed
}

func (l *Ledger) step() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.used.Steps++
}

func (l *Ledger) executed(d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.used.Executed += max(d, 0)
}

// Call counts a call of a tool, if b allows one more in the whole tree.
func (l *Ledger) Call(b Budget) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if b.Calls > 0 && l.used.Calls >= b.Calls {
		return false
	}
	l.used.Calls++
	return true
}

// BeginChild counts a child, if b allows one more in the whole tree. depth is that of the
// child; one that is no run has that of its caller, which may be 0.
func (l *Ledger) BeginChild(b Budget, depth int) error {
	if depth > b.Depth {
		return fault.Coded(fault.DepthReached, fault.Data{"limit": strconv.Itoa(b.Depth)}, "cannot begin a run at the depth %d: the limit is %d", depth, b.Depth)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.used.Children >= b.SubCalls {
		return fault.Coded(fault.SubCallsUsedUp, fault.Data{"limit": strconv.Itoa(b.SubCalls)}, "cannot make one more sub-call: a run may make %d with all that it begins", b.SubCalls)
	}
	l.used.Children++
	return nil
}

// leastReply are the tokens of the shortest reply that is worth asking for.
const leastReply = 64

// Hold reserves what a single request may use: so many tokens of input, and a reply of at
// most reply tokens. It returns the tokens that the reply may have, fewer when little is
// left, and release, which is called with what the request really used. So the requests of
// a tree, however many are under way, never use more than the tree may. A request that
// would fit once others have given back what they reserve waits for them; done ends the wait.
func (l *Ledger) Hold(b Budget, input, reply int, cost func(event.Tokens) float64, done <-chan struct{}) (most int, release func(event.Tokens), err error) {
	for {
		l.mu.Lock()
		most, err = l.fits(b, l.used.Tokens.Add(l.reserved), input, reply, cost)
		if err == nil {
			break
		}
		_, later := l.fits(b, l.used.Tokens, input, reply, cost)
		change := l.change
		l.mu.Unlock()
		if later != nil {
			return 0, nil, err
		}
		select {
		case <-change:
		case <-done:
			return 0, nil, fault.New(fault.Canceled, "", "the request was given up")
		}
	}
	reserved := event.Tokens{Input: input, Output: most}
	l.reserved = l.reserved.Add(reserved)
	l.mu.Unlock()
	var once sync.Once
	return most, func(used event.Tokens) {
		once.Do(func() {
			usd := 0.0
			if cost != nil {
				usd = cost(used)
			}
			l.mu.Lock()
			defer l.mu.Unlock()
			l.reserved.Input, l.reserved.Output = l.reserved.Input-reserved.Input, l.reserved.Output-reserved.Output
			l.used.Tokens, l.used.USD = l.used.Tokens.Add(used), l.used.USD+usd
			close(l.change)
			l.change = make(chan struct{})
		})
	}, nil
}

// fits says how long a reply can be when so much is used. The caller holds mu.
func (l *Ledger) fits(b Budget, used event.Tokens, input, reply int, cost func(event.Tokens) float64) (int, error) {
	lacks := func(most int, what string) error {
		limit := safetext.Number(most) + " " + what
		return fault.Coded(fault.TokensUsedUp, fault.Data{"limit": limit}, "cannot ask a model within %s: %s are used or reserved, and the request needs %s",
			limit, safetext.Number(used.Total()), safetext.Number(input+min(reply, leastReply)))
	}
	least := min(reply, leastReply)
	if b.Input > 0 && used.Input+input > b.Input {
		return 0, lacks(b.Input, "tokens of input")
	}
	if b.Output > 0 {
		if reply = min(reply, b.Output-used.Output); reply < least {
			return 0, lacks(b.Output, "tokens of output")
		}
	}
	if b.Run > 0 {
		if reply = min(reply, b.Run-used.Total()-input); reply < least {
			return 0, lacks(b.Run, "tokens")
		}
	}
	if b.Cost > 0 && cost != nil {
		left := b.Cost - l.used.USD - cost(event.Tokens{Input: used.Input - l.used.Tokens.Input, Output: used.Output - l.used.Tokens.Output})
		if one := cost(event.Tokens{Output: 1000}) / 1000; one > 0 {
			reply = min(reply, int(max(0, left-cost(event.Tokens{Input: input}))/one))
		}
		if reply < least {
			limit := "$" + strconv.FormatFloat(b.Cost, 'f', 4, 64)
			return 0, fault.Coded(fault.CostUsedUp, fault.Data{"limit": limit}, "cannot ask a model within %s: $%s are left", limit, strconv.FormatFloat(max(left, 0), 'f', 4, 64))
		}
	}
	return reply, nil
}
