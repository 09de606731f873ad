// Package worlds runs plans in two worlds that differ in nothing but what untrusted
// tools return, and compares what somebody sees who sees trusted data alone: calls
// whose control label is trusted, with their trusted arguments and with which of
// them are not, what is printed, and how the plan ends. What the check proved safe
// must not be denied. It holds tests alone.
//
// Some of the plans are written by hand, most are generated. What a plan of mode
// normal may reveal by its own branches is documented, so those of that mode have
// none. A plan that behaves differently in the two worlds is made as short as
// possible and printed with its seed.
package worlds
