package lint

import (
	"path/filepath"
	"strings"

	"toolcrib/cli/findings"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/review/rules"
)

// unreadable makes a finding out of a fault of a file's format.
func unreadable(name string, p jsondoc.Problem) findings.Finding {
	message := p.Message
	if !strings.HasSuffix(message, "?") {
		message += "."
	}
	return findings.Finding{
		Rule: UnreadableRule, Name: unreadableName, Severity: string(rules.Block), File: name, Subject: name,
		Line: p.Pos.Line, Column: p.Pos.Column, Path: p.Path, Message: message,
	}
}

// isSkill reports whether a file makes its folder a skill.
func isSkill(name string) bool { return filepath.Base(name) == registry.SkillFile }
