// This file derives facts from the calls of a program.

package code

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"toolcrib/review/reach/fact"
	"toolcrib/review/reach/literal"
	"toolcrib/review/reach/shell"
)

// Read adds the facts of the program d. lang is a file extension without the dot, or the language
// of a code fence. Read calls comment for each comment.
func Read(d fact.Doc, lang string, comment func(fact.Doc)) {
	l, ok := find(lang)
	if !ok {
		l = &languages[len(languages)-1]
	}
	p := &program{Doc: d, lang: l, lexed: lex(d.Text, l), alias: map[string]string{}, values: map[string]value{}}
	for _, c := range p.comments {
		comment(d.Part(c[0], c[1]))
	}
	strs := p.strings
	ends := statements{code: p.code}
	for from := 0; from < len(p.code); {
		end := ends.end(from)
		n := 0
		for n < len(strs) && strs[n].start < end {
			n++
		}
		p.statement(from, end, strs[:n])
		strs, from = strs[n:], end
	}
}

// maxStatement is the maximum number of lines of a statement. It limits statements with an unclosed
// bracket.
const maxStatement = 60

// statements splits a program into statements, from the beginning to the end.
type statements struct {
	code []byte
	next int // offset of the first non-blank character after the last line that was passed to continued
	read int // number of characters read, for tests
}

// end returns the end of the statement that begins at start. A statement ends at ";" or at the end
// of a line, unless a bracket is open or the statement continues on the next line.
func (s *statements) end(start int) int {
	depth, lines := 0, 0
	for i := start; i < len(s.code); i++ {
		s.read++
		switch s.code[i] {
		case '(', '[':
			depth++
		case ')', ']':
			depth = max(0, depth-1)
		case '\n':
			lines++
			if depth == 0 && !s.continued(i) || lines >= maxStatement {
				return i + 1
			}
		case ';':
			if depth == 0 {
				return i + 1
			}
		}
	}
	return len(s.code)
}

// continued reports whether the statement continues after the line that ends at i. This is the case
// if the line ends with an operator, or if the next non-blank line begins with a method call or an
// operator. Callers must pass increasing values of i, because continued reads each blank line only
// once.
func (s *statements) continued(i int) bool {
	for j := i - 1; j >= 0 && s.code[j] != '\n'; j-- {
		s.read++
		if s.code[j] > ' ' {
			if s.code[j] == '\\' || s.code[j] == '+' {
				return true
			}
			break
		}
	}
	for s.next = max(s.next, i+1); s.next < len(s.code) && s.code[s.next] <= ' '; s.next++ {
		s.read++
	}
	return s.next < len(s.code) && (s.code[s.next] == '.' || s.code[s.next] == '+')
}

// value contains the known properties of a variable.
type value struct {
	text                  string
	fetched, decoded, env bool
	connected             bool // a network connection, or data from one
	shell                 bool // an interactive shell, or its standard input or output
}

// program is the state of reading a program statement by statement.
type program struct {
	fact.Doc
	lexed
	lang   *language
	alias  map[string]string // local names of modules and their members
	values map[string]value

	connects bool // one of the statements read so far opens a network connection
}

// call is a call of a function that calls.tsv lists.
type call struct {
	name   string
	effect effect
	at     int // start of the name
	end    int // end of the name
}

// state contains the parts of a statement: its calls, strings, and names.
type state struct {
	start, end int
	code       string
	strs       []str
	calls      []call
	names      []string // first elements of the names in the statement
	env        int      // offset of the expression that reads the whole environment, or -1
	assigned   string   // the variable to which the statement assigns a value, or ""
	data       value    // properties of the calls and variables in the statement
	shell      bool     // the code contains the word "shell"
	bracket    int      // offset of the bracket after the last command call; -1 before the first command call; len(code) if no bracket follows
	listed     bool     // a list begins after the bracket

	// Both numbers are 0 before the first command. Afterwards, words is 1 plus the index of the
	// string where the last shell command begins, and arguments is 1 plus the index of the string
	// where the last list of arguments begins. With these numbers, runs avoids reading the same
	// strings twice.
	words, arguments int
}

