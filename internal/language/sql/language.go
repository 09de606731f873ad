// Package sql is the language SQL, which the kernels of Python run: beside its variables,
// so that data frames are tables and results come back as frames.
//
// Its program is the .py files here: engine.py runs the statements of a cell, on DuckDB
// (duck.py) where the image has it, else on the SQLite of Python's standard library
// (lite.py). lexer.py finds the statements, sources.py what is a table by its name without
// being stored in the database, results.py makes the tables that are shown. docs/sql.md is
// what people read.
//
// A cell of SQL reaches the kernel as a call of Python ([Language], Translate). The kernel
// loads the program when it is first called; it has one connection, to a database in
// memory, which is part of snapshots as all of the interpreter's memory is. Errors are the
// exception SQLError, whose traceback is lines of SQL: neither the call nor the program is
// in it.
package sql

import (
	"embed"
	"strconv"
	"strings"

	"praxis/internal/language"
)

//go:embed engine.py lexer.py sources.py results.py lite.py duck.py
var files embed.FS

// Name is what records, requests and images call SQL.
const Name = "sql"

// Language returns SQL.
func Language() language.Language {
	return language.Language{
		Name:       Name,
		Display:    "SQL",
		Extensions: []string{".sql"},
		Fences:     []string{Name, "duckdb", "sqlite"},
		MIME:       "text/x-sql",
		Notebook:   language.Notebook{Kernel: "sql", Display: "SQL"},
		Highlight:  highlight,
		Incomplete: incomplete,
		Host:       "python",
		Translate:  func(code string) string { return call(code, false) },
		ReadOnly:   func(code string) string { return call(code, true) },
		Kernel:     language.Kernel{Files: program()},
		Model: language.Model{
			Hello:  "select 1 + 1",
			Beside: "Data frames and lists of dicts among the Python variables are tables by their names, and so are files in /work (sales.csv is the table sales); the result is _ in Python.",
			Library: "tables by their names: data frames and lists of dicts among the Python variables, shared values, " +
				"and files of the working folder (sales.csv is the table sales); $name is the Python variable of that name, " +
				"the result is _ in Python, and a first line \"-- name: totals\" keeps it as totals, too",
		},
	}
}

// call returns the Python code that runs code of SQL.
func call(code string, readOnly bool) string {
	option := "False"
	if readOnly {
		option = "True"
	}
	// Go's escapes mean the same in a string of Python.
	quoted := strconv.Quote(strings.ToValidUTF8(code, "\uFFFD"))
	return `__import__("sys").modules["_praxis"].run_hosted("` + Name + `", ` + quoted + ", " + option + ")"
}

// program returns the files of the program, by their paths beside the kernel's.
func program() map[string]string {
	out := map[string]string{}
	entries, err := files.ReadDir(".")
	if err != nil {
		panic("cannot list the embedded program of SQL: " + err.Error())
	}
	for _, e := range entries {
		data, err := files.ReadFile(e.Name())
		if err != nil {
			panic("cannot read the embedded program of SQL: " + err.Error())
		}
		out[Name+"/"+e.Name()] = string(data)
	}
	return out
}
