// Package shell derives facts from shell commands in scripts, in code fences, and in sentences.
package shell

import (
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"toolcrib/review/reach/fact"
	"toolcrib/review/reach/literal"
)

// The parser is recursive, and a stack overflow would end the process. The parser also reads "(("
// more than once. For both reasons, texts with deeply nested brackets are not parsed, and long
// scripts are parsed in parts.
const (
	maxNesting = 100
	maxParsed  = 16 << 10 // bytes
)

// Read adds the facts of a script. If comment is not nil, Read calls it for each comment.
func Read(d fact.Doc, comment func(fact.Doc)) {
	r := newReader(d, comment)
	text := d.Text
	if strings.Contains(text, "$ ") || strings.Contains(text, "❯ ") || strings.Contains(text, "➜ ") || strings.Contains(text, "> ") || strings.Contains(text, "% ") { // a quick check, because matching the expression is slow
		text = prompt.ReplaceAllStringFunc(text, func(s string) string { return strings.Repeat(" ", len(s)) })
	}
	for from := 0; from < len(text); {
		end := part(text, from)
		// After a syntax error, the rest of the part is parsed line by line. It may be a log, or a
		// script for another shell.
		for rest := r.parse(text[from:end], from, false); rest < end; {
			stop := min(lineEnd(text, rest), end)
			r.parse(text[rest:stop], rest, true)
			rest = stop
		}
		from = end
	}
}

// part returns the end of the part of a script that begins at offset start. If possible, the next
// part begins with an unindented line.
func part(text string, start int) int {
	if len(text)-start <= maxParsed {
		return len(text)
	}
	piece := text[start : start+maxParsed]
	for end := len(piece); end > 0; {
		end = strings.LastIndexByte(piece[:end], '\n')
		if end > 0 && end+1 < len(piece) && piece[end+1] != ' ' && piece[end+1] != '\t' {
			return start + end + 1
		}
	}
	return start + maxParsed
}

// lineEnd returns the end of the line that contains offset i. A line that ends with "\" includes
// the next line.
func lineEnd(text string, i int) int {
	for {
		n := strings.IndexByte(text[i:], '\n')
		if n < 0 {
			return len(text)
		}
		i += n + 1
		if n == 0 || text[i-2] != '\\' {
			return i
		}
	}
}

// Inline reports whether the text of a code span or an indented line is a command, and adds the
// facts of the command. A command begins with a known program, with a relative path, or with a word
// that is followed by a flag. The parser cannot distinguish commands from other text, because it
// accepts most sentences.
func Inline(d fact.Doc) bool {
	text := strings.TrimLeft(d.Text, " \t")
	text = strings.TrimPrefix(text, "$ ")
	name, rest, spaced := strings.Cut(strings.TrimSpace(text), " ")
	rest = strings.TrimLeft(rest, " ")
	assigned := strings.Contains(name, "=")
	for assigned && spaced { // skip variables before the command
		name, rest, spaced = strings.Cut(rest, " ")
		assigned = strings.Contains(name, "=")
	}
	traits, known := tables().programs[name]
	switch {
	case name == "" || strings.ContainsAny(name, "<>()[]{},;:\"'"):
		return false
	case known && !spaced:
		if name != "env" && name != "printenv" {
			return false
		}
	case known && traits&ambiguous != 0 && !argument(rest), strings.HasPrefix(rest, "= "), strings.HasPrefix(rest, ": "):
		return false
	case known:
	case (strings.HasPrefix(name, "./") || strings.HasPrefix(name, "../")) && !sourceFile(name):
	case spaced && programName(name) && flag(rest):
	default:
		return false
	}
	Read(d.Part(len(d.Text)-len(text), len(d.Text)), nil)
	return true
}

// Fetches adds the facts of a line in a program if the line is a shell command that fetches data:
// the name of a network program, followed by a flag or an address. In most languages, such a line
// is not valid. However, notebooks run such lines, and a code fence may state the wrong language.
func Fetches(d fact.Doc) {
	text := strings.TrimLeft(d.Text, " \t!%$")
	name, rest, _ := strings.Cut(strings.TrimSpace(text), " ")
	if traits := tables().programs[name]; traits&(network|fetches) == 0 || traits&ambiguous != 0 || !flag(rest) && !strings.Contains(rest, "://") || strings.HasPrefix(rest, "=") {
		return
	}
	Read(d.Part(len(d.Text)-len(text), len(d.Text)), nil)
}

