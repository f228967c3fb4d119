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
	bare := f.withoutForeign(p, names, left)
	change := func(f *File, i int) ([]edit, string) {
		s := &f.Servers[i]
		switch {
		case s.Refused != "" || s.Guarded():
			return nil, s.Refused
		case f.wouldDiffer(s, p, names[i]) != "":
			return nil, fmt.Sprintf("with its variables, its guard %s; set them in front of its command instead (env NAME=VALUE COMMAND)", f.wouldDiffer(s, p, names[i]))
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
	after := bare.apply(slices.Sorted(maps.Keys(names)), change, reversed, left)
	rest := maps.Clone(names)
	maps.DeleteFunc(rest, func(i int, _ string) bool { return left[i] != "" && f.Servers[i].Guarded() })
	if len(rest) == len(names) {
		return after, left
	}
	after, more := f.Guard(p, rest) // a guard that cannot be repaired is better than none
	maps.Copy(left, more)
	return after, left
}

// withoutForeign returns the file without the guards that are not the user's, or that go
// by another name than the one in names, and without the variables that only they read.
func (f *File) withoutForeign(p Prefix, names, left map[int]string) *File {
	var which []int
	for _, i := range slices.Sorted(maps.Keys(names)) {
		if s := &f.Servers[i]; s.Guarded() && (s.Guard.Differs != "" || s.Guard.Name != names[i]) {
			which = append(which, i)
		}
	}
	if len(which) == 0 {
		return f
	}
	bare, kept := f.Unguard(which)
	maps.Copy(left, kept)
	for _, i := range which {
		bare = bare.withoutVariable(i, func(name string) bool {
			_, header := guard.HeaderName(name)
			return strings.HasPrefix(name, "TOOLCRIB_") && !header
		}, false)
		if bare.wouldDiffer(&bare.Servers[i], p, names[i]) != "" && f.machine.OS != "windows" {
			bare = bare.withoutVariable(i, func(name string) bool {
				return name == "HOME" || name == "PATH" || strings.HasPrefix(name, "XDG_") || strings.HasPrefix(name, "LD_") || strings.HasPrefix(name, "DYLD_")
			}, true)
		}
	}
	return &bare
}

// withoutVariable takes variables out of the environment of an entry. With keep, the
// program env sets them for its server alone, which the guard will be in front of.
func (f *File) withoutVariable(i int, matches func(name string) bool, keep bool) File {
	s := &f.Servers[i]
	env := s.node.get(envKeys...)
	if env == nil || s.URL != "" && keep {
		return *f
	}
	at := slices.IndexFunc(env.fields, func(fd field) bool { return matches(fd.name) && fd.value.kind == text })
	if at < 0 {
		return *f
	}
	edits := f.removeMember(env, env.fields[at].name)
	if keep {
		more, why := f.inFront(s, "env", []string{quote(env.fields[at].name + "=" + env.fields[at].value.text)}, nil)
		if why != "" {
			return *f
		}
		edits = append(edits, more...)
	}
	data, ok := splice(f.data, edits)
	after := f.With(data)
	if !ok || len(after.Servers) != len(f.Servers) {
		return *f
	}
	return after.withoutVariable(i, matches, keep)
}

// wouldDiffer says why the guard, in front of a server, would not be the user's: of its
// variables and its folder; "" if it would be.
func (f *File) wouldDiffer(s *Server, p Prefix, name string) string {
	if f.machine.Inspect == nil {
		return ""
	}
	args := slices.Concat([]string{"guard", name}, p.Flags, []string{"--", "server"})
	return f.machine.Inspect(Start{Program: p.Program, Args: args, Dir: s.folder, Env: s.Env, EnvFile: s.node.get("envFile").string()}).Differs
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
	words := append([]string{s.Command}, s.Args...)
	if l, err := peel(words); err == nil {
		words = l.words // env and a shell stay in front of the command when a guard behind them goes
	}
	is := []any{s.Name, s.Project, words, s.Dir, s.Env, s.Inherit, s.URL, s.Headers, s.TokenEnv}
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
	return f.inFront(s, p.Program, p.quoted(name, "--"), p.quoted(name, wasFlag, "args", "--"))
}

// inFront puts a program and its arguments, which are quoted, in front of the command of a
// server: of one with an empty list of arguments, those in empty.
func (f *File) inFront(s *Server, program string, words, empty []string) ([]edit, string) {
	in, command, args := s.program()
	if command.value.kind == list {
		return f.insertItems(command.value, append([]string{quote(program)}, words...)), ""
	}
	raw := f.raw(command.value)
	if raw == "" {
		return nil, severalLines
	}
	edits := []edit{{command.value.span, quote(program)}}
	switch {
	case args == nil:
		return append(edits, f.insertMember(in, command, "args", append(words, raw))...), ""
	case len(args.value.items) == 0 && empty != nil:
		words = empty
	}
	return append(edits, f.insertItems(args.value, append(words, raw))...), ""
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
	if s.Guard.moved != "" {
		return nil, s.Guard.moved
	}
	if s.Guard.url {
		return f.unguardURL(s)
	}
	in, command, args := s.program()
	if g := s.Guard; g.script != (span{}) {
		words := command.value
		if words.kind != list {
			words = args.value
		}
		program := words.items[len(words.items)-1]
		if f.raw(program) == "" {
			return nil, severalLines
		}
		return []edit{{program.span, quote(program.text[:g.script.from] + program.text[g.script.to:])}}, ""
	}
	if command.value.kind == list {
		return f.removeItems(command.value, s.Guard.first, s.Guard.last+1), ""
	}
	if s.Guard.first > 0 {
		return f.removeItems(args.value, s.Guard.first-1, s.Guard.last), ""
	}
	items := args.value.items
	raw := f.raw(items[s.Guard.last])
	if raw == "" {
		return nil, severalLines
	}
	edits := []edit{{command.value.span, raw}}
	if len(items) == s.Guard.last+1 && s.Guard.was != "args" {
		return append(edits, f.removeMember(in, args.name)...), ""
	}
	return append(edits, f.removeItems(args.value, 0, s.Guard.last+1)...), ""
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
	address, kind, _ := strings.Cut(cmp.Or(s.Guard.was, w.url), ":")
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
