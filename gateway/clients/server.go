// This file parses the entries of servers, and the guards that these entries start.

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
	"toolcrib/internal/lists"
	"toolcrib/registry"
)

// Transport is the protocol between a client and a server.
type Transport string

// Transports. A URL without a transport is treated as HTTP, because clients try HTTP first.
const (
	Stdio Transport = "stdio"
	HTTP  Transport = "http"
	SSE   Transport = "sse"
)

// Variable is an environment variable or an HTTP header. The value may be a secret or a reference to a secret.
type Variable struct{ Name, Value string }

// Server is a server that a client starts or connects to. If the entry starts a guard, the fields describe the server
// behind the guard.
type Server struct {
	Name     string
	Project  string // the only folder to which the entry applies; "" if it applies everywhere
	Disabled bool

	Transport Transport
	Command   string
	Args      []string
	Dir       string
	Env       []Variable
	Inherit   []string // names of variables of the client that the server inherits

	URL      string
	Headers  []Variable
	TokenEnv string // name of the variable that contains the bearer token

	Guard   Guard  // zero if the entry does not start toolcrib
	Refused string // reason why the server cannot be guarded; "" if it can be or already is

	node   *spanedit.Node
	twice  bool   // another entry has the same name
	folder string // absolute working directory; "" for the client's own
}

// Guarded reports whether the entry starts a guard, with any database.
func (s *Server) Guarded() bool { return s.Guard.Name != "" }

// Self reports whether the entry starts toolcrib with the user's program, database, and settings, but not as a guard.
func (s *Server) Self() bool {
	return !s.Guarded() && s.Guard.Program != "" && s.Guard.Differs == ""
}

// BuiltIn reports whether the entry represents a part of the client itself.
func (s *Server) BuiltIn() bool {
	return slices.Contains([]string{"builtin", "platform", "frontend", "inline_python"}, s.node.Get("type").Str())
}

