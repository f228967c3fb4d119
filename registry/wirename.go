// This file derives the names of tools outside of toolcrib and the ids of imported
// tools.

package registry

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"
	"github.com/clipperhouse/uax29/v2/sentences"

	"toolcrib/registry/jsondoc"
)

// WireName returns the only name of a tool outside of toolcrib: in prompts, exports
// and calls. It is the name at the source. If the id contains the name of the
// server, the name starts with the server and "_", so that equal names on two
// servers differ. If not every host accepts this name, or if it is the id of
// another tool, the id is used instead. Tools that were not imported use their id.
func (t Tool) WireName() string {
	server, name := t.origin()
	wire := name
	switch t.ID {
	case ImportedID("", name), DistinctID("", name):
	case DistinctID(server, name):
		wire = server + "_" + name
		if wire == ImportedID(server, name) {
			return t.ID // it is the id of another tool
		}
	default:
		if server != "" {
			wire = server + "_" + name
		}
	}
	marks, limit := "_-", 64 // what every host in hosts accepts
	if t.Kind == PromptTool {
		marks, limit = "_-.", 128 // only MCP has prompts
	}
	if refusedName(wire, marks, limit) != "" {
		return t.ID
	}
	return wire
}

// OriginName returns the name of a tool at its source, without the server, or "" if
// the tool was not imported.
func (t Tool) OriginName() string {
	_, name := t.origin()
	return name
}

// origin returns the server or file that a tool comes from and its name there,
// either of which may be "".
func (t Tool) origin() (label, name string) {
	if t.Source != nil {
		label, name, _ = strings.Cut(t.Source.Ref, "#")
	}
	if p := t.Provider; p != nil && p.Name != "" {
		switch {
		case p.Type == ProviderMCP:
			return p.Server, p.Name
		case p.Type == ProviderHTTP && name == "":
			return "", p.Name
		}
	}
	return label, name
}

// ImportedID derives an id from the name of a server, which may be "", and the name
// of a tool there: "listIssues" of "@acme/tracker" becomes
// acme_tracker_list_issues. Different names can result in the same id; DistinctID
// distinguishes these.
func ImportedID(server, name string) string {
	words, prefix := snake(name), snake(server)
	if words == "" {
		words = "tool_" + shortHash(name)
	}
	if prefix != "" && words != prefix && !strings.HasPrefix(words, prefix+"_") {
		words = prefix + "_" + words
	}
	if words[0] >= '0' && words[0] <= '9' {
		words = "t_" + words
	}
	if len(words) > MaxIDLength {
		return withSuffix(words, server+"\n"+name)
	}
	return words
}

// DistinctID returns ImportedID with a suffix derived from the names, for names
// whose ImportedID is taken. The suffix does not depend on the order of imports.
func DistinctID(server, name string) string {
	return withSuffix(ImportedID(server, name), server+"\n"+name)
}

// withSuffix appends a hash of name to an id and shortens the id if necessary.
func withSuffix(id, name string) string {
	m := "_x" + shortHash(name)
	return strings.TrimRight(id[:min(len(id), MaxIDLength-len(m))], "_") + m
}

// shortHash returns a short hash of a name.
func shortHash(name string) string { return HashBytes([]byte(name))[:8] }

// snake converts a name to lower-case words of ASCII letters and digits joined by
// "_". All other characters separate words, and so does a capital after a small
// letter.
func snake(name string) string {
	var b strings.Builder
	last := '_'
	runes := []rune(name)
	for i, r := range runes {
		letter := r <= unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r))
		next := i+1 < len(runes) && unicode.IsLower(runes[i+1])
		boundary := unicode.IsUpper(r) && (unicode.IsLower(last) || unicode.IsDigit(last) || unicode.IsUpper(last) && next)
		if (!letter || boundary) && b.Len() > 0 && !strings.HasSuffix(b.String(), "_") {
			b.WriteByte('_')
		}
		if letter {
			b.WriteRune(unicode.ToLower(r))
		}
		last = r
	}
	return strings.TrimRight(b.String(), "_")
}

// ServerName derives the name of a server from the name of a file or package:
// without folder, extension and version, in the form of an id.
func ServerName(file string) string {
	base := file[strings.LastIndexAny(file, `/\`)+1:]
	base = strings.TrimSuffix(base, ".json")
	if i := strings.LastIndexByte(base, '@'); i > 0 && i+1 < len(base) && base[i+1] >= '0' && base[i+1] <= '9' {
		base = base[:i]
	}
	return snake(base)
}

// NameProblem reports that a host does not accept the name of a tool.
type NameProblem struct {
	Host    string // "MCP", "OpenAI", "Anthropic"
	Name    string // as the host receives it; untrusted
	Message string // a clause without a full stop
}

// hosts lists the rules for names of tools: of the Model Context Protocol
// (specification 2025-11-25), OpenAI's function calling and Anthropic's tool use.
// All accept ASCII letters and digits.
var hosts = [...]struct {
	name     string
	marks    string // allowed in addition to letters and digits
	max      int
	prefixed bool // a client may put the server's name before the tool's
}{
	{"MCP", "_.-", 128, false},
	{"OpenAI", "_-", 64, true},
	{"Anthropic", "_-", 128, false},
}

// NameProblems returns the hosts that refuse a tool with the given name. Clients of
// several MCP servers call a tool "mcp__<server>__<name>"; this form is also
// checked if server is not "".
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

// refusedName returns the problem of a name, or "".
func refusedName(name, marks string, limit int) string {
	if name == "" {
		return "the name is empty"
	}
	if rest := strings.TrimLeft(name, lower+upper+digits+marks); rest != "" {
		r, _ := utf8.DecodeRuneInString(rest)
		return fmt.Sprintf("%s contains %s; expected letters, digits and %s", jsondoc.Quote(name), jsondoc.Quote(string(r)), marks)
	}
	if len(name) > limit {
		return fmt.Sprintf("%s must not exceed %[3]d characters (got %[2]d)", jsondoc.Quote(name), len(name), limit)
	}
	return ""
}

// FirstSentence returns the first sentence or line of s (Unicode Standard Annex
// 29).
func FirstSentence(s string) string {
	s = strings.TrimSpace(s)
	if it := sentences.FromString(s); it.Next() {
		return strings.TrimSpace(it.Value())
	}
	return s
}

// shorten returns s if it has at most limit characters, and otherwise as many whole
// words as fit, with an ellipsis. It does not split grapheme clusters.
func shorten(s string, limit int) string {
	if utf8.RuneCountInString(s) <= limit {
		return s
	}
	end, used := 0, 0
	for it := graphemes.FromString(s); it.Next(); end += len(it.Value()) {
		if used += utf8.RuneCountInString(it.Value()); used > limit-1 {
			break
		}
	}
	cut := s[:end]
	if i := strings.LastIndexByte(cut, ' '); i > len(cut)/2 && s[end] != ' ' {
		cut = cut[:i]
	}
	return strings.TrimRight(cut, " ,;:") + "…"
}
