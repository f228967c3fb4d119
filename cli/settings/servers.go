// This file contains the settings of MCP servers and their guards.

package settings

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"net/textproto"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"toolcrib/cli/process"
	"toolcrib/gateway/clients/spanedit"
	"toolcrib/gateway/upstream"
	"toolcrib/internal/httpserver"
	"toolcrib/internal/lists"
	"toolcrib/registry"
)

// ServerConfig is an upstream MCP server in the user's configuration.
type ServerConfig struct {
	Command []string `toml:"command"`
	Dir     string   `toml:"dir"`
	Env     []string `toml:"env"` // names of environment variables to pass on, in addition to inheritedVariables
	// Set contains environment variables with their values. TokenEnv can name one of these variables.
	Set      map[string]string `toml:"set"`
	URL      string            `toml:"url"`
	TokenEnv string            `toml:"token_env"` // variable with the bearer token
	// Headers contains the headers to send with every request. It maps each header to a variable with the value of the
	// header. The variable is in Set or in the environment.
	Headers map[string]string `toml:"headers"`
	Timeout string            `toml:"timeout"` // time limit for a request, such as "30s"
}

// reservedHeaders lists the headers that users cannot set, because HTTP or the protocol sets them.
var reservedHeaders = []string{"Accept", "Connection", "Content-Length", "Content-Type", "Host", "Last-Event-Id", "Origin", "Transfer-Encoding", "Upgrade"}

// Check returns an error if name or the configuration of the server is not valid. The text of the error is a predicate,
// such as "needs a url", to which callers add the name of the server.
func (s ServerConfig) Check(name string) error {
	if registry.ServerName(name) != name || name == "" {
		return fmt.Errorf("is not a valid name: use lower-case words of letters and digits, joined by \"_\"")
	}
	switch {
	case (len(s.Command) == 0) == (s.URL == ""):
		return fmt.Errorf("needs either command = [\"PROGRAM\", …] or url = \"…\"")
	case s.URL == "" && len(s.Headers) > 0:
		return fmt.Errorf("has headers, which need a url")
	case s.URL == "" && s.TokenEnv != "":
		return fmt.Errorf("has a token_env, which needs a url; to pass a variable to a command, use env = [\"NAME\"]")
	case s.URL != "" && (len(s.Env) > 0 || s.Dir != ""):
		return fmt.Errorf("has a url and also env or dir; remove env and dir, which apply only to a command")
	case s.Dir != "" && !filepath.IsAbs(s.Dir):
		return fmt.Errorf("has the relative folder %q; use an absolute path", s.Dir)
	case len(s.Command) > 0 && s.Command[0] != filepath.Base(s.Command[0]) && !filepath.IsAbs(s.Command[0]):
		return fmt.Errorf("has the program %q; use the name of a program in PATH, or an absolute path", s.Command[0])
	}
	if badLength(s.Timeout) {
		return fmt.Errorf("has the timeout %q: use a duration such as \"30s\"", s.Timeout)
	}
	if s.URL == "" {
		return nil
	}
	for _, header := range slices.Sorted(maps.Keys(s.Headers)) {
		canonical := textproto.CanonicalMIMEHeaderKey(header)
		switch {
		case header == "" || strings.Trim(strings.ToLower(header), "abcdefghijklmnopqrstuvwxyz0123456789-_") != "":
			return fmt.Errorf("has %q, which is not a valid header", header)
		case slices.Contains(reservedHeaders, canonical), strings.HasPrefix(canonical, "Mcp-"):
			return fmt.Errorf("has the header %s, which the protocol sets itself", header)
		case canonical != header:
			return fmt.Errorf("has the header %s; use the spelling %s", header, canonical)
		case s.Headers[header] == "":
			return fmt.Errorf("has the header %s, but no variable for the value of the header", header)
		}
	}
	if _, twice := s.Headers["Authorization"]; twice && s.TokenEnv != "" {
		return fmt.Errorf("has both a token_env and a header Authorization; remove one")
	}
	return CheckEndpoint(s.URL, s.TokenEnv != "" || len(s.Headers) > 0)
}

// guardConfig contains the settings for the guard of a server.
type guardConfig struct {
	// Prompts is ReviewPrompts if the prompts and instructions of the server are reviewed, as its tools are. With
	// PassPrompts or "", they reach the client without a review.
	Prompts PromptGate `toml:"prompts"`

	notice *bool // value of guard.notice, which is not the name of a server
}

