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

// Longest names. A name for functions is one that every host accepts: MCP,
// OpenAI and Anthropic. Prompt tools are not functions, and only MCP names them.
const (
	maxFunctionName = 64
	maxPromptName   = 128
)

// WireName returns the one name of a tool outside of toolcrib: in prompts, exports
// and calls. It is the upstream name, with the name of the server and "_" before
// it where the id has the server's name too, so that one name on two servers is
// two. A name that not every host accepts is replaced by the id, and so is one
// that is the id of another tool. A tool that was not imported has its id.
func (t Tool) WireName() string {
	server, name := t.origin()
	wire := name
	switch t.ID {
	case ImportedID("", name), DistinctID("", name):
	case DistinctID(server, name):
		wire = server + "_" + name
		if wire == ImportedID(server, name) {
			return t.ID // another tool has this id, or this one would have it
		}
	default:
		if server != "" {
			wire = server + "_" + name
		}
	}
	if !t.portable(wire) {
		return t.ID
	}
	return wire
}

// OriginName returns the name that a tool has where it comes from, without the
// name of its server: "" when it comes from nowhere else.
func (t Tool) OriginName() string {
	_, name := t.origin()
	return name
}

// origin returns where a tool comes from, "" for no server or file, and the
// name that it has there, "" for none.
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

// portable reports whether every host that a tool may have takes a name.
func (t Tool) portable(name string) bool {
	longest, marks := maxFunctionName, "_-"
	if t.Kind == PromptTool {
		longest, marks = maxPromptName, "_-."
	}
	if name == "" || len(name) > longest {
		return false
	}
	for _, r := range name {
		if !isASCIIAlphanumeric(r) && !strings.ContainsRune(marks, r) {
			return false
		}
	}
	return true
}

func isASCIIAlphanumeric(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
}

// ImportedID makes an id in toolcrib's form from the name of a server, "" for
// none, and the name that a tool has there: "listIssues" of "@acme/tracker"
// becomes acme_tracker_list_issues. Different names can make the same id;
// DistinctID tells those apart.
func ImportedID(server, name string) string {
	words, prefix := snake(name), snake(server)
	if words == "" {
		words = "tool_" + mark(name)
	}
	if prefix != "" && words != prefix && !strings.HasPrefix(words, prefix+"_") {
		words = prefix + "_" + words
	}
	if words[0] >= '0' && words[0] <= '9' {
		words = "t_" + words
	}
	if len(words) > MaxIDLength {
		return marked(words, server+"\n"+name)
	}
	return words
}

// DistinctID is ImportedID for a name that shares its id with another one: a
// mark of the name itself tells them apart, whichever is met first.
func DistinctID(server, name string) string {
	return marked(ImportedID(server, name), server+"\n"+name)
}

// marked puts a mark of name behind an id, cutting the id where it has to.
func marked(id, name string) string {
	m := "_x" + mark(name)
	return strings.TrimRight(id[:min(len(id), MaxIDLength-len(m))], "_") + m
}

// mark is a short hash of a name.
func mark(name string) string { return HashBytes([]byte(name))[:8] }

// snake writes a name as lower-case words of ASCII letters and digits joined by
// "_"; everything else divides words, and so does a capital after a small
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

// ServerName makes the name of a server from that of a file or package: without
// folder, extension and version, in the form of an id.
func ServerName(file string) string {
	base := file[strings.LastIndexAny(file, `/\`)+1:]
	base = strings.TrimSuffix(base, ".json")
	if i := strings.LastIndexByte(base, '@'); i > 0 && i+1 < len(base) && base[i+1] >= '0' && base[i+1] <= '9' {
		base = base[:i]
	}
	return snake(base)
}

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

// FirstSentence returns the first sentence or line of s (Unicode Standard
// Annex 29).
func FirstSentence(s string) string {
	s = strings.TrimSpace(s)
	if it := sentences.FromString(s); it.Next() {
		return strings.TrimSpace(it.Value())
	}
	return s
}

// shorten returns s when it has at most limit characters, else as many whole
// words of it as fit with an ellipsis. What is seen as one character is never
// cut.
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