// argument reports whether s, the text after the name of a program, looks like arguments rather
// than like an English sentence. Arguments contain a flag, a path, a quotation mark, or a variable,
// or consist of at most two words.
func argument(s string) bool {
	return flag(s) || strings.ContainsAny(s, "/.$\"'*=:~|>_-") || len(strings.Fields(s)) <= 2
}

func flag(rest string) bool {
	return len(rest) > 1 && rest[0] == '-' && (rest[1] == '-' && len(rest) > 2 && letter(rest[2]) || letter(rest[1]))
}

func letter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// programName reports whether name has the form of a program name and is not the name of a source
// or text file.
func programName(name string) bool {
	if name == "" || sourceFile(name) || !letter(name[0]) {
		return false
	}
	return strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.+-") == ""
}

// sourceFile reports whether name has the extension of a file that cannot be run by its name.
func sourceFile(name string) bool {
	switch name[strings.LastIndexByte(name, '.')+1:] {
	case "md", "mdc", "ts", "tsx", "js", "jsx", "json", "yaml", "yml", "toml", "txt", "css", "html", "go", "rs", "c", "h", "cpp", "java", "cs", "kt", "ipynb", "csv", "lock", "vue", "svg", "png", "pdf", "docx", "xml":
		return name[0] != '.' || strings.Count(name, ".") > 1
	}
	return false
}

// prompt matches the prompts in a recorded terminal session, which are replaced by spaces.
var prompt = regexp.MustCompile(`(?m)^[ \t]*(?:\$|❯|➜|PS>|>|%) `)

// reader is the state of reading a script.
type reader struct {
	fact.Doc
	parser    *syntax.Parser
	comment   func(fact.Doc)
	shift     int               // offset of the parsed text in Doc
	vars      map[string]string // variables with a known value
	fetched   map[string]bool   // files that were downloaded
	functions map[string]bool
}

func newReader(d fact.Doc, comment func(fact.Doc)) *reader {
	return &reader{
		Doc: d, parser: syntax.NewParser(syntax.Variant(syntax.LangBash), syntax.KeepComments(comment != nil)), comment: comment,
		vars: map[string]string{}, fetched: map[string]bool{}, functions: map[string]bool{},
	}
}

// parse adds the facts of the commands in text up to the first syntax error. shift is the offset of
// text in r. parse returns the end of the part that it has parsed: the end of text or, after a
// syntax error, the end of the last complete command. If line is set, text is a single line; parse
// then scans the rest after a syntax error as words and returns the end of text.
func (r *reader) parse(text string, shift int, line bool) int {
	if nestsTooDeep(text) {
		literal.Scan(r.Part(shift, shift+len(text)), literal.Data, fact.Literal)
		return shift + len(text)
	}
	r.shift = shift
	read := 0
	var failed error
	for s, err := range r.parser.StmtsSeq(strings.NewReader(text)) {
		if err != nil {
			failed = err
			continue // the parser stops by itself, but may report the error twice
		}
		for _, c := range s.Comments { // empty if r.comment is nil, because the parser then drops comments
			if !strings.HasPrefix(c.Text, "!") {
				start := shift + int(c.Pos().Offset()) + 1
				r.comment(r.Part(min(start, len(r.Text)), min(start+len(c.Text), len(r.Text))))
			}
		}
		r.statement(s)
		read = min(int(s.End().Offset()), len(text))
	}
	switch {
	case failed == nil:
	case !line:
		return shift + len(text) - len(strings.TrimLeft(text[read:], " \t\r\n;&|"))
	default:
		literal.Scan(r.Part(shift+read, shift+len(text)), literal.Data, fact.Literal)
	}
	return shift + len(text)
}

// nestsTooDeep reports whether the brackets in text are nested more than maxNesting levels deep.
func nestsTooDeep(text string) bool {
	depth := 0
	for i := range len(text) {
		switch text[i] {
		case '(', '{':
			if depth++; depth > maxNesting {
				return true
			}
		case ')', '}':
			depth = max(0, depth-1)
		}
	}
	return false
}

