// This file assigns names to servers, and masks secrets.

package clients

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"toolcrib/gateway/clients/spanedit"
	"toolcrib/internal/lazyregexp"
	"toolcrib/registry"
)

// Entry is a server in a file and its name in toolcrib.
type Entry struct {
	File  *File
	Index int    // index in File.Servers
	Name  string // "" if none
	Fault string // reason why the server cannot be guarded; "" if it can be or already is
	// Differs is the reason why a guard is ineffective: it does not use the user's program, database, and settings, or
	// its name belongs to another server. It is "" if the entry has no guard or an effective guard.
	Differs string
}

// State is the state of a server in a file.
type State string

// The states of a server in a file.
const (
	Guarded State = "guarded"
	Open    State = "open"    // can be guarded; an existing guard has no effect
	Refused State = "refused" // cannot be guarded; see Entry.Fault
)

// State returns the state of the server. An effective guard has precedence over a Fault.
func (e Entry) State() State {
	switch {
	case e.Server().Guarded() && e.Differs == "":
		return Guarded
	case e.Fault != "":
		return Refused
	}
	return Open
}

// Server returns the server of the entry.
func (e Entry) Server() *Server { return &e.File.Servers[e.Index] }

// Entries returns the servers in files with their names in toolcrib. Entries with the same command or URL are treated
// as the same server and have the same name in toolcrib. Entries that have the same name in their files but different
// commands receive different names.
//
// Names are assigned first to guarded entries, which preserves the names in existing guards, then to the recorded
// servers, and then to the remaining entries in the order of the files. Entries of projects are processed after the
// other entries. A project therefore cannot change names elsewhere. A guard with the name of another server is treated
// as ineffective, because it would apply the approvals of the other server.
func Entries(files []File, recorded map[string]Server) []Entry {
	var all []Entry
	for _, scope := range []Scope{User, Project} {
		for i := range files {
			for at := range files[i].Servers {
				if files[i].Scope == scope {
					all = append(all, Entry{File: &files[i], Index: at})
				}
			}
		}
	}
	n := naming{byName: map[string]string{}, byStart: map[string]string{}}
	for i := range all {
		s := all[i].Server()
		all[i].Fault = s.Refused
		all[i].Differs = s.Guard.Differs
		if !s.Guarded() || s.Refused != "" || s.Guard.Differs != "" {
			continue
		}
		start := s.startKey()
		k, ok := recorded[s.Guard.Name]
		other := n.byName[s.Guard.Name]
		if ok && !all[i].File.sameAs(s, k.Runs()) || !ok && other != "" && !slices.Equal(unversioned(strings.Split(other, "\x00")), unversioned(strings.Split(start, "\x00"))) {
			m := s.Masked()
			all[i].Differs = "has a name that is approved for another command, not for " + strings.Join(append([]string{cmp.Or(m.URL, m.Command)}, m.Args...), " ")
			continue
		}
		all[i].Name = s.Guard.Name
		n.claim(s.Guard.Name, start)
	}
	for _, name := range slices.Sorted(maps.Keys(recorded)) {
		k := recorded[name]
		n.claim(name, k.startKey())
		for i := range all {
			if s := all[i].Server(); n.byStart[s.startKey()] == "" && all[i].File.sameAs(s, k.Runs()) {
				n.byStart[s.startKey()] = name
			}
		}
	}
	for i := range all {
		if all[i].Name != "" {
			continue
		}
		s := all[i].Server()
		start, label := s.startKey(), registry.ServerName(s.Name)
		if name, ok := n.byStart[start]; ok {
			all[i].Name = name
			continue
		}
		all[i].Name = label // a server that cannot be guarded receives the name but does not claim it
		for next := 2; s.Refused == "" && !n.claim(all[i].Name, start); next++ {
			all[i].Name = fmt.Sprintf("%s_%d", label, next)
		}
	}
	return all
}

// naming maps the assigned names to the keys of their servers, and the keys to the names. The keys are results of
// startKey.
type naming struct{ byName, byStart map[string]string }

