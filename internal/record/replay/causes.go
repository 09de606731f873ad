package replay

import (
	"strings"

	"praxis/event"
	"praxis/internal/lazyregexp"
)

// causeRules are what code may read that is another thing from run to run.
// without says that a seed settles it.
var causeRules = []struct {
	pattern *lazyregexp.Regexp
	without bool
	text    string
}{
	{lazyregexp.New(`\btime\.(?:time|time_ns|ctime|localtime|gmtime|strftime|asctime)\(|\b(?:now|utcnow|today)\(|\bTimestamp\(\s*["'](?:now|today)|\bdatetime64\(\s*["'](?:now|today)`),
		true, "it may read the time of day"},
	{lazyregexp.New(`\b(?:perf_counter|monotonic|process_time|thread_time)(?:_ns)?\(|\btimeit\b|\bgetrusage\(`),
		true, "it may measure time"},
	{lazyregexp.New(`\b(?:random|rand|randn|randint|randrange|shuffle|choice|choices|default_rng|permutation|normal|uniform|getrandbits|RandomState)\(|\.sample\(|\brandom_state\s*=\s*None`),
		true, "it may use randomness without a seed"},
	{lazyregexp.New(`\b(?:secrets|uuid)\.|\burandom\(|\buuid[14]\(|\bSystemRandom\b|\bNamedTemporaryFile\(|\bmkdtemp\(|\bmkstemp\(`),
		true, "it may use names or numbers that are made up at random"},
	{lazyregexp.New(`\bset\(|\bfrozenset\(|\bhash\(|\{\s*\w+\s+for\s`),
		true, "it may depend on the order of a set or on hash(), which vary without a seed"},
	{lazyregexp.New(`\b(?:threading|concurrent\.futures|ThreadPoolExecutor|ProcessPoolExecutor|multiprocessing|asyncio|joblib|n_jobs)\b|\bThread\(`),
		false, "it may depend on the order in which threads or processes run"},
	{lazyregexp.New(`\bid\(|__repr__\b|\bobject at 0x`),
		true, "it may show addresses in memory"},
	{lazyregexp.New(`\b(?:getpid|getppid|get_ident|get_native_id)\(`),
		true, "it may show numbers of processes or threads"},
	{lazyregexp.New(`\bst_[mca]time\b|\bget[mca]time\(|\bos\.stat\(|\.stat\(\)`),
		true, "it may read times of files"},
	{lazyregexp.New(`\b(?:listdir|scandir|iterdir|i?glob|rglob|walk)\(`),
		false, "it may depend on the order in which a folder is listed"},
	{lazyregexp.New(`\b(?:virtual_memory|cpu_count|getloadavg|cpu_percent|memory_info|disk_usage)\(|/proc/`),
		false, "it may read how much of the machine is free or used"},
	{lazyregexp.New(`\bsavefig\(|\bto_excel\(|\bZipFile\(|\bgzip\.|\btarfile\.|\bpickle\.dump`),
		true, "it may write files that hold the time or an order"},
}

var (
	commentRE = lazyregexp.New(`(?m)^\s*#.*$`)
	seededRE  = lazyregexp.New(`\bseed\(\s*[^)\s]|\bdefault_rng\(\s*[^)\s]|\bRandomState\(\s*[^)\s]|\brandom_state\s*=\s*\d|\bRandom\(\s*[^)\s]`)
	addressRE = lazyregexp.New(`\b0x[0-9a-f]{8,16}\b`)
)

const randomRule = "it may use randomness without a seed"

// Causes guesses from its text why code may do another thing when it is run
// again. It knows no Python: what it names may be harmless, and what it does
// not name may be the cause. seeded says that the session had a seed, which
// settles what is random, the clocks and addresses.
func Causes(code string, seeded bool) []string {
	code = commentRE.ReplaceAllString(code, "")
	var out []string
	for _, rule := range causeRules {
		if rule.without && seeded || rule.text == randomRule && seededRE.MatchString(code) {
			continue
		}
		if rule.pattern.MatchString(code) {
			out = append(out, rule.text)
		}
	}
	return out
}

// statusCauses guesses from how an execution ended.
func statusCauses(x Execution) []string {
	switch {
	case x.Ended == nil:
		return []string{"the recording ends while this code runs"}
	case x.Ended.Status == event.Interrupted:
		return []string{"the code was interrupted, which a replay does not repeat"}
	case x.Ended.Limit == event.WallTime || x.Ended.Limit == event.CPUTime || x.Ended.Status == event.Timeout:
		return []string{"a limit of time ended the code, and how far it came by then may differ"}
	case x.Ended.Limit == event.MemoryUse:
		return []string{"a limit of memory ended the code, and how far it came by then may differ"}
	}
	return nil
}

// addressed says whether what a step gave shows addresses in memory.
func addressed(s Step) bool {
	for _, x := range s.Executions {
		if x.Ended == nil {
			continue
		}
		texts := []string{x.Ended.Stdout, x.Ended.Stderr, x.Ended.Result["text"], raisedText(x.Ended.Error)}
		if addressRE.MatchString(strings.Join(texts, "\n")) {
			return true
		}
	}
	return false
}
