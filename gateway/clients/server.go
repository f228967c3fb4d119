package clients

import (
	"path/filepath"
	"slices"
	"strings"

	"toolcrib/gateway/guard"
	"toolcrib/registry"
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

// Server is a server that a client starts or connects to; of a guarded one, the server
// behind the guard.
type Server struct {
	Name     string
	Project  string // the folder that the entry is for; "" for everywhere the file counts
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

	Guard   Guard  // zero when the entry does not start toolcrib
	Refused string // why it cannot be guarded, "" when it can be, or is

	node   *node
	twice  bool   // its name is there twice
	folder string // where it runs, absolute; "" for wherever the client does
}

// Guarded reports whether the entry starts the guard, with whatever database.
func (s *Server) Guarded() bool { return s.Guard.Name != "" }

// Self reports whether an entry starts the user's toolcrib for another purpose.
func (s *Server) Self() bool {
	return !s.Guarded() && s.Guard.Program != "" && s.Guard.Differs == ""
}

// BuiltIn reports whether an entry stands for a part of the client itself.
func (s *Server) BuiltIn() bool {
	return slices.Contains([]string{"builtin", "platform", "frontend", "inline_python"}, s.node.get("type").string())
}

// isToolcrib reports whether a program is toolcrib, by its name: also one with a
// version or a system behind it.
func isToolcrib(program string) bool {
	return strings.HasPrefix(filepath.Base(strings.ReplaceAll(program, `\`, "/")), "toolcrib")
}

// reference matches what clients replace: ${VAR}, ${env:VAR}, ${input:ID} of
// most, {env:VAR} and {file:PATH} of opencode, ${{ secrets.X }} of Continue.
var reference = lazily(`\$\{\{[^}]*\}\}|\$\{[^}]*\}|\{(?:env|file):[^}]*\}`)

// userInfo matches an address with a name or a password in front of its host.
var userInfo = lazily(`^[a-zA-Z]+://[^/?#]*@`)

// ssePath matches the addresses that servers of the older transport have by custom.
var ssePath = lazily(`/sse/?(?:[?#]|$)`)

// The keys of an entry. The clients agree on most and have other names for the
// rest; no two give one name different meanings, apart from Gemini CLI and Qwen
// Code, whose "url" is SSE and whose "httpUrl" is HTTP.
var (
	commandKeys = []string{"command", "cmd"}
	envKeys     = []string{"env", "environment", "envs"}
	urlKeys     = []string{"url", "serverUrl", "httpUrl", "uri"}
	headerKeys  = []string{"headers", "http_headers"}
	typeKeys    = []string{"type", "transport", "transportType"}
)

// program returns the object with the program and its arguments: the entry itself
// but for Zed before 2025-06.
func (s *Server) program() (in *node, command, args *field) {
	in, command = s.node, s.node.field(commandKeys...)
	if command != nil && command.value.kind == object {
		in = command.value
		command = in.field("path")
	}
	if command != nil && command.value.kind == list { // opencode
		return in, command, nil
	}
	return in, command, in.field("args")
}

// read reads an entry.
func (s *Server) read(d dialect, inspect Inspect) {
	n := s.node
	s.Disabled = n.get("disabled").is("true") || n.get("enabled").is("false")
	if n.kind != object {
		return
	}
	in, command, args := s.program()
	if command != nil && command.value.kind == list { // opencode
		if words := command.value.strings(); len(words) > 0 {
			s.Command, s.Args = words[0], words[1:]
		}
	} else if command != nil {
		s.Command = command.value.string()
	}
	if args != nil {
		s.Args = append(s.Args, args.value.strings()...)
	}
	if in != n {
		s.Env = variables(in.get("env"))
	}
	s.Dir = n.get("cwd").string()
	s.Env = append(s.Env, variables(n.get(envKeys...))...)
	s.Inherit = n.get("env_vars").strings()
	s.URL = n.get(urlKeys...).string()
	s.Headers = slices.Concat(variables(n.get(headerKeys...)), variables(n.get("requestOptions", "requestInit").get("headers")))
	s.TokenEnv = n.get("bearer_token_env_var").string()
	s.Transport = s.transport(n, d)
	s.behind(inspect)
}

// behind replaces the guard, if there is one, by what stands behind it.
func (s *Server) behind(inspect Inspect) {
	if s.URL != "" || s.Command == "" {
		return
	}
	s.Guard = s.readGuard(inspect)
	if !s.Guarded() {
		return
	}
	rest := s.Guard.rest
	if !s.Guard.url {
		s.Command, s.Args = rest[0], rest[1:]
		return
	}
	s.Transport, s.URL, s.Command, s.Args = HTTP, rest[0], "", nil
	var env []Variable
	for _, v := range s.Env {
		if name, ok := guard.HeaderName(v.Name); ok {
			s.Headers = append(s.Headers, Variable{name, v.Value})
		} else {
			env = append(env, v)
		}
	}
	s.Env = env
	if s.TokenEnv = s.Guard.token; s.TokenEnv != "" {
		s.Inherit = nil
	}
}

func (s *Server) transport(n *node, d dialect) Transport {
	if s.URL == "" {
		return Stdio
	}
	switch word := strings.ToLower(n.get(typeKeys...).string()); {
	case word == "sse", word == "" && d.urlIsSSE && n.get("httpUrl") == nil:
		return SSE
	case word == "" && ssePath().MatchString(s.URL):
		return SSE
	case word == "" || word == "remote" || strings.HasSuffix(word, "http"):
		return HTTP
	default:
		return Transport(word)
	}
}

// refused returns why a server cannot be guarded, in the words of a person.
func (f *File) refused(s *Server, h holder) string {
	n := s.node
	switch {
	case n.kind != object:
		return "it is not an object"
	case f.unclear:
		return "the file has the list of its servers twice, and clients differ in which one they read"
	case s.twice:
		return "its name is there twice, and clients differ in which one they read"
	case n.twice() != "":
		return "its key " + n.twice() + " is there twice"
	case n.fixed || h.value.fixed:
		return "its entry is written with an anchor, an alias or a merge key of YAML"
	case s.Guarded():
		return ""
	case s.Self():
		return "it is toolcrib itself"
	case s.BuiltIn():
		return "it is built into the client"
	case s.Command == "" && s.URL == "":
		return "it has neither a command nor a URL, as servers that an extension of the client brings"
	case s.Command != "" && s.URL != "":
		return "it has a command and a URL"
	case registry.ServerName(s.Name) == "":
		return "its name has no letters or digits that a name here can have"
	case s.Transport == SSE:
		return "it speaks SSE, the older transport, which toolcrib does not"
	case s.URL != "" && s.Transport != HTTP:
		return "it speaks " + string(s.Transport) + ", which toolcrib does not"
	case s.URL != "":
		return refusedURL(s)
	}
	if _, _, args := s.program(); args != nil && args.value.kind != list {
		return "its arguments are not a list"
	}
	return ""
}

// signIns are the keys of an entry with which a client signs in by itself, and
// those whose meaning a command would not keep.
var signIns = map[string]string{
	"oauth": "the client signs in to it (oauth)", "auth": "the client signs in to it (auth)", "authProviderType": "the client signs in to it (authProviderType)",
	"oauth_resource": "the client signs in to it (oauth_resource)", "scopes": "the client signs in to it (scopes)", "headersHelper": "the client computes its headers (headersHelper)",
	"env_http_headers": "its headers come from variables that the client reads (env_http_headers)", "apiKey": "the client sends a key of its own (apiKey)",
}

func refusedURL(s *Server) string {
	n := s.node
	for _, fd := range n.fields {
		if why := signIns[fd.name]; why != "" && !fd.value.is("false") {
			return why
		}
	}
	seen := map[string]bool{}
	for _, h := range s.Headers {
		if lower := strings.ToLower(h.Name); seen[lower] {
			return "its header " + h.Name + " is there twice"
		} else {
			seen[lower] = true
		}
	}
	switch headers, env := n.get(headerKeys...), n.get(envKeys...); {
	case userInfo().MatchString(s.URL):
		return "its address has a password, which would be on the command line of the guard"
	case n.get("requestOptions", "requestInit").get("headers") != nil:
		return "its headers are in " + n.field("requestOptions", "requestInit").name + ", which a command does not have"
	case headers != nil && headers.kind != object, headers != nil && len(variables(headers)) < len(headers.fields):
		return "its headers are not all names with values"
	case len(s.Headers) > 0 && env != nil && len(env.fields) > 0:
		return "it has headers and variables (env), which would share one place"
	case s.TokenEnv != "" && n.get("env_vars") != nil:
		return "it has a token and variables (env_vars), which would share one place"
	}
	return ""
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
