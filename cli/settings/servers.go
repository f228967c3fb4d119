package settings

import (
	"cmp"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/textproto"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"toolcrib/cli/output"
	"toolcrib/cli/process"
	"toolcrib/gateway/upstream"
	"toolcrib/registry"
)

// ServerConfig is an upstream MCP server in the user's configuration.
type ServerConfig struct {
	Command []string `toml:"command"`
	Dir     string   `toml:"dir"`
	Env     []string `toml:"env"` // names of variables that the command gets, beside a few of everybody's
	// Set are variables with their values. token_env may name one of them.
	Set      map[string]string `toml:"set"`
	URL      string            `toml:"url"`
	TokenEnv string            `toml:"token_env"` // the variable that holds the bearer token
	// Headers are sent with every request to the url: the names of the variables
	// that hold their values, which may be of set.
	Headers map[string]string `toml:"headers"`
	Timeout string            `toml:"timeout"` // of one exchange, such as "30s"
}

// checkServers refuses servers that cannot be meant.
func (c *Config) checkServers() error {
	for _, name := range slices.Sorted(maps.Keys(c.Servers)) {
		if err := c.Servers[name].Check(name); err != nil {
			return fmt.Errorf("configuration: servers.%s %w", name, err)
		}
	}
	return nil
}

func (s ServerConfig) Check(name string) error {
	if registry.ServerName(name) != name || name == "" {
		return fmt.Errorf("is no name for a server; a name is lower-case words of letters and digits joined by \"_\"")
	}
	switch {
	case (len(s.Command) == 0) == (s.URL == ""):
		return fmt.Errorf("needs either command = [\"PROGRAM\", …] or url = \"…\"")
	case s.URL == "" && len(s.Headers) > 0:
		return fmt.Errorf("has headers, which are for a url")
	case s.URL == "" && s.TokenEnv != "":
		return fmt.Errorf("has a token_env, which is for a url; a command gets variables by env = [\"NAME\"]")
	case s.URL != "" && (len(s.Env) > 0 || s.Dir != ""):
		return fmt.Errorf("has a url; env and dir are for a command")
	case s.Dir != "" && !filepath.IsAbs(s.Dir):
		return fmt.Errorf("has the folder %q; write it from the root", s.Dir)
	case len(s.Command) > 0 && s.Command[0] != filepath.Base(s.Command[0]) && !filepath.IsAbs(s.Command[0]):
		return fmt.Errorf("has the program %q; write its name, or its path from the root", s.Command[0])
	}
	if badLength(s.Timeout) {
		return fmt.Errorf("has the timeout %q; write a time such as \"30s\"", s.Timeout)
	}
	if s.URL == "" {
		return nil
	}
	for _, header := range slices.Sorted(maps.Keys(s.Headers)) {
		if err := checkHeader(header, s.Headers[header]); err != nil {
			return err
		}
	}
	if _, twice := s.Headers["Authorization"]; twice && s.TokenEnv != "" {
		return fmt.Errorf("has a token_env and a header Authorization; write one of them")
	}
	return CheckEndpoint(s.URL, s.TokenEnv != "" || len(s.Headers) > 0)
}

// guardConfig is how the guard of one server works.
type guardConfig struct {
	// Prompts is ReviewPrompts for a server whose prompts and instructions are gated as
	// its tools are, PassPrompts or "" for one whose reach the client as they are.
	Prompts PromptGate `toml:"prompts"`

	notice *bool // of the key notice, which stands beside the servers
}

// noticeKey is the key that has the guards tell the client what they withhold.
const noticeKey = "notice"

// UnmarshalTOML implements unstable.Unmarshaler.
func (g *guardConfig) UnmarshalTOML(text []byte) error {
	switch word := strings.TrimSpace(string(text)); word {
	case "true", "false":
		g.notice = new(word == "true")
		return nil
	}
	type plain guardConfig
	return toml.Unmarshal(text, (*plain)(g))
}

// Notices reports whether a guard tells the client in the server's instructions what it
// withholds.
func (c *Config) Notices() bool { n := c.Guard[noticeKey].notice; return n == nil || *n }

// PromptGate is the treatment of prompts and instructions by a guard.
type PromptGate string

// The values of PromptGate.
const (
	ReviewPrompts PromptGate = "review"
	PassPrompts   PromptGate = "pass"
)

// checkGuards refuses settings of guards that cannot be meant.
func (c *Config) checkGuards() error {
	for _, name := range slices.Sorted(maps.Keys(c.Guard)) {
		switch p := c.Guard[name].Prompts; {
		case c.Guard[name].notice != nil && name != noticeKey:
			return fmt.Errorf("configuration: guard.%s has a value of another type; `toolcrib schema toolcrib.toml` has the types", name)
		case registry.ServerName(name) != name || name == "":
			return fmt.Errorf("configuration: guard.%s is no name for a server; write the name behind `toolcrib guard`: lower-case words of letters and digits joined by \"_\"", name)
		case p != "" && p != ReviewPrompts && p != PassPrompts:
			return fmt.Errorf("configuration: guard.%s.prompts is %q; write %s to have the prompts and the instructions of the server reviewed, or %s", name, p, ReviewPrompts, PassPrompts)
		}
	}
	return nil
}

// ReviewsTexts reports whether the prompts and the instructions of a server are gated.
func (c *Config) ReviewsTexts(server string) bool { return c.Guard[server].Prompts == ReviewPrompts }

