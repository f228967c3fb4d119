package clients

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"toolcrib/gateway/guard"
)

// The flags of the guard with which an entry remembers what it was.
const (
	// wasFlag is followed by "args" for a command with an empty list of arguments,
	// and for a URL by its key, with ":" and the type of the entry if it had one.
	wasFlag = "--was"
	// tokenFlag is followed by the name of the variable with the bearer token.
	tokenFlag = "--token-env"
)

// Prefix has the program that guards a server, and the flags behind the server's name.
type Prefix struct {
	Program string
	Flags   []string
}

// Guard returns the file with the guard put in front of the servers at the indexes
// in names, which are the names that toolcrib has for them, and says of those that
// it left alone why. Nothing else changes, and Unguard returns this very file.
func (f *File) Guard(p Prefix, names map[int]string) (File, map[int]string) {
	left := map[int]string{}
	change := func(f *File, i int) ([]edit, string) {
		s := &f.Servers[i]
		switch {
		case s.Refused != "" || s.Guarded():
			return nil, s.Refused
		case s.URL != "":
			return f.guardURL(s, p, names[i])
		}
		return f.guardCommand(s, p, names[i])
	}
	reversed := func(before, after *File, which []int) bool {
		var edits []edit
		for _, i := range which {
			if !after.Servers[i].Guarded() || after.Servers[i].Guard.Name != names[i] {
				return false
			}
			undo, _ := after.unguard(i)
			edits = append(edits, undo...)
		}
		back, ok := splice(after.data, edits)
		return ok && bytes.Equal(back, before.data)
	}
	return f.apply(slices.Sorted(maps.Keys(names)), change, reversed, left), left
}

// Unguard returns the file without the guard in front of the servers at some
// indexes, and says of those that it left alone why.
func (f *File) Unguard(which []int) (File, map[int]string) {
	left := map[int]string{}
	bare := func(_, after *File, which []int) bool {
		return !slices.ContainsFunc(which, func(i int) bool { return after.Servers[i].Guarded() })
	}
	return f.apply(which, (*File).unguard, bare, left), left
}

// apply changes servers of the file, all at once where that is well, and else by
// halves, so that one that cannot be changed stops no other.
func (f *File) apply(which []int, change func(*File, int) ([]edit, string), well func(before, after *File, which []int) bool, left map[int]string) File {
	var edits []edit
	var ready []int
	for _, i := range which {
		more, why := change(f, i)
		switch {
		case why != "":
			left[i] = why
		case len(more) > 0:
			edits, ready = append(edits, more...), append(ready, i)
		}
	}
	if len(ready) == 0 {
		return *f
	}
	if data, ok := splice(f.data, edits); ok {
		after := f.With(data)
		if after.root != nil && len(f.Servers) == len(after.Servers) && f.apart(ready) == after.apart(ready) && well(f, &after, ready) {
			return after
		}
	}
	if len(ready) == 1 {
		left[ready[0]] = "its entry cannot be edited without changing something else"
		return *f
	}
	half := len(ready) / 2
	first := f.apply(ready[:half], change, well, left)
	return first.apply(ready[half:], change, well, left)
}

// apart returns a text for everything in the file but the way in which some servers
// are started.
func (f *File) apart(which []int) string {
	without, texts := map[*node]bool{}, ""
	for _, i := range which {
		without[f.Servers[i].node] = true
		texts += f.Servers[i].meaning()
	}
	return texts + f.root.canonical(without)
}

// meaning returns a text for the server without the way in which it is started, and with
// the fields of its entry that are neither that nor its variables and headers.
func (s *Server) meaning() string {
	moved := slices.Concat(commandKeys, []string{"args"}, envKeys, urlKeys, headerKeys, typeKeys, []string{"bearer_token_env_var", "env_vars"})
	n := &node{fields: slices.DeleteFunc(slices.Clone(s.node.fields), func(fd field) bool { return slices.Contains(moved, fd.name) })}
	is := []any{s.Name, s.Project, s.Command, s.Args, s.Dir, s.Env, s.Inherit, s.URL, s.Headers, s.TokenEnv}
	return fmt.Sprintf("%q %v %s", is, s.Disabled, n.canonical(nil))
}

// quoted returns the words of a prefix as they are written.
func (p Prefix) quoted(name string, flags ...string) []string {
	words := slices.Concat([]string{"guard", name}, p.Flags, flags)
	for i, w := range words {
		words[i] = quote(w)
	}
	return words
}

const severalLines = "its command is written over several lines"

func (f *File) guardCommand(s *Server, p Prefix, name string) ([]edit, string) {
	in, command, args := s.program()
	if command.value.kind == list {
		return f.insertItems(command.value, append([]string{quote(p.Program)}, p.quoted(name, "--")...)), ""
	}
	raw := f.raw(command.value)
	if raw == "" {
		return nil, severalLines
	}
	edits := []edit{{command.value.span, quote(p.Program)}}
	switch {
	case args == nil:
		return append(edits, f.insertMember(in, command, "args", append(p.quoted(name, "--"), raw))...), ""
	case len(args.value.items) == 0:
		return append(edits, f.insertItems(args.value, append(p.quoted(name, wasFlag, "args", "--"), raw))...), ""
	}
	return append(edits, f.insertItems(args.value, append(p.quoted(name, "--"), raw))...), ""
}

