package clients

import (
	"path/filepath"
	"slices"
	"strings"

	"toolcrib/gateway/clients/spanedit"
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

	node   *spanedit.Node
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
	return slices.Contains([]string{"builtin", "platform", "frontend", "inline_python"}, s.node.Get("type").Str())
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
func (s *Server) program() (in *spanedit.Node, command, args *spanedit.Field) {
	in, command = s.node, s.node.Field(commandKeys...)
	if command != nil && command.Value.Kind == spanedit.Object {
		in = command.Value
		command = in.Field("path")
	}
	if command != nil && command.Value.Kind == spanedit.List { // opencode
		return in, command, nil
	}
	return in, command, in.Field("args")
}

// read reads an entry.
func (s *Server) read(d dialect, inspect Inspect) {
	n := s.node
	s.Disabled = n.Get("disabled").Is("true") || n.Get("enabled").Is("false")
	if n.Kind != spanedit.Object {
		return
	}
	in, command, args := s.program()
	if command != nil && command.Value.Kind == spanedit.List { // opencode
		if words := command.Value.Strs(); len(words) > 0 {
			s.Command, s.Args = words[0], words[1:]
		}
	} else if command != nil {
		s.Command = command.Value.Str()
	}
	if args != nil {
		s.Args = append(s.Args, args.Value.Strs()...)
	}
	if in != n {
		s.Env = variables(in.Get("env"))
	}
	s.Dir = n.Get("cwd").Str()
	s.Env = append(s.Env, variables(n.Get(envKeys...))...)
	s.Inherit = n.Get("env_vars").Strs()
	s.URL = n.Get(urlKeys...).Str()
	s.Headers = slices.Concat(variables(n.Get(headerKeys...)), variables(n.Get("requestOptions", "requestInit").Get("headers")))
	s.TokenEnv = n.Get("bearer_token_env_var").Str()
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

func (s *Server) transport(n *spanedit.Node, d dialect) Transport {
	if s.URL == "" {
		return Stdio
	}
	switch word := strings.ToLower(n.Get(typeKeys...).Str()); {
	case word == "sse", word == "" && d.urlIsSSE && n.Get("httpUrl") == nil:
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
	case n.Kind != spanedit.Object:
		return "it is not an object"
	case f.unclear:
		return "the file has the list of its servers twice, and clients differ in which one they read"
	case s.twice:
		return "its name is there twice, and clients differ in which one they read"
	case n.Twice() != "":
		return "its key " + n.Twice() + " is there twice"
	case n.Fixed || h.value.Fixed:
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
	if _, _, args := s.program(); args != nil && args.Value.Kind != spanedit.List {
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
	for _, fd := range n.Fields {
		if why := signIns[fd.Name]; why != "" && !fd.Value.Is("false") {
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
	switch headers, env := n.Get(headerKeys...), n.Get(envKeys...); {
	case userInfo().MatchString(s.URL):
		return "its address has a password, which would be on the command line of the guard"
	case n.Get("requestOptions", "requestInit").Get("headers") != nil:
		return "its headers are in " + n.Field("requestOptions", "requestInit").Name + ", which a command does not have"
	case headers != nil && headers.Kind != spanedit.Object, headers != nil && len(variables(headers)) < len(headers.Fields):
		return "its headers are not all names with values"
	case len(s.Headers) > 0 && env != nil && len(env.Fields) > 0:
		return "it has headers and variables (env), which would share one place"
	case s.TokenEnv != "" && n.Get("env_vars") != nil:
		return "it has a token and variables (env_vars), which would share one place"
	}
	return ""
}

// variables reads an object of scalars.
func variables(n *spanedit.Node) []Variable {
	if n == nil {
		return nil
	}
	var all []Variable
	for _, f := range n.Fields {
		if f.Value.Kind != spanedit.Object && f.Value.Kind != spanedit.List {
			all = append(all, Variable{f.Name, f.Value.Text})
		}
	}
	return all
}