// checkHeader refuses a header that is none, or that the protocol or HTTP itself
// sets.
func checkHeader(header, variable string) error {
	reserved := []string{"Accept", "Connection", "Content-Length", "Content-Type", "Host", "Last-Event-Id", "Origin", "Transfer-Encoding", "Upgrade"}
	name := textproto.CanonicalMIMEHeaderKey(header)
	switch {
	case header == "" || strings.ContainsFunc(header, func(r rune) bool { return r != '-' && r != '_' && !isAlphanumeric(r) }):
		return fmt.Errorf("has the header %q, which is no name of one", header)
	case slices.Contains(reserved, name), strings.HasPrefix(name, "Mcp-"):
		return fmt.Errorf("has the header %s, which the protocol sets itself", header)
	case name != header:
		return fmt.Errorf("has the header %s; write it as %s", header, name)
	case variable == "":
		return fmt.Errorf("has the header %s without a variable that holds its value", header)
	}
	return nil
}

func isAlphanumeric(r rune) bool {
	return '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
}

// CheckEndpoint refuses an invalid address of a server, and one that would send a
// secret unencrypted.
func CheckEndpoint(address string, secret bool) error {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return fmt.Errorf("has the url %q; write http:// or https:// and a host", address)
	case u.User != nil:
		return fmt.Errorf("has a password in its url; put a token into a variable and name it with token_env")
	case secret && u.Scheme == "http" && !loopback(u.Hostname()):
		return fmt.Errorf("would send its token in the clear; write https://")
	}
	return nil
}

// loopback reports whether a host is this machine.
func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// passedOn are the variables that every server gets: what programs need to
// find themselves, their language and the network, and no secrets of their own.
func passedOn() []string {
	return []string{
		"PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "TMPDIR", "TZ", "LANG", "LC_ALL", "LC_CTYPE", "SYSTEMROOT", "APPDATA",
		"XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR",
		"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy", "SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS",
	}
}

// Upstream returns the server as the gateway reaches it. A command runs in the
// user's home folder unless the configuration names another: in the folder of
// a project, npx and its like would run what the project has under that name.
func (s ServerConfig) Upstream(env process.Env, name string) upstream.Server {
	u := upstream.Server{Name: name, Command: s.Command, Dir: s.Dir, URL: s.URL}
	u.Timeout = length(s.Timeout)
	get := func(key string) string {
		if v, ok := s.Set[key]; ok {
			return v
		}
		return env.Getenv(key)
	}
	if s.URL != "" {
		if s.TokenEnv != "" {
			u.Token = get(s.TokenEnv)
		}
		u.Headers = http.Header{}
		for header, variable := range s.Headers {
			if v := get(variable); v != "" {
				u.Headers.Set(header, v)
			}
		}
		return u
	}
	u.Dir = cmp.Or(u.Dir, HomeFolder(env))
	for _, key := range slices.Concat(passedOn(), s.Env, slices.Sorted(maps.Keys(s.Set))) {
		if v := get(key); v != "" {
			u.Env = append(u.Env, key+"="+v)
		}
	}
	return u
}

// HomeFolder is the user's home folder, or the root where there is none.
func HomeFolder(env process.Env) string {
	if dir, err := env.Home(); err == nil {
		return dir
	}
	return string(filepath.Separator)
}

// Lines returns the server's table for a configuration file.
func (s ServerConfig) Lines(name string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "[servers.%s]\n", name)
	if s.URL != "" {
		fmt.Fprintf(&b, "url = %q\n", s.URL)
		if s.TokenEnv != "" {
			fmt.Fprintf(&b, "token_env = %q\n", s.TokenEnv)
		}
		return b.String() + pairsLine("headers", s.Headers) + pairsLine("set", s.Set)
	}
	fmt.Fprintf(&b, "command = %s\n", quotedList(s.Command))
	if len(s.Env) > 0 {
		fmt.Fprintf(&b, "env = %s\n", quotedList(s.Env))
	}
	return b.String() + pairsLine("set", s.Set)
}

// pairsLine returns a table as one line of a configuration, "" for an empty one.
func pairsLine(key string, table map[string]string) string {
	if len(table) == 0 {
		return ""
	}
	pairs := make([]string, 0, len(table))
	for _, name := range slices.Sorted(maps.Keys(table)) {
		pairs = append(pairs, fmt.Sprintf("%q = %q", name, table[name]))
	}
	return key + " = { " + strings.Join(pairs, ", ") + " }\n"
}

func quotedList(words []string) string {
	return "[" + strings.Join(output.Mapped(words, strconv.Quote), ", ") + "]"
}

// CommandLine divides a command into words as a shell does, and does nothing
// else that a shell does: quotes and backslashes keep characters together.
func CommandLine(line string) ([]string, error) {
	var words []string
	var word strings.Builder
	var quote rune
	inWord, escaped := false, false
	for _, r := range line {
		switch {
		case escaped:
			if quote == '"' && r != '"' && r != '\\' {
				word.WriteRune('\\')
			}
			word.WriteRune(r)
			escaped = false
		case r == '\\' && quote != '\'':
			escaped, inWord = true, true
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '\'' || r == '"':
			quote, inWord = r, true
		case r == ' ' || r == '\t' || r == '\n':
			if inWord {
				words = append(words, word.String())
				word.Reset()
				inWord = false
			}
		default:
			word.WriteRune(r)
			inWord = true
		}
	}
	if inWord {
		words = append(words, word.String())
	}
	switch {
	case quote != 0 || escaped:
		return nil, process.Usagef("the command %q ends within a quotation", line)
	case len(words) == 0 || words[0] == "":
		return nil, process.Usagef("the command is empty; write a program and its arguments, such as 'npx -y some-server'")
	}
	return words, nil
}
