package lint

import (
	"bytes"
	"path/filepath"
	"regexp"
	"strings"

	"toolcrib/cli/findings"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/mdfile"
	"toolcrib/review/rules"
)

// frontKey is a line with a key of front matter, which text between two thematic breaks
// has not.
var frontKey = regexp.MustCompile(`(?m)^["']?[a-z][\w-]*["']?[ \t]*:(?:\s|$)`)

// frontFaults reports front matter that clients cannot read: they leave it out without a
// word, and with it what it restricts. The text below it is judged all the same.
func frontFaults(name string, data []byte) []findings.Finding {
	front, lines := frontLines(data)
	if lines == 0 {
		return openFront(name, data)
	}
	if !frontKey.Match(front) && !isSkill(name) {
		return nil
	}
	faults, lenient := mdfile.FrontFaults(strings.ReplaceAll(string(front), "\r\n", "\n"), 2)
	severity, advice := rules.Block, "Correct this place: clients leave out front matter that they cannot read."
	if lenient {
		if strings.HasSuffix(strings.ToLower(name), ".mdc") {
			return nil // Cursor itself writes them like this
		}
		severity, advice = rules.Info, "Put the value in quotes: only some clients read it as it is."
	}
	var found []findings.Finding
	for _, p := range faults {
		p.Message = "Front matter: " + p.Message
		f := unreadable(name, p, severity)
		f.Suggestion = advice
		found = append(found, f)
	}
	return found
}

// openFront reports front matter without its second fence.
func openFront(name string, data []byte) []findings.Finding {
	first, rest, _ := bytes.Cut(bytes.TrimPrefix(data, []byte("\ufeff")), []byte("\n"))
	second, _, _ := bytes.Cut(rest, []byte("\n"))
	if string(bytes.TrimRight(first, " \t\r")) != "---" || !frontKey.Match(second) {
		return nil
	}
	f := unreadable(name, jsondoc.Problem{Pos: jsondoc.Pos{Line: 1, Column: 1}, Message: "The front matter has no end"}, rules.Block)
	f.Suggestion = "Close it with a line of three hyphens: clients read all of the file as text."
	return []findings.Finding{f}
}

// unreadable makes a finding out of a fault of a file's format.
func unreadable(name string, p jsondoc.Problem, severity rules.Severity) findings.Finding {
	message := p.Message
	if !strings.HasSuffix(message, "?") {
		message += "."
	}
	return findings.Finding{
		Rule: UnreadableRule, Name: unreadableName, Severity: string(severity), File: name, Subject: name,
		Line: p.Pos.Line, Column: p.Pos.Column, Path: p.Path, Message: message,
	}
}

// isSkill reports whether a file makes its folder a skill.
func isSkill(name string) bool { return filepath.Base(name) == registry.SkillFile }