// Inspects examines a command. The result command reports whether the program is known, and the
// result inspects reports whether the command only shows local state. inspects is false unless text
// is a single command without redirections and variables. It is also false if an option of the
// command writes a file or runs a program.
func Inspects(text string) (command, inspects bool) {
	name, _, more := strings.Cut(text, " ")
	if _, known := tables().programs[name]; !known || !more && !tables().inspects[name] {
		return false, false
	}
	f, err := syntax.NewParser().Parse(strings.NewReader(text), "")
	if err != nil || len(f.Stmts) != 1 || len(f.Stmts[0].Redirs) > 0 || f.Stmts[0].Background {
		return true, false
	}
	call, ok := f.Stmts[0].Cmd.(*syntax.CallExpr)
	if !ok || len(call.Assigns) > 0 {
		return true, false
	}
	var words, options []string
	for _, w := range call.Args {
		switch word := w.Lit(); {
		case word == "", strings.HasPrefix(word, "--output"), strings.HasPrefix(word, "--ext"), strings.HasPrefix(word, "--textconv"), strings.HasPrefix(word, "--exec"):
			return true, false
		case strings.HasPrefix(word, "-") && word != "--get":
			options = append(options, word)
		default:
			words = append(words, word)
		}
	}
	if len(words) == 0 || len(words) > 1 && call.Args[1].Lit() != words[1] { // git -c may run a program
		return true, false
	}
	listed := tables().inspects[strings.Join(words, " ")]
	for n := range words {
		listed = listed || tables().inspects[strings.Join(words[:n+1], " ")+" *"]
	}
	return true, listed && (len(words) < 2 || words[1] != "branch" || !slices.ContainsFunc(options, changesBranch))
}

// Names reports whether a known program occurs in text, except in a command that only shows local
// state. If the name of the program is also an English word, an argument must follow.
func Names(text string) bool {
	words := strings.Fields(text)
	for i, word := range words {
		word = strings.Trim(word, ".,()")
		traits, known := tables().programs[word]
		next := ""
		if i+1 < len(words) {
			next = strings.Trim(words[i+1], ",;:()")
		}
		if !known || traits&ambiguous != 0 && (!argument(next) || !strings.ContainsAny(next, "-./~$*")) {
			continue
		}
		if _, inspects := Inspects(word + " " + strings.TrimRight(next, ".")); !inspects {
			return true
		}
	}
	return false
}

// changesBranch reports whether the given option lets git-branch(1) do more than list branches.
func changesBranch(option string) bool {
	return !slices.Contains([]string{"-a", "-r", "-v", "-vv", "--all", "--list", "--show-current", "--remotes", "--verbose"}, option)
}

// Kinds of characters for Unquoted: characters that can occur in a name, and characters after which
// no name begins.
const (
	inName = 1 << iota
	joins
)

var kinds = func() (k [256]uint8) {
	for c := range k {
		switch b := byte(c); {
		case letter(b):
			k[c] = inName | joins
		case b >= '0' && b <= '9':
			k[c] = inName
		case b == '-' || b == '_':
			k[c] = inName | joins
		case strings.IndexByte("./@$", b) >= 0:
			k[c] = joins
		}
	}
	return k
}()

// Unquoted adds the commands in a sentence that are not marked as code. Such a command is the name
// of a program that is followed by a flag, an address, or a path.
func Unquoted(d fact.Doc) {
	text, programs := d.Text, tables()
	for i := 0; i < len(text); {
		if !letter(text[i]) || i > 0 && kinds[text[i-1]]&joins != 0 {
			i++
			continue
		}
		end := i
		for end < len(text) && kinds[text[end]]&inName != 0 {
			end++
		}
		name := text[i:end]
		if end+2 >= len(text) || text[end] != ' ' || !programs.names.Has(name) {
			i = end
			continue
		}
		traits, known := programs.programs[name]
		if !known || traits&(ambiguous|local) != 0 {
			i = end
			continue
		}
		rest := text[end+1:]
		word, _, _ := strings.Cut(rest, " ")
		if !flag(rest) && !strings.Contains(word, "://") && !strings.HasPrefix(word, "~/") && !tables().installer[name+" "+word] {
			if traits&raises != 0 {
				d.Add(i, fact.Rights, name, name)
			}
			i = end
			continue
		}
		stop := end + sentenceEnd(text[end:])
		Read(d.Part(i, stop), nil)
		i = stop
	}
}

// maxUnquoted is the maximum length in bytes of a command in a sentence.
const maxUnquoted = 1000

// sentenceEnd returns the end of the command at the start of text. The command ends at punctuation,
// or at a word that continues the sentence.
func sentenceEnd(text string) int {
	end := min(len(text), maxUnquoted)
	for _, mark := range []string{"\n", "; ", ", ", ". ", ": ", ") ", "`", " to ", " and ", " before ", " after ", " so ", " when ", " if ", " in ", " for ", " on ", " as ", " then ", " or "} {
		if i := strings.Index(text[:end], mark); i >= 0 {
			end = i
		}
	}
	return len(strings.TrimRight(text[:end], ".,;:)"))
}
