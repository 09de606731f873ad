package guest

import (
	"slices"

	"praxis/internal/guest/wire"
	"praxis/internal/language"
)

// Kernel says to a guest how the kernel of a language is started with the
// runtime that an image has.
func Kernel(l language.Language, r language.Runtime) wire.Kernel {
	k := l.Kernel
	return wire.Kernel{
		Language:           l.Name,
		Command:            append([]string{r.Program}, k.Arguments...),
		Program:            k.Program,
		Files:              k.Files,
		Environment:        k.Environment,
		Deterministic:      k.Deterministic,
		SearchVariable:     k.SearchVariable,
		SearchFolder:       k.SearchFolder,
		Preload:            append(slices.Clone(k.Preload), r.Preload...),
		MemoryException:    k.MemoryException,
		InterruptException: k.InterruptException,
		CrashBegins:        k.Crash.Begins,
		CrashHidden:        k.Crash.Hidden,
		CrashMemory:        k.Crash.Memory,
		Reserve:            k.Reserve,
		Framed:             k.Framed,
	}
}
