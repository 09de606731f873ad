package action

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"praxis/internal/lazyregexp"
)

const maxTags = 32 // that are read; what keeps notes has a bound of its own

var (
	// tagsRE is the line of a note that names its tags.
	tagsRE = lazyregexp.New(`(?i)^[ \t]*(?:tags|labels|keywords)[ \t]*[:=][ \t]*(.*)$`)
	// labelRE is what models write before a text that stands alone anyway.
	labelRE   = lazyregexp.New(`(?i)^[ \t]*(?:text|note|query|search|words)[ \t]*[:=][ \t]*`)
	pointerRE = lazyregexp.New(`(?i)\b[0-9a-f]{6,64}\b`)
	partRE    = lazyregexp.New(`(?i)\bpart\b[^0-9\n]{0,4}([0-9]{1,9})|(?:^|\s)([0-9]{1,5})(?:\s|$)`)
)

// kindOfMemory knows the tags of blocks and elements that use the memory.
func kindOfMemory(tag string) Kind {
	switch strings.ReplaceAll(tag, "-", "_") {
	case ToolSave, "note", "remember", "memo":
		return Save
	case ToolSearch, "search_note", "recall", "notes":
		return Search
	case ToolHistory, "history":
		return History
	}
	return 0
}

// fromBlock reads a fenced block or an element that uses the memory.
func fromBlock(p piece) (Action, error) {
	kind := kindOfMemory(p.tag)
	body := strings.TrimSpace(p.text)
	if strings.HasPrefix(body, "{") && strings.HasSuffix(body, "}") {
		if input, _, err := decode(body, grammar{}.wanted(kind)); err == nil && input != nil {
			return fromInput(input, kind, toolOf(kind))
		}
	}
	switch kind {
	case Save:
		text, tags := noteBlock(body, p.info)
		return finishMemory(Action{Kind: Save, Text: text, Tags: tags}, toolOf(kind))
	case Search:
		if body == "" {
			body = p.info
		}
		return finishMemory(Action{Kind: Search, Text: labelRE.ReplaceAllString(body, "")}, toolOf(kind))
	default:
		return fromPointer(p.info + "\n" + body)
	}
}

func toolOf(kind Kind) string {
	switch kind {
	case Save:
		return ToolSave
	case Search:
		return ToolSearch
	case History:
		return ToolHistory
	}
	return ToolAnswer
}

// noteBlock takes the tags off a note: behind the fence's tag, or in its first
// or its last line.
func noteBlock(body, info string) (text string, tags []string) {
	if m := tagsRE.FindStringSubmatch(info); m != nil {
		info = m[1]
	}
	tags = splitTags(info)
	lines := strings.Split(body, "\n")
	if m := tagsRE.FindStringSubmatch(lines[len(lines)-1]); m != nil {
		tags, lines = append(tags, splitTags(m[1])...), lines[:len(lines)-1]
	}
	if len(lines) > 0 {
		if m := tagsRE.FindStringSubmatch(lines[0]); m != nil {
			tags, lines = append(tags, splitTags(m[1])...), lines[1:]
		}
	}
	if len(lines) > 0 {
		lines[0] = labelRE.ReplaceAllString(lines[0], "")
	}
	return strings.TrimSpace(strings.Join(lines, "\n")), tags
}

// splitTags reads tags that are separated by commas or, when they have a mark
// each or there is no comma, by blanks.
func splitTags(text string) []string {
	text = strings.Trim(strings.TrimSpace(text), "[]{}()")
	parts := strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ';' })
	if len(parts) == 1 {
		parts = strings.Fields(text)
	}
	var out []string
	for _, t := range parts {
		if t = strings.Trim(strings.TrimSpace(t), "\"'`#"); t != "" && len(out) < maxTags {
			out = append(out, t)
		}
	}
	return out
}

// fromPointer reads a pointer and a part out of a text.
func fromPointer(text string) (Action, error) {
	a := Action{Kind: History, Part: 1, Call: -1}
	a.Text = strings.ToLower(pointerRE.FindString(text))
	if a.Text != "" {
		text = strings.Replace(text, pointerRE.FindString(text), " ", 1)
	}
	if m := partRE.FindStringSubmatch(text); m != nil {
		n, err := strconv.Atoi(m[1] + m[2])
		if err != nil || n < 1 {
			return Action{}, reject("parts of the history count from 1")
		}
		a.Part = n
	}
	return a, nil
}

// fromInput reads the input of a native call that uses the memory.
func fromInput(input map[string]any, kind Kind, name string) (Action, error) {
	if kind == History {
		return historyInput(input)
	}
	text, ok := grammar{}.argument(input, kind) // no code is looked for
	if !ok {
		return Action{}, reject("the call of %s lacks the argument %q", name, want(kind))
	}
	a := Action{Kind: kind, Text: text}
	if kind == Save {
		a.Tags = tagsInput(input)
	}
	return finishMemory(a, name)
}

func tagsInput(input map[string]any) []string {
	for _, n := range []string{"tags", "labels", "keywords", "tag"} {
		switch v := input[n].(type) {
		case string:
			return splitTags(v)
		case []any:
			var out []string
			for _, t := range v {
				if s, ok := t.(string); ok && strings.TrimSpace(s) != "" && len(out) < maxTags {
					out = append(out, strings.TrimSpace(s))
				}
			}
			return out
		}
	}
	return nil
}

func historyInput(input map[string]any) (Action, error) {
	a := Action{Kind: History, Part: 1, Call: -1}
	for _, n := range []string{"pointer", "id", "hash", "whole", "text"} {
		if s, ok := input[n].(string); ok {
			a.Text = strings.ToLower(strings.TrimSpace(s))
			break
		}
	}
	for _, n := range []string{"part", "page", "index"} {
		switch v := input[n].(type) {
		case nil:
			continue
		case float64:
			if v != math.Trunc(v) || v < 1 || v > 1e9 {
				return Action{}, reject("the argument %q is %v: parts of the history count from 1", n, v)
			}
			a.Part = int(v)
		default:
			p, err := strconv.Atoi(strings.TrimSpace(fmt.Sprint(v)))
			if err != nil || p < 1 {
				return Action{}, reject("the argument %q is not a number that counts from 1", n)
			}
			a.Part = p
		}
		break
	}
	return a, nil
}

func finishMemory(a Action, name string) (Action, error) {
	a.Text, a.Call = strings.TrimSpace(a.Text), -1
	if a.Text == "" {
		return Action{}, reject("the %s of %s is empty", want(a.Kind), name)
	}
	if len(a.Text) > MaxCode {
		return Action{}, reject("the %s of %s is %d bytes long, and the bound is %d", want(a.Kind), name, len(a.Text), MaxCode)
	}
	return a, nil
}
