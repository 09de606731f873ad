// Package format turns values into text for a terminal: tables, colours, lines
// that are broken between words, JSON, and what to do about a fault. Bytes of a
// guest or of a model are made safe for a terminal here (clean.go). It writes to
// nobody and knows no terminal.
package format