// claim assigns name to the server with the given key. It returns false if the name is already assigned.
func (n naming) claim(name, start string) bool {
	if _, taken := n.byName[name]; taken {
		return false
	}
	n.byName[name] = start
	if _, named := n.byStart[start]; !named {
		n.byStart[start] = name
	}
	return true
}

// startKey returns a text that identifies the command or URL of a server. The text contains no secrets.
func (s *Server) startKey() string {
	if s.URL != "" {
		return "url " + maskURL(s.URL, false)
	}
	return strings.Join(s.Runs(), "\x00")
}

// Runs returns the command or the URL of the server with secrets masked. It removes leading env and shell commands, and
// makes paths below the working directory absolute. If a removed env command, before or after the guard, changes the
// working directory, Runs uses the changed directory.
func (s *Server) Runs() []string {
	if s.URL != "" {
		return []string{maskText(s.URL)}
	}
	words, dir := append([]string{s.Command}, s.Args...), cmp.Or(s.folder, s.Folder())
	chdir := s.Guard.chdir
	if l, err := parseCommand(words); err == nil {
		words, chdir = l.words, changeDir(chdir, l.dir)
	}
	if chdir != "" {
		dir = joinDir(dir, chdir)
	}
	words = slices.Clone(words)
	for i, w := range words {
		if dir != "" {
			w = workspaceFolder().ReplaceAllLiteralString(w, dir)
			words[i] = w
		}
		if filepath.IsAbs(w) || i == 0 && w == filepath.Base(w) {
			continue
		}
		info, err := os.Stat(filepath.Join(dir, w))
		if i == 0 || filepath.IsAbs(dir) && err == nil && info.Mode().IsRegular() {
			words[i] = filepath.Join(dir, w)
		}
	}
	m := Server{Command: words[0], Args: words[1:]}.Masked()
	return append([]string{m.Command}, m.Args...)
}

// unversioned returns a command without the versions of packages if the command starts a package runner such as npx.
// The guards of a server therefore remain valid in all clients if the version changes in some of their files. Ignoring
// versions is safe, because the tools of the server are compared byte for byte.
func unversioned(words []string) []string {
	if !slices.Contains([]string{"npx", "bunx", "uvx", "pipx", "pnpm", "yarn"}, strings.TrimSuffix(filepath.Base(words[0]), ".cmd")) {
		return words
	}
	words = slices.Clone(words)
	for i, w := range words[1:] {
		words[i+1] = packageVersion().ReplaceAllString(w, "$1")
	}
	return words
}

// packageVersion matches a package name with a version, such as @scope/name@1.2.3 or name==1.2.
var packageVersion = lazyregexp.New(`^((?:@[\w.-]+/)?[\w.-]+)(?:@|==)[\w.^~*-]+$`)

// sameAs reports whether s starts the recorded command, or another version of the same package. A placeholder in s
// matches every value that the client may have substituted. If the working directory is unknown, a word also matches a
// path that ends with the word.
func (f *File) sameAs(s *Server, recorded []string) bool {
	return slices.EqualFunc(unversioned(s.Runs()), unversioned(recorded), func(word, other string) bool {
		if word == other {
			return true
		}
		expression := f.expansionPattern(word)
		if s.folder == "" && s.URL == "" {
			expression = "(?:.*/)?" + expression
		}
		ok, err := regexp.MatchString("^(?s:"+expression+")$", filepath.ToSlash(other))
		return ok && err == nil
	})
}

// expansionPattern returns a regular expression that matches the possible expansions of word, with secrets masked. A
// placeholder for a variable or an input matches its current or default value, or any text without a slash.
func (f *File) expansionPattern(word string) string {
	var b strings.Builder
	literal := func(value string) string { return regexp.QuoteMeta(filepath.ToSlash(maskText(value))) }
	last := 0
	for _, at := range reference().FindAllStringIndex(word, -1) {
		b.WriteString(regexp.QuoteMeta(word[last:at[0]]))
		found := word[at[0]:at[1]]
		last = at[1]
		if value, ok := f.Variables[found]; ok {
			b.WriteString(literal(value))
			continue
		}
		name, value, hasDefault := strings.Cut(strings.Trim(found, "${}"), ":-")
		if f.machine.Getenv != nil {
			value = cmp.Or(f.machine.Getenv(strings.TrimPrefix(name, "env:")), value)
		}
		switch {
		case workspaceFolder().MatchString(found), found == "${userHome}":
			b.WriteString(".*")
		case hasDefault:
			b.WriteString(literal(value))
		default:
			b.WriteString("(?:" + literal(value) + "|[^/]*)")
		}
	}
	return b.String() + regexp.QuoteMeta(filepath.ToSlash(word[last:]))
}