// with returns the words of a client, with those of most for the empty ones.
func (w words) full() words {
	return words{
		url: cmp.Or(w.url, "url"), headers: cmp.Or(w.headers, "headers"), command: cmp.Or(w.command, "command"),
		env: cmp.Or(w.env, "env"), stdio: cmp.Or(w.stdio, "stdio"), array: w.array,
	}
}

// guardURL has a command take the place of a URL, and variables that of headers.
func (f *File) guardURL(s *Server, p Prefix, name string) ([]edit, string) {
	w := f.dialect.words.full()
	address, kind := s.node.field(urlKeys...), s.node.field(typeKeys...)
	raw := f.raw(address.value)
	if raw == "" {
		return nil, severalLines
	}
	var flags []string
	var edits []edit
	was := address.name
	if kind != nil {
		was += ":" + kind.value.text
		edits = append(edits, f.rename(kind.value.span, kind.value.text, w.stdio))
	}
	if was != w.url {
		flags = append(flags, wasFlag, was)
	}
	if token := s.node.field("bearer_token_env_var"); token != nil {
		flags = append(flags, tokenFlag, s.TokenEnv)
		edits = append(edits, f.renameField(token, "env_vars")...)
		edits = append(edits, edit{token.value.span, "[" + f.raw(token.value) + "]"})
	}
	words := append(p.quoted(name, append(flags, "--url")...), raw)
	edits = append(edits, f.renameField(address, w.command)...)
	if w.array {
		edits = append(edits, edit{address.value.span, "[" + strings.Join(append([]string{quote(p.Program)}, words...), ", ") + "]"})
	} else {
		edits = append(edits, edit{address.value.span, quote(p.Program)})
		edits = append(edits, f.insertMember(s.node, address, "args", words)...)
	}
	if headers := s.node.field(headerKeys...); headers != nil && len(headers.value.fields) > 0 {
		edits = append(edits, f.renameField(headers, w.env)...)
		if env := s.node.field(envKeys...); env != nil { // an empty one
			edits = append(edits, f.renameField(env, w.headers)...)
		}
		for i := range headers.value.fields {
			fd := &headers.value.fields[i]
			edits = append(edits, f.renameField(fd, guard.HeaderVariable(fd.name))...)
		}
	}
	return edits, ""
}

// unguard takes the guard away from a server.
func (f *File) unguard(i int) ([]edit, string) {
	s := &f.Servers[i]
	if s.Refused != "" || !s.Guarded() {
		return nil, s.Refused
	}
	if s.Guard.url {
		return f.unguardURL(s)
	}
	in, command, args := s.program()
	if command.value.kind == list {
		return f.removeItems(command.value, s.Guard.words+1), ""
	}
	items := args.value.items
	raw := f.raw(items[s.Guard.words])
	if raw == "" {
		return nil, severalLines
	}
	edits := []edit{{command.value.span, raw}}
	if len(items) == s.Guard.words+1 && s.Guard.flag(wasFlag) != "args" {
		return append(edits, f.removeMember(in, args.name)...), ""
	}
	return append(edits, f.removeItems(args.value, s.Guard.words+1)...), ""
}

// flag returns the value of a flag.
func (g Guard) flag(name string) string {
	if i := slices.Index(g.Flags, name); i >= 0 && i+1 < len(g.Flags) {
		return g.Flags[i+1]
	}
	return ""
}

// unguardURL is the reverse of guardURL.
func (f *File) unguardURL(s *Server) ([]edit, string) {
	w := f.dialect.words.full()
	_, command, args := s.program()
	in := args
	if command.value.kind == list {
		in = command
	}
	raw := f.raw(in.value.items[len(in.value.items)-1])
	if raw == "" {
		return nil, severalLines
	}
	address, kind, _ := strings.Cut(cmp.Or(s.Guard.flag(wasFlag), w.url), ":")
	edits := append(f.renameField(command, address), edit{command.value.span, raw})
	if in == args {
		edits = append(edits, f.removeMember(s.node, args.name)...)
	}
	if fd := s.node.field(typeKeys...); fd != nil {
		edits = append(edits, f.rename(fd.value.span, fd.value.text, cmp.Or(kind, "http")))
	}
	if token := s.node.field("env_vars"); token != nil && s.TokenEnv != "" {
		if len(token.value.items) != 1 {
			return nil, "variables were added to its token (env_vars)"
		}
		edits = append(edits, f.renameField(token, "bearer_token_env_var")...)
		edits = append(edits, edit{token.value.span, f.raw(token.value.items[0])})
	}
	env, headers := s.node.field(envKeys...), s.node.field(headerKeys...)
	switch {
	case len(s.Headers) == 0:
		return edits, ""
	case len(s.Env) > 0:
		return nil, "the variable " + s.Env[0].Name + " was added to its headers"
	case headers != nil && len(headers.value.fields) > 0:
		return nil, "headers were added to it"
	}
	edits = append(edits, f.renameField(env, w.headers)...)
	if headers != nil {
		edits = append(edits, f.renameField(headers, w.env)...)
	}
	for i := range env.value.fields {
		fd := &env.value.fields[i]
		name, _ := guard.HeaderName(fd.name)
		edits = append(edits, f.renameField(fd, name)...)
	}
	return edits, ""
}
