// Entries of servers, and the guards in them.

package clients

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"

	"toolcrib/gateway/clients/spanedit"
	"toolcrib/gateway/guard"
	"toolcrib/internal/lazyregexp"
	"toolcrib/registry"
)

// Transport is the protocol between a client and a server.
type Transport string

// Transports. A URL without a transport is HTTP, which clients try first.
const (
	Stdio Transport = "stdio"
	HTTP  Transport = "http"
	SSE   Transport = "sse"
)

// Variable is an environment variable or an HTTP header. Its value may be a secret, or a reference to one.
type Variable struct{ Name, Value string }

// Server is a server that a client starts or connects to. If the entry is guarded, it is the server behind the guard.
type Server struct {
	Name     string
	Project  string // folder to which the entry is limited; "" for none
	Disabled bool

	Transport Transport
	Command   string
	Args      []string
	Dir       string
	Env       []Variable
	Inherit   []string // names of variables to pass on

	URL      string
	Headers  []Variable
	TokenEnv string // variable with the bearer token

	Guard   Guard  // zero if the entry does not start toolcrib
	Refused string // why it cannot be guarded; "" if it can be or is guarded

	node   *spanedit.Node
	twice  bool   // its name is not unique
	folder string // absolute working directory; "" for that of the client
}

// Guarded reports whether the entry starts a guard, regardless of the database.
func (s *Server) Guarded() bool { return s.Guard.Name != "" }

// Self reports whether the entry starts the user's toolcrib for a purpose other than a guard.
func (s *Server) Self() bool {
	return !s.Guarded() && s.Guard.Program != "" && s.Guard.Differs == ""
}

// BuiltIn reports whether the entry represents a part of the client itself.
func (s *Server) BuiltIn() bool {
	return slices.Contains([]string{"builtin", "platform", "frontend", "inline_python"}, s.node.Get("type").Str())
}

// isToolcrib reports whether a program is toolcrib, judging by its name, which may end with a version or a system.
func isToolcrib(program string) bool {
	return strings.HasPrefix(filepath.Base(strings.ReplaceAll(program, `\`, "/")), "toolcrib")
}

// reference matches placeholders that clients replace: ${VAR}, ${env:VAR}, and ${input:ID} in most clients, {env:VAR}
// and {file:PATH} in opencode, and ${{ secrets.X }} in Continue.
var reference = lazyregexp.New(`\$\{\{[^}]*\}\}|\$\{[^}]*\}|\{(?:env|file):[^}]*\}`)

// userInfo matches a URL with a user name or a password.
var userInfo = lazyregexp.New(`^[a-zA-Z]+://[^/?#]*@`)

// ssePath matches the usual URLs of servers with the older transport.
var ssePath = lazyregexp.New(`/sse/?(?:[?#]|$)`)

// Keys of an entry. No key has two meanings, except that in Gemini CLI and Qwen Code "url" is SSE and "httpUrl" is
// HTTP.
var (
	commandKeys = []string{"command", "cmd"}
	envKeys     = []string{"env", "environment", "envs"}
	urlKeys     = []string{"url", "serverUrl", "httpUrl", "uri"}
	headerKeys  = []string{"headers", "http_headers"}
	typeKeys    = []string{"type", "transport", "transportType"}
)

// program returns the object that contains the program and its arguments. It is the entry itself except in Zed before
// 2025-06.
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
	switch word := strings.ToLower(n.Get(typeKeys...).Str()); {
	case s.URL == "":
		s.Transport = Stdio
	case word == "sse", word == "" && (d.urlIsSSE && n.Get("httpUrl") == nil || ssePath().MatchString(s.URL)):
		s.Transport = SSE
	case word == "", word == "remote", strings.HasSuffix(word, "http"):
		s.Transport = HTTP
	default:
		s.Transport = Transport(word)
	}
	s.unwrapGuard(inspect)
}

