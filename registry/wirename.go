package registry

import "strings"

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
