// This file adds guards to the entries of servers, and removes guards from entries.

package clients

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"toolcrib/gateway/clients/spanedit"
	"toolcrib/gateway/guard"
	"toolcrib/internal/lists"
)

// Flags of the guard command that preserve details of the original entry.
const (
	// wasFlag specifies details of the original entry that Unguard cannot reconstruct otherwise. For a command, its
	// value is "args" if the entry had an empty list of arguments. For a URL, its value is the key of the URL and, if
	// the entry had a type, ":" and the type.
	wasFlag = "--was"
	// tokenFlag specifies the name of the variable that contains the bearer token.
	tokenFlag = "--token-env"
)

// Prefix contains the program and the flags of a new guard. The flags follow the name of the server.
type Prefix struct {
	Program string
	Flags   []string
}

// Guard returns a copy of the file with guards for servers. names contains the name of each guard, keyed by the index
// of the server. Guard also returns the reason for each server that could not be guarded, keyed by index. The rest of
// the file is unchanged, and Unguard restores the original bytes.
func (f *File) Guard(p Prefix, names map[int]string) (File, map[int]string) {
	left := map[int]string{}
	bare := f.withoutForeign(p, names, left)
	change := func(f *File, i int) ([]spanedit.Edit, string) {
		s := &f.Servers[i]
		switch {
		case s.Refused != "" || s.Guarded():
			return nil, s.Refused
		case f.wouldDiffer(s, p, names[i]) != "" && len(s.Env) == 0 && s.node.Get("envFile").Str() == "":
			return nil, fmt.Sprintf("a guard of this entry %s; install toolcrib into a folder in your PATH first", f.wouldDiffer(s, p, names[i]))
		case f.wouldDiffer(s, p, names[i]) != "":
			return nil, fmt.Sprintf("with the variables of this entry, a guard %s; set the variables in the command instead (env NAME=VALUE COMMAND)", f.wouldDiffer(s, p, names[i]))
		case s.URL != "":
			return f.guardURL(s, p, names[i])
		}
		return f.prependCommand(s, p.Program, p.quoted(names[i], "--"), p.quoted(names[i], wasFlag, "args", "--"))
	}
	reversed := func(before, after *File, indexes []int) bool {
		var edits []spanedit.Edit
		for _, i := range indexes {
			if !after.Servers[i].Guarded() || after.Servers[i].Guard.Name != names[i] {
				return false
			}
			undo, _ := after.unguard(i)
			edits = append(edits, undo...)
		}
		back, ok := spanedit.Splice(after.doc.Data, edits)
		return ok && bytes.Equal(back, before.doc.Data)
	}
	after := bare.apply(slices.Sorted(maps.Keys(names)), change, reversed, left)
	rest := maps.Clone(names)
	maps.DeleteFunc(rest, func(i int, _ string) bool { return left[i] != "" && f.Servers[i].Guarded() })
	if len(rest) == len(names) {
		return after, left
	}
	after, more := f.Guard(p, rest) // an outdated guard that cannot be replaced is safer than no guard
	maps.Copy(left, more)
	return after, left
}

