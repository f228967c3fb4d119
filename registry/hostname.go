package registry

import (
	"fmt"
	"strings"

	"toolcrib/registry/jsondoc"
)

// NameProblem reports that a host does not take a tool under its name.
type NameProblem struct {
	Host    string // "MCP", "OpenAI", "Anthropic"
	Name    string // as the host would see it; untrusted
	Message string // a clause without a full stop
}

// hosts lists the characters and the length that the names of tools may have,
// where they are called: the Model Context Protocol's specification of tools
// (2025-11-25), OpenAI's function calling and Anthropic's tool use. Letters and
// digits are ASCII.
var hosts = [...]struct {
	name     string
	marks    string // allowed besides letters and digits
	max      int
	prefixed bool // a client may put the server's name before the tool's
}{
	{"MCP", "_.-", 128, false},
	{"OpenAI", "_-", 64, true},
	{"Anthropic", "_-", 128, false},
}

// NameProblems returns the hosts that would refuse a tool called name. Clients
// of several MCP servers call it "mcp__<server>__<name>"; that form is checked
// too when server is given.
func NameProblems(name, server string) []NameProblem {
	var problems []NameProblem
	for _, h := range hosts {
		seen := name
		message := refusedName(seen, h.marks, h.max)
		if message == "" && h.prefixed && server != "" {
			seen = "mcp__" + server + "__" + name
			message = refusedName(seen, h.marks, h.max)
		}
		if message != "" {
			problems = append(problems, NameProblem{Host: h.name, Name: seen, Message: message})
		}
	}
	return problems
}

// refusedName returns the problem of a name, "" when there is none.
func refusedName(name, marks string, limit int) string {
	if name == "" {
		return "the name is empty"
	}
	for _, r := range name {
		if strings.ContainsRune(lower+upper+digits+marks, r) {
			continue
		}
		return fmt.Sprintf("%s holds %s; expected letters, digits and %s", jsondoc.Quote(name), jsondoc.Quote(string(r)), marks)
	}
	if len(name) > limit {
		return fmt.Sprintf("%s has %d characters; expected at most %d", jsondoc.Quote(name), len(name), limit)
	}
	return ""
}
