package python

// Types of what a value is for programs, in the bundles of executions that ask for it: the
// columns of a table, {"name": [value, …]}, and a figure as data, in the words of E2B's
// charts. rich.py makes them.
const (
	DataType  = "application/vnd.praxis.data+json"
	ChartType = "application/vnd.praxis.chart+json"
)