// isToolcrib reports whether the file name of program begins with "toolcrib". The name may continue with a version or an
// operating system.
func isToolcrib(program string) bool {
	return strings.HasPrefix(filepath.Base(strings.ReplaceAll(program, `\`, "/")), "toolcrib")
}

// reference matches placeholders that clients replace: ${VAR}, ${env:VAR}, and ${input:ID} in most clients, {env:VAR}
// and {file:PATH} in opencode, and ${{ secrets.X }} in Continue.
var reference = lazyregexp.New(`\$\{\{[^}]*\}\}|\$\{[^}]*\}|\{(?:env|file):[^}]*\}`)

// userInfo matches the beginning of a URL that contains a user name or a password.
var userInfo = lazyregexp.New(`^[a-zA-Z]+://[^/?#]*@`)

// ssePath matches the path that servers with the SSE transport usually have.
var ssePath = lazyregexp.New(`/sse/?(?:[?#]|$)`)

// Keys of an entry, in any client. Each key has the same meaning in all clients except "url", which selects SSE in
// Gemini CLI and Qwen Code (dialect.urlIsSSE). These clients use "httpUrl" for HTTP.
var (
	commandKeys = []string{"command", "cmd"}
	envKeys     = []string{"env", "environment", "envs"}
	urlKeys     = []string{"url", "serverUrl", "httpUrl", "uri"}
	headerKeys  = []string{"headers", "http_headers"}
	typeKeys    = []string{"type", "transport", "transportType"}
)

// program returns the fields of the command and its arguments. parent is the object that contains these fields: the
// entry itself or, in versions of Zed before June 2025, a member of the entry.
func (s *Server) program() (parent *spanedit.Node, command, args *spanedit.Field) {
	parent, command = s.node, s.node.Field(commandKeys...)
	if command != nil && command.Value.Kind == spanedit.Object {
		parent = command.Value
		command = parent.Field("path")
	}
	if command != nil && command.Value.Kind == spanedit.List { // opencode
		return parent, command, nil
	}
	return parent, command, parent.Field("args")
}

// read sets the fields of s from its entry.
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

// unwrapGuard parses the guard that s starts, if any. It then replaces the command of the guard by the server behind the
// guard.
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

// guardProblem returns the reason why s cannot be guarded, or "".
func (f *File) guardProblem(s *Server, h holder) string {
	n := s.node
	switch {
	case n.Kind != spanedit.Object:
		return "the entry is not an object"
	case f.unclear:
		return "the file has more than one list of servers, and clients differ in which list they read"
	case s.twice:
		return "several servers have this name, and clients differ in which entry they read"
	case n.Duplicate() != "":
		return "the entry has the duplicate key " + n.Duplicate()
	case n.Fixed || h.value.Fixed:
		return "the entry uses a YAML anchor, alias, or merge key"
	case s.Guarded():
		return ""
	case s.Self():
		return "the server is toolcrib itself"
	case s.BuiltIn():
		return "the server is built into the client"
	case s.Command == "" && s.URL == "":
		return "the entry has neither a command nor a URL; the server may belong to an extension of the client"
	case s.Command != "" && s.URL != "":
		return "the entry has both a command and a URL"
	case registry.ServerName(s.Name) == "":
		return "the name of the server contains no letter or digit that toolcrib can use"
	case s.Transport == SSE:
		return "the server uses the older transport SSE, which toolcrib does not support"
	case s.URL != "" && s.Transport != HTTP:
		return "the server uses the transport " + string(s.Transport) + ", which toolcrib does not support"
	case s.URL != "":
		return urlProblem(s)
	}
	if _, _, args := s.program(); args != nil && args.Value.Kind != spanedit.List {
		return "the arguments are not a list"
	}
	return ""
}

// signIns maps keys of an entry to reasons why the entry cannot be guarded. For these keys, the client authenticates to
// the server or computes headers, which is not possible for a server that is a command.
var signIns = map[string]string{
	"oauth": "the client signs in to the server (oauth)", "auth": "the client signs in to the server (auth)", "authProviderType": "the client signs in to the server (authProviderType)",
	"oauth_resource": "the client signs in to the server (oauth_resource)", "scopes": "the client signs in to the server (scopes)", "headersHelper": "the client computes the headers (headersHelper)",
	"env_http_headers": "the client sets headers from variables (env_http_headers)", "apiKey": "the client sends an API key (apiKey)",
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
			return "the entry has the duplicate header " + h.Name
		} else {
			seen[lower] = true
		}
	}
	switch headers, env := n.Get(headerKeys...), n.Get(envKeys...); {
	case userInfo().MatchString(s.URL):
		return "the URL contains a user name or a password, which would be visible on the command line of the guard; use a header instead"
	case n.Get("requestOptions", "requestInit").Get("headers") != nil:
		return "the headers are in " + n.Field("requestOptions", "requestInit").Name + ", which is not permitted in an entry with a command"
	case headers != nil && headers.Kind != spanedit.Object, headers != nil && len(variables(headers)) < len(headers.Fields):
		return "the value of a header is not a string"
	case len(s.Headers) > 0 && env != nil && len(env.Fields) > 0:
		return "the entry has both headers and variables (env); a guard receives headers as variables, so the unwrap command could not tell them apart"
	case s.TokenEnv != "" && n.Get("env_vars") != nil:
		return "the entry has both a token and variables (env_vars); a guard receives the token as a variable, so the unwrap command could not tell them apart"
	}
	return ""
}

// variables returns the fields of n with scalar values.
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

// Start is a command that starts toolcrib. Leading programs that only prepare the environment, such as env or a shell,
// are removed; the fields contain their effects.
type Start struct {
	Program string
	Args    []string
	Dir     string     // absolute; "" for the working directory of the client
	Env     []Variable // variables added to the client's environment; later ones take precedence
	Cleared bool       // the environment of the client is not inherited
	EnvFile string     // file with further variables; "" for none
}

// Inspect determines the program, the database, and the server that a command uses if it starts toolcrib. Package cli
// implements it with the parsers of commands and settings that the started program would use, too.
type Inspect func(Start) Use

// Use describes the program, the database, and the server that a command uses if it starts toolcrib.
type Use struct {
	Program  string // executed file, if known
	Database string // description for display; "" if unknown
	// Differs is the reason why the command does not use the user's program, database, and settings. It is "" if the
	// command uses all three.
	Differs string
	Line    Line // zero if the command is not a guard
}

// Line is the parsed command line of a guard.
type Line struct {
	Name            string // name of the server in toolcrib
	Was, Token, URL string // values of the flags --was, --token-env, and --url
	// Server is the position of the server's command or URL in the arguments. It is -1 if the position of the URL is
	// not the position at which the wrap command writes URLs.
	Server int
}