// unwrapGuard replaces a guard by the server behind it.
func (s *Server) unwrapGuard(inspect Inspect) {
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

// guardProblem returns why a server cannot be guarded, or "".
func (f *File) guardProblem(s *Server, h holder) string {
	n := s.node
	switch {
	case n.Kind != spanedit.Object:
		return "it is not an object"
	case f.unclear:
		return "the file has more than one list of servers, and clients differ in which one they read"
	case s.twice:
		return "its name is a duplicate, and clients differ in which one they read"
	case n.Duplicate() != "":
		return "it has a duplicate key " + n.Duplicate()
	case n.Fixed || h.value.Fixed:
		return "its entry uses a YAML anchor, alias, or merge key"
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
		return "its name has no letter or digit that toolcrib can use in a name"
	case s.Transport == SSE:
		return "it uses the older transport SSE, which toolcrib does not support"
	case s.URL != "" && s.Transport != HTTP:
		return "it uses " + string(s.Transport) + ", which toolcrib does not support"
	case s.URL != "":
		return urlProblem(s)
	}
	if _, _, args := s.program(); args != nil && args.Value.Kind != spanedit.List {
		return "its arguments are not a list"
	}
	return ""
}

// signIns are keys of an entry by which a client authenticates itself, and keys that have no equivalent for a
// command.
var signIns = map[string]string{
	"oauth": "the client signs in to it (oauth)", "auth": "the client signs in to it (auth)", "authProviderType": "the client signs in to it (authProviderType)",
	"oauth_resource": "the client signs in to it (oauth_resource)", "scopes": "the client signs in to it (scopes)", "headersHelper": "the client computes its headers (headersHelper)",
	"env_http_headers": "its headers come from variables that the client reads (env_http_headers)", "apiKey": "the client sends a key of its own (apiKey)",
}

func urlProblem(s *Server) string {
	n := s.node
	for _, fd := range n.Fields {
		if why := signIns[fd.Name]; why != "" && !fd.Value.Is("false") {
			return why
		}
	}
	seen := map[string]bool{}
	for _, h := range s.Headers {
		if lower := strings.ToLower(h.Name); seen[lower] {
			return "it has a duplicate header " + h.Name
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
		return "not all of its headers have a text as their value"
	case len(s.Headers) > 0 && env != nil && len(env.Fields) > 0:
		return "it has both headers and variables (env); a guard gets headers as variables, so unwrap could not tell them apart"
	case s.TokenEnv != "" && n.Get("env_vars") != nil:
		return "it has both a token and variables (env_vars); a guard gets the token as a variable, so unwrap could not tell them apart"
	}
	return ""
}

// variables returns the scalars of an object.
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

// Start is a command that starts toolcrib, without leading programs such as env or a shell.
type Start struct {
	Program string
	Args    []string
	Dir     string     // absolute; "" for the working directory of the client
	Env     []Variable // in addition to the client's; later ones take precedence
	Cleared bool       // the client's environment is not passed on
	EnvFile string     // file with further variables; "" for none
}

// Inspect determines what a start of toolcrib would use. The command line implements it with its own commands and
// settings, so that an entry is interpreted as the program itself does.
type Inspect func(Start) Use

// Use describes the program, the database, and the server that a start of toolcrib uses.
type Use struct {
	Program  string // executed file, if known
	Database string // for display; "" if unknown
	// Differs is the reason why this is not the user's toolcrib with the user's database and settings, or "".
	Differs string
	Line    Line // zero if it is not a guard
}

// Line is the parsed command line of a guard.
type Line struct {
	Name            string // name of the server in toolcrib
	Was, Token, URL string // flags --was, --token-env, and --url
	// Server is the index of the server's command or URL in the arguments, or -1 for a URL that is not where wrap
	// puts it.
	Server int
}

// Guard describes how an entry starts toolcrib.
type Guard struct {
	Name     string // name of the server in toolcrib; "" if the entry is not a guard
	Program  string // program in the entry; "" if it is not toolcrib
	Runs     string // executed file, if known
	Database string // for display
	Differs  string // why it is not the user's guard, or ""

	was, token  string
	first, last int // indexes of the guard's program and of the last word before rest
	rest        []string
	url         bool
	script      spanedit.Span // position of the guard in the last word, if that is a shell script
	moved       string
	chdir       string // folder to which a program before the guard changes
}

// readGuard parses the command of an entry. It returns the zero Guard if the command does not start toolcrib.
func (s *Server) readGuard(inspect Inspect) Guard {
	l, err := parseCommand(append([]string{s.Command}, s.Args...))
	switch {
	case inspect == nil || err == nil && !isToolcrib(l.words[0]):
		return Guard{}
	case err != nil && !l.mentions:
		return Guard{}
	case err != nil:
		return Guard{Program: s.Command, Differs: "its command line cannot be read: " + err.Error()}
	}
	start := Start{Program: l.words[0], Args: l.words[1:], Dir: s.folder, Env: slices.Concat(s.Env, l.env), Cleared: l.cleared, EnvFile: s.node.Get("envFile").Str()}
	if l.dir != "" {
		start.Dir = joinDir(start.Dir, l.dir)
	}
	use := inspect(start)
	g := Guard{Program: start.Program, Runs: use.Program, Database: use.Database, Differs: use.Differs}
	if use.Line.Name == "" {
		return g
	}
	g.chdir = l.dir
	g.Name, g.was, g.token, g.url, g.first = use.Line.Name, use.Line.Was, use.Line.Token, use.Line.URL != "", l.first
	switch at := 1 + use.Line.Server; {
	case at == 0:
		g.moved, g.rest = "its URL is not the last argument, where wrap writes it", []string{use.Line.URL}
	case l.places != nil:
		g.rest, g.script = l.words[at:], spanedit.Span{From: l.places[0], To: l.places[at]}
	default:
		g.rest, g.last = l.words[at:], l.first+at-1
	}
	if g.moved == "" && g.url && l.first > 0 {
		g.moved = "another program starts its guard"
	}
	return g
}

// joinDir returns the path of name below dir, or "" if that is unknown.
func joinDir(dir, name string) string {
	switch {
	case filepath.IsAbs(name):
		return name
	case dir == "":
		return ""
	}
	return filepath.Join(dir, name)
}

// changeDir returns the folder after changing from dir, which may be relative, to name.
func changeDir(dir, name string) string {
	if name == "" || filepath.IsAbs(name) {
		return cmp.Or(name, dir)
	}
	return filepath.Join(dir, name)
}

// commandLine is a command line without leading programs that only set up the environment.
type commandLine struct {
	words    []string
	first    int // index of words[0] in the complete line, or of the shell script
	env      []Variable
	cleared  bool
	dir      string
	places   []int // offsets of the words in the shell script; nil without one
	mentions bool  // toolcrib is among the words
}

var shells = []string{"sh", "bash", "dash", "ash", "zsh", "ksh"}

// errUnclear is returned for command lines that only their programs can interpret.
var errUnclear = errors.New("it does more than set variables")

// parseCommand removes env and sh -c from a command line.
func parseCommand(words []string) (commandLine, error) {
	all := strings.Join(words, " ")
	l := commandLine{words: words, mentions: strings.Contains(all, "toolcrib") && strings.Contains(all, "guard")}
	for range 4 {
		base := strings.TrimSuffix(filepath.Base(l.words[0]), ".exe")
		var err error
		switch {
		case base == "env" && len(l.words) > 1:
			err = l.parseEnv()
		case slices.Contains(shells, base) && len(l.words) > 1:
			err = l.parseShell()
		default:
			return l, nil
		}
		if err != nil {
			return l, err
		}
	}
	return l, errUnclear
}

// parseEnv parses the options and the variables of env.
func (l *commandLine) parseEnv() error {
	set := pflag.NewFlagSet("env", pflag.ContinueOnError)
	set.SetInterspersed(false)
	cleared := set.BoolP("ignore-environment", "i", false, "")
	dir := set.StringP("chdir", "C", "", "")
	unset := set.StringArrayP("unset", "u", nil, "")
	if err := set.Parse(l.words[1:]); err != nil {
		return err
	}
	rest := set.Args()
	if len(rest) > 0 && rest[0] == "-" {
		*cleared, rest = true, rest[1:]
	}
	if *cleared {
		l.env, l.cleared = nil, true
	}
	for _, name := range *unset {
		l.env = append(l.env, Variable{name, ""})
	}
	for len(rest) > 0 && strings.Contains(rest[0], "=") {
		name, value, _ := strings.Cut(rest[0], "=")
		l.env, rest = append(l.env, Variable{name, value}), rest[1:]
	}
	if len(rest) == 0 {
		return errUnclear
	}
	l.dir = changeDir(l.dir, *dir)
	if n := len(l.words) - len(rest); l.places == nil {
		l.first += n
	} else {
		l.places = l.places[n:]
	}
	l.words = rest
	return nil
}

// parseShell parses a shell script that consists of one command with plain words.
func (l *commandLine) parseShell() error {
	if len(l.words) != 3 || l.words[1] != "-c" || l.places != nil {
		if l.words[1] == "-c" || strings.HasPrefix(l.words[1], "-") {
			return errUnclear
		}
		return fmt.Errorf("it runs the shell script %s", l.words[1])
	}
	file, err := syntax.NewParser().Parse(strings.NewReader(l.words[2]), "")
	if err != nil {
		return err
	}
	if len(file.Stmts) != 1 {
		return errUnclear
	}
	stmt := file.Stmts[0]
	call, ok := stmt.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) == 0 || stmt.Negated || stmt.Background || stmt.Coprocess || len(stmt.Redirs) > 0 {
		return errUnclear
	}
	literal := func(w *syntax.Word) string {
		plain := true
		syntax.Walk(w, func(n syntax.Node) bool {
			switch n := n.(type) {
			case nil, *syntax.Word, *syntax.SglQuoted, *syntax.DblQuoted:
			case *syntax.Lit:
				plain = plain && !strings.ContainsAny(n.Value, "*?[~")
			default:
				plain = false
			}
			return plain
		})
		text, literalErr := expand.Literal(nil, w)
		if !plain || literalErr != nil {
			err = errUnclear
		}
		return text
	}
	for _, a := range call.Assigns {
		if a.Append || a.Index != nil || a.Array != nil {
			return errUnclear
		}
		value := ""
		if a.Value != nil {
			value = literal(a.Value)
		}
		l.env = append(l.env, Variable{a.Name.Value, value})
	}
	var words []string
	var places []int
	for _, w := range call.Args {
		words, places = append(words, literal(w)), append(places, int(w.Pos().Offset()))
	}
	if words[0] == "exec" && len(words) > 1 {
		words, places = words[1:], places[1:]
	}
	l.first += 2
	l.words, l.places = words, places
	return err
}

// VariablesIn returns the variables in a file such as VS Code's envFile.
func VariablesIn(file string) ([]Variable, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var all []Variable
	for _, m := range setting().FindAllStringSubmatch(string(data), -1) {
		all = append(all, Variable{m[1], strings.Trim(strings.TrimSpace(m[2]), `"'`)})
	}
	return all, nil
}

var setting = lazyregexp.New(`(?m)^[ \t]*(?:export[ \t]+)?([A-Za-z_]\w*)[ \t]*[=:](.*)$`)

// Placeholder reports whether a text contains a placeholder that clients may replace.
func Placeholder(text string) bool { return reference().MatchString(text) }

// plainReference matches placeholders of environment variables only.
var plainReference = lazyregexp.New(`\$\{(?:env:)?(\w+)\}|\{env:(\w+)\}`)

// Expand replaces ${X}, ${env:X}, and {env:X} by the values of variables, as clients do. It returns false if the text
// contains other placeholders.
func Expand(text string, getenv func(string) string) (string, bool) {
	text = plainReference().ReplaceAllStringFunc(text, func(found string) string {
		m := plainReference().FindStringSubmatch(found)
		return getenv(m[1] + m[2])
	})
	return text, !Placeholder(text)
}

// folder returns the absolute working directory of a server, or "" for that of its client.
func (f *File) folder(s *Server) string {
	base := s.Project
	if f.Scope == Project {
		base = f.machine.Project
	}
	dir := workspaceFolder().ReplaceAllLiteralString(s.node.Get("cwd").Str(), base)
	switch {
	case dir == "":
		return base
	case Placeholder(dir):
		return ""
	}
	return joinDir(base, dir)
}

var workspaceFolder = lazyregexp.New(`\$\{(?:workspaceFolder|CLAUDE_PROJECT_DIR)\}`)
