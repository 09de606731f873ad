package python

import "praxis/internal/language"

// flow says what becomes of the values that functions of Python are given.
func flow() *language.Flow {
	return &language.Flow{
		Shows: []string{"print", "answer", "display", "pprint", "pprint.pprint", "pp", "sys.stdout.write"},
		Passes: []string{
			"max", "min", "sum", "list", "tuple", "set", "dict", "frozenset", "zip", "array", "OrderedDict", "SimpleNamespace",
			"DataFrame", "Series", "dumps", "format", ".format", ".join",
		},
		Forms: []string{
			"abs", "round", "int", "float", "str", "repr", "sorted", "reversed", "enumerate", "Decimal", "Fraction", "fabs", "floor", "ceil", "trunc",
			"copy", "deepcopy", "literal_eval", "loads", ".items", ".values", ".keys", ".copy", ".strip", ".to_string", ".to_markdown", ".to_dict",
		},
		Stores:  []string{".append", ".extend", ".add", ".insert", ".update", ".setdefault", ".write", ".appendleft"},
		Queries: []string{"llm_query", "llm_query_batched", "rlm_query", "rlm_query_batched", "agent", "agent_batched"},
	}
}
