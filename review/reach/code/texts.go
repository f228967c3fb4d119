// This file derives facts from the strings of a program.

package code

import (
	"regexp"
	"slices"
	"strings"

	"toolcrib/review/reach/fact"
	"toolcrib/review/reach/literal"
)

// text is a string in a statement. It may be assembled from several literals.
type text struct {
	start, end int
	value      string
	first      string // the value of the first literal
	parts      int
}

// assembled returns the strings of a statement. It concatenates consecutive literals if only white
// space or an operator such as "+" separates them, or if the code calls a join function.
func (p *program) assembled(s *state) []text {
	joins := strings.Contains(s.code, ".join(") || strings.Contains(s.code, "-join")
	var list []text
	for _, one := range s.strs {
		value := one.value
		if n := len(list); n > 0 && len(list[n-1].value) < 4<<10 && one.start >= list[n-1].end {
			between := strings.TrimSpace(string(p.code[list[n-1].end:one.start]))
			glue, ok := p.joiningText(between, joins)
			if ok {
				list[n-1].value += glue + value
				list[n-1].end, list[n-1].parts = one.end, list[n-1].parts+1
				continue
			}
		}
		list = append(list, text{one.start, one.end, value, value, 1})
	}
	return list
}

// joiningText reports whether the code between two literals concatenates them. It also returns the
// text to insert between their values.
func (p *program) joiningText(code string, joins bool) (string, bool) {
	switch code {
	case "":
		return "", p.lang.id == "python" || p.lang.id == "other"
	case "+", "..", "<<", "\\":
		return "", true
	case ".":
		return "", p.lang.id == "php"
	case ",":
		return "", joins
	}
	if strings.HasPrefix(code, "+") && strings.HasSuffix(code, "+") && len(code) < 60 && !strings.ContainsAny(code, ",;=\n") {
		return "${}", true // concatenated with a variable
	}
	return "", false
}

// hasCompleteHost reports whether the first literal of a concatenated text contains the whole host
// of an address. In this case, the concatenation does not conceal the host.
func hasCompleteHost(t text) bool {
	_, host, ok := strings.Cut(t.first, "://")
	if !ok {
		return !strings.Contains(t.value, "://")
	}
	behind := t.value[len(t.first):]
	return strings.ContainsAny(host, "/?") || strings.Contains(host, ".") && !strings.HasSuffix(host, ".") && !strings.HasPrefix(behind, ".")
}

// texts adds the facts of the strings in a statement. The calls in the statement determine the use
// of each string.
func (p *program) texts(s *state, texts []text) {
	use := fact.Literal
	var writer *call
	running := false
	for i := range s.calls {
		switch c := &s.calls[i]; c.effect { //nolint:exhaustive // the other effects take neither an address nor a file
		case sends, connects:
			if use == fact.Literal {
				use = c.name
			}
		case writes:
			writer = c
		case runsShell, runsArgs:
			running = true
		}
	}
	if writer == nil {
		writer = p.openForWriting(s)
	}
	named := false
	for _, t := range texts {
		how := use
		if t.parts > 1 && !hasCompleteHost(t) {
			how = fact.Assembled
		}
		named = named || strings.Contains(t.value, "://")
		p.string(s, t, how, writer, running && how == fact.Literal)
	}
	if use == fact.Literal && writer == nil {
		return
	}
	known := map[string]bool{}
	first := s.start + len(s.code) - len(strings.TrimLeft(s.code, " \n\t"))
	for _, name := range s.names {
		v, ok := p.values[name]
		if !ok || v.text == "" || known[name] {
			continue
		}
		known[name] = true
		if writer != nil && literal.PlaceOf(v.text) == literal.Obeyed {
			p.Add(writer.at, fact.Write, writer.name, v.text)
		}
		if use != fact.Literal && strings.Contains(v.text, "://") {
			named = true
			if in, ok := p.Within(first, v.text); ok {
				literal.Scan(in, literal.Data, use)
			}
		}
	}
	if use != fact.Literal && !named {
		at := s.start
		if i := slices.IndexFunc(s.calls, func(c call) bool { return c.effect == sends || c.effect == connects }); i >= 0 {
			at = s.calls[i].at
		}
		p.Add(at, fact.Out, use, use) // the address is unknown
	}
}