// Folder returns the working directory of the entry, or "" if the entry uses the working directory of the client.
func (s *Server) Folder() string {
	switch {
	case filepath.IsAbs(s.Dir), s.Project == "":
		return s.Dir
	}
	return filepath.Join(s.Project, s.Dir)
}

// Mask is the text that replaces a secret.
const Mask = "***"

var (
	// secretName matches names of options, variables, headers, and parameters that have secret values.
	secretName = lazyregexp.New(`(?i)token|secret|passw|passphrase|api[-_]?key|apikey|access[-_]?key|private[-_]?key|(^|[-_])key$|auth|bearer|credential|cookie|session|signature|(^|[-_])(dsn|pat)$|header`)
	// secretText matches tokens by the prefixes of their issuers, and long runs of letters and digits.
	secretText = lazyregexp.New(`(?:gh[pousr]_|github_pat_|sk[-_]|rk_|fc-|tvly-|gsk_|xai-|AIza|shpat_|whsec_|ATATT|xox[abeprs]-|glpat-|AKIA|eyJ|hf_|npm_|pplx-|lin_api_|ntn_|secret_)[A-Za-z0-9_.-]{8,}|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|[A-Za-z0-9_]{28,}`)
	// pairText matches ID/KEY:SECRET. Names of container images have the same form but contain no capital letters.
	pairText  = lazyregexp.New(`\b\w*[A-Z]\w*/\w*[A-Z]\w*:\S+|\b\w*\d\w{7,}/\w*\d\w{7,}:\S{8,}`)
	password  = lazyregexp.New(`//[^/?#]*@`)
	parameter = lazyregexp.New(`([^&=]*=|)[^&]+`)
	// mixed matches digits between letters. Keys contain several matches; words, versions, and dates do not.
	mixed   = lazyregexp.New(`[A-Za-z]\d+[A-Za-z]`)
	address = lazyregexp.New(`[a-z][a-z0-9+.-]*://[^\s"']+`)
)

// Masked returns a copy of the server with secrets masked: the values of variables and headers, and the parts of the
// command, the arguments, and the URL that may be secrets.
func (s Server) Masked() Server {
	s.Env, s.Headers = maskAll(s.Env), maskAll(s.Headers)
	s.Args = slices.Clone(s.Args)
	previous := ""
	for i, arg := range s.Args {
		s.Args[i] = maskArgument(previous, arg)
		previous = arg
	}
	s.Command, s.URL = maskText(s.Command), maskText(s.URL)
	return s
}

// maskAll masks all values, because any variable may be a secret. It does not mask values that consist only of a
// placeholder.
func maskAll(all []Variable) []Variable {
	all = slices.Clone(all)
	for i, v := range all {
		if v.Value != "" && reference().FindString(v.Value) != v.Value {
			all[i].Value = Mask
		}
	}
	return all
}

// maskArgument masks the secrets in arg. previous is the argument before arg, which may be an option.
func maskArgument(previous, arg string) string {
	if name, value, ok := strings.Cut(arg, "="); ok && value != "" && secretName().MatchString(name) {
		return name + "=" + Mask
	}
	if strings.HasPrefix(previous, "-") && !strings.Contains(previous, "=") && secretName().MatchString(strings.TrimLeft(previous, "-")) {
		if name, _, ok := strings.Cut(arg, ":"); ok && !strings.Contains(name, " ") {
			return name + ": " + Mask // arg is a header
		}
		return Mask
	}
	return maskText(arg)
}

