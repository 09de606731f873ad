package skill

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"praxis/internal/safetext"
)

const maxFound = 512 << 10 // bytes of a message from a session

// Decode reads a function that code had stored, as keep_skill() shows it to the host. The
// bytes are the guest's.
func Decode(text string) (Skill, error) {
	var found struct{ Name, Description, Code, Tests string }
	if err := decode(text, &found); err != nil {
		return Skill{}, err
	}
	s := Skill{Name: found.Name, Description: strings.Join(strings.Fields(found.Description), " "), Code: found.Code, Tests: found.Tests}
	return s, s.Validate()
}

// Tested takes what a test in a session found of a skill. The bytes are the guest's: what
// cannot be stored is left out.
func (s Skill) Tested(text string) (Skill, error) {
	var found struct {
		Signature, Doc, Python string
		Packages               map[string]string
	}
	if err := decode(text, &found); err != nil {
		return s, err
	}
	s.Signature, s.Python, s.Packages = "(...)", found.Python, found.Packages
	if one := safetext.Line(found.Signature); one == found.Signature && len(one) <= maxSignature && strings.HasPrefix(one, "(") {
		s.Signature = one
	}
	if s.Description == "" {
		s.Description = safetext.OneLine(strings.Join(strings.Fields(found.Doc), " "), MaxDescription/4)
	}
	if s.Validate() != nil && s.Description != "" {
		s.Python, s.Packages = "", nil
	}
	return s, s.Validate()
}

// UsesFound takes what a session found of the skills that a skill imports. The bytes are the
// guest's.
func UsesFound(text string) ([]string, error) {
	var found struct{ Uses []string }
	if err := decode(text, &found); err != nil {
		return nil, err
	}
	if len(found.Uses) > MaxUses {
		return nil, fmt.Errorf("it uses more than %d other skills", MaxUses)
	}
	for _, name := range found.Uses {
		if err := CheckName(name); err != nil {
			return nil, err
		}
	}
	return found.Uses, nil
}

func decode(text string, into any) error {
	if len(text) > maxFound {
		return fmt.Errorf("it is longer than %s", safetext.Size(maxFound))
	}
	if json.Unmarshal([]byte(text), into) != nil {
		return errors.New("it cannot be read")
	}
	return nil
}
