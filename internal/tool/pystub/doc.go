// Package pystub shows tools to those who write code for them: a Python 3
// signature with type hints, a docstring, a stub file (.pyi) of a namespace, the
// same as JSON for the module inside a sandbox, and one line for a prompt.
//
// # From schemas to hints
//
//	string, integer, boolean, null    str, int, bool, None
//	number                            float
//	array                             list[T]
//	object with properties            a TypedDict class, NotRequired for members that may be missing
//	object without                    dict[str, T]
//	enum                              Literal["a", "b"]
//	anyOf, oneOf, several types       A | B
//	anything else                     Any
//
// Classes are named by the schema's title, else by the property that holds
// them ("customers" holds a Customer), else by the tool ("FindResult"). The same
// shape has the same class wherever it is used; of two shapes that would have
// the same name, the later is named by its tool or gets a number.
//
// # Names
//
// A name that Python does not allow is written with underscores: "first-name"
// as first_name, "class" as class_, "2nd" as _2nd. The docstring says what is
// sent, and a [Spec] has both.
//
// An argument that has to be given may be declared behind one that may be left
// out. From there on the signature takes names only: plans count the arguments
// in declared order, Python wants those without defaults first, and a name is
// right in both.
//
// # Spec
//
// The JSON of one tool, for the module that code imports:
//
//	name, version     of the tool
//	doc               the docstring's text
//	signature         "def find(customer: str, limit: int = 10) -> list[Customer]"
//	stub              the classes and the function with its docstring, as in a file
//	parameters        in the order of positional arguments: name, type, required,
//	                  default (only when there is one), doc; python when it is written
//	                  differently there; keyword: true when only a name reaches it
//	returns           the hint of the result
//
// Everything here is pure and bounded. Texts of tools come from anywhere: what a
// terminal would act on, or nobody would see, is written as an escape.
package pystub