// maskText masks tokens and the secret parts of URLs in s.
func maskText(s string) string {
	s = address().ReplaceAllStringFunc(s, func(found string) string { return maskURL(found, true) })
	s = pairText().ReplaceAllString(s, Mask)
	return secretText().ReplaceAllStringFunc(s, func(found string) string {
		if strings.ContainsAny(found, "0123456789") {
			return Mask
		}
		return found
	})
}

// maskURL masks the password, the parameters, and the fragment of a URL. If path is set, it also masks the segments of
// the path that look like keys.
func maskURL(s string, path bool) string {
	s = password().ReplaceAllString(s, "//"+Mask+"@")
	front, fragment, _ := strings.Cut(s, "#")
	front, query, hasQuery := strings.Cut(front, "?")
	parts := strings.Split(front, "/")
	for i := range parts {
		if path && i > 2 && len(parts[i]) >= 10 && len(mixed().FindAllString(parts[i], 2)) == 2 {
			parts[i] = Mask
		}
	}
	front = strings.Join(parts, "/")
	if hasQuery {
		front += "?" + parameter().ReplaceAllString(query, "$1"+Mask)
	}
	if fragment != "" {
		front += "#" + Mask
	}
	return front
}

// Masked returns the content of the file with secrets and comments masked, for display. It returns nil if the file could
// not be read or if a secret cannot be located reliably.
func (f *File) Masked() []byte {
	if f.doc.Root == nil {
		return nil
	}
	hidden, all := maskedSpans(f.doc.Root)
	slices.SortFunc(all, func(a, b spanedit.Span) int { return cmp.Or(a.From-b.From, b.To-a.To) })
	var b []byte
	last, secret := 0, false // secret reports whether the previous value was masked
	for _, s := range append(all, spanedit.Span{From: len(f.doc.Data), To: len(f.doc.Data)}) {
		if s.From < last {
			continue // already written: a YAML alias, or a child of a masked value
		}
		between := f.doc.Data[last:s.From]
		if secret && len(bytes.Trim(spanedit.Comment().ReplaceAll(between, nil), " \t\r\n-,:=[]{}.")) > 0 && f.doc.Format == spanedit.YAML {
			return nil
		}
		b = append(b, spanedit.Comment().ReplaceAllFunc(between, maskComment)...)
		masked := ""
		if masked, secret = hidden[s]; secret {
			b = append(b, masked...)
		} else {
			b = append(b, f.doc.Data[s.From:s.To]...)
		}
		last = s.To
	}
	return b
}

func maskComment(c []byte) []byte {
	switch {
	case c[0] == '#':
		return []byte("# " + Mask)
	case c[1] == '*':
		return []byte("/* " + Mask + " */")
	}
	return []byte("// " + Mask)
}

// maskedSpans returns the replacements of the values to mask, keyed by position. It also returns the positions of all
// names and scalar values.
func maskedSpans(root *spanedit.Node) (hidden map[spanedit.Span]string, all []spanedit.Span) {
	hidden = map[spanedit.Span]string{}
	hide := func(n *spanedit.Node, masked string) {
		_, done := hidden[n.Span]
		if n.Kind != spanedit.Object && n.Kind != spanedit.List && masked != n.Text && !done && n.Text != "" && reference().FindString(n.Text) != n.Text {
			hidden[n.Span] = spanedit.Quote(masked)
		}
	}
	root.Walk(func(n *spanedit.Node) {
		if n.Kind != spanedit.Object && n.Kind != spanedit.List {
			all = append(all, n.Span)
			hide(n, maskText(n.Text))
		}
		previous := ""
		for _, item := range n.Items {
			hide(item, maskArgument(previous, item.Text))
			previous = item.Text
		}
		for _, fd := range n.Fields {
			all = append(all, fd.Keys...)
			switch {
			case slices.Contains(envKeys, fd.Name), slices.Contains(headerKeys, fd.Name):
				fd.Value.Walk(func(v *spanedit.Node) { hide(v, Mask) })
			case fd.Value.Kind == spanedit.Text && secretName().MatchString(fd.Name) && fd.Name != "bearer_token_env_var":
				hide(fd.Value, Mask)
			}
		}
	})
	return hidden, all
}
