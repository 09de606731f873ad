// Package openapi makes files of tools from OpenAPI documents, once: what it
// writes is a file like any other, to be read and changed by people.
//
// Each operation becomes a tool of the kind http. Its name is made from the
// operationId, or method and path, below the first tag. Parameters and the members
// of a JSON body or form become arguments, in the document's order; a body that
// is no plain object becomes the argument "body". GET and HEAD read; the others
// write, unless the options say otherwise. Security schemes become headers, query
// parameters or cookies with secrets, which the file declares.
//
// Schemas become JSON Schema 2020-12: references within the document go to $defs,
// nullable becomes a type, readOnly properties are not sent and writeOnly ones not
// returned. The document is taken as a tree whose members keep their order, since
// the order of properties is the order of arguments; whatever is malformed counts
// as not being there. Nothing is fetched: a reference that leaves the document
// leads nowhere. What cannot be expressed is left out with a warning.
//
// A document is data from outside. Its size, depth, number of values (aliases
// written out) and the work that its references make are bounded, and every tool
// is read back before it is written.
package openapi