// withoutForeign returns the file without the guards that must be replaced. A guard must be replaced if it does not use
// the user's program, database, and settings, or if it does not have the name in names. withoutForeign also removes the
// variables that only the removed guards read.
func (f *File) withoutForeign(p Prefix, names, left map[int]string) *File {
	indexes := lists.Filter(slices.Sorted(maps.Keys(names)), func(i int) bool {
		s := &f.Servers[i]
		return s.Guarded() && (s.Guard.Differs != "" || s.Guard.Name != names[i])
	})
	if len(indexes) == 0 {
		return f
	}
	bare, kept := f.Unguard(indexes)
	maps.Copy(left, kept)
	for _, i := range indexes {
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

// withoutVariable returns the file without the environment variables of entry i for which matches returns true. If keep
// is true, it inserts an env command that passes these variables to the server behind the guard. If the entry cannot be
// edited, withoutVariable returns the file unchanged.
func (f *File) withoutVariable(i int, matches func(name string) bool, keep bool) File {
	s := &f.Servers[i]
	env := s.node.Get(envKeys...)
	if env == nil || s.URL != "" && keep {
		return *f
	}
	at := slices.IndexFunc(env.Fields, func(fd spanedit.Field) bool { return matches(fd.Name) && fd.Value.Kind == spanedit.Text })
	if at < 0 {
		return *f
	}
	edits := f.doc.RemoveMember(env, env.Fields[at].Name)
	if keep {
		more, why := f.prependCommand(s, "env", []string{spanedit.Quote(env.Fields[at].Name + "=" + env.Fields[at].Value.Text)}, nil)
		if why != "" {
			return *f
		}
		edits = append(edits, more...)
	}
	data, ok := spanedit.Splice(f.doc.Data, edits)
	after := f.With(data)
	if !ok || len(after.Servers) != len(f.Servers) {
		return *f
	}
	return after.withoutVariable(i, matches, keep)
}

// wouldDiffer returns the reason why a guard added to s would not use the user's program, database, and settings. The
// reason is a variable or the folder of s. If the guard would use all of these, wouldDiffer returns "".
func (f *File) wouldDiffer(s *Server, p Prefix, name string) string {
	if f.machine.Inspect == nil {
		return ""
	}
	args := slices.Concat([]string{"guard", name}, p.Flags, []string{"--", "server"})
	return f.machine.Inspect(Start{Program: p.Program, Args: args, Dir: s.folder, Env: s.Env, EnvFile: s.node.Get("envFile").Str()}).Differs
}

// Unguard returns a copy of the file without the guards of the servers at the given indexes. It also returns the reason
// for each guard that could not be removed, keyed by index.
func (f *File) Unguard(indexes []int) (File, map[int]string) {
	left := map[int]string{}
	bare := func(_, after *File, indexes []int) bool {
		return !slices.ContainsFunc(indexes, func(i int) bool { return after.Servers[i].Guarded() })
	}
	return f.apply(indexes, (*File).unguard, bare, left), left
}

// apply applies change to the servers at the given indexes, and returns the changed copy of the file. It first applies
// all changes together. If accept rejects the result, apply processes each half of the servers separately. A server
// that cannot be changed therefore does not prevent the other changes. apply adds the reason for each unchanged server
// to reasons.
func (f *File) apply(indexes []int, change func(*File, int) ([]spanedit.Edit, string), accept func(before, after *File, indexes []int) bool, reasons map[int]string) File {
	var edits []spanedit.Edit
	var ready []int
	for _, i := range indexes {
		more, why := change(f, i)
		switch {
		case why != "":
			reasons[i] = why
		case len(more) > 0:
			edits, ready = append(edits, more...), append(ready, i)
		}
	}
	if len(ready) == 0 {
		return *f
	}
	if data, ok := spanedit.Splice(f.doc.Data, edits); ok {
		after := f.With(data)
		if after.doc.Root != nil && len(f.Servers) == len(after.Servers) && f.canonicalWithout(ready) == after.canonicalWithout(ready) && accept(f, &after, ready) {
			return after
		}
	}
	if len(ready) == 1 {
		reasons[ready[0]] = "the entry cannot be edited without changing other parts of the file"
		return *f
	}
	half := len(ready) / 2
	first := f.apply(ready[:half], change, accept, reasons)
	return first.apply(ready[half:], change, accept, reasons)
}

// canonicalWithout returns a canonical form of the file that does not depend on guards of the given servers. Two
// versions of the file have the same canonical form if and only if they differ only in these guards and in formatting.
// For each server, the form contains the command or URL behind the guard instead of the fields that a guard changes. It
// also contains the other fields of the entries and the rest of the file.
func (f *File) canonicalWithout(indexes []int) string {
	moved := slices.Concat(commandKeys, []string{"args"}, envKeys, urlKeys, headerKeys, typeKeys, []string{"bearer_token_env_var", "env_vars"})
	without, texts := map[*spanedit.Node]bool{}, ""
	for _, i := range indexes {
		s := f.Servers[i]
		without[s.node] = true
		words := append([]string{s.Command}, s.Args...)
		if l, err := parseCommand(words); err == nil {
			words = l.words // env or a shell in front of the guard remains when the guard is removed
		}
		server := []any{s.Name, s.Project, words, s.Dir, s.Env, s.Inherit, s.URL, s.Headers, s.TokenEnv}
		rest := &spanedit.Node{Fields: slices.DeleteFunc(slices.Clone(s.node.Fields), func(fd spanedit.Field) bool { return slices.Contains(moved, fd.Name) })}
		texts += fmt.Sprintf("%q %v %s", server, s.Disabled, rest.Canonical(nil))
	}
	return texts + f.doc.Root.Canonical(without)
}

// quoted returns the arguments that start a guard, quoted as values of the file.
func (p Prefix) quoted(name string, flags ...string) []string {
	return lists.Map(slices.Concat([]string{"guard", name}, p.Flags, flags), spanedit.Quote)
}

const severalLines = "the command spans several lines"

// prependCommand returns the edits that insert program and quotedArgs before the command of s. If s has an empty list
// of arguments and fallback is not nil, fallback is inserted instead of quotedArgs.
func (f *File) prependCommand(s *Server, program string, quotedArgs, fallback []string) ([]spanedit.Edit, string) {
	in, command, args := s.program()
	if command.Value.Kind == spanedit.List {
		return f.doc.InsertItems(command.Value, append([]string{spanedit.Quote(program)}, quotedArgs...)), ""
	}
	raw := f.doc.Raw(command.Value)
	if raw == "" {
		return nil, severalLines
	}
	edits := []spanedit.Edit{command.Value.Replace(spanedit.Quote(program))}
	switch {
	case args == nil:
		return append(edits, f.doc.InsertMember(in, command, "args", append(quotedArgs, raw))...), ""
	case len(args.Value.Items) == 0 && fallback != nil:
		quotedArgs = fallback
	}
	return append(edits, f.doc.InsertItems(args.Value, append(quotedArgs, raw))...), ""
}

// withDefaults returns a copy of w with defaults in place of empty fields.
func (w keyNames) withDefaults() keyNames {
	return keyNames{
		url: cmp.Or(w.url, "url"), headers: cmp.Or(w.headers, "headers"), command: cmp.Or(w.command, "command"),
		env: cmp.Or(w.env, "env"), stdio: cmp.Or(w.stdio, "stdio"), array: w.array,
	}
}

// guardURL returns the edits that replace the URL of an entry by the command of a guard, and the headers by variables
// of the guard. If this replacement is not possible, it returns the reason.
func (f *File) guardURL(s *Server, p Prefix, name string) ([]spanedit.Edit, string) {
	w := f.dialect.words.withDefaults()
	address, kind := s.node.Field(urlKeys...), s.node.Field(typeKeys...)
	raw := f.doc.Raw(address.Value)
	if raw == "" {
		return nil, severalLines
	}
	var flags []string
	var edits []spanedit.Edit
	was := address.Name
	if kind != nil {
		was += ":" + kind.Value.Text
		edits = append(edits, f.doc.Rename(kind.Value.Span, kind.Value.Text, w.stdio))
	}
	if was != w.url {
		flags = append(flags, wasFlag, was)
	}
	if token := s.node.Field("bearer_token_env_var"); token != nil {
		flags = append(flags, tokenFlag, s.TokenEnv)
		edits = append(edits, f.doc.RenameField(token, "env_vars")...)
		edits = append(edits, token.Value.Replace("["+f.doc.Raw(token.Value)+"]"))
	}
	words := append(p.quoted(name, append(flags, "--url")...), raw)
	edits = append(edits, f.doc.RenameField(address, w.command)...)
	if w.array {
		edits = append(edits, address.Value.Replace("["+strings.Join(append([]string{spanedit.Quote(p.Program)}, words...), ", ")+"]"))
	} else {
		edits = append(edits, address.Value.Replace(spanedit.Quote(p.Program)))
		edits = append(edits, f.doc.InsertMember(s.node, address, "args", words)...)
	}
	if headers := s.node.Field(headerKeys...); headers != nil && len(headers.Value.Fields) > 0 {
		edits = append(edits, f.doc.RenameField(headers, w.env)...)
		if env := s.node.Field(envKeys...); env != nil { // an empty object
			edits = append(edits, f.doc.RenameField(env, w.headers)...)
		}
		for i := range headers.Value.Fields {
			fd := &headers.Value.Fields[i]
			edits = append(edits, f.doc.RenameField(fd, guard.HeaderVariable(fd.Name))...)
		}
	}
	return edits, ""
}

// unguard returns the edits that remove the guard of server i, or the reason why it cannot be removed.
func (f *File) unguard(i int) ([]spanedit.Edit, string) {
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
	if g := s.Guard; g.script != (spanedit.Span{}) {
		words := command.Value
		if words.Kind != spanedit.List {
			words = args.Value
		}
		program := words.Items[len(words.Items)-1]
		if f.doc.Raw(program) == "" {
			return nil, severalLines
		}
		return []spanedit.Edit{program.Replace(spanedit.Quote(program.Text[:g.script.From] + program.Text[g.script.To:]))}, ""
	}
	if command.Value.Kind == spanedit.List {
		return f.doc.RemoveItems(command.Value, s.Guard.first, s.Guard.last+1), ""
	}
	if s.Guard.first > 0 {
		return f.doc.RemoveItems(args.Value, s.Guard.first-1, s.Guard.last), ""
	}
	items := args.Value.Items
	raw := f.doc.Raw(items[s.Guard.last])
	if raw == "" {
		return nil, severalLines
	}
	edits := []spanedit.Edit{command.Value.Replace(raw)}
	if len(items) == s.Guard.last+1 && s.Guard.was != "args" {
		return append(edits, f.doc.RemoveMember(in, args.Name)...), ""
	}
	return append(edits, f.doc.RemoveItems(args.Value, 0, s.Guard.last+1)...), ""
}

// unguardURL returns the edits that reverse guardURL, or the reason why they are not possible.
func (f *File) unguardURL(s *Server) ([]spanedit.Edit, string) {
	w := f.dialect.words.withDefaults()
	_, command, args := s.program()
	in := args
	if command.Value.Kind == spanedit.List {
		in = command
	}
	raw := f.doc.Raw(in.Value.Items[len(in.Value.Items)-1])
	if raw == "" {
		return nil, severalLines
	}
	address, kind, _ := strings.Cut(cmp.Or(s.Guard.was, w.url), ":")
	edits := append(f.doc.RenameField(command, address), command.Value.Replace(raw))
	if in == args {
		edits = append(edits, f.doc.RemoveMember(s.node, args.Name)...)
	}
	if fd := s.node.Field(typeKeys...); fd != nil {
		edits = append(edits, f.doc.Rename(fd.Value.Span, fd.Value.Text, cmp.Or(kind, "http")))
	}
	if token := s.node.Field("env_vars"); token != nil && s.TokenEnv != "" {
		if len(token.Value.Items) != 1 {
			return nil, "env_vars must contain only the variable of the token"
		}
		edits = append(edits, f.doc.RenameField(token, "bearer_token_env_var")...)
		edits = append(edits, token.Value.Replace(f.doc.Raw(token.Value.Items[0])))
	}
	env, headers := s.node.Field(envKeys...), s.node.Field(headerKeys...)
	switch {
	case len(s.Headers) == 0:
		return edits, ""
	case len(s.Env) > 0:
		return nil, "the entry has the variable " + s.Env[0].Name + ", which does not contain a header"
	case headers != nil && len(headers.Value.Fields) > 0:
		return nil, "headers were added to the guarded entry"
	}
	edits = append(edits, f.doc.RenameField(env, w.headers)...)
	if headers != nil {
		edits = append(edits, f.doc.RenameField(headers, w.env)...)
	}
	for i := range env.Value.Fields {
		fd := &env.Value.Fields[i]
		name, _ := guard.HeaderName(fd.Name)
		edits = append(edits, f.doc.RenameField(fd, name)...)
	}
	return edits, ""
}