func (p *program) statement(start, end int, strs []str) {
	s := state{start: start, end: end, code: string(p.code[start:end]), strs: strs, env: -1, bracket: -1}
	s.shell = strings.Contains(s.code, "shell")
	if strings.TrimSpace(s.code) == "" && len(strs) == 0 {
		return
	}
	p.imports(&s)
	p.names(&s)
	if head := s.code[:min(len(s.code), 120)]; strings.Contains(head, "=") {
		if m := assigned.FindStringSubmatch(head); m != nil {
			s.assigned = m[1]
		}
	}
	for _, name := range s.names {
		if v, ok := p.values[name]; ok {
			s.data.fetched, s.data.decoded, s.data.env = s.data.fetched || v.fetched, s.data.decoded || v.decoded, s.data.env || v.env
			s.data.connected, s.data.shell = s.data.connected || v.connected, s.data.shell || v.shell
		}
	}
	texts := p.assembled(&s)
	p.effects(&s, texts)
	p.texts(&s, texts)
	if s.assigned != "" {
		v := s.data
		v.env = v.env || s.env >= 0
		if len(texts) == 1 && len(texts[0].value) < 512 {
			v.text = texts[0].value
		}
		if path := p.path(&s, strings.IndexByte(s.code, '=')+1, texts); strings.HasPrefix(path, "~") {
			v.text = path
		}
		p.values[s.assigned] = v
	}
}

var (
	pythonImport = regexp.MustCompile(`^\s*(?:from\s+([\w.]+)\s+)?import\s+([^;\n]+)`)
	required     = regexp.MustCompile(`(?:const|let|var|,)\s+(?:(\w+)|\{([^}]*)\})\s*=\s*(?:await\s+)?(?:require|import)\s*\(`)
	imported     = regexp.MustCompile(`^\s*import\s+(?:type\s+)?(?:\*\s+as\s+)?(\w+)?\s*,?\s*(?:\{([^}]*)\})?\s*from`)
)

// imports adds the modules and members that a statement imports to p.alias, under their local
// names.
func (p *program) imports(s *state) {
	if len(s.code) > 4<<10 || !strings.Contains(s.code, "import") && !strings.Contains(s.code, "require") {
		return
	}
	switch p.lang.id {
	case "python":
		m := pythonImport.FindStringSubmatch(s.code)
		if m == nil {
			return
		}
		for item := range strings.SplitSeq(strings.Trim(m[2], " ()"), ",") {
			name, local, renamed := strings.Cut(strings.TrimSpace(item), " as ")
			if m[1] != "" {
				p.alias[strings.TrimSpace(cmp.Or(local, name))] = m[1] + "." + name
			} else if renamed {
				p.alias[strings.TrimSpace(local)] = name
			}
		}
	case "javascript":
		all := required.FindAllStringSubmatch(s.code, -1) // one for each module
		if len(all) == 0 {
			all = imported.FindAllStringSubmatch(s.code, 1)
		}
		for i, m := range all {
			n := len(s.strs) - len(all) + i
			if n < 0 {
				continue
			}
			module := strings.TrimSuffix(strings.TrimPrefix(s.strs[n].value, "node:"), "/promises")
			if m[1] != "" {
				p.alias[m[1]] = module
			}
			for item := range strings.SplitSeq(m[2], ",") {
				name, local, _ := strings.Cut(strings.ReplaceAll(strings.TrimSpace(item), " as ", ":"), ":")
				if name != "" {
					p.alias[strings.TrimSpace(cmp.Or(local, name))] = module + "." + strings.TrimSpace(name)
				}
			}
		}
	}
}

func nameStart(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '$' || c >= 0x80
}

// names adds the names in a statement, such as a or a.b.c, and the calls of known functions to s.
func (p *program) names(s *state) {
	code := s.code
	for i := 0; i < len(code); {
		if !nameStart(code[i]) {
			if code[i] >= '0' && code[i] <= '9' { // a number
				for i < len(code) && (nameStart(code[i]) || code[i] >= '0' && code[i] <= '9') {
					i++
				}
				continue
			}
			i++
			continue
		}
		begin := i
		name, end := p.dottedName(code, i)
		i = end
		first, rest, dotted := strings.Cut(name, ".")
		s.names = append(s.names, first)
		if full, ok := p.alias[first]; ok {
			name = full
			if dotted {
				name += "." + rest
			}
		}
		method := begin > 0 && code[begin-1] == '.'
		p.member(s, name, begin, end)
		e := effectOf(name, p.lang.id)
		if method && !strings.Contains(name, ".") {
			e = table().method[name]
		}
		if e != none && p.isCalled(code, name, end, e) {
			s.calls = append(s.calls, call{name, e, s.start + begin, s.start + end})
		}
	}
}

