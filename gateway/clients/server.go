package clients

import (
	"regexp"
	"strings"
)

// Transport is how a client speaks to a server.
type Transport string

// The transports. A URL without a word on the transport is HTTP, as clients try
// that first.
const (
	Stdio Transport = "stdio"
	HTTP  Transport = "http"
	SSE   Transport = "sse"
)

// Variable is an environment variable or an HTTP header. Its value may be a
// secret, or a reference to one.
type Variable struct{ Name, Value string }

// Server is a server that a client starts or connects to.
type Server struct {
	Name     string
	Project  string // the folder that the entry is for; "" for everywhere the file counts
	Line     int    // where the entry begins
	Disabled bool

	Transport Transport
	Command   string
	Args      []string
	Dir       string
	Env       []Variable
	Inherit   []string // names of variables that are passed on

	URL      string
	Headers  []Variable
	TokenEnv string // the variable that holds the bearer token
}

// reference matches what clients replace: ${VAR}, ${env:VAR}, ${input:ID} of
// most, {env:VAR} and {file:PATH} of opencode, ${{ secrets.X }} of Continue.
var reference = regexp.MustCompile(`\$\{\{[^}]*\}\}|\$\{[^}]*\}|\{(?:env|file):[^}]*\}`)

// readServer reads an entry. The clients agree on "command" and "url" and have
// other names for the rest; no two give one name different meanings, apart from
// Gemini CLI, whose "url" is SSE and whose "httpUrl" is HTTP.
func readServer(name string, n *node, d dialect) (Server, string) {
	s := Server{Name: name, Disabled: n.get("disabled").is("true") || n.get("enabled").is("false")}
	if n.kind != object {
		return s, "is no object"
	}
	command := n.get("command")
	switch {
	case command == nil:
	case command.kind == list: // opencode
		if words := command.strings(); len(words) > 0 {
			s.Command, s.Args = words[0], words[1:]
		}
	case command.kind == object: // Zed, before 2025-06
		s.Command, s.Args = command.get("path").string(), command.get("args").strings()
		s.Env = variables(command.get("env"))
	default:
		s.Command = command.string()
	}
	s.Args = append(s.Args, n.get("args").strings()...)
	s.Dir = n.get("cwd").string()
	s.Env = append(s.Env, variables(first(n, "env", "environment"))...)
	s.Inherit = n.get("env_vars").strings()
	s.URL = first(n, "url", "serverUrl", "httpUrl").string()
	s.Headers = variables(first(n, "headers", "http_headers"))
	s.Headers = append(s.Headers, variables(n.get("requestOptions").get("headers"))...)
	s.TokenEnv = n.get("bearer_token_env_var").string()
	s.Transport = transport(n, s, d)
	switch {
	case s.Command != "" && s.URL != "":
		return s, "has a command and a URL"
	case s.Command == "" && s.URL == "":
		return s, "has neither a command nor a URL"
	}
	return s, ""
}

func transport(n *node, s Server, d dialect) Transport {
	if s.URL == "" {
		return Stdio
	}
	word := strings.ToLower(first(n, "type", "transport", "transportType").string())
	if word == "sse" || d.urlIsSSE && word == "" && n.get("httpUrl") == nil {
		return SSE
	}
	return HTTP
}

// first returns the first of some fields that is there.
func first(n *node, names ...string) *node {
	for _, name := range names {
		if v := n.get(name); v != nil {
			return v
		}
	}
	return nil
}

// variables reads an object of scalars.
func variables(n *node) []Variable {
	if n == nil {
		return nil
	}
	var all []Variable
	for _, f := range n.fields {
		if f.value.kind != object && f.value.kind != list {
			all = append(all, Variable{f.name, f.value.text})
		}
	}
	return all
}
