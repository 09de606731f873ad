package app

import (
	"time"

	"praxis/event"
	"praxis/internal/config"
)

// Config is what a person can set once for everything.
type Config = config.Config

// LoadConfig reads the configuration that an environment names: the defaults,
// and what the person's file says over them.
func LoadConfig(getenv func(string) string) (Config, error) { return config.Load(getenv) }

// DefaultConfig returns what holds without a configuration file, over the data
// folder home; "": the one that the environment names.
func DefaultConfig(home string, getenv func(string) string) (Config, error) {
	if home == "" {
		return config.Default(getenv)
	}
	return config.Default(func(name string) string { return map[string]string{"PRAXIS_HOME": home}[name] })
}

// ConfigPath returns where the configuration file is looked for, or "" where the
// environment names no folder for it.
func ConfigPath(getenv func(string) string) string { return config.Path(getenv) }

// ParseLimit reads the value of a limit of sessions as configuration and flags
// write it, such as "512MiB" or "2". It refuses what is out of the limit's range,
// as do the functions below.
func ParseLimit(limit event.LimitSpec, text string) (float64, error) {
	return config.ParseLimit(limit, text)
}

// ParseOutput reads how much output of an execution is shown.
func ParseOutput(s string) (int64, error) { return config.Output.Parse(s) }

// ParseQuota reads a number of bytes of a quota of a server.
func ParseQuota(s string) (int64, error) { return config.Quota.Parse(s) }

// ParseTimeout reads the wall time of an execution, such as "90s" or "5m".
func ParseTimeout(s string) (time.Duration, error) { return config.Timeout.Parse(s) }

// ParseCPUTime reads the processor time of an execution.
func ParseCPUTime(s string) (time.Duration, error) { return config.CPUTime.Parse(s) }

// ParseBudget reads a part of the budget of a question, such as "5m" or "0.50".
func ParseBudget(part event.BudgetSpec, text string) (float64, error) {
	return config.ParseBudget(part, text)
}

// ParseMaxSteps reads how many turns a model may take.
func ParseMaxSteps(s string) (float64, error) { return config.MaxSteps.Parse(s) }

// ParseKeep reads how many steps of a named session stay.
func ParseKeep(s string) (float64, error) { return config.Keep.Parse(s) }
