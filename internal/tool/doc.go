// Package tool says what a tool is: its name, version, schemas, effects and
// labels, and the contract of what runs one. It only defines; nothing here calls
// a tool, reads a file or fetches anything. Files of tools are read in
// [praxis/internal/tool/toolfile], schemas are those of
// [praxis/internal/tool/schema], values those of [praxis/internal/tool/jsondoc].
//
// # What others use
//
//   - [NewSet], [Set.Lookup], [Set.Resolve], [Set.Namespace], [Set.Suggest], [Set.Input], [Set.Principals]
//   - [Definition]: its fields; [Definition.Arguments], [Definition.Bind], [BindArgs], [Definition.FillDefaults],
//     [Definition.CheckArguments], [Definition.CheckResult], [Definition.Hash], [Definition.Signature],
//     [Definition.RedactArguments], [Definition.Rehearse]
//   - [Labels], [Labels.Demand], [Readers.Static] (before a run), [Readers.Resolve] (of one call)
//   - [Compatible] for changes of a definition
//   - [Implementation], [Kind] and [Server]: what runs tools
package tool