// dottedName returns the dotted name that begins at i, and its end. It treats "::", "?.", and "->"
// like a dot, and skips the brackets of a call without arguments within the name.
func (p *program) dottedName(code string, i int) (name string, end int) {
	var b strings.Builder
	from := i
	for i < len(code) {
		c := code[i]
		switch {
		case nameStart(c) || c >= '0' && c <= '9':
			i++
		case c == '-' && p.lang.id == "powershell" && i+1 < len(code) && nameStart(code[i+1]):
			i++
		case c == '.' && i+1 < len(code) && nameStart(code[i+1]):
			i++
		case c == ':' && strings.HasPrefix(code[i:], "::"), c == '?' && strings.HasPrefix(code[i:], "?."), c == '-' && strings.HasPrefix(code[i:], "->"), c == '(' && strings.HasPrefix(code[i:], "().") && i+3 < len(code) && nameStart(code[i+3]):
			b.WriteString(code[from:i])
			b.WriteByte('.')
			i += 2
			if c == '(' {
				i++
			}
			from = i
			if i >= len(code) || !nameStart(code[i]) {
				return strings.TrimSuffix(b.String(), "."), i
			}
		default:
			if b.Len() == 0 {
				return code[from:i], i
			}
			b.WriteString(code[from:i])
			return b.String(), i
		}
	}
	b.WriteString(code[from:i])
	return b.String(), i
}

// isCalled reports whether the code calls name, which ends at offset end. Some languages and some
// effects do not require brackets.
func (p *program) isCalled(code, name string, end int, e effect) bool {
	rest := strings.TrimLeft(code[end:], " ")
	switch {
	case strings.HasPrefix(rest, "("), e == environment, e == skips && strings.Contains(name, "."), p.lang.id == "powershell":
		return true
	case p.lang.id == "ruby", p.lang.id == "php":
		return !strings.HasPrefix(rest, "=") && (end >= len(code) || code[end] == ' ' || code[end] == '\n')
	case e == sends && (strings.HasSuffix(name, "XMLHttpRequest") || strings.HasSuffix(name, "WebSocket")), strings.HasPrefix(rest, "<"), strings.HasPrefix(rest, "`"), strings.HasPrefix(rest, "!"):
		return true
	}
	return false
}

// member adds the facts of a name that do not depend on a call: variables with credentials,
// settings, and the whole environment.
func (p *program) member(s *state, name string, begin, end int) {
	last := name[strings.LastIndexByte(name, '.')+1:]
	at := s.start + begin
	if strings.Contains(name, "env") || strings.HasPrefix(name, "ENV") || strings.HasPrefix(name, "$env") {
		literal.Variable(p.Doc, at, last)
	}
	literal.Named(p.Doc, at, last, s.code[end:])
	switch name {
	case "os.environ", "process.env", "Deno.env.toObject", "import.meta.env", "environ":
		next := strings.TrimLeft(s.code[end:], " ")
		before := strings.TrimRight(s.code[:begin], " ")
		switch {
		case strings.HasPrefix(next, "[") || strings.HasPrefix(next, ".") || strings.HasPrefix(next, "?."):
		case strings.HasSuffix(before, " in") || strings.HasSuffix(before, "}=") || strings.HasSuffix(before, "} ="):
		default:
			s.env = at
		}
	}
}

var assigned = regexp.MustCompile(`^\s*(?:export\s+)?(?:const|let|var|my|local)?\s*\$?(\w+)(?:\s*:\s*[\w.\[\]| ]+|,\s*\w+)?\s*(?::=|=[^=>])`)

