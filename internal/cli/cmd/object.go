package cmd

import (
	"strings"

	"github.com/spf13/cobra"
)

// oneObject adds the flag of a command that prints one object.
func oneObject(cmd *cobra.Command, v *bool) *cobra.Command {
	cmd.Flags().BoolVar(v, "json", false, "print one JSON object instead")
	return cmd
}

// objectLines adds the flag of a command that prints an object for each of its things.
func objectLines(cmd *cobra.Command, v *bool) *cobra.Command {
	cmd.Flags().BoolVar(v, "json", false, "print one JSON object a line")
	return cmd
}

// removed is the object of what is there no longer.
type removed struct {
	Removed string `json:"removed"`
}

// sessionAt is the object of a session or thread that was changed.
type sessionAt struct {
	Name   string `json:"name"`
	Forked string `json:"forked,omitempty"`
	Was    string `json:"was,omitempty"`  // its name before
	Head   string `json:"head,omitempty"` // the snapshot that it goes on from
}

// done prints what a command did: its object, or the sentence for a person.
func (p *program) done(asJSON bool, object any, text string) error {
	if asJSON {
		return p.printJSON(object)
	}
	return p.emit(text)
}

// textObject is the object of a command whose output is a document.
type textObject struct {
	Text string `json:"text"`
}

// document prints a text that stands for itself, or an object that holds it.
func (p *program) document(asJSON bool, text string) error {
	return p.done(asJSON, textObject{strings.TrimRight(text, "\n")}, text)
}