// noticeKey is a key in the table [guard]. Its value specifies whether guards inform the client about withheld tools.
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

// Notices reports whether guards mention withheld tools in the server's instructions.
func (c *Config) Notices() bool { n := c.Guard[noticeKey].notice; return n == nil || *n }

// PromptGate specifies how a guard treats prompts and instructions.
type PromptGate string

// The values of PromptGate.
const (
	ReviewPrompts PromptGate = "review"
	PassPrompts   PromptGate = "pass"
)

// checkServers rejects invalid settings of servers and their guards.
func (c *Config) checkServers() error {
	for _, name := range slices.Sorted(maps.Keys(c.Servers)) {
		if err := c.Servers[name].Check(name); err != nil {
			return fmt.Errorf("configuration: servers.%s %w", name, err)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.Guard)) {
		switch p := c.Guard[name].Prompts; {
		case c.Guard[name].notice != nil && name != noticeKey:
			return fmt.Errorf("configuration: guard.%s has a value of the wrong type; `toolcrib schema toolcrib.toml` lists the types", name)
		case registry.ServerName(name) != name || name == "":
			return fmt.Errorf("configuration: guard.%s is not a valid name: use the NAME of `toolcrib guard NAME`, which consists of lower-case words of letters and digits, joined by \"_\"", name)
		case p != "" && p != ReviewPrompts && p != PassPrompts:
			return fmt.Errorf("configuration: guard.%s.prompts is %q: use %s to review the prompts and the instructions of the server, or %s", name, p, ReviewPrompts, PassPrompts)
		}
	}
	return nil
}

// ReviewsTexts reports whether the prompts and instructions of the given server are reviewed.
func (c *Config) ReviewsTexts(server string) bool { return c.Guard[server].Prompts == ReviewPrompts }

// CheckEndpoint returns an error if address is not a valid URL of a server. If secret is set, a secret will be sent to
// the address, and CheckEndpoint also returns an error if this would not be encrypted.
func CheckEndpoint(address string, secret bool) error {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return fmt.Errorf("has the url %q: use http:// or https:// and a host", address)
	}
	switch {
	case u.User != nil:
		return fmt.Errorf("has a password in its url; put a token into an environment variable, and set token_env to the name of the variable")
	case secret && u.Scheme == "http" && !httpserver.Loopback(u.Hostname()):
		return fmt.Errorf("would send its token unencrypted; use https://")
	}
	return nil
}

// inheritedVariables returns the environment variables that every server receives. Programs need them to find their
// files, their language, and the network. None of these variables is secret.
func inheritedVariables() []string {
	return []string{
		"PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "TMPDIR", "TZ", "LANG", "LC_ALL", "LC_CTYPE", "SYSTEMROOT", "APPDATA",
		"XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR",
		"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy", "SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS",
	}
}

// Upstream converts s to the configuration of a server for the gateway. By default, a command runs in the user's home
// folder. In the folder of a project, a program such as npx could run a package of the project instead of the intended
// package.
func (s ServerConfig) Upstream(env process.Env, name string) upstream.Server {
	u := upstream.Server{Name: name, Command: s.Command, Dir: s.Dir, URL: s.URL}
	u.Timeout = parseLength(s.Timeout)
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
	for _, key := range slices.Concat(inheritedVariables(), s.Env, slices.Sorted(maps.Keys(s.Set))) {
		if v := get(key); v != "" {
			u.Env = append(u.Env, key+"="+v)
		}
	}
	return u
}

// HomeFolder returns the user's home folder, or the root folder if the home folder is unknown.
func HomeFolder(env process.Env) string {
	if dir, err := env.Home(); err == nil {
		return dir
	}
	return string(filepath.Separator)
}

// Lines returns the lines for a configuration file that configure s as a server with the given name: the command or the
// URL of s, and the names of its variables.
func (s ServerConfig) Lines(name string) string {
	quoted := func(words []string) string { return "[" + strings.Join(lists.Map(words, spanedit.Quote), ", ") + "]" }
	lines := "[servers." + name + "]\n"
	if s.URL != "" {
		lines += "url = " + spanedit.Quote(s.URL) + "\n"
		if s.TokenEnv != "" {
			lines += "token_env = " + spanedit.Quote(s.TokenEnv) + "\n"
		}
		return lines
	}
	lines += "command = " + quoted(s.Command) + "\n"
	if len(s.Env) > 0 {
		lines += "env = " + quoted(s.Env) + "\n"
	}
	return lines
}