// string adds the facts of the string t. command reports whether t has already been read as part of
// a command.
func (p *program) string(s *state, t text, use string, writer *call, command bool) {
	if writer != nil && len(t.value) < 512 && !strings.ContainsAny(t.value, "\n") && literal.PlaceOf(t.value) == literal.Obeyed {
		p.Add(t.start, fact.Write, writer.name, t.value)
		return
	}
	if command || (strings.HasPrefix(t.value, ".") || strings.HasPrefix(t.value, "~/")) && len(s.calls) == 0 && (strings.Contains(s.code, "import") || strings.Contains(s.code, "require") || strings.Contains(s.code, "from")) {
		return // already read as part of a command, or the name of a module of the program
	}
	doc := p.Part(t.start, t.end)
	if t.parts > 1 || strings.Contains(t.value, "${}") || len(t.value) < t.end-t.start-6 {
		within, ok := p.Within(t.start, t.value)
		if !ok {
			return
		}
		doc = within
	}
	mode := literal.Data
	if strings.HasPrefix(t.value, "/") && p.route(s, t.start) {
		mode = literal.Tables
	}
	literal.Hidden(doc)
	literal.Scan(doc, mode, use)
}

// routes contains the methods that register a handler of a web server. Their first string argument
// is the path of a request: https://flask.palletsprojects.com, https://fastapi.tiangolo.com,
// https://expressjs.com, https://pkg.go.dev/net/http#ServeMux.
var routes = []string{".route(", ".get(", ".post(", ".put(", ".patch(", ".delete(", ".use(", ".all(", ".Handle(", ".HandleFunc(", ".GET(", ".POST("}

// route reports whether the string at offset is the path of a request, because it is the first
// argument of a method in routes.
func (p *program) route(s *state, offset int) bool {
	before := strings.TrimRight(s.code[max(0, offset-s.start-maxInside):offset-s.start], " \n\t")
	return len(s.calls) == 0 && slices.ContainsFunc(routes, func(r string) bool { return strings.HasSuffix(before, r) })
}

// openForWriting returns a call of open with a mode that contains "w", "a", or "x". It returns nil
// if the statement contains no such call.
func (p *program) openForWriting(s *state) *call {
	i := strings.Index(s.code, "open(")
	if i < 0 {
		return nil
	}
	for _, one := range s.strs {
		if mode := one.value; one.start > s.start+i && len(mode) > 0 && len(mode) < 4 && strings.Trim(mode, "wax+bt") == "" && strings.ContainsAny(mode, "wax") {
			return &call{name: "open", effect: writes, at: s.start + i}
		}
	}
	return nil
}

// token matches the names, options, and unquoted paths in an expression that denotes a path.
var token = regexp.MustCompile(`-[A-Za-z]+|~[\\/\w]*|[A-Z]:\\[\w\\*]*|[\w$][\w$.:]*`)

// path returns the path that the argument at s.code[start:] denotes, with "~" for the home folder.
// It returns "" if a part of the argument is unknown.
func (p *program) path(s *state, start int, texts []text) string {
	if rest, ok := strings.CutPrefix(strings.TrimLeft(s.code[start:], " "), "("); ok {
		start = len(s.code) - len(rest)
	}
	end, depth := start, 0
	for ; end < len(s.code) && depth >= 0 && (depth > 0 || s.code[end] != ',' && s.code[end] != ';'); end++ {
		switch s.code[end] {
		case '(', '[':
			depth++
		case ')', ']':
			depth--
		}
	}
	var parts []string
	first, _ := slices.BinarySearchFunc(texts, s.start+start, func(t text, at int) int { return t.start - at })
	strs := texts[first:]
	literals := func(before int) {
		for ; len(strs) > 0 && strs[0].start < s.start+before; strs = strs[1:] {
			if name := strs[0].value; name == "HOME" || name == "USERPROFILE" {
				parts = append(parts, "~")
			} else {
				parts = append(parts, name)
			}
		}
	}
	for _, at := range token.FindAllStringIndex(s.code[start:end], -1) {
		literals(start + at[0])
		name := s.code[start+at[0] : start+at[1]]
		v, known := p.values[strings.TrimPrefix(name, "$")]
		switch last := name[strings.LastIndexAny(name, ".:")+1:]; {
		case known && v.text != "":
			parts = append(parts, v.text)
		case last == "homedir" || last == "UserHomeDir" || last == "HOME" || last == "USERPROFILE" || last == "home" && last != name:
			parts = append(parts, "~")
		case name[0] == '~' || name[0] == '$' || strings.Contains(last, `\`):
			parts = append(parts, name)
		case name[0] != '-' && !pathFunctions[last]:
			return ""
		}
	}
	literals(end)
	return strings.Join(parts, "/")
}

// pathFunctions are functions and variables that convert, join, or look up paths.
var pathFunctions = map[string]bool{
	"Path": true, "str": true, "join": true, "Join": true, "expanduser": true, "expand_path": true, "resolve": true, "environ": true, "env": true, "ENV": true, "get": true, "getenv": true, "Getenv": true,
}
