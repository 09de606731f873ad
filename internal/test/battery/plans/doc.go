// Package plans tries plans: harmless tasks, which must not be stopped, and
// hostile ones, which must not get through. It holds tests alone; the programs
// are in testdata.
package plans
