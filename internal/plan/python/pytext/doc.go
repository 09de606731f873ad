// Package pytext is how Python 3.14 writes and reads numbers and strings:
// representations, the format mini-language, printf-style and str.format
// templates, literals, arithmetic of floats, the character database and codecs.
// It knows Go's types only (int64, *big.Int, float64, string), keeps no state
// and does no I/O.
//
// # Strings
//
// A Python string is a Go string of UTF-8: there are no lone surrogates. Functions
// take such a string for granted and do not fail on another: a byte that fits
// nowhere counts as U+FFFD.
//
// # Errors and bounds
//
// What Python would raise is an [*Error] with the exception's type and
// CPython's text. A function whose output may be far longer than its input
// takes a limit in bytes and returns [ErrTooLong] before it allocates more; the
// output of the others is at most a small multiple of the input. No function
// changes a big.Int that it is given.
//
// # Contents
//
// Text: [RuneCount], [Offset], [IsASCII],
// [AppendReprStr], [AppendASCII], [AppendReprBytes]; [StrIsAlpha] and
// its like, [Upper], [Lower], [Title], [Capitalize], [SwapCase], [CaseFold];
// [IsSpace], [IsLineBreak], [IsPrintable], [IsIDStart].
//
// Numbers: [ParseInt], [ParseFloat], [ParseFloatHex]; [AppendInt], [AppendBig],
// [AppendFloat], [AppendFloatHex];
// [FloatDiv], [FloatMod], [FloatDivMod], [FloatPow], [BigTrueDiv];
// [RoundFloat], [RoundInt], [FloatToInt], [BigToFloat], [Ratio],
// [CompareIntFloat], [CompareBigFloat]; [HashInt], [HashBig], [HashFloat];
// [Sum] for the builtin sum, [ExactSum] for math.fsum, [Hypot], and
// [Exp], [Log], [Sin] and the like, which give C's last digits where Go's
// package math gives others.
//
// Formatting: [ParseSpec], then [FormatInt], [FormatBig], [FormatFloat] or
// [FormatStr]; [ParsePercent] and [ParseTemplate] for the
// operator % and str.format.
//
// Bytes: [Encode], [Decode].
package pytext
