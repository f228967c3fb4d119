package cli

import (
	"cmp"
	"fmt"
	"maps"
	"net/textproto"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"toolcrib/gateway/clients"
	"toolcrib/registry"
)

// clientServer is a server of one or several clients, as toolcrib would run it.
type clientServer struct {
	label    string // what toolcrib calls it
	listed   clients.Server
	files    []clients.File // that list it
	config   serverConfig
	values   map[string]string // the variables that the clients set for it
	filled   []string          // references to variables that were filled in
	excluded string            // why it is not imported, "" when it is
}

// clientServers returns the servers of clients, one for all that start the same.
// Two that differ under one name get the names of their clients.
func clientServers(files []clients.File, env Env, here bool) []clientServer {
	var all []clientServer
	for _, f := range files {
		for _, s := range f.Servers {
			if isSelf(s) {
				continue
			}
			c := convert(s, f, env)
			if same := slices.IndexFunc(all, func(o clientServer) bool { return o.same(c) }); same >= 0 {
				all[same].files = append(all[same].files, f)
				continue
			}
			if slices.ContainsFunc(all, func(o clientServer) bool { return o.label == c.label }) {
				c.label += "_" + registry.ServerName(f.Client)
			}
			if c.excluded == "" && slices.ContainsFunc(all, func(o clientServer) bool { return o.label == c.label }) {
				c.excluded = "another server is called " + c.label
			}
			all = append(all, c)
		}
	}
	for i, c := range all {
		theirs := !slices.ContainsFunc(c.files, func(f clients.File) bool { return f.Scope != clients.Project })
		switch {
		case c.excluded != "":
		case theirs && !here:
			all[i].excluded = "a file of this folder names it; --here imports it too"
		default:
			all[i].config, all[i].excluded = c.config.named(c.label, c.values)
		}
	}
	return all
}