// effects adds the facts of the calls in a statement.
func (p *program) effects(s *state, texts []text) {
	for _, c := range s.calls {
		switch c.effect {
		case sends, connects:
			p.Sends()
			s.data.fetched = true
			s.data.connected = s.data.connected || c.effect == connects
			p.connects = p.connects || c.effect == connects
		case decodes:
			s.data.decoded = true
		case environment:
			s.env = c.at
		case runsShell, runsArgs:
			p.runs(s, c, texts)
		case deletes:
			if folder, ok := literal.Whole(p.path(s, c.end-s.start, texts)); ok {
				p.Add(c.at, fact.File, fact.Wiped, c.name+" "+folder)
			} else {
				p.Add(c.at, fact.File, c.name, c.name)
			}
		case weakens:
			p.Add(c.at, fact.Rights, c.name, c.name)
		case skips:
			p.Add(c.at, fact.Rights, fact.Skipped, c.name)
		case credentials:
			p.Add(c.at, fact.Secret, fact.Store, c.name)
		case redirects:
			s.data.shell = true
		case evaluates, writes, none:
		}
	}
	if s.data.shell && s.data.connected && len(s.names) > 0 {
		p.Add(s.start+len(s.code)-len(strings.TrimLeft(s.code, " \t\n")), fact.Run, fact.Connected, strings.TrimSpace(s.code))
	}
	sent := false
	for _, c := range s.calls {
		sent = sent || c.effect == sends || c.effect == connects
		if c.effect != evaluates {
			continue
		}
		switch {
		case (s.data.connected || p.connects && p.lang.id == "powershell") && !strings.Contains(c.name, "."):
			p.Add(c.at, fact.Run, fact.Connected, c.name)
		case s.data.fetched && (c.name == "eval" || c.name == "exec" || !strings.Contains(c.name, ".")):
			p.Add(c.at, fact.Run, fact.FetchedRun, c.name)
		case s.data.decoded:
			p.Add(c.at, fact.Run, fact.DecodedRun, c.name)
		case c.name != "compile" || p.lang.id != "python":
			p.Add(c.at, fact.Run, fact.Evaluated, c.name)
		}
	}
	switch {
	case s.env >= 0 && (sent || !p.passesEnvironment(s)):
		p.Add(s.env, fact.Secret, fact.Environment, "environment")
	case s.data.env && sent:
		p.Add(s.start, fact.Secret, fact.Environment, "environment")
	}
	if strings.Contains(s.code, "chmod") && (strings.Contains(s.code, "777") || strings.Contains(s.code, "0o666")) {
		p.Add(s.start+strings.Index(s.code, "chmod"), fact.Rights, "chmod", "777")
	}
}

// passesEnvironment reports whether the statement only stores the environment in a variable or
// passes it to a child process, which would inherit it anyway.
func (p *program) passesEnvironment(s *state) bool {
	if s.assigned != "" {
		return true
	}
	before := strings.TrimRight(s.code[:s.env-s.start], " .*{(")
	return strings.HasSuffix(before, "env=") || strings.HasSuffix(before, "env =") || strings.HasSuffix(before, "env:") || strings.HasSuffix(before, "dict") || strings.HasSuffix(before, "return")
}

// maxWords is the maximum number of strings after a call that are read as the words of a command.
const maxWords = 50

// runs adds facts about the command that a call executes. Callers must pass the calls of a
// statement in order, because runs searches the code for brackets only once.
func (p *program) runs(s *state, c call, texts []text) {
	var words []string
	at := c.at
	from, _ := slices.BinarySearchFunc(texts, c.end, func(t text, end int) int { return t.start - end })
	for _, t := range texts[from:min(len(texts), from+maxWords)] {
		if t.value != "" {
			words = append(words, t.value)
		}
	}
	if len(words) == 0 {
		if s.data.connected {
			p.Add(c.at, fact.Run, fact.Connected, c.name) // runs data from the connection
		}
		p.Add(c.at, fact.Run, c.name, c.name)
		return
	}
	s.data.shell = s.data.shell || shell.Interactive(words)
	list := c.effect == runsArgs && (!strings.Contains(words[0], " ") || !s.shell)
	if after := c.end - s.start; s.bracket < after {
		s.bracket = len(s.code)
		if n := strings.IndexByte(s.code[after:], '('); n >= 0 {
			s.bracket = after + n
			s.listed = strings.HasPrefix(strings.TrimLeft(s.code[s.bracket+1:], " \n\t"), "[")
		}
	}
	if s.bracket < len(s.code) {
		list = list && (len(words) > 1 || !strings.Contains(words[0], " ") || s.listed)
	}
	last := &s.words
	if list {
		last = &s.arguments
	}
	if *last == from+1 { // an earlier call has already read these strings in the same way
		return
	}
	*last = from + 1
	if list {
		doc, ok := p.Within(at, strings.Join(words, " "))
		if !ok {
			return
		}
		if len(words) > 2 && (words[1] == "-c" || words[1] == "-lc") {
			if doc, ok = p.Within(at, words[2]); ok {
				shell.Read(doc, nil)
			}
			return
		}
		shell.Args(doc, words)
		return
	}
	if doc, ok := p.Within(at, words[0]); ok {
		shell.Read(doc, nil)
	}
}