// Guard describes how an entry starts toolcrib.
type Guard struct {
	Name     string // name of the server in toolcrib; "" if the entry is not a guard
	Program  string // program in the entry; "" if the entry does not start toolcrib
	Runs     string // executed file, if known
	Database string // for display
	Differs  string // reason why it is not a guard with the user's program, database, and settings, or ""

	was, token  string
	first, last int // indexes of the guard's program and of the last word before rest
	rest        []string
	url         bool
	script      spanedit.Span // span of the guard in the last word, if the last word is a shell script
	moved       string
	chdir       string // working directory that a leading env command sets for the guard
}

// readGuard parses the command of the entry. It returns the zero Guard if the command does not start toolcrib.
func (s *Server) readGuard(inspect Inspect) Guard {
	l, err := parseCommand(append([]string{s.Command}, s.Args...))
	switch {
	case inspect == nil || err == nil && !isToolcrib(l.words[0]):
		return Guard{}
	case err != nil && !l.mentions:
		return Guard{}
	case err != nil:
		return Guard{Program: s.Command, Differs: "has a command line that cannot be interpreted: " + err.Error()}
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
		g.moved, g.rest = "the URL is not in the position where the wrap command writes it", []string{use.Line.URL}
	case l.places != nil:
		g.rest, g.script = l.words[at:], spanedit.Span{From: l.places[0], To: l.places[at]}
	default:
		g.rest, g.last = l.words[at:], l.first+at-1
	}
	if g.moved == "" && g.url && l.first > 0 {
		g.moved = "another program starts the guard"
	}
	return g
}

// joinDir returns name if name is absolute, and otherwise the path of name below dir. It returns "" if dir is needed
// but unknown.
func joinDir(dir, name string) string {
	switch {
	case filepath.IsAbs(name):
		return name
	case dir == "":
		return ""
	}
	return filepath.Join(dir, name)
}

// changeDir returns the folder after changing from dir to name. Both paths may be relative or empty.
func changeDir(dir, name string) string {
	if name == "" || filepath.IsAbs(name) {
		return cmp.Or(name, dir)
	}
	return filepath.Join(dir, name)
}

// commandLine is a command line without the leading programs that only prepare the environment.
type commandLine struct {
	words    []string
	first    int // index of words[0] in the complete line, or index of the shell script that contains words[0]
	env      []Variable
	cleared  bool
	dir      string
	places   []int // offsets of the words in the shell script; nil if there is no script
	mentions bool  // the complete line contains both "toolcrib" and "guard"
}

var shells = []string{"sh", "bash", "dash", "ash", "zsh", "ksh"}

// errUnclear is returned for a command line that cannot be interpreted without running its programs.
var errUnclear = errors.New("the command does more than set variables")

// parseCommand removes leading "env" and "sh -c" commands from words and records their effects. It returns an error if
// more than three such commands are nested.
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

// parseEnv removes a leading "env" with its options and variables.
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

// parseShell replaces "sh -c SCRIPT" by the words of the script. It returns an error unless the script consists of a
// single command with literal words.
func (l *commandLine) parseShell() error {
	if len(l.words) != 3 || l.words[1] != "-c" || l.places != nil {
		if l.words[1] == "-c" || strings.HasPrefix(l.words[1], "-") {
			return errUnclear
		}
		return fmt.Errorf("the command runs the shell script %s", l.words[1])
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

// VariablesIn returns the variables that a file with NAME=VALUE lines sets, such as the envFile of VS Code.
func VariablesIn(file string) ([]Variable, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return lists.Map(setting().FindAllStringSubmatch(string(data), -1), func(m []string) Variable {
		return Variable{m[1], strings.Trim(strings.TrimSpace(m[2]), `"'`)}
	}), nil
}

var setting = lazyregexp.New(`(?m)^[ \t]*(?:export[ \t]+)?([A-Za-z_]\w*)[ \t]*[=:](.*)$`)

// Placeholder reports whether text contains a placeholder that clients may replace.
func Placeholder(text string) bool { return reference().MatchString(text) }

// plainReference matches placeholders for environment variables.
var plainReference = lazyregexp.New(`\$\{(?:env:)?(\w+)\}|\{env:(\w+)\}`)

// Expand replaces the placeholders ${X}, ${env:X}, and {env:X} in text by getenv(X), as clients do. It returns false if
// the result contains other placeholders.
func Expand(text string, getenv func(string) string) (string, bool) {
	text = plainReference().ReplaceAllStringFunc(text, func(found string) string {
		m := plainReference().FindStringSubmatch(found)
		return getenv(m[1] + m[2])
	})
	return text, !Placeholder(text)
}

// folder returns the absolute working directory of s. It returns "" if s uses the working directory of the client, or if
// the directory is unknown.
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