// isSelf reports whether an entry is toolcrib's own.
func isSelf(s clients.Server) bool {
	program := strings.TrimSuffix(filepath.Base(strings.ReplaceAll(s.Command, `\`, "/")), ".exe")
	return s.URL == "" && program == "toolcrib"
}

// same reports whether two entries start or reach the same.
func (c clientServer) same(o clientServer) bool {
	return c.listed.Disabled == o.listed.Disabled && (c.excluded == "") == (o.excluded == "") &&
		slices.Equal(c.config.Command, o.config.Command) && c.config.Dir == o.config.Dir && c.config.URL == o.config.URL &&
		c.config.TokenEnv == o.config.TokenEnv && maps.Equal(c.config.Headers, o.config.Headers) &&
		maps.Equal(c.values, o.values) && registry.ServerName(c.listed.Name) == registry.ServerName(o.listed.Name)
}

// tokenKey and headerKey, with the name of a header, are where convert keeps the
// values of headers until the server has a name. No variable is called so.
const (
	tokenKey  = ""
	headerKey = "="
)

// convert makes the configuration of a server from an entry of a client.
func convert(s clients.Server, f clients.File, env Env) clientServer {
	c := clientServer{label: registry.ServerName(s.Name), listed: s, files: []clients.File{f}, values: map[string]string{}}
	fill := filler{env: env}
	switch {
	case c.label == "":
		c.excluded = fmt.Sprintf("its name %q has no letters or digits that a name here can have", s.Name)
	case s.Disabled:
		c.excluded = "it is switched off"
	case s.Transport == clients.SSE:
		c.excluded = "it speaks SSE, the older transport, which toolcrib does not"
	case s.Command == "" && s.URL == "":
		c.excluded = "it has neither a command nor a URL, as servers that extensions bring"
	case s.Command != "" && s.URL != "":
		c.excluded = "it has a command and a URL"
	}
	for _, v := range s.Env {
		if variableOf(v.Value) == v.Name {
			c.config.Env = append(c.config.Env, v.Name) // passed on
		} else {
			c.values[v.Name] = fill.text(v.Value)
		}
	}
	if s.URL != "" {
		c.config.URL, c.config.TokenEnv = fill.text(s.URL), s.TokenEnv
		for _, h := range s.Headers {
			c.header(h, &fill)
		}
	} else {
		c.config.Command = []string{fill.text(s.Command)}
		for _, arg := range s.Args {
			c.config.Command = append(c.config.Command, fill.text(arg))
		}
		c.config.Dir = folderOf(s, f, fill.text(s.Dir), env)
		if program := c.config.Command[0]; program != filepath.Base(program) && !filepath.IsAbs(program) && c.config.Dir != "" {
			c.config.Command[0] = filepath.Join(c.config.Dir, program)
		}
		c.config.Env = append(c.config.Env, s.Inherit...)
	}
	c.filled = fill.found
	if c.excluded == "" && len(fill.left) > 0 {
		c.excluded = "it needs " + strings.Join(fill.left, ", ") + ", which only the client can fill in, or which is not set"
	}
	return c
}

// header takes over a header. A variable that holds the whole value, or the token
// behind "Bearer", is named; any other value is kept with the server.
func (c *clientServer) header(h clients.Variable, fill *filler) {
	name := textproto.CanonicalMIMEHeaderKey(h.Name)
	token, bearer := strings.CutPrefix(h.Value, "Bearer ")
	switch bearer = bearer && name == "Authorization"; {
	case bearer && variableOf(token) != "":
		c.config.TokenEnv = variableOf(token)
	case bearer:
		c.values[tokenKey] = fill.text(token)
	default:
		if c.config.Headers == nil {
			c.config.Headers = map[string]string{}
		}
		if c.config.Headers[name] = variableOf(h.Value); c.config.Headers[name] == "" {
			c.values[headerKey+name] = fill.text(h.Value)
		}
	}
}

// variableOf returns the variable of the environment that a value consists of, ""
// when it is anything else.
func variableOf(value string) string {
	m := variable.FindStringSubmatch(value)
	if m == nil || m[0] != value || m[2] != "" {
		return ""
	}
	return cmp.Or(m[1], m[3])
}

// folderOf returns where a server runs: where the client's file says, or in the
// project whose file names it or its program lies in. It is "" for nowhere in
// particular, as in a project npx would run what that has under the name.
func folderOf(s clients.Server, f clients.File, dir string, env Env) string {
	base := s.Project
	if f.Scope == clients.Project {
		base = env.Dir
	}
	switch {
	case filepath.IsAbs(dir):
		return dir
	case dir != "" && base != "":
		return filepath.Join(base, dir)
	case f.Scope == clients.Project, s.Command != filepath.Base(s.Command) && !filepath.IsAbs(s.Command):
		return base
	}
	return ""
}

// named completes a configuration once the server has a name, and returns its
// fault, if any.
func (s serverConfig) named(label string, values map[string]string) (serverConfig, string) {
	if token, ok := values[tokenKey]; ok {
		s.TokenEnv = "TOOLCRIB_" + strings.ToUpper(label) + "_TOKEN"
		values[s.TokenEnv] = token
		delete(values, tokenKey)
	}
	for header := range s.Headers {
		value, ok := values[headerKey+header]
		if !ok {
			continue
		}
		s.Headers[header] = "TOOLCRIB_" + strings.ToUpper(label+"_"+strings.ReplaceAll(header, "-", "_"))
		values[s.Headers[header]] = value
		delete(values, headerKey+header)
	}
	if len(values) > 0 {
		s.Set = values
	}
	if err := s.check(label); err != nil {
		return s, "it " + err.Error()
	}
	return s, ""
}

// filler fills variables of the environment into what a client's file has.
type filler struct {
	env   Env
	found []string // what it filled in
	left  []string // what it could not fill in
}

// variable matches ${NAME}, ${NAME:-DEFAULT}, ${env:NAME} and {env:NAME}, and
// other references by their whole text.
var variable = regexp.MustCompile(`\$\{\{[^}]*\}\}|\$\{(?:env:)?([A-Za-z_]\w*)(?::-([^}]*))?\}|\$\{[^}]*\}|\{env:([A-Za-z_]\w*)\}|\{file:[^}]*\}`)

func (f *filler) text(s string) string {
	return variable.ReplaceAllStringFunc(s, func(found string) string {
		parts := variable.FindStringSubmatch(found)
		value := cmp.Or(f.env.Getenv(cmp.Or(parts[1], parts[3])), parts[2])
		if parts[1]+parts[3] == "" || value == "" {
			if !slices.Contains(f.left, found) {
				f.left = append(f.left, found)
			}
			return found
		}
		if !slices.Contains(f.found, found) {
			f.found = append(f.found, found)
		}
		return value
	})
}

// known leaves a server out whose name is that of another one in the
// configuration: the tools of the one would be taken for those of the other.
func (c *clientServer) known(servers map[string]serverConfig) {
	has, ok := servers[c.label]
	if ok && c.excluded == "" && (!slices.Equal(has.Command, c.config.Command) || has.URL != c.config.URL) {
		c.excluded = "the configuration has another [servers." + c.label + "]"
	}
}

// starts returns what a person sees of a server: its command or its address, with
// secrets masked.
func (c clientServer) starts() string {
	s := c.listed.Masked()
	if s.URL != "" {
		return s.URL
	}
	return strings.Join(mapped(append([]string{s.Command}, s.Args...), shellWord), " ")
}

// lines returns what the configuration needs for the server; masked has secrets
// masked and references as the client has them.
func (c clientServer) lines(masked bool) string {
	s, listed := c.config, c.listed.Masked()
	switch {
	case masked && s.URL != "":
		s.URL = listed.URL
	case masked:
		s.Command = append([]string{s.Command[0]}, listed.Args...)
	}
	if masked && len(s.Set) > 0 {
		s.Set = maps.Clone(s.Set)
		for name := range s.Set {
			s.Set[name] = clients.Mask
		}
	}
	lines := s.lines(c.label)
	if s.Dir != "" {
		lines += fmt.Sprintf("dir = %q\n", s.Dir)
	}
	return lines
}

// clients returns the ids of the clients that list the server.
func (c clientServer) clients() []string {
	var ids []string
	for _, f := range c.files {
		if !slices.Contains(ids, f.Client) {
			ids = append(ids, f.Client)
		}
	}
	return ids
}
